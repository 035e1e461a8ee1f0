package highlight

import (
	"bytes"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// What is kept is read back, and every cut or changed piece of it is refused or read as something within bounds.
func TestRunsAreReadBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		lines := rapid.SliceOf(rapid.SliceOf(rapid.Custom(func(r *rapid.T) Run {
			return Run{rapid.IntRange(1, 5000).Draw(r, "length"), Class(rapid.IntRange(0, int(classes)-1).Draw(r, "class"))}
		}))).Draw(r, "lines")
		b := Encode(lines)
		got, err := Decode(b)
		if err != nil {
			r.Fatal(err)
		}
		for i, runs := range lines {
			if i < len(got) && (len(runs) > 0 || len(got[i]) > 0) && !reflect.DeepEqual(runs, got[i]) {
				r.Fatalf("line %d: %v became %v", i, runs, got[i])
			} else if i >= len(got) && len(runs) > 0 {
				r.Fatalf("line %d is gone", i)
			}
		}
		if _, err := Decode(b[:len(b)-1]); err == nil {
			r.Error("a cut one was read")
		}
		if _, err := Decode(append(b, 1)); err == nil {
			r.Error("one with something behind it was read")
		}
	})
}

// More lines or runs than are kept are left out from where they begin to be too many.
func TestBoundsOfWhatIsKept(t *testing.T) {
	many := make([][]Run, MostLines+5)
	for i := range many {
		many[i] = []Run{{1, Keyword}}
	}
	got, err := Decode(Encode(many))
	if err != nil || len(got) != MostLines {
		t.Errorf("%d lines of %d, %v", len(got), len(many), err)
	}
	wide := make([]Run, MostRuns)
	for i := range wide {
		wide[i] = Run{2, String}
	}
	if got, err := Decode(Encode([][]Run{wide, {{1, Keyword}}})); err != nil || len(got) != 1 || len(got[0]) != MostRuns {
		t.Errorf("%d lines, %v", len(got), err)
	}
	if got, err := Decode(Encode([][]Run{append(wide, Run{1, Type})})); err != nil || len(got) != 0 {
		t.Errorf("%d lines, %v", len(got), err)
	}
}

func TestDamagedRunsAreRefused(t *testing.T) {
	for _, b := range []string{"", "LH", "LH1", mark, "LH2\n\x00", mark + "\x01", mark + "\xff\xff\x7f",
		mark + "\x01\x01", mark + "\x01\x01\x00", mark + "\x01\x01\x0f", mark + "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		if got, err := Decode([]byte(b)); err == nil {
			t.Errorf("%q was read as %v", b, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(mark + "\x02\x00\x02\x09\x12"))
	f.Add([]byte(mark + "\xe0\xa7\x12"))
	f.Fuzz(func(t *testing.T, b []byte) {
		lines, err := Decode(b)
		if err != nil {
			return
		}
		runs := 0
		for _, l := range lines {
			runs += len(l)
		}
		if len(lines) > len(b) || runs > len(b) || runs > MostRuns {
			t.Errorf("%d lines and %d runs of %d bytes", len(lines), runs, len(b))
		}
		again, err := Decode(Encode(lines))
		if err != nil || !bytes.Equal(Encode(lines), Encode(again)) {
			t.Errorf("written again it is another: %v", err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	lines := make([][]Run, 2000)
	for i := range lines {
		for range 8 {
			lines[i] = append(lines[i], Run{4, Keyword}, Run{3, Plain})
		}
	}
	kept := Encode(lines)
	b.ReportMetric(float64(len(kept)), "bytes")
	for b.Loop() {
		if _, err := Decode(kept); err != nil {
			b.Fatal(err)
		}
	}
}
