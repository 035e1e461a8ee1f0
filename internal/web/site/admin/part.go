package admin

import (
	"net/url"
	"strconv"

	"lectern/internal/platform/db"
)

// rowsAtOnce is how many rows of a list stand on a page.
const rowsAtOnce = 100

// part is which rows a page of a list shows, and where the others are.
type part struct {
	Page, Total int64
	Path        string
	Query       url.Values // what narrows the list
}

func newPart(page int64, path string, query url.Values) part {
	return part{Page: min(max(page, 1), 1e6), Path: path, Query: query}
}

func (p part) rows() db.Page { return db.Part(rowsAtOnce, (p.Page-1)*rowsAtOnce) }

// First is the number of the first row on the page.
func (p part) First() int64 { return min((p.Page-1)*rowsAtOnce+1, p.Total) }

// Last is the number of the last row on the page.
func (p part) Last() int64 { return min(p.Page*rowsAtOnce, p.Total) }

// With is the address of the list with another value of what narrows it; empty takes it out.
func (p part) With(name, value string) string {
	q := url.Values{}
	for k, v := range p.Query {
		q[k] = v
	}
	q.Del("page")
	if q.Del(name); value != "" {
		q.Set(name, value)
	}
	if len(q) == 0 {
		return p.Path
	}
	return p.Path + "?" + q.Encode()
}

func (p part) at(page int64) string { return p.With("page", strconv.FormatInt(page, 10)) }

// Back is the address of the page before; empty: there is none.
func (p part) Back() string {
	if p.Page <= 1 {
		return ""
	}
	return p.at(p.Page - 1)
}

// Next is the address of the page after; empty: there is none.
func (p part) Next() string {
	if p.Last() >= p.Total {
		return ""
	}
	return p.at(p.Page + 1)
}

// Several tells whether the list goes on elsewhere.
func (p part) Several() bool { return p.Total > rowsAtOnce }

// option is a value that a list can be narrowed to.
type option struct {
	Value, Text string
	On          bool
}

// filled leaves what narrows a list and is given.
func filled(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" && pairs[i+1] != "0" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}
