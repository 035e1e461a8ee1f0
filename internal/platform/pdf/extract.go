package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// ErrNoText tells that no text could be taken out of a document: it is damaged,
// protected, or far too large.
var ErrNoText = errors.New("no text can be taken out of the document")

// TextOf takes the words out of a PDF, in the order in which its pages draw them, at
// most so many bytes. It is for comparing documents, not for showing them: columns
// and tables come as they were written, and what is a picture, as in a scan, has no
// text. The file is read in a bounded child process; one that cannot be read gives
// ErrNoText.
func TextOf(ctx context.Context, r io.Reader, most int64, limits Limits) ([]byte, error) {
	if !mayStart.Load() {
		return nil, errNoChild
	}
	limits = limits.orDefaults()
	dir, err := os.MkdirTemp("", tempPrefix)
	if err != nil {
		return nil, fmt.Errorf("private directory: %w", err)
	}
	defer os.RemoveAll(dir)
	in := filepath.Join(dir, "in0")
	f := &File{Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.LimitReader(r, limits.InputBytes+1)), nil
	}}
	if n, err := spool(f, in); err != nil {
		return nil, err
	} else if n > limits.InputBytes {
		return nil, fmt.Errorf("%w: it is too large", ErrNoText)
	}
	wk := &worker{dir: dir, limits: limits}
	defer wk.stop()
	j := &textJob{In: in, Out: filepath.Join(dir, "text"), Most: most, Limits: limits}
	a, err := wk.do(ctx, request{Text: j}, limits.FileTime)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNoText, err)
	case a.Trouble != "":
		return nil, fmt.Errorf("%w: %s", ErrNoText, a.Trouble)
	}
	return os.ReadFile(j.Out)
}

// textJob asks for the text of a PDF.
type textJob struct {
	In, Out string
	Most    int64
	Limits  Limits
}

// extract does the job.
func extract(j *textJob) (err error) {
	defer caught(&err)
	f, err := os.Open(j.In)
	if err != nil {
		return err
	}
	defer f.Close()
	src, err := openSource(f, j.Limits.Pages, j.Limits.Pixels)
	if err != nil {
		return err
	}
	x := newExtractor(src)
	x.most = int(min(j.Most, maxStream))
	for _, p := range src.pages {
		if x.full() {
			break
		}
		x.page(p)
	}
	return os.WriteFile(j.Out, x.out.Bytes(), 0o600)
}

// extractor goes through what pages draw and keeps the text.
type extractor struct {
	src   *source
	fonts map[types.IndirectRef]*textFont
	out   bytes.Buffer
	most  int
	state textState
}

// textState is where the pen stands, as far as words and lines need it.
type textState struct {
	font       *textFont
	size       float64
	x, y       float64 // of the beginning of the line
	end        float64 // where the last text ended, about
	lastY      float64
	scale      float64 // of the text matrix
	leading    float64
	anyOnLine  bool
	horizontal float64
}

func newExtractor(src *source) *extractor {
	return &extractor{src: src, fonts: map[types.IndirectRef]*textFont{}}
}

func (x *extractor) full() bool { return x.out.Len() >= x.most }

// page takes the text of one page.
func (x *extractor) page(p sourcePage) {
	x.state = textState{scale: 1, horizontal: 1}
	var content []byte
	for _, s := range x.streams(p.dict["Contents"]) {
		content = append(append(content, s...), '\n')
	}
	x.run(content, x.src.dict(p.res), 0)
	x.newLine()
}

// streams unpacks a stream, or an array of them, within the bounds.
func (x *extractor) streams(o types.Object) (out [][]byte) {
	list := types.Array{o}
	if a := x.src.array(o); a != nil {
		list = a
	}
	for _, one := range list {
		sd, ok := x.src.resolve(one).(types.StreamDict)
		if !ok || x.src.check(sd) != nil {
			continue
		}
		var b bytes.Buffer
		unpack(&b, sd)
		out = append(out, b.Bytes())
	}
	return out
}

// mostNested is how deep drawings that are drawn inside each other are followed.
const mostNested = 5

// run goes through a content stream with its resources.
func (x *extractor) run(content []byte, res types.Dict, depth int) {
	l := &contentLexer{src: content}
	for !x.full() {
		op, ok := l.next()
		if !ok {
			return
		}
		if op == "Do" && depth < mostNested && len(l.args) > 0 {
			x.form(res, l.args[len(l.args)-1].name, depth)
		} else {
			x.operator(op, l.args, res)
		}
		l.args = l.args[:0]
	}
}

// form draws a form of the resources.
func (x *extractor) form(res types.Dict, name string, depth int) {
	sd, ok := x.src.resolve(x.src.dict(res["XObject"])[name]).(types.StreamDict)
	if !ok || sd.Dict.Subtype() == nil || *sd.Dict.Subtype() != "Form" || x.src.check(sd) != nil {
		return
	}
	inner := x.src.dict(sd.Dict["Resources"])
	if inner == nil {
		inner = res
	}
	before := x.state
	var b bytes.Buffer
	unpack(&b, sd)
	x.run(b.Bytes(), inner, depth+1)
	x.newLine()
	x.state = before
}

// operator follows those that move the pen or show text.
func (x *extractor) operator(op string, args []operand, res types.Dict) {
	num := func(i int) float64 {
		if i < len(args) {
			return args[i].number
		}
		return 0
	}
	s := &x.state
	switch op {
	case "Tf":
		if len(args) == 2 {
			s.font, s.size = x.font(res, args[0].name), num(1)
		}
	case "TL":
		s.leading = num(0)
	case "Td", "TD":
		if op == "TD" {
			s.leading = -num(1)
		}
		s.x, s.y = s.x+num(0)*s.scale, s.y+num(1)*s.scale
		x.moved()
	case "T*":
		x.nextLine()
	case "BT":
		s.x, s.y, s.scale, s.horizontal = 0, 0, 1, 1
	case "Tm":
		s.scale, s.horizontal, s.x, s.y = vectorLength(num(2), num(3)), vectorLength(num(0), num(1)), num(4), num(5)
		x.moved()
	case "Tj", "'", "\"":
		if op != "Tj" {
			x.nextLine()
		}
		if len(args) > 0 {
			x.show(args[len(args)-1].text)
		}
	case "TJ":
		x.showAll(args)
	}
}

func (x *extractor) nextLine() {
	x.state.y -= x.state.leading * x.state.scale
	x.moved()
}
