package pdf

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// assembly is a document while it is written.
type assembly struct {
	*composer
	out   *objectWriter
	tree  int          // the page tree
	ours  []int        // numbers of our pages
	kids  []int        // numbers of all pages, in order
	res   int          // what our pages are drawn with
	slots [][]*element // by page, what each of its marks belongs to

	fontsNum int // of the list of fonts, when it is known
}

// assemble writes the finished file: foreign pages first, each file opened and
// forgotten in turn, then our own, then what they are drawn with and the trees
// that put all in order.
func (c *composer) assemble(w io.Writer) error {
	a := &assembly{composer: c, out: newObjectWriter(w)}
	a.tree, a.res = a.out.alloc(), a.out.alloc()
	root, info := a.out.alloc(), a.out.alloc()
	for range c.pages {
		a.ours = append(a.ours, a.out.alloc())
	}
	for i := range c.chunks {
		if err := a.chunk(&c.chunks[i]); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(c.chunks[i].path), err)
		}
	}
	for i := range c.pages {
		a.ownPage(i)
	}
	if err := a.resources(); err != nil {
		return err
	}
	a.out.object(a.tree, types.Dict{"Type": types.Name("Pages"), "Count": types.Integer(len(a.kids)),
		"Kids": refs(a.kids)})
	catalog := types.Dict{
		"Type": types.Name("Catalog"), "Pages": ref(a.tree), "Lang": textString("en"),
		"ViewerPreferences": types.Dict{"DisplayDocTitle": types.Boolean(true)},
		"MarkInfo":          types.Dict{"Marked": types.Boolean(true)}, "StructTreeRoot": a.writeTags(),
		"Metadata": a.add(types.StreamDict{Raw: xmp(c.job.Document.Meta),
			Dict: types.Dict{"Type": types.Name("Metadata"), "Subtype": types.Name("XML")}}),
	}
	if len(c.outline) > 0 {
		catalog["Outlines"], catalog["PageMode"] = writeOutlines(a.out, c.outline, a.kids), types.Name("UseOutlines")
	}
	if err := c.attachments(a.out, catalog); err != nil {
		return err
	}
	a.out.object(root, catalog)
	a.out.object(info, infoDict(c.job.Document.Meta))
	return a.out.finish(root, info)
}

// chunk writes the pages of a foreign file, or takes up some of ours.
func (a *assembly) chunk(ch *chunk) error {
	if ch.path == "" {
		a.kids = append(a.kids, a.ours[ch.from:ch.to]...)
		return nil
	}
	f, err := os.Open(ch.path)
	if err != nil {
		return err
	}
	defer f.Close()
	src, err := openSource(f, a.job.Limits.Pages, a.job.Limits.Pixels)
	if err != nil {
		return err
	}
	src.trusted = true // it was measured when it was read
	c := newCopier(src, a.out, a.tree)
	a.kids = append(a.kids, c.pages...)
	return c.copyPages(func(i int, page types.Dict) error { return a.dress(ch, c, i, page) })
}

// slotFor gives a page its place in the list of marks.
func (a *assembly) slotFor(elements ...*element) types.Integer {
	a.slots = append(a.slots, elements)
	return types.Integer(len(a.slots) - 1)
}

// ownPage writes a page of ours: its content and, apart from it, its header
// and footer.
func (a *assembly) ownPage(i int) {
	p := a.pages[i]
	a.goTo(i)
	a.endArtifact()
	d := types.Dict{
		"Type": types.Name("Page"), "Parent": ref(a.tree), "MediaBox": rect(0, 0, pageW, pageH),
		"Resources":     ref(a.res),
		"Contents":      types.Array{a.packed(p.body.Bytes()), a.packed(p.extra.Bytes())},
		"StructParents": a.slotFor(p.marks...), "Tabs": types.Name("S"),
		"PieceInfo": a.signature(rect(0, 0, pageW, pageH), true),
	}
	var annots types.Array
	for _, l := range p.links {
		annots = append(annots, a.annotation(l.x1, l.y1, l.x2, l.y2, "Link to "+l.to, "A", types.Dict{
			"Type": types.Name("Action"), "S": types.Name("URI"), "URI": bytesString(l.to)}))
	}
	for _, l := range a.jumps {
		if l.own == i && l.page < len(a.kids) {
			annots = append(annots, a.annotation(l.x1, l.y1, l.x2, l.y2, fmt.Sprintf("Page %d", l.page+1), "Dest",
				types.Array{ref(a.kids[l.page]), types.Name("Fit")}))
		}
	}
	if len(annots) > 0 {
		d["Annots"] = annots
	}
	a.out.object(a.ours[i], d)
}

func (a *assembly) annotation(x1, y1, x2, y2 float64, says, key string, leads types.Object) types.IndirectRef {
	return a.add(types.Dict{
		"Type": types.Name("Annot"), "Subtype": types.Name("Link"), "Border": rect(0, 0, 0), "F": types.Integer(4),
		"Rect": rect(x1, y1, x2, y2), "Contents": textString(visible(says)), key: leads,
	})
}

// add writes an object and gives its reference.
func (a *assembly) add(o types.Object) types.IndirectRef {
	num := a.out.alloc()
	a.out.object(num, o)
	return ref(num)
}

// packed writes a stream of drawing.
func (a *assembly) packed(data []byte) types.IndirectRef {
	return a.add(flateStream(types.Dict{}, data))
}

// node is a bookmark in the tree that viewers show.
type node struct {
	mark bookmark
	num  int
	kids []*node
}

func writeOutlines(out *objectWriter, marks []bookmark, pages []int) types.IndirectRef {
	root := &node{num: out.alloc(), mark: bookmark{Level: -1}}
	path := []*node{root}
	for _, m := range marks {
		for len(path) > 1 && path[len(path)-1].mark.Level >= m.Level {
			path = path[:len(path)-1]
		}
		n := &node{mark: m, num: out.alloc()}
		above := path[len(path)-1]
		above.kids = append(above.kids, n)
		path = append(path, n)
	}
	out.object(root.num, types.Dict{
		"Type": types.Name("Outlines"), "First": ref(root.kids[0].num),
		"Last": ref(root.kids[len(root.kids)-1].num), "Count": types.Integer(len(root.kids)),
	})
	writeNodes(out, root, pages)
	return ref(root.num)
}

// writeNodes writes the bookmarks below one, closed: the reader opens them.
func writeNodes(out *objectWriter, above *node, pages []int) {
	for i, n := range above.kids {
		d := types.Dict{
			"Title": textString(visible(n.mark.Title)), "Parent": ref(above.num),
			"Dest": types.Array{ref(pages[min(n.mark.Page, len(pages)-1)]), types.Name("Fit")},
		}
		if i > 0 {
			d["Prev"] = ref(above.kids[i-1].num)
		}
		if i+1 < len(above.kids) {
			d["Next"] = ref(above.kids[i+1].num)
		}
		if len(n.kids) > 0 {
			d["First"], d["Last"] = ref(n.kids[0].num), ref(n.kids[len(n.kids)-1].num)
			d["Count"] = types.Integer(-len(n.kids))
		}
		out.object(n.num, d)
		writeNodes(out, n, pages)
	}
}

// attachments embeds the originals of files that could not be shown, byte for byte.
func (c *composer) attachments(out *objectWriter, catalog types.Dict) error {
	if len(c.attach) == 0 {
		return nil
	}
	var names types.Array
	for i, a := range c.attach {
		spec, err := attachFile(out, a)
		if err != nil {
			return err
		}
		names = append(names, textString(fmt.Sprintf("%04d", i)), spec)
	}
	catalog["Names"] = types.Dict{"EmbeddedFiles": types.Dict{"Names": names}}
	return nil
}

func attachFile(out *objectWriter, a attachment) (types.IndirectRef, error) {
	f, err := os.Open(a.path)
	if err != nil {
		return types.IndirectRef{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return types.IndirectRef{}, err
	}
	data, spec := out.alloc(), out.alloc()
	size := info.Size()
	params := types.Dict{"Size": types.Integer(size)}
	out.stream(data, types.Dict{"Type": types.Name("EmbeddedFile"), "Params": params}, f, size)
	name := textString(fileName(a.name))
	out.object(spec, types.Dict{
		"Type": types.Name("Filespec"), "F": name, "UF": name, "Desc": textString(a.about),
		"EF": types.Dict{"F": ref(data), "UF": ref(data)},
	})
	return ref(spec), nil
}

func infoDict(m Meta) types.Dict {
	d := types.Dict{"Producer": textString("Lectern")}
	for key, text := range map[string]string{"Title": m.Title, "Author": m.Author, "Subject": m.Subject,
		"Creator": m.Creator} {
		if text != "" {
			d[key] = textString(visible(text))
		}
	}
	if !m.Created.IsZero() {
		at := bytesString(m.Created.UTC().Format("D:20060102150405Z"))
		d["CreationDate"], d["ModDate"] = at, at
	}
	return d
}

// xmp tells title, author and language once more, in the form that catalogues
// and assistive programs look for.
func xmp(m Meta) []byte {
	var b bytes.Buffer
	text := func(s string) string {
		var out bytes.Buffer
		_ = xml.EscapeText(&out, []byte(visible(s))) // a buffer takes everything
		return out.String()
	}
	fmt.Fprintf(&b, "<?xpacket begin=\"\uFEFF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"+
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">`+
		`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">`+
		`<dc:title><rdf:Alt><rdf:li xml:lang="x-default">%s</rdf:li></rdf:Alt></dc:title>`+
		`<dc:creator><rdf:Seq><rdf:li>%s</rdf:li></rdf:Seq></dc:creator>`+
		`<dc:language><rdf:Bag><rdf:li>en</rdf:li></rdf:Bag></dc:language>`+
		"</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"r\"?>", text(m.Title), text(m.Author))
	return b.Bytes()
}
