package browser

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// openFile opens the first file of the work in view.
func (b *tab) openFile() {
	b.Helper()
	b.await("document.querySelector('#desk-task .desk-bar a[data-file]')")
	if b.on.touch {
		b.press("#desk-task .desk-bar a[data-file]")
	} else {
		b.key(".")
	}
	b.await("document.querySelector('.desk-source:not([hidden]) .ln')")
}

// onLine tells where the keys are: the number of the line that has the focus.
func (b *tab) onLine(n int) {
	b.Helper()
	b.await(fmt.Sprintf("document.activeElement.closest('.ln')?.dataset.line === '%d'", n))
}

// composing waits until a comment at a place is being written.
func (b *tab) composing() {
	b.Helper()
	b.await("document.activeElement.matches('.desk-point-words')")
}

// comments writes a comment at a line of the file that is open: by keys from line to line, or by the sign beside it.
func (b *tab) comments(line int, text string) {
	b.Helper()
	if b.on.touch {
		b.press(fmt.Sprintf(".desk-source:not([hidden]) .ln[data-line='%d'] > a", line))
		b.composing()
		b.key(text)
		b.press(".desk-draft:has(textarea) .push button")
		b.await("!document.querySelector('.desk-draft textarea')")
		return
	}
	b.key("l")
	b.await("document.activeElement.closest('.ln')")
	for eval[int](b, "Number(document.activeElement.closest('.ln').dataset.line)") < line {
		b.key(kb.ArrowDown)
	}
	b.onLine(line)
	b.key(kb.Enter)
	b.composing()
	b.key(text)
	b.key(kb.Escape)
}

// drafts are the comments that are not sent yet, as the page shows them in their places.
func (b *tab) drafts() []string {
	b.Helper()
	return eval[[]string](b, `[...document.querySelectorAll('.desk-source:not([hidden]) .desk-draft')].map((d) =>
		[d.previousElementSibling?.dataset.line, d.querySelector('textarea')?.value ?? d.querySelector('p').textContent].join(': '))`)
}

// pointedAt are the comments of a task that point at the work, as the service has them.
func (s *service) pointedAt(t *testing.T, p place) (out []string) {
	t.Helper()
	var said []struct {
		Comment string `json:"comment"`
	}
	s.ask(t, "/api/projects/"+p.Project+"/task_def_id/"+p.Definition+"/comments", &said)
	for _, c := range said {
		if strings.Contains(c.Comment, ", line ") || strings.Contains(c.Comment, ", lines ") || strings.HasPrefix(c.Comment, "Page ") {
			out = append(out, c.Comment)
		}
	}
	return out
}

// A tutor writes four comments at lines by keys alone. They survive that the page ends in the middle, go out once
// with the verdict, are back as drafts when it is undone, and stand at their lines once it is given again.
func TestATutorCommentsOnLinesByKeys(t *testing.T) {
	needed(t)
	s := serve(t)
	b := open(t, s, wide)
	b.signIn("atutor")
	b.desk(toMark)
	p := b.place()
	b.openFile()
	b.key("l")
	b.onLine(1)
	b.key(kb.ArrowDown + kb.ArrowDown)
	b.onLine(3)
	// What others say meanwhile draws the work anew, and leaves the keys where they are.
	s.call(t, "aconvenor", "POST", "/api/projects/"+p.Project+"/task_def_id/"+p.Definition+"/comments",
		url.Values{"comment": {"In between."}}, nil)
	b.await("document.getElementById('desk-feedback').textContent.includes('In between.')")
	b.onLine(3)
	b.key(kb.ArrowUp + kb.ArrowDown)
	b.onLine(3)
	b.key(kb.Enter)
	b.composing()
	b.key("Say what this is for.")
	b.key(kb.Escape)
	b.onLine(3)
	b.key(kb.ArrowDown)
	b.key(kb.ArrowDown, chromedp.ModifierShift)
	b.onLine(5)
	b.key(kb.Enter)
	b.composing()
	b.key("These belong together.")

	b.visit(eval[string](b, "location.pathname + location.search")) // the lid is closed in the middle
	b.await("document.querySelectorAll('.desk-draft').length === 2")
	if got := b.drafts(); strings.Join(got, "|") != "3: Say what this is for.|5: These belong together." {
		t.Fatalf("after a reload there are %q", got)
	}
	for i, line := range []int{6, 7} {
		b.comments(line, fmt.Sprintf("Comment %d.", i))
	}
	b.write("See the lines.")
	b.mark("fix_and_resubmit")
	b.settled()
	want := []string{"Program.cs, line 3: Say what this is for.", "Program.cs, lines 4 to 5: These belong together.",
		"Program.cs, line 6: Comment 0.", "Program.cs, line 7: Comment 1."}
	if got := s.pointedAt(t, p); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Fatalf("the service has %q", got)
	}

	b.key("u")
	b.shows(p)
	b.await("document.querySelectorAll('.desk-source:not([hidden]) .desk-draft').length === 4")
	if got := s.pointedAt(t, p); len(got) != 0 {
		t.Fatalf("after the undo the service has %q", got)
	}
	b.mark("fix_and_resubmit")
	b.settled()
	if got := s.pointedAt(t, p); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Fatalf("given again, the service has %q", got)
	}
	b.desk("/units/1/desk?file=0&at=" + p.Task)
	b.await("document.querySelectorAll('.desk-source .src-note[data-note]').length === 4")
	b.key("v")
	b.await("document.querySelector('#desk-pointed li.at')")
	b.press(".src-note[data-note] form button")
	b.await("document.querySelectorAll('.desk-source .src-note.done').length === 1")
	b.press(".src-note.done form button")
	b.await("document.querySelectorAll('.desk-source .src-note.done').length === 0")
	b.photograph("desk-points")
}
