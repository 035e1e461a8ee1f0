package browser

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// keyStories are what each key of the desk does. The page lists its keys itself: one
// without a story here fails TestEveryKeyHasAStory.
var keyStories = map[string]func(b *tab, s *service, key string){
	"j": goesOn, "ArrowRight": goesOn, "k": goesBack, "ArrowLeft": goesBack,
	"n": skipsWhatWasMarked, "p": pins, "e": writes, "g": grades, "u": undoes, "?": listsKeys,
	"c": givesVerdict, "d": givesVerdict, "m": givesVerdict, "f": givesVerdict, "r": givesVerdict, "x": givesVerdict,
	"z": givesVerdict, "]": turnsOn, "[": turnsBack, "+": zooms, "=": zooms, "-": zooms, "t": choosesAFile, "/": finds,
	"l": pointsAtAPage, ".": opensAFile,
	"b": opensTheRubric, "1 8": picksLevels, "0 Backspace": clearsLevels,
	"Space PgDn PgUp": scrolls, "↑ ↓": scrolls, "Home End": scrolls,
	"1": puts, "2": puts, "3": puts, "4": puts, "5": puts,
	"Ctrl Enter": sendsWords, "Ctrl Shift Enter": repeats, "Esc": leavesTheField,
}

// named are keys by what they are called on the page.
var named = map[string]string{"ArrowRight": kb.ArrowRight, "ArrowLeft": kb.ArrowLeft}

func (b *tab) keyNamed(name string) {
	b.Helper()
	if key, ok := named[name]; ok {
		name = key
	}
	b.key(name)
}

// second comes to the second task of the queue, and gives the first as well.
func (b *tab) second() (first, second place) {
	b.Helper()
	b.desk(toMark)
	first = b.place()
	b.key("j")
	b.moved(first)
	return first, b.place()
}

func goesOn(b *tab, _ *service, key string) {
	b.desk(toMark)
	second := eval[string](b, "document.querySelectorAll('#desk-queue li')[1].dataset.task")
	b.keyNamed(key)
	b.shows(place{Task: second})
}

func goesBack(b *tab, _ *service, key string) {
	first, _ := b.second()
	b.keyNamed(key)
	b.shows(first)
}

func skipsWhatWasMarked(b *tab, _ *service, key string) {
	first, second := b.second()
	b.mark("redo")
	third := b.place()
	b.settled()
	b.key("k")
	b.shows(second)
	b.key("k")
	b.shows(first)
	b.keyNamed(key)
	b.shows(third)
}

func pins(b *tab, s *service, key string) {
	b.desk(toMark)
	task := b.place().Task
	for _, pinned := range []string{"true", "false"} { // what the form would do next
		b.await("document.querySelector('form[action*=\"/pin\"] [name=pinned]').value === " + quote(pinned))
		b.keyNamed(key)
	}
	b.await("document.querySelector('form[action*=\"/pin\"] [name=pinned]').value === 'true'")
	b.shows(place{Task: task})
}

func writes(b *tab, _ *service, key string) {
	b.desk(toMark)
	b.keyNamed(key)
	b.await("document.activeElement.id === 'desk-comment' && document.activeElement.value === ''")
}

func grades(b *tab, _ *service, key string) {
	b.withAGrade()
	b.keyNamed(key)
	b.await("document.activeElement.id === 'desk-grade'")
}

// withAGrade opens the desk at a task that is graded.
func (b *tab) withAGrade() {
	b.Helper()
	task := b.at.first(b.T, "task_definition_id=11", 0)
	b.desk(fmt.Sprintf("/units/1/desk?sort=task&at=%d", task.ID))
	b.await("document.querySelector('#desk-grade')")
}

// askAboutGraded lets a task wait that is graded: the demo has none.
func (s *service) askAboutGraded(t *testing.T) {
	t.Helper()
	s.call(t, "student_5", "POST", "/api/projects/7/task_def_id/11/comments", url.Values{"comment": {"May I begin?"}}, nil)
}

// byRubric opens the rubric of a task by its key.
func (b *tab) byRubric(key string) {
	b.Helper()
	b.withAGrade()
	b.await("document.querySelector('#desk-rubric .rub[data-now]')")
	b.keyNamed(key)
	b.await("document.getElementById('desk-rubric').checkVisibility() && document.activeElement.closest('.rub[data-now]')")
}

func opensTheRubric(b *tab, _ *service, key string) { b.byRubric(key) }

func picksLevels(b *tab, _ *service, _ string) {
	b.byRubric("b")
	b.key("2")
	b.key("8") // there are three
	b.key("3")
	b.levels("23000")
	for range 2 {
		b.key(kb.ArrowUp)
	}
	b.key("0")
	b.key(kb.ArrowDown)
	b.key("0")
	b.levels("00000")
}

func clearsLevels(b *tab, _ *service, _ string) {
	b.byRubric("b")
	b.key("1")
	b.levels("10000")
	b.key(kb.ArrowUp)
	b.key(kb.Backspace)
	b.levels("00000")
}

func undoes(b *tab, s *service, key string) {
	b.desk(toMark)
	g := given{b.place(), "ready_for_feedback", "Taken back"}
	b.write(g.comment)
	b.mark("redo")
	b.settled()
	b.keyNamed(key)
	b.shows(g.place)
	b.await("document.getElementById('desk-comment').value === " + quote(g.comment))
	b.key("e")
	b.fill("#desk-comment", " ")
}

func listsKeys(b *tab, _ *service, key string) {
	b.desk(toMark)
	b.keyNamed(key)
	b.await("document.querySelector('#desk-keys[open]')")
	b.press("#desk-keys button")
	b.await("!document.querySelector('#desk-keys[open]')")
}

func givesVerdict(b *tab, s *service, key string) {
	b.desk(toMark)
	status := eval[string](b, "document.querySelector('#desk-verdict button[aria-keyshortcuts="+key+"]').value")
	g := given{b.place(), status, "Judged by " + key}
	b.fill("#desk-comment", g.comment) // in place of what an earlier story left
	b.await("document.getElementById('desk-comment').value === " + quote(g.comment))
	b.key(kb.Escape)
	b.await("document.activeElement.id === 'desk-name'")
	b.mark(status)
	b.settled()
	s.compare(b.T, []given{g})
}

func puts(b *tab, _ *service, key string) {
	b.desk(toMark)
	text := eval[string](b, "document.querySelector('[data-snippet][aria-keyshortcuts=\""+key+"\"]').dataset.snippet")
	b.keyNamed(key)
	b.await("document.getElementById('desk-comment').value === " + quote(text))
	b.keyNamed(key)
	b.await("document.getElementById('desk-comment').value === " + quote(text+"\n"+text))
	b.fill("#desk-comment", " ")
}

// reads opens the desk at the first work, and waits until it can be read.
func (b *tab) reads() {
	b.Helper()
	b.desk(toMark)
	b.await(viewer + "?.pane && " + viewer + ".at === 2 && " + viewer + ".querySelector('.sheet.drawn[data-page=\"2\"]')")
}

func turnsOn(b *tab, _ *service, key string) {
	b.reads()
	b.key("[")
	b.await(viewer + ".at === 1")
	b.keyNamed(key)
	b.await(viewer + ".at === 2 && " + viewer + ".number.value === '2'")
}

func turnsBack(b *tab, _ *service, key string) {
	b.reads()
	b.keyNamed(key)
	b.await(viewer + ".at === 1 && " + viewer + ".number.value === '1'")
	b.fill(".viewer-bar [type=number]", "2")
	b.key(kb.Tab)
	b.await(viewer + ".at === 2")
}

func zooms(b *tab, _ *service, key string) {
	b.reads()
	b.keyNamed(key)
	if key == "-" {
		b.await(viewer + ".zoom < 1")
		return
	}
	b.await(viewer + ".zoom > 1")
}

func choosesAFile(b *tab, _ *service, key string) {
	b.reads()
	b.keyNamed(key)
	b.await("document.activeElement === " + viewer + ".choice")
	b.key("0")
	b.await(viewer + ".at === 1 && document.activeElement === " + viewer + ".pane")
	b.keyNamed(key)
	b.await("document.activeElement === " + viewer + ".choice") // elsewhere a digit is a saved comment
	b.key("1")
	b.await(viewer + ".at === 2")
}

func pointsAtAPage(b *tab, _ *service, key string) {
	b.reads()
	b.keyNamed(key)
	b.composing()
	b.key(kb.Escape)
}

func opensAFile(b *tab, _ *service, key string) {
	b.reads()
	b.await("document.querySelector('#desk-task a[data-file]')")
	b.keyNamed(key)
	b.await("document.querySelector('.desk-source:not([hidden]) .ln')")
}

func finds(b *tab, _ *service, key string) {
	b.reads()
	b.keyNamed(key)
	b.await("document.activeElement.type === 'search' && document.activeElement.closest('.viewer-bar')")
	b.await("document.querySelector('.sheet.drawn[data-page=\"2\"] .text-layer')")
	word := eval[string](b, "document.querySelector('.sheet.drawn[data-page=\"2\"]').innerText.match(/\\p{L}{4,}/u)[0]")
	b.key(strings.ToUpper(word))
	b.key(kb.Enter)
	b.await(viewer + ".querySelector('.text-layer .found')")
	b.key(kb.Escape)
	b.await("document.activeElement.id === 'desk-name'")
	b.key("k", chromedp.ModifierCtrl)
	b.await("document.querySelector('#palette[open]')")
	b.key(kb.Escape)
	b.await("!document.querySelector('dialog[open]')")
}

// scrollStories are the keys that scroll down, each with the one that scrolls back, by how they are listed.
var scrollStories = map[string][][2]string{"Space PgDn PgUp": {{" ", kb.PageUp}, {kb.PageDown, kb.PageUp}},
	"↑ ↓": {{kb.ArrowDown, kb.ArrowUp}}, "Home End": {{kb.End, kb.Home}}}

// focus puts the focus on an element, also where the page is drawn anew at that moment.
func (b *tab) focus(selector string) {
	b.Helper()
	b.await(fmt.Sprintf("(document.querySelector(%[1]s)?.focus(), document.activeElement.matches(%[1]s))",
		quote(selector)))
}

// scrolls reads on and back wherever nothing has the focus that needs the keys: on the page as it
// opens, on none of its elements, and on the next work after a verdict. In a field they write.
func scrolls(b *tab, _ *service, keys string) {
	const top = viewer + ".pane.scrollTop"
	b.reads()
	reads := func() {
		b.Helper()
		eval[bool](b, top+" = 0, true")
		for _, pair := range scrollStories[keys] {
			b.key(pair[0])
			b.await(top + " > 20")
			if keys == "Home End" {
				b.await(atTheEnd)
			}
			b.key(pair[1])
			b.await(top + " === 0")
		}
	}
	reads()
	eval[bool](b, "document.activeElement.blur(), true")
	reads()
	from := b.place()
	b.mark("redo")
	b.await(readable)
	reads()
	b.settled()
	b.key("u") // others need it
	b.shows(from)
	b.await(top + " === 0") // where it was left
	for _, field := range []string{"#desk-comment", ".viewer-bar [type=search]"} {
		b.await(readable)
		b.focus(field)
		before := eval[float64](b, top)
		for _, pair := range scrollStories[keys] {
			b.key(pair[0])
		}
		if now := eval[float64](b, top); now != before {
			b.Errorf("%s in %s scrolls the document from %v to %v", keys, field, before, now)
		}
		b.fill(field, " ")
	}
	b.focus("#desk-task a[rel=next]")
	before := eval[float64](b, top)
	b.key(" ")
	if now := eval[float64](b, top); now != before {
		b.Errorf("a space on a link scrolls the document from %v to %v", before, now)
	}
}

func sendsWords(b *tab, s *service, _ string) {
	b.desk(toMark)
	g := given{b.place(), "ready_for_feedback", "Words alone"}
	b.fill("#desk-comment", g.comment)
	b.key(kb.Enter, chromedp.ModifierCtrl)
	b.awaitText(g.comment)
	b.settled()
	b.shows(g.place)
	s.compare(b.T, []given{g})
}

func repeats(b *tab, s *service, _ string) {
	b.desk(toMark)
	b.mark("discuss")
	g := given{b.place(), "discuss", "And this one, too"}
	b.fill("#desk-comment", g.comment)
	b.key(kb.Enter, chromedp.ModifierCtrl, chromedp.ModifierShift)
	b.moved(g.place)
	b.settled()
	s.compare(b.T, []given{g})
}

func leavesTheField(b *tab, _ *service, _ string) {
	b.desk(toMark)
	b.run(chromedp.Focus(chromedp.CSS("#desk-comment")))
	b.key(kb.Escape)
	b.await("document.activeElement.id === 'desk-name'")
}

// Every key that the desk lists does what it says, is shown on its control, and stands in
// the help; and there is a story here of each.
func TestEveryKeyHasAStory(t *testing.T) {
	needed(t)
	s := another(t)
	b := open(t, s, wide)
	b.signIn("atutor")
	s.askAboutGraded(t)
	s.saveRubric(t, 11, "Criterion")
	listed := b.listedKeys()
	if groups := eval[int](b, "document.querySelectorAll('#desk-keys th[scope=rowgroup]').length"); groups != 4 {
		t.Errorf("the keys stand in %d groups", groups)
	}
	if without := eval[[]string](b, "[...document.querySelectorAll('#desk-verdict button[name=status]')]"+
		".filter((b) => !b.hasAttribute('aria-keyshortcuts')).map((b) => b.value)"); len(without) > 0 {
		t.Errorf("no key gives %q", without)
	}
	for _, key := range slices.Sorted(maps.Keys(keyStories)) {
		if !slices.Contains(listed, key) {
			t.Errorf("the desk does not list %s", key)
			continue
		}
		t.Run(key, func(t *testing.T) {
			b.T = t
			keyStories[key](b, s, key)
		})
	}
	b.T = t
	b.visit("/help/keyboard")
	helped := eval[[]string](b, "[...document.querySelectorAll('dt:has(kbd)')].map((k) => k.innerText.trim())")
	helped = append(helped, "ArrowRight", "ArrowLeft", "2", "3", "4", "5", "=") // in the words for j, k, 1 and +
	for _, key := range listed {
		if keyStories[key] == nil {
			t.Errorf("%q has no story", key)
		}
		if !slices.Contains(helped, key) {
			t.Errorf("the help does not tell of %q, only of %q", key, helped)
		}
	}
}

// listedKeys are the keys of the desk in the state in which it has all of them: a task
// with a grade in the middle of the queue, after a verdict. The list of keys names them,
// and so do the controls, each with a sign that is seen.
func (b *tab) listedKeys() []string {
	b.Helper()
	b.withAGrade()
	at := b.place()
	b.key("k")
	b.moved(at)
	b.mark("redo")
	b.shows(at)
	b.settled()
	b.await("document.querySelector('#desk-grade') && !document.querySelector('#desk-undo').hidden")
	keys := map[string]bool{}
	b.listKeys(keys)
	b.reads() // a work that has a document
	b.listKeys(keys)
	return slices.Sorted(maps.Keys(keys))
}

// listKeys adds the keys that the list of keys names, and compares them with the controls.
func (b *tab) listKeys(keys map[string]bool) {
	b.Helper()
	b.key("?")
	b.await("document.querySelector('#desk-keys[open] tbody tr')")
	list := eval[[][]string](b, `[...document.querySelectorAll('#desk-keys tr:has(td)')].map((r) => r.closest('[data-of]')
		? [...r.querySelectorAll('kbd')].map((k) => k.title)
		: [[...r.querySelectorAll('kbd')].map((k) => k.textContent).join(' ')])`)
	b.key(kb.Escape)
	b.await("!document.querySelector('#desk-keys[open]')")
	for _, key := range slices.Concat(list...) {
		keys[key] = true
	}
	eval[bool](b, "document.getElementById('desk-rare').showPopover(), true") // the rare verdicts
	for _, c := range eval[[]struct {
		Keys []string
		Seen bool
	}](b, `[...document.querySelectorAll('#desk [aria-keyshortcuts]')].filter((c) => c.checkVisibility()).map((c) => {
		const keys = c.getAttribute('aria-keyshortcuts').split(' ');
		const sign = [c, ...c.labels ?? []].map((e) => e.querySelector('kbd')).find(Boolean);
		return {Keys: keys, Seen: keys.includes(sign?.textContent) && sign.checkVisibility()};
	})`) {
		if !c.Seen {
			b.Errorf("no sign of the key is seen on the control of %q", c.Keys)
		}
		for _, key := range c.Keys {
			if !keys[key] {
				b.Errorf("%q works and is not listed", key)
			}
		}
	}
}

// Whoever switches single keys off in the profile has none, and the buttons name none.
func TestKeysSwitchedOffInTheProfile(t *testing.T) {
	needed(t)
	s := another(t)
	b := open(t, s, wide)
	b.signIn("tutor_0")
	b.visit("/profile/appearance")
	b.press("#shortcuts")
	b.follow("form[action='/profile/preferences'] button")
	b.desk(toMark)
	b.ahead()
	at := b.place()
	for _, key := range slices.Sorted(maps.Keys(keyStories)) {
		if !strings.Contains(key, " ") && key != "Esc" {
			b.keyNamed(key)
		}
	}
	if text := eval[string](b, "document.getElementById('desk-comment').value"); text != "" {
		t.Errorf("%q was written by a key that was switched off", text)
	}
	if b.place() != at || b.has("dialog[open]") || b.has("#desk [aria-keyshortcuts]") || b.has("#desk kbd") ||
		b.has("#desk-queue [data-state]") {
		t.Error("a key worked that was switched off")
	}
	b.visit("/profile/appearance")
	b.press("#shortcuts")
	b.follow("form[action='/profile/preferences'] button")
	b.desk(toMark)
	if !b.has("#desk [aria-keyshortcuts]") {
		t.Error("keys cannot be switched on again")
	}
}
