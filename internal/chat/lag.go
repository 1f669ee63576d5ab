package chat

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Lag says how long after their arrival token events had been handled: the
// client's own delay, which the kernel's stamps keep out of the figures. It is a
// histogram whose buckets are a thirty-second of their value wide; only arrivals
// that the kernel stamped count.
type Lag struct {
	buckets [lagBuckets]int64
	count   int64
	max     time.Duration
}

const (
	lagFine    = 5  // each doubling has 2^5 buckets
	lagDoubles = 36 // ... up to half a minute; longer lags share the last bucket
	lagBuckets = lagDoubles << lagFine
)

// lagBucket is the bucket of a value: values below 64 ns have one each.
func lagBucket(v uint64) int {
	shift := max(0, bits.Len64(v)-lagFine-1)
	return min(lagBuckets-1, shift<<lagFine+int(v>>shift))
}

// lagValue is the largest value of a bucket.
func lagValue(bucket int) time.Duration {
	if bucket < 2<<lagFine {
		return time.Duration(bucket)
	}
	shift := bucket>>lagFine - 1
	return time.Duration((bucket-shift<<lagFine+1)<<shift - 1)
}

// Count is the number of reads that brought token events.
func (l *Lag) Count() int { return int(l.count) }

// Max is the longest lag.
func (l *Lag) Max() time.Duration { return l.max }

// Quantile is the q-quantile, rounded up to the end of its bucket; zero of none.
func (l *Lag) Quantile(q float64) time.Duration {
	rank := int64(q*float64(l.count-1)) + 1
	for bucket, n := range l.buckets {
		if rank -= n; n > 0 && rank <= 0 {
			return min(l.max, lagValue(bucket))
		}
	}
	return 0
}

// Mean is within a bucket's width of the mean.
func (l *Lag) Mean() time.Duration {
	sum := 0.0
	for bucket, n := range l.buckets {
		sum += float64(n) * float64(lagValue(bucket))
	}
	return time.Duration(sum / float64(max(1, l.count)))
}

// lags gathers the lags of all exchanges.
type lags struct {
	buckets [lagBuckets]atomic.Int64
	max     atomic.Int64
}

func (l *lags) add(d time.Duration) {
	d = max(0, d)
	l.buckets[lagBucket(uint64(d))].Add(1)
	for {
		longest := l.max.Load()
		if int64(d) <= longest || l.max.CompareAndSwap(longest, int64(d)) {
			return
		}
	}
}

// TakeLag returns the lags since it was last called.
func (c *Client) TakeLag() *Lag {
	taken := &Lag{max: time.Duration(c.lags.max.Swap(0))}
	for i := range c.lags.buckets {
		taken.buckets[i] = c.lags.buckets[i].Swap(0)
		taken.count += taken.buckets[i]
	}
	return taken
}
