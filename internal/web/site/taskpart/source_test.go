package taskpart

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/site/page"
)

// drawn are all lines of a source as a browser gets them.
func drawn(s *Source) string {
	var out strings.Builder
	for _, b := range s.Blocks {
		out.WriteString(string(b.Lines))
	}
	return out.String()
}

var tags = regexp.MustCompile(`<[^>]*>`)

// What a file says is text, whatever it says: nothing of it is a tag, turns what stands beside it, or
// is unseen.
func TestAHostileFileIsText(t *testing.T) {
	text := "a < b && c > d\n<script>alert('1')</script>\n\"quoted\"\n" +
		"if user != \"admin\u202e \u2066// check\u2069\" {\n\x1b[31m\x00\ttab\ufeff\u200b\u2028\n\u0645\u200c\u06cc"
	s := SourceText{Lines: PlainLines(text), ID: "f0", At: `/x?a="><b>&line=`}.Shown(page.English)
	all := drawn(s)
	for _, bad := range []string{"<script", "<b>", "\u202e", "\u2066", "\u2069", "\x1b", "\x00", "\ufeff", "\u200b", "\u2028"} {
		if strings.Contains(all, bad) {
			t.Errorf("%q is in %s", bad, all)
		}
	}
	for _, good := range []string{"<i>U+202E</i>", "<i>U+0000</i>", "\ttab", "\u0645\u200c\u06cc", "alert('1')",
		`id="f0-4" data-line="4"`} {
		if !strings.Contains(all, good) {
			t.Errorf("%q is not in %s", good, all)
		}
	}
	if got := html.UnescapeString(tags.ReplaceAllString(strings.Split(all, "</div>")[0], "")); got != "1a < b && c > d" {
		t.Errorf("the first line says %q", got)
	}
}

// However large a file is, and whatever of, a page shows a bounded part of it, and leads to the rest.
func TestALargeFileIsShownInParts(t *testing.T) {
	for name, text := range map[string]string{"lines": strings.Repeat("x\n", 1_000_000),
		"one line": strings.Repeat("é", 1_000_000), "signs": strings.Repeat("\u202e", 600_000),
		"lines of signs": strings.Repeat("\u202e\u202d\n", 250_000)} {
		s := SourceText{Lines: PlainLines(text), ID: "f0", At: "/desk?file=0&line="}.Shown(page.English)
		if n := len(drawn(s)); n > 1_200_000 {
			t.Errorf("%s: %d bytes are sent", name, n)
		}
	}
	lines := PlainLines(strings.Repeat("x\n", 12_000))
	for _, one := range []struct{ show, from, to int }{{0, 1, 5000}, {5000, 1, 5000}, {5001, 5001, 10_000}, {12_000, 10_001, 12_000},
		{99_999, 10_001, 12_000}} {
		s := SourceText{Lines: lines, ID: "f0", At: "/desk?file=0&line=", Show: one.show}.Shown(page.English)
		if s.From != one.from || s.To != one.to || strings.Count(drawn(s), "data-line") != one.to-one.from+1 {
			t.Errorf("for line %d: lines %d to %d", one.show, s.From, s.To)
		}
		if (s.Before != "") != (one.from > 1) || (s.Behind != "") != (one.to < 12_000) {
			t.Errorf("for line %d: %q is before, %q behind", one.show, s.Before, s.Behind)
		}
	}
	if s := (SourceText{Lines: lines, At: "/desk?file=0&line="}).Shown(page.English); s.Behind != "/desk?file=0&from=5001" {
		t.Errorf("the next part is at %s", s.Behind)
	}
	if got := (SourceText{ID: "f0"}).Shown(page.English); len(got.Blocks) != 0 {
		t.Errorf("an empty file has %d blocks", len(got.Blocks))
	}
}

// A line that is too long is cut in the middle of its colours, and says how much is left.
func TestALongLineIsCut(t *testing.T) {
	line := []Span{{Class: "k", Text: strings.Repeat("a", 3000)}, {Class: "s", Text: strings.Repeat("b", 3000)},
		{Text: strings.Repeat("c", 7)}}
	all := drawn(SourceText{Lines: [][]Span{line}}.Shown(page.English))
	if n := strings.Count(all, "b"); n != 2000 || strings.Count(all, "ccccccc") != 0 {
		t.Errorf("%d of the second colour are shown: %s", n, all[len(all)-200:])
	}
	if !strings.Contains(all, "1000 more characters") {
		t.Errorf("it ends with %s", all[len(all)-100:])
	}
	if odd := drawn(SourceText{Lines: [][]Span{{{Class: `k" onclick="`, Text: "x"}}}}.Shown(page.English)); strings.Contains(odd, "onclick") {
		t.Errorf("a class that is none is in %s", odd)
	}
}

// Notes and a form stand under the last line they are about.
func TestNotesStandUnderTheirLines(t *testing.T) {
	at := func(id int64, file, line, end int, done bool) *Note {
		p := work.Place{Position: &file, Line: &line, EndLine: &end}
		c := &work.Comment{ID: id, Place: &work.Pointing{Place: p}}
		if done {
			c.Place.DoneAt = new(clock.Time)
		}
		return &Note{StandingComment: &usecase.StandingComment{Comment: c,
			Stands: &usecase.Standing{File: &file, Line: &line, EndLine: &end}}}
	}
	list := []*Note{at(1, 0, 2, 3, false), at(2, 0, 3, 3, true), at(3, 1, 3, 3, false),
		{StandingComment: &usecase.StandingComment{Comment: &work.Comment{ID: 4, Place: &work.Pointing{}}}},
		{StandingComment: &usecase.StandingComment{Comment: &work.Comment{ID: 5, Place: &work.Pointing{}},
			Stands: &usecase.Standing{Page: new(1)}}}}
	s := SourceText{Lines: PlainLines("1\n2\n3\n4\n5"), ID: "f0", Notes: NotesOf(list, 0), First: 4, Last: 4, Form: "form"}.
		Shown(page.English)
	var got []string
	for _, b := range s.Blocks {
		got = append(got, fmt.Sprint(strings.Count(string(b.Lines), "data-line"), len(b.Notes), b.Form))
	}
	if want := "[3 2 false 1 0 true 1 0 false]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	if open := Open(list); fmt.Sprint(open) != "map[-1:1 0:1 1:1]" {
		t.Errorf("open are %v", open)
	}
}

// Up to nine files are tabs; more are a tree, in which the way to the one that is shown is open.
func TestFilesAreATreeFromTenOn(t *testing.T) {
	f := &SourceFiles{}
	for i := range 9 {
		f.List = append(f.List, SourceTab{Name: fmt.Sprintf("src/b%d.c", i), Number: i})
	}
	if f.Many() || f.Current() != nil {
		t.Error("nine files are a tree")
	}
	f.List = append(f.List, SourceTab{Name: "src/deep/er/a.c", Number: 9, Current: true, Comments: 2},
		SourceTab{Name: strings.Repeat("x/", 100) + "y", Number: 10})
	root := f.Tree()
	src := root.Folders[0]
	if !f.Many() || f.Comments() != 2 || f.Current().Number != 9 || len(root.Folders) != 2 || src.Name != "src" ||
		!src.Open || !src.Folders[0].Folders[0].Open || len(src.Files) != 9 || root.Folders[1].Open {
		t.Errorf("%+v", root)
	}
	depth := 0
	for at := root.Folders[1]; at != nil; depth++ {
		if len(at.Folders) == 0 {
			break
		}
		at = at.Folders[0]
	}
	if depth >= deepest {
		t.Errorf("the tree is %d deep", depth)
	}
}
