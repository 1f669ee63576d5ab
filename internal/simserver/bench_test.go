package simserver

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"
)

// BenchmarkStreams holds 1,024 streams at 40,000 events a second over loopback
// for a second per iteration. cores is the processor time that server and
// clients together took, per second; the clients do nothing but read.
func BenchmarkStreams(b *testing.B) {
	const streams, tokens = 1024, 40
	cfg := Healthy()
	cfg.Slots, cfg.KVCapacity = streams, streams*1024
	cfg.PrefillRate = 1e9
	cfg.StepBase, cfg.StepPerSeq = 5120*time.Microsecond, 20*time.Microsecond
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := New(cfg)
	go func() { _ = server.Serve(b.Context(), listener) }()
	defer server.Close()
	start, before := time.Now(), processorTime(b)
	events := 0
	for b.Loop() {
		var readers sync.WaitGroup
		counts := make([]int, streams)
		for i := range counts {
			readers.Go(func() { counts[i] = readStream(b, listener.Addr().String(), i, tokens) })
		}
		readers.Wait()
		for _, n := range counts {
			events += n
		}
	}
	elapsed := time.Since(start).Seconds()
	b.ReportMetric(float64(events)/elapsed, "events/s")
	b.ReportMetric((processorTime(b)-before).Seconds()/elapsed, "cores")
	if wanted := b.N * streams * (tokens + 2); events != wanted {
		b.Errorf("%d events came, %d were due", events, wanted)
	}
}

// readStream asks for a reply and counts its events, the usage and the end mark
// included.
func readStream(b *testing.B, address string, seed, tokens int) int {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		b.Error(err)
		return 0
	}
	defer conn.Close()
	body := fmt.Sprintf(`{"prompt":[%d,2,3],"max_tokens":%d,"ignore_eos":true,"stream":true,`+
		`"stream_options":{"include_usage":true}}`, 1000+seed, tokens)
	fmt.Fprintf(conn, "POST /v1/completions HTTP/1.1\r\nHost: sim\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n%s", len(body), body)
	events := 0
	for lines := bufio.NewScanner(conn); lines.Scan() && string(lines.Bytes()) != "0"; { // 0 is the last chunk's length
		if bytes.HasPrefix(lines.Bytes(), []byte("data: ")) {
			events++
		}
	}
	return events
}

// processorTime is the user and system time of this process so far.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
