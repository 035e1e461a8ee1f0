package browser

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"testing"
	"time"
)

// dueOn sets the day a task of the first unit is due and that of its deadline.
func (s *service) dueOn(t *testing.T, task string, target, deadline time.Time) {
	t.Helper()
	m := regexp.MustCompile(`/tasks/(\d+)$`).FindStringSubmatch(task)
	s.call(t, "aconvenor", "PUT", "/api/units/1/task_definitions/"+m[1], url.Values{
		"task_def[start_date]": {target.AddDate(0, 0, -7).Format(time.DateOnly)}, "task_def[target_date]": {target.Format(time.DateOnly)}, "task_def[due_date]": {deadline.Format(time.DateOnly)}}, nil)
}

// lastHour puts the first unit into a zone where the day ends within the hour, and gives that day.
func (s *service) lastHour(t *testing.T) time.Time {
	t.Helper()
	now := time.Now().UTC()
	ahead := 23 - now.Hour() // in hours; no zone is more than twelve behind
	name := fmt.Sprintf("Etc/GMT-%d", ahead)
	if ahead > 14 {
		ahead -= 24
		name = fmt.Sprintf("Etc/GMT+%d", -ahead)
	}
	s.call(t, "aconvenor", "PUT", "/api/units/1", url.Values{"unit[time_zone]": {name}}, nil)
	return now.Add(time.Duration(ahead) * time.Hour)
}

// top is where an element begins on the page, in pixels.
func (b *tab) top(selector string) float64 {
	b.Helper()
	return eval[float64](b, "document.querySelector("+quote(selector)+").getBoundingClientRect().top + scrollY")
}

// In the last minutes before a deadline, on a phone: home says what is due today, its row leads to
// the task, whose action stays in sight, and the receipt is there at once.
func TestTheLastMinutesOnAPhone(t *testing.T) {
	needed(t)
	s := serve(t)
	link := s.newStudent(t, "hurried")
	day := s.lastHour(t)
	b := open(t, s, phone)
	b.choosePassword(link, "hurried")
	task := b.firstTask("6.1P")
	s.dueOn(t, task, day, day)
	b.visit("/home")
	b.awaitText("Due today")
	row := "main .todo a.title[href='" + task + "']"
	if at := eval[float64](b, "document.querySelector("+quote(row)+").getBoundingClientRect().bottom"); at > 792 {
		t.Errorf("what is next stands at %.0f px, under the fold", at)
	}
	b.awaitText("minutes")
	b.follow(row)
	b.await("document.querySelector('.act-bar a').getBoundingClientRect().bottom <= innerHeight")
	b.press(".act-bar a")
	b.await("document.getElementById('hand-in').getBoundingClientRect().top < innerHeight")
	b.handInFiles(map[string]string{
		"#file0": b.file("Program.cs", []byte("class Program { static void Main() { } }\n")),
		"#file1": b.file("screen.png", aPicture()),
	})
	b.await(atReceipt)
	b.visit(task)
	b.awaitText("You are waiting for feedback.")
	b.awaitText("Ready for feedback")
}

// What a tutor sends back is on the student's home at once, with the words, while it is open.
func TestWhatIsToFixIsSeenOnHomeAtOnce(t *testing.T) {
	needed(t)
	s := serve(t)
	link := s.newStudent(t, "fixer")
	b := open(t, s, phone)
	b.choosePassword(link, "fixer")
	task := b.firstTask("6.1P")
	s.dueOn(t, task, time.Now().AddDate(0, 0, 20), time.Now().AddDate(0, 0, 30))
	b.visit(task)
	b.handInFiles(map[string]string{
		"#file0": b.file("Program.cs", []byte("class Program { static void Main() { } }\n")),
		"#file1": b.file("screen.png", aPicture()),
	})
	b.await(atReceipt)
	b.visitLive("/home")
	m := regexp.MustCompile(`^/projects/(\d+)/tasks/(\d+)$`).FindStringSubmatch(task)
	at := "/api/projects/" + m[1] + "/task_def_id/" + m[2]
	s.call(t, "atutor", "POST", at+"/comments", url.Values{"comment": {"Move the check before the loop."}}, nil)
	s.call(t, "atutor", "PUT", at, url.Values{"trigger": {"fix_and_resubmit"}}, nil)
	b.awaitText("Needs your answer")
	b.awaitText("Move the check before the loop.")
	b.follow("main .todo a[href='" + task + "#talk']")
	b.awaitText("Your tutor found something to fix.")
	// On the phone, the one thing to do and the newest words are within two screens.
	b.visit(task)
	if words, action := b.top(".last"), b.top(".act-bar a"); words > 2*844 || action > 2*844 {
		t.Errorf("the newest comment stands at %.0f px, the action at %.0f", words, action)
	}
	b.visit(task)
	if form := b.top("#hand-in"); form > 2*844 {
		t.Errorf("the form to submit begins at %.0f px", form)
	}
}

// Whoever submits after the deadline is warned before, sees no request for time that cannot help,
// and is told what became of the work.
func TestASubmissionAfterTheDeadlineIsWarnedAbout(t *testing.T) {
	needed(t)
	s := serve(t)
	for i, on := range []screen{wide, phone.withoutScript()} {
		name := fmt.Sprint("belated", i)
		link := s.newStudent(t, name)
		b := open(t, s, on)
		b.choosePassword(link, name)
		task := b.firstTask("6.1P")
		s.dueOn(t, task, time.Now().AddDate(0, 0, -9), time.Now().AddDate(0, 0, -3))
		b.visit(task)
		b.awaitText("If you submit now, your work is kept but gets the status Time exceeded.")
		if warned, form := b.top("#late-warning"), b.top("#hand-in"); warned > form {
			t.Errorf("%s: the warning stands at %.0f px, after the form at %.0f", on.name, warned, form)
		}
		if b.has("a[href$='tab=extend']") {
			t.Errorf("%s: time is offered that ends in the past", on.name)
		}
		b.handInFiles(map[string]string{
			"#file0": b.file("Program.cs", []byte("class Program { static void Main() { } }\n")),
			"#file1": b.file("screen.png", aPicture()),
		})
		b.await(atReceipt)
		b.visit(task)
		b.awaitText("You submitted after the due date.")
	}
}

// Largest paint of the page of a task without a document: the median of nine on a warm service,
// under 300 ms on a quiet machine; only three times as much fails, as machines are noisy.
func TestATaskIsPaintedSoon(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), phone)
	b.signIn("student_1")
	task := b.firstTask("6.1P")
	var took []float64
	for range 9 {
		b.visit(task)
		took = append(took, eval[float64](b, largestPaint))
	}
	slices.Sort(took)
	t.Logf("largest paint of a task after %.0f ms (from %.0f to %.0f)", took[4], took[0], took[8])
	if took[4] > 900 {
		t.Errorf("the largest paint of a task comes after %.0f ms", took[4])
	}
}
