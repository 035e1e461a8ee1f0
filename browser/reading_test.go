package browser

import (
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
)

// heard is what a screen reader finds on the page: the names of its nodes, one on a line.
func (b *tab) heardBy(role string) string {
	b.Helper()
	tree, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		b.Fatal(err)
	}
	var out strings.Builder
	for _, n := range tree.Nodes {
		if !n.Ignored && n.Role != nil && n.Name != nil && string(n.Role.Value) == quote(role) {
			out.WriteString(strings.Trim(string(n.Name.Value), `"`) + "\n")
		}
	}
	return out.String()
}

// The document at the desk is read by screen readers page by page, its words can be
// marked with the mouse, and the same words stand in the plain text beside it.
func TestDocumentIsRead(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), wide)
	b.signIn("atutor")
	b.desk(toMark)
	b.await("document.querySelector('#desk-task .sheet.drawn .text-layer span')")
	page := "[...document.querySelectorAll('#desk-task .sheet.drawn')].find((s) => s.innerText.trim().length > 40)"
	b.await(page)
	shown := eval[string](b, page+".innerText")
	words := regexp.MustCompile(`\p{L}{4,}`).FindAllString(shown, -1)
	if len(words) < 5 {
		t.Fatalf("the page has the words %q only", words)
	}
	heard := b.heardBy("StaticText")
	for _, word := range words {
		if !strings.Contains(heard, word) {
			t.Errorf("%q is not heard", word)
		}
	}
	if groups := b.heardBy("group"); !strings.Contains(groups, "Page 1 of") {
		t.Errorf("the pages have no names: %s", groups)
	}
	b.await(viewer + ".pane.scrollTop > 100") // it opens behind the cover
	eval[bool](b, "[...document.querySelectorAll('#desk-task .sheet.drawn[data-page=\"2\"] .text-layer span')]"+
		".find((s) => /^\\S*\\p{L}{4}\\S*$/u.test(s.textContent)).id = 'marked', true") // no gap between two words
	shown = eval[string](b, "document.querySelector('#desk-task .sheet[data-page=\"2\"]').innerText")
	b.run(chromedp.DoubleClick(chromedp.CSS("#marked")))
	if marked := strings.TrimSpace(eval[string](b, "getSelection().toString()")); marked == "" ||
		!strings.Contains(shown, marked) {
		t.Errorf("a double click marks %q", marked)
	}
	at := b.place()
	b.follow(".desk-tabs a[href*='view=text']")
	b.await("document.querySelector('.desk-text pre')")
	if b.place() != at {
		t.Error("the plain text is of another task")
	}
	plain := b.text(".desk-text")
	for _, word := range words {
		if !strings.Contains(plain, word) {
			t.Errorf("%q is not in the plain text", word)
		}
	}
	if !b.has(".desk-text[role=region][tabindex='0'][aria-label]") {
		t.Error("the plain text cannot be reached or has no name")
	}
}
