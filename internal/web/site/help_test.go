package site_test

import (
	"strings"
	"testing"

	"lectern/internal/teaching/status"
	"lectern/internal/usecase"
)

// The help tells the keys of the marking desk to those who may have one, and what the
// states mean to everybody.
func TestHelpTellsStudentsNoKeysOfTheDesk(t *testing.T) {
	each(t, func(w *world) {
		w.as("ann").do("/help", nil).status(200).says("Fix and resubmit").says("Who acts next").
			says(`<a href="/help/keyboard">Keyboard</a>`).says(`href="/help" aria-current="page">Statuses`)
		w.as("ann").do("/help/account", nil).status(200).says(`<a href="/forgot">`).says(`<a href="/profile/data">`)
		w.do("/help/account", nil).status(200).lacks("/profile/data")
		w.as("ann").do("/help/keyboard", nil).status(200).says("Tab, Enter").lacks("<kbd>j</kbd>").
			lacks("In marking, single keys")
		w.as("tom").do("/help/keyboard", nil).status(200).says("<kbd>j</kbd>").says("In marking, single keys")
		w.do("/help/keyboard", nil).status(200).says("<kbd>j</kbd>")
	})
}

// The help tells of every status.
func TestHelpTellsOfEveryStatus(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	text := w.do("/help", nil).status(200).Body.String()
	if got := strings.Count(text, `<span class="pill `); got != len(status.All) {
		t.Errorf("%d statuses of %d", got, len(status.All))
	}
}

// Where the institution says nothing of its own, the help says what is true of the service.
func TestHelpHasStatementsOfItsOwn(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.do("/help/privacy", nil).status(200).says("are kept to teach and assess").lacks("Read the statement")
	w.do("/help/plagiarism", nil).status(200).says("What you state when you submit").says("that it is your own")
	w.do("/help/accessibility", nil).status(200).says("WCAG 2.2")
	w.do("/sign-in", nil).status(200).says(`<a href="/help/privacy">Privacy</a>`).
		says(`<a href="/help/accessibility">Accessibility</a>`)
}

// What the institution says of its own is shown by the rules of comments: no markup of its own
// gets through, and links say where they lead.
func TestHelpShowsStatementsOfTheInstitution(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.uses.Statements = map[usecase.Matter]usecase.Statement{
		usecase.OnPrivacy: {Text: "# Your *data*\n\n* one\n* [two](https://uni.example/two)\n\n<script>alert(1)</script>" +
			"\n\n[bad](javascript:alert(2)) <img src=x onerror=alert(3)>"},
		usecase.OnPlagiarism: {Text: "Cite **everything**."}, usecase.OnAccessibility: {Link: "https://uni.example/a11y"},
	}
	for range 2 { // it is made once, and shown as often as one likes
		p := w.do("/help/privacy", nil).status(200).says("<strong><bdi>Your <em>data</em>").
			says(`href="https://uni.example/two"`).
			says("uni.example").says("&lt;script&gt;alert(1)").lacks("are kept to teach")
		for _, bad := range []string{"<script>alert", `href="javascript`, "<img src=x"} {
			if strings.Contains(p.Body.String(), bad) {
				t.Errorf("%s is in the page", bad)
			}
		}
	}
	w.do("/help/plagiarism", nil).says("Cite <strong>everything</strong>").says("What you state when you submit")
	w.do("/help/accessibility", nil).says(`<a href="https://uni.example/a11y" rel="noopener noreferrer">`).
		says("Read the statement at uni.example")
}
