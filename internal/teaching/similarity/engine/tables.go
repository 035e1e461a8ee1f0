package engine

import (
	"hash/maphash"
	"math/bits"
)

// spread decides where in a table a key stands. It is drawn anew by every process, so that
// nobody can write a work whose names all stand at one place.
var spread = maphash.String(maphash.MakeSeed(), "") | 1

// slot is where a table of 1<<(64-shift) places begins to look for a key.
func slot(key uint64, shift int) uint64 { return key * spread >> shift }

// shiftFor gives a table at least twice as many places as keys.
func shiftFor(keys int) int { return 64 - bits.Len(uint(2*keys+14)) }

// counts tells how often something was met. It does less than a map, in a third of the time.
type counts struct {
	keys  []uint64 // 0 where there is none
	times []uint8
	used  int
	shift int
}

func newCounts(keys int) *counts {
	c := &counts{shift: shiftFor(keys)}
	c.keys, c.times = make([]uint64, 1<<(64-c.shift)), make([]uint8, 1<<(64-c.shift))
	return c
}

// at finds the place of a key, which is kept from then on.
func (c *counts) at(key uint64) *uint8 {
	if key == 0 {
		key = 1
	}
	if 2*c.used >= len(c.keys) {
		c.grow()
	}
	last := uint64(len(c.keys) - 1)
	i := slot(key, c.shift)
	for c.keys[i] != key {
		if c.keys[i] == 0 {
			c.keys[i] = key
			c.used++
			break
		}
		i = (i + 1) & last
	}
	return &c.times[i]
}

func (c *counts) grow() {
	more := newCounts(len(c.keys))
	for i, key := range c.keys {
		if key != 0 {
			*more.at(key) = c.times[i]
		}
	}
	*c = *more
}

// numbered numbers the names of a work, from 0, and tells how many there are. Tokens that
// are no names have the number of the first.
func numbered(toks []token, kinds []uint8, names int) (numbers []int32, n int32) {
	shift := shiftFor(names)
	type known struct {
		text   uint32
		number int32 // from 1
	}
	table := make([]known, 1<<(64-shift))
	last := uint64(len(table) - 1)
	numbers = make([]int32, len(toks))
	for i, kind := range kinds {
		if kind != aName {
			continue
		}
		text := toks[i].text
		at := slot(uint64(text), shift)
		for table[at].number != 0 && table[at].text != text {
			at = (at + 1) & last
		}
		if table[at].number == 0 {
			n++
			table[at] = known{text, n}
		}
		numbers[i] = table[at].number - 1
	}
	return numbers, n
}
