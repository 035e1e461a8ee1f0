package pdf

import (
	"encoding/binary"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// What is read of a foreign file's bookmarks.
const (
	maxMarks     = 300
	maxMarkDepth = 4
)

// outlines reads the bookmarks that lead to pages of the file.
func (s *source) outlines() []bookmark {
	root, err := s.ctx.Catalog()
	if err != nil {
		return nil
	}
	var out []bookmark
	seen := map[int]bool{}
	s.outline(s.dict(root["Outlines"])["First"], 0, seen, &out)
	return out
}

// outline follows one row of bookmarks and what hangs below each; seen breaks circles.
func (s *source) outline(o types.Object, level int, seen map[int]bool, out *[]bookmark) {
	for o != nil && len(*out) < maxMarks && level < maxMarkDepth {
		r, ok := o.(types.IndirectRef)
		if !ok || seen[int(r.ObjectNumber)] {
			return
		}
		seen[int(r.ObjectNumber)] = true
		d := s.dict(o)
		dest := d["Dest"]
		if a := s.dict(d["A"]); dest == nil && name(s.resolve(a["S"])) == "GoTo" {
			dest = a["D"]
		}
		if page, _ := s.destination(dest); page >= 0 {
			if title := strings.TrimSpace(s.words(d["Title"])); title != "" {
				*out = append(*out, bookmark{Title: title, Level: level, Page: page})
			}
		}
		s.outline(d["First"], level+1, seen, out)
		o = d["Next"]
	}
}

// topMarks gives the pages of at most so many bookmarks that stand below no other.
func (s *source) topMarks(most int) (pages []int) {
	root, err := s.ctx.Catalog()
	if err != nil {
		return nil
	}
	seen := map[int]bool{}
	for o := s.dict(root["Outlines"])["First"]; o != nil && len(pages) < most; {
		r, ok := o.(types.IndirectRef)
		if !ok || seen[int(r.ObjectNumber)] {
			return pages
		}
		seen[int(r.ObjectNumber)] = true
		d := s.dict(o)
		page, _ := s.destination(d["Dest"])
		pages = append(pages, page)
		o = d["Next"]
	}
	return pages
}

// words reads a text string: UTF-16 or UTF-8 with its mark, else Latin-1, which
// is close enough to PDF's own encoding for a bookmark.
func (s *source) words(o types.Object) string {
	raw := s.text(o)
	switch {
	case strings.HasPrefix(raw, "\xfe\xff"):
		return utf16Text([]byte(raw[2:]), binary.BigEndian)
	case strings.HasPrefix(raw, "\xef\xbb\xbf"):
		return raw[3:]
	}
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		b.WriteRune(rune(raw[i]))
	}
	return b.String()
}

func (s *source) text(o types.Object) string {
	switch v := s.resolve(o).(type) {
	case types.StringLiteral:
		b, _ := types.Unescape(string(v))
		return string(b)
	case types.HexLiteral:
		return string(hexBytes(string(v)))
	case types.Name:
		return string(v)
	}
	return ""
}

// destination finds the page a named or explicit destination means, and where
// on it; -1 when it leads nowhere in this file.
func (s *source) destination(o types.Object) (page int, where types.Array) {
	a := s.array(o)
	if a == nil {
		a = s.namedDest(s.text(o))
	}
	if len(a) < 2 || len(a) > 6 {
		return -1, nil
	}
	r, ok := a[0].(types.IndirectRef)
	if !ok {
		return -1, nil
	}
	page, ok = s.byRef[int(r.ObjectNumber)]
	if !ok {
		return -1, nil
	}
	for _, v := range a[1:] {
		switch v := s.resolve(v).(type) {
		case types.Name, types.Integer, types.Float:
			where = append(where, v)
		default:
			where = append(where, nil)
		}
	}
	return page, where
}

func (s *source) namedDest(key string) types.Array {
	if key == "" {
		return nil
	}
	root, err := s.ctx.Catalog()
	if err != nil {
		return nil
	}
	found := s.dict(root["Dests"])[key]
	if found == nil {
		budget := 20_000
		found = s.inNameTree(s.dict(root["Names"])["Dests"], key, 0, &budget)
	}
	if d := s.dict(found); d != nil {
		found = d["D"]
	}
	return s.array(found)
}

// inNameTree looks a key up by trying all: hostile trees have no order.
func (s *source) inNameTree(node types.Object, key string, depth int, budget *int) types.Object {
	d := s.dict(node)
	if d == nil || depth > 20 {
		return nil
	}
	names := s.array(d["Names"])
	for i := 0; i+1 < len(names) && *budget > 0; i += 2 {
		*budget--
		if s.text(names[i]) == key {
			return names[i+1]
		}
	}
	for _, kid := range s.array(d["Kids"]) {
		if *budget--; *budget <= 0 {
			return nil
		}
		if v := s.inNameTree(kid, key, depth+1, budget); v != nil {
			return v
		}
	}
	return nil
}
