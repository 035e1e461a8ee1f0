package browser

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

var sharedRubric = sync.OnceValues(func() (s *service, err error) {
	s, stopRubric, err = startService(filepath.Join(scratch, "rubric"))
	return s, err
})

var stopRubric = func() {}

var rubricsWritten bool // in place of those that the demo has

// rubrics is the one service whose tasks have rubrics.
func rubrics(t *testing.T) *service {
	t.Helper()
	s, err := sharedRubric()
	if err != nil {
		t.Fatal(err)
	}
	var unit struct {
		Definitions []struct {
			ID     int64 `json:"id"`
			Rubric bool  `json:"has_rubric"`
		} `json:"task_definitions"`
	}
	s.call(t, "aconvenor", "GET", "/api/units/1", nil, &unit)
	for _, d := range unit.Definitions {
		if !d.Rubric || !rubricsWritten {
			s.saveRubric(t, d.ID, "Criterion")
		}
	}
	rubricsWritten = true
	return s
}

// fiveCriteria are five, whose best levels add up to ten.
func fiveCriteria(title string) string {
	var list []string
	for i := range 5 {
		list = append(list, fmt.Sprintf(`{"title":"%s %d","levels":[{"name":"Good","text":"All of it","points":2},
			{"name":"Fair","text":"Some of it","points":1},{"name":"Missing","text":"Nothing of it","points":0}]}`, title, i+1))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// withRubric opens the desk, all of whose works are marked by five criteria.
func (b *tab) withRubric() {
	b.Helper()
	b.desk(toMark)
	b.await("document.querySelectorAll('#desk-rubric .rub').length === 5 && " + rubricRead)
}

func (s *service) saveRubric(t *testing.T, definition int64, title string) {
	t.Helper()
	s.call(t, "aconvenor", "PUT", fmt.Sprintf("/api/units/1/task_definitions/%d/rubric", definition),
		url.Values{"criteria": {fiveCriteria(title)}, "max_quality_pts": {"10"}}, nil)
}

const (
	rubricRead = "document.querySelector('#desk-rubric .rub[data-now]')"
	pickedNow  = "[...document.querySelectorAll(':is(#desk-rubric, #batch-rubric) .rub')].map((c) => " +
		"[...c.querySelectorAll('.rub-levels > input')].findIndex((l) => l.checked) + 1).join('')"
)

// levels waits until these levels are picked, criterion by criterion; 0 is none.
func (b *tab) levels(want string) {
	b.Helper()
	b.await(pickedNow + " === " + quote(want))
}

// markOf is what the service has of the rubric of a task.
func (s *service) markOf(t *testing.T, p place) (mark struct {
	Mark *struct {
		Levels []int64 `json:"levels"`
		Sum    *int    `json:"sum"`
		ByHand bool    `json:"by_hand"`
	} `json:"mark"`
},
) {
	t.Helper()
	s.ask(t, "/api/projects/"+p.Project+"/task_def_id/"+p.Definition+"/rubric", &mark)
	return mark
}

// gotLevels waits until a verdict on a work has arrived whose levels add up to this. Its points are those, or by hand.
func (b *tab) gotLevels(s *service, at place, sum int, byHand bool) {
	b.Helper()
	b.moved(at)
	b.settled()
	s.hasLevels(b.T, at, sum, byHand)
}

// hasLevels sees that a work has five levels that add up to this.
func (s *service) hasLevels(t *testing.T, at place, sum int, byHand bool) {
	t.Helper()
	if mark := s.markOf(t, at).Mark; mark == nil || len(mark.Levels) != 5 || mark.Sum == nil || *mark.Sum != sum ||
		mark.ByHand != byHand {
		t.Errorf("task %s has %+v, not %d", at.Task, mark, sum)
	}
}

// mostKeys are how many keys a work may take that is marked by five criteria.
const mostKeys = 9

// marksBy completes a work by these levels, by keys alone.
func (b *tab) marksBy(levels string) place {
	b.Helper()
	at, keys := b.place(), "b"+levels
	for _, key := range keys {
		b.key(string(key))
	}
	b.levels(levels)
	b.key("c")
	if n := len(keys) + len("c"); n > mostKeys {
		b.Errorf("%d keys were pressed", n)
	}
	b.moved(at)
	return at
}

// touches picks levels by touch, criterion by criterion.
func (b *tab) touches(panel string, levels ...int) {
	b.Helper()
	for c, level := range levels {
		b.touch(panel, c+1, level)
	}
}

func (b *tab) touch(panel string, criterion, level int) {
	b.Helper()
	b.press(fmt.Sprintf("%s fieldset:nth-of-type(%d) label:nth-of-type(%d)", panel, criterion, level))
}

// A tutor marks ten works by five criteria, by keys alone and with at most nine of them for each, and takes one back:
// its levels are picked again. Points that are typed stay, and are told of.
func TestTutorMarksTenByARubric(t *testing.T) {
	needed(t)
	s := rubrics(t)
	b := open(t, s, wide)
	b.signIn("atutor")
	b.withRubric()
	type done struct {
		place
		sum int
	}
	var all []done
	for i := range 10 {
		levels := []string{"11111", "12312", "22222"}[i%3]
		at := b.marksBy(levels)
		all = append(all, done{at, []int{10, 6, 5}[i%3]})
		if i != 4 {
			continue
		}
		b.settled()
		b.key("u")
		b.shows(at)
		b.levels(levels)
		if points := eval[string](b, "document.getElementById('desk-quality').value"); points != fmt.Sprint(all[i].sum) {
			t.Errorf("after the undo %q points stand there", points)
		}
		if mark := s.markOf(t, at); mark.Mark != nil {
			t.Errorf("after the undo the task has %v", mark.Mark)
		}
		b.key("c")
		b.moved(at)
	}
	b.settled()
	for _, d := range all {
		s.hasLevels(t, d.place, d.sum, false)
	}
}

// Levels that are picked survive the way to the next work and back, and a page that is opened anew; arrows lead from
// criterion to criterion, 0 clears a level, and points by hand are marked so.
func TestLevelsAreDrafts(t *testing.T) {
	needed(t)
	s := rubrics(t)
	b := open(t, s, wide)
	b.signIn("atutor")
	b.withRubric()
	at := b.place()
	for _, key := range "b123" {
		b.key(string(key))
	}
	b.levels("12300")
	b.await("document.querySelector('.rub-sum strong').textContent === '3 of 6 so far'")
	b.key(kb.ArrowUp)
	b.key("0")
	b.levels("12000")
	for _, key := range "1" + kb.ArrowDown {
		b.key(string(key))
	}
	b.levels("12100")
	b.ahead()
	b.key("j")
	b.moved(at)
	b.levels("00000")
	b.key("k")
	b.shows(at)
	b.levels("12100")
	b.desk(toMark + "&at=" + at.Task)
	b.levels("12100")
	b.await(rubricRead)
	b.key("b")
	for _, key := range kb.ArrowDown + kb.ArrowDown + kb.ArrowDown + "11" {
		b.key(string(key))
	}
	b.levels("12111")
	b.await("document.getElementById('desk-quality').value === '9'")
	b.fill("#desk-quality", "7")
	b.key(kb.Escape)
	b.await("!document.getElementById('desk-by-hand').hidden")
	b.awaitText("Quality points set by hand: 7.")
	b.key("c")
	b.gotLevels(s, at, 9, true)
}

// A rubric that is changed while somebody marks keeps the verdict back, says so, and shows the present one.
func TestARubricChangesWhileMarking(t *testing.T) {
	needed(t)
	s := rubrics(t)
	b := open(t, s, wide)
	b.expect("status of 409")
	b.signIn("atutor")
	b.withRubric()
	at := b.place()
	b.ahead()
	for _, key := range "b11111" {
		b.key(string(key))
	}
	b.levels("11111")
	definition, err := strconv.ParseInt(at.Definition, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	s.saveRubric(t, definition, "Aspect")
	b.write("With the old one")
	b.key("c")
	b.moved(at)
	b.awaitText("The rubric has changed since you opened it")
	b.press("#desk-refused a")
	b.shows(at)
	b.await("document.querySelector('#desk-rubric legend').textContent.includes('Aspect 1') && " + rubricRead)
	b.await("document.getElementById('desk-comment').value === 'With the old one'")
	b.levels("00000")
	for _, key := range "b22222c" {
		b.key(string(key))
	}
	b.gotLevels(s, at, 5, false)
}

// On a phone levels are picked by touch, a second touch takes one back, and the verdict goes with them.
func TestMarkingByARubricOnAPhone(t *testing.T) {
	needed(t)
	s := rubrics(t)
	b := open(t, s, phone)
	b.signIn("atutor")
	b.withRubric()
	at := b.place()
	b.press("a[data-panel=desk-rubric]")
	b.await("document.getElementById('desk-rubric').checkVisibility()")
	b.touches("#desk-rubric", 1, 2, 1, 1, 3)
	b.levels("12113")
	b.touch("#desk-rubric", 2, 2)
	b.levels("10113")
	b.touch("#desk-rubric", 2, 1)
	b.levels("11113")
	b.asItIs("the rubric on a phone")
	b.press("#desk-verdict button[value=complete]")
	b.gotLevels(s, at, 8, false)
}
