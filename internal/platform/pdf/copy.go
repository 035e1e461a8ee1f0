package pdf

import (
	"net/url"
	"slices"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// copier copies pages of one PDF into another. It is a sieve, not a filter:
// only what is named here is taken over, so nothing unforeseen comes along.
type copier struct {
	src    *source
	out    *objectWriter
	tree   int         // the page tree of the new file
	nums   map[int]int // old object numbers to new ones
	notes  map[int]int // the same of annotations that may be answered
	placed map[int]int // the same of those that were written
	queue  []int       // old numbers promised and not yet written
	pages  []int       // new numbers of the pages, in order
	tagged bool        // the tree of elements comes along, and so do the marks that lead to it
}

func newCopier(src *source, out *objectWriter, tree int) *copier {
	c := &copier{src: src, out: out, tree: tree, nums: map[int]int{}, notes: map[int]int{},
		placed: map[int]int{}}
	for range src.pages {
		c.pages = append(c.pages, out.alloc())
	}
	c.number()
	return c
}

// copyPages writes all pages; dress, if not nil, changes each before it is written.
func (c *copier) copyPages(dress func(i int, page types.Dict) error) error {
	for i := range c.src.pages {
		d := c.page(i)
		if dress != nil {
			if err := dress(i, d); err != nil {
				return err
			}
		}
		c.out.object(c.pages[i], d)
		if err := c.drain(); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) page(i int) types.Dict {
	p := &c.src.pages[i]
	d := types.Dict{
		"Type": types.Name("Page"), "Parent": ref(c.tree), "MediaBox": p.media,
		"Resources": c.value(p.res, 0),
	}
	if p.crop != nil {
		d["CropBox"] = p.crop
	}
	if p.rotate != 0 {
		d["Rotate"] = types.Integer(p.rotate)
	}
	for _, key := range []string{"Contents", "Group", "UserUnit"} {
		if v := p.dict[key]; v != nil {
			d[key] = c.value(v, 0)
		}
	}
	c.marks(d, p.dict, "StructParents", "Tabs")
	var annots types.Array
	for _, a := range c.src.array(p.dict["Annots"]) {
		if ad := c.annotation(c.src.dict(a)); ad != nil {
			annots = append(annots, c.place(a, ad))
		}
	}
	if len(annots) > 0 {
		d["Annots"] = annots
	}
	return d
}

// place writes an annotation under the number that others know it by, so that
// an answer finds the remark it belongs to; one that is listed twice is two.
func (c *copier) place(old types.Object, d types.Dict) types.IndirectRef {
	r, ok := old.(types.IndirectRef)
	num := c.notes[int(r.ObjectNumber)]
	if !ok || num == 0 || c.out.written(num) {
		num = c.out.alloc()
	}
	if ok && c.placed[int(r.ObjectNumber)] == 0 {
		c.placed[int(r.ObjectNumber)] = num
	}
	c.out.object(num, d)
	return ref(num)
}

// marks copies, where the tree of elements comes along, the numbers that lead to it.
func (c *copier) marks(out, d types.Dict, keys ...string) {
	for _, key := range keys {
		switch v := c.src.resolve(d[key]).(type) {
		case types.Integer, types.Name:
			if c.tagged {
				out[key] = v
			}
		}
	}
}

// number reserves numbers for the annotations that may be answered.
func (c *copier) number() {
	for i := range c.src.pages {
		for _, a := range c.src.array(c.src.pages[i].dict["Annots"]) {
			if r, ok := a.(types.IndirectRef); ok && c.notes[int(r.ObjectNumber)] == 0 &&
				slices.Contains(drawnAnnots, name(c.src.resolve(c.src.dict(a)["Subtype"]))) {
				c.notes[int(r.ObjectNumber)] = c.out.alloc()
			}
		}
	}
}

func (c *copier) write(d types.Object) types.IndirectRef {
	num := c.out.alloc()
	c.out.object(num, d)
	return ref(num)
}

// drain writes the objects promised so far, and those they promise in turn.
func (c *copier) drain() error {
	for len(c.queue) > 0 {
		old := c.queue[0]
		c.queue = c.queue[1:]
		v := c.src.resolve(ref(old))
		if sd, ok := v.(types.StreamDict); ok {
			if err := c.src.check(sd); err != nil {
				return err
			}
		}
		c.out.object(c.nums[old], c.value(v, 0))
	}
	return nil
}

// Keys that lead away from what a page looks like.
var droppedKeys = []string{
	"AA", "AF", "A", "JS", "OpenAction", "PieceInfo", "Metadata", "Parent", "StructParent", "StructParents",
	"P", "OPI", "Ref", "EF", "RF", "F", "FFilter", "FDecodeParms", "LastModified", "Measure", "PtData",
}

// value copies a value, renumbering references. Objects that act or carry
// files are left out wherever they are found.
func (c *copier) value(o types.Object, depth int) types.Object {
	if depth > 60 {
		return nil
	}
	switch v := o.(type) {
	case types.IndirectRef:
		return c.reference(int(v.ObjectNumber))
	case types.Array:
		out := make(types.Array, len(v))
		for i := range v {
			out[i] = c.value(v[i], depth+1)
		}
		return out
	case types.Dict:
		if acts(v) {
			return nil
		}
		return c.dict(v, depth)
	case types.StreamDict:
		if acts(v.Dict) {
			return nil
		}
		d := c.dict(v.Dict, depth)
		for _, key := range []string{"Length", "F", "FFilter", "FDecodeParms"} {
			delete(d, key) // a stream's data may not come from another file
		}
		return types.StreamDict{Dict: d, Raw: v.Raw}
	}
	return o
}

func (c *copier) reference(old int) types.Object {
	if i, ok := c.src.byRef[old]; ok {
		return ref(c.pages[i])
	}
	num, ok := c.nums[old]
	if !ok {
		num = c.out.alloc()
		c.nums[old] = num
		c.queue = append(c.queue, old)
	}
	return ref(num)
}

// dict copies a dictionary. One that maps free names to resources or glyphs,
// where a font may be called /A or /P, has no type of its own and keeps all.
func (c *copier) dict(d types.Dict, depth int) types.Dict {
	out := make(types.Dict, len(d))
	typed := name(d["Type"]) != "" || name(d["Subtype"]) != "" || name(d["S"]) != ""
	for _, k := range sortedKeys(d) { // in order, as new numbers are given on the way
		if typed && slices.Contains(droppedKeys, k) {
			continue
		}
		out[k] = c.value(d[k], depth+1)
	}
	if typed {
		c.marks(out, d, "StructParent", "StructParents")
	}
	return out
}

// acts tells actions, file carriers and parts of the document's frame from
// what pages are drawn with.
func acts(d types.Dict) bool {
	switch name(d["Type"]) {
	case "Action", "Filespec", "F", "EmbeddedFile", "Page", "Pages", "Catalog", "ObjStm", "XRef", "Sig", "Rendition":
		return true
	}
	switch name(d["S"]) {
	case "JavaScript", "Launch", "SubmitForm", "ImportData", "GoToR", "GoToE", "URI", "GoTo", "Named", "Hide",
		"ResetForm", "Rendition", "Movie", "Sound", "RichMediaExecute", "SetOCGState", "Thread", "GoTo3DView":
		return true
	}
	return name(d["Subtype"]) == "PS"
}

func name(o types.Object) string {
	n, _ := o.(types.Name)
	return string(n)
}

// Annotations that draw something, and what of them is kept.
var (
	drawnAnnots = []string{
		"Text", "FreeText", "Line", "Square", "Circle", "Polygon", "PolyLine", "Highlight",
		"Underline", "Squiggly", "StrikeOut", "Stamp", "Caret", "Ink", "Redact", "Widget",
	}
	annotKeys = []string{
		"Rect", "Contents", "NM", "M", "F", "AP", "AS", "Border", "BS", "C", "CA", "T", "QuadPoints", "InkList",
		"L", "LE", "IC", "LL", "LLE", "Cap", "Vertices", "BE", "RD", "DA", "DS", "Q", "Name", "Subj",
		"RC", "RT", "IT", "CL", "CreationDate", "State", "StateModel",
	}
)

// annotation gives the harmless part of an annotation, or nil. A filled form
// field becomes a stamp with its appearance: its text stays, the form goes.
func (c *copier) annotation(d types.Dict) types.Dict {
	sub := name(c.src.resolve(d["Subtype"]))
	if sub == "Link" {
		return c.link(d)
	}
	if !slices.Contains(drawnAnnots, sub) || c.src.box(d["Rect"]) == nil {
		return nil
	}
	if sub == "Widget" {
		if c.src.dict(d["AP"]) == nil {
			return nil
		}
		sub = "Stamp"
	}
	out := types.Dict{"Type": types.Name("Annot"), "Subtype": types.Name(sub)}
	for _, key := range annotKeys {
		if v := d[key]; v != nil {
			out[key] = c.value(v, 0)
		}
	}
	if r, ok := d["IRT"].(types.IndirectRef); ok && c.notes[int(r.ObjectNumber)] != 0 {
		out["IRT"] = ref(c.notes[int(r.ObjectNumber)])
	}
	c.marks(out, d, "StructParent")
	return out
}

// link keeps links to the web and within the document.
func (c *copier) link(d types.Dict) types.Dict {
	out := types.Dict{"Type": types.Name("Annot"), "Subtype": types.Name("Link"), "Border": rect(0, 0, 0)}
	r := c.src.array(d["Rect"])
	if len(r) != 4 {
		return nil
	}
	out["Rect"] = c.value(r, 0)
	for _, key := range []string{"Border", "C", "QuadPoints", "H"} {
		if v := d[key]; v != nil {
			out[key] = c.value(v, 0)
		}
	}
	if v := d["Contents"]; v != nil && c.tagged {
		out["Contents"] = c.value(v, 0)
	}
	c.marks(out, d, "StructParent")
	dest := d["Dest"]
	if a := c.src.dict(d["A"]); a != nil {
		switch name(c.src.resolve(a["S"])) {
		case "URI":
			uri := c.src.text(a["URI"])
			if !webLink(uri) {
				return nil
			}
			out["A"] = types.Dict{"Type": types.Name("Action"), "S": types.Name("URI"), "URI": bytesString(uri)}
			return out
		case "GoTo":
			dest = a["D"]
		default:
			return nil
		}
	}
	page, where := c.src.destination(dest)
	if page < 0 {
		return nil
	}
	out["Dest"] = append(types.Array{ref(c.pages[page])}, where...)
	return out
}

// webLink accepts what a reader may follow from a document of a stranger.
func webLink(uri string) bool {
	u, err := url.Parse(strings.TrimSpace(uri))
	return err == nil && slices.Contains([]string{"http", "https", "mailto"}, strings.ToLower(u.Scheme))
}
