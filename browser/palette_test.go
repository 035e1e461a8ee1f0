package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// chosen is what the palette has chosen.
const chosen = `(document.querySelector('#palette [aria-selected=true]')?.innerText ?? '')`

// palette opens the palette by a key, and waits for what it lists before anything is typed.
func (b *tab) palette(key string, with ...chromedp.Modifier) {
	b.Helper()
	b.key(key, with...)
	b.await("document.querySelector('#palette[open] [role=option]')")
}

// The palette is opened, searched and left by the keyboard alone.
func TestThePaletteByKeys(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), wide)
	b.signIn("atutor")
	b.visit("/help")
	eval[bool](b, "document.querySelector('main a').focus(), window.was = document.activeElement, true")
	b.palette("k", chromedp.ModifierCtrl)
	b.await("document.activeElement.id === 'palette-text' && " + chosen + ".startsWith('Home')")
	b.asItIs("the palette with pages and actions")
	b.key(kb.ArrowDown)
	b.await(chosen + ".startsWith('Calendar')")
	b.key(kb.ArrowUp)
	b.key(kb.ArrowUp)
	b.await(chosen + ".startsWith('Sign out')")
	b.run(chromedp.KeyEvent("stu"))
	b.await("document.querySelector('#palette mark')?.textContent.toLowerCase() === 'stu'")
	b.await(`document.activeElement.getAttribute('aria-activedescendant') ===
		document.querySelector('#palette [role=listbox] [role=option][aria-selected=true]').id`)
	b.asItIs("the palette with people")
	b.key(kb.Escape)
	b.await("!document.querySelector('#palette[open]') && document.activeElement === window.was")
	eval[bool](b, "document.activeElement.blur(), true")
	b.palette("/")
	eval[bool](b, "window.leaving = true")
	b.run(chromedp.KeyEvent("inbox"))
	b.key(kb.Enter) // before or after the answer, it leads to what was typed
	b.await("!window.leaving && location.pathname.endsWith('/inbox') && document.readyState === 'complete'")
	b.palette("k", chromedp.ModifierCtrl)
	b.await("document.querySelector('#palette h2').textContent === 'Recent' && " + chosen + ".startsWith('Inbox')")
	b.key("k", chromedp.ModifierCtrl)
	b.await("!document.querySelector('#palette[open]')")
}

// A slash that is typed into a field is a slash, and opens nothing for whoever has single keys off.
func TestTheSlashBelongsToFields(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), wide)
	b.signIn("student_1")
	b.visit("/search")
	b.fill("#search-text", "a")
	b.key("/")
	b.await("document.querySelector('#search-text').value === 'a/'")
	eval[bool](b, "document.activeElement.blur(), document.documentElement.dataset.shortcuts = 'off', true")
	b.key("/")
	if b.has("dialog[open]") {
		t.Error("a slash opens the palette")
	}
	b.palette("k", chromedp.ModifierCtrl)
}

// Students find no people; staff find one row for each unit.
func TestWhatThePaletteFinds(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		b := open(t, quiet(t), on)
		for who, people := range map[string]bool{"student_1": false, "atutor": true} {
			b.signIn(who)
			b.press(".find")
			b.await("document.querySelector('#palette[open] [role=option]')")
			b.run(chromedp.KeyEvent("student_2"))
			// The answer to the last letter is there.
			b.await("!document.querySelector('#palette-list').hasAttribute('aria-busy')")
			rows := eval[[]string](b, `[...document.querySelectorAll('#palette [aria-label=People] [role=option] .muted')]
				.map((e) => e.innerText)`)
			seen := map[string]bool{}
			for _, r := range rows {
				if seen[r] {
					t.Errorf("%s finds %s twice", who, r)
				}
				seen[r] = true
			}
			if len(rows) > 0 != people {
				t.Errorf("%s finds %q", who, rows)
			}
			b.visit("/home")
			b.signOut()
		}
	}, wide, phone)
}

// Without script the field on every page leads to a page that finds the same.
func TestSearchWithoutScript(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		b := open(t, quiet(t), on)
		b.signIn("atutor")
		b.follow(".find")
		b.fill("#search-text", "student_2")
		b.follow("form.searching button")
		if got := b.text(".found"); !strings.Contains(got, "People") || !strings.Contains(got, "View ") {
			t.Errorf("%s", got)
		}
		b.follow(".found section a")
		b.await("/^.units.\\d+.students.\\d+$/.test(location.pathname)")
	}, wide.withoutScript(), phone.withoutScript())
}

// Without a network the palette says so, also where its script was not read yet, and searches for what
// was typed when it is back.
func TestThePaletteWithoutANetwork(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), wide)
	b.expect("ERR_INTERNET_DISCONNECTED")
	b.signIn("student_1")
	offline := func(cut bool) {
		set(b, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{{Offline: cut, DownloadThroughput: -1, UploadThroughput: -1}}})
	}
	offline(true)
	b.key("k", chromedp.ModifierCtrl)
	b.await("document.querySelector('.palette-note').textContent.includes('You are offline')")
	b.press("#palette [value=close]")
	b.await("!document.querySelector('#palette[open]')")
	b.key("k", chromedp.ModifierCtrl)
	b.await("document.activeElement.id === 'palette-text'")
	b.run(chromedp.KeyEvent("cal"))
	offline(false)
	eval[bool](b, "dispatchEvent(new Event('online')), true")
	b.await("document.querySelector('#palette mark')?.textContent === 'Cal' && " +
		"document.querySelector('.palette-note').hidden")
}

// Names that hold markup, turn the direction of what follows or are longer than any line are only text
// in the palette: nothing of them runs, moves what stands beside them or makes the palette wider.
func TestHostileNamesInThePalette(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		s := serve(t)
		const markup = `<img src=x onerror="document.title='owned'">`
		turned, long := "Hostile \u202Eltr", strings.Repeat("W", 200)
		for who, name := range map[string]string{"student_7": markup, "student_8": turned, "student_9": long} {
			s.set(t, `UPDATE users SET last_name = ? WHERE username = ?`, name, who)
		}
		s.set(t, `UPDATE units SET name = ? WHERE id = 1`, markup+turned+long)
		s.set(t, `UPDATE task_definitions SET name = ? || id WHERE unit_id = 1`, markup+turned+long)
		b := open(t, s, on)
		b.signIn("aconvenor")
		title := eval[string](b, "document.title")
		b.press(".find")
		b.await("document.querySelector('#palette[open] [role=option]')")
		wide, list := b.box("#palette")[2], b.box("#palette-list")[2]
		found := map[string]bool{}
		for _, c := range []struct{ text, kind, name string }{{"student_7", "People", markup},
			{"student_8", "People", turned}, {"student_9", "People", long}, {"img", "Units", markup + turned + long},
			{"onerror", "Tasks", markup + turned + long}} {
			b.fill("#palette-text", c.text)
			b.await("!document.querySelector('#palette-list').hasAttribute('aria-busy')")
			rows := eval[[]string](b, `[...document.querySelectorAll('#palette [role=option] bdi:first-child')]
				.map((e) => e.closest('section').getAttribute('aria-label') + ': ' + e.textContent)`)
			for _, row := range rows {
				found[c.text] = found[c.text] || strings.HasPrefix(row, c.kind) && strings.Contains(row, c.name)
			}
			if !found[c.text] {
				t.Errorf("%q finds %q", c.text, rows)
			}
			for _, what := range eval[[]string](b, `(() => {
				const list = document.querySelector('#palette-list'), out = [];
				if (document.querySelector('#palette img, #palette script')) out.push('a name became an element');
				if (list.scrollWidth > list.clientWidth) out.push('the list scrolls sideways');
				for (const e of list.querySelectorAll('[role=option]')) {
					const box = e.getBoundingClientRect(), inside = list.getBoundingClientRect();
					if (box.left < inside.left - 1 || box.right > inside.right + 1) out.push('a row is wider than the list');
					const [name, note] = e.querySelectorAll('bdi');
					const after = note?.getClientRects()[0]; // on the line that the name ends on, or on one of its own
					const line = [...name.getClientRects()].filter((r) => after && r.bottom > after.top + 1 && r.top < after.bottom - 1);
					if (line.some((r) => r.right > after.left + 1)) out.push('what follows a name is turned');
				}
				return out;
			})()`) {
				t.Errorf("%s: %s", c.text, what)
			}
			if w, l := b.box("#palette")[2], b.box("#palette-list")[2]; w != wide || l != list {
				t.Errorf("%s: the palette is %d wide, its list %d; before %d and %d", c.text, w, l, wide, list)
			}
		}
		if got := eval[string](b, "document.title"); got != title {
			t.Errorf("the title is %q", got)
		}
	}, wide, phone)
}
