package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"lectern/internal/web/httpserver"
)

// NoContent is the answer of an endpoint that has nothing to say.
type NoContent struct{}

// Redirect sends a browser on to another address, to be read (303). It is for
// endpoints that browsers come to by themselves, at the end of a sign-in elsewhere.
type Redirect struct {
	To      string
	Cookies []*http.Cookie
	Forget  bool // what our pages kept in the browser
}

// Draw implements Drawing.
func (v Redirect) Draw(w http.ResponseWriter, _ *http.Request, _ int) {
	for _, c := range v.Cookies {
		http.SetCookie(w, c)
	}
	if v.Forget {
		w.Header().Set("Clear-Site-Data", `"cache", "storage"`)
	}
	w.Header().Set("Location", v.To)
	w.WriteHeader(http.StatusSeeOther)
}

// Drawing is an answer that draws itself, as a page does; status is the one its
// declaration has.
type Drawing interface {
	Draw(w http.ResponseWriter, r *http.Request, status int)
}

// Null is the answer null.
type Null struct{}

// MarshalJSON writes null.
func (Null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// SentOn is an answer for programs, in place of which a browser is sent on where On
// is set. The handler knows which of them asks; see FromForm.
type SentOn[T any] struct {
	Data T
	On   *Redirect
}

func (o SentOn[T]) chosen() any {
	if o.On != nil {
		return *o.On
	}
	return o.Data
}

func (o SentOn[T]) data() reflect.Type { return reflect.TypeFor[T]() }

type sentOn interface {
	chosen() any
	data() reflect.Type
}

// Text is a plain sentence; where the caller asks for JSON, an object with the
// sentence in its member message.
type Text struct {
	Message string
	ID      int64 // of what it is about, for Location
}

// TextOf is a Text about a record, which stands around the message in JSON.
type TextOf[T any] struct {
	Text
	Record T
}

func (t Text) said() (Text, any)       { return t, nil }
func (t TextOf[T]) said() (Text, any)  { return t.Text, t.Record }
func (Text) record() reflect.Type      { return nil }
func (TextOf[T]) record() reflect.Type { return reflect.TypeFor[T]() }

type text interface {
	said() (Text, any)
	record() reflect.Type
}

// HTML is a page that somebody else wrote, in which nothing may run: as HTML, or as a
// string where the caller's Accept names JSON. Without a page it is null.
type HTML struct{ Page *string }

// Draw implements Drawing.
func (h HTML) Draw(w http.ResponseWriter, r *http.Request, status int) {
	w.Header().Add("Vary", "Accept")
	if h.Page == nil || httpserver.Names(r, "application/json") {
		httpserver.JSON(w, status, h.Page)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	httpserver.Write(w, []byte(*h.Page)) //nolint:errcheck // the client left
}

// Event is a part of a stream of server-sent events; see Live.
type Event struct {
	ID   int64
	Name string
	Data any
}

// Live is an answer that goes on: server-sent events until the client leaves.
type Live iter.Seq2[Event, error]

// Picture is an SVG of our own making, which a browser may show. It is never
// one that somebody uploaded.
type Picture []byte

// Drawn is an answer with a picture of it: the data as JSON, or the picture
// where the caller's Accept names image/svg+xml.
type Drawn[T any] struct {
	Data T
	Draw func() Picture
}

const svg = "image/svg+xml"

func (d Drawn[T]) pick(r *http.Request) any {
	if httpserver.Names(r, svg) {
		return d.Draw()
	}
	return d.Data
}

func (d Drawn[T]) data() reflect.Type { return reflect.TypeFor[T]() }

type drawn interface {
	pick(r *http.Request) any
	data() reflect.Type
}

// List is a list too long to hold: rows come in batches, each from a query of
// its own, so that a slow reader holds neither a connection nor memory.
type List[T any] struct {
	Total int64 // for X-Total-Count; -1: not asked
	Rows  iter.Seq2[T, error]
}

// Tabled is a list that can also be had as a sheet: where CSV says so, or the
// caller's Accept names text/csv.
type Tabled[T any] struct {
	List[T]
	CSV   bool
	Sheet func() (*File, error)
}

func (t Tabled[T]) pick(r *http.Request) (any, error) {
	if t.CSV || httpserver.Names(r, "text/csv") {
		return t.Sheet()
	}
	return t.List, nil
}

type tabled interface {
	pick(r *http.Request) (any, error)
}

// Listed makes a List of rows already read.
func Listed[T any](rows []T, total int64) List[T] {
	return List[T]{Total: total, Rows: func(yield func(T, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}}
}

func (l List[T]) stream(s *Server, w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if l.Total >= 0 {
		h.Set("X-Total-Count", strconv.FormatInt(l.Total, 10))
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	started := false
	if err := s.bulk.take(r.Context()); err != nil {
		return errGone
	}
	defer s.bulk.release()
	for row, err := range l.Rows {
		if err != nil {
			return s.broken(started, err)
		}
		b.WriteByte(map[bool]byte{false: '[', true: ','}[started || b.Len() > 0])
		if err := enc.Encode(row); err != nil {
			return s.broken(started, err)
		}
		if b.Len() >= 32<<10 {
			started = true
			if err := s.bulk.outside(func() error { return httpserver.Write(w, b.Bytes()) }); err != nil {
				return errGone
			}
			b.Reset()
		}
	}
	if !started && b.Len() == 0 {
		b.WriteByte('[')
	}
	b.WriteString("]\n")
	if err := s.bulk.outside(func() error { return httpserver.Write(w, b.Bytes()) }); err != nil {
		return errGone
	}
	return nil
}

func (l List[T]) element() reflect.Type { return reflect.TypeFor[T]() }

type streamer interface {
	stream(s *Server, w http.ResponseWriter, r *http.Request) error
	element() reflect.Type
}

// errGone means that the client left, or that the answer broke off after its
// first bytes: there is nobody to tell.
var errGone = errors.New("the answer was cut short")

func (s *Server) broken(started bool, err error) error {
	if !started {
		return err
	}
	s.HTTP.Log.Error("a list broke off", "err", err)
	// Closing the connection tells the client that the list is not whole.
	panic(http.ErrAbortHandler)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, i *Info, out any) {
	if i.location != "" {
		w.Header().Set("Location", fill(i.location, r, out))
	}
	switch v := out.(type) {
	case NoContent:
		w.WriteHeader(i.Status)
	case sentOn:
		w.Header().Add("Vary", "Accept")
		s.answer(w, r, i, v.chosen())
	case Drawing:
		w, done := httpserver.CompressPage(w, r)
		v.Draw(w, r, i.Status)
		done()
	case text:
		t, record := v.said()
		sendText(w, r, i.Status, t, record)
	case *File:
		s.sendFile(w, r, i.Status, v)
	case Live:
		s.sendLive(w, r, v)
	case Picture:
		w, done := httpserver.Compress(w, r)
		sendPicture(w, i.Status, v)
		done()
	case drawn:
		w.Header().Add("Vary", "Accept")
		s.answer(w, r, i, v.pick(r))
	case tabled:
		w.Header().Add("Vary", "Accept")
		chosen, err := v.pick(r)
		if err != nil {
			s.HTTP.Fail(w, r, err)
			return
		}
		s.answer(w, r, i, chosen)
	case streamer:
		w, done := s.compress(w, r, i)
		if err := v.stream(s, w, r); err != nil && !errors.Is(err, errGone) {
			s.HTTP.Fail(w, r, err)
		}
		done()
	default:
		w, done := s.compress(w, r, i)
		httpserver.JSON(w, i.Status, out)
		done()
	}
}

// compress leaves to who holds an answer that is polled.
func (s *Server) compress(w http.ResponseWriter, r *http.Request, i *Info) (http.ResponseWriter, func()) {
	if i.polled {
		return w, func() {}
	}
	return httpserver.Compress(w, r)
}

// sendText answers with a sentence. A 204 has no body, whatever there is to say.
func sendText(w http.ResponseWriter, r *http.Request, status int, t Text, about any) {
	if status == http.StatusNoContent {
		w.WriteHeader(status)
		return
	}
	if !httpserver.Names(r, "application/json") {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		io.WriteString(w, t.Message+"\n") //nolint:errcheck // the client left
		return
	}
	record := map[string]any{}
	if about != nil {
		b, err := json.Marshal(about)
		if err == nil {
			err = json.Unmarshal(b, &record)
		}
		if err != nil {
			// A record that is no object is our mistake, and loud.
			panic(fmt.Sprintf("endpoint: %T is no record: %v", about, err))
		}
	}
	record["message"] = t.Message
	httpserver.JSON(w, status, record)
}

// sendPicture lets nothing in the picture run or load, should it ever be opened
// as a page.
func sendPicture(w http.ResponseWriter, status int, p Picture) {
	h := w.Header()
	h.Set("Content-Type", svg)
	httpserver.Guard(h, httpserver.Picture)
	w.WriteHeader(status)
	httpserver.Write(w, p) //nolint:errcheck // the client left
}

func (s *Server) sendLive(w http.ResponseWriter, r *http.Request, live Live) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	c := http.NewResponseController(w)
	_ = c.Flush()
	for e, err := range live {
		if err != nil {
			if r.Context().Err() == nil {
				s.HTTP.Log.ErrorContext(r.Context(), "events broke off", "err", err)
			}
			return
		}
		if httpserver.Write(w, e.bytes()) != nil || c.Flush() != nil {
			return
		}
	}
}

// bytes gives the wire form; an event without a name is a heartbeat.
func (e Event) bytes() []byte {
	if e.Name == "" {
		return []byte(": still here\n\n")
	}
	data, err := json.Marshal(e.Data)
	if err != nil {
		panic(fmt.Sprintf("endpoint: %T does not encode: %v", e.Data, err))
	}
	return fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %s\n\n", e.ID, e.Name, data)
}

// fill puts values into a location's template.
func fill(template string, r *http.Request, out any) string {
	var b strings.Builder
	for {
		head, rest, found := strings.Cut(template, "{")
		b.WriteString(head)
		if !found {
			return b.String()
		}
		name, tail, _ := strings.Cut(rest, "}")
		if field, ok := strings.CutPrefix(name, "."); ok {
			b.WriteString(member(out, field))
		} else {
			b.WriteString(url.PathEscape(r.PathValue(name)))
		}
		template = tail
	}
}

// member gives the value of the field whose json name is name.
func member(out any, name string) string {
	if t, ok := out.(text); ok {
		said, _ := t.said()
		return strconv.FormatInt(said.ID, 10)
	}
	v := reflect.Indirect(reflect.ValueOf(out))
	for _, f := range reflect.VisibleFields(v.Type()) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
			return url.PathEscape(fmt.Sprint(v.FieldByIndex(f.Index).Interface()))
		}
	}
	panic("endpoint: " + v.Type().String() + " has no member " + name)
}
