package browser

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// another is a second service of tests that mark work, for those that use up much of it.
func another(t *testing.T) *service {
	t.Helper()
	s, err := sharedOther()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var sharedOther = sync.OnceValues(func() (s *service, err error) {
	s, stopOther, err = startService(filepath.Join(scratch, "another"))
	return s, err
})

var stopOther = func() {}

// sixth is the desk with what waits of one task: a short queue is quick to look at.
const sixth = "/units/1/desk?status=ready_for_feedback&task=18"

// first reads the first task that waits and matches, with its student and definition.
func (s *service) first(t *testing.T, query string, nth int) waitingTask {
	t.Helper()
	var queue []waitingTask
	s.ask(t, "/api/units/1/queue?"+query, &queue)
	if len(queue) <= nth {
		t.Fatalf("%d tasks wait, of %s", len(queue), query)
	}
	return queue[nth]
}

type waitingTask struct {
	ID           int64  `json:"id"`
	ProjectID    int64  `json:"project_id"`
	DefinitionID int64  `json:"task_definition_id"`
	Abbreviation string `json:"abbreviation"`
	Username     string `json:"username"`
	Version      int64  `json:"version"`
}

// marked gives a verdict beside the browser.
func (s *service) marked(t *testing.T, who string, w waitingTask, status string) {
	t.Helper()
	s.call(t, who, "POST", fmt.Sprintf("/api/projects/%d/task_def_id/%d/verdict", w.ProjectID, w.DefinitionID),
		url.Values{"trigger": {status}, "comment": {"Said beside the browser"}, "version": {fmt.Sprint(w.Version)}}, nil)
}

// Plans and results of what is done to many at once are free of barriers.
func TestEveryPageOfPlansAndResults(t *testing.T) {
	needed(t)
	s := another(t)
	b := open(t, s, wide)
	b.signIn("atutor")
	t.Run("verdicts", func(t *testing.T) {
		b.T = t
		b.visit("/units/1/inbox?status=ready_for_feedback")
		eval[bool](b, `[...document.querySelectorAll('#inbox tr[data-task]:not([data-marks]) input[name=tasks]')]
			.slice(0, 2).concat([...document.querySelectorAll('#inbox tr[data-marks] input[name=tasks]')].slice(0, 1))
			.forEach((e) => e.click()), document.querySelector('#batch-verdict').value = 'complete', true`)
		b.fill("#batch-comment", "Well done, both of you")
		b.follow("#inbox-batch button")
		b.await("document.querySelector('tr.refused') && document.querySelector('button[formaction$=\"/verdicts\"]')")
		b.looked("the plan of verdicts")
		b.follow("button[formaction$='/verdicts']")
		b.await("document.querySelector('form[action$=\"/undo\"]')")
		b.looked("the result of verdicts")
		b.follow("form[action$='/undo'] button")
		b.looked("verdicts taken back")
	})
	t.Run("extensions", func(t *testing.T) {
		b.T = t
		b.visit("/units/1/extensions")
		eval[bool](b, `[...document.querySelectorAll('input[name=chosen]')].slice(0, 2).forEach((e) => e.click()), true`)
		b.follow("form[action$='/plan'] button[value=true]")
		b.await("document.querySelectorAll('strong.outcome').length === 2")
		b.looked("the plan of extensions")
		b.follow("main form.row button")
		b.await("document.querySelectorAll('strong.outcome.granted').length === 2")
		b.looked("the result of extensions")
	})
}

// sheetOf is a sheet of marks: a verdict for each task, and one for nobody.
func sheetOf(t *testing.T, status string, all ...waitingTask) []byte {
	t.Helper()
	var text strings.Builder
	w := csv.NewWriter(&text)
	rows := [][]string{strings.Split("username,name,tutorial,task,status,new grade,new quality,new comment", ",")}
	for _, one := range append(all, waitingTask{Username: "nobody", Abbreviation: "1.1P"}) {
		rows = append(rows, []string{one.Username, "", "", one.Abbreviation, status, "", "", "From my sheet"})
	}
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return []byte(text.String())
}

// A sheet that was marked offline is looked at without leaving the page, and carried out
// without choosing the file a second time. Without a network the page says so. Plan and
// result are free of barriers.
func TestOfflineMarking(t *testing.T) {
	needed(t)
	s := another(t)
	w := newWire(t, s)
	b := open(t, w.service, wide)
	b.expect("net::ERR_")
	b.signIn("atutor")
	b.visit("/units/1/offline")
	task := s.first(t, "status=ready_for_feedback&sort=student", 3)
	b.choose("#file", b.file("marks.csv", sheetOf(t, "redo", task)))
	eval[bool](b, "window.same = true")
	w.does.set(isLost)
	b.press("#plan-look button")
	b.await("document.querySelector('#plan-result [role=alert]') && !document.querySelector('#plan-look :disabled')")
	b.barriers("a plan without a network")
	w.does.set(arrives)
	b.press("#plan-look button")
	b.await("document.querySelectorAll('#plan-result tbody tr').length === 2")
	if !eval[bool](b, "window.same && document.querySelector('#plan-apply .again').hidden") {
		t.Error("the page was left, or asks for the file again")
	}
	b.looked("the plan of a sheet")
	b.press("#plan-apply button")
	b.await("document.querySelector('#plan-result .outcome.success') && !document.querySelector('#plan-apply')")
	b.looked("the result of a sheet")
	if !eval[bool](b, "window.same") {
		t.Error("the page was left")
	}
	s.compare(t, []given{{place{fmt.Sprint(task.ID), fmt.Sprint(task.ProjectID), fmt.Sprint(task.DefinitionID)}, "redo",
		"From my sheet"}})
}

// The desk is free of barriers in every state that its script brings it to: with the
// list of keys, suggestions, a mark that is asked for, the offer to undo, what was not
// saved, of two verdicts both, and when nothing waits.
func TestEveryPageOfTheDeskInItsStates(t *testing.T) {
	needed(t)
	s := another(t)
	w := newWire(t, s)
	b := open(t, w.service, wide)
	b.expect("net::ERR_")
	b.expect("status of 409")
	b.signIn("atutor")
	b.desk(sixth)
	b.key("?")
	b.await("document.querySelector('#desk-keys[open] tbody tr')")
	b.asItIs("the list of keys")
	b.desk(sixth)
	b.key("e")
	b.await("document.activeElement.id === 'desk-comment'")
	b.key("Na")
	b.await("document.querySelector('#desk-offers li')")
	b.run(chromedp.Focus(chromedp.CSS("#desk-comment")))
	b.asItIs("suggestions")
	if !b.has("#desk-offers li") {
		t.Error("the suggestions closed before they were looked at")
	}
	b.markAsked()
	b.asItIs("a mark that is asked for")
	b.desk(sixth)
	b.mark("redo")
	b.settled()
	b.await("!document.querySelector('#desk-undo').hidden")
	b.looked("the offer to undo")
	b.ahead()
	w.does.set(isLost)
	b.mark("redo")
	b.await("document.querySelector('#desk-refused p')")
	b.asItIs("what was not saved")
	w.does.set(arrives)
	b.settled()
	b.bothVerdicts(s)
	for _, path := range []string{"/units/1/desk?text=nobody+is+called+so", "/units/1/inbox?text=nobody+is+called+so"} {
		b.inspect(path)
	}
}

// markAsked comes to a task with a grade and says that it is good.
func (b *tab) markAsked() {
	b.Helper()
	b.visit("/units/1/inbox?status=ready_for_feedback")
	id := eval[string](b, "document.querySelector('#inbox tr[data-marks]').dataset.task")
	b.desk("/units/1/desk?at=" + id)
	b.key("c")
	b.await("document.activeElement.closest('.desk-marks')")
}

// bothVerdicts is second to mark, with script and without, and has each answer looked at.
func (b *tab) bothVerdicts(s *service) {
	b.Helper()
	for _, plain := range []bool{false, true} {
		task := s.first(b.T, "status=ready_for_feedback&task_definition_id=18", 3)
		b.desk(fmt.Sprintf(sixth+"&at=%d", task.ID))
		b.write("Mine")
		s.marked(b.T, "aconvenor", task, "redo")
		if plain {
			eval[bool](b, `(() => {
				const form = document.getElementById('desk-verdict');
				window.leaving = true;
				form.append(Object.assign(document.createElement('input'), {name: 'status', value: 'discuss', type: 'hidden'}));
				form.submit(); // no script hears of it
				return true;
			})()`)
			b.await("!window.leaving && document.querySelector('#desk-verdict [role=alert]')")
			b.looked("both verdicts, without script")
			continue
		}
		from := b.place()
		b.give("discuss")
		b.moved(from) // what is looked at stays
		b.await("document.querySelector('#desk-refused button')")
		b.looked("both verdicts")
		b.press("#desk-refused button:last-of-type")
		b.settled()
	}
}

// What staff see as a student does is free of barriers under the bar that says so.
func TestSeeingAsTheStudent(t *testing.T) {
	needed(t)
	b := open(t, another(t), wide)
	b.signIn("atutor")
	b.visit("/units/1/students")
	b.follow("main tbody a[href^='/units/1/students/'], main li a[href^='/units/1/students/']")
	b.follow("form[action$='/view'] button")
	b.await("location.pathname.startsWith('/views/') && document.querySelector('.as-student')")
	kinds := map[string]bool{}
	for list, n := []string{eval[string](b, "location.pathname")}, 0; n < len(list); n++ {
		b.visit(list[n])
		if !b.has(".as-student form") {
			t.Errorf("%s does not say that it is a view", list[n])
		}
		b.looked(list[n])
		for _, link := range eval[[]string](b, `[...document.querySelectorAll('a[href^="/views/"]')]
			.map((a) => a.getAttribute('href').split('#')[0])`) {
			path, _, _ := strings.Cut(link, "?")
			kind := strings.Join(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r >= '0' && r <= '9' }), "/")
			if !kinds[kind] && !strings.HasSuffix(path, "/document") && !strings.Contains(path, "/versions/") {
				kinds[kind] = true
				list = append(list, link)
			}
		}
	}
	if len(kinds) < 8 {
		t.Errorf("only these were reached: %v", kinds)
	}
	b.follow(".as-student button")
	b.await("location.pathname.startsWith('/units/1/students/')")
}

// The outcomes of a unit are read at a glance: what counts is within a few screens, as a chart first.
func TestOutcomesAreNoWall(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), wide)
	b.signIn("student_1")
	b.visit(eval[string](b, `document.querySelector('main a[href^="/projects/"]').pathname
		.split('/').slice(0, 3).join('/')`) + "/outcomes")
	const main = "document.querySelector('main')"
	if tall := eval[float64](b, main+".scrollHeight"); tall > 3000 {
		t.Errorf("the page is %.0f px tall", tall)
	}
	if links := eval[int](b, main+".querySelectorAll('a').length"); links > 70 {
		t.Errorf("%d links are on it", links)
	}
	if chart, table := b.top("main svg.chart"), b.top("main table"); chart > 900 || chart > table {
		t.Errorf("the chart begins at %.0f px, the table at %.0f", chart, table)
	}
}
