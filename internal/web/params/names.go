package params

import "reflect"

// Names gives the whole name of every input that the struct type t declares,
// such as unit[code], by the last part of it, code. An input that stands in
// nothing goes before one of the same name inside another. A name that two
// stand for is left out, and so are the members of lists, which have no one
// name.
func Names(t reflect.Type) map[string]string {
	out, twice := map[string]string{}, map[string]bool{}
	planOf(t).inside("", out, twice, map[*plan]bool{})
	for name := range twice {
		delete(out, name)
	}
	for _, f := range planOf(t).fields {
		out[f.Name] = f.Name
	}
	return out
}

// inside adds the names of p, whose fields stand in the input called outer.
// Within names the plans on the way there: a struct may hold itself.
func (p *plan) inside(outer string, out map[string]string, twice map[string]bool, within map[*plan]bool) {
	if within[p] {
		return
	}
	within[p] = true
	defer delete(within, p)
	for _, f := range p.fields {
		whole := f.Name
		if outer != "" {
			whole = outer + "[" + f.Name + "]"
			if _, have := out[f.Name]; have {
				twice[f.Name] = true
			}
			out[f.Name] = whole
		}
		if f.bare != nil && !f.seen {
			f.bare.inside(whole, out, twice, within)
		}
	}
}
