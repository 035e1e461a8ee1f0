package browser

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// Both versions that the student of TestWhatChangedIsGoneThrough hands in.
const (
	firstProgram = "class Program\n{\n    static void Main()\n    {\n        Draw(1);\n        Draw(2);\n    }\n\n" +
		"    static int one;\n    static int two;\n    static int three;\n    static int four;\n    static int five;\n" +
		"    static int six;\n    static int seven;\n    static int eight;\n\n    static int last;\n}\n"
	nextInMain = "        Draw(one);\n"
)

// pointAt says something at a line of the newest version, as a tutor.
func (s *service) pointAt(t *testing.T, at string, line int, text string) {
	t.Helper()
	var versions []string
	s.ask(t, at+"/submissions/timestamps", &versions)
	s.call(t, "atutor", "POST", at+"/comments", url.Values{"comment": {text}, "place[file]": {"0"},
		"place[submission_timestamp]": {versions[0]}, "place[line]": {fmt.Sprint(line)}}, nil)
}

// noted waits for how many of the comments are done, and for which one is gone to.
func (b *tab) noted(progress, text string) {
	b.Helper()
	b.awaitText(progress)
	b.await("document.activeElement.closest('.chg-note') ?? document.querySelector('.chg-note:target')")
	b.await("(document.querySelector('.chg-note:focus') ?? document.querySelector('.chg-note:target'))" +
		".textContent.includes(" + quote(text) + ")")
}

// A student submits twice. The tutor gets from the desk to what changed, goes through it by keys, says that one
// comment is resolved, leaves the other one open and answers it; the student says on a phone that it is done.
func TestWhatChangedIsGoneThrough(t *testing.T) {
	needed(t)
	s := serve(t)
	student := open(t, s, phone)
	student.signIn("student_2")
	task := student.firstTask("5.1P")
	m := regexp.MustCompile(`^/projects/(\d+)/tasks/(\d+)$`).FindStringSubmatch(task)
	at := "/api/projects/" + m[1] + "/task_def_id/" + m[2]
	student.handInFiles(map[string]string{"#file0": student.file("Program.cs", []byte(firstProgram))})
	student.await(atReceipt)
	student.document() // or the page would be drawn anew while the next version is submitted
	s.pointAt(t, at, 18, "Say what this is for.")
	s.pointAt(t, at, 5, "Use the field.")
	student.visit(task)
	next := strings.Replace(firstProgram, "        Draw(1);\n", nextInMain, 1)
	student.handInFiles(map[string]string{"#file0": student.file("Program.cs", []byte(next))})
	student.await(atReceipt)

	var project struct {
		Tasks []struct {
			ID         int64 `json:"id"`
			Definition int64 `json:"task_definition_id"`
		} `json:"tasks"`
	}
	s.ask(t, "/api/projects/"+m[1], &project)
	b := open(t, s, wide)
	b.signIn("atutor")
	for _, is := range project.Tasks {
		if fmt.Sprint(is.Definition) == m[2] {
			b.desk(fmt.Sprint("/units/1/desk?who=all&at=", is.ID))
		}
	}
	b.follow("#desk-task a[href$='/changes']")
	b.awaitText("0 of 2 done")
	b.photograph("changes")
	if first := b.text(".carry li"); !strings.Contains(first, "Use the field.") {
		t.Errorf("the first of the comments is %q, not that of the first line", first)
	}
	if way := b.text(".crumbs"); !strings.HasSuffix(strings.Join(strings.Fields(way), " "), "5.1P Changes in version 2") {
		t.Errorf("the way there is %q", way)
	}
	b.await("!document.querySelector('[data-next-change]').hidden")
	b.key("n")
	b.await("document.activeElement.matches('tr[data-change]')")
	b.key("n")
	b.noted("0 of 2 done", "Use the field.")
	b.key("s")
	b.noted("1 of 2 done", "Use the field.")
	b.await("!document.querySelector('[data-next-change]').hidden")
	b.key("n")
	b.noted("1 of 2 done", "Say what this is for.")
	if eval[bool](b, "document.querySelector('.diff').innerText.includes('static int four')") {
		t.Error("what did not change is there before V")
	}
	b.key("v")
	b.await("location.search.includes('whole=true') && document.querySelector('.diff').innerText.includes('static int four')")
	b.press(".chg-note.open .reply-here summary")
	b.fill(".chg-note.open textarea", "It needs a comment above it.")
	b.follow(".chg-note.open .reply-here form button")
	b.await("document.querySelector('.chg-note.open .chg-reply')?.innerText.includes('It needs a comment above it.')")
	b.looked("what changed")

	student.visit(task)
	student.await("document.querySelector(\"main a[href$='/changes']\")")
	eval[bool](student, `document.querySelectorAll('details').forEach((d) => { d.open = true }), true`)
	student.follow("main a[href$='/changes']")
	student.awaitText("1 of 2 done")
	student.awaitText("It needs a comment above it.")
	student.looked("what changed on a phone")
	student.follow(".chg-note.open button[name='done']")
	student.noted("2 of 2 done", "Say what this is for.")
	student.awaitText("Done, by you")
	b.visit(eval[string](b, "location.pathname"))
	b.awaitText("2 of 2 done")
}
