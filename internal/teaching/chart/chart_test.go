package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lectern/internal/teaching/status"
)

// element is what a test needs to know of an SVG element.
type element struct {
	name   string
	attrs  map[string]string
	text   string // its own character data
	parent *element
}

// parse reads an SVG with a strict XML parser, which is what a browser does
// with it, and fails the test when it is not well formed.
func parse(t interface {
	Helper()
	Fatalf(string, ...any)
}, svg []byte) []*element {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	var all []*element
	var open *element
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("not well formed: %v\n%s", err, svg)
		}
		switch tok := token.(type) {
		case xml.StartElement:
			e := &element{name: tok.Name.Local, attrs: map[string]string{}, parent: open}
			for _, a := range tok.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			all, open = append(all, e), e
		case xml.EndElement:
			open = open.parent
		case xml.CharData:
			if open != nil {
				open.text += string(tok)
			}
		}
	}
}

func count(all []*element, keep func(*element) bool) (n int) {
	for _, e := range all {
		if keep(e) {
			n++
		}
	}
	return n
}

func named(name string) func(*element) bool { return func(e *element) bool { return e.name == name } }

// checkSafe fails when a picture could do anything but be looked at.
func checkSafe(t interface {
	Helper()
	Fatalf(string, ...any)
}, svg []byte) []*element {
	t.Helper()
	all := parse(t, svg)
	allowed := map[string]bool{"svg": true, "title": true, "desc": true, "defs": true, "pattern": true, "rect": true,
		"path": true, "circle": true, "g": true, "text": true}
	for _, e := range all {
		if !allowed[e.name] {
			t.Fatalf("element <%s> has no place in a picture", e.name)
		}
		for name, value := range e.attrs {
			if strings.HasPrefix(name, "on") || name == "href" || name == "style" || name == "src" {
				t.Fatalf("attribute %s=%q has no place in a picture", name, value)
			}
			if strings.Contains(value, "url(") && !strings.HasPrefix(value, "url(#"+prefixOf(all)) {
				t.Fatalf("%s=%q refers to something outside", name, value)
			}
		}
	}
	return all
}

func prefixOf(all []*element) string {
	return strings.TrimSuffix(strings.Fields(all[0].attrs["aria-labelledby"])[0], "title")
}

var pictures = map[string]func() []byte{
	"completion": func() []byte { return sampleCompletion(12).SVG() },
	"statuses":   func() []byte { return sampleStatuses(60).SVG() },
	"grades":     func() []byte { return sampleGrades().SVG() },
	"burndown":   func() []byte { return sampleBurndown().SVG() },
	"in a page":  func() []byte { return sampleBurndown().InPage() },
	"waiting":    func() []byte { return sampleWaiting().Figure().SVG },
	"paces":      func() []byte { return samplePaces().Figure().SVG },
	"nothing":    func() []byte { return Completion{Unit: "COS10001"}.SVG() },
}

func TestPicturesAreAccessibleAndSafe(t *testing.T) {
	for name, draw := range pictures {
		t.Run(name, func(t *testing.T) {
			all := checkSafe(t, draw())
			root := all[0]
			if root.attrs["role"] != "img" {
				t.Errorf("role is %q", root.attrs["role"])
			}
			named := strings.Fields(root.attrs["aria-labelledby"])
			if len(named) != 2 || all[1].name != "title" || all[2].name != "desc" ||
				all[1].attrs["id"] != named[0] || all[2].attrs["id"] != named[1] {
				t.Errorf("title and description are not what names the picture: %v", named)
			}
			if all[1].text == "" || all[2].text == "" {
				t.Error("title or description is empty")
			}
			alone := root.attrs["class"] == ""
			if alone && !strings.HasSuffix(root.attrs["font-family"], "sans-serif") {
				t.Errorf("no generic font to fall back to: %q", root.attrs["font-family"])
			}
		})
	}
}

func TestEveryTextureIsDefined(t *testing.T) {
	all := parse(t, sampleStatuses(60).SVG())
	defined := map[string]bool{}
	for _, e := range all {
		if e.name == "pattern" {
			defined[e.attrs["id"]] = true
		}
	}
	for _, e := range all {
		if fill := e.attrs["fill"]; strings.HasPrefix(fill, "url(#") && !defined[strings.TrimSuffix(fill[5:], ")")] {
			t.Fatalf("%s is not defined", fill)
		}
	}
	if len(defined) != 10 {
		t.Errorf("%d textures, want one for each status but the first and the last", len(defined))
	}
}

func TestStandingsDoNotRestOnColour(t *testing.T) {
	seen := map[texture]status.Status{}
	for _, st := range shownStatuses[:len(shownStatuses)-1] {
		if other, taken := seen[st.ink.texture]; taken {
			t.Errorf("%s looks like %s without colour", st.status, other)
		}
		seen[st.ink.texture] = st.status
	}
}

func TestSameValuesGiveTheSameBytes(t *testing.T) {
	for name, draw := range pictures {
		first := draw()
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if !bytes.Equal(first, draw()) {
					t.Errorf("%s differs from one drawing to the next", name)
				}
			})
		}
		group.Wait()
	}
}

func TestMarksSayWhatTheyShow(t *testing.T) {
	tips := func(svg []byte) (said []string) {
		for _, e := range parse(t, svg) {
			if e.name == "title" && e.parent.name != "svg" {
				said = append(said, e.text)
			}
		}
		return said
	}
	if got := len(tips(sampleCompletion(12).SVG())); got != 1+4+12 {
		t.Errorf("%d boxes, want one for the unit, 4 grades and 12 tutorials", got)
	}
	small := Statuses{Tasks: []TaskCounts{{"1.1P", "Hello",
		map[status.Status]int{status.Complete: 3, status.Fail: 1, "unheard_of": 7}}, {"1.2P", "Empty", nil}}}
	got := strings.Join(tips(small.SVG()), "; ")
	if want := "1.1P: complete 3 (75 %); 1.1P: fail 1 (25 %)"; got != want {
		t.Errorf("bars say %q, want %q", got, want)
	}
	if got := len(tips(sampleBurndown().SVG())); got != 7+7+9 {
		t.Errorf("%d markers, want 7 done, 7 submitted and 9 projected", got)
	}
	if got := tips(sampleGrades().SVG()); len(got) != 4 || got[0] != "Pass: 412 (43 %)" {
		t.Errorf("grades say %q", got)
	}
}

// TestBarsAreAsLongAsTheirShares reads the bars back out of the picture.
func TestBarsAreAsLongAsTheirShares(t *testing.T) {
	svg := Statuses{Tasks: []TaskCounts{{"1.1P", "", map[status.Status]int{status.Complete: 60, status.Redo: 30,
		status.NotStarted: 10}}}}.SVG()
	var widths []float64
	var left, right float64
	for _, e := range parse(t, svg) {
		if e.name != "title" || e.parent.name != "rect" {
			continue
		}
		x0 := number(t, e.parent.attrs["x"])
		x1 := x0 + number(t, e.parent.attrs["width"])
		if len(widths) == 0 {
			left = x0
		} else if math.Abs(x0-right) > 0.02 {
			t.Errorf("a bar starts at %v where the last ended at %v", x0, right)
		}
		right, widths = x1, append(widths, x1-x0)
	}
	for i, share := range []float64{0.6, 0.3, 0.1} {
		if got := widths[i] / (right - left); math.Abs(got-share) > 0.001 {
			t.Errorf("bar %d takes %.3f of the row, want %.3f", i, got, share)
		}
	}
}

func TestRowLabelsDoNotOverlap(t *testing.T) {
	var last float64
	rows := 0
	for _, e := range parse(t, sampleStatuses(60).SVG()) {
		if e.name != "text" || !strings.Contains(e.text, " · ") {
			continue
		}
		y := number(t, e.attrs["y"])
		if rows > 0 && math.Abs(y-last) < 14 {
			t.Fatalf("label %q is %.1f from the one before", e.text, y-last)
		}
		last, rows = y, rows+1
	}
	if rows != 60 {
		t.Errorf("%d labels, want 60", rows)
	}
}

// The axis ends where the data does, not at the number of tasks; one value is
// a dot that can be seen; labels say whom they count.
func TestCompletionFitsTheData(t *testing.T) {
	c := Completion{Unit: "A", Tasks: 36, Whole: &Five{"", 4, 0, 0, 1, 2, 3},
		Grades: []Five{{"Pass", 1, 2, 2, 2, 2, 2}}}
	all := checkSafe(t, c.SVG())
	var widest float64
	var dot bool
	seen := map[string]bool{}
	for _, e := range all {
		if e.name == "text" {
			seen[e.text] = true
		}
		if e.name == "title" && e.parent.name == "path" {
			dot = true
		}
		if e.name == "title" && e.parent.name == "rect" {
			widest = max(widest, number(t, e.parent.attrs["width"]))
		}
	}
	if widest < fileWidth/3 {
		t.Errorf("the widest box is %.0f wide", widest)
	}
	if !dot {
		t.Error("a single value is not a dot")
	}
	for _, want := range []string{"All students (4)", "Pass (1)", "tasks completed, of 36 in the unit"} {
		if !seen[want] {
			t.Errorf("nothing says %q: %v", want, seen)
		}
	}
	for most, want := range map[float64]float64{0: 1.25, 3: 3.25, 9: 9.25, 36: 36.5, 101: 112.5} {
		if got := roundUp(most); got < most || math.Abs(got-want) > most {
			t.Errorf("an axis to %v ends at %v", most, got)
		}
	}
}

func TestTablesSayTheSame(t *testing.T) {
	s := Statuses{Unit: "A", Tasks: []TaskCounts{{"1.1P", "Hello",
		map[status.Status]int{status.Complete: 3, status.Fail: 1}}}}
	for _, c := range []struct {
		got  Table
		want string
	}{
		{s.Table(), "Task status: A [Task Complete Fail] [[1.1P · Hello 3 1]]"},
		{sampleGrades().Table(), "Target grades of students: COS10001 Introduction to Programming [Grade Students] " +
			"[[Pass 412] [Credit 301] [Distinction 187] [High Distinction 64]]"},
	} {
		if got := fmt.Sprint(c.got.Title, " ", c.got.Head, " ", c.got.Rows); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	for _, row := range sampleCompletion(3).Table().Rows {
		if len(row) != 7 {
			t.Errorf("row %q", row)
		}
	}
}

func TestNoDataSaysSo(t *testing.T) {
	for name, svg := range map[string][]byte{
		"completion":     Completion{Unit: "A", Tutorials: []Five{{Label: "x"}}}.SVG(),
		"no definitions": Statuses{}.SVG(),
		"no students":    Statuses{Tasks: []TaskCounts{{Abbreviation: "1.1P"}}}.SVG(),
		"grades":         TargetGrades{Grades: []GradeCount{{"Pass", 0}}}.SVG(),
		"burndown":       Burndown{Student: "A", Done: []Point{{Day: time.Now(), Remaining: math.NaN()}}}.SVG(),
		"in a page":      Burndown{}.InPage(),
		"waiting":        WaitingAges{Ages: []Age{{"1 day", 0, false}}}.Figure().SVG,
		"paces":          Paces{Target: 5, Weeks: []PaceWeek{{"A", "B", nil, new(math.NaN())}}}.Figure().SVG,
	} {
		all := checkSafe(t, svg)
		if count(all, func(e *element) bool { return e.name == "text" && e.text == "No data yet" }) != 1 {
			t.Errorf("%s does not say that there is no data", name)
		}
	}
}

func TestTooManyRowsAreCounted(t *testing.T) {
	for _, svg := range [][]byte{sampleStatuses(maxRows + 7).SVG(), sampleCompletion(maxRows).SVG()} {
		said := parse(t, svg)[2].text
		if !strings.Contains(said, "7 more t") {
			t.Errorf("nothing said about what is missing: …%s", said[len(said)-80:])
		}
	}
}

const hostile = "</svg><script>alert(1)</script>\" onload='x' ]]> <!-- &amp; &#0; \x00\r\n\x1b \xff 数据结构 👩‍🎓" +
	" \u202Egnp\uFFFF"

func TestHostileNamesAreOnlyText(t *testing.T) {
	many := []Five{{hostile, 9, 1, 2, 3, 4, 5}}
	for name, svg := range map[string][]byte{
		"completion": Completion{Unit: hostile, Tasks: 9, Whole: &many[0], Tutorials: many, Grades: many}.SVG(),
		"statuses": Statuses{Unit: hostile, Tasks: []TaskCounts{{hostile, hostile,
			map[status.Status]int{status.Complete: 1, hostile: 5}}}}.SVG(),
		"grades": TargetGrades{Unit: hostile, Grades: []GradeCount{{hostile, 3}}}.SVG(),
		"burndown": Burndown{Words: EnglishBurndown, Unit: hostile, Student: hostile,
			Done: []Point{{Day: time.Unix(1e9, 0), Remaining: 50}}}.SVG(),
		"waiting": WaitingAges{Words: englishAges, Promise: hostile, Ages: []Age{{hostile, 4, true}}}.Figure().SVG,
		"paces": Paces{Words: PacesWords{Title: clean(hostile), Target: hostile, Point: "%s %s %s"}, Target: 1,
			Weeks: []PaceWeek{{hostile, hostile, new(1.0), nil}}}.Figure().SVG,
	} {
		all := checkSafe(t, svg)
		if count(all, named("svg")) != 1 || bytes.Contains(svg, []byte("<script")) ||
			bytes.ContainsRune(svg, '\u202E') {
			t.Errorf("%s: a name got out of its text", name)
		}
		if !strings.Contains(all[1].text, "</svg><script>") {
			t.Errorf("%s: the name is not shown as it is: %q", name, all[1].text)
		}
	}
}

func TestAnyValuesGiveAPicture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1,
			1e300}))
		words := rapid.String()
		five := rapid.Custom(func(t *rapid.T) Five {
			return Five{words.Draw(t, "label"), rapid.Int().Draw(t, "students"), number.Draw(t, "min"),
				number.Draw(t, "lower"), number.Draw(t, "median"),
				number.Draw(t, "upper"), number.Draw(t, "max")}
		})
		point := rapid.Custom(func(t *rapid.T) Point {
			return Point{time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "day"), 0), number.Draw(t, "remaining")}
		})
		points := rapid.SliceOfN(point, 0, 5)
		checkInside(t, Completion{words.Draw(t, "unit"), rapid.Int().Draw(t, "tasks"), new(five.Draw(t, "whole")),
			rapid.SliceOfN(five, 0, 4).Draw(t, "tutorials"), nil}.SVG())
		b := Burndown{Words: EnglishBurndown, Unit: words.Draw(t, "unit"), Target: points.Draw(t, "target"),
			Done: points.Draw(t, "done")}
		checkInside(t, b.SVG())
		checkInside(t, b.InPage())
		counts := rapid.MapOf(rapid.SampledFrom([]status.Status{status.Complete, status.Fail, status.Redo, "zzz"}),
			rapid.IntRange(-5, 1e9))
		checkInside(t, Statuses{Tasks: []TaskCounts{{words.Draw(t, "abbr"), words.Draw(t, "name"),
			counts.Draw(t, "counts")}}}.SVG())
		checkInside(t, TargetGrades{Grades: []GradeCount{{words.Draw(t, "grade"),
			rapid.Int().Draw(t, "students")}}}.SVG())
		checkInside(t, WaitingAges{Words: englishAges, Promise: words.Draw(t, "promise"), Ages: []Age{
			{words.Draw(t, "days"), rapid.Int().Draw(t, "tasks"), rapid.Bool().Draw(t, "late")}}}.Figure().SVG)
		checkInside(t, Paces{Words: englishPaces, Target: float64(rapid.IntRange(0, 60).Draw(t, "target")),
			Weeks: []PaceWeek{{words.Draw(t, "week"), "", new(number.Draw(t, "median")), new(number.Draw(t, "most"))},
				{}}}.Figure().SVG)
	})
}

func BenchmarkStatuses60(b *testing.B) {
	s := sampleStatuses(60)
	for b.Loop() {
		s.SVG()
	}
}
