package target

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"scenario/internal/metric"
)

// A sample is one series of a metric at the moment it was read.
type sample struct {
	labels map[string]string
	value  float64
}

// exposition is what a server's metrics page says, by the names of the metrics.
// Of a histogram there are name_sum and name_count.
type exposition map[string][]sample

// errNoMetrics is why a page is no metrics page.
var errNoMetrics = errors.New("the page holds no metrics in Prometheus's text format")

// errNoCounters is why a metrics page tells nothing.
var errNoCounters = errors.New("the metrics page has no metric of a server that is known here")

// scrape reads a metrics page. A path below the server's root, or a whole URL.
func scrape(ctx context.Context, client Client, endpoint int, path string) (exposition, http.Header, error) {
	status, header, body, err := get(ctx, client, endpoint, path)
	switch {
	case err != nil:
		return nil, nil, err
	case status != http.StatusOK:
		return nil, nil, fmt.Errorf("status %d", status)
	}
	e, err := parseMetrics(body)
	return e, header, err
}

// scrapeCounters is scrape for the metrics of counterNames and the process's start
// alone. A server's page is mostly histograms; what is not needed is not parsed, so
// that a look during a load costs little.
func scrapeCounters(ctx context.Context, client Client, endpoint int, path string) (exposition, http.Header, error) {
	status, header, body, err := get(ctx, client, endpoint, path)
	switch {
	case err != nil:
		return nil, nil, err
	case status != http.StatusOK:
		return nil, nil, fmt.Errorf("status %d", status)
	}
	lines := counterLines(body)
	if len(lines) == 0 {
		return nil, nil, errNoCounters
	}
	e, err := parseMetrics(lines)
	return e, header, err
}

// counterLines are the lines of a metrics page that are about what is read here.
func counterLines(body []byte) []byte {
	var lines []byte
	for line := range bytes.Lines(body) {
		end := bytes.IndexAny(line, "{ \t")
		if end > 0 && counterSeries[string(line[:end])] {
			lines = append(lines, line...)
		}
	}
	return lines
}

// counterSeries are the names of all series that counters are read from.
var counterSeries = func() map[string]bool {
	names := map[string]bool{processStartName: true}
	for _, row := range counterNames {
		for _, name := range row.names {
			names[name], names[name+"_total"] = true, true
		}
	}
	return names
}()

// parseMetrics reads Prometheus's text format.
func parseMetrics(body []byte) (exposition, error) {
	if first := bytes.TrimSpace(body); len(first) == 0 || strings.IndexByte("[{<", first[0]) >= 0 {
		return nil, errNoMetrics // JSON or HTML: the parser's message would not help
	}
	if body[len(body)-1] != '\n' {
		body = append(body[:len(body):len(body)], '\n') // a last line without an end is read, too
	}
	families, err := parseText(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoMetrics, err)
	}
	e := make(exposition, len(families))
	for name, family := range families {
		for _, m := range family.GetMetric() {
			e.add(name, m)
		}
	}
	return e, nil
}

// parseText is expfmt's parser, which panics on some text that is no metrics.
func parseText(body []byte) (families map[string]*dto.MetricFamily, err error) {
	defer func() {
		if p := recover(); p != nil {
			families, err = nil, fmt.Errorf("the parser failed: %v", p)
		}
	}()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(bytes.NewReader(body))
}

func (e exposition) add(name string, m *dto.Metric) {
	labels := make(map[string]string, len(m.GetLabel()))
	for _, l := range m.GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	put := func(name string, value float64) { e[name] = append(e[name], sample{labels, value}) }
	switch {
	case m.Counter != nil:
		put(name, m.GetCounter().GetValue())
	case m.Gauge != nil:
		put(name, m.GetGauge().GetValue())
	case m.Untyped != nil:
		put(name, m.GetUntyped().GetValue())
	case m.Histogram != nil:
		put(name+"_sum", m.GetHistogram().GetSampleSum())
		put(name+"_count", float64(m.GetHistogram().GetSampleCount()))
	case m.Summary != nil:
		put(name+"_sum", m.GetSummary().GetSampleSum())
		put(name+"_count", float64(m.GetSummary().GetSampleCount()))
	}
}

// series are those of the first name that has any. A name that does not end in
// _total stands for both; servers differ there, and so do their releases. Ranks
// of one engine that repeat what its first rank says are left out.
func (e exposition) series(names ...string) (found []sample, name string) {
	for _, name := range names {
		for _, name := range []string{name, name + "_total"} {
			for _, s := range e[name] {
				if !s.repeats() && !math.IsNaN(s.value) {
					found = append(found, s)
				}
			}
			if len(found) > 0 {
				return found, name
			}
		}
	}
	return nil, ""
}

// repeats reports whether the series is of another rank of an engine whose ranks
// all work on the same tokens.
func (s sample) repeats() bool {
	for _, rank := range []string{"tp_rank", "pp_rank"} {
		if v := s.labels[rank]; v != "" && v != "0" {
			return true
		}
	}
	return false
}

// sum adds up the series of the first name that has any: a server has one for
// each engine, and for each way a request can end.
func (e exposition) sum(names ...string) metric.Number {
	series, _ := e.series(names...)
	if len(series) == 0 {
		return metric.Number{}
	}
	total := 0.0
	for _, s := range series {
		total += s.value
	}
	return metric.Known(total)
}

// most is the largest of the series of the first name that has any.
func (e exposition) most(names ...string) metric.Number {
	series, _ := e.series(names...)
	if len(series) == 0 {
		return metric.Number{}
	}
	most := series[0].value
	for _, s := range series {
		most = max(most, s.value)
	}
	return metric.Known(most)
}
