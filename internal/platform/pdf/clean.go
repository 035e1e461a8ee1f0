package pdf

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// What a foreign PDF may unpack to. Beyond it the file is a bomb, not a document.
const (
	maxStream   = 48 << 20
	maxUnpacked = 192 << 20
)

var (
	errEncrypted error = told("it is protected by a password: submit it without one")
	errBomb      error = told("it unpacks to far more data than a document of its size should hold")
	errCycle     error = told("its page tree runs in circles")
	errNoPages   error = told("it has no pages")
	errDamaged   error = told("it is damaged in a way that cannot be read")
)

// caught turns a panic of the parser, which some damaged files bring about,
// into an error.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = errDamaged
	}
}

// source is a PDF opened for copying pages out of it.
type source struct {
	ctx      *model.Context
	pages    []sourcePage
	byRef    map[int]int // object number of a page to its index
	unpacked int64
	pixels   int
	trusted  bool // made by us: not measured again
}

// sourcePage is a page with what it inherits resolved.
type sourcePage struct {
	dict   types.Dict
	num    int
	rotate int
	media  types.Array
	crop   types.Array
	res    types.Object
}

// The parser may not look for its settings in the home directory.
func init() { model.ConfigPath = "disable" }

func configuration() *model.Configuration {
	conf := model.NewDefaultConfiguration()
	conf.Offline = true
	conf.ValidationMode = model.ValidationRelaxed
	conf.DecodeAllStreams = false
	conf.Limits.MaxDecodeBytes = maxStream
	conf.Limits.MaxObjectCount = 500_000
	conf.Limits.MaxXRefEntries = 500_000
	return conf
}

// openSource reads a PDF's objects and finds its pages. No stream is unpacked
// but those that hold objects.
func openSource(rs io.ReadSeeker, maxPages, pixels int) (_ *source, err error) {
	defer caught(&err)
	ctx, err := pdfcpu.Read(rs, configuration())
	if err != nil {
		return nil, readable(err)
	}
	root, err := ctx.Catalog()
	if err != nil {
		return nil, errDamaged
	}
	s := &source{ctx: ctx, byRef: map[int]int{}, pixels: pixels}
	top := sourcePage{media: rect(0, 0, pageW, pageH), res: types.Dict{}}
	if err := s.walk(root["Pages"], top, map[int]bool{}, maxPages); err != nil {
		return nil, err
	}
	if len(s.pages) == 0 {
		return nil, errNoPages
	}
	return s, nil
}

// readable turns the parser's refusals into words for the person who sent the file.
func readable(err error) error {
	if errors.Is(err, pdfcpu.ErrWrongPassword) || strings.Contains(err.Error(), "password") ||
		strings.Contains(err.Error(), "encrypt") {
		return errEncrypted
	}
	return told("it is damaged, or not a PDF")
}

func (s *source) resolve(o types.Object) types.Object {
	for range 32 {
		r, ok := o.(types.IndirectRef)
		if !ok {
			return o
		}
		next, err := s.ctx.Dereference(r)
		if err != nil {
			return nil
		}
		o = next
	}
	return nil
}

func (s *source) dict(o types.Object) types.Dict {
	switch v := s.resolve(o).(type) {
	case types.Dict:
		return v
	case types.StreamDict:
		return v.Dict
	}
	return nil
}

func (s *source) array(o types.Object) types.Array {
	a, _ := s.resolve(o).(types.Array)
	return a
}

// walk collects the pages below a node of the page tree. above holds the
// nodes on the way down: meeting one again means a circle.
func (s *source) walk(node types.Object, from sourcePage, above map[int]bool, maxPages int) error {
	r, isRef := node.(types.IndirectRef)
	num := int(r.ObjectNumber)
	if isRef && above[num] || len(above) > 200 {
		return errCycle
	}
	d := s.dict(node)
	if d == nil {
		return nil
	}
	s.inherit(&from, d)
	kids := s.array(d["Kids"])
	if kids == nil {
		return s.addPage(d, num, from, maxPages)
	}
	if isRef {
		above[num] = true
		defer delete(above, num)
	}
	for _, kid := range kids {
		if err := s.walk(kid, from, above, maxPages); err != nil {
			return err
		}
	}
	return nil
}

func (s *source) addPage(d types.Dict, num int, from sourcePage, maxPages int) error {
	if len(s.pages) >= maxPages {
		return tell("it has more than %d pages", maxPages)
	}
	from.dict, from.num = d, num
	s.byRef[num] = len(s.pages)
	s.pages = append(s.pages, from)
	return nil
}

func (s *source) inherit(p *sourcePage, d types.Dict) {
	if box := s.box(d["MediaBox"]); box != nil {
		p.media = box
	}
	if box := s.box(d["CropBox"]); box != nil {
		p.crop = box
	}
	if r, ok := s.resolve(d["Rotate"]).(types.Integer); ok && r%90 == 0 {
		p.rotate = (int(r)%360 + 360) % 360
	}
	if d["Resources"] != nil && s.dict(d["Resources"]) != nil {
		p.res = d["Resources"]
	}
}

// box reads a rectangle and refuses what no page can be.
func (s *source) box(o types.Object) types.Array {
	a := s.array(o)
	if len(a) != 4 {
		return nil
	}
	var v [4]float64
	for i := range a {
		f, ok := s.number(a[i])
		if !ok || math.IsNaN(f) || math.Abs(f) > 20_000 {
			return nil
		}
		v[i] = f
	}
	x1, x2 := min(v[0], v[2]), max(v[0], v[2])
	y1, y2 := min(v[1], v[3]), max(v[1], v[3])
	if x2-x1 < 3 || y2-y1 < 3 || x2-x1 > 14_400 || y2-y1 > 14_400 {
		return nil
	}
	return rect(x1, y1, x2, y2)
}

func (s *source) number(o types.Object) (float64, bool) {
	switch v := s.resolve(o).(type) {
	case types.Integer:
		return float64(v), true
	case types.Float:
		return float64(v), true
	}
	return 0, false
}

// check measures a stream before it is copied: an image by its declared size,
// anything else by unpacking it into nothing.
func (s *source) check(sd types.StreamDict) error {
	if s.trusted {
		return nil
	}
	if sd.Image() {
		w, _ := s.number(sd.Dict["Width"])
		h, _ := s.number(sd.Dict["Height"])
		if w*h > float64(s.pixels)*4 {
			return tell("it holds an image of %.0f by %.0f pixels, more than can be shown", w, h)
		}
		return nil
	}
	n, err := unpackedSize(sd)
	s.unpacked += n
	if err != nil || s.unpacked > maxUnpacked {
		return errBomb
	}
	return nil
}

func unpackedSize(sd types.StreamDict) (int64, error) {
	if len(sd.FilterPipeline) == 0 {
		return int64(len(sd.Raw)), nil
	}
	var r io.Reader = bytes.NewReader(sd.Raw)
	for i, f := range sd.FilterPipeline {
		if f.Name == "FlateDecode" {
			z, err := zlib.NewReader(r)
			if err != nil {
				return 0, nil //nolint:nilerr // not unpackable: nothing to fear, viewers will see nothing either
			}
			r = z
			continue
		}
		if i == 0 && slices.ContainsFunc(sd.FilterPipeline,
			func(f types.PDFFilter) bool { return f.Name == "LZWDecode" || f.Name == "FlateDecode" }) {
			if err := sd.DecodeWithLimit(maxStream); err != nil && strings.Contains(err.Error(), "limit") {
				return maxStream, errBomb
			}
			n := int64(len(sd.Content))
			sd.Content = nil
			return n, nil
		}
		break
	}
	n, _ := io.Copy(io.Discard, io.LimitReader(r, maxStream+1))
	if n > maxStream {
		return n, errBomb
	}
	return n, nil
}

// cleanPDF copies the pages of a foreign PDF into a new file that holds nothing
// else: no scripts, actions, forms or embedded files. Of a document of ours the
// headers and footers are left out, too. Annotations stay, and of one that is served
// alone what makes it accessible. It tells the page count, the bookmarks and which pages
// are ours.
func cleanPDF(in io.ReadSeeker, j *readJob) (done readDone, err error) {
	defer caught(&err)
	src, err := openSource(in, j.Limits.Pages, j.Limits.Pixels)
	if err != nil {
		return done, err
	}
	if j.Ours {
		done.Ours = src.stripFurniture()
	}
	if j.Kept {
		src.trusted = true // its files were measured when it was made
		done.Badges = src.badges(j.Spots, j.Files)
	}
	f, err := os.Create(j.Out)
	if err != nil {
		return done, err
	}
	defer f.Close()
	w := newObjectWriter(f)
	tree := w.alloc()
	c := newCopier(src, w, tree)
	c.tagged = j.Alone && src.hasStructure()
	if err := c.copyPages(nil); err != nil {
		return done, err
	}
	done.Pages, done.Marks = len(c.pages), src.outlines()
	root, infoNum, info := w.alloc(), w.alloc(), types.Dict{}
	catalog := types.Dict{"Type": types.Name("Catalog"), "Pages": ref(tree)}
	if j.Alone {
		info = c.frame(catalog)
	}
	if j.Alone && len(done.Marks) > 0 {
		catalog["Outlines"] = writeOutlines(w, done.Marks, c.pages)
	}
	w.object(tree, types.Dict{"Type": types.Name("Pages"), "Count": types.Integer(len(c.pages)), "Kids": refs(c.pages)})
	w.object(root, catalog)
	w.object(infoNum, info)
	if err := w.finish(root, infoNum); err != nil {
		return done, err
	}
	if j.Alone && src.harmless(in) {
		return done, asItCame(f, in)
	}
	return done, f.Close()
}

// asItCame puts the bytes of a file that was found harmless in place of its copy.
func asItCame(f *os.File, in io.ReadSeeker) error {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	n, err := io.Copy(f, in)
	if err == nil {
		err = f.Truncate(n)
	}
	return cmp.Or(err, f.Close())
}

func refs(nums []int) types.Array {
	out := make(types.Array, len(nums))
	for i, n := range nums {
		out[i] = ref(n)
	}
	return out
}
