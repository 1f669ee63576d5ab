package engine

import (
	"fmt"
	"math"

	"scenario/internal/metric"
)

// A level is judged for steadiness only if its steady part is long enough to tell.
const (
	leastGenerations = 6
	leastSteady      = 20 // requests
	// steadyPieces is how many pieces each half is cut into, to see how its throughput
	// varies by itself.
	steadyPieces = 10
	// steadyT is the 97.5th percentile of Student's t with steadyPieces − 1 degrees
	// of freedom.
	steadyT = 2.262
)

// notSteady is the guard of a level whose throughput changes while it runs.
func notSteady() Guard {
	return Guard{
		ID:         "not-steady",
		Doc:        "in closed and window mode, the throughput of the two halves of the steady part differs, by more than what it varies by itself; not checked with fewer than 6 requests per slot or 20 in all in the steady part",
		Effect:     Undecide,
		Thresholds: []Threshold{share("max_difference", 0.1, "largest difference of the halves, as a share of the larger one")},
		After:      []string{"died", "errors", "client-bound", "concurrency-not-held", "early-stop", "length-mismatch"},
		check:      steadiness,
	}
}

func steadiness(e *evidence) finding {
	mode := e.phase.Spec.Load.Mode
	if mode == "wave" || mode == "rate" {
		return silent()
	}
	generations, ended := e.found.Generations(), e.found.SteadyEnded()
	if generations < leastGenerations || ended < leastSteady {
		if mode == "window" {
			return unchecked(fmt.Sprintf("the steady part has %.1f requests per slot and %d in all: it takes %d and %d", generations, ended, leastGenerations, leastSteady))
		}
		return silent() // the usual: nobody asked for a long load
	}
	rates := e.found.SteadyRates(2 * steadyPieces)
	if rates == nil {
		return unchecked("no good request ended in the steady part")
	}
	first, firstHalf := meanOf(rates[:steadyPieces])
	second, secondHalf := meanOf(rates[steadyPieces:])
	difference, larger := math.Abs(second-first), max(first, second)
	if difference <= e.threshold("max_difference")*larger || difference <= firstHalf+secondHalf {
		return silent()
	}
	word := "fewer"
	if second > first {
		word = "more"
	}
	percent := func(v float64) float64 { return 100 * v / first }
	return fires(fmt.Sprintf("the second half of the steady part made %.0f %% %s tokens than the first (± %.1f %% and ± %.1f %%), over %.0f requests per slot: no figure stands for both",
		percent(difference), word, percent(firstHalf), percent(secondHalf), generations))
}

// meanOf is the mean of a series and the half-width of its interval of 95 %,
// t · s / √n. The variance is that of successive differences, Σ(x₊₁ − x)² / 2(n − 1)
// (von Neumann, 1941), which a slow trend, the very thing to be found, does not
// widen as it does the ordinary one.
func meanOf(series []float64) (mean, half float64) {
	n := float64(len(series))
	differences := 0.0
	for i, v := range series {
		mean += v / n
		if i > 0 {
			differences += (v - series[i-1]) * (v - series[i-1])
		}
	}
	return mean, steadyT * math.Sqrt(differences/(2*(n-1))/n)
}

// serverCapped labels levels of which the server ran only a part at once.
func serverCapped() Guard {
	return Guard{
		ID:     "server-capped",
		Doc:    "in closed and window mode, the server ran fewer requests at once than the level has, by its own gauges at 5 readings or more; else a steady number below the concurrency brought tokens at once, and the others waited for their first one: a limit of running sequences, or prompts that are computed one by one",
		Effect: Tag,
		Thresholds: []Threshold{
			share("max_ratio", 0.9, "the most requests that bring tokens at once, as a share of the concurrency, that is remarked on"),
			share("min_plateau", 0.8, "least mean of them, as a share of the most at once: below it they come and go, and nothing caps them"),
		},
		check: capped,
	}
}

func capped(e *evidence) finding {
	concurrency := float64(e.found.Concurrency)
	most, mean, known := e.found.Answering()
	if !known || e.level.Rate > 0 || e.found.OutputTPSSteady == (metric.Number{}) {
		return silent()
	}
	if s := e.found.Server; s.Samples >= fewestReadings {
		// The server knows better: it runs requests before they bring a token.
		running, runs := s.RunningMax.Number()
		waiting, waits := s.WaitingMax.Number()
		if runs && waits {
			return remark(waiting > 0 && running <= e.threshold("max_ratio")*concurrency,
				fmt.Sprintf("the server ran at most %.0f of %d requests at once, and up to %.0f waited, which TTFT includes", running, e.found.Concurrency, waiting))
		}
	}
	return remark(most > 0 && float64(most) <= e.threshold("max_ratio")*concurrency && mean >= e.threshold("min_plateau")*float64(most),
		fmt.Sprintf("at most %d of %d requests brought tokens at once, %.1f on average: the others waited for their first one, which TTFT includes", most, e.found.Concurrency, mean))
}
