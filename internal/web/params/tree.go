package params

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"lectern/internal/ground/fault"
)

// Bounds on what a form may hold. JSON has its own in json.go.
const (
	maxKeys   = 1000  // distinct names
	maxValues = 10000 // values, those of repeated names included
	maxSteps  = 5     // names in a bracketed name: a[b][c][d][e]
)

// kind is the shape of a value in the tree.
type kind uint8

const (
	isAbsent kind = iota
	isNull
	isText   // one value of a form; it may also stand for a list of one
	isString // a string of JSON
	isNumber // a number of JSON, as it was written
	isBool   // "true" or "false"
	isRepeat // a name a form gave more than once, without []
	isList
	isObject
	isFile
)

// node is one value of the tree that all encodings become.
type node struct {
	kind kind
	form bool     // it came from a form, where lists and null are told otherwise
	text string   // of the scalars
	kids []member // of isRepeat, isList and isObject
	file *Upload  // of isFile
}

// member is a value with its name, which is empty in a list.
type member struct {
	name string
	node
}

func (n *node) member(name string) *node {
	if n.kind != isObject {
		return nil
	}
	for i := range n.kids {
		if n.kids[i].name == name {
			return &n.kids[i].node
		}
	}
	return nil
}

// merge lays over on top of under: objects are joined, anything else replaced.
// Neither is changed.
func merge(under, over node) node {
	if under.kind != isObject || over.kind != isObject || len(under.kids) == 0 {
		return over
	}
	if len(over.kids) == 0 {
		return under
	}
	out := node{kind: isObject, form: under.form || over.form, kids: slices.Clone(over.kids)}
	at := make(map[string]int, len(out.kids))
	for i := range out.kids {
		at[out.kids[i].name] = i
	}
	for _, m := range under.kids {
		if i, both := at[m.name]; both {
			out.kids[i].node = merge(m.node, out.kids[i].node)
		} else {
			out.kids = append(out.kids, m)
		}
	}
	return out
}

// split breaks a[b][c][] into a, b, c, and tells whether a final [] says that
// the name is a list.
func split(key string) (steps []string, list, ok bool) {
	key, list = strings.CutSuffix(key, "[]")
	head, rest, more := strings.Cut(key, "[")
	if head == "" || strings.Contains(head, "]") {
		return nil, false, false
	}
	steps = append(make([]string, 0, maxSteps), head)
	for more {
		step, after, closed := strings.Cut(rest, "]")
		if !closed || step == "" || strings.Contains(step, "[") || len(steps) == maxSteps {
			return nil, false, false
		}
		steps = append(steps, step)
		if after == "" {
			break
		}
		if after[0] != '[' {
			return nil, false, false
		}
		rest = after[1:]
	}
	return steps, list, true
}

// tally counts what the forms of one request hold, query and body together.
type tally struct{ keys, values int }

// add puts one value of a form into the tree under root.
func (c *tally) add(root *node, key string, leaf node) error {
	if err := checkStorable(key, key); err != nil {
		return err
	}
	steps, list, ok := split(key)
	if !ok {
		return fault.Field(fault.Invalid, printable(key), "is not a valid parameter name; write name, name[part] or "+
			"name[], at most %d names deep", maxSteps)
	}
	if c.values++; c.values > maxValues {
		return fault.New(fault.Invalid, "the request holds more than %d values", maxValues)
	}
	n := root
	for _, step := range steps {
		if n = c.descend(n, step); n == nil {
			return clash(key)
		}
	}
	if c.keys > maxKeys {
		return fault.New(fault.Invalid, "the request holds more than %d parameters", maxKeys)
	}
	leaf.form = true
	if !n.put(leaf, list) {
		return clash(key)
	}
	return nil
}

// descend is the member of n with that name, made when there is none; nil when
// n already is something other than an object.
func (c *tally) descend(n *node, name string) *node {
	if n.kind == isAbsent {
		*n = node{kind: isObject, form: true}
	}
	if n.kind != isObject {
		return nil
	}
	if m := n.member(name); m != nil {
		return m
	}
	c.keys++
	n.kids = append(n.kids, member{name: name})
	return &n.kids[len(n.kids)-1].node
}

// put sets the value a form names, or adds one more to it. It reports false
// when the name already stands for something of another shape.
func (n *node) put(leaf node, list bool) bool {
	switch {
	case n.kind == isAbsent && list:
		*n = node{kind: isList, form: true, kids: []member{{node: leaf}}}
	case n.kind == isAbsent:
		*n = leaf
	case n.kind == isList && list, n.kind == isRepeat && !list && n.kids[0].kind == leaf.kind:
		n.kids = append(n.kids, member{node: leaf})
	case n.kind == leaf.kind && !list:
		*n = node{kind: isRepeat, form: true, kids: []member{{node: *n}, {node: leaf}}}
	default:
		return false
	}
	return true
}

func clash(key string) error {
	return fault.Field(fault.Invalid, printable(key), "is given twice in ways that contradict each other")
}

// checkStorable refuses text no database column could hold.
func checkStorable(name, s string) error {
	if !utf8.ValidString(s) {
		return fault.Field(fault.Invalid, printable(name), "must be valid UTF-8")
	}
	if strings.IndexByte(s, 0) >= 0 {
		return fault.Field(fault.Invalid, printable(name), "must not hold a NUL character")
	}
	return nil
}

// printable makes a name the caller chose fit to be shown in an answer.
func printable(name string) string {
	const most = 100
	if len(name) > most {
		name = name[:most] + "..."
	}
	if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.QuoteToASCII(name)
	}
	return name
}
