// Package canonical writes JSON in the one form that is hashed and signed.
package canonical

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// JSON writes a JSON value in the one form that is signed: RFC 8785 for
// values whose keys are ASCII and whose numbers are whole and below 2^53 either
// way of zero. Within these bounds the order of keys by bytes is that by UTF-16
// units, and every number is exact as a double, as the RFC demands. It fails on
// other keys and numbers, and on what follows the value.
func JSON(data []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is text after the JSON value")
	}
	var b bytes.Buffer
	err := write(&b, v)
	return b.Bytes(), err
}

func write(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case string:
		writeString(b, v)
	case json.Number:
		n, err := strconv.ParseInt(v.String(), 10, 64)
		if err != nil || n <= -1<<53 || n >= 1<<53 {
			return fmt.Errorf("%s is not a whole number below 2^53", v)
		}
		b.WriteString(strconv.FormatInt(n, 10))
	case []any:
		return writeEach(b, '[', ']', len(v), func(i int) error { return write(b, v[i]) })
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		return writeEach(b, '{', '}', len(keys), func(i int) error {
			if strings.ContainsFunc(keys[i], func(r rune) bool { return r > unicode.MaxASCII }) {
				return fmt.Errorf("the key %.60q is not ASCII", keys[i])
			}
			writeString(b, keys[i])
			b.WriteByte(':')
			return write(b, v[keys[i]])
		})
	}
	return nil
}

func writeEach(b *bytes.Buffer, from, to byte, n int, one func(int) error) error {
	b.WriteByte(from)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := one(i); err != nil {
			return err
		}
	}
	b.WriteByte(to)
	return nil
}

const shortEscapes = "\b\t\n\f\r\"\\"

// writeString escapes only what JSON forbids to stand as it is.
func writeString(b *bytes.Buffer, s string) {
	b.WriteByte('"')
	for _, r := range s {
		switch i := strings.IndexRune(shortEscapes, r); {
		case i >= 0:
			b.WriteByte('\\')
			b.WriteByte("btnfr\"\\"[i])
		case r < 0x20:
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}
