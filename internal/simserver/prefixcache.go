package simserver

import "container/list"

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

// A prefixCache remembers which prefixes have been computed, block by block, and
// forgets the blocks that were least recently used.
type prefixCache struct {
	capacity int // in blocks
	recent   *list.List
	blocks   map[uint64]*list.Element
}

func newPrefixCache(capacity int) *prefixCache {
	return &prefixCache{capacity: capacity, recent: list.New(), blocks: make(map[uint64]*list.Element)}
}

// match returns how many of the leading blocks are stored.
func (c *prefixCache) match(chain []uint64) int {
	n := 0
	for n < len(chain) && c.blocks[chain[n]] != nil {
		n++
	}
	c.touch(chain[:n])
	return n
}

// store remembers all blocks of a chain.
func (c *prefixCache) store(chain []uint64) {
	for _, hash := range chain {
		if c.blocks[hash] == nil {
			c.blocks[hash] = c.recent.PushFront(hash)
		}
	}
	c.touch(chain)
	for len(c.blocks) > c.capacity {
		oldest := c.recent.Back()
		delete(c.blocks, c.recent.Remove(oldest).(uint64))
	}
}

// touch marks blocks as used. The first of a chain becomes the most recent,
// since without it the others are of no use.
func (c *prefixCache) touch(chain []uint64) {
	for i := len(chain) - 1; i >= 0; i-- {
		c.recent.MoveToFront(c.blocks[chain[i]])
	}
}
