package fixedtoken

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"scenario/internal/engine"
)

// generator makes the ids of one prompt.
type generator interface {
	ids(at engine.Place, n int) []int
}

func (c *config) generator(key string) generator {
	switch c.Prompt.IDs {
	case "constant":
		return constant(*c.Prompt.ID)
	case "affine":
		return affine{*c.Prompt.Base, *c.Prompt.Request, *c.Prompt.Position, *c.Prompt.Modulo}
	}
	from, to := c.vocabulary()
	return random{from: from, to: to, key: key}
}

// constant is one id again and again.
type constant int

func (id constant) ids(_ engine.Place, n int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = int(id)
	}
	return ids
}

// affine ids are the same in every run:
//
//	base + (request·ordinal + position·index) mod modulo
//
// with the mathematical modulo, so that warm-ups, whose ordinals are negative,
// get ids of the same range.
type affine struct{ base, request, position, modulo int }

func (a affine) ids(at engine.Place, n int) []int {
	ids := make([]int, n)
	for i := range ids {
		m := (at.Ordinal*a.request + i*a.position) % a.modulo
		if m < 0 {
			m += a.modulo
		}
		ids[i] = a.base + m
	}
	return ids
}

// random ids differ in every run and every request from the first id on, and are
// the same again for the same nonce, seed, phase and place.
type random struct {
	from, to int
	key      string
}

func (r random) ids(at engine.Place, n int) []int {
	digest := seed(r.key, at)
	source := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(digest[:]), binary.LittleEndian.Uint64(digest[8:])))
	ids := make([]int, n)
	for i := range ids {
		ids[i] = r.from + source.IntN(r.to-r.from)
	}
	return ids
}

// seed is what a place's prompt is made from.
func seed(key string, at engine.Place) [sha256.Size]byte {
	text := fmt.Appendf(nil, "%s|%d|%d|%d", key, at.Purpose, at.Concurrency, at.Ordinal)
	if at.Repeat > 0 {
		text = fmt.Appendf(text, "|repeat %d", at.Repeat)
	}
	return sha256.Sum256(text)
}
