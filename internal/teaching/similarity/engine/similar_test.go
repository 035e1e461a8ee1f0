package engine

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lectern/internal/teaching/similarity/engine/corpus"
)

// works of the generated corpus, to draw from.
var samples = corpus.Make(corpus.Options{Seed: 5, Classes: 1, Independent: 6, Copies: 0, Exercises: 4, Bare: true})

type drawn struct {
	lang  Language
	texts []string
}

// drawWorks takes two different works of one class.
func drawWorks(t *rapid.T) drawn {
	c := samples[rapid.IntRange(0, len(samples)-1).Draw(t, "class")]
	d := drawn{lang: LanguageOf(c.Language)}
	first := rapid.IntRange(0, len(c.Works)-2).Draw(t, "work")
	for _, w := range c.Works[first : first+2] {
		d.texts = append(d.texts, w.Text)
	}
	return d
}

func (d drawn) prints(text string) *Prints { return printsOf(d.lang, []byte(text)) }

var someName = regexp.MustCompile(`\b[a-z]\w*\b`)

// rename gives new names to whatever is a name for the lexer, and only to that.
func (d drawn) rename(text string) string {
	var out strings.Builder
	at := uint32(0)
	for _, tok := range tokens([]byte(text), d.lang, MaxTokens) {
		if tok.norm == normName {
			out.WriteString(text[at:tok.start] + fmt.Sprintf("zz%d", tok.text%1000))
			at = tok.end
		}
	}
	return out.String() + text[at:]
}

func TestRenamedWorkIsAllTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawWorks(t)
		other := d.rename(d.texts[0])
		if !someName.MatchString(other) || other == d.texts[0] {
			t.Fatal("nothing was renamed")
		}
		m := Compare(d.prints(d.texts[0]), d.prints(other), nil)
		if m.Pct != 100 {
			t.Fatalf("%d %% of a renamed work", m.Pct)
		}
	})
}

func TestPctIsTheSameFromBothSides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawWorks(t)
		a, b := d.prints(d.texts[0]), d.prints(d.texts[1])
		there, back := Compare(a, b, nil), Compare(b, a, nil)
		if there.Pct != back.Pct || len(there.Passages) != len(back.Passages) {
			t.Fatalf("%d %% in %d passages, back %d %% in %d", there.Pct, len(there.Passages), back.Pct,
				len(back.Passages))
		}
		checkPassages(t, there, a, b)
	})
}

// checkPassages holds that passages lie inside their files and never overlap.
func checkPassages(t *rapid.T, m Match, a, b *Prints) {
	left, right := make([]bool, a.Tokens()), make([]bool, b.Tokens())
	for _, p := range m.Passages {
		for k := range p.length {
			if left[p.left+k] || right[p.right+k] || a.toks[p.left+k].norm != b.toks[p.right+k].norm {
				t.Fatalf("passage %+v overlaps or does not match", p)
			}
			left[p.left+k], right[p.right+k] = true, true
		}
		if p.Left.StartLine > p.Left.EndLine || p.Left.StartByte >= p.Left.EndByte {
			t.Fatalf("passage %+v", p)
		}
	}
}

func TestTemplateAloneIsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawWorks(t)
		given := NewTemplate(d.prints(d.texts[0]))
		if m := Compare(d.prints(d.texts[0]), d.prints(d.texts[0]), given); m.Pct != 0 || len(m.Passages) > 0 {
			t.Fatalf("%d %% of work that is only the template", m.Pct)
		}
		// What is added to the template counts, and only that.
		own := d.texts[0] + d.texts[1]
		if m := Compare(d.prints(own), d.prints(own), given); m.Pct != 100 {
			t.Fatalf("%d %% of equal works over a template", m.Pct)
		}
	})
}

func TestOrderOfFilesAndNamesOfFilesDoNotMatter(t *testing.T) {
	a := []File{{"B.java", Java, []byte("class B { int x; }")}, {"A.java", Java, []byte(samples[0].Works[0].Text)}}
	b := []File{{"Y.java", Java, []byte(samples[0].Works[0].Text)}, {"Z.java", Java, []byte("class Z { int y; }")}}
	if m := Compare(Fingerprint(a), Fingerprint(b), nil); m.Pct != 100 {
		t.Errorf("%d %% of the same files", m.Pct)
	}
	if got := Fingerprint(a).Files(); !slices.Equal(got, []string{"A.java", "B.java"}) {
		t.Errorf("files %v", got)
	}
}

func TestLittleIsComparedToo(t *testing.T) {
	short := printsOf(Java, []byte("int a = 1;"))
	if m := Compare(short, short, nil); m.Pct != 100 {
		t.Errorf("%d %% of four equal tokens", m.Pct)
	}
	empty := printsOf(Java, []byte(" // nothing"))
	if m := Compare(empty, short, nil); m.Pct != 0 {
		t.Errorf("%d %% of nothing", m.Pct)
	}
}

func TestDocumentsAreComparedByWords(t *testing.T) {
	text := "The cooling tower loses heat by evaporation, and so the temperature of the water falls " +
		"below that of the air around it whenever the air is dry enough to take up more moisture."
	other := strings.ReplaceAll(strings.ToUpper(text), ",", " –\n")
	if m := Compare(printsOf(Words, []byte(text)), printsOf(Words, []byte(other)), nil); m.Pct != 100 {
		t.Errorf("%d %% of the same words", m.Pct)
	}
	half := text[:len(text)/2] + " which nobody in the group had expected when the measurements began last winter"
	if m := Compare(printsOf(Words, []byte(text)), printsOf(Words, []byte(half)), nil); m.Pct < 35 || m.Pct > 65 {
		t.Errorf("%d %% of half the words", m.Pct)
	}
}

func TestPackedFormKeepsEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var files []File
		for i := range rapid.IntRange(0, 4).Draw(t, "files") {
			l := Language(rapid.IntRange(0, int(languages)-1).Draw(t, "language"))
			text := rapid.SliceOfN(rapid.SampledFrom([]byte("ab1 \n\r\t(){};\"'/*#é")), 0, 200).Draw(t, "text")
			files = append(files, File{fmt.Sprint("f", i), l, text})
		}
		p := Fingerprint(files)
		got, err := Decode(p.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.toks, p.toks) || !slices.Equal(got.files, p.files) || got.Cut != p.Cut {
			t.Fatalf("%+v became %+v", p, got)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(printsOf(Java, []byte("class A { int x = 1;\n int y = \"s\"; }")).Encode())
	f.Add([]byte{packVersion, 0, 0, 0})
	f.Add([]byte{packVersion + 1})
	f.Fuzz(func(t *testing.T, row []byte) {
		p, err := Decode(row)
		if err != nil {
			return
		}
		for _, tok := range p.toks {
			if tok.end < tok.start || tok.last < tok.line || tok.end > MaxFileBytes {
				t.Fatalf("token %+v", tok)
			}
		}
		if again, err := Decode(p.Encode()); err != nil || !slices.Equal(again.toks, p.toks) {
			t.Fatalf("packed again: %v", err)
		}
		Compare(p, p, nil)
	})
}

func TestRowsOfAnotherVersionAreRefused(t *testing.T) {
	row := printsOf(Java, []byte("int a;")).Encode()
	row[0]++
	if _, err := Decode(row); !errors.Is(err, ErrVersion) {
		t.Errorf("error %v", err)
	}
	if _, err := Decode(nil); err == nil {
		t.Error("an empty row was read")
	}
}

func TestSizeIsBounded(t *testing.T) {
	p := printsOf(Java, []byte(strings.Repeat("a b ", MaxTokens)))
	if p.Tokens() != MaxTokens || !p.Cut {
		t.Errorf("%d tokens, cut %v", p.Tokens(), p.Cut)
	}
	q := printsOf(Java, []byte(strings.Repeat("a b ", MaxTokens/2)+" c"))
	if m := Compare(p, q, nil); m.Pct < 90 {
		t.Errorf("%d %% of nearly the same", m.Pct)
	}
	x, _ := filled(t, [][]byte{large(t, 1, 20000)[0]})
	if n := x.Fingerprints(); n > 4*2*fullTokens {
		t.Errorf("%d fingerprints of one work", n)
	}
}
