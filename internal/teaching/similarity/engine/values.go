package engine

// values reads a name that stands for one number or text as that, from where it is given
// it up to where it is given or declared anew. So it makes no difference whether a copy
// gives a value a name.
type values struct {
	*signer
	of   []given // by the number of the name
	next []int32 // by token: the place before where its name stands for the same value
	list []int32 // names of the file that were given a value
}

// given is a value that has a name, and the last place where the name stands for it.
type given struct {
	file int32 // number from 1; of another file it says nothing
	some bool
	as   uint32
	last int32 // a token, from 1
}

func (v *values) read(number int) {
	file := v.p.files[number]
	v.list = v.list[:0]
	for i := file.from; i < file.upTo; i++ {
		if v.kinds[i] != aName {
			continue
		}
		name := v.names[i]
		g := &v.of[name]
		if g.file != int32(number+1) {
			*g = given{file: int32(number + 1)}
		}
		switch value, what := v.gives(i, file); what {
		case givesValue:
			v.stands(g)
			g.some, g.as = true, value
			v.list = append(v.list, name)
		case changes:
			g.some, g.last = false, 0
		default:
			if g.some {
				v.next[i] = g.last
				g.last = int32(i + 1)
			}
		}
	}
	for _, name := range v.list {
		v.stands(&v.of[name])
	}
}

// stands puts the value where its name stands for it.
func (v *values) stands(g *given) {
	for ; g.last > 0; g.last = v.next[g.last-1] {
		v.kinds[g.last-1], v.as[g.last-1] = aValue, g.as
	}
}

const (
	readOnly = iota
	givesValue
	changes
)

// gives tells what happens to a name where it stands: it is given a value, it changes in
// another way, or neither.
func (s *signer) gives(i int, file printedFile) (value uint32, what int) {
	if i > file.from && s.kinds[i-1] == aStep {
		return 0, changes
	}
	if i+1 >= file.upTo {
		return 0, readOnly
	}
	switch next := s.kinds[i+1]; {
	case next == aChange || next == aStep:
		return 0, changes
	case next == aValue && i > file.from && s.p.toks[i-1].norm == normDefine:
		return s.as[i+1], givesValue
	case next == anAssign:
		if i+2 < file.upTo && s.kinds[i+2] == aValue && (i+3 == file.upTo || s.p.toks[i+3].begins) {
			return s.as[i+2], givesValue
		}
		return 0, changes
	case i > file.from && s.kinds[i-1] == aType:
		return 0, changes // declared anew, as a parameter is
	}
	return 0, readOnly
}
