package pdf

import "slices"

// mathSigns are the commands that stand for one character.
var mathSigns = map[string]rune{
	"alpha": 'α', "beta": 'β', "gamma": 'γ', "delta": 'δ', "epsilon": 'ε', "varepsilon": 'ε', "zeta": 'ζ', "eta": 'η',
	"theta": 'θ', "vartheta": 'ϑ', "iota": 'ι', "kappa": 'κ', "lambda": 'λ', "mu": 'μ', "nu": 'ν', "xi": 'ξ',
	"omicron": 'ο', "pi": 'π', "varpi": 'ϖ', "rho": 'ρ', "varrho": 'ϱ', "sigma": 'σ', "varsigma": 'ς', "tau": 'τ',
	"upsilon": 'υ', "phi": 'φ', "varphi": 'φ', "chi": 'χ', "psi": 'ψ', "omega": 'ω',
	"Gamma": 'Γ', "Delta": 'Δ', "Theta": 'Θ', "Lambda": 'Λ', "Xi": 'Ξ', "Pi": 'Π', "Sigma": 'Σ', "Upsilon": 'Υ',
	"Phi": 'Φ', "Psi": 'Ψ', "Omega": 'Ω',
	"times": '×', "div": '÷', "cdot": '·', "ast": '∗', "star": '⋆', "circ": '∘', "bullet": '•', "pm": '±', "mp": '∓',
	"cup": '∪', "cap": '∩', "setminus": '∖', "wedge": '∧', "land": '∧', "vee": '∨', "lor": '∨', "oplus": '⊕',
	"otimes": '⊗', "le": '≤', "leq": '≤', "ge": '≥', "geq": '≥', "ll": '≪', "gg": '≫', "ne": '≠', "neq": '≠',
	"approx": '≈', "equiv": '≡', "sim": '∼', "simeq": '≃', "cong": '≅', "propto": '∝', "in": '∈', "notin": '∉',
	"ni": '∋', "subset": '⊂', "supset": '⊃', "subseteq": '⊆', "supseteq": '⊇', "mid": '∣', "parallel": '∥',
	"perp": '⊥', "vdash": '⊢', "models": '⊨', "to": '→', "rightarrow": '→', "leftarrow": '←', "gets": '←',
	"leftrightarrow": '↔', "Rightarrow": '⇒', "implies": '⇒', "Leftarrow": '⇐', "Leftrightarrow": '⇔', "iff": '⇔',
	"mapsto": '↦', "uparrow": '↑', "downarrow": '↓', "infty": '∞', "partial": '∂', "nabla": '∇', "forall": '∀',
	"exists": '∃', "neg": '¬', "lnot": '¬', "emptyset": '∅', "varnothing": '∅', "prime": '′', "degree": '°',
	"angle": '∠', "ell": 'ℓ', "hbar": 'ℏ', "Re": 'ℜ', "Im": 'ℑ', "aleph": 'ℵ', "ldots": '…', "dots": '…',
	"cdots": '⋯', "vdots": '⋮', "ddots": '⋱', "langle": '⟨', "rangle": '⟩', "lfloor": '⌊', "rfloor": '⌋',
	"lceil": '⌈', "rceil": '⌉', "{": '{', "}": '}', "lbrace": '{', "rbrace": '}', "|": '∥', "vert": '|', "lvert": '|',
	"rvert": '|', "Vert": '∥', "%": '%', "$": '$', "#": '#', "&": '&', "_": '_', "therefore": '∴', "because": '∵',
	"square": '□', "triangle": '△', "checkmark": '✓',
}

// mathLarge are the signs that take limits.
var mathLarge = map[string]rune{
	"sum": '∑', "prod": '∏', "coprod": '∐', "int": '∫', "iint": '∬', "iiint": '∭', "oint": '∮',
	"bigcup": '⋃', "bigcap": '⋂', "bigvee": '⋁', "bigwedge": '⋀',
}

// mathNames are functions, set upright; the second ones take limits below.
var (
	mathNames = []string{
		"sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "log", "ln",
		"lg",
		"exp", "det", "dim", "ker", "gcd", "deg", "arg", "hom", "Pr", "mod",
	}
	mathLimits = []string{"lim", "max", "min", "sup", "inf", "limsup", "liminf", "argmax", "argmin"}
)

// mathAccents are the signs set over a part.
var mathAccents = map[string]rune{
	"hat": 'ˆ', "widehat": 'ˆ', "tilde": '˜', "widetilde": '˜', "dot": '˙', "ddot": '¨', "vec": '→', "bar": 0,
	"overline": 0,
}

// mathDouble are the letters with a double stroke that have a place of their own.
var mathDouble = map[rune]rune{'C': 'ℂ', 'H': 'ℍ', 'N': 'ℕ', 'P': 'ℙ', 'Q': 'ℚ', 'R': 'ℝ', 'Z': 'ℤ'}

// commanded sets what a command stands for.
func (m *mathReader) commanded(st mathStyle, name string) (box mathBox, class mathClass, limits bool, err error) {
	if w, ok := mathBlank(name); ok {
		return blank(w * st.size), ordinary, false, nil
	}
	if c, ok := mathSigns[name]; ok {
		return m.sign(c, st)
	}
	if c, ok := mathLarge[name]; ok {
		box, err = m.large(c, st)
		return box, operator, c != '∫' && c != '∬' && c != '∭' && c != '∮', err
	}
	if c, ok := mathAccents[name]; ok {
		box, err = m.accented(c, st, false)
		return box, ordinary, false, err
	}
	takesLimits := slices.Contains(mathLimits, name)
	if takesLimits || slices.Contains(mathNames, name) {
		box, err = m.words(name, st, m.s.fonts.serif)
		return box, operator, takesLimits, err
	}
	return m.built(st, name)
}

// built sets the commands that take arguments.
func (m *mathReader) built(st mathStyle, name string) (box mathBox, class mathClass, limits bool, err error) {
	fs := m.s.fonts
	switch name {
	case "frac", "dfrac", "tfrac":
		box, err = m.fraction(st, true)
	case "binom":
		if box, err = m.fraction(st, false); err == nil {
			box, err = m.around('(', box, ')', st)
		}
	case "sqrt":
		box, err = m.root(st)
	case "left":
		box, err = m.delimited(st)
	case "underline":
		box, err = m.accented(0, st, true)
	case "text", "mathrm", "operatorname", "textrm", "mathbf", "textbf", "mathit", "textit", "mathtt", "texttt",
		"mathsf":
		var words string
		if words, err = m.braced(); err == nil {
			box, err = m.words(words, st, map[string]*face{"mathbf": fs.bold, "textbf": fs.bold,
				"mathit": fs.serifItalic,
				"textit": fs.serifItalic, "mathtt": fs.mono, "texttt": fs.mono, "mathsf": fs.sans}[name])
		}
	case "mathbb":
		var words string
		if words, err = m.braced(); err == nil {
			box, err = m.words(doubled(words), st, fs.symbols)
		}
	case "displaystyle", "textstyle", "limits", "nolimits":
		box = blank(0)
	default:
		err = errMath
	}
	if name == "operatorname" {
		class = operator
	}
	return box, class, false, err
}

func doubled(words string) string {
	out := []rune(words)
	for i, c := range out {
		if d, ok := mathDouble[c]; ok {
			out[i] = d
		}
	}
	return string(out)
}

// around sets signs as tall as a part on both sides of it.
func (m *mathReader) around(open rune, box mathBox, end rune, st mathStyle) (mathBox, error) {
	left, err := m.tall(open, box, st)
	if err != nil {
		return box, err
	}
	right, err := m.tall(end, box, st)
	return beside([]mathBox{left, box, right}), err
}
