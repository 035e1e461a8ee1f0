package engine

// signer reads a work for the second signal.
type signer struct {
	p     *Prints
	level int
	f     func(run)
	met   *counts // how often a sign was met
	kinds []uint8
	as    []uint32
	names []int32 // numbers of names
	count int32   // of different names
}

// signs calls f with the signs of the second signal that are kept at the level.
func (p *Prints) signs(level int, f func(run)) {
	s := p.signer(level, f)
	s.met = newCounts(len(p.toks) >> max(0, level-sparse))
	last := make([]lastPlaces, s.count)
	for n, file := range p.files {
		if file.language != Words {
			s.steps(file)
			s.flow(n, last)
		}
	}
	p.words(level, f)
}

func (p *Prints) signer(level int, f func(run)) *signer {
	s := &signer{p: p, level: level, f: f, kinds: make([]uint8, len(p.toks)), as: make([]uint32, len(p.toks))}
	names := 0
	for i := range p.toks {
		s.kinds[i], s.as[i] = p.toks[i].sign()
		if s.kinds[i] == aName {
			names++
		}
	}
	s.names, s.count = numbered(p.toks, s.kinds, names)
	v := values{signer: s, of: make([]given, s.count), next: make([]int32, len(p.toks))}
	for n, file := range p.files {
		if file.language != Words {
			v.read(n)
		}
	}
	return s
}

var (
	normDefine = hash("#define")
	normIf     = hash("if")
	normElse   = hash("else")
	normLoop   = hash("loop")
	normOpen   = hash("(")
	normClose  = hash(")")
)

// emit makes a fingerprint of a sign. The first four of a kind are told apart, so that
// what is there twice must be there twice in the other, too; all are kept or none is.
func (s *signer) emit(view uint8, h uint64, from, upTo int) {
	h = signHash(view, h)
	if zeros(h) < s.level-sparse {
		return
	}
	n := s.met.at(h)
	if *n == mostAlike {
		return
	}
	*n++
	s.f(run{hash: nth(h, *n-1), view: view, from: int32(from), upTo: int32(upTo)})
}

func signHash(view uint8, h uint64) uint64 { return mix(h*base + uint64(view)<<56) }

// nth is the hash of the nth sign of a kind, which is as long in the sample as the first.
func nth(h uint64, n uint8) uint64 {
	const low = 1<<maxLevel - 1
	return mix(h+uint64(n))&^low | h&low
}

// mostAlike is how many signs of one kind count.
const mostAlike = 4

// steps makes a sign of each statement: what is in it, in no order.
func (s *signer) steps(file printedFile) {
	var last uint64
	lastAt := 0
	s.eachStep(file, func(h uint64, from, upTo int) {
		s.emit(stepView, h, from, upTo)
		if last != 0 {
			s.emit(stepView, mix(h)+mix(last), lastAt, upTo)
		}
		last, lastAt = h, from
	})
}

// eachStep calls f with the statements that do something.
func (s *signer) eachStep(file printedFile, f func(h uint64, from, upTo int)) {
	for i := file.from; i < file.upTo; {
		end := s.stepEnd(i, file.upTo)
		if h, n := s.step(i, end); n >= 1 {
			f(h, i, end)
		}
		i = end
	}
}

// stepEnd finds the end of a statement, or of the head of one.
func (s *signer) stepEnd(i, upTo int) int {
	for i < upTo-1 && s.p.toks[i].norm == normElse {
		i++
	}
	head := s.p.toks[i].norm == normIf || s.p.toks[i].norm == normLoop
	depth := 0
	for end := i + 1; end < upTo; end++ {
		t := &s.p.toks[end]
		if t.begins {
			return end
		}
		switch t.norm {
		case normOpen:
			depth++
		case normClose:
			if depth--; depth < 0 || depth == 0 && head {
				return end + 1
			}
		}
	}
	return upTo
}

// step adds up what a statement is made of. Declared or not, x += y or x = x + y, a < b
// or b > a, in a condition or in a result: it counts the same.
func (s *signer) step(from, upTo int) (sum uint64, n int) {
	for i := from; i < upTo; i++ {
		switch s.kinds[i] {
		case aGroup, aType, aMember, aWord:
			continue
		case aName:
			if i > from && s.kinds[i-1] == aMember {
				sum += mix(uint64(s.p.toks[i].text))
			} else {
				sum += mixedName
			}
			continue
		case aChange:
			sum += mixedAssign + mixedName
		case aStep:
			sum += mixedAssign + mixedName + mixedSmall
		}
		sum += mix(uint64(s.as[i]))
		n++
	}
	return sum, n
}

// What most statements are made of.
var mixedName, mixedSmall, mixedAssign = mix(signName), mix(signSmall), mix(uint64(hash("=")))

// place is where a variable stands, and what is done with it there: on both sides of it,
// and the same mixed, 0 for nothing.
type place struct {
	at          int32
	what, mixed [2]uint64
}

// lastPlaces are the last two places of a variable in a file.
type lastPlaces struct {
	file int32 // number from 1; of another file it says nothing
	was  [2]place
}

// flow makes signs of what happens to one variable: of two places where it stands one
// after the other.
func (s *signer) flow(number int, all []lastPlaces) {
	file := s.p.files[number]
	for i := file.from; i < file.upTo; i++ {
		if s.kinds[i] != aName || i > file.from && s.kinds[i-1] == aMember || s.changed(i, file) {
			continue
		}
		now := place{at: int32(i), what: s.context(i, file)}
		last := &all[s.names[i]]
		if last.file != int32(number+1) {
			*last = lastPlaces{file: int32(number + 1)}
		}
		for side, what := range now.what {
			if what != 0 {
				now.mixed[side] = mix(what)
				s.emit(signView, what, i, i+1)
				s.follows(last, now.mixed[side], i+1)
			}
		}
		last.was[0], last.was[1] = now, last.was[0]
	}
}

// follows makes signs of one more place of a variable and those before.
func (s *signer) follows(last *lastPlaces, what uint64, upTo int) {
	for d := range last.was {
		w := &last.was[d]
		for side, before := range w.what {
			if before != 0 {
				s.emit(signView, w.mixed[side]+what+uint64(d), int(w.at), upTo)
			}
		}
	}
}

// changed tells the first name of x = x + y, which is x += y.
func (s *signer) changed(i int, file printedFile) bool {
	return i+3 < file.upTo && s.kinds[i+1] == anAssign && s.kinds[i+3] == anOp && s.kinds[i+2] == aName &&
		s.names[i] == s.names[i+2]
}

// context tells what is done with a name: what stands on both sides of it.
func (s *signer) context(i int, file printedFile) (out [2]uint64) {
	out[0] = s.beside(i+1, i+2, file, true)
	if i < file.from+2 || !s.changed(i-2, file) {
		out[1] = s.beside(i-1, i-2, file, false)
	}
	if out[0] == 0 && out[1] == 0 {
		out[0] = signArg
	}
	return out
}

func (s *signer) beside(at, other int, file printedFile, right bool) uint64 {
	if at < file.from || at >= file.upTo {
		return 0
	}
	as := uint64(s.as[at])
	switch s.kinds[at] {
	case anOp, anOrder, anEqual:
		return mix(as*base + s.operand(other, file))
	case anAssign:
		if right {
			return mix(as*base + s.operand(other, file) + 7)
		}
		return mix(as*base + 9)
	case aChange:
		if right {
			return mix(as*base + s.operand(other, file))
		}
	case aStep:
		return mix(as*base + signSmall)
	case anIndex:
		if right {
			return signIndex
		}
		return signIndex + 100
	}
	return 0
}

func (s *signer) operand(i int, file printedFile) uint64 {
	if i < file.from || i >= file.upTo {
		return 0
	}
	switch s.kinds[i] {
	case aName:
		if i+1 < file.upTo && s.kinds[i+1] == anIndex {
			return signIndex
		}
		return signName
	case aValue:
		return uint64(s.as[i])
	}
	return signPart
}

// words calls f with the signs of what was written in words that are kept at the level:
// comments, texts, names, numbers, each once.
func (p *Prints) words(level int, f func(run)) {
	met := newCounts(len(p.toks) >> (max(0, level-sparse) + 3))
	once := func(h uint64, size uint32, r run) {
		if r.hash = mix(h); zeros(r.hash) < level-sparse {
			return
		}
		if n := met.at(r.hash); *n == 0 {
			*n = 1
			r.view = wordOf(size)
			f(r)
		}
	}
	for i := range p.toks {
		switch t := &p.toks[i]; t.norm {
		case normString, normNumber, normName:
			if size := t.end - t.start; size >= minWord {
				once(uint64(t.text)<<8+1, size, run{from: int32(i), upTo: int32(i + 1)})
			}
		}
	}
	for i, n := range p.notes {
		once(n.hash+2, n.size, run{note: int32(i + 1)})
	}
}

// minWord is the length from which a word says something of who wrote it.
const minWord = 3

// wordOf gives the view of a word: the longer, the more it weighs.
func wordOf(size uint32) uint8 {
	switch {
	case size >= 20:
		return phraseView
	case size >= 8:
		return longWordView
	}
	return shortWordView
}
