package chat

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestLagBuckets(t *testing.T) {
	last := -1
	for _, v := range []uint64{0, 1, 63, 64, 65, 100, 1000, 12_345, 1e6, 1e9, 30e9} {
		bucket := lagBucket(v)
		if bucket < last {
			t.Errorf("%d is in bucket %d, before a smaller value's %d", v, bucket, last)
		}
		last = bucket
		end := uint64(lagValue(bucket))
		if end < v || float64(end-v) > float64(v)/32+1 {
			t.Errorf("%d is in the bucket that ends at %d", v, end)
		}
	}
	if b := lagBucket(1 << 62); b != lagBuckets-1 {
		t.Errorf("a huge lag is in bucket %d of %d", b, lagBuckets)
	}
}

func TestLagQuantiles(t *testing.T) {
	c := &Client{}
	random := rand.New(rand.NewPCG(1, 2))
	var all []float64
	for range 10_000 {
		v := time.Duration(random.ExpFloat64() * 20e3)
		c.lags.add(v)
		all = append(all, float64(v))
	}
	c.lags.add(-time.Second) // a clock's grain is no lag
	all = append(all, 0)
	slices.Sort(all)
	lag := c.TakeLag()
	if lag.Count() != len(all) || float64(lag.Max()) != all[len(all)-1] {
		t.Errorf("count %d, max %v; want %d, %v", lag.Count(), lag.Max(), len(all), all[len(all)-1])
	}
	for _, q := range []float64{0.5, 0.9, 0.99, 0.999, 1} {
		want := all[int(q*float64(len(all)-1))]
		if got := float64(lag.Quantile(q)); got < want || got > want*1.04+1 {
			t.Errorf("the %v quantile is %v, want %v or up to a bucket more", q, got, want)
		}
	}
	if again := c.TakeLag(); again.Count() != 0 || again.Max() != 0 || again.Quantile(0.5) != 0 || again.Mean() != 0 {
		t.Error("lags are taken twice")
	}
}
