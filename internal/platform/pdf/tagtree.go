package pdf

import "github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

// writeTags writes the tree of elements, and the list that leads from the marks
// on a page back to them.
func (a *assembly) writeTags() types.IndirectRef {
	root := a.out.alloc()
	nums := map[*element]int{}
	top := a.writeElement(a.tags.root, root, nums)
	var list types.Array
	for i, elements := range a.slots {
		back := make(types.Array, len(elements))
		for k, e := range elements {
			back[k] = ref(nums[e])
		}
		list = append(list, types.Integer(i), a.add(back))
	}
	a.out.object(root, types.Dict{
		"Type": types.Name("StructTreeRoot"), "K": types.Array{top},
		"ParentTree": a.add(types.Dict{"Nums": list}), "ParentTreeNextKey": types.Integer(len(a.slots)),
	})
	return ref(root)
}

func (a *assembly) writeElement(e *element, above int, nums map[*element]int) types.IndirectRef {
	num := a.out.alloc()
	nums[e] = num
	d := types.Dict{"Type": types.Name("StructElem"), "S": types.Name(e.tag), "P": ref(above)}
	if e.alt != "" {
		d["Alt"] = textString(visible(e.alt))
	}
	if e.tag == "TH" {
		d["A"] = types.Dict{"O": types.Name("Table"), "Scope": types.Name("Column")}
	}
	first := 0 // the page most of its content is on
	var kids types.Array
	for _, kid := range e.kids {
		switch k := kid.(type) {
		case *element:
			kids = append(kids, a.writeElement(k, num, nums))
		case marked:
			page := a.pageOf(k)
			if first == 0 {
				first = page
				d["Pg"] = ref(page)
			}
			if page == first {
				kids = append(kids, types.Integer(k.mark))
				continue
			}
			kids = append(kids, types.Dict{"Type": types.Name("MCR"), "Pg": ref(page), "MCID": types.Integer(k.mark)})
		}
	}
	if len(kids) > 0 {
		d["K"] = kids
	}
	a.out.object(num, d)
	return ref(num)
}

func (a *assembly) pageOf(m marked) int {
	if m.foreign > 0 {
		return a.kids[m.foreign-1]
	}
	return a.ours[m.own]
}
