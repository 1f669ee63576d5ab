package engine_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"scenario/internal/chat"
	"scenario/internal/engine"
	"scenario/internal/formula"
	"scenario/internal/simserver"
	"scenario/internal/spec"
	"scenario/internal/workloads"
)

// options are the language as the program has it.
func options() spec.Options {
	o := spec.Options{Formulas: formula.IDs()}
	for _, k := range workloads.Kinds() {
		o.Kinds = append(o.Kinds, spec.KindSchema{Name: k.Name, Schema: k.Schema})
	}
	for _, g := range engine.Guards() {
		schema := spec.GuardSchema{ID: g.ID}
		for _, threshold := range g.Thresholds {
			schema.Thresholds = append(schema.Thresholds, spec.ThresholdSchema{Name: threshold.Name, Min: threshold.Min, Max: threshold.Max})
		}
		o.Guards = append(o.Guards, schema)
	}
	return o
}

// plan reads a scenario and plans it.
func plan(t *testing.T, src string, o engine.PlanOptions) *engine.Plan {
	t.Helper()
	s, faults := spec.Load("test.yaml", []byte(src), options())
	if s == nil {
		t.Fatalf("the scenario has faults:\n%s", faults)
	}
	o.Kinds = workloads.Kinds()
	if o.Nonce == "" {
		o.Nonce = "nonce"
	}
	p, faults := engine.NewPlan(s, nil, o)
	if p == nil {
		t.Fatalf("the scenario cannot be planned:\n%s", faults)
	}
	return p
}

// header is a scenario up to its phases.
const header = `
version: 1
name: test
target: {base_url: "http://sim", model: sim-1, proxy: off}
phases:
`

// memory keeps what a run stores.
type memory struct {
	lines   []string
	results []string
	onLine  func(n int)
}

func (m *memory) Request(line engine.RequestLine) error {
	data, err := json.Marshal(line)
	if err != nil {
		return err
	}
	m.lines = append(m.lines, string(data))
	if m.onLine != nil {
		m.onLine(len(m.lines))
	}
	return nil
}

func (m *memory) Result(r *engine.Result) error {
	data, err := json.Marshal(r)
	m.results = append(m.results, string(data))
	return err
}

// world is one run in virtual time: a simulated server, a client, a runner.
type world struct {
	server  simserver.Config
	handler http.Handler // serves in the simulated server's place
	wait    time.Duration
	// deadline is the run's, and began what it counts from.
	deadline, began time.Duration // began: before the run
	store           engine.Store
	watch           engine.Observer
	// descriptors and dial stand in for the machine's own.
	descriptors int
	dial        func(ctx context.Context, network, address string) (net.Conn, error)
	dialAfter   func() error // asked before each connection is made
	nap         func(time.Duration)
	calibrate   func(ctx context.Context, streams int) (*engine.Trial, error)
	cancelled   func(cancel context.CancelFunc, store *memory)
	failed      *error // where the runner's error goes; nil: it is the test's
}

// start starts the server and returns how it is stopped.
func (w world) start(t *testing.T, listener *simserver.Listener) (stop func()) {
	served := make(chan struct{})
	serve := func(serve func()) {
		go func() {
			defer close(served)
			serve()
		}()
	}
	if w.handler != nil {
		var handling sync.WaitGroup
		server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			handling.Add(1)
			defer handling.Done()
			w.handler.ServeHTTP(rw, r)
		})}
		serve(func() { server.Serve(listener) })
		return func() { server.Close(); <-served; handling.Wait() }
	}
	server := simserver.New(w.server)
	serve(func() { server.Serve(t.Context(), listener) })
	return func() { server.Close(); <-served }
}

// run runs a plan in a bubble of virtual time.
func (w world) run(t *testing.T, p *engine.Plan) *engine.Result {
	t.Helper()
	var result *engine.Result
	synctest.Test(t, func(t *testing.T) {
		listener := simserver.NewListener()
		server := w.start(t, listener)
		dial := w.dial
		if dial == nil {
			dial = listener.Dial
		}
		if w.dialAfter != nil {
			inner := dial
			dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				if err := w.dialAfter(); err != nil {
					return nil, err
				}
				return inner(ctx, network, address)
			}
		}
		clock := chat.NewClock()
		var urls []*url.URL
		var names []string
		for _, raw := range p.Scenario.Target.BaseURLs {
			u, err := chat.ParseBaseURL(raw.String())
			if err != nil {
				t.Fatal(err)
			}
			urls = append(urls, u)
			names = append(names, chat.Redacted(u))
		}
		timeouts := p.Scenario.Target.Timeouts
		client, err := chat.New(chat.Config{
			BaseURLs: urls, Dial: dial, Clock: clock,
			Timeouts: chat.Timeouts{Connect: timeouts.Connect, FirstToken: timeouts.FirstToken, Idle: timeouts.Idle, Request: timeouts.Request},
		})
		if err != nil {
			t.Fatal(err)
		}
		store := w.store
		if store == nil {
			store = &memory{}
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if w.cancelled != nil {
			w.cancelled(cancel, store.(*memory))
		}
		runner := &engine.Runner{
			Plan: p, Client: client, Clock: clock, Store: store, BaseURLs: names, Wait: w.wait, Deadline: w.deadline, Began: time.Now().Add(-w.began),
			Observer: w.watch, Descriptors: w.descriptors, Nap: w.nap, Calibrate: w.calibrate, Scenario: engine.ScenarioInfo{Name: "test"},
			// Time is virtual, CPU time is not: it says nothing of the client.
			Info: engine.RunInfo{Simulated: "in virtual time"},
		}
		result, err = runner.Run(ctx)
		switch {
		case w.failed != nil:
			*w.failed = err
		case err != nil:
			t.Error(err)
		}
		client.Close()
		server()
	})
	return result
}

// runWithStore runs a plan on a healthy server and returns the runner's error.
func runWithStore(t *testing.T, p *engine.Plan, store engine.Store) (*engine.Result, error) {
	t.Helper()
	var err error
	r := world{server: simserver.Healthy(), store: store, failed: &err}.run(t, p)
	return r, err
}

// healthy runs a scenario's phases on a healthy server.
func healthy(t *testing.T, phases string) *engine.Result {
	t.Helper()
	return world{server: simserver.Healthy()}.run(t, plan(t, header+phases, engine.PlanOptions{}))
}

// states lists the levels' states: "decode/4 accepted".
func states(r *engine.Result) []string {
	var list []string
	for _, p := range r.Phases {
		for _, l := range p.Levels {
			list = append(list, strings.TrimSpace(p.Name+" "+string(l.State)))
		}
	}
	return list
}

// fired are the guards with an effect on the state of any level.
func fired(r *engine.Result) []string {
	var list []string
	for _, p := range r.Phases {
		for _, l := range p.Levels {
			for _, g := range l.Guards {
				decisive := g.Effect == engine.Reject || g.Effect == engine.Void || g.Effect == engine.Undecide
				if g.Status == "fired" && decisive && !slices.Contains(list, g.ID) {
					list = append(list, g.ID)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}
