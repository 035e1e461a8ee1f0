package linediff

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// told writes parts with what is a line's own between brackets.
func told(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Own {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestWhatChangedWithinALine(t *testing.T) {
	for _, c := range [][4]string{
		{"print(1)", "print(2)", "print([1])", "print([2])"},
		{"  return total", "  return total + 1", "  return total", "  return total[ + 1]"},
		{"if (a) b();", "if (c.has(a)) b();", "if (a) b();", "if ([c.has(]a[)]) b();"},
		{"même chose", "même façon", "même [chose]", "même [façon]"},
		{"", "x", "", "[x]"}, {"same", "same", "same", "same"},
		{"\xff\xfe", "\xff", "\xff[\xfe]", "\xff"},
	} {
		var w Words
		old, fresh, ok := w.Compare(c[0], c[1])
		if told(old) != c[2] || told(fresh) != c[3] || !ok {
			t.Errorf("%q and %q: %s, %s, %v", c[0], c[1], told(old), told(fresh), ok)
		}
	}
}

// What the parts say is what stands there, and what is not marked is the same in both lines.
func TestPartsOfLinesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab_ 1\t(=é\u202e<")), 0, 40, -1)
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		var w Words
		old, fresh, ok := w.Compare(before, after)
		whole := func(parts []Part) (all, shared string) {
			for _, p := range parts {
				if all += p.Text; !p.Own {
					shared += p.Text
				}
			}
			return all, shared
		}
		a, sharedA := whole(old)
		b, sharedB := whole(fresh)
		if !ok || a != before || b != after || sharedA != sharedB {
			t.Fatalf("%q and %q: %s, %s", before, after, told(old), told(fresh))
		}
	})
}

func TestLinesThatAreTooLongAreNotParted(t *testing.T) {
	var w Words
	began := time.Now()
	if _, _, ok := w.Compare(strings.Repeat("(", 5<<20), "("); ok {
		t.Error("a line of 5 MB was compared by its words")
	}
	if _, _, ok := w.Compare(strings.Repeat("( ", 900), strings.Repeat(") ", 900)); ok {
		t.Error("1,800 signs were compared with as many")
	}
	compared := 0
	for range 1000 {
		if _, _, ok := w.Compare(strings.Repeat("( ", 100), strings.Repeat(") ", 100)); ok {
			compared++
		}
	}
	if compared == 0 || compared == 1000 {
		t.Errorf("%d of 1,000 lines were compared", compared)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}
