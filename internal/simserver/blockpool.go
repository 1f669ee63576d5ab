package simserver

// hashTokens continues a hash with tokens. It is FNV-1a over whole ids, with its
// bits mixed at the end.
func hashTokens(hash uint64, tokens []int32) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	hash ^= offset
	for _, id := range tokens {
		hash = (hash ^ uint64(uint32(id))) * prime
	}
	return mix(hash)
}

// mix spreads every bit of x over all bits (the finaliser of SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// chainBlocks cuts tokens into whole blocks and appends one hash for each to
// chain. A hash covers the block and all before it.
func chainBlocks(chain []uint64, tokens []int32, size int) []uint64 {
	before := uint64(0)
	if len(chain) > 0 {
		before = chain[len(chain)-1]
	}
	for ; len(tokens) >= size; tokens = tokens[size:] {
		before = hashTokens(before, tokens[:size])
		chain = append(chain, before)
	}
	return chain
}

// A block is a piece of KV memory that holds a fixed number of tokens.
type block struct {
	hash         uint64
	known        bool // the pool finds it by its hash
	users        int  // sequences that hold it
	older, newer *block
}

// A blockPool is the KV memory: blocks that sequences hold, alone or together,
// and free ones. A free block keeps what was computed in it until it is needed
// for something else: first those that hold nothing, then the least recently
// used.
type blockPool struct {
	size  int // in blocks
	used  int // held by a sequence
	blank int // free, and hold nothing that could be reused
	idle  block
	known map[uint64]*block
}

func newBlockPool(size int) *blockPool {
	p := &blockPool{size: size, blank: size, known: make(map[uint64]*block)}
	p.idle.older, p.idle.newer = &p.idle, &p.idle // a ring; its newer end is the oldest
	return p
}

// free is how many blocks can be taken.
func (p *blockPool) free() int { return p.size - p.used }

// match returns how many of the leading blocks of a chain are known, and how
// many of these nobody holds.
func (p *blockPool) match(chain []uint64) (known, free int) {
	for known < len(chain) {
		b := p.known[chain[known]]
		if b == nil {
			break
		}
		if known++; b.users == 0 {
			free++
		}
	}
	return known, free
}

// share appends the known blocks of a chain to those that a sequence holds.
func (p *blockPool) share(held []*block, chain []uint64) []*block {
	for _, hash := range chain {
		b := p.known[hash]
		if b.users == 0 {
			b.unlink()
			p.used++
		}
		b.users++
		held = append(held, b)
	}
	return held
}

// take appends n blocks to those that a sequence holds. There must be as many
// free.
func (p *blockPool) take(held []*block, n int) []*block {
	p.used += n
	for range n {
		b := &block{}
		if p.blank > 0 {
			p.blank--
		} else {
			b = p.idle.newer
			b.unlink()
			delete(p.known, b.hash)
			b.known = false
		}
		b.users = 1
		held = append(held, b)
	}
	return held
}

// learn makes a block known by the hash of what is now in it. Of two blocks with
// the same content the first stays known.
func (p *blockPool) learn(b *block, hash uint64) {
	if p.known[hash] == nil && !b.known {
		b.hash, b.known = hash, true
		p.known[hash] = b
	}
}

// release gives up blocks. The last of them is forgotten first, since it is of
// no use without the others.
func (p *blockPool) release(held []*block) {
	for i := len(held) - 1; i >= 0; i-- {
		b := held[i]
		if b.users--; b.users > 0 {
			continue
		}
		p.used--
		if b.known {
			b.linkBefore(&p.idle)
		} else {
			p.blank++
		}
	}
}

// forget empties all blocks; it does nothing while any is held.
func (p *blockPool) forget() {
	if p.used == 0 {
		*p = *newBlockPool(p.size)
		p.idle.older, p.idle.newer = &p.idle, &p.idle
	}
}

func (b *block) unlink() {
	b.older.newer, b.newer.older = b.newer, b.older
	b.older, b.newer = nil, nil
}

func (b *block) linkBefore(next *block) {
	b.older, b.newer = next.older, next
	b.older.newer, b.newer.older = b, b
}
