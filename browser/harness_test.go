package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// What these tests would have to see is seen: a tab in which everything goes wrong
// that may not.
func TestFaultsAreSeen(t *testing.T) {
	needed(t)
	b := openUnwatched(t, quiet(t), wide)
	b.visit("/help")
	faults := map[string]string{
		"a message":        `console.error('a message')`,
		"thrown":           `setTimeout(() => { throw new Error('thrown') })`,
		"rejected":         `void Promise.reject(new Error('rejected'))`,
		"script-src":       `document.body.append(Object.assign(document.createElement('script'), {text: '1'}))`,
		"style-src 'self'": `document.body.setAttribute('style', 'color: red')`,
		"status of 404":    `void fetch('/nowhere')`,
	}
	for _, js := range faults {
		eval[bool](b, js+", true")
	}
	eval[bool](b, "fetch('/help').then(() => true)") // comes after the requests before it
	_, _ = give(b, chromedp.Navigate("http://127.0.0.1:9/"))
	faults["asks another host"] = "another address"
	seen := strings.Join(b.seen(), "\n")
	for fault, js := range faults {
		if !strings.Contains(seen, fault) {
			t.Errorf("%s was not seen of %s, only: %s", fault, js, seen)
		}
	}
}
