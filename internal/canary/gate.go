package canary

import "math"

// The gate that a level must pass: at HealthyRate, which is less than what a sound
// server shows, it fails fewer than one level in a hundred.
const (
	HealthyRate  = 0.98
	FalseFailure = 0.01
	// LeastKept is the share of a kind's answers that must be right while nothing
	// else runs for the kind to be asked under load.
	LeastKept = 0.95
)

// LeastRight is how many of n answers must be right: the largest number k for
// which fewer than k come right with a probability below falseFailure, if each
// does with probability rate. It is the exact binomial: Σ_{i<k} C(n,i)·rate^i·(1−rate)^(n−i).
func LeastRight(n int, rate, falseFailure float64) int {
	below := 0.0 // P(fewer than k+1 right)
	for k := range n {
		if below += binomial(n, k, rate); below >= falseFailure {
			return k
		}
	}
	return n
}

// binomial is the probability of exactly k of n at a rate.
func binomial(n, k int, rate float64) float64 {
	switch {
	case rate <= 0:
		return boolToFloat(k == 0)
	case rate >= 1:
		return boolToFloat(k == n)
	}
	return math.Exp(logChoose(n, k) + float64(k)*math.Log(rate) + float64(n-k)*math.Log1p(-rate))
}

// Fewer is the probability that, of two samples from one population, the second
// has as few right answers as it has, or fewer: Fisher's exact test, one-sided. A
// small one says that the second population is worse.
func Fewer(rightBefore, before, rightAfter, after int) float64 {
	right := rightBefore + rightAfter
	p := 0.0
	for k := max(0, right-before); k <= rightAfter; k++ {
		p += math.Exp(logChoose(after, k) + logChoose(before, right-k) - logChoose(before+after, right))
	}
	return min(p, 1)
}

// logChoose is the logarithm of the number of ways to choose k of n.
func logChoose(n, k int) float64 {
	of := func(x int) float64 {
		l, _ := math.Lgamma(float64(x) + 1)
		return l
	}
	return of(n) - of(k) - of(n-k)
}

func boolToFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
