package engine

import "strings"

// keywords tell what the keywords of a language are normalised to. Every name of a work is
// looked up by its hash, which its token needs anyhow.
type keywords [1 << keywordBits]struct {
	name string
	norm uint32 // 0 for what does not count
}

const keywordBits = 9

func keywordSlot(text uint32) uint32 { return text * 0x9E3779B1 >> (32 - keywordBits) }

func words(list string) *keywords {
	out := &keywords{}
	for _, w := range strings.Fields(list) {
		name, as, mapped := strings.Cut(w, "=")
		if !mapped {
			as = name
		}
		name, silent := strings.CutPrefix(name, "-")
		at := keywordSlot(hash(name))
		for out[at].name != "" && out[at].name != name { // of two that are the same the last counts
			at = (at + 1) % uint32(len(out))
		}
		out[at].name, out[at].norm = name, hash(as)
		if silent {
			out[at].norm = 0
		}
	}
	return out
}

// norm gives what a word with its hash is normalised to.
func (k *keywords) norm(word []byte, text uint32) uint32 {
	for at := keywordSlot(text); k[at].name != ""; at = (at + 1) % uint32(len(k)) {
		if k[at].name == string(word) {
			return k[at].norm
		}
	}
	return normName
}

func (s *scanner) emitName(k *keywords, start int) {
	text := hash(s.src[start:s.pos])
	norm := k.norm(s.src[start:s.pos], text)
	if norm == 0 {
		s.ends(start)
		return
	}
	s.emitAs(start, norm, text)
}
