package linediff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestCompare(t *testing.T) {
	before := "int main() {\n  int sum = read(1);\n  print(sum);\n}\n"
	for _, c := range []struct {
		about, after string
		blocks       []Block
	}{
		{"nothing", before, []Block{{Equal, Span{1, 4}, Span{1, 4}, nil}}},
		{"only the ends of lines", strings.ReplaceAll(before, "\n", "\r\n"), []Block{{Equal, Span{1, 4}, Span{1, 4}, nil}}},
		{"the last end", strings.TrimSuffix(before, "\n"), []Block{{Equal, Span{1, 4}, Span{1, 4}, nil}}},
		{"a line before", "// sums\n" + before, []Block{{Inserted, Span{1, 0}, Span{1, 1}, nil},
			{Equal, Span{1, 4}, Span{2, 4}, nil}}},
		{"everything", "", []Block{{Deleted, Span{1, 4}, Span{1, 0}, nil}}},
		{"a line edited and one gone", "int main() {\n  int sum = read(2);\n}\n", []Block{
			{Equal, Span{1, 1}, Span{1, 1}, nil}, {Replaced, Span{2, 2}, Span{2, 1}, []Pair{{2, 2}}},
			{Equal, Span{4, 1}, Span{3, 1}, nil}}},
		{"other words", "int main() {\n  return;\n}\n", []Block{{Equal, Span{1, 1}, Span{1, 1}, nil},
			{Replaced, Span{2, 2}, Span{2, 1}, nil}, {Equal, Span{4, 1}, Span{3, 1}, nil}}},
	} {
		d := Compare([]byte(before), []byte(c.after))
		if !reflect.DeepEqual(empty(d.Blocks), c.blocks) {
			t.Errorf("%s: %+v", c.about, d.Blocks)
		}
		check(t, d)
	}
}

func empty(blocks []Block) []Block {
	for i := range blocks {
		if len(blocks[i].Pairs) == 0 {
			blocks[i].Pairs = nil
		}
	}
	return blocks
}

func TestFollow(t *testing.T) {
	d := Compare([]byte("a one\nfor x in all:\n}\n}\nlast words here\n"),
		[]byte("new\na one\nfor x in many:\n}\nlast words here\n"))
	for line, want := range map[int]int{-1: 0, 0: 0, 1: 2, 2: 3, 3: 0, 4: 0, 5: 5, 6: 0} {
		if got, ok := d.Follow(line); got != want || ok != (want > 0) {
			t.Errorf("line %d follows to %d, %v", line, got, ok)
		}
	}
	if came, went := d.Changed(); came != 2 || went != 2 {
		t.Errorf("%d came, %d went", came, went)
	}
	for line, want := range map[int]Kind{0: "", 1: Inserted, 2: Equal, 3: Replaced, 5: Equal, 6: ""} {
		if b, _ := d.At(line); b.Kind != want {
			t.Errorf("line %d stands in %+v", line, b)
		}
	}
}

func TestASimilarNeighbourIsNoDescendant(t *testing.T) {
	d := Compare([]byte("top\nint a = f(1);\nint b = f(2);\nend\n"), []byte("top\nint b = f(3);\nend\n"))
	if to, ok := d.Follow(2); ok {
		t.Errorf("a line that went follows to %d", to)
	}
	if to, _ := d.Follow(3); to != 2 {
		t.Errorf("the edited line follows to %d", to)
	}
	twice := Compare([]byte("top\nfirst = a + b\nend\n"), []byte("top\nfirst = a + c\nfirst = d + b\nend\n"))
	if to, ok := twice.Follow(2); ok {
		t.Errorf("a line with two heirs follows to %d", to)
	}
}

// TestTheShortestWayIsTheShortest compares what is matched without anchors with the longest common row of lines.
func TestTheShortestWayIsTheShortest(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 500 {
		old, fresh := make([]int32, rng.IntN(30)), make([]int32, rng.IntN(30))
		for i := range old {
			old[i] = rng.Int32N(4)
		}
		for j := range fresh {
			fresh[j] = rng.Int32N(4)
		}
		a := newAligner(old, fresh, 4)
		a.shortest(Span{0, len(old)}, Span{0, len(fresh)})
		got, before := 0, -1
		for i, j := range a.match {
			if j < 0 {
				continue
			}
			if j <= before || old[i] != fresh[j] {
				t.Fatalf("%v and %v: matched %v", old, fresh, a.match)
			}
			got, before = got+1, j
		}
		if want := longest(old, fresh); got != want {
			t.Fatalf("%v and %v: %d lines in common, not %d", old, fresh, got, want)
		}
	}
}

func longest(old, fresh []int32) int {
	row := make([]int, len(fresh)+1)
	for _, o := range old {
		corner := 0
		for j, n := range fresh {
			was := row[j+1]
			if row[j+1] = max(row[j+1], row[j]); o == n {
				row[j+1] = corner + 1
			}
			corner = was
		}
	}
	return row[len(fresh)]
}

// hostile are pairs of texts that a comparison by all pairs of lines would not end on.
func hostile() map[string][2][]byte {
	rng := rand.New(rand.NewPCG(3, 3))
	numbered := func(sign string) []byte {
		var b bytes.Buffer
		for i := 0; b.Len() < 1<<20; i++ {
			fmt.Fprintf(&b, "%s%d\n", sign, i)
		}
		return b.Bytes()
	}
	few := func(n int) []byte {
		text := make([]byte, 0, 2*n)
		for range n {
			text = append(text, "abc"[rng.IntN(3)], '\n')
		}
		return text
	}
	turned := bytes.Split(bytes.TrimSpace(numbered("x")), []byte("\n"))
	for i, j := 0, len(turned)-1; i < j; i, j = i+1, j-1 {
		turned[i], turned[j] = turned[j], turned[i]
	}
	long, brackets := bytes.Repeat([]byte("a"), 5<<20), bytes.Repeat([]byte("("), 600_000)
	return map[string][2][]byte{
		"no line in common":      {numbered("x"), numbered("y")},
		"words of three letters": {few(500_000), few(500_000)},
		"the other way round":    {numbered("x"), bytes.Join(turned, []byte("\n"))},
		"a line of 5 MB":         {long, append([]byte("b"), long...)},
		"brackets":               {brackets, append(brackets[1:], ')')},
		"brackets, one a line":   {bytes.Repeat([]byte("(\n"), 600_000), bytes.Repeat([]byte("(\n)\n"), 300_000)},
		"empty lines":            {bytes.Repeat([]byte("\n"), 1<<20), bytes.Repeat([]byte("\r\n"), 1<<19)},
		"blocks of alike lines":  {blocksOf("first"), blocksOf("other")},
	}
}

func blocksOf(word string) []byte {
	var b bytes.Buffer
	for i := range 4_000 {
		if i%40 == 0 {
			fmt.Fprintf(&b, "anchor number %d\n", i)
		}
		fmt.Fprintf(&b, "value of %s and nothing else %d\n", word, i)
	}
	return b.Bytes()
}

func TestHostileTextsAreComparedInBoundedTime(t *testing.T) {
	for about, texts := range hostile() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		started := time.Now()
		d := Compare(texts[0], texts[1])
		took := time.Since(started)
		runtime.ReadMemStats(&after)
		check(t, d)
		mb := (after.TotalAlloc - before.TotalAlloc) >> 20
		t.Logf("%s: %v, %d MB", about, took.Round(time.Millisecond), mb)
		if took > 20*time.Second || mb > 1000 {
			t.Errorf("%s: %v and %d MB", about, took, mb)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nc\nd d d\n"))
	f.Add([]byte("a b c\r\n}\r\n}\r\n"), []byte("}\na b d\n"))
	f.Add([]byte("\xff\xfe\n\x00"), []byte("\n\n\xff\xfe"))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		d := Compare(before, after)
		check(t, d)
		same := Compare(after, after)
		for line := range same.New {
			if to, ok := same.Follow(line + 1); !ok || to != line+1 {
				t.Fatalf("line %d of an unchanged text follows to %d", line+1, to)
			}
		}
	})
}
