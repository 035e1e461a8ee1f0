package browser

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lectern/internal/ground/words/wordstest"
)

// accents are letters that a font for English may lack.
var accents = strings.NewReplacer("a", "á", "e", "é", "i", "í", "o", "ó", "u", "ú", "c", "ç", "n", "ñ", "y", "ý",
	"A", "Á", "E", "É", "I", "Í", "O", "Ó", "U", "Ú", "C", "Ç", "N", "Ñ")

// value is where a number or a name is put into a text.
var value = regexp.MustCompile(`%[-+# 0]*[0-9.]*(\[\d+\])?[a-zA-Z%]`)

// longer says a text in a language that needs twice the room, between brackets.
func longer(text string) string {
	said, from := "", 0
	for _, at := range value.FindAllStringIndex(text, -1) {
		said += accents.Replace(text[from:at[0]]) + text[at[0]:at[1]]
		from = at[1]
	}
	said += accents.Replace(text[from:])
	rest := strings.Join(strings.Fields(value.ReplaceAllString(text, "")), " ")
	lead := text[:len(text)-len(strings.TrimLeft(text, " "))]
	return lead + "[" + strings.TrimLeft(said, " ") + " " + accents.Replace(strings.ToLower(rest)) + "]"
}

// inALongerLanguage builds the service with another table of words in place of the English one, so
// that the service needs no setting for it.
func inALongerLanguage(t *testing.T) *service {
	t.Helper()
	table := filepath.Join("..", "internal", "web", "site", "page", "words", "en.json")
	words := wordstest.Tables(t, os.DirFS(filepath.Dir(filepath.Dir(table))))["en"].Some("")
	for key, text := range words {
		if !strings.HasPrefix(key, "date.") { // in what order a date is written
			words[key] = text.Each(longer)
		}
	}
	table, err := filepath.Abs(table)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, what any) string {
		data, err := json.Marshal(what)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	overlay := write("overlay.json", map[string]any{"Replace": map[string]string{table: write("words.json", words)}})
	path, err := build("longer", "-overlay", overlay)
	if err != nil {
		t.Fatal(err)
	}
	s, stop, err := startProgram(path, filepath.Join(dir, "data"))
	t.Cleanup(stop)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// cut names the words that a page shows only in part, and what scrolls sideways though it is no
// table, code, chart, or row of chips, tabs or verdicts.
const cut = `(() => {
	const may = '.scroll, .table-wrap, .chart-scroll, .chips, .filters, pre, code, textarea, table, .tabs, .desk-tabs, ' +
		'.work-tabs, .src, .chg-scroll, .desk-verdicts';
	const unseen = (e) => e && (e.matches('svg, .skip') || getComputedStyle(e).clipPath !== 'none' || // for ears only
		unseen(e.parentElement));
	const name = (e) => e.outerHTML.replace(/\s+/g, ' ').slice(0, 160);
	const out = [];
	const edge = document.documentElement.clientWidth; // a phone's window grows with what is too wide
	if (document.scrollingElement.scrollWidth > edge) out.push('the page scrolls sideways');
	for (const e of document.body.querySelectorAll('*')) {
		if (!e.checkVisibility() || unseen(e) || !e.textContent.includes('[')) continue;
		const style = getComputedStyle(e), wide = e.scrollWidth - e.clientWidth, high = e.scrollHeight - e.clientHeight;
		if (style.display === 'inline' || e.clientWidth < 2) continue;
		const scrolls = ['auto', 'scroll'].includes(style.overflowX), hides = ['hidden', 'clip'].includes(style.overflowX);
		if (wide > 1 && scrolls && !e.closest(may)) out.push('scrolls by ' + wide + ': ' + name(e));
		if (wide > 1 && hides) out.push('cut by ' + wide + ': ' + name(e));
		if (high > 1 && ['hidden', 'clip'].includes(style.overflowY)) out.push('cut below by ' + high + ': ' + name(e));
	}
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n = texts.nextNode(); n; n = texts.nextNode()) {
		const e = n.parentElement;
		if (!n.data.includes('[') || !e.checkVisibility() || unseen(e) || e.closest(may)) continue;
		const range = document.createRange();
		range.selectNodeContents(n);
		const box = range.getBoundingClientRect();
		if (box.width > 0 && (box.right > edge + 1 || box.left < -1) && box.bottom > 0) {
			out.push('past the edge by ' + Math.round(box.right - edge) + ': ' + name(e));
		}
	}
	return [...new Set(out)];
})()`

// whole fails where words are cut, or scroll sideways, in what is on the screen.
func (b *tab) whole(name string) {
	b.Helper()
	for _, what := range eval[[]string](b, cut) {
		b.Errorf("%s: %s", name, what)
	}
}

// dialogsInFull opens the dialogs of a page one after the other, and tells how many there are.
func (b *tab) dialogsInFull(path string) int {
	b.Helper()
	ids := eval[[]string](b, "[...document.querySelectorAll('dialog:not(#palette)')].map((d) => d.id)")
	for _, id := range ids {
		eval[bool](b, fmt.Sprintf("document.getElementById(%q).showModal(), true", id))
		b.whole(path + " with #" + id)
		eval[bool](b, fmt.Sprintf("document.getElementById(%q).close(), true", id))
	}
	return len(ids)
}

// overAPage opens what lies over every page: the palette as it opens, with what it finds and with what
// it does not, and the drawer on a phone; the notifications and the menu of the account on the
// narrowest screen that has them.
func (b *tab) overAPage(path string) {
	b.Helper()
	settled := "!document.querySelector('#palette-list').hasAttribute('aria-busy')"
	b.visit(path)
	b.press(".find")
	b.await("document.querySelector('#palette[open] [role=option]')")
	b.whole("the palette")
	for text, finds := range map[string]string{"a": "document.querySelector('#palette mark')",
		"zzzzzz": "!document.querySelector('.palette-note').hidden"} {
		b.fill("#palette-text", text)
		b.await(settled + " && " + finds)
		b.whole("the palette with " + text)
	}
	b.visit(path)
	b.press("#more")
	b.await("document.querySelector('#side:popover-open')")
	b.whole("the drawer")
	b.turn(screen{name: "narrow", width: 840, height: 844})
	for button, panel := range map[string]string{"#bell > button": "#newest", ".me": "#account"} {
		b.visit(path)
		b.press(button)
		b.await(fmt.Sprintf("document.querySelector('%s:popover-open')", panel))
		b.whole(panel)
	}
	b.turn(phone)
}

// In a language that needs twice the room, every page and what opens over it is drawn whole on a phone:
// no key lacks its words, none of them is cut, and nothing scrolls sideways but tables, code, charts,
// chips, tabs and the verdicts, which a thumb pushes.
func TestALongerLanguage(t *testing.T) {
	needed(t)
	s := inALongerLanguage(t)
	drawn, dialogs := 0, 0
	for _, who := range people {
		t.Run(strings.Trim("as "+who, " "), func(t *testing.T) {
			all := crawl(t, s, who)
			b := open(t, s, phone)
			b.expect("status of 404") // the page that says so
			if who != "" {
				b.signIn(who)
			}
			for _, pattern := range slices.Sorted(maps.Keys(all)) {
				for _, at := range worthLooking(who, pattern, all[pattern][:1]) {
					b.visit(at.path)
					eval[bool](b, "document.querySelectorAll('details').forEach((d) => { d.open = true }), true")
					if drawn++; !strings.Contains(b.text("body"), "[") {
						t.Errorf("%s speaks another language", at.path)
					}
					b.whole(at.path)
					dialogs += b.dialogsInFull(at.path)
				}
			}
			if who != "" {
				b.overAPage("/home")
			}
		})
	}
	if *only != "" {
		return
	}
	if dialogs < 1 {
		t.Error("no dialog was opened")
	}
	if drawn < 60 {
		t.Errorf("only %d pages were drawn", drawn)
	}
}
