package browser

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/totp"
	"lectern/internal/ground/waittest"
)

// recoveryCodes sets a second factor up and gives codes by which somebody proves it, each once.
func (b *tab) recoveryCodes() []string {
	b.Helper()
	b.visit("/second-factor")
	b.fill("#password", "password")
	b.follow("main form button")
	code, err := totp.Code(b.text("main code"), totp.Step(time.Now()))
	if err != nil {
		b.Fatal(err)
	}
	b.fill("#otp", code)
	b.follow("main form button")
	b.await("document.querySelector('main li code')")
	return regexp.MustCompile(`[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}`).FindAllString(b.text("main"), -1)
}

// A person who left is found and erased by the keyboard, that is cancelled, and they are erased after all, a day
// later.
func TestAPersonWhoLeftByThePages(t *testing.T) {
	needed(t)
	s := serve(t)
	b := open(t, s, wide)
	b.signIn("aadmin")
	codes := b.recoveryCodes()
	b.visit("/admin/people")
	b.fill("#text", "student_1")
	b.key("\r")
	b.await("location.search.includes('text=student_1')")
	b.barriers("people")
	b.follow("main tbody a")
	b.await("document.querySelector('main a[href$=\"/erase\"]')")
	b.barriers("a person")
	person := eval[string](b, "location.pathname")
	erase := func(code string) {
		t.Helper()
		b.follow("main a[href$='/erase']")
		b.await("document.getElementById('otp')")
		b.barriers("what an erasure does")
		b.fill("#otp", code)
		b.key("\r")
		b.awaitText("Cancel erasure")
	}
	erase(codes[0])
	b.follow("main form[action$='/cancel'] button")
	b.awaitText("The erasure is cancelled.")
	erase(codes[1])
	b.visit("/admin/people?leave=waits")
	b.awaitText("Erased on")
	s.set(t, `UPDATE erasures SET due_at = '2020-01-01T00:00:00.000000Z'`)
	s.set(t, `UPDATE jobs SET run_at = '2020-01-01T00:00:00.000000Z' WHERE kind = 'erasure'`)
	waittest.Until(t, "the person is erased", func() bool {
		b.visit(person)
		return strings.Contains(b.text("main"), "This person was erased on")
	})
	b.barriers("somebody who was erased")
}
