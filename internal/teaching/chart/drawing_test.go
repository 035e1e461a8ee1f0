package chart

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lectern/internal/teaching/status"
)

// steps are the places that path data leads to, those by steps from the last place included.
var steps = regexp.MustCompile(`[ML](-?[0-9.]+) (-?[0-9.]+)`)

// checkInside fails when a picture is unsafe or when a mark or the place of a text is beyond its
// edges.
func checkInside(t interface {
	Helper()
	Fatalf(string, ...any)
}, svg []byte) []*element {
	t.Helper()
	all := checkSafe(t, svg)
	var edges [4]float64
	for i, edge := range strings.Fields(all[0].attrs["viewBox"]) {
		edges[i], _ = strconv.ParseFloat(edge, 64)
	}
	within := func(x, y string) {
		at, err := strconv.ParseFloat(x, 64)
		down, err2 := strconv.ParseFloat(y, 64)
		if err != nil || err2 != nil || at < 0 || at > edges[2] || down < 0 || down > edges[3] {
			t.Fatalf("a mark is at %q, %q in a picture of %v by %v", x, y, edges[2], edges[3])
		}
	}
	for _, e := range all {
		if e.parent != nil && (e.parent.name == "g" || e.parent.name == "pattern") {
			continue
		}
		switch {
		case e.name == "text", e.name == "rect" && e.attrs["x"] != "":
			within(e.attrs["x"], e.attrs["y"])
		case e.name == "path":
			for _, step := range steps.FindAllStringSubmatch(e.attrs["d"], -1) {
				within(step[1], step[2])
			}
		}
		if e.name == "rect" && e.attrs["x"] != "" {
			x, _ := strconv.ParseFloat(e.attrs["x"], 64)
			w, _ := strconv.ParseFloat(e.attrs["width"], 64)
			y, _ := strconv.ParseFloat(e.attrs["y"], 64)
			h, _ := strconv.ParseFloat(e.attrs["height"], 64)
			within(num(x+w-0.02), num(y+h-0.02))
		}
	}
	return all
}

// The marks of a page have no colours of their own, so that they follow the theme; each has a
// class that the style of pages knows.
func TestPagesColourTheirPictures(t *testing.T) {
	style, err := os.ReadFile("../../web/site/page/components/chart.css")
	if err != nil {
		t.Fatal(err)
	}
	for name, svg := range map[string][]byte{"burndown": sampleBurndown().InPage(),
		"waiting": sampleWaiting().Figure().SVG, "paces": samplePaces().Figure().SVG, "nothing": Burndown{}.InPage()} {
		for _, e := range checkInside(t, svg) {
			for attribute := range e.attrs {
				if slices.Contains([]string{"fill", "stroke", "style", "font-family", "font-size"}, attribute) {
					t.Errorf("%s: <%s> has its own %s", name, e.name, attribute)
				}
			}
			for _, class := range strings.Fields(e.attrs["class"]) {
				if solid[class] == "" && class != "tick" && !regexp.MustCompile(`\.`+class+`\b`).Match(style) {
					t.Errorf("%s: no style knows %q", name, class)
				}
			}
			if shape := e.name == "path" || e.name == "rect"; shape && e.attrs["class"] == "" {
				t.Errorf("%s: a <%s> has no class", name, e.name)
			}
		}
	}
}

// Pictures that stand alone have the colours of the light theme.
func TestColoursAreThoseOfTheTheme(t *testing.T) {
	tokens, err := os.ReadFile("../../web/site/page/assets/layers/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"surface": surface, "line": lineColour, "text": textColour, "text-3": softColour,
		"accent-text": nowColour}
	for family, colour := range solid {
		want[family+"-solid"] = colour
	}
	for name, colour := range want {
		if !strings.Contains(string(tokens), "--"+name+": light-dark("+colour+",") {
			t.Errorf("%s is not %s", name, colour)
		}
	}
}

// Whatever students stand where, the shares of a task are all of it, and every count is in the
// table and in the picture.
func TestEveryCountIsShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.MapOf(rapid.SampledFrom(status.All), rapid.OneOf(rapid.IntRange(0, 500),
			rapid.Just(math.MaxInt))).Draw(t, "counts")
		s := Statuses{Tasks: []TaskCounts{{"1.1P", "Hello", counts}}}
		sum := 0.0
		for _, part := range shares(counts) {
			sum += part.percent
		}
		if len(shares(counts)) > 0 && math.Abs(sum-100) > 1e-6 {
			t.Fatalf("the shares are %v in all", sum)
		}
		told, row := words(checkInside(t, s.SVG())), s.Table().Rows[0]
		for st, n := range counts {
			if n == 0 {
				continue
			}
			i := slices.Index(s.Table().Head, st.Name())
			if i < 0 || row[i] != strconv.Itoa(n) {
				t.Fatalf("the table has not %d of %s: %q", n, st, row)
			}
			if !slices.ContainsFunc(told, func(said string) bool {
				return strings.HasPrefix(said, fmt.Sprintf("1.1P: %s %d (", strings.ToLower(st.Name()), n))
			}) {
				t.Fatalf("the picture has not %d of %s: %q", n, st, told)
			}
		}
	})
}

func TestEveryAgeIsShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := sampleWaiting()
		for i := range w.Ages {
			w.Ages[i].Tasks = rapid.IntRange(0, 1e12).Draw(t, "tasks")
		}
		w.Ages[0].Tasks++ // else there is nothing to show
		f := w.Figure()
		told := words(checkInside(t, f.SVG))
		for i, a := range w.Ages {
			if got := f.Table.Rows[i]; got[0] != a.Days || got[1] != strconv.Itoa(a.Tasks) {
				t.Fatalf("the table says %q of %+v", got, a)
			}
			if !slices.Contains(told, strconv.Itoa(a.Tasks)) || !slices.Contains(told, a.words(w.Words)) {
				t.Fatalf("the picture does not say %+v: %q", a, told)
			}
		}
	})
}

// A point of a line lies as high as its share says, and says it.
func TestPointsLieWhereTheyShould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := Burndown{Words: EnglishBurndown, Start: time.Unix(0, 0), End: time.Unix(86400*70, 0)}
		left := rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 10).Draw(t, "left")
		for i, share := range left {
			b.Done = append(b.Done, Point{time.Unix(int64(i)*86400*7, 0), share})
		}
		var found []float64
		for _, e := range checkInside(t, b.InPage()) {
			if e.name == "title" && e.parent.name == "path" {
				y, _ := strconv.ParseFloat(steps.FindStringSubmatch(e.parent.attrs["d"])[2], 64)
				found = append(found, y)
			}
		}
		if len(found) != len(left) {
			t.Fatalf("%d points of %d", len(found), len(left))
		}
		for i := range left { // 268 high
			if want := (left[0] - left[i]) * 2.68; math.Abs(found[i]-found[0]-want) > 0.03 {
				t.Fatalf("point %d is %v below the first, want %v", i, found[i]-found[0], want)
			}
		}
	})
}

// words are all that a picture says outside its description.
func words(all []*element) (out []string) {
	for _, e := range all {
		if e.name == "text" || e.name == "title" {
			out = append(out, e.text)
		}
	}
	return out
}

func TestWidthsAreThoseOfHelvetica(t *testing.T) {
	for s, want := range map[string]float64{"": 0, " ": .278, "@": 1.015, "A": .667, "W": .944, "i": .222, "~": .584,
		"100 %": 3*.556 + .278 + .889, "数据": 2, "\x00\u202e": 0} {
		if got := width(s, 1); math.Abs(got-want) > 1e-9 {
			t.Errorf("%q is %v wide, want %v", s, got, want)
		}
	}
}
