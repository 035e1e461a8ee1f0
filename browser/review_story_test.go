package browser

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// reviewed is a task of which a student hands in a program of two versions, and the addresses of it.
type reviewed struct {
	student *tab
	wire    *wire  // between them and the service
	page    string // of the task
	at      string // of it in the API
	desk    string // where a tutor marks it
}

// handsIn has a student hand in a program for the first time.
func (s *service) handsIn(t *testing.T, on screen) reviewed {
	t.Helper()
	return s.handsInText(t, on, firstProgram)
}

// handsInText has a student hand in a program with this text.
func (s *service) handsInText(t *testing.T, on screen, text string) reviewed {
	t.Helper()
	return s.handsInFile(t, on, "Program.cs", []byte(text))
}

// handsInFile has a student hand in a file for the task that asks for one program.
func (s *service) handsInFile(t *testing.T, on screen, name string, content []byte) reviewed {
	t.Helper()
	w := newWire(t, s)
	b := open(t, w.service, on)
	b.signIn("student_2")
	r := reviewed{student: b, wire: w, page: b.firstTask("5.1P")}
	m := regexp.MustCompile(`^/projects/(\d+)/tasks/(\d+)$`).FindStringSubmatch(r.page)
	r.at = "/api/projects/" + m[1] + "/task_def_id/" + m[2]
	b.handInFiles(map[string]string{"#file0": b.file(name, content)})
	b.await(atReceipt)
	b.document()
	var project struct {
		Tasks []struct {
			ID         int64 `json:"id"`
			Definition int64 `json:"task_definition_id"`
		} `json:"tasks"`
	}
	s.ask(t, "/api/projects/"+m[1], &project)
	for _, is := range project.Tasks {
		if fmt.Sprint(is.Definition) == m[2] {
			r.desk = fmt.Sprint("/units/1/desk?who=all&at=", is.ID)
		}
	}
	return r
}

// answers has the student go from each comment in the conversation to its line, answer it there and tick it, come
// back from there to the conversation, and submit the next version.
func (r reviewed) answers(t *testing.T, lines ...int) {
	t.Helper()
	b := r.student
	for i, line := range lines {
		b.visit(r.page)
		b.await("document.querySelectorAll('#talk-list .spot a').length === " + fmt.Sprint(len(lines)))
		b.press("#" + eval[[]string](b, "[...document.querySelectorAll('#talk-list .said:has(.spot)')].map((c) => c.id)")[i] +
			" .spot a")
		b.await("location.pathname.endsWith('/work') && document.querySelector('.src-note:target')")
		if under := eval[string](b, "document.querySelector('.src-note:target').previousElementSibling.lastElementChild."+
			"dataset.line"); under != fmt.Sprint(line) {
			t.Errorf("comment %d stands under line %s, not %d", i, under, line)
		}
		b.await("document.readyState === 'complete'")
		b.drawn()
		b.press(".src-note:target .reply-here summary")
		b.fill(".src-note:target textarea", fmt.Sprintf("Answer %d.", i))
		if i == 0 {
			r.keepsReply("Answer 0.")
		}
		b.follow(".src-note:target .reply-here button")
		b.await("document.querySelector('.src-note:target .src-reply')")
		if kept := eval[[]string](b, "Object.keys(localStorage).filter((k) => k.startsWith('draft '))"); len(kept) != 0 {
			t.Errorf("what was sent is kept: %q", kept)
		}
		if i%2 == 0 {
			b.follow(".src-note:target form[action$='/done'] button")
			b.await("document.querySelector('.src-note.done:target')")
		}
		b.follow(".src-note:target a[href*='#comment-']")
		b.await("document.querySelector('.said:target .spot')")
	}
	b.photograph("a conversation that points")
	b.visit(eval[string](b, "document.querySelector('#talk-list .spot a').getAttribute('href')"))
	b.photograph("a file with comments")
	b.turn(b.on)
	b.visit(r.page)
	next := strings.Replace(firstProgram, "        Draw(1);\n", nextInMain, 1)
	b.handInFiles(map[string]string{"#file0": b.file("Program.cs", []byte(next))})
	b.await(atReceipt)
	b.document()
}

// keepsReply closes the lid over a reply that was begun, and has no network when it is sent: its words stay.
func (r reviewed) keepsReply(words string) {
	b := r.student
	b.Helper()
	there := "document.querySelector('.src-note:target textarea')?.checkVisibility() && " +
		"document.querySelector('.src-note:target textarea').value === " + quote(words)
	b.await("Object.keys(localStorage).some((k) => k.startsWith('draft '))")
	b.run(chromedp.Reload())
	b.await(there + " && document.readyState === 'complete'")
	b.drawn() // the browser went to the comment again
	b.expect("net::ERR_")
	r.wire.does.set(postsLost)
	b.press(".src-note:target .reply-here button")
	b.await("document.querySelector('.src-note:target .wrong')?.textContent.startsWith('Not sent: you are offline.')")
	b.photograph("a reply that is not sent")
	r.wire.does.set(arrives)
	b.run(chromedp.Reload())
	b.await(there + " && document.readyState === 'complete'")
	b.drawn()
}

// A tutor comments on four lines by keys alone, with the page ending in the middle, and sends them with the status.
// The student gets from the conversation to each line, answers it there, and submits again; the tutor, by keys,
// sees what changed, closes what is open, and completes the task.
func TestAReviewByKeys(t *testing.T) {
	needed(t)
	s := serve(t)
	r := s.handsIn(t, phone)
	b := open(t, s, wide)
	b.signIn("atutor")
	b.desk(r.desk)
	p := b.place()
	b.openFile()
	lines := []int{3, 5, 9, 18}
	for i, line := range lines {
		if i == 2 { // the lid is closed in the middle
			b.visit(eval[string](b, "location.pathname + location.search"))
			b.await("document.querySelectorAll('.desk-draft').length === 2")
		}
		b.comments(line, fmt.Sprintf("Comment %d.", i))
	}
	if got := s.pointedAt(t, p); len(got) != 0 {
		t.Fatalf("what was not sent is there: %q", got)
	}
	b.key("f")
	b.moved(p)
	b.settled()
	if got := s.pointedAt(t, p); len(got) != len(lines) {
		t.Fatalf("the service has %q", got)
	}

	r.answers(t, lines...)
	b.desk(r.desk)
	b.key("j")
	b.moved(p)
	b.key("k")
	b.shows(p) // and the keys are at its name, from where its links are near
	b.tabTo("#desk-task a[href$='/changes']")
	b.key(kb.Enter)
	b.await("location.pathname.endsWith('/changes')")
	b.awaitText("2 of 4 done")
	for i := range lines {
		b.awaitText(fmt.Sprintf("Answer %d.", i))
	}
	for done := 3; done <= 4; done++ {
		b.await("document.querySelector('[data-next-change]') && !document.querySelector('[data-next-change]').hidden")
		for range 12 {
			b.key("n")
			if eval[bool](b, "Boolean(document.activeElement.closest('.chg-note:not(.done)'))") {
				break
			}
		}
		b.key("s")
		b.awaitText(fmt.Sprintf("%d of 4 done", done))
	}
	b.desk(r.desk)
	b.key("c")
	b.moved(p)
	b.settled()
	r.student.visit(r.page)
	r.student.awaitText("Complete")
}

// What was said of a page of the PDF, at a point and of a stretch of its text, is there when the student gets to it
// from the conversation: as a sign that leads to the comment, and as marked text.
func TestAStudentSeesWhereThePDFIsMeant(t *testing.T) {
	needed(t)
	s := serve(t)
	r := s.handsIn(t, wide)
	var versions []string
	s.ask(t, r.at+"/submissions/timestamps", &versions)
	for _, place := range []url.Values{{"place[x]": {"0.5"}, "place[y]": {"0.25"}}, {"place[quote]": {"5.1P"}}} {
		place.Set("comment", "See here.")
		place.Set("place[submission_timestamp]", versions[0])
		place.Set("place[page]", "1")
		s.call(t, "atutor", "POST", r.at+"/comments", place, nil)
	}
	b := r.student
	b.visit(r.page)
	b.follow("#talk-list .spot a")
	b.await("location.pathname.endsWith('/work') && document.querySelector('.src-note:target')")
	b.await("document.querySelectorAll('.work-pin').length === 2")
	if at := eval[[]float64](b, `(() => {
		const pin = document.querySelector('.work-pin');
		const box = pin.parentElement.getBoundingClientRect();
		return [pin.offsetLeft / box.width, pin.offsetTop / box.height];
	})()`); at[0] < 0.4 || at[0] > 0.6 || at[1] < 0.15 || at[1] > 0.35 {
		t.Errorf("the point is drawn at %v", at)
	}
	b.await("[...CSS.highlights.get('said') ?? []].some((range) => range.toString().includes('5.1P'))")
	b.photograph("a PDF with comments")
	second := eval[string](b, "document.querySelectorAll('.work-pin')[1].hash")
	b.press(".work-pin[href='" + second + "']")
	b.await("document.querySelector('.src-note:target') === document.querySelector(" + quote(second) + ")")
}

// tabTo brings the keys to a control, as those do who have no pointer.
func (b *tab) tabTo(selector string) {
	b.Helper()
	b.tabs("to", selector)
}

// tabBack brings them back to a control before the one that has them.
func (b *tab) tabBack(selector string) {
	b.Helper()
	b.tabs("back to", selector, chromedp.ModifierShift)
}

func (b *tab) tabs(way, selector string, with ...chromedp.Modifier) {
	b.Helper()
	for range 150 {
		if eval[bool](b, "document.activeElement.matches("+quote(selector)+")") {
			return
		}
		b.key(kb.Tab, with...)
	}
	b.Fatalf("no tab leads %s %s", way, selector)
}

// The same on phones, with two comments, of which one is begun by the sign beside its line.
func TestAReviewOnAPhone(t *testing.T) {
	needed(t)
	s := serve(t)
	r := s.handsIn(t, phone)
	b := open(t, s, phone)
	b.signIn("atutor")
	b.desk(r.desk)
	p := b.place()
	b.openFile()
	for i, line := range []int{3, 5} {
		if i == 1 { // the lid is closed in the middle
			b.visit(eval[string](b, "location.pathname + location.search"))
			b.await("document.querySelectorAll('.desk-draft').length === 1")
		}
		b.comments(line, fmt.Sprintf("Comment %d.", i))
	}
	b.photograph("review-phone")
	b.mark("fix_and_resubmit")
	b.settled()
	if got := s.pointedAt(t, p); len(got) != 2 {
		t.Fatalf("the service has %q", got)
	}
	r.answers(t, 3, 5)
	b.desk(r.desk)
	b.follow("#desk-task a[href$='/changes']")
	b.awaitText("1 of 2 done")
	b.follow(".chg-note:not(.done) button[name='done']")
	b.awaitText("2 of 2 done")
	b.desk(r.desk)
	b.mark("complete")
	b.settled()
	r.student.visit(r.page)
	r.student.awaitText("Complete")
}
