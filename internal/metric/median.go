package metric

import "math"

// medianRisk is the largest chance, on each side, that a median lies outside of its
// interval. Of five samples the smallest and the largest have it exactly: 1/2⁵.
const medianRisk = 1.0 / 32

// MedianInterval is a confidence interval of the median from the order statistics of
// at least five samples, whatever their distribution: from the k-th smallest to the
// k-th largest, with the largest k for which a median below the k-th smallest (all
// but k − 1 of n samples above it) has a probability of at most 1/32, by the binomial
// distribution with p = 1/2: P(B(n, ½) ≤ k − 1) ≤ 1/32. So it holds the median with
// a confidence of at least 93.75 %; of five samples it is their range. (H. A. David,
// H. N. Nagaraja, Order Statistics, 7.1.)
func (s samples) MedianInterval() (low, high float64, ok bool) {
	n := len(s.values)
	if n < MinSamples(0.5) {
		return 0, 0, false
	}
	k := 0
	below := 0.0
	logHalf := float64(n) * math.Log(0.5)
	for k < n/2 {
		below += math.Exp(logHalf + logChoose(n, k))
		if below > medianRisk*(1+1e-9) {
			break
		}
		k++
	}
	return s.values[k-1], s.values[n-k], true
}

// logChoose is the logarithm of n over k.
func logChoose(n, k int) float64 {
	gamma := func(x int) float64 { v, _ := math.Lgamma(float64(x)); return v }
	return gamma(n+1) - gamma(k+1) - gamma(n-k+1)
}
