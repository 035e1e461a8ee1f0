package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// stepsOf gives the statements of a text, in no order.
func stepsOf(l Language, text string) []uint64 {
	p := printsOf(l, []byte(text))
	s := p.signer(0, nil)
	var out []uint64
	for _, f := range p.files {
		s.eachStep(f, func(h uint64, _, _ int) { out = append(out, h) })
	}
	slices.Sort(out)
	return out
}

func TestStatementsSaidOtherwiseAreTheSame(t *testing.T) {
	for _, same := range []struct {
		l          Language
		this, that string
	}{
		{Java, "sum = sum + a[i];", "total += values[k];"},
		{Java, "i++;", "k += 1;"},
		{Java, "if (a < b) x = 3;", "if (q > p) { y = 3; }"},
		{Java, "if (n % 7 == 2) { f(); }", "boolean g(int z) { return z % 7 != 2; }"},
		{Java, "int x = a * 9 + 32;", "double y; y = 32 + b * 9;"},
		{C, "#define LIMIT 90\nif (s >= LIMIT) g = 1;", "int least = 90; if (score < least) { mark = 1; }"},
		{Python, "x = a * 9\ny = x - 4", "q = b * 9\np = q - 4"},
		{JavaScript, "let x = y * 3;", "const z = (w * 3)"},
	} {
		if a, b := stepsOf(same.l, same.this), stepsOf(same.l, same.that); len(a) == 0 || !slices.Equal(some(a), some(b)) {
			t.Errorf("%q and %q: %v and %v", same.this, same.that, a, b)
		}
	}
	if slices.Equal(stepsOf(Java, "x = y * 3;"), stepsOf(Java, "x = y * 4;")) {
		t.Error("another number is the same statement")
	}
}

// some leaves out what only gives a value a name.
func some(steps []uint64) []uint64 {
	given := append(stepsOf(Java, "x = 90;"), stepsOf(C, "#define X 90")...)
	return slices.DeleteFunc(slices.Clone(steps), func(h uint64) bool { return slices.Contains(given, h) })
}

func TestCommentsAreReadLineByLine(t *testing.T) {
	for l, text := range map[Language]string{
		Java:       "int a; // Carry the ONE, twice\n/* carry the one twice\n and another line */",
		Python:     "a = 1 # carry the one: twice\n\"\"\"Carry the one twice\nand another line\"\"\"\n",
		Generic:    "let a # carry the one twice\n<!-- carry the one twice\nand another line -->",
		TypeScript: "let a // carry the one twice\n/**\n * carry the one twice\n * and another line\n */",
	} {
		p := printsOf(l, []byte(text))
		if n := len(p.notes); n != 3 || p.notes[0].hash != p.notes[1].hash || p.notes[0].hash == p.notes[2].hash {
			t.Errorf("%s: %+v", l, p.notes)
		}
		if last := p.notes[len(p.notes)-1]; last.line != lineOf([]byte(text), int(last.start)) {
			t.Errorf("%s: the last comment is on line %d", l, last.line)
		}
		back, err := Decode(p.Encode())
		if err != nil || !slices.Equal(back.notes, p.notes) {
			t.Errorf("%s: packed, it is %+v, %v", l, back, err)
		}
	}
}

// A comment that two have and nobody else is evidence, unless it was handed out.
func TestRareCommentIsEvidence(t *testing.T) {
	const odd = "// beware of the third bucket, it leaks on Tuesdays\n"
	texts := independent(30)
	bare, _ := classOf(t, texts...)
	texts[4], texts[9] = odd+texts[4], texts[9]+odd
	x, prints := classOf(t, texts...)
	if was, is := bare.Score(4, 9), x.Score(4, 9); is <= was || is >= DefaultScore {
		t.Errorf("score %.1f with a rare comment, %.1f without", is, was)
	}
	e := x.Explain(prints[4], prints[9], Compare(prints[4], prints[9], nil))
	if want := "Line 1, and line"; len(e.Evidence) == 0 || !strings.HasPrefix(e.Evidence[0], want) ||
		!strings.HasSuffix(e.Evidence[0], "a comment that nobody else has.") || !strings.Contains(e.Words, e.Evidence[0]) {
		t.Errorf("explained as %q", e.Words)
	}
	given := NewIndex(NewTemplate(printsOf(Java, []byte(odd))))
	for i, p := range prints {
		if err := given.Add(Work{ID: int64(i), Owners: []int64{int64(i)}, Prints: p}); err != nil {
			t.Fatal(err)
		}
	}
	if e := given.Explain(prints[4], prints[9], Match{}); strings.Contains(e.Words, "a comment") {
		t.Errorf("a comment that was handed out is evidence: %q", e.Words)
	}
}

// So are a text, a name and a number, unless they were handed out. The longer and the rarer
// they are, the more they weigh, and none of them flags a pair.
func TestRareWordsAreEvidence(t *testing.T) {
	class := independent(30)
	// with makes a class of which the first so many have a line more, at different places.
	with := func(line string, have int) (*Index, []*Prints) {
		texts := slices.Clone(class)
		for i := range have {
			if texts[i] += "class Z { void z() {" + strings.Repeat("\n", i+1) + line + "} }"; i%2 == 1 {
				texts[i] = "class Y { void y() {" + line + "} }\n" + class[i]
			}
		}
		return classOf(t, texts...)
	}
	score := func(line string, have int) float64 {
		x, _ := with(line, have)
		return x.Score(0, 1)
	}
	for line, kind := range map[string]string{`print("the bucket leaks on Tuesdays");`: "a text", "leakyBucketOfTuesday();": "a name",
		"print(48151623);": "a number"} {
		x, prints := with(line, 2)
		e := x.Explain(prints[0], prints[1], Compare(prints[0], prints[1], nil))
		if want := kind + " that nobody else has."; !strings.Contains(e.Words, want) {
			t.Errorf("%s: explained as %q, without %q", line, e.Words, want)
		}
		given := NewIndex(NewTemplate(printsOf(Java, []byte("void given() { "+line+" }"))))
		for i, p := range prints {
			if err := given.Add(Work{ID: int64(i), Owners: []int64{int64(i)}, Prints: p}); err != nil {
				t.Fatal(err)
			}
		}
		if e := given.Explain(prints[0], prints[1], Match{}); strings.Contains(e.Words, kind+" that nobody") {
			t.Errorf("%s was handed out and is evidence: %q", line, e.Words)
		}
	}
	long, short := score(`print("the bucket leaks on Tuesdays");`, 2), score(`print("qxz");`, 2)
	common := score(`print("the bucket leaks on Tuesdays");`, 8)
	if long <= short || long <= common || long >= DefaultScore {
		t.Errorf("a long text scores %.2f, a short one %.2f, one that eight have %.2f", long, short, common)
	}
}

func TestStepsInAnotherOrderAreTold(t *testing.T) {
	steps := []string{"a = b * 17 + 3;", "c = d % 19 - b;", "e = f / 23 * 5;", "g = h - 29 * b;", "k = m + 31 / n;"}
	texts := independent(20)
	texts[2] += "class P { void p() {\n" + strings.Join(steps, "\n") + "\n} }"
	slices.Reverse(steps)
	steps[1], steps[2] = steps[2], steps[1]
	texts[7] += "class Q { void q() {\n" + strings.Join(steps, "\n") + "\n} }"
	x, prints := classOf(t, texts...)
	e := x.Explain(prints[2], prints[7], Compare(prints[2], prints[7], nil))
	first := strings.Count(texts[2], "\n") - 4
	want := fmt.Sprintf("Lines %d to %d, and lines", first, first+4)
	if !strings.Contains(e.Words, want) || !strings.Contains(e.Words, "the same five steps in another order.") {
		t.Errorf("explained as %q, without %q", e.Words, want)
	}
}

// Evidence in works of several files names those of both, also where it goes from one into
// the next. What is kept of it can be told without the names of the other work's files, and
// no name makes a line or a mark of its own.
func TestEvidenceNamesTheFilesOfBothWorks(t *testing.T) {
	const odd = "// beware of the third bucket, it leaks on Tuesdays\n"
	steps := []string{"a = b * 17 + 3;", "c = d % 19 - b;", "e = f / 23 * 5;", "g = h - 29 * b;", "k = m + 31 / n;"}
	twoFiles := func(first, second string, steps []string) *Prints {
		return Fingerprint([]File{{first, Java, []byte(odd + "class P { void p() {\n" + strings.Join(steps[:3], "\n"))},
			{second, Java, []byte(strings.Join(steps[3:], "\n"))}})
	}
	x, _ := classOf(t, independent(20)...)
	left := twoFiles("Apple.java", "Banana.java", steps)
	slices.Reverse(steps)
	right := twoFiles("Cherry\nby s1234.java", "Damson\x1f by s1234\x1f.java", steps)
	for i, p := range []*Prints{left, right} {
		if err := x.Add(Work{ID: int64(50 + i), Owners: []int64{int64(50 + i)}, Prints: p}); err != nil {
			t.Fatal(err)
		}
	}
	e := x.Explain(left, right, Compare(left, right, nil))
	comment := "Line 1 (Apple.java), and line 1 (Cherry\ufffdby s1234.java) of the other work: a comment that nobody " +
		"else has."
	order := "Line 3 of one file (Apple.java) to line 2 of another (Banana.java), and line 3 of one file " +
		"(Cherry\ufffdby s1234.java) to line 2 of another (Damson\ufffd by s1234\ufffd.java) of the other work: the same " +
		"five steps in another order."
	if !slices.Contains(e.Evidence, comment) || !slices.Contains(e.Evidence, order) ||
		strings.Count(e.Words, "\n") != len(e.Evidence) {
		t.Errorf("explained as %q", e.Words)
	}
	hidden := Told(e.Kept, false)
	for _, want := range []string{"Line 1 (Apple.java), and line 1 of the other work: a comment",
		"and line 3 of one file to line 2 of another of the other work: the same five steps"} {
		if !strings.Contains(hidden, want) || strings.Contains(hidden, "s1234") {
			t.Errorf("without names: %q", hidden)
		}
	}
}

// Neither signal flags what the other speaks clearly against.
func TestNeitherSignalFlagsAlone(t *testing.T) {
	x := NewIndex(nil)
	x.weigh()
	all := [sides]float64{writtenSide: 1000, shapeSide: 1000, signSide: 1000, wordSide: 1000}
	work := &indexed{as: x.scale.state}
	work.totals[0] = all
	for _, none := range [][]int{{signSide}, {writtenSide, shapeSide}, {writtenSide, shapeSide, signSide}} {
		shared := all
		for _, side := range none {
			shared[side] = 0
		}
		if s := x.rate(work, work, shared); s >= DefaultScore {
			t.Errorf("score %.1f without the sides %v", s, none)
		}
	}
	if s := x.rate(work, work, all); s < 90 {
		t.Errorf("score %.1f of all", s)
	}
}

// What no more than a part of it was made to differ scores higher than what nobody copied:
// more signs in common never lower a score.
func TestMoreInCommonNeverScoresLess(t *testing.T) {
	x := NewIndex(nil)
	x.weigh()
	work := &indexed{as: x.scale.state}
	work.totals[0] = [sides]float64{500, 500, 500, 50}
	rapid.Check(t, func(t *rapid.T) {
		var shared [sides]float64
		for side := range shared {
			shared[side] = rapid.Float64Range(0, work.totals[0][side]).Draw(t, "shared")
		}
		more := shared
		side := rapid.IntRange(0, sides-1).Draw(t, "side")
		more[side] = rapid.Float64Range(shared[side], work.totals[0][side]).Draw(t, "more")
		if a, b := x.rate(work, work, shared), x.rate(work, work, more); b < a-1e-9 || a < 0 || b > 100 {
			t.Fatalf("%v scores %v, %v scores %v", shared, a, more, b)
		}
	})
}

// What is kept of a work is bounded, however many signs it was made to have.
func TestFingerprintsOfOneWorkAreBounded(t *testing.T) {
	var text strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&text, "x%d = x%d * %d + x%d[%d]; // remark number %d of many\n", i%500, i%501, i, i%77, i, i)
	}
	for _, n := range []int{1 << 12, 1 << 15, text.Len()} {
		x, prints := filled(t, [][]byte{[]byte(text.String()[:n])})
		if got := x.Fingerprints(); got > mostKept {
			t.Errorf("%d fingerprints of %d tokens", got, prints[0].Tokens())
		}
		if len(prints[0].notes) > maxNotes {
			t.Errorf("%d comments", len(prints[0].notes))
		}
	}
}

// FuzzSigns reads anything for the second signal, and explains it.
func FuzzSigns(f *testing.F) {
	f.Add([]byte("int x = 1; x += y[2]; // a comment here\nif (x < 3) return;"), uint8(Java))
	f.Add([]byte("x = 1\nfor i in range(0, x):\n  print(i) # a comment here"), uint8(Python))
	f.Add([]byte("else else if ( ) ) ++ -- = #define a 1"), uint8(C))
	f.Fuzz(func(t *testing.T, src []byte, l uint8) {
		if len(src) > 1<<14 {
			return
		}
		p := printsOf(Language(l%uint8(languages)), src)
		p.signs(0, func(r run) {
			if r.from < 0 || r.upTo < r.from || int(r.upTo) > len(p.toks) || int(r.note) > len(p.notes) {
				t.Fatalf("sign %+v of %d tokens", r, len(p.toks))
			}
		})
		for _, n := range p.notes {
			if int(n.end) > len(src) || n.line != lineOf(src, int(n.start)) {
				t.Fatalf("comment %+v", n)
			}
		}
		if back, err := Decode(p.Encode()); err != nil || !slices.Equal(back.notes, p.notes) {
			t.Fatalf("packed: %v", err)
		}
		x := NewIndex(nil)
		for id := range int64(2) {
			if err := x.Add(Work{ID: id, Owners: []int64{id}, Prints: p}); err != nil {
				t.Fatal(err)
			}
		}
		x.Explain(p, p, Compare(p, p, nil))
	})
}
