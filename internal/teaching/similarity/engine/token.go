package engine

import (
	"path"
	"slices"
	"strings"
)

// Language tells how a text is cut into tokens.
type Language uint8

// The languages with a lexer of their own, the generic one, and words for documents.
const (
	Generic Language = iota
	Java
	Python
	C
	CPP
	CSharp
	JavaScript
	TypeScript
	Words
	languages
)

var languageNames = [languages]string{"generic", "java", "python", "c", "cpp", "csharp",
	"javascript", "typescript", "words"}

// String is the name by which ParseLanguage knows the language.
func (l Language) String() string {
	if l >= languages {
		return "unknown"
	}
	return languageNames[l]
}

// ParseLanguage finds a language by its name or one of its usual short names.
func ParseLanguage(name string) (Language, bool) {
	switch name = strings.ToLower(name); name {
	case "c++", "cc", "cxx":
		return CPP, true
	case "c#", "cs":
		return CSharp, true
	case "js":
		return JavaScript, true
	case "ts":
		return TypeScript, true
	case "py":
		return Python, true
	case "text", "document":
		return Words, true
	}
	for l, n := range languageNames {
		if n == name {
			return Language(l), true
		}
	}
	return Generic, false
}

var byExtension = map[string]Language{
	".java": Java, ".py": Python, ".pyw": Python, ".c": C, ".h": C,
	".cc": CPP, ".cpp": CPP, ".cxx": CPP, ".hh": CPP, ".hpp": CPP, ".hxx": CPP, ".ino": CPP,
	".cs": CSharp, ".js": JavaScript, ".mjs": JavaScript, ".cjs": JavaScript, ".jsx": JavaScript,
	".ts": TypeScript, ".mts": TypeScript, ".cts": TypeScript, ".tsx": TypeScript,
	".txt": Words, ".md": Words, ".rst": Words, ".tex": Words,
}

// LanguageOf guesses the language from the file's name; Generic where it is unknown.
func LanguageOf(name string) Language { return byExtension[strings.ToLower(path.Ext(name))] }

// token is one word of a program. norm is what is left of it once names and
// literals are taken away; text is the hash of what was written. What a copy
// adds or drops at no cost (braces, semicolons, modifiers) makes no token.
type token struct {
	norm, text uint32
	start, end uint32 // bytes
	line, last uint32 // first and last line, counted from 1
	begins     bool   // a statement, or a part of the head of a loop
}

// What names and literals become in the normalised view.
var (
	normName   = hash("\x00name")
	normNumber = hash("\x00number")
	normString = hash("\x00string")
)

// hash is FNV-1a, never 0: as a norm, 0 means that the word makes no token.
func hash[T string | []byte](s T) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	if h == 0 {
		return 1
	}
	return h
}

// tokens cuts a text up, at most limit tokens of it. It never fails: what a
// lexer does not understand becomes a token of one byte.
func tokens(src []byte, l Language, limit int) []token {
	out, _ := scan(nil, src, l, limit)
	return out
}

// scan cuts a text up into tokens, which it puts where out has room, and comment lines.
func scan(out []token, src []byte, l Language, limit int) ([]token, []note) {
	out = slices.Grow(out, min(len(src)/8+1, limit))
	s := &scanner{src: src, line: 1, limit: limit, begin: true, out: out}
	switch l {
	case Words:
		s.words()
	case Python:
		s.python()
	case Java, C, CPP, CSharp, JavaScript, TypeScript:
		s.braces(dialects[l])
	default:
		s.generic()
	}
	return s.out, s.notes
}
