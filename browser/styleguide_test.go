package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every component stands where it stood, as large as it was, on a wide screen and a phone: what
// moved by more than a pixel or two fails. What was meant to move is put on record by
// LECTERN_TEST_BROWSER=1 go test ./browser -run TestComponentsStandWhereTheyStood -update
func TestComponentsStandWhereTheyStood(t *testing.T) {
	needed(t)
	s := serve(t, "--styleguide")
	for _, on := range []screen{wide, phone} {
		t.Run(on.name, func(t *testing.T) {
			b := open(t, s, on)
			b.visit("/styleguide")
			eval[bool](b, "document.fonts.ready.then(() => true)")
			got := eval[[]placed](b, places)
			at := filepath.Join("testdata", "styleguide", on.name+".txt")
			if *update {
				record(t, at, got)
			}
			text, err := os.ReadFile(at)
			if err != nil {
				t.Fatal(err)
			}
			for i, fault := range moved(recorded(t, string(text)), got) {
				if i == 20 {
					t.Fatal("and more")
				}
				t.Error(fault)
			}
		})
	}
}

// Every component, in all its states, is free of barriers, and so is the page of them all: in
// light and dark, wide and narrow, by axe's rules of good practice, too.
func TestComponentsHaveNoBarriers(t *testing.T) {
	needed(t)
	b := open(t, serve(t, "--styleguide"), wide)
	b.inspect("/styleguide")
	for _, on := range []screen{wide, wide.inTheDark(), phone, phone.inTheDark()} {
		b.turn(on)
		for _, v := range eval[[]violation](b, `axe.run(document, {resultTypes: ['violations'], runOnly:
			['best-practice']}).then((r) => r.violations)`) {
			for _, n := range v.Nodes {
				b.Errorf("%s: %s (%s): %s: %s", on.name, v.Help, v.ID, n.HTML, n.Summary)
			}
		}
	}
}

// placed is an element of the styleguide: how deep it lies, what it is, and where it stands in
// the one around it, in pixels.
type placed struct {
	Depth               int
	Name                string
	X, Y, Width, Height int
}

// places finds all elements of the styleguide in the order of the page. Inside an icon nothing
// stands anywhere.
const places = `(() => {
	const out = [];
	const walk = (e, depth, x, y) => {
		const r = e.getBoundingClientRect();
		const name = [e.localName, ...e.classList].join('.') + (e.id && '#' + e.id);
		out.push({Depth: depth, Name: name, X: Math.round(r.x - x), Y: Math.round(r.y - y),
			Width: Math.round(r.width), Height: Math.round(r.height)});
		if (e.localName !== 'svg') {
			for (const child of e.children) { walk(child, depth + 1, r.x, r.y); }
		}
	};
	for (const e of document.querySelector('main').children) {
		const r = e.getBoundingClientRect();
		walk(e, 0, r.x, r.y);
	}
	return out;
})()`

func (p placed) String() string {
	return fmt.Sprintf("%s%s %d %d %d %d", strings.Repeat("  ", p.Depth), p.Name, p.X, p.Y, p.Width, p.Height)
}

func record(t *testing.T, at string, all []placed) {
	t.Helper()
	var out strings.Builder
	for _, p := range all {
		fmt.Fprintln(&out, p)
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// recorded reads what record wrote.
func recorded(t *testing.T, text string) (all []placed) {
	t.Helper()
	for line := range strings.Lines(text) {
		p := placed{Depth: (len(line) - len(strings.TrimLeft(line, " "))) / 2}
		if _, err := fmt.Sscan(line, &p.Name, &p.X, &p.Y, &p.Width, &p.Height); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, p)
	}
	return all
}

// mostMoved is how far the rounding of browsers moves an element.
const mostMoved = 2

// moved tells what stands otherwise than it stood.
func moved(was, is []placed) (faults []string) {
	off := func(a, b int) bool { return max(a-b, b-a) > mostMoved }
	for i := range min(len(was), len(is)) {
		a, b := was[i], is[i]
		if a.Name != b.Name || a.Depth != b.Depth {
			return append(faults, fmt.Sprintf("line %d: where %s was there is %s now", i+1, a, b))
		}
		if off(a.X, b.X) || off(a.Y, b.Y) || off(a.Width, b.Width) || off(a.Height, b.Height) {
			faults = append(faults, fmt.Sprintf("line %d: %s is %s now", i+1, a, strings.TrimSpace(b.String())))
		}
	}
	if len(was) != len(is) {
		faults = append(faults, fmt.Sprintf("there were %d elements, there are %d", len(was), len(is)))
	}
	return faults
}

// What moves by 4 pixels, grows, is another or is missing is told; what a browser rounds is not.
func TestMovedElementsAreTold(t *testing.T) {
	was := recorded(t, "div.row 0 0 300 40\n  button.btn 8 3 80 34\n")
	for want, is := range map[int][]string{
		0: {"div.row 0 0 300 40\n  button.btn 8 3 80 34\n", "div.row 0 0 301 40\n  button.btn 9 3 79 34\n"},
		1: {"div.row 0 0 300 40\n  button.btn 12 3 80 34\n", "div.row 0 0 300 40\n  button.btn 8 3 80 38\n",
			"div.row 0 0 300 40\n  a.btn 8 3 80 34\n", "div.row 0 0 300 40\n", "div.row 0 0 300 40\nbutton.btn 8 3 80 34\n"},
	} {
		for _, text := range is {
			if got := moved(was, recorded(t, text)); len(got) != want {
				t.Errorf("%q: %v", text, got)
			}
		}
	}
}
