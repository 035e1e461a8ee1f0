package db

// Page is the part of a list that is asked for. Its zero value is the whole list.
type Page struct {
	asked         bool
	limit, offset int64
}

// NoLimit is a limit that no list reaches.
const NoLimit = 1 << 40

// Part asks for at most limit rows after the first offset ones.
func Part(limit, offset int64) Page { return Page{true, limit, offset} }

// Asked tells whether only a part is wanted. Whoever asks for a part is also told
// how many rows there are in all.
func (p Page) Asked() bool { return p.asked }

// Limit is what LIMIT takes: NoLimit for the whole list.
func (p Page) Limit() int64 {
	if !p.asked {
		return NoLimit
	}
	return p.limit
}

// Offset is what OFFSET takes.
func (p Page) Offset() int64 { return p.offset }
