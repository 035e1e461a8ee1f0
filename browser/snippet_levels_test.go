package browser

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// keptFor keeps a comment of the unit for a level of the first criteria of a task, until the test ends.
func (s *service) keptFor(t *testing.T, p place, criterion, level int, text string) (id int64) {
	t.Helper()
	var rubric struct {
		Criteria []struct {
			Levels []struct {
				ID int64 `json:"id"`
			} `json:"levels"`
		} `json:"criteria"`
	}
	s.ask(t, "/api/units/1/task_definitions/"+p.Definition+"/rubric", &rubric)
	var kept struct {
		ID int64 `json:"id"`
	}
	s.call(t, "aconvenor", "POST", "/api/units/1/snippets", url.Values{"text": {text}, "shared": {"true"},
		"task_definition_id": {p.Definition}, "level_id": {fmt.Sprint(rubric.Criteria[criterion].Levels[level].ID)}}, &kept)
	t.Cleanup(func() { s.call(t, "aconvenor", "DELETE", fmt.Sprint("/api/snippets/", kept.ID), nil, nil) })
	return kept.ID
}

// uses is how often a saved comment was used.
func (s *service) uses(t *testing.T, id int64) int {
	t.Helper()
	var kept struct {
		Uses int `json:"uses"`
	}
	s.ask(t, fmt.Sprint("/api/snippets/", id), &kept)
	return kept.Uses
}

const (
	besideLevels = "[...document.querySelectorAll('.rub-saved button')].filter((b) => b.checkVisibility())" +
		".map((b) => b.textContent).join('|')"
	firstSaved = "document.querySelector('.desk-saved .desk-snippets').firstElementChild.textContent.replace(/\\s+/g, ' ').trim()"
	commentIs  = "document.getElementById('desk-comment').value === "
)

// A level that is picked offers its saved comments beside its criterion. Tab leads to them and Enter writes one;
// digits go on picking levels, and in the list a comment that comes first keeps its digit.
func TestALevelOffersItsSavedComments(t *testing.T) {
	needed(t)
	s := rubrics(t)
	b := open(t, s, wide)
	b.signIn("atutor")
	b.withRubric()
	at := b.place()
	const good, fair = "Every part has a <b>test</b>.", "Test the edges too."
	goods := s.keptFor(t, at, 0, 0, good)
	fairs := s.keptFor(t, at, 1, 1, fair)
	b.desk(toMark + "&at=" + at.Task)
	b.await(rubricRead)
	list := eval[string](b, firstSaved)
	b.key("b")
	b.await(besideLevels + " === ''")
	b.key("1")
	b.await(besideLevels + " === " + quote(good))
	b.await("document.getElementById('desk-said').textContent.includes('Saved comments for this level: 1')")
	b.key("2")
	b.levels("12000")
	b.await(besideLevels + " === " + quote(good+"|"+fair))
	b.asItIs("saved comments of levels")
	for range 2 {
		b.key(kb.ArrowUp)
	}
	b.key(kb.Tab)
	b.await("document.activeElement.dataset.snippet === " + quote(good))
	b.key(kb.Enter)
	b.await(commentIs + quote(good))
	b.levels("12000")
	b.key(kb.Tab, chromedp.ModifierShift)
	b.key("0")
	b.levels("02000")
	b.await(besideLevels + " === " + quote(fair))
	// In the list the comment comes first, with the digit that it had; without its level it is where it was.
	b.press("a[data-panel=desk-feedback]")
	b.await(firstSaved + ".includes(" + quote(fair) + ")")
	digit := eval[string](b, "document.querySelector('.desk-saved .desk-snippets kbd').textContent")
	if digit == "1" {
		t.Errorf("it came first with the digit %s, in place of %q", digit, list)
	}
	b.key("1")
	b.await(commentIs + quote(good+"\n"+list[2:]))
	b.key(digit)
	b.await(commentIs + quote(good+"\n"+list[2:]+"\n"+fair))
	// A new one can be for the level that is picked, which it is then offered with.
	b.press("[popovertarget=desk-keep]")
	b.fill("#desk-keep-text", "Kept at once.")
	eval[bool](b, "(() => { const s = document.getElementById('desk-keep-level'); s.selectedIndex = 1; return true; })()")
	b.press("#desk-keep form .btn")
	b.await("document.querySelector('.rub-saved [data-snippet=\"Kept at once.\"]')")
	b.await(commentIs + quote(good+"\n"+list[2:]+"\n"+fair)) // the draft stays
	var own []struct {
		ID int64 `json:"id"`
	}
	s.ask(t, "/api/units/1/snippets?prefix=Kept", &own)
	t.Cleanup(func() { s.call(t, "atutor", "DELETE", fmt.Sprint("/api/snippets/", own[0].ID), nil, nil) })
	b.key("b")
	b.await(besideLevels + " === " + quote("Kept at once.|"+fair))
	b.key("0")
	b.await(firstSaved + " === " + quote("1 Kept at once. Criterion 2: Fair"))
	b.mark("discuss")
	b.settled()
	if n := s.uses(t, goods) + s.uses(t, fairs); n != 2 {
		t.Errorf("two that were said were counted %d times", n)
	}
	b.visit("/units/1/snippets?new=true")
	b.fill("#new-text", "Say why.")
	eval[bool](b, "(() => { document.getElementById('task').value = "+quote(at.Definition)+"; return true; })()")
	b.press("button[name=levels]")
	b.await("document.activeElement.id === 'level' && document.getElementById('new-text').value === 'Say why.'")
	b.asItIs("the form of a saved comment with levels")
}

// On a phone the saved comments of a level are there once it is touched, and a touch writes one.
func TestALevelOffersItsSavedCommentsOnAPhone(t *testing.T) {
	needed(t)
	s := rubrics(t)
	b := open(t, s, phone)
	b.signIn("atutor")
	b.withRubric()
	at := b.place()
	const fair = "Name <i>where</i> each part came from."
	id := s.keptFor(t, at, 0, 1, fair)
	b.desk(toMark + "&at=" + at.Task)
	b.await(rubricRead)
	b.press("a[data-panel=desk-rubric]")
	b.press("#desk-rubric fieldset:nth-of-type(1) label:nth-of-type(1)")
	b.levels("10000")
	b.await(besideLevels + " === ''")
	b.press("#desk-rubric fieldset:nth-of-type(1) label:nth-of-type(2)")
	b.await(besideLevels + " === " + quote(fair))
	b.asItIs("saved comments of a level on a phone")
	b.press(".rub .rub-levels > label:nth-of-type(2) ~ .rub-saved button")
	b.await(commentIs + quote(fair))
	b.levels("20000")
	b.mark("discuss")
	b.settled()
	if n := s.uses(t, id); n != 1 {
		t.Errorf("it was counted %d times", n)
	}
}
