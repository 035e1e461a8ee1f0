package httpserver

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// mediaRange is one part of an Accept header.
type mediaRange struct {
	kind    string // such as text/html, text/* or */*
	quality float64
}

// accepted reads the Accept header. Parts that cannot be read are left out.
func accepted(r *http.Request) []mediaRange {
	var out []mediaRange
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		m := mediaRange{kind, 1}
		if q, given := params["q"]; given {
			if m.quality, err = strconv.ParseFloat(q, 64); err != nil || !(m.quality >= 0 && m.quality <= 1) {
				continue
			}
		}
		out = append(out, m)
	}
	return out
}

// Names tells whether the request asks for a media type by its name, not just
// for any.
func Names(r *http.Request, kind string) bool {
	for _, m := range accepted(r) {
		if m.kind == kind && m.quality > 0 {
			return true
		}
	}
	return false
}

// Prefers gives the one of our offers that the request's Accept rates highest, by
// the rules of RFC 9110: the most exact range that fits an offer rates it. Of
// equals, and where it asks for none of them or says nothing, the first.
func Prefers(r *http.Request, offers ...string) string {
	ranges := accepted(r)
	best, most := offers[0], 0.0
	for _, offer := range offers {
		if q := rating(ranges, offer); q > most {
			best, most = offer, q
		}
	}
	return best
}

// rating is the quality of the most exact range that fits; 0 where none does.
func rating(ranges []mediaRange, offer string) float64 {
	family, _, _ := strings.Cut(offer, "/")
	quality, exactness := 0.0, 0
	for _, m := range ranges {
		exact := map[string]int{"*/*": 1, family + "/*": 2, offer: 3}[m.kind]
		if exact > exactness {
			quality, exactness = m.quality, exact
		}
	}
	return quality
}
