package params

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"strings"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
)

// Limits bound what one request may send. A zero JSON or Field means its
// default; a zero File means that the request takes no files.
type Limits struct {
	JSON  int64 // a JSON or urlencoded body, or all plain fields of a multipart one; 4 MB
	Field int64 // one plain form value; 2 MB
	File  int64 // one file
	Files int   // how many files; 20
	Total int64 // the whole body; enough for the others
	Raw   bool  // the body is not parsed, whatever it is: a Body takes it, of at most JSON bytes

	Spool  *Spool // the room all uploads share; none is bounded when nil
	Sender int64  // whose part of it the request takes
	// Accept refuses a file by the name of its part before any of it is stored;
	// all are taken when nil. It is asked after beforeFiles.
	Accept func(field string) error
}

func (l Limits) withDefaults() Limits {
	if l.JSON == 0 {
		l.JSON = 4 * bounds.MB
	}
	if l.Field == 0 {
		l.Field = 2 * bounds.MB
	}
	if l.Files == 0 {
		l.Files = 20
	}
	if l.Total == 0 {
		const headers = bounds.MB // of the parts
		l.Total = l.JSON + int64(l.Files)*l.File + headers
	}
	return l
}

// reader is the reading of one request.
type reader struct {
	set         *Set
	lim         Limits
	spool       string
	beforeFiles func(*Set) error
	tally       tally
	expect      int64 // length of the body if the caller tells it
	plain       int64 // bytes of plain multipart fields so far
}

func (rd *reader) read(w http.ResponseWriter, r *http.Request) error {
	if r.URL.RawQuery != "" {
		if err := rd.values(&rd.set.query, r.URL.RawQuery); err != nil {
			return err
		}
	}
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	if rd.lim.Raw {
		return rd.raw(w, r)
	}
	kind, args, err := contentType(r.Header)
	if err != nil {
		return unlessEmpty(r.Body, err)
	}
	limit := rd.lim.Total
	if kind != "multipart/form-data" {
		limit = min(limit, rd.lim.JSON)
	}
	if r.ContentLength > limit {
		return tooLarge("the body", limit)
	}
	rd.expect = r.ContentLength
	body := http.MaxBytesReader(w, r.Body, limit)
	switch kind {
	case "application/json", "text/json":
		return rd.json(body)
	case "application/x-www-form-urlencoded":
		return rd.urlencoded(body)
	}
	return rd.multipart(body, args["boundary"])
}

// raw keeps the body as it came.
func (rd *reader) raw(w http.ResponseWriter, r *http.Request) error {
	if r.ContentLength > rd.lim.JSON {
		return tooLarge("the body", rd.lim.JSON)
	}
	text, err := readText(http.MaxBytesReader(w, r.Body, rd.lim.JSON), r.ContentLength)
	rd.set.raw = Body(text)
	return err
}

// contentType is the media type of the body, an error when it is none the
// package can read.
func contentType(h http.Header) (string, map[string]string, error) {
	if e := h.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return "", nil, fault.New(fault.Unsupported, "the body must come without Content-Encoding")
	}
	kind, args, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		kind = ""
	}
	switch kind {
	case "application/json", "text/json", "application/x-www-form-urlencoded", "multipart/form-data":
	default:
		return "", nil, fault.New(fault.Unsupported,
			"the body must be application/json, application/x-www-form-urlencoded or multipart/form-data, and "+
				"Content-Type must say so")
	}
	switch strings.ToLower(args["charset"]) {
	case "", "utf-8", "utf8", "us-ascii":
		return kind, args, nil
	}
	return "", nil, fault.New(fault.Unsupported, "the body must be in UTF-8")
}

// unlessEmpty is err, nil when there is no body that err could be about.
func unlessEmpty(body io.Reader, err error) error {
	var one [1]byte
	n, readErr := io.ReadFull(body, one[:])
	if n == 0 && readErr == io.EOF {
		return nil
	}
	return err
}

func (rd *reader) json(body io.Reader) error {
	src, err := readText(body, rd.expect)
	if err != nil {
		return err
	}
	src = strings.TrimPrefix(src, "\ufeff")
	if strings.Trim(src, " \t\r\n") == "" {
		return nil
	}
	n, err := parseJSON(src, make(trail, 0, usualDepth))
	if err != nil {
		return err
	}
	if n.kind != isObject {
		return fault.New(fault.Invalid, "the body must be a JSON object")
	}
	rd.set.body = n
	return nil
}

func (rd *reader) urlencoded(body io.Reader) error {
	src, err := readText(body, rd.expect)
	if err != nil {
		return err
	}
	return rd.values(&rd.set.body, src)
}

// values adds a query string or an urlencoded body to the tree.
func (rd *reader) values(root *node, src string) error {
	for pair := range strings.SplitSeq(src, "&") {
		if pair == "" {
			continue
		}
		rawKey, rawValue, _ := strings.Cut(pair, "=")
		key, err := url.QueryUnescape(rawKey)
		if err != nil {
			return fault.Field(fault.Invalid, printable(rawKey), "has a wrong %% escape in its name")
		}
		value, err := url.QueryUnescape(rawValue)
		if err != nil {
			return fault.Field(fault.Invalid, printable(key), "has a wrong %% escape")
		}
		if err := rd.text(root, key, value); err != nil {
			return err
		}
	}
	return nil
}

// text adds one plain form value to the tree.
func (rd *reader) text(root *node, key, value string) error {
	if int64(len(value)) > rd.lim.Field {
		return tooLarge(printable(key), rd.lim.Field)
	}
	if err := checkStorable(key, value); err != nil {
		return err
	}
	return rd.tally.add(root, key, node{kind: isText, text: value})
}

func (rd *reader) multipart(body io.Reader, boundary string) error {
	in := bufio.NewReader(body)
	if _, err := in.Peek(1); err == io.EOF {
		return nil
	}
	if boundary == "" {
		return fault.New(fault.Invalid, "the Content-Type of a multipart body must name its boundary")
	}
	// multipart takes the end of its input among the headers of a part for the
	// end of the form, so the input ends in an error. The line break lets the
	// last boundary do without its own.
	parts := multipart.NewReader(io.MultiReader(in, strings.NewReader("\r\n"), cutOff{}), boundary)
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return broken(err, "the multipart body is malformed or ends too early")
		}
		if err := rd.part(part); err != nil {
			return err
		}
	}
}

// cutOff is what follows a body that should have ended before.
type cutOff struct{}

func (cutOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func (rd *reader) part(part *multipart.Part) error {
	_, args, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil || args["name"] == "" {
		return fault.New(fault.Invalid, "every part of a multipart body must have a name")
	}
	if name, isFile := args["filename"]; isFile {
		return rd.filePart(part, args["name"], name)
	}
	room := min(rd.lim.Field, rd.lim.JSON-rd.plain)
	value, err := readText(io.LimitReader(part, room+1), 0)
	if err != nil {
		return err
	}
	if int64(len(value)) > room {
		if room < rd.lim.Field {
			return tooLarge("the text of the form", rd.lim.JSON)
		}
		return tooLarge(printable(args["name"]), room)
	}
	rd.plain += int64(len(value))
	return rd.text(&rd.set.body, args["name"], value)
}

// readText reads all of in, with the caller's faults in the caller's words.
// What the caller says is to come is believed only up to a point.
func readText(in io.Reader, expect int64) (string, error) {
	var b bytes.Buffer
	b.Grow(int(min(max(expect, 0), 64<<10)) + bytes.MinRead)
	if _, err := b.ReadFrom(in); err != nil {
		return "", broken(err, "the body ends too early")
	}
	return b.String(), nil
}

// broken tells a body that is too large from one that cannot be read.
func broken(err error, text string) error {
	if over, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge("the body", over.Limit)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &fault.Error{Kind: fault.TooSlow, Text: "The upload was too slow and stopped. Send it again.", Err: err}
	}
	return &fault.Error{Kind: fault.Invalid, Text: text, Err: err}
}

func tooLarge(what string, limit int64) error {
	return fault.New(fault.TooLarge, "%s is larger than %s, which is the limit", what, bounds.SizeText(limit))
}
