package browser

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// A tutor answers one comment of a student at the desk: what is typed stays while something else
// happens to the task, and the student sees which words were answered.
func TestAnsweringACommentAtTheDesk(t *testing.T) {
	needed(t)
	s := serve(t)
	b := open(t, s, wide)
	b.signIn("atutor")
	b.desk(toMark)
	b.visit(eval[string](b, "document.querySelector('#desk-queue a[href*=\"at=\"]').getAttribute('href')"))
	b.await("document.querySelector('#desk[data-ahead]')")
	b.sayAtTheDesk("Why is this loop here?")
	reply := eval[string](b, `[...document.querySelectorAll('.desk-talk .said')].at(-1).
		querySelector('a.reply').getAttribute('href')`)
	b.follow("a[href='" + reply + "']")
	b.await("document.querySelector('#desk[data-ahead]')")
	if got := b.text("label[for=desk-reply]"); !strings.Contains(got, "Why is this loop here?") {
		t.Errorf("it answers %q", got)
	}
	b.fill("#desk-reply", "I see it now.")
	task := regexp.MustCompile(`/projects/(\d+)/tasks/(\d+)`).FindStringSubmatch(eval[string](b,
		"document.querySelector('#desk-task').innerHTML"))
	s.call(t, "aconvenor", "POST", "/api/projects/"+task[1]+"/task_def_id/"+task[2]+"/comments",
		url.Values{"comment": {"Somebody else speaks."}}, nil)
	b.awaitText("Somebody else speaks.")
	if got := eval[string](b, "document.querySelector('#desk-reply').value"); got != "I see it now." {
		t.Errorf("of the answer %q is left", got)
	}
	b.press("#say button")
	b.await("!document.querySelector('#say')")
	b.awaitText("I see it now.")
	b.await("document.querySelector('.desk-talk .answers')?.textContent.includes('Why is this loop here?')")
}

// sayAtTheDesk says something and stays.
func (b *tab) sayAtTheDesk(words string) {
	b.Helper()
	b.fill("#desk-comment", words)
	b.press("#desk-verdict button[formaction]")
	b.awaitText(words)
	b.await("[...document.querySelectorAll('.desk-talk .said')].some((c) => " +
		"c.textContent.includes(" + quote(words) + "))")
}
