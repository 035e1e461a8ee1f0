package httpserver

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Kind is a kind of answer: it decides what a browser may do with it.
type Kind int

// The kinds of answers. Every answer is Data until its handler guards it as
// another.
const (
	Data     Kind = iota // JSON, text, events, metrics: nothing for a browser to draw
	Page                 // HTML of our own that loads nothing, such as an error
	Site                 // a page of the site, with its styles, scripts and forms
	Download             // a file, which somebody else may have made
	Picture              // an SVG of our own
	Explorer             // the explorer of the API and its assets
)

// always are the headers of every answer. Whoever may keep an answer, or frame
// it, is named by its handler or by the table below.
var always = map[string]string{
	"Cache-Control":                "no-store",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
}

const closed = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// pages are the headers of what a browser shows as a page: it shares no process
// with pages of others and has no use for devices but the microphone, with which
// staff and students record discussions.
var pages = map[string]string{
	"Cross-Origin-Opener-Policy": "same-origin",
	"Permissions-Policy":         "camera=(), display-capture=(), geolocation=(), payment=(), usb=()",
}

// guards are the headers by kind, beside those of every answer. Files and
// pictures are sandboxed, should one be opened as a page, and only our own pages
// may show them inside a frame.
var guards = map[Kind]map[string]string{
	Data: {"Content-Security-Policy": closed},
	Page: with(pages, "Content-Security-Policy", closed),
	Site: with(with(pages, "Referrer-Policy", "same-origin"), "Content-Security-Policy", "default-src 'none'; "+
		"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; script-src 'self'; style-src 'self'; "+
		"img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; frame-src 'self'; "+
		"worker-src 'self'; manifest-src 'self'"),
	Download: {"X-Frame-Options": "SAMEORIGIN", "Content-Security-Policy": "sandbox; default-src 'none'; " +
		"style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"},
	Picture: {"X-Frame-Options": "SAMEORIGIN", "Content-Security-Policy": "sandbox; default-src 'none'; " +
		"style-src 'unsafe-inline'; frame-ancestors 'self'"},
	Explorer: with(pages, "Content-Security-Policy", closed+"; connect-src 'self'; font-src 'self' data:; "+
		"img-src 'self' data:; style-src 'self' 'unsafe-inline'"),
}

func with(m map[string]string, name, value string) map[string]string {
	m = maps.Clone(m)
	m[name] = value
	return m
}

// ready are the headers of an answer by kind, as they are set: every answer of a kind
// shares their values, which nobody can add to.
var ready = func() map[Kind]http.Header {
	out := map[Kind]http.Header{}
	for kind, own := range guards {
		h := http.Header{}
		for _, of := range []map[string]string{always, own} {
			for name, value := range of {
				h[http.CanonicalHeaderKey(name)] = slices.Clip([]string{value})
			}
		}
		out[kind] = h
	}
	return out
}()

// Guard sets the security headers of an answer of this kind, in place of those
// of another. More directives of its Content-Security-Policy, such as the source
// of a style, may be given.
func Guard(h http.Header, k Kind, csp ...string) {
	for name := range pages {
		h.Del(name)
	}
	maps.Copy(h, ready[k])
	if len(csp) > 0 {
		h.Set("Content-Security-Policy", strings.Join(slices.Concat([]string{h.Get("Content-Security-Policy")}, csp), "; "))
	}
}

// twoYears is how long browsers insist on HTTPS once they have seen us on it.
// Other names of the domain are not ours to speak for.
const twoYears = "max-age=63072000"
