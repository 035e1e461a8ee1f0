package pdf

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// assemble writes the finished file: foreign pages first, each file opened and
// forgotten in turn, then our own, then the tree that puts them in order.
func (c *composer) assemble(w io.Writer, own []byte) error {
	out := newObjectWriter(w)
	tree, root, info := out.alloc(), out.alloc(), out.alloc()
	src := &source{}
	if len(c.own) > 0 {
		var err error
		if src, err = openSource(bytes.NewReader(own), len(c.own), c.job.Limits.Pixels); err != nil {
			return fmt.Errorf("own pages: %w", err)
		}
	}
	src.trusted = true
	ours := newCopier(src, out, tree)
	var kids []int
	for _, ch := range c.chunks {
		if ch.path == "" {
			kids = append(kids, ours.pages[ch.from:ch.to]...)
			continue
		}
		pages, err := copyFile(ch.path, out, tree, c.job.Limits)
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(ch.path), err)
		}
		kids = append(kids, pages...)
	}
	if err := ours.copyPages(c.linkAnnots(kids)); err != nil {
		return err
	}
	out.object(tree, types.Dict{"Type": types.Name("Pages"), "Count": types.Integer(len(kids)), "Kids": refs(kids)})
	catalog := types.Dict{"Type": types.Name("Catalog"), "Pages": ref(tree), "ViewerPreferences": types.Dict{"DisplayDocTitle": types.Boolean(true)}}
	if len(c.marks) > 0 {
		catalog["Outlines"], catalog["PageMode"] = writeOutlines(out, c.marks, kids), types.Name("UseOutlines")
	}
	if err := c.attachments(out, catalog); err != nil {
		return err
	}
	out.object(root, catalog)
	out.object(info, infoDict(c.job.Document.Meta))
	return out.finish(root, info)
}

func copyFile(path string, out *objectWriter, tree int, l Limits) ([]int, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := openSource(f, l.Pages, l.Pixels)
	if err != nil {
		return nil, err
	}
	src.trusted = true // it was measured when it was read
	c := newCopier(src, out, tree)
	return c.pages, c.copyPages(nil)
}

func (c *composer) linkAnnots(kids []int) map[int][]types.Dict {
	out := map[int][]types.Dict{}
	for _, l := range c.links {
		if l.page >= len(kids) {
			continue
		}
		out[l.own] = append(out[l.own], types.Dict{
			"Type": types.Name("Annot"), "Subtype": types.Name("Link"), "Border": rect(0, 0, 0),
			"Rect": rect(l.x1, l.y1, l.x2, l.y2), "Dest": types.Array{ref(kids[l.page]), types.Name("Fit")},
		})
	}
	return out
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
	out.stream(data, types.Dict{"Type": types.Name("EmbeddedFile"), "Params": types.Dict{"Size": types.Integer(size)}}, f, size)
	name := textString(fileName(a.name))
	out.object(spec, types.Dict{
		"Type": types.Name("Filespec"), "F": name, "UF": name, "Desc": textString(a.about),
		"EF": types.Dict{"F": ref(data), "UF": ref(data)},
	})
	return ref(spec), nil
}

func infoDict(m Meta) types.Dict {
	d := types.Dict{"Producer": textString("Lectern")}
	for key, text := range map[string]string{"Title": m.Title, "Author": m.Author, "Subject": m.Subject, "Creator": m.Creator} {
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
