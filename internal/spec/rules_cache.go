package spec

import "fmt"

// checkWarmCache wants a warm-up that sends the prompts of a warm cache.
func (c *checker) checkWarmCache(p *Phase) {
	cache := p.At.Key("cache")
	if p.Cache != "warm" || c.faults.bad[cache.node] {
		return
	}
	switch {
	case p.Warmup.Off:
		c.faults.add(cache.node, "cache: warm needs a warm-up, which sends the prompts that are sent again, and warmup is off", "leave warmup out, or write warmup: {scope: level}")
	case p.Warmup.Scope == "run":
		c.faults.add(cache.node, fmt.Sprintf("cache: warm needs a warm-up of the phase's own prompts, and scope: %s sends those of the run's first phase", p.Warmup.Scope), "write scope: level, or scope: phase")
	case p.Warmup.Scope == "phase" && p.CacheFlush == "level":
		c.faults.add(p.At.Key("cache_flush").node, "cache_flush: level empties the cache that the warm-up of scope: phase has filled for all levels", "write warmup: {scope: level}, or leave cache_flush out")
	}
}
