package engine

// What a token is to the second signal, whatever it is called and wherever it stands.
const (
	aWord    = iota // a keyword, or a sign that says little
	aName           // a variable, a method
	aValue          // a number or a text
	anOp            // + - * / % and the like
	anOrder         // < > <= >=
	anEqual         // == !=
	anAssign        // =
	aChange         // += -= *= /=
	aStep           // ++ --
	aGroup          // ( ) , :
	anIndex         // [
	aMember         // .
	aType           // int, double, let
)

type sign struct {
	kind uint8
	as   uint32 // what it counts as
}

var signOf = func() map[uint32]sign {
	out := map[uint32]sign{}
	add := func(kind uint8, as string, ops ...string) {
		for _, op := range ops {
			s := sign{kind, hash(op)}
			if as != "" {
				s.as = hash(as)
			}
			out[hash(op)] = s
		}
	}
	add(anOp, "", "+", "-", "*", "/", "%", "//", "**", "&", "|", "^", "<<", ">>", "&&", "||")
	out[hash("//")] = out[hash("/")]
	out[hash("and")], out[hash("or")] = out[hash("&&")], out[hash("&&")]
	out[hash("||")] = out[hash("&&")]
	add(anOrder, "<", "<", ">", "<=", ">=")
	add(anEqual, "==", "==", "!=", "===", "!==")
	add(anAssign, "=", "=", ":=")
	for _, op := range []string{"+", "-", "*", "/", "%"} {
		out[hash(op+"=")] = sign{aChange, hash(op)}
	}
	out[hash("//=")] = out[hash("/=")]
	out[hash("++")], out[hash("--")] = sign{aStep, hash("+")}, sign{aStep, hash("-")}
	add(aGroup, "", "(", ")", ",", ":", "]", "!", "not")
	add(anIndex, "[", "[")
	add(aMember, ".", ".", "->", "::")
	add(aType, "type", "type", "declare")
	return out
}()

const (
	signName  = 0x1001
	signCall  = 0x1002
	signPart  = 0x1003 // of a larger expression
	signIndex = 0x1004
	signArg   = 0x1005
	signSmall = 0x1006
)

func (t *token) sign() (uint8, uint32) {
	switch t.norm {
	case normName:
		return aName, signName
	case normNumber, normString:
		if t.text == textZero || t.text == textOne {
			return aValue, signSmall
		}
		return aValue, t.text
	}
	for at := signSlot(t.norm); signTable[at].norm != 0; at = (at + 1) % uint32(len(signTable)) {
		if signTable[at].norm == t.norm {
			return signTable[at].kind, signTable[at].as
		}
	}
	return aWord, t.norm
}

// Small numbers move when a condition is said otherwise: n < 1 is n <= 0.
var textZero, textOne = hash("0"), hash("1")

// signTable is signOf, laid out so that it can be asked for every token.
var signTable = func() (out [1 << 9]struct {
	norm uint32
	sign
}) {
	for norm, s := range signOf {
		at := signSlot(norm)
		for out[at].norm != 0 {
			at = (at + 1) % uint32(len(out))
		}
		out[at].norm, out[at].sign = norm, s
	}
	return out
}()

func signSlot(norm uint32) uint32 { return norm * 0x9E3779B1 >> (32 - 9) }
