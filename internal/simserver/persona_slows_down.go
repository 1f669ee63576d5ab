package simserver

import "time"

// slowsDown is hardware that throttles as it gets hot.
func slowsDown() Persona {
	const half = 12_000 // tokens until it runs at half speed
	return Persona{
		Name: "slows-down",
		Doc:  "gets slower with each token, down to half its speed after 12,000 tokens, and stays there",
		bend: func(c *Config) {
			c.faults.slow = func(step time.Duration, generated int64) time.Duration {
				speed := 1 - 0.5*min(1, float64(generated)/half)
				return time.Duration(float64(step) / speed)
			}
		},
	}
}
