package prose

import (
	"context"
	"fmt"
	"strings"
)

const (
	filler = "the" // costs one token, or there is no fit
	stop   = "."
	// group is how many words are counted at once: most of them cost one token, so
	// most groups need no second look.
	group = 16
	// leastWords is how many words of each class a fit must have.
	leastWords = 6
	// After so many counts what must be known is enough, and after mostCounts it ends.
	manyCounts = 80
	mostCounts = 300
	// maxCost is the most tokens that a word may cost to be used.
	maxCost = 3
)

// Counter counts the tokens of a whole prompt with this text in it. An error ends
// the calibration.
type Counter interface {
	Count(ctx context.Context, text string) (int, error)
}

// Calibrate finds out what words cost. It wants a tokenizer to which a word after
// a space is the same anywhere in a text, which is what all common ones do to text
// like this; Check proves it. The error says what the counter could not do.
func Calibrate(ctx context.Context, counter Counter) (*Fit, error) {
	c := &calibration{counter: counter, fit: &Fit{costs: map[string]int{}}}
	if err := c.base(ctx); err != nil {
		return nil, err
	}
	for class := range classes {
		if err := c.class(ctx, class); err != nil {
			return nil, err
		}
		if n := len(c.fit.words[class]); n < leastWords {
			return nil, fmt.Errorf("only %d of %d common words cost at most %d tokens", n, len(class.words()), maxCost)
		}
	}
	return c.fit, nil
}

// calibration is a fit in the making.
type calibration struct {
	counter Counter
	fit     *Fit
	lead    string
	leading int // tokens of a prompt whose text is lead
	counts  int
}

func (c *calibration) count(ctx context.Context, text string) (int, error) {
	if c.counts++; c.counts > mostCounts {
		return 0, fmt.Errorf("more than %d counts were needed", mostCounts)
	}
	return c.counter.Count(ctx, text)
}

// base counts what every text has: words that are fixed, the full stop, and what is
// around the text.
func (c *calibration) base(ctx context.Context) error {
	const repeated = 8
	line := strings.Repeat(" "+filler, repeated)
	one, err := c.count(ctx, line)
	if err != nil {
		return err
	}
	c.lead = line
	c.leading = one
	two, err := c.count(ctx, line+line)
	if err != nil {
		return err
	}
	if two-one != repeated {
		return fmt.Errorf("%d more words cost %d tokens: the word %q does not cost one", repeated, two-one, filler)
	}
	c.fit.costs[filler] = 1
	c.fit.Overhead = one - repeated
	if err := c.add(ctx, []string{"and"}); err != nil {
		return err
	}
	ended, err := c.count(ctx, line+stop+line)
	if err != nil {
		return err
	}
	c.fit.costs[stop] = ended - two
	if c.fit.costs["and"] < 1 || c.fit.costs[stop] < 0 || c.fit.costs[stop] > maxCost {
		return fmt.Errorf("a full stop costs %d tokens", c.fit.costs[stop])
	}
	return nil
}

// class finds out what the words of a class cost and takes those that cost little.
func (c *calibration) class(ctx context.Context, class class) error {
	words := class.words()
	for from := 0; from < len(words); from += group {
		if c.counts > manyCounts && len(c.fit.words[class]) >= leastWords {
			return nil
		}
		some := words[from:min(from+group, len(words))]
		if err := c.add(ctx, some); err != nil {
			return err
		}
		for _, word := range some {
			if cost := c.fit.costs[word]; cost >= 1 && cost <= maxCost {
				c.fit.words[class] = append(c.fit.words[class], word)
			}
		}
	}
	return nil
}

// add counts words together, and apart where they do not cost one token each.
func (c *calibration) add(ctx context.Context, words []string) error {
	n, err := c.count(ctx, c.lead+" "+strings.Join(words, " "))
	if err != nil {
		return err
	}
	return c.divide(ctx, words, n-c.leading)
}

// divide shares out what words cost together: one half is counted, the other has
// the rest.
func (c *calibration) divide(ctx context.Context, words []string, cost int) error {
	switch {
	case cost == len(words) || len(words) == 1:
		for _, word := range words {
			c.fit.costs[word] = cost / len(words)
		}
		return nil
	case cost < len(words):
		return nil // words that merge are of no use
	}
	half := words[:len(words)/2]
	n, err := c.count(ctx, c.lead+" "+strings.Join(half, " "))
	if err != nil {
		return err
	}
	if err := c.divide(ctx, half, n-c.leading); err != nil {
		return err
	}
	return c.divide(ctx, words[len(half):], cost-(n-c.leading))
}

// Check counts prompts of n tokens, and corrects what is around the text by what the
// first one misses. It returns the counts of those it takes as they are, and an
// error if prompts go on to miss n by more than the tolerance.
func (f *Fit) Check(ctx context.Context, counter Counter, n, tolerance int) ([]int, error) {
	const tries, wanted = 6, 2
	var taken []int
	last := 0
	for try := range tries {
		if n-f.Overhead < 1 {
			return nil, fmt.Errorf("a prompt of %d tokens has no room for text: %d tokens stand around it", n, f.Overhead)
		}
		got, err := counter.Count(ctx, f.Text([16]byte{byte(try), 'c', 'h', 'e', 'c', 'k'}, n-f.Overhead))
		if err != nil {
			return nil, err
		}
		last = got
		switch miss := abs(got - n); {
		case miss == 0, try > 0 && miss <= tolerance:
			if taken = append(taken, got); len(taken) == wanted {
				return taken, nil
			}
		default:
			f.Overhead += got - n
			taken = nil
		}
	}
	return nil, fmt.Errorf("a prompt that should have %d tokens has %d, and may miss by %d", n, last, tolerance)
}

func abs(n int) int { return max(n, -n) }
