package browser

import (
	"encoding/base64"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"lectern/internal/platform/mail"
	"lectern/internal/platform/mail/mailtest"
)

// Every kind of email is free of barriers as a mail program draws it, in light and dark, in its
// full width and on a phone, by axe's rules of good practice, too; it fits the smallest screen, and
// nothing in it is asked of any host.
func TestEmailsHaveNoBarriers(t *testing.T) {
	needed(t)
	mark, err := os.ReadFile("../internal/platform/mail/templates/mark.png")
	if err != nil {
		t.Fatal(err)
	}
	data := func(kind string, content []byte) string {
		return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(content)
	}
	full := screen{name: "full", width: 600, height: 900}
	b := open(t, quiet(t), full)
	samples := mailtest.Samples()
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		email, err := mail.Render(samples[name])
		if err != nil {
			t.Fatal(err)
		}
		// A mail program finds the mark among the parts of the message.
		drawn := strings.Replace(email.HTML, "cid:mark@lectern", data("image/png", mark), 1)
		b.run(chromedp.Navigate(data("text/html;charset=utf-8", []byte(drawn))))
		b.photograph("email " + name)
		eval[bool](b, axe+"; true")
		for _, on := range []screen{full, full.inTheDark(), phone, phone.inTheDark()} {
			b.turn(on)
			for _, v := range eval[[]violation](b, `axe.run(document, {resultTypes: ['violations'], runOnly: ['wcag2a',
				'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}).then((r) => r.violations)`) {
				for _, n := range v.Nodes {
					b.Errorf("%s, %s: %s (%s): %s: %s", name, on.name, v.Help, v.ID, n.HTML, n.Summary)
				}
			}
		}
		b.turn(screen{name: "narrow", width: 320, height: 640, touch: true})
		b.fits(name)
		b.turn(full)
	}
}
