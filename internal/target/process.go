package target

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"scenario/internal/chat"
	"scenario/internal/spec"
)

// metricsPaths are where a server's metrics can be, by software. TensorRT-LLM's
// /metrics is a queue that each reading empties, and no page of metrics.
func metricsPaths(server string) []string {
	if server == "trtllm" {
		return []string{"/prometheus/metrics"}
	}
	return []string{"/metrics"}
}

// lookAtProcesses asks each server for its fingerprint, and its metrics and own
// pages for its KV capacity.
func lookAtProcesses(ctx context.Context, client Client, t *spec.Target, facts *Facts) {
	var found []capacity
	for endpoint := range facts.BaseURLs {
		print, err := identify(ctx, client, endpoint, facts)
		if err != nil {
			return // it answered just now: the run is over, or the server is
		}
		if endpoint == 0 {
			facts.Version = print.Version
		}
		if context := print.ContextTokens; context > 0 && (facts.ContextTokens == 0 || context < facts.ContextTokens) {
			facts.ContextTokens = context
		}
		var page exposition
		if endpoint == 0 || !isURL(t.MetricsURL.String()) { // a URL of its own is read once
			page = findMetrics(ctx, client, endpoint, t, facts, &print)
		}
		found = append(found, askCapacity(ctx, client, endpoint, facts.Server, page))
		facts.Fingerprints = append(facts.Fingerprints, print)
	}
	facts.settleCapacity(t.KVCapacityTokens, found)
}

// findMetrics reads a server's metrics and notes where they are.
func findMetrics(ctx context.Context, client Client, endpoint int, t *spec.Target, facts *Facts, print *Fingerprint) exposition {
	setting := t.MetricsURL.String()
	paths := metricsPaths(facts.Server)
	switch {
	case setting == "off":
		return nil
	case isURL(setting):
		paths = []string{setting}
	}
	var failure error
	for _, path := range paths {
		page, header, err := scrape(ctx, client, endpoint, path)
		if err == nil && len(page.counters(header).names) > 0 {
			facts.MetricsAt = append(facts.MetricsAt, Place{endpoint, path})
			facts.MetricsOfAll = isURL(setting)
			facts.Metrics = shownPath(path)
			print.ProcessStart = page.processStart(header)
			return page
		}
		if failure = err; err == nil {
			failure = fmt.Errorf("no metric of a server that is known here")
		}
	}
	if isURL(setting) {
		facts.Notes = append(facts.Notes, fmt.Sprintf("target.metrics_url brings no metrics: %s", failure))
	}
	return nil
}

func isURL(setting string) bool { return strings.Contains(setting, "://") }

// shownPath is where metrics are, for people.
func shownPath(path string) string {
	if u, err := url.Parse(path); err == nil && u.Host != "" {
		return chat.Redacted(u)
	}
	return path
}
