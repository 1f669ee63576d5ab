package chat

import (
	"context"
	"sync"
	"time"
)

// wires are the idle connections to one endpoint, the last used last.
type wires struct {
	mu    sync.Mutex
	idle  []*wire
	sweep *time.Timer // set while something is idle
}

// take is an idle connection that its server has not closed, or nil.
func (p *wires) take() *wire {
	for {
		p.mu.Lock()
		n := len(p.idle)
		if n == 0 {
			p.mu.Unlock()
			return nil
		}
		w := p.idle[n-1]
		p.idle[n-1] = nil
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		if time.Since(w.since) < idleConnTimeout && w.stamp.quiet(w.conn) {
			return w
		}
		w.conn.Close()
	}
}

func (p *wires) give(w *wire) {
	w.since = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, w)
	if p.sweep == nil {
		p.sweep = time.AfterFunc(idleConnTimeout, func() { p.expire() })
	}
}

// expire closes what has been idle for too long and returns how many are left.
func (p *wires) expire() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.idle[:0]
	for _, w := range p.idle {
		if time.Since(w.since) < idleConnTimeout {
			kept = append(kept, w)
		} else {
			w.conn.Close()
		}
	}
	clear(p.idle[len(kept):])
	p.idle = kept
	switch {
	case p.sweep == nil:
	case len(kept) > 0:
		p.sweep.Reset(idleConnTimeout)
	default:
		p.sweep.Stop()
		p.sweep = nil
	}
	return len(kept)
}

func (p *wires) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.idle {
		w.conn.Close()
	}
	p.idle = nil
	if p.sweep != nil {
		p.sweep.Stop()
		p.sweep = nil
	}
}

// dialsAtOnce is how many connections Open opens at the same time: enough to be
// quick, few enough not to overrun a server's backlog.
const dialsAtOnce = 64

// Open opens connections to an endpoint until n are idle, so that the next n
// requests need not wait for theirs. What cannot be opened is left to the
// requests, which say why. An endpoint behind a proxy has no connections of its
// own to open.
func (c *Client) Open(ctx context.Context, endpoint, n int) {
	if endpoint < 0 || endpoint >= len(c.endpoints) || c.endpoints[endpoint].proxied {
		return
	}
	e := &c.endpoints[endpoint]
	missing := n - e.wires.expire()
	slots := make(chan struct{}, dialsAtOnce)
	var dials sync.WaitGroup
	for range missing {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		dials.Go(func() {
			defer func() { <-slots }()
			if conn, err := c.dialEndpoint(ctx, e); err == nil {
				e.wires.give(newWire(conn))
			}
		})
	}
	dials.Wait()
}
