package nullserver_test

import (
	"net/url"
	"sync"
	"testing"
	"time"

	"scenario/internal/chat"
	"scenario/internal/nullserver"
)

// ask sends n requests at once to a server of this pace.
func ask(t *testing.T, config nullserver.Config, n int) []*chat.Reply {
	t.Helper()
	server, err := nullserver.Start(config)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	base, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	client, err := chat.New(chat.Config{BaseURLs: []*url.URL{base}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	replies := make([]*chat.Reply, n)
	var slots sync.WaitGroup
	for i := range n {
		slots.Go(func() {
			replies[i] = client.Do(t.Context(), &chat.Request{Body: []byte(`{}`), Stream: true})
		})
	}
	slots.Wait()
	return replies
}

func TestStreams(t *testing.T) {
	for name, config := range map[string]nullserver.Config{
		"as fast as can be":      {Events: 50},
		"several in one write":   {Events: 50, PerWrite: 16},
		"at a pace":              {Events: 20, Interval: time.Millisecond, First: 2 * time.Millisecond},
		"at an exact pace":       {Events: 20, Interval: time.Millisecond, First: 2 * time.Millisecond, Exact: true},
		"at a pace, all at once": {Events: 20, Interval: time.Millisecond, First: 2 * time.Millisecond, Burst: true},
	} {
		t.Run(name, func(t *testing.T) {
			before := nullserver.Now()
			for _, reply := range ask(t, config, 4) {
				if reply.Failure != chat.NoFailure || len(reply.Notes) > 0 {
					t.Fatalf("%v %s, notes %q", reply.Failure, reply.Error, reply.Notes)
				}
				if len(reply.Events) != config.Events || reply.Usage.OutputTokens != config.Events || reply.FinishReason != "length" {
					t.Errorf("%d events, usage %d, finish reason %s", len(reply.Events), reply.Usage.OutputTokens, reply.FinishReason)
				}
				request, written, ok := nullserver.Stamps(reply.Content, config.Events)
				if !ok {
					t.Fatalf("no stamps in %q", reply.Content)
				}
				last := request
				for i, at := range written {
					if at < last || request < before || at > nullserver.Now() {
						t.Errorf("event %d was written at %d, after %d", i, at, last)
					}
					last = at
				}
				if waited := time.Duration(written[0] - request); waited < config.First {
					t.Errorf("the first event came after %v, before %v", waited, config.First)
				}
				if took, least := time.Duration(last-request), config.First+time.Duration(config.Events-1)*config.Interval; took < least {
					t.Errorf("the last event came after %v, before %v", took, least)
				}
			}
		})
	}
}

func TestStampsOfOtherTexts(t *testing.T) {
	for _, text := range []string{"", "hello", "0000000000000000001 000000000000000000x "} {
		if _, _, ok := nullserver.Stamps(text, 1); ok {
			t.Errorf("stamps in %q", text)
		}
	}
}
