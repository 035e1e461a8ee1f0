package pdf

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// objectWriter writes a PDF object by object, in the order it is told, so that
// the same input gives the same bytes and no more than one object is in memory.
type objectWriter struct {
	w       *bufio.Writer
	sum     hash.Hash
	at      int64
	offsets []int64 // by object number; 0 where not yet written
	err     error
}

func newObjectWriter(w io.Writer) *objectWriter {
	o := &objectWriter{w: bufio.NewWriterSize(w, 64<<10), sum: sha256.New(), offsets: []int64{0}}
	o.raw([]byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"))
	return o
}

func (o *objectWriter) raw(b []byte) {
	if o.err != nil {
		return
	}
	_, o.err = o.w.Write(b)
	o.sum.Write(b)
	o.at += int64(len(b))
}

// alloc reserves an object number.
func (o *objectWriter) alloc() int {
	o.offsets = append(o.offsets, 0)
	return len(o.offsets) - 1
}

// written tells whether the object of a number was begun.
func (o *objectWriter) written(num int) bool { return o.offsets[num] != 0 }

func (o *objectWriter) begin(num int) {
	o.offsets[num] = o.at
	o.raw(fmt.Appendf(nil, "%d 0 obj\n", num))
}

// object writes a whole object; streams with their encoded bytes.
func (o *objectWriter) object(num int, v types.Object) {
	o.begin(num)
	if sd, ok := v.(types.StreamDict); ok {
		sd.Dict["Length"] = types.Integer(len(sd.Raw))
		o.raw(append(appendObject(nil, sd.Dict), "\nstream\n"...))
		o.raw(sd.Raw)
		o.raw([]byte("\nendstream\nendobj\n"))
		return
	}
	o.raw(append(appendObject(nil, v), "\nendobj\n"...))
}

// stream writes a stream object straight from a reader of known length.
func (o *objectWriter) stream(num int, d types.Dict, r io.Reader, size int64) {
	d["Length"] = types.Integer(size)
	o.begin(num)
	o.raw(append(appendObject(nil, d), "\nstream\n"...))
	buf := make([]byte, 64<<10)
	left := size
	for left > 0 && o.err == nil {
		n, err := r.Read(buf[:min(int64(len(buf)), left)])
		o.raw(buf[:n])
		left -= int64(n)
		if err != nil && left > 0 {
			o.err = fmt.Errorf("attachment is shorter than it was: %w", err)
		}
	}
	o.raw([]byte("\nendstream\nendobj\n"))
}

// finish writes what stands at a PDF's end. Reserved numbers never written
// become null objects, which is what a reference to nothing means.
func (o *objectWriter) finish(root, info int) error {
	for num := 1; num < len(o.offsets); num++ {
		if o.offsets[num] == 0 {
			o.object(num, nil)
		}
	}
	start := o.at
	id := types.HexLiteral(hex.EncodeToString(o.sum.Sum(nil)[:16]))
	o.raw(fmt.Appendf(nil, "xref\n0 %d\n0000000000 65535 f \n", len(o.offsets)))
	for _, at := range o.offsets[1:] {
		o.raw(fmt.Appendf(nil, "%010d 00000 n \n", at))
	}
	trailer := types.Dict{"Size": types.Integer(len(o.offsets)), "Root": ref(root), "Info": ref(info),
		"ID": types.Array{id, id}}
	o.raw(appendObject([]byte("trailer\n"), trailer))
	o.raw(fmt.Appendf(nil, "\nstartxref\n%d\n%%%%EOF\n", start))
	if o.err != nil {
		return o.err
	}
	return o.w.Flush()
}

func ref(num int) types.IndirectRef {
	return types.IndirectRef{ObjectNumber: types.Integer(num)}
}

// appendObject writes a value in PDF syntax. Strings are written in
// hexadecimal: whatever bytes a foreign file put in them cannot end them early.
func appendObject(b []byte, v types.Object) []byte {
	switch v := v.(type) {
	case types.Dict:
		b = append(b, "<<"...)
		for _, k := range sortedKeys(v) {
			b = append(append(b, '/'), types.EncodeName(k)...)
			b = append(b, ' ')
			b = appendObject(b, v[k])
		}
		return append(b, ">>"...)
	case types.Array:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ' ')
			}
			b = appendObject(b, e)
		}
		return append(b, ']')
	case types.Name:
		return append(append(b, '/'), types.EncodeName(string(v))...)
	case types.Integer:
		return strconv.AppendInt(b, int64(v), 10)
	case types.Float:
		return strconv.AppendFloat(b, float64(v), 'f', -1, 64)
	case types.Boolean:
		return strconv.AppendBool(b, bool(v))
	case types.IndirectRef:
		return fmt.Appendf(b, "%d %d R", v.ObjectNumber, v.GenerationNumber)
	case types.StringLiteral:
		raw, err := types.Unescape(string(v))
		if err != nil {
			return append(b, "()"...)
		}
		return fmt.Appendf(b, "<%x>", raw)
	case types.HexLiteral:
		return fmt.Appendf(b, "<%x>", hexBytes(string(v)))
	}
	return append(b, "null"...)
}

func sortedKeys(d types.Dict) []string { return slices.Sorted(maps.Keys(d)) }

// hexBytes reads hexadecimal digits the way PDF does: others are skipped, and
// a missing last digit is 0.
func hexBytes(digits string) []byte {
	var out []byte
	high, half := byte(0), false
	for i := 0; i < len(digits); i++ {
		v := strings.IndexByte("0123456789abcdef", digits[i]|0x20)
		if v < 0 {
			continue
		}
		if half {
			out = append(out, high<<4|byte(v))
		}
		high, half = byte(v), !half
	}
	if half {
		out = append(out, high<<4)
	}
	return out
}

func bytesString(s string) types.HexLiteral { return types.HexLiteral(hex.EncodeToString([]byte(s))) }

// textString is a text as PDF writes it outside of pages: UTF-16 with its mark.
func textString(s string) types.HexLiteral { return types.HexLiteral(utf16Hex(s)) }

func rect(vs ...float64) types.Array {
	out := slices.Grow(types.Array{}, len(vs))
	for _, v := range vs {
		out = append(out, types.Float(v))
	}
	return out
}
