// Package params reads the parameters of a request, whatever encoding they
// came in, and decodes them into one Go struct.
//
// The query string, a urlencoded body, a multipart body and a JSON body all
// become the same tree: unit[name]=x is {"unit":{"name":"x"}}. A handler
// declares its inputs once, and need not know how they travelled:
//
//	type input struct {
//		UnitID int64 `path:"unit_id"`
//		Unit   struct {
//			Name  string           `param:"name,required"`
//			Start params.Opt[clock.Date] `param:"start_date"`
//		} `param:"unit,required"`
//		Sheet *params.Upload `param:"file"`
//	}
//
// A string tagged header:"Idempotency-Key" takes the value of that header, and
// stays empty where the request has none.
//
// A field of type Body, named "*body", takes the bytes of the body as they came,
// where Limits.Raw says that it is not to be parsed.
//
// A field tagged null:"clears" is one of an update that null empties, as the document says.
//
// A field tagged faults:"none" holds what the caller saw: a fault of the domain is never about its members,
// whose names other inputs may have.
//
// A field tagged unless:"other" is required where the parameter other, beside
// it, is absent or null.
//
// Every error the package returns is a *fault.Error in words for the caller.
package params

import (
	"net/http"
	"net/url"
	"reflect"
)

// Opt is a parameter for which absent, null and present differ, as they do in
// an update: absent leaves a value alone, null clears one that may be empty.
type Opt[T any] struct {
	V         T
	Set, Null bool
}

// Has tells whether there is a value.
func (o Opt[T]) Has() bool { return o.Set && !o.Null }

// Ptr is the value, nil when there is none.
func (o Opt[T]) Ptr() *T {
	if !o.Has() {
		return nil
	}
	return &o.V
}

// Or is the value, or def when there is none.
func (o Opt[T]) Or(def T) T {
	if !o.Has() {
		return def
	}
	return o.V
}

func (Opt[T]) wraps() wrapper { return wrapOpt }

// JSON is a parameter whose value may come as JSON text, the way forms send
// lists of objects (contributions='[{"project_id":1}]'), or as the value
// itself in a JSON body. T follows the same rules as any other field.
type JSON[T any] struct {
	V         T
	Set, Null bool
}

// Has tells whether there is a value.
func (j JSON[T]) Has() bool { return j.Set && !j.Null }

func (JSON[T]) wraps() wrapper { return wrapJSON }

// wrapper tells the generic holders of a value from other structs. Their
// fields are, in this order, V, Set and Null.
type wrapper uint8

const (
	wrapOpt wrapper = iota + 1
	wrapJSON
)

var wrapperType = reflect.TypeFor[interface{ wraps() wrapper }]()

// Body is the body of a request as it came.
type Body []byte

// Set is the parameters of one request. Close it when the request is done.
type Set struct {
	root    node // query and body in one tree
	query   node
	body    node
	header  http.Header
	uploads []*Upload
	room    account
	raw     Body   // the whole body, where it is not parsed
	partial bool   // beforeFiles is running: what is absent may still come
	bound   *int64 // how much more of files is kept while their right is not known; nil: all of them
	dropped bool   // more came
}

// KeepOnly is for beforeFiles, where what decides the right may still come after the files:
// no more than so many bytes of them are kept, and what comes beyond is read and dropped.
// It is asked again before the next file.
func (s *Set) KeepOnly(most int64) {
	if s.bound == nil {
		s.bound = &most
	}
}

// Dropped tells whether files were longer than KeepOnly lets them be, so that they are not whole.
func (s *Set) Dropped() bool { return s.dropped }

// Read gathers the parameters of r: the query, and the body in any of the
// encodings the package knows. Where both name a parameter the body wins.
//
// Files go to spool under random names. Before the first of them is read
// beforeFiles, which may be nil, is called once with what came ahead of it, so
// that rights can be checked before an upload is accepted; its error ends the
// reading. It is not called when no file comes, and again only after KeepOnly. Inside it Decode does not
// complain of absent parameters, since they may follow the files.
//
// After an error nothing is left in spool.
func Read(w http.ResponseWriter, r *http.Request, lim Limits, spool string, beforeFiles func(*Set) error) (*Set,
	error) {
	s := &Set{query: node{kind: isObject, form: true}, body: node{kind: isObject, form: true}, header: r.Header,
		room: account{spool: lim.Spool, sender: lim.Sender}}
	rd := reader{set: s, lim: lim.withDefaults(), spool: spool, beforeFiles: beforeFiles}
	done := false
	defer func() {
		if !done {
			s.Close()
		}
	}()
	if err := rd.read(w, r); err != nil {
		return nil, err
	}
	s.root = merge(s.query, s.body)
	done = true
	return s, nil
}

// Typed gives the texts of a form that came as the body, by their names.
func (s *Set) Typed() url.Values {
	out := url.Values{}
	for _, m := range s.body.kids {
		switch m.kind {
		case isText:
			out.Add(m.name, m.text)
		case isRepeat:
			for _, k := range m.kids {
				out.Add(m.name, k.text)
			}
		}
	}
	return out
}

// Has tells whether the request named the parameter, be it with null. The
// name may have brackets: unit[name].
func (s *Set) Has(name string) bool {
	steps, _, ok := split(name)
	if !ok {
		return false
	}
	n := &s.root
	for _, step := range steps {
		if n = n.member(step); n == nil {
			return false
		}
	}
	return true
}

// Close removes the files of the request. It may be called more than once;
// files that were moved away in the meantime are no error.
func (s *Set) Close() error {
	var first error
	for _, u := range s.uploads {
		if err := u.remove(); err != nil && first == nil {
			first = err
		}
	}
	s.uploads = nil
	s.room.giveBack()
	return first
}
