package browser

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// inView tells whether something is seen on the screen without scrolling.
func (b *tab) inView(selector string) bool {
	b.Helper()
	return eval[bool](b, `((e) => {
		const r = e.getBoundingClientRect();
		const at = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
		return !!at && (e === at || e.contains(at));
	})(document.querySelector(`+quote(selector)+`))`)
}

// A tutor gives twelve students one verdict. Between the plan and the action somebody else
// marks one of them: eleven are done, one is shown with the reason, and one undo brings
// the eleven back.
func TestBatchOfTwelve(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		s := marking(t)
		b := open(t, s, on)
		b.signIn("atutor")
		b.visit("/units/1/inbox?status=ready_for_feedback&sort=student")
		b.await("!document.querySelector('#inbox-all').hidden")
		const box = "#inbox input[name=tasks]"
		const plain = `document.querySelectorAll('#inbox tr[data-task]:not([data-marks]) input[name=tasks]')`
		eval[bool](b, `[...`+plain+`].slice(0, 12).forEach((e) => e.click()), true`)
		chosen := eval[[]string](b, `[...document.querySelectorAll('`+box+`:checked')].map((e) => e.value)`)
		if len(chosen) != 12 || !strings.Contains(b.text("#inbox-chosen"), "12") {
			t.Fatalf("%d rows are chosen, and the page says %q", len(chosen), b.text("#inbox-chosen"))
		}
		if strip := b.text("#inbox-go"); !strings.Contains(strip, "12") || !b.inView("#inbox-go a") ||
			b.inView("#batch-verdict") {
			t.Errorf("from the middle of the list nothing leads to the form below it: %q", strip)
		}
		eval[bool](b, "document.querySelector('#inbox-every').scrollIntoView({block: 'center'}), true")
		if !b.inView("#inbox-every") {
			t.Error("no box is seen that chooses all rows")
		}
		b.press("#inbox-go a")
		b.await("document.activeElement.id === 'batch-verdict'")
		comment := "Please look at the sheet again, on " + on.name
		eval[bool](b, `document.querySelector('#batch-verdict').value = 'redo', true`)
		b.fill("#batch-comment", comment)
		b.follow("#inbox-batch button")
		b.await("document.querySelector('#batch')")
		rows := `document.querySelectorAll('tbody tr').length`
		if n := eval[int](b, rows); n != 12 || b.has("tr.refused") {
			t.Fatalf("the plan has %d rows", n)
		}
		id, _, _ := strings.Cut(chosen[4], ":")
		var queue []struct {
			ID           int64 `json:"id"`
			ProjectID    int64 `json:"project_id"`
			DefinitionID int64 `json:"task_definition_id"`
		}
		s.ask(t, "/api/units/1/queue", &queue)
		for _, r := range queue {
			if fmt.Sprint(r.ID) == id {
				s.call(t, "aconvenor", "PUT", fmt.Sprintf("/api/projects/%d/task_def_id/%d", r.ProjectID, r.DefinitionID),
					url.Values{"trigger": {"discuss"}}, nil)
			}
		}
		b.follow("button[formaction$='/verdicts']")
		b.await("document.querySelector('form[action$=\"/undo\"]')")
		if n := eval[int](b, `document.querySelectorAll('tr.refused').length`); n != 1 || !b.has(".red, .pill") {
			t.Fatalf("%d are refused", n)
		}
		if why := b.text("tr.refused"); len(why) < 40 {
			t.Errorf("it does not say why: %q", why)
		}
		b.follow("form[action$='/undo'] button")
		b.await("document.querySelector('#batch') && !document.querySelector('form[action$=\"/undo\"]')")
		b.follow(".onward a")
		b.await("location.pathname === '/units/1/inbox'")
		back := eval[[]string](b, `[...document.querySelectorAll('#inbox [data-task]')].map((e) => e.dataset.task)`)
		n := 0
		for _, task := range chosen {
			id, _, _ := strings.Cut(task, ":")
			for _, other := range back {
				if id == other {
					n++
				}
			}
		}
		if n != 11 {
			t.Errorf("%d of eleven wait again", n)
		}
	}, wide, phone)
}

// The rows of the inbox are chosen by keys: arrows go from box to box, x and Space choose, with Shift all since
// the last one. The bar over them counts, clears, and sets a status by its menu, by way of the plan.
func TestKeysOfTheBulkBar(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		b := open(t, marking(t), on)
		b.signIn("atutor")
		b.visit("/units/1/inbox?kind=to_mark&sort=student")
		b.await("!document.querySelector('#inbox-all').hidden")
		const box = "#inbox [data-task] input[name=tasks]"
		chosen := func(want string) {
			b.Helper()
			b.await(`[...document.querySelectorAll('` + box + `')].map((e, i) => e.checked ? i : '').filter(String).join()` +
				` === '` + want + `'`)
		}
		b.focus(box)
		b.key("x")
		chosen("0")
		b.key("jj" + kb.ArrowDown + "k")
		b.key(" ")
		chosen("0,2")
		b.key(kb.ArrowDown + kb.ArrowDown)
		b.key(" ", chromedp.ModifierShift)
		chosen("0,2,3,4")
		b.await("document.querySelector('#inbox-go').innerText.includes('4 selected')")
		if !b.inView("#inbox-go summary") || b.box("#inbox-go summary")[3] < 24 {
			t.Error("the bar is not seen, or its menu is too small to press")
		}
		b.press("#inbox-none")
		chosen("")
		b.await("document.querySelector('#inbox-go').hidden && document.activeElement.matches('" + box + "')")
		b.key("x")
		b.key("j")
		b.key("x")
		chosen("0,1")
		b.press("#inbox-go summary")
		b.follow("#inbox-go [data-set=discuss]")
		b.await("document.querySelector('#batch')")
		if n := eval[int](b, `document.querySelectorAll('tbody tr').length`); n != 2 {
			t.Errorf("the plan has %d rows", n)
		}
		if plan := b.text("table.plan"); strings.Count(plan, "Discuss") != 2 {
			t.Errorf("the plan says %q", plan)
		}
	}, wide, phone)
}

// chosenTwo are the first two works of a task that wait, whose rows are chosen in the inbox.
func (b *tab) chosenTwo(s *service) (both []place) {
	b.Helper()
	b.visit("/units/1/inbox?status=ready_for_feedback&task=18&sort=student")
	b.await("!document.querySelector('#inbox-all').hidden")
	ids := eval[[]string](b, "[...document.querySelectorAll('#inbox [data-task]')].slice(0, 2).map((e) => e.dataset.task)")
	var queue []waitingTask
	s.ask(b.T, "/api/units/1/queue?task_definition_id=18", &queue)
	for _, id := range ids {
		for _, r := range queue {
			if fmt.Sprint(r.ID) == id {
				both = append(both, place{id, fmt.Sprint(r.ProjectID), fmt.Sprint(r.DefinitionID)})
			}
		}
	}
	if len(both) != 2 {
		b.Fatalf("of %q there are %v", ids, both)
	}
	return both
}

// Two submissions of one task get levels with their status, by keys alone: digits pick them, points that are typed stay
// until the sum is used, the plan tells what each gets, and one undo takes all of it back.
func TestABatchGetsLevelsByKeys(t *testing.T) {
	needed(t)
	s := rubrics(t)
	b := open(t, s, wide)
	b.signIn("atutor")
	both := b.chosenTwo(s)
	b.focus("#inbox [data-task] input[name=tasks]")
	b.key("xjx")
	b.await("document.querySelector('#inbox-go').innerText.includes('2 selected')")
	b.tabBack("#inbox-go summary")
	b.key(kb.Enter)
	b.enters("#inbox-go [data-set=redo]", "document.querySelector('#batch-rubric .rub[data-now] kbd')")
	b.photograph("levels for a batch")
	b.tabTo("#batch-quality")
	b.tabTo("#batch-rubric .rub input")
	b.key("12131")
	b.levels("12131")
	b.await("document.querySelector('.rub-sum strong').textContent === '7 of 10'")
	b.await("document.querySelector('#batch-quality').value === '7'")
	b.key(kb.ArrowUp + kb.ArrowUp + kb.ArrowUp + "0")
	b.levels("10131")
	b.await("document.querySelector('#batch-quality').value === ''")
	b.key(kb.ArrowLeft + kb.ArrowRight) // as radio buttons do: the first, then the next
	b.levels("12131")
	b.tabBack("#batch-quality")
	b.key("\b9")
	b.await("!document.querySelector('#batch-by-hand').hidden")
	b.tabTo(".rub-sum button")
	b.key(kb.Enter)
	b.await("document.activeElement.id === 'batch-quality' && document.activeElement.value === '7'")
	b.await("document.querySelector('#batch-by-hand').hidden")
	b.enters("#inbox-batch > p > .btn", "document.querySelectorAll('.batch-given').length === 2")
	if plan := b.text("table.plan"); strings.Count(plan, "quality 7") != 2 ||
		strings.Count(plan, "Criterion 4: Missing (0)") != 2 {
		t.Errorf("the plan says %q", plan)
	}
	b.enters("button[formaction$='/verdicts']", "document.querySelector('form[action$=\"/undo\"]')")
	for _, at := range both {
		s.hasLevels(t, at, 7, false)
	}
	b.enters("form[action$='/undo'] .btn", "!document.querySelector('form[action$=\"/undo\"]')")
	b.awaitText("2 undone")
	for _, at := range both {
		if mark := s.markOf(t, at).Mark; mark != nil {
			t.Errorf("after the undo there is %+v", mark)
		}
	}
}

// The same by touch, with points that are typed.
func TestABatchGetsLevelsOnAPhone(t *testing.T) {
	needed(t)
	s := rubrics(t)
	b := open(t, s, phone)
	b.signIn("atutor")
	both := b.chosenTwo(s)
	for i := range both {
		b.press("#pick-" + both[i].Task)
	}
	b.press("#inbox-go summary")
	b.follow("#inbox-go [data-set=redo]")
	b.await("document.querySelector('#batch-rubric .rub[data-now]')")
	b.touches("#batch-rubric", 1, 1, 2, 2, 1)
	b.levels("11221")
	b.touch("#batch-rubric", 5, 1)
	b.levels("11220")
	b.touch("#batch-rubric", 5, 2)
	b.await("document.querySelector('#batch-quality').value === '7'")
	b.fill("#batch-quality", "8")
	b.await("!document.querySelector('#batch-by-hand').hidden")
	b.asItIs("levels for a batch on a phone")
	b.follow("#inbox-batch > p > .btn")
	if plan := b.text("table.plan"); strings.Count(plan, "quality 8") != 2 || strings.Count(plan, "Set by hand") != 2 {
		t.Errorf("the plan says %q", plan)
	}
	b.follow("button[formaction$='/verdicts']")
	b.await("document.querySelector('form[action$=\"/undo\"]')")
	for _, at := range both {
		s.hasLevels(t, at, 7, true)
	}
	b.follow("form[action$='/undo'] .btn")
	b.awaitText("2 undone")
	for _, at := range both {
		if mark := s.markOf(t, at).Mark; mark != nil {
			t.Errorf("after the undo there is %+v", mark)
		}
	}
}
