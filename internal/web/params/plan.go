package params

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"lectern/internal/ground/clock"
)

// Names under which a struct asks for every file of a request, and for its body as it
// came.
const (
	allFiles  = "*files"
	wholeBody = "*body"
)

// Field is one declared input, for whoever describes an endpoint.
type Field struct {
	Name     string       // without the brackets of what it stands in
	In       string       // "path", "header", "param", "file" or "body"
	Type     reflect.Type // as declared
	Elem     reflect.Type // Type without pointer, Opt and JSON around it
	Required bool
	Doc      string
	Enum     []string
	Clears   bool // in an update null empties what it is for; elsewhere null says nothing

	seen bool // its members are what the caller saw, so that no fault is about them

	index  []int
	set    setter
	bare   *plan  // of a field that is a struct
	unless string // the parameter beside it without which it is required
	text   string // which characters a text may hold; see setString
	json   bool   // the field is a JSON
}

// JSON tells whether a form sends the field as JSON text.
func (f Field) JSON() bool { return f.json }

// Fields lists the inputs the struct type t declares, embedded structs
// flattened, in order of declaration. Members of a nested struct are had by
// asking for its Elem. It panics where the declaration is wrong: an unknown
// type, a name twice.
func Fields(t reflect.Type) []Field {
	return slices.Clone(planOf(t).fields)
}

// plan is how a struct type is filled.
type plan struct{ fields []Field }

// plans holds the finished plan of every struct type seen, so that reflection
// over tags happens once.
var plans sync.Map // reflect.Type to *plan

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	b := builder{}
	p := b.plan(t)
	plans.Store(t, p)
	return p
}

// builder makes plans; its map lets a type hold a list of itself.
type builder map[reflect.Type]*plan

func (b builder) plan(t reflect.Type) *plan {
	if p, ok := b[t]; ok {
		return p
	}
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("params: %v is not a struct", t))
	}
	p := &plan{}
	b[t] = p
	b.collect(p, t, nil)
	return p
}

// collect adds the fields of t, which is reached by index, to p.
func (b builder) collect(p *plan, t reflect.Type, index []int) {
	for sf := range t.Fields() {
		at := append(slices.Clone(index), sf.Index...)
		name, opts, isParam := cutTag(sf, "param")
		path, _, isPath := cutTag(sf, "path")
		header, _, isHeader := cutTag(sf, "header")
		tags := count(isParam, isPath, isHeader)
		switch {
		case sf.Anonymous && tags == 0 && sf.Type.Kind() == reflect.Struct:
			b.collect(p, sf.Type, at)
			continue
		case tags == 0:
			continue
		case tags > 1, !sf.IsExported(), opts != "" && opts != "required":
			panic(fmt.Sprintf("params: wrong declaration of %v.%s", t, sf.Name))
		}
		f := Field{Name: name, In: "param", Type: sf.Type, Required: opts == "required",
			Doc: sf.Tag.Get("doc"), index: at, unless: sf.Tag.Get("unless"), text: sf.Tag.Get("text"),
			Clears: sf.Tag.Get("null") == "clears", seen: sf.Tag.Get("faults") == "none"}
		if enum, ok := sf.Tag.Lookup("enum"); ok {
			f.Enum = choices(enum, sf.Type)
		}
		if isPath {
			f.Name, f.In, f.Required = path, "path", true
		}
		if isHeader {
			f.Name, f.In = header, "header"
		}
		if slices.ContainsFunc(p.fields, func(g Field) bool { return g.Name == f.Name && g.In == f.In }) {
			panic(fmt.Sprintf("params: %v declares %s twice", t, f.Name))
		}
		b.complete(&f)
		p.fields = append(p.fields, f)
	}
}

// choices reads an enum tag: the texts that a parameter may have, by commas, or
// nothing where its type gives them with a method Enum.
func choices(tag string, t reflect.Type) []string {
	if e, ok := reflect.Zero(bare(t)).Interface().(interface{ Enum() []string }); ok && tag == "" {
		return e.Enum()
	}
	return strings.Split(tag, ",")
}

func count(flags ...bool) (n int) {
	for _, f := range flags {
		if f {
			n++
		}
	}
	return n
}

func cutTag(sf reflect.StructField, key string) (name, opts string, ok bool) {
	tag, ok := sf.Tag.Lookup(key)
	name, opts, _ = strings.Cut(tag, ",")
	return name, opts, ok && name != ""
}

var (
	timeType    = reflect.TypeFor[time.Time]()
	instantType = reflect.TypeFor[clock.Time]()
	dateType    = reflect.TypeFor[clock.Date]()
	uploadType  = reflect.TypeFor[*Upload]()
	uploadsType = reflect.TypeFor[[]*Upload]()
	filesType   = reflect.TypeFor[map[string]*Upload]()
	bodyType    = reflect.TypeFor[Body]()
)

// complete fills in how a field is set and what its type comes down to.
func (b builder) complete(f *Field) {
	f.Elem = bare(f.Type)
	switch {
	case f.In == "path":
		if k := f.Type.Kind(); k != reflect.Int64 && k != reflect.Int && k != reflect.String {
			panic(fmt.Sprintf("params: path value %s cannot be a %v", f.Name, f.Type))
		}
		return
	case f.In == "header":
		if f.Type.Kind() != reflect.String {
			panic(fmt.Sprintf("params: header %s cannot be a %v", f.Name, f.Type))
		}
		return
	case f.Name == allFiles:
		if f.Type != filesType {
			panic(fmt.Sprintf("params: %s must be a %v", allFiles, filesType))
		}
		f.In = "file"
		return
	case f.Name == wholeBody:
		if f.Type != bodyType {
			panic(fmt.Sprintf("params: %s must be a %v", wholeBody, bodyType))
		}
		f.In = "body"
		return
	case f.Type == uploadType, f.Type == uploadsType:
		f.In, f.Elem = "file", f.Type
	}
	if f.Enum != nil && !holdsText(f.Elem) {
		panic(fmt.Sprintf("params: enum on %s, a %v", f.Name, f.Type))
	}
	f.set, f.json = b.setter(f.Type, f.Enum, f.text), wrapperOf(f.Type) == wrapJSON
	if isStruct(f.Elem) {
		f.bare = b.plan(f.Elem)
	}
}

func holdsText(t reflect.Type) bool {
	return t.Kind() == reflect.String || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String
}

// bare takes pointer, Opt and JSON off a type.
func bare(t reflect.Type) reflect.Type {
	for {
		switch {
		case wrapperOf(t) != 0:
			t = t.Field(0).Type
		case t.Kind() == reflect.Pointer && t != uploadType:
			t = t.Elem()
		default:
			return t
		}
	}
}

func wrapperOf(t reflect.Type) wrapper {
	if t.Kind() != reflect.Struct || !t.Implements(wrapperType) {
		return 0
	}
	return reflect.Zero(t).Interface().(interface{ wraps() wrapper }).wraps()
}

// isStruct tells a struct of named members from the structs that are scalars
// or wrappers.
func isStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t != timeType && t != instantType && t != dateType && wrapperOf(t) == 0
}

// setter is how a value of one type is set. It is never called with an absent
// node.
type setter func(d *decoding, v reflect.Value, n *node)

func (b builder) setter(t reflect.Type, enum []string, text string) setter {
	switch {
	case t == uploadType:
		return setUpload
	case t == uploadsType:
		return setUploads
	case t == rawType:
		return setRaw
	case t == timeType:
		return scalar(setTime)
	case t == instantType:
		return scalar(setInstant)
	case t == dateType:
		return scalar(setDate)
	case wrapperOf(t) == wrapOpt:
		return setOpt(b.setter(t.Field(0).Type, enum, text), t.Field(0).Type)
	case wrapperOf(t) == wrapJSON:
		return setJSON(b.setter(t.Field(0).Type, enum, text))
	}
	switch t.Kind() {
	case reflect.Pointer:
		return setPointer(b.setter(t.Elem(), enum, text), t.Elem())
	case reflect.Struct:
		return setStruct(b.plan(t))
	case reflect.Slice:
		return setSlice(b.setter(t.Elem(), enum, text), t)
	case reflect.String:
		return scalar(setString(enum, text))
	case reflect.Bool:
		return scalar(setBool)
	case reflect.Int, reflect.Int64, reflect.Int32:
		return scalar(setInt)
	case reflect.Float64:
		return scalar(setFloat)
	}
	panic(fmt.Sprintf("params: a parameter cannot be a %v", t))
}
