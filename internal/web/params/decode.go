package params

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
)

// Decode fills dst, a pointer to a struct, from the parameters and, by way of
// path, from the values in the request's path. Fields without a parameter keep
// what they hold, so defaults are set beforehand.
//
// A path value that is no number where one is asked is fault.Missing. Everything
// wrong with the parameters is told in one fault.Invalid, each under its name.
func (s *Set) Decode(dst any, path func(name string) string) error {
	v := reflect.ValueOf(dst).Elem()
	d := decoding{set: s, path: path, trail: make(trail, 0, usualDepth)}
	d.fill(planOf(v.Type()), v, &s.root)
	if d.lost != nil {
		return d.lost
	}
	return d.err()
}

// maxFlaws bounds an answer; whoever sends a hundred wrong values knows enough.
const maxFlaws = 100

// decoding is one call of Decode.
type decoding struct {
	set   *Set
	path  func(string) string
	trail trail
	flaws []flaw
	lost  error // a path value that leads nowhere; it comes before all flaws
}

type flaw struct{ name, reason string }

// trail is where in the tree the decoding is.
type trail []step

// usualDepth is room for the trail of almost every request.
const usualDepth = 8

// step is a name, or where that is empty an index.
type step struct {
	name  string
	index int
}

// String writes the trail the way forms name it: unit[name], x[0][a].
func (t trail) String() string {
	var b strings.Builder
	for i, s := range t {
		name := s.name
		if name == "" {
			name = strconv.Itoa(s.index)
		}
		if i > 0 {
			name = "[" + name + "]"
		}
		b.WriteString(name)
	}
	return b.String()
}

func (d *decoding) push(s step) { d.trail = append(d.trail, s) }
func (d *decoding) pop()        { d.trail = d.trail[:len(d.trail)-1] }

// flaw notes what is wrong with the value the decoding is at.
func (d *decoding) flaw(reason string) {
	if len(d.flaws) < maxFlaws {
		d.add(flaw{d.trail.String(), reason})
	}
}

func (d *decoding) add(f flaw) {
	if len(d.flaws) < maxFlaws {
		d.flaws = append(d.flaws, f)
	}
}

// take makes a flaw of what is wrong with a JSON text.
func (d *decoding) take(err error) {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || len(e.Fields) == 0 {
		d.flaw("cannot be used: " + err.Error())
		return
	}
	for name, reason := range e.Fields {
		d.add(flaw{name, reason})
	}
}

func (d *decoding) err() error {
	if len(d.flaws) == 0 {
		return nil
	}
	texts := make([]string, len(d.flaws))
	fields := make(map[string]string, len(d.flaws))
	for i, f := range d.flaws {
		texts[i] = f.name + " " + f.reason
		fields[f.name] = f.reason
	}
	return &fault.Error{Kind: fault.Invalid, Text: strings.Join(texts, ". "), Fields: fields}
}

// fill sets the fields of one struct from one object.
func (d *decoding) fill(p *plan, v reflect.Value, n *node) {
	for i := range p.fields {
		f := &p.fields[i]
		field := v.FieldByIndex(f.index)
		switch {
		case f.In == "path":
			d.fromPath(f, field)
		case f.In == "header":
			d.fromHeader(f, field)
		case f.Name == allFiles:
			d.allFiles(f, field)
		case f.In == "body":
			field.SetBytes(d.set.raw)
		default:
			d.push(step{name: f.Name})
			d.field(f, field, n.member(f.Name), f.needed(n))
			d.pop()
		}
	}
}

// needed tells whether the object n must hold the field.
func (f *Field) needed(n *node) bool {
	if f.unless == "" {
		return f.Required
	}
	other := n.member(f.unless)
	return other == nil || other.kind == isNull
}

func (d *decoding) field(f *Field, v reflect.Value, n *node, needed bool) {
	if n == nil {
		if needed && !d.set.partial {
			d.missing(f)
		}
		return
	}
	if needed && isNullFor(f.Elem, n) {
		d.missing(f)
		return
	}
	f.set(d, v, n)
	if f.Required && f.json && v.Field(2).Bool() {
		d.missing(f) // the text was JSON's null
	}
}

// missing names a required field that is not there; of a struct, the members
// that had to be there.
func (d *decoding) missing(f *Field) {
	before := len(d.flaws)
	if f.bare != nil && len(d.trail) < maxDepth {
		for i := range f.bare.fields {
			if m := &f.bare.fields[i]; m.Required && m.In != "path" {
				d.push(step{name: m.Name})
				d.missing(m)
				d.pop()
			}
		}
	}
	if len(d.flaws) == before {
		d.flaw("is required")
	}
}

// isNullFor tells whether n is null where a t is asked: for anything but text
// an empty string is.
func isNullFor(t reflect.Type, n *node) bool {
	switch n.kind {
	case isNull:
		return true
	case isText, isString:
		return n.text == "" && t.Kind() != reflect.String
	case isRepeat:
		return isNullFor(t, &n.kids[len(n.kids)-1].node) && t.Kind() != reflect.Slice
	}
	return false
}

func (d *decoding) fromPath(f *Field, v reflect.Value) {
	var text string
	if d.path != nil {
		text = d.path(f.Name)
	}
	switch {
	case v.Kind() == reflect.String && checkStorable(f.Name, text) == nil:
		v.SetString(text)
		return
	case v.Kind() != reflect.String:
		if n, flaw := parseInt(text, v.Type().Bits()); flaw == "" {
			v.SetInt(n)
			return
		}
	}
	d.lost = fault.New(fault.Missing, "there is nothing at %s %s", f.Name, printable(text))
}

// fromHeader takes the value of a header; several of one name are a mistake, as
// nobody could tell which counts.
func (d *decoding) fromHeader(f *Field, v reflect.Value) {
	values := d.set.header.Values(f.Name)
	switch {
	case len(values) == 0:
	case len(values) > 1:
		d.add(flaw{f.Name, "must be sent once"})
	case checkStorable(f.Name, values[0]) != nil:
		d.add(flaw{f.Name, "must be plain text"})
	default:
		v.SetString(values[0])
	}
}

// allFiles gives a field every file of the request by the name of its part.
func (d *decoding) allFiles(f *Field, v reflect.Value) {
	files := make(map[string]*Upload, len(d.set.uploads))
	for _, u := range d.set.uploads {
		if files[u.Field] != nil {
			d.push(step{name: printable(u.Field)})
			d.flaw("must be a single file")
			d.pop()
		}
		files[u.Field] = u
	}
	v.Set(reflect.ValueOf(files))
	if len(files) == 0 && f.Required && !d.set.partial {
		d.push(step{name: "file"})
		d.flaw("is required")
		d.pop()
	}
}

func setStruct(p *plan) setter {
	return func(d *decoding, v reflect.Value, n *node) {
		switch {
		case isNullFor(v.Type(), n):
		case n.kind != isObject:
			d.flaw("must be an object")
		default:
			d.fill(p, v, n)
		}
	}
}

func setPointer(set setter, elem reflect.Type) setter {
	inner := bare(elem)
	return func(d *decoding, v reflect.Value, n *node) {
		if isNullFor(inner, n) {
			v.SetZero()
			return
		}
		p := reflect.New(elem)
		set(d, p.Elem(), n)
		v.Set(p)
	}
}

func setOpt(set setter, elem reflect.Type) setter {
	inner := bare(elem)
	return func(d *decoding, v reflect.Value, n *node) {
		v.Field(1).SetBool(true)
		if isNullFor(inner, n) {
			v.Field(2).SetBool(true)
			return
		}
		set(d, v.Field(0), n)
	}
}

func setJSON(set setter) setter {
	return func(d *decoding, v reflect.Value, n *node) {
		n = last(n)
		v.Field(1).SetBool(true)
		if n.kind == isText || n.kind == isString {
			parsed, ok := d.parse(n.text)
			if !ok {
				return
			}
			n = &parsed
		}
		if n.kind == isNull {
			v.Field(2).SetBool(true)
			return
		}
		set(d, v.Field(0), n)
	}
}

// parse reads JSON text that stands where the decoding is; empty text is null.
func (d *decoding) parse(text string) (node, bool) {
	if strings.Trim(text, " \t\r\n") == "" {
		return node{kind: isNull}, true
	}
	n, err := parseJSON(text, slices.Clone(d.trail))
	if err == nil {
		return n, true
	}
	d.take(err)
	return node{}, false
}

func setSlice(set setter, t reflect.Type) setter {
	inner, nullable := bare(t.Elem()), bare(t.Elem()) != t.Elem()
	return func(d *decoding, v reflect.Value, n *node) {
		if isNullFor(t, n) {
			v.SetZero()
			return
		}
		items, ok := elements(n, inner)
		if !ok {
			d.flaw("must be a list")
			return
		}
		out := reflect.MakeSlice(t, len(items), len(items))
		for i := range items {
			d.push(step{name: items[i].name, index: i})
			if !nullable && isNullFor(inner, &items[i].node) {
				d.flaw("must not be null")
			} else {
				set(d, out.Index(i), &items[i].node)
			}
			d.pop()
		}
		v.Set(out)
	}
}

// elements is n as a list of values of type t. In a form a single value is a
// list of one, a lone empty one (x[]=) the empty list, and other empty ones,
// which the hidden fields of forms leave behind, count only as text.
func elements(n *node, t reflect.Type) ([]member, bool) {
	switch {
	case n.kind == isList && !n.form:
		return n.kids, true
	case n.kind == isText || n.kind == isFile:
		return []member{{node: *n}}, true
	case n.kind == isObject && n.form:
		return numbered(n.kids)
	case n.kind != isList && n.kind != isRepeat:
		return nil, false
	}
	kids := n.kids
	if t.Kind() == reflect.String && len(kids) > 1 {
		return kids, true
	}
	blank := func(m member) bool { return m.kind == isText && m.text == "" }
	if slices.ContainsFunc(kids, blank) {
		kids = slices.DeleteFunc(slices.Clone(kids), blank)
	}
	return kids, true
}

// numbered puts x[0], x[1] in the order of their indices, which may have gaps.
func numbered(kids []member) ([]member, bool) {
	type at struct {
		index int
		member
	}
	order := make([]at, len(kids))
	for i, m := range kids {
		index, err := strconv.Atoi(m.name)
		if err != nil || index < 0 || strconv.Itoa(index) != m.name {
			return nil, false
		}
		order[i] = at{index, m}
	}
	slices.SortFunc(order, func(a, b at) int { return a.index - b.index })
	out := make([]member, len(order))
	for i := range order {
		out[i] = order[i].member
	}
	return out, true
}

func setUpload(d *decoding, v reflect.Value, n *node) {
	switch {
	case n.kind == isRepeat && n.kids[0].kind == isFile, n.kind == isList:
		d.flaw("must be a single file")
	case n.kind == isFile:
		v.Set(reflect.ValueOf(n.file))
	case !isNullFor(uploadType, n):
		d.flaw("must be a file")
	}
}

func setUploads(d *decoding, v reflect.Value, n *node) {
	if isNullFor(uploadsType, n) {
		return
	}
	items, ok := elements(n, uploadType)
	files := make([]*Upload, 0, len(items))
	for _, m := range items {
		if m.kind != isFile {
			ok = false
			break
		}
		files = append(files, m.file)
	}
	if !ok {
		d.flaw("must be one or more files")
		return
	}
	v.Set(reflect.ValueOf(files))
}
