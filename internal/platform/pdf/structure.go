package pdf

import (
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// structure copies what makes a foreign PDF readable to people who do not see it: the tree
// of its headings, paragraphs, tables and pictures with what they say in words, the way from
// the marks on its pages back into that tree, its language and its title. As on the pages,
// only what is named here is taken over.
type structure struct {
	*copier
	root  int         // the new number of the tree's root
	elems map[int]int // old numbers of elements to new ones
	left  int         // how many more elements and entries are taken
}

const (
	maxElements  = 500_000
	maxElemDepth = 300
)

// frame copies into the catalog what describes the document as a whole, and gives what its
// Info holds.
func (c *copier) frame(catalog types.Dict) (info types.Dict) {
	info = types.Dict{}
	if d := c.src.dict(trailerInfo(c.src)); c.src.text(d["Title"]) != "" {
		info["Title"] = textString(c.src.words(d["Title"]))
	}
	root, err := c.src.ctx.Catalog()
	if err != nil {
		return info
	}
	if lang := c.src.text(root["Lang"]); lang != "" {
		catalog["Lang"] = bytesString(lang)
	}
	if prefs := c.plain(c.src.dict(root["ViewerPreferences"])); len(prefs) > 0 {
		catalog["ViewerPreferences"] = prefs
	}
	if marks := c.plain(c.src.dict(root["MarkInfo"])); len(marks) > 0 {
		catalog["MarkInfo"] = marks
	}
	if c.tagged {
		catalog["StructTreeRoot"] = c.structure(c.src.dict(root["StructTreeRoot"]))
	}
	return info
}

func trailerInfo(s *source) types.Object {
	if s.ctx.Info == nil {
		return nil
	}
	return *s.ctx.Info
}

// hasStructure tells whether a file has a tree of elements.
func (s *source) hasStructure() bool {
	root, err := s.ctx.Catalog()
	return err == nil && s.dict(root["StructTreeRoot"]) != nil
}

// plain keeps the entries that are a plain value, or a list of numbers.
func (c *copier) plain(d types.Dict) types.Dict {
	out := types.Dict{}
	for key, o := range d {
		switch v := c.src.resolve(o).(type) {
		case types.Boolean, types.Name, types.Integer:
			out[key] = v
		case types.Array:
			if !slices.ContainsFunc(v, func(e types.Object) bool { _, ok := e.(types.Integer); return !ok }) {
				out[key] = v
			}
		}
	}
	return out
}

// structure writes the tree, and tells where.
func (c *copier) structure(old types.Dict) types.Object {
	s := &structure{copier: c, root: c.out.alloc(), elems: map[int]int{}, left: maxElements}
	d := types.Dict{"Type": types.Name("StructTreeRoot")}
	if kids := s.kids(old["K"], s.root, 0); kids != nil {
		d["K"] = kids
	}
	if nums := s.parents(old["ParentTree"], 0); len(nums) > 0 {
		d["ParentTree"] = c.write(types.Dict{"Nums": nums})
	}
	if next, ok := c.src.resolve(old["ParentTreeNextKey"]).(types.Integer); ok {
		d["ParentTreeNextKey"] = next
	}
	if ids := s.ids(old["IDTree"], 0); len(ids) > 0 {
		d["IDTree"] = c.write(types.Dict{"Names": ids})
	}
	if roles := c.plain(c.src.dict(old["RoleMap"])); len(roles) > 0 {
		d["RoleMap"] = roles
	}
	if classes := s.attributes(c.src.dict(old["ClassMap"]), 0); classes != nil {
		d["ClassMap"] = classes
	}
	c.out.object(s.root, d)
	return ref(s.root)
}

// elemKeys are those of an element that say something; its parent, its children and its
// page are found anew.
var elemKeys = []string{"S", "ID", "Lang", "Alt", "E", "ActualText", "T", "R"}

// element writes an element with all below it, once.
func (s *structure) element(o types.Object, parent, depth int) types.Object {
	d := s.src.dict(o)
	if name(s.src.resolve(d["S"])) == "" || depth > maxElemDepth {
		return nil
	}
	if s.known(o) != nil {
		return nil // it stands elsewhere in the tree already
	}
	num := s.out.alloc()
	if r, ok := o.(types.IndirectRef); ok {
		s.elems[int(r.ObjectNumber)] = num
	}
	out := types.Dict{"Type": types.Name("StructElem"), "P": ref(parent)}
	for _, key := range elemKeys {
		switch v := s.src.resolve(d[key]).(type) {
		case types.Name, types.Integer, types.StringLiteral, types.HexLiteral:
			out[key] = v
		}
	}
	if page, ok := s.pageRef(d["Pg"]); ok {
		out["Pg"] = page
	}
	for _, key := range []string{"A", "C"} {
		if v := s.attributes(d[key], 0); v != nil {
			out[key] = v
		}
	}
	if kids := s.kids(d["K"], num, depth+1); kids != nil {
		out["K"] = kids
	}
	s.out.object(num, out)
	return ref(num)
}

// pageRef leads to the copy of a page.
func (s *structure) pageRef(o types.Object) (types.Object, bool) {
	r, ok := o.(types.IndirectRef)
	if !ok {
		return nil, false
	}
	i, ok := s.src.byRef[int(r.ObjectNumber)]
	if !ok {
		return nil, false
	}
	return ref(s.pages[i]), true
}

// kids copies what an element is made of: marks on a page, elements, annotations.
func (s *structure) kids(o types.Object, parent, depth int) types.Object {
	if s.left--; s.left <= 0 {
		return nil
	}
	switch v := s.src.resolve(o).(type) {
	case types.Integer:
		return v
	case types.Array:
		var out types.Array
		for _, e := range v {
			if _, nested := s.src.resolve(e).(types.Array); nested {
				continue
			}
			if kid := s.kids(e, parent, depth); kid != nil {
				out = append(out, kid)
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case types.Dict:
		switch name(s.src.resolve(v["Type"])) {
		case "MCR":
			return s.mark(v)
		case "OBJR":
			return s.annotated(v)
		}
		return s.element(o, parent, depth)
	}
	return nil
}

// mark leads to a part of a page, or of a picture on it.
func (s *structure) mark(d types.Dict) types.Object {
	id, ok := s.src.resolve(d["MCID"]).(types.Integer)
	if !ok {
		return nil
	}
	out := types.Dict{"Type": types.Name("MCR"), "MCID": id}
	if page, ok := s.pageRef(d["Pg"]); ok {
		out["Pg"] = page
	}
	if r, ok := d["Stm"].(types.IndirectRef); ok {
		num, copied := s.nums[int(r.ObjectNumber)]
		if !copied {
			return nil
		}
		out["Stm"] = ref(num)
	}
	return out
}

// annotated leads to an annotation or a picture, where it was kept.
func (s *structure) annotated(d types.Dict) types.Object {
	r, ok := d["Obj"].(types.IndirectRef)
	if !ok {
		return nil
	}
	num := s.placed[int(r.ObjectNumber)]
	if num == 0 {
		num = s.nums[int(r.ObjectNumber)]
	}
	if num == 0 {
		return nil
	}
	out := types.Dict{"Type": types.Name("OBJR"), "Obj": ref(num)}
	if page, ok := s.pageRef(d["Pg"]); ok {
		out["Pg"] = page
	}
	return out
}

// attributes copies how an element is laid out, which cells a heading is over and so on:
// plain values in lists and dictionaries.
func (s *structure) attributes(o types.Object, depth int) types.Object {
	if depth > 8 || s.left <= 0 {
		return nil
	}
	s.left--
	switch v := s.src.resolve(o).(type) {
	case types.Boolean, types.Name, types.Integer, types.Float, types.StringLiteral, types.HexLiteral:
		return v
	case types.Array:
		out := make(types.Array, len(v))
		for i := range v {
			out[i] = s.attributes(v[i], depth+1)
		}
		return out
	case types.Dict:
		if len(v) == 0 || acts(v) {
			return nil
		}
		out := types.Dict{}
		for _, key := range sortedKeys(v) {
			if e := s.attributes(v[key], depth+1); e != nil {
				out[key] = e
			}
		}
		return out
	}
	return nil
}

// parents copies the way from the marks of a page, and from an annotation, to elements.
func (s *structure) parents(o types.Object, depth int) (nums types.Array) {
	d := s.src.dict(o)
	if d == nil || depth > 20 {
		return nil
	}
	list := s.src.array(d["Nums"])
	for i := 0; i+1 < len(list) && s.left > 0; i += 2 {
		key, ok := s.src.resolve(list[i]).(types.Integer)
		if !ok {
			continue
		}
		s.left--
		if back := s.back(list[i+1]); back != nil {
			nums = append(nums, key, back)
		}
	}
	for _, kid := range s.src.array(d["Kids"]) {
		if s.left--; s.left <= 0 {
			break
		}
		nums = append(nums, s.parents(kid, depth+1)...)
	}
	return nums
}

// back is one entry of parents: an element, or a list of them.
func (s *structure) back(o types.Object) types.Object {
	if e := s.known(o); e != nil {
		return e
	}
	list := s.src.array(o)
	if list == nil || len(list) > s.left {
		return nil
	}
	s.left -= len(list)
	out := make(types.Array, len(list))
	for i := range list {
		out[i] = s.known(list[i])
	}
	return s.write(out)
}

// known leads to an element that was copied.
func (s *structure) known(o types.Object) types.Object {
	if r, ok := o.(types.IndirectRef); ok && s.elems[int(r.ObjectNumber)] != 0 {
		return ref(s.elems[int(r.ObjectNumber)])
	}
	return nil
}

// ids copies the names that elements know each other by.
func (s *structure) ids(o types.Object, depth int) (names types.Array) {
	d := s.src.dict(o)
	if d == nil || depth > 20 {
		return nil
	}
	list := s.src.array(d["Names"])
	for i := 0; i+1 < len(list) && s.left > 0; i += 2 {
		s.left--
		if e := s.known(list[i+1]); e != nil {
			names = append(names, bytesString(s.src.text(list[i])), e)
		}
	}
	for _, kid := range s.src.array(d["Kids"]) {
		if s.left--; s.left <= 0 {
			break
		}
		names = append(names, s.ids(kid, depth+1)...)
	}
	return names
}
