package metric

import "time"

// MinutesFrom is the shortest load by the clock whose figures are kept per minute.
const MinutesFrom = 3 * time.Minute

// Minute holds the figures of one whole minute of a long load. Requests belong to
// the minute that they began in (at a rate: that they were due in), tokens to the
// one that they arrived in.
type Minute struct {
	Index      int      `json:"index" doc:"which minute of the load, from 0"`
	Issued     int      `json:"issued" doc:"requests that began in it"`
	OKCount    int      `json:"ok_count" doc:"of them good"`
	ErrorCount int      `json:"error_count" doc:"of them failed in transport"`
	OutputTPS  Number   `json:"output_tps" unit:"tokens/s" speed:"true" doc:"output tokens of good requests that arrived in it / 60 s"`
	TTFTP50    Duration `json:"ttft_p50" speed:"true" doc:"median time to first token of the good requests that began in it; unknown with fewer than 5"`
	TTFTP95    Duration `json:"ttft_p95" speed:"true" doc:"95th percentile of the same; unknown with fewer than 59"`
	TPOTP50    Duration `json:"tpot_p50" speed:"true" doc:"median time per output token of the same; unknown with fewer than 5"`
	E2EP50     Duration `json:"e2e_p50" speed:"true" doc:"median end-to-end latency of the same; unknown with fewer than 5"`
}

// perMinute works out the figures of each whole minute of a load by the clock that
// is long enough.
func (l *Level) perMinute(good []*Request) {
	o := l.offered
	over := span{o.Start, o.End}
	if o.Start == 0 || o.End-o.Start < int64(MinutesFrom) {
		return
	}
	n := int((over.to - over.from) / int64(time.Minute))
	over.to = over.from + int64(n)*int64(time.Minute)
	l.Minutes = make([]Minute, n)
	began := make([][]*Request, n)
	for _, r := range l.Requests {
		at := r.At.Written
		if o.Rate > 0 || at == 0 {
			at = r.At.Due
		}
		i := (at - over.from) / int64(time.Minute)
		if at < over.from || i >= int64(n) {
			continue
		}
		m := &l.Minutes[i]
		m.Issued++
		switch {
		case r.OK:
			m.OKCount++
			began[i] = append(began[i], r)
		case r.Failed():
			m.ErrorCount++
		}
	}
	var tokens []float64
	if total(good, func(r *Request) Number { return r.OutputTokens }).known {
		tokens = l.arrived(good, over, n)
	}
	for i := range l.Minutes {
		m := &l.Minutes[i]
		m.Index = i
		if tokens != nil {
			m.OutputTPS = Known(tokens[i] / time.Minute.Seconds())
		}
		m.latencies(began[i])
	}
}

// latencies are those of the good requests that began in the minute.
func (m *Minute) latencies(good []*Request) {
	of := func(which func(*Request) Duration, q float64) Duration {
		var values []float64
		for _, r := range good {
			if d := which(r); d.known {
				values = append(values, float64(d.value))
			}
		}
		v, ok := NewDurations(values).Quantile(q)
		return Duration{time.Duration(v), ok}
	}
	ttft := func(r *Request) Duration { return r.TTFT }
	m.TTFTP50, m.TTFTP95 = of(ttft, 0.50), of(ttft, 0.95)
	m.TPOTP50 = of(func(r *Request) Duration { return r.TPOT }, 0.50)
	m.E2EP50 = of(func(r *Request) Duration { return r.E2E }, 0.50)
}
