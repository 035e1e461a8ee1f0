package pdf

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"regexp"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Names without which nothing in a PDF acts, carries a file or reaches out of it. A name
// cannot be put together while a file is read, so whatever acts holds one of them, be it
// in an object that the table of this file does not list but another reader may find.
var (
	actingNames = nameSet("JavaScript", "Launch", "SubmitForm", "ImportData", "ResetForm", "GoToR", "GoToE", "GoTo3DView",
		"SetOCGState", "Rendition", "RichMedia", "RichMediaExecute", "Movie", "Sound", "Screen", "Hide", "Named",
		"Thread", "XFA", "Filespec", "EmbeddedFile", "FileAttachment", "Collection", "PresSteps",
		"Encrypt")
	// These are so short that packed bytes may hold them by chance.
	shortActingNames = nameSet("JS", "AA", "EF", "RF", "OPI", "PS", "3D")
)

func nameSet(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// harmless tells whether nothing in the file acts, so that its bytes may be served as they
// came. Where it is not sure it says no: the sieve takes what is left then.
func (s *source) harmless(in io.ReadSeeker) bool {
	if s.ctx.Encrypt != nil || !framed(in) {
		return false
	}
	data, packs, ok := s.inventory()
	if !ok {
		return false
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return false
	}
	seen, err := scanNames(in, data)
	if err != nil || seen.acts || seen.packs != len(packs) {
		return false // of more packs of objects than the table lists, the others are hidden
	}
	for _, p := range packs {
		if inside, err := scanNames(bytes.NewReader(p), nil); err != nil || inside.acts {
			return false
		}
	}
	return true
}

var (
	frameEnd  = regexp.MustCompile(`startxref\s+(\d{1,12})\s+%%EOF\s*$`)
	tableHead = regexp.MustCompile(`^\s*(xref\s|\d+\s+\d+\s+obj)`)
)

// framed tells whether the file begins and ends as a PDF does, so that every reader finds
// the same table of objects in it.
func framed(in io.ReadSeeker) bool {
	head, err := readAt(in, 0, io.SeekStart, 8)
	if err != nil || !bytes.HasPrefix(head, []byte("%PDF-1.")) && !bytes.HasPrefix(head, []byte("%PDF-2.")) {
		return false
	}
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return false
	}
	tail, err := readAt(in, -min(size, 200), io.SeekEnd, 200)
	found := frameEnd.FindSubmatch(tail)
	if err != nil || found == nil {
		return false
	}
	at, err := readAt(in, number(found[1]), io.SeekStart, 40)
	return err == nil && tableHead.Match(at)
}

func readAt(in io.ReadSeeker, at int64, whence, n int) ([]byte, error) {
	if _, err := in.Seek(at, whence); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(in, int64(n)))
}

// number reads a few digits.
func number(digits []byte) (n int64) {
	for _, d := range digits {
		n = 10*n + int64(d-'0')
	}
	return n
}

// span is where the data of a stream stands in the file.
type span struct{ from, to int64 }

// inventory finds where the file keeps the data of its streams, and unpacks those that hold
// objects. It is not ok where a stream or a link leads out of the file, or one cannot be
// unpacked within bounds.
func (s *source) inventory() (data []span, packs [][]byte, ok bool) {
	s.unpacked = 0
	for num, entry := range s.ctx.Table {
		if entry == nil || entry.Free {
			continue
		}
		o := entry.Object
		if _, listed := s.ctx.Read.ObjectStreams[num]; !listed {
			o = s.resolve(ref(num))
		}
		switch v := o.(type) {
		case types.ObjectStreamDict:
			pack, err := unpacked(v.StreamDict)
			if err != nil {
				return nil, nil, false
			}
			packs, data = append(packs, pack), append(data, spanOf(v.StreamDict))
		case types.XRefStreamDict:
			data = append(data, spanOf(v.StreamDict))
		case types.StreamDict:
			if s.check(v) != nil || s.leadsOut(v.Dict, 0) || v.Dict["F"] != nil || v.Dict["Ref"] != nil {
				return nil, nil, false
			}
			data = append(data, spanOf(v))
		default:
			if s.leadsOut(o, 0) {
				return nil, nil, false
			}
		}
	}
	slices.SortFunc(data, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return data, packs, true
}

func spanOf(sd types.StreamDict) span {
	return span{sd.StreamOffset, sd.StreamOffset + int64(len(sd.Raw))}
}

func unpacked(sd types.StreamDict) ([]byte, error) {
	if len(sd.Content) > 0 {
		return sd.Content, nil
	}
	err := sd.DecodeWithLimit(maxStream)
	return sd.Content, err
}

// leadsOut finds links to anything but the web.
func (s *source) leadsOut(o types.Object, depth int) bool {
	if depth > 60 {
		return true
	}
	switch v := o.(type) {
	case types.Array:
		return slices.ContainsFunc(v, func(e types.Object) bool { return s.leadsOut(e, depth+1) })
	case types.Dict:
		for key, e := range v {
			if uri := s.text(e); key == "URI" && uri != "" && !webLink(uri) || s.leadsOut(e, depth+1) {
				return true
			}
		}
	}
	return false
}

// found is what the names in a file tell.
type found struct {
	acts  bool
	packs int // of objects
}

// scanNames reads all names in a file, those in the data of streams included as far as they
// can be told from chance.
func scanNames(in io.Reader, data []span) (out found, err error) {
	r := &nameReader{in: bufio.NewReaderSize(in, 64<<10), data: data}
	for {
		name, err := r.next()
		if err == io.EOF { //nolint:errorlint // a reader says it so
			return out, nil
		}
		if err != nil {
			return out, err
		}
		inside := r.inData()
		out.acts = out.acts || actingNames[name] || !inside && shortActingNames[name]
		if name == "ObjStm" && !inside {
			out.packs++
		}
	}
}

// nameReader finds the names of a file one after the other.
type nameReader struct {
	in   *bufio.Reader
	at   int64 // how far it has read
	from int64 // where the last name began
	data []span
	buf  []byte
}

// inData tells whether the last name stands in the data of a stream.
func (r *nameReader) inData() bool {
	for len(r.data) > 0 && r.data[0].to <= r.from {
		r.data = r.data[1:]
	}
	return len(r.data) > 0 && r.data[0].from <= r.from
}

// next gives a name with its escapes undone; of a long one no more than tells it from
// those that are looked for.
func (r *nameReader) next() (string, error) {
	for {
		b, err := r.in.ReadByte()
		if err != nil {
			return "", err
		}
		if r.at++; b == '/' {
			break
		}
	}
	r.from, r.buf = r.at-1, r.buf[:0]
	for {
		b, err := r.in.ReadByte()
		if err != nil || bytes.IndexByte([]byte("\x00\t\n\f\r ()<>[]{}/%"), b) >= 0 {
			if err == nil {
				err = r.in.UnreadByte()
			}
			return unescaped(r.buf), unlessEOF(err)
		}
		r.at++
		if len(r.buf) < 100 {
			r.buf = append(r.buf, b)
		}
	}
}

// unlessEOF lets the last name of a file be told before its end.
func unlessEOF(err error) error {
	if err == io.EOF { //nolint:errorlint // a reader says it so
		return nil
	}
	return err
}

// unescaped undoes #xx in a name.
func unescaped(b []byte) string {
	out := b[:0]
	for i := 0; i < len(b); i++ {
		if b[i] == '#' && i+2 < len(b) && isHex(b[i+1]) && isHex(b[i+2]) {
			out = append(out, hexBytes(string(b[i+1:i+3]))...)
			i += 2
			continue
		}
		out = append(out, b[i])
	}
	return string(out)
}

func isHex(b byte) bool { return bytes.IndexByte([]byte("0123456789abcdefABCDEF"), b) >= 0 }
