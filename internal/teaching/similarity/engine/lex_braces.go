package engine

// dialect tells the languages with braces apart.
type dialect struct {
	keywords  *keywords
	directive bool // lines that start with #: includes and macros
	skipHash  bool // such lines are passed over
	backtick  bool // `template strings`
	regex     bool // /regular expressions/
	quotes    bool // 'a' is a string of any length
	triple    bool // """text blocks"""
	verbatim  bool // @"C# strings"
	raw       bool // R"x(C++ strings)x"
}

var dialects = [languages]*dialect{
	Java: {keywords: words(javaWords), triple: true},
	C:    {keywords: words(cWords), directive: true},
	CPP:  {keywords: words(cWords + cppWords), directive: true, raw: true},
	CSharp: {keywords: words(csharpWords), directive: true, skipHash: true, triple: true,
		verbatim: true},
	JavaScript: {keywords: words(jsWords), backtick: true, regex: true, quotes: true},
	TypeScript: {keywords: words(jsWords + tsWords), backtick: true, regex: true, quotes: true},
}

// Keywords, space apart. "-x" does not count in the normalised view; "x=y" counts as y,
// so that a loop stays a loop and a number a number when a copy writes it otherwise.
const (
	javaWords = ` -public -private -protected -final -abstract static class interface enum record extends
 implements void=type int=type long=type short=type byte=type float=type double=type char=type boolean=type var=type
 String=type if else for=loop while=loop do=loop switch case default break continue return new try catch finally
 throw throws import package instanceof true=bool false=bool null this super synchronized -transient -volatile -native
 -strictfp assert yield`
	cWords = ` -auto -register -volatile -const -inline -extern -restrict static struct union enum typedef void=type
 int=type long=type short=type float=type double=type char=type bool=type signed=type unsigned=type size_t=type if else
 for=loop while=loop do=loop switch case default break continue return goto sizeof true=bool false=bool NULL=null`
	cppWords = ` -public -private -protected -constexpr -explicit -virtual -override -noexcept -friend -mutable class
 namespace using template typename new delete this try catch throw operator nullptr=null auto=type string=type
 dynamic_cast=cast static_cast=cast const_cast=cast reinterpret_cast=cast`
	csharpWords = ` -public -private -protected -internal -readonly -const -sealed -virtual -override -partial -unsafe
 abstract static class interface struct enum record namespace using void=type int=type long=type short=type byte=type
 uint=type ulong=type ushort=type sbyte=type float=type double=type decimal=type char=type bool=type var=type
 string=type String=type object=type if else for=loop foreach=loop while=loop do=loop in switch case default break
 continue return new try catch finally throw is as this base true=bool false=bool null typeof ref out params lock
 yield async await get set`
	jsWords = ` const=declare let=declare var=declare function class extends if else for=loop while=loop do=loop of
 in switch case default break continue return new delete typeof instanceof try catch finally throw this super null
 undefined=null true=bool false=bool import export from async await yield static get set void`
	tsWords = ` -public -private -protected -readonly -declare -abstract interface type enum namespace implements
 number=type string=type boolean=type any=type unknown=type never=type as keyof`
)

// braces cuts up Java, C, C++, C#, JavaScript and TypeScript.
func (s *scanner) braces(d *dialect) {
	fresh := true      // nothing but space stands before on this line
	directive := false // it ends with its line
	for s.more() {
		switch c := s.src[s.pos]; {
		case c == '\n' || c == '\r':
			s.begin = s.begin || directive
			fresh, directive = true, false
			s.pos++
			continue
		case c <= ' ':
			s.pos++
			continue
		case c == '/' && s.at(1) == '/':
			s.noteLine(2)
			continue
		case c == '/' && s.at(1) == '*':
			s.noteUpTo(2, "*/")
			continue
		case c == '#' && d.directive && fresh:
			s.begin, directive = true, true
			s.directive(d)
		default:
			s.braceToken(d, c)
		}
		fresh = false
	}
}

func (s *scanner) braceToken(d *dialect, c byte) {
	start := s.pos
	switch {
	case s.stringLiteral(d, c):
		s.emit(start, normString)
	case isDigit(c) || c == '.' && isDigit(s.at(1)):
		s.number()
		s.emit(start, normNumber)
	case nameByte(s.src[s.pos:]) > 0:
		s.name()
		s.emitName(d.keywords, start)
	default:
		s.operator()
		s.emit(start, operatorNorm(s.src[start:s.pos]))
	}
}

// stringLiteral moves behind a string or character, if one starts here.
func (s *scanner) stringLiteral(d *dialect, c byte) bool {
	switch {
	case d.triple && s.has(`"""`):
		s.pos += 3
		s.skipTo(`"""`)
	case d.verbatim && (s.has(`@"`) || s.has(`$@"`) || s.has(`@$"`)):
		s.verbatim()
	case d.verbatim && s.has(`$"`):
		s.pos++
		s.quoted('"', false)
	case d.raw && s.has(`R"`):
		s.rawString()
	case c == '"':
		s.quoted('"', false)
	case c == '\'':
		s.quoted('\'', false)
	case c == '`' && d.backtick:
		s.quoted('`', true)
	case c == '/' && d.regex && s.regexMayStart():
		return s.regexp()
	default:
		return false
	}
	return true
}

// verbatim moves behind @"a C# string", in which "" is a quote.
func (s *scanner) verbatim() {
	for s.src[s.pos] != '"' {
		s.pos++
	}
	for s.pos++; s.pos < len(s.src); s.pos++ {
		if s.src[s.pos] != '"' {
			continue
		}
		s.pos++
		if s.at(0) != '"' {
			return
		}
	}
}

// rawString moves behind R"mark(a C++ string)mark".
func (s *scanner) rawString() {
	start := s.pos + 2
	for s.pos = start; s.pos < len(s.src) && s.pos-start <= 16; s.pos++ {
		if s.src[s.pos] == '(' {
			s.skipTo(")" + string(s.src[start:s.pos]) + `"`)
			return
		}
	}
}

// regexMayStart tells a regular expression from a division by what stands before.
func (s *scanner) regexMayStart() bool {
	if len(s.out) == 0 {
		return true
	}
	last := s.out[len(s.out)-1]
	switch last.norm {
	case normName, normNumber, normString:
		return false
	}
	c := s.src[last.end-1]
	return c != ')' && c != ']' && c != '}'
}

// regexp moves behind a regular expression; where its line ends first, it was none.
func (s *scanner) regexp() bool {
	class := false
	for i := s.pos + 1; i < len(s.src) && i < s.pos+1000; i++ {
		switch c := s.src[i]; {
		case c == '\n' || c == '\r':
			return false
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			s.pos = i + 1
			s.name()
			return true
		}
	}
	return false
}

// directive reads the # of an include or a macro, whose rest is read as code:
// "#include <x>" becomes one token, since the names of headers say little.
func (s *scanner) directive(d *dialect) {
	start := s.pos
	s.pos++
	for s.at(0) == ' ' || s.at(0) == '\t' {
		s.pos++
	}
	word := s.pos
	s.name()
	if name := string(s.src[word:s.pos]); d.skipHash {
		s.skipLine(false)
	} else {
		if name == "include" || name == "pragma" {
			s.skipLine(true)
		}
		s.emit(start, hash("#"+name))
	}
}

// operatorNorm leaves out what only groups: a copy adds or drops it at no cost.
func operatorNorm(op []byte) uint32 {
	if len(op) == 1 {
		switch op[0] {
		case '{', '}', ';':
			return 0
		}
	}
	return hash(op)
}
