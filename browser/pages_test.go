package browser

import (
	"database/sql"
	_ "embed"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	_ "modernc.org/sqlite" // a second hand on the demo's database

	"lectern/internal/ground/totp"
	"lectern/internal/platform/db/dbtest"
)

// axe is axe-core 4.14.0, which judges pages by the guidelines for accessibility.
//
//go:embed testdata/axe/axe.min.js
var axe string

// Every page that people can reach is free of barriers (WCAG 2.2, A and AA), in light
// and dark, wide and narrow, with everything on it reached by the keyboard; and there
// is no page that nobody can reach.
func TestEveryPage(t *testing.T) {
	needed(t)
	quiet(t).tested(t)
	var reached sync.Map
	_, pages := patterns()
	look := func(t *testing.T, who string) {
		all := crawl(t, quiet(t), who)
		b := open(t, quiet(t), wide)
		b.expect("status of 404") // the page that says so
		if who != "" {
			b.signIn(who)
		}
		for _, pattern := range slices.Sorted(maps.Keys(all)) {
			for _, s := range worthLooking(who, pattern, all[pattern]) {
				b.inspect(s.path)
			}
			reached.Store(pattern, true)
		}
		for _, pattern := range pages {
			if teaches[who] && taught(pattern) && all[pattern] == nil && unlinked[pattern] == "" &&
				(who == "aconvenor" || !convened(pattern)) {
				t.Errorf("no link leads %s to %s", who, pattern)
			}
		}
	}
	t.Run("as", func(t *testing.T) { // ends when everybody has looked
		for _, teaching := range []bool{true, false} {
			t.Run(map[bool]string{true: "staff", false: "others"}[teaching], func(t *testing.T) {
				t.Parallel() // one page is drawn while another is looked at; whoever teaches sees who else does
				for _, who := range people {
					if teaches[who] == teaching {
						t.Run(who, func(t *testing.T) { look(t, who) })
					}
				}
			})
		}
	})
	for _, pattern := range pages {
		if _, ok := reached.Load(pattern); !ok && unlinked[pattern] == "" {
			t.Errorf("no link leads to %s", pattern)
		}
	}
}

// worthLooking are the pages of a pattern that are looked at: a convenor has the pages of
// a tutor, and only those of teaching differ; an administrator sees those of teaching as a convenor does.
func worthLooking(who, pattern string, all []sight) []sight {
	switch {
	case !regexp.MustCompile(*only).MatchString(pattern):
		return nil
	case who == "aadmin" && taught(pattern):
		return nil
	case taught(pattern), who == "aadmin": // the fullest; TestEveryPageOfOddPeople has empty ones
		return all[:1]
	case who != "aconvenor":
		return all
	}
	return nil
}

// What forms lead to is free of barriers, too: what was wrong, what is done, and each
// step of setting up a second factor.
func TestEveryPageThatAFormLeadsTo(t *testing.T) {
	needed(t)
	s := serve(t)
	b := open(t, s, wide)
	for _, status := range []string{"400", "401", "403", "404", "503"} {
		b.expect("status of " + status)
	}
	after := func(name, button string) {
		b.Helper()
		b.follow(button)
		b.looked(name)
	}
	const send = "main form button"
	b.visit("/sign-in")
	b.fill("#username", "student_1")
	b.fill("#password", "wrong horse")
	after("a wrong password", send)
	b.visit("/forgot") // no email is sent here, and the page says so
	b.looked("a forgotten password")
	b.visit("/confirm-address?token=x")
	b.looked("a link that was used")
	b.visit(s.newStudent(t, "barrier"))
	b.fill("#password", newPassword)
	b.fill("#again", newPassword)
	after("a password by a link", send)
	b.signIn("student_1")
	b.visit("/second-factor")
	b.fill("#password", "password")
	after("the secret of a second factor", send)
	code, err := totp.Code(b.text("main code"), totp.Step(time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	b.fill("#otp", code)
	after("recovery codes", send)
	for _, path := range []string{"/units/2", "/projects/1", "/receipts/nowhere"} { // nothing there, or not theirs
		b.inspect(path)
	}
}

// tested lets the tests of a submission of student_1 be done, and an image be one that could not be pulled: the
// demo has no engine.
func (s *service) tested(t *testing.T) {
	t.Helper()
	d, err := sql.Open("sqlite", filepath.Join(s.data, "lectern.db")+"?_pragma=busy_timeout(30000)")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	_, err = d.Exec(`INSERT INTO assessments (submission_id, status, result_status, created_at, updated_at)
		SELECT min(s.id), 'done', 'fix_and_resubmit', max(s.at), max(s.at) FROM submissions s
		JOIN tasks t ON t.id = s.task_id JOIN projects p ON p.id = t.project_id JOIN users u ON u.id = p.user_id
		WHERE u.username = 'student_1' ON CONFLICT DO NOTHING`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = d.Exec(`INSERT INTO overseer_images (name, tag, pulled_image_status, pulled_image_text)
		SELECT 'Go', 'docker.io/library/golang:1.26', 'failed', 'The registry does not answer.'
		WHERE NOT EXISTS (SELECT 1 FROM overseer_images)`); err != nil {
		t.Fatal(err)
	}
}

// aSetUp is where a task is set up.
const aSetUp = "GET /units/{unit_id}/settings/tasks/{task_definition_id}"

// unlinked are pages that the demo does not lead to, and why.
var unlinked = map[string]string{
	"GET /{$}":                             "it leads to another page at once",
	"GET /offline":                         "what browsers keep for when there is no network",
	"GET /news/bell":                       "a part of every page that script reads again",
	"GET /admin/images/{id}/progress":      "a part of the images' page that its script reads again",
	"GET /first-start":                     "the demo has an administrator",
	"GET /admin/exports":                   "the link to an export is made by a form",
	"GET /admin/jobs/retry":                "no job of the demo failed",
	"GET /admin/people/{id}/login":         "nobody in the demo signs in elsewhere",
	"GET /admin/people/{id}/second-factor": "nobody in the demo has a second factor",
	"GET /admin/webhooks/{id}":             "the demo has no webhooks",
	"GET /admin/webhooks/{id}/delete":      "the demo has no webhooks",
	"GET /search/found":                    "what the palette of every page shows",
	"GET /projects/{id}/search":            "the search of a view as a student",
	"GET /units/{id}/desk/tasks/{task_id}": "a part of the desk that its script reads ahead",
	aSetUp + "/trials/{trial_id}":          "the demo has no container engine to try tests with",
	aSetUp + "/sheet/remove":               "no task of the demo has a file of its own",
	aSetUp + "/resources/remove":           "no task of the demo has a file of its own",
	aSetUp + "/template/remove":            "no task of the demo has a file of its own",
	aSetUp + "/tests/remove":               "no task of the demo has a file of its own",
	"GET /projects/{project_id}/tasks/{task_definition_id}/versions/{timestamp}/progress": "a part of the task's " +
		"page that its script reads again",
}

// inspect looks at a page in every way.
func (b *tab) inspect(path string) {
	b.Helper()
	b.visit(path)
	b.still(path)
	b.looked(path)
}

// looked has the page that is open looked at in every way.
func (b *tab) looked(name string) {
	b.Helper()
	b.photograph(name)
	b.keyboard(name)
	b.barriers(name)
}

// barriers has axe look at the page that is open, in light and dark, wide and narrow, and
// sees that all of it fits a small screen.
func (b *tab) barriers(name string) {
	b.Helper()
	eval[bool](b, `document.activeElement?.blur(), // where the focus ended may lie over other things
		document.querySelectorAll('details').forEach((d) => { d.open = true }), true`)
	b.checked(name)
	for _, on := range []screen{phone, wide} {
		b.turn(on)
		b.uncovered(name + ", " + on.name)
	}
}

// uncovered sees that nothing that has the focus lies under a bar that stays (WCAG 2.2, 2.4.11):
// on a phone one is at the top, one at the bottom, and the desk has its verdicts there.
func (b *tab) uncovered(name string) {
	b.Helper()
	if hidden := eval[[]string](b, underABar); len(hidden) > 0 {
		b.Errorf("%s: with the focus under a bar: %q", name, hidden)
	}
}

// underABar gives the focus to everything in turn, and finds what a bar hides all of.
const underABar = `(() => {
	const bars = [...document.querySelectorAll('.top, .tabbar, .strip, #desk-verdict')].filter((e) => e.checkVisibility());
	const can = 'main :is(a[href], button, input, select, textarea, summary, [tabindex="0"])';
	const out = [...document.querySelectorAll(can)].filter((e) => {
			e.focus();
			const r = e.getBoundingClientRect();
			return document.activeElement === e && r.height > 0 && bars.some((bar) => {
				const s = bar.getBoundingClientRect();
				return !bar.contains(e) && s.width > 0 && r.top >= s.top - 1 && r.bottom <= s.bottom + 1 &&
					r.left >= s.left - 1 && r.right <= s.right + 1;
			});
		}).slice(0, 5).map((e) => e.outerHTML.slice(0, 120));
	document.activeElement?.blur();
	scrollTo(0, 0);
	return out;
})()`

// asItIs looks at the page without touching it: what would close when it loses the focus
// stays open.
func (b *tab) asItIs(name string) {
	b.Helper()
	b.photograph(name)
	b.checked(name)
}

// checked has axe look at the page, wide in the light and narrow in the dark; with LECTERN_TEST_FULL the other way
// round, too.
func (b *tab) checked(name string) {
	b.Helper()
	// What happens to lie half under a bar at the top is no smaller for that: people move the page.
	eval[bool](b, axe+`; window.bars = new CSSStyleSheet(),
		bars.replaceSync('.top, .strip { position: static !important }'),
		document.adoptedStyleSheets.push(bars), true`)
	b.axe(name, wide)
	b.axe(name, phone.inTheDark())
	if dbtest.Full() {
		b.axe(name, wide.inTheDark())
		b.axe(name, phone)
	}
	eval[bool](b, "document.adoptedStyleSheets = document.adoptedStyleSheets.filter((s) => s !== bars), true")
	b.turn(narrow)
	b.fits(name)
	b.spaced(name)
	b.turn(between)
	if set := eval[[]string](b, tooNarrow); len(set) > 0 {
		b.Errorf("%s on a screen of %d: words are set letter by letter: %q", name, between.width, set)
	}
	b.turn(wide)
}

// between is a screen too narrow for everything that the wide one shows side by side.
var between = screen{name: "between", width: 1024, height: 768}

// tooNarrow finds words of which a line holds hardly a letter: their column has no room.
const tooNarrow = `[...document.querySelectorAll('main *')].filter((e) => {
	if (!e.checkVisibility({visibilityProperty: true}) || e.closest('.visually-hidden, svg')) return false;
	const texts = [...e.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
	return texts.some((node) => [...node.data.matchAll(/\S{6,}/g)].some((word) => {
		const range = document.createRange();
		range.setStart(node, word.index);
		range.setEnd(node, word.index + word[0].length);
		const lines = new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size;
		return lines > 2 && word[0].length < 3 * lines;
	}));
}).slice(0, 3).map((e) => e.outerHTML.slice(0, 120))`

// axe has it look at the page on a screen.
func (b *tab) axe(name string, on screen) {
	b.Helper()
	b.turn(on)
	// At its end nothing of a page lies under the bar that stays at the bottom of a phone.
	eval[bool](b, "scrollTo(0, document.scrollingElement.scrollHeight), true")
	for _, v := range eval[[]violation](b, `axe.run(document, {resultTypes: ['violations'],
		runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}).then((r) => r.violations)`) {
		for _, n := range v.Nodes {
			b.Errorf("%s, %s: %s (%s): %s: %s", name, on.name, v.Help, v.ID, n.HTML, n.Summary)
		}
	}
}

// narrow is the narrowest screen that every page must fit.
var narrow = screen{name: "narrow", width: 320, height: 640, touch: true}

// fits sees that a page is not wider than the narrow screen. A phone shows what is too wide by
// making everything smaller, so that the window itself tells nothing.
func (b *tab) fits(name string) {
	b.Helper()
	if over := eval[int64](b, "document.scrollingElement.scrollWidth") - narrow.width; over > 0 {
		b.Errorf("%s is %d pixels wider than a screen of %d: %s", name, over, narrow.width, eval[string](b, widest))
	}
}

// spaced has the text of a page set as wide as some people need it (WCAG 2.2, 1.4.12): nothing
// is cut, and the page is still not wider than its screen.
func (b *tab) spaced(name string) {
	b.Helper()
	eval[bool](b, `(() => {
		window.wider = new CSSStyleSheet();
		wider.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; ' +
			'word-spacing: 0.16em !important } p { margin-block-end: 2em !important }');
		document.adoptedStyleSheets.push(wider);
		return true;
	})()`)
	b.fits(name + " with its text spaced")
	if cut := eval[[]string](b, cutText); len(cut) > 0 {
		b.Errorf("%s with its text spaced: cut: %q", name, cut)
	}
	eval[bool](b, "document.adoptedStyleSheets = document.adoptedStyleSheets.filter((s) => s !== wider), true")
}

// cutText finds what has text that its box hides, but for what scrolls, what is meant for the ear
// alone, and what is cut on purpose because its whole text is the title of the page.
const cutText = `[...document.querySelectorAll('body *')].filter((e) => {
	if (!e.checkVisibility({visibilityProperty: true}) || !e.textContent.trim()) return false;
	const s = getComputedStyle(e);
	if (s.clipPath !== 'none' || e.matches('.visually-hidden, .visually-hidden *, .cut, svg *')) return false;
	const across = s.overflowX === 'hidden' || s.overflowX === 'clip';
	const down = s.overflowY === 'hidden' || s.overflowY === 'clip';
	return across && e.scrollWidth > e.clientWidth + 1 || down && e.scrollHeight > e.clientHeight + 1;
}).slice(0, 5).map((e) => e.outerHTML.slice(0, 160))`

// widest names what does not fit.
const widest = `[...document.querySelectorAll('main *, header *')]
	.filter((e) => e.getBoundingClientRect().right > screen.width + 1 && !e.closest('.scroll'))
	.slice(0, 3).map((e) => e.outerHTML.slice(0, 120)).join(' … ')`

// violation is what axe says of a page.
type violation struct {
	ID, Help string
	Nodes    []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	}
}

// turn changes the screen under a page.
func (b *tab) turn(on screen) {
	b.Helper()
	scheme := "light"
	if on.dark {
		scheme = "dark"
	}
	set(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: on.width,
		Height: on.height, DeviceScaleFactor: 1, Mobile: on.touch})
	set(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
}

// arrows goes through the cells of every grid, of which Tab reaches one, by the arrow keys, and counts those that are
// left.
const arrows = `(() => {
	window.walk.abort();
	const go = (key) => {
		const was = document.activeElement;
		was.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
		return document.activeElement !== was;
	};
	let lost = 0;
	for (const grid of document.querySelectorAll('[role=grid]')) {
		if (!grid.checkVisibility({visibilityProperty: true})) continue;
		const left = new Set(grid.querySelectorAll('[tabindex]'));
		grid.querySelector('[tabindex="0"]').focus();
		while (go('ArrowUp'));
		do {
			go('Home');
			do left.delete(document.activeElement); while (go('ArrowRight'));
		} while (go('ArrowDown'));
		lost += left.size;
	}
	return lost;
})()`

// keyboard goes through the page by the Tab key until it comes round, and sees that
// nothing is left out and that the focus shows everywhere.
func (b *tab) keyboard(path string) {
	b.Helper()
	n := eval[int](b, `(() => {
		document.activeElement?.blur();
		window.toReach = new Set([...document.querySelectorAll(
			'a[href], button, input, select, textarea, summary, audio[controls], video[controls], [tabindex="0"]')]
			.filter((e) => !e.matches(':disabled, [role=grid] [tabindex="-1"]') && e.type !== 'hidden' && !(e.type === 'radio' && !e.checked) &&
				e.checkVisibility({visibilityProperty: true})));
		window.dim = [];
		window.back = [];
		const first = [...window.toReach][0];
		let before = null;
		// A walk before this one, on the same page, looks no longer: what it saw last may be gone.
		window.walk?.abort();
		window.walk = new AbortController();
		document.addEventListener('focusin', (e) => {
			window.toReach.delete(e.target);
			const on = !before || before.compareDocumentPosition(e.target) & Node.DOCUMENT_POSITION_FOLLOWING;
			if (!on && e.target !== before && e.target !== first) window.back.push(e.target.outerHTML.slice(0, 120));
			before = e.target;
			const s = getComputedStyle(e.target);
			if (s.outlineStyle === 'none' || s.outlineWidth === '0px') window.dim.push(e.target.outerHTML.slice(0, 120));
		}, {signal: window.walk.signal});
		return window.toReach.size;
	})()`)
	for range n + 20 {
		set(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: "rawKeyDown", Key: "Tab", Code: "Tab",
			WindowsVirtualKeyCode: 9})
	}
	if lost := eval[int](b, arrows); lost > 0 {
		b.Errorf("%s by the keyboard: %d cells of a grid are not reached by arrows", path, lost)
	}
	left := eval[[]string](b, "[...window.toReach].map((e) => e.outerHTML.slice(0, 120))")
	dim, back := eval[[]string](b, "window.dim"), eval[[]string](b, "window.back")
	if len(left)+len(dim)+len(back) > 0 {
		b.Errorf("%s by the keyboard: not reached: %q; focus not seen: %q; out of order: %q", path, left, dim, back)
	}
}
