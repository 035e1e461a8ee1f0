package params

import (
	"encoding/json"
	"reflect"
)

var rawType = reflect.TypeFor[json.RawMessage]()

// setRaw keeps a value as JSON text, for those who check its shape more
// strictly than a struct can: unknown members, say. Used inside JSON.
func setRaw(d *decoding, v reflect.Value, n *node) {
	if n.kind == isFile {
		d.flaw("must not be a file")
		return
	}
	v.SetBytes(n.encode(nil))
}

// encode appends the value as JSON.
func (n *node) encode(b []byte) []byte {
	switch n.kind {
	case isText, isString:
		s, _ := json.Marshal(n.text) // text always encodes
		return append(b, s...)
	case isNumber, isBool:
		return append(b, n.text...)
	case isList, isRepeat:
		return n.members(b, '[', ']')
	case isObject:
		return n.members(b, '{', '}')
	}
	return append(b, "null"...)
}

func (n *node) members(b []byte, open, end byte) []byte {
	b = append(b, open)
	for i := range n.kids {
		if i > 0 {
			b = append(b, ',')
		}
		if n.kind == isObject {
			name, _ := json.Marshal(n.kids[i].name)
			b = append(append(b, name...), ':')
		}
		b = n.kids[i].encode(b)
	}
	return append(b, end)
}
