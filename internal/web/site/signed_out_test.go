package site_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// A form that is sent after the session has ended saves nothing, shows what was typed,
// and leads back to the page it was on, never to another site.
func TestFormAfterTheSessionEnded(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		path := w.path(aTask)
		const typed = "A long answer with <b>marks</b>"
		send := func(referer string) *answer {
			return w.do(path+"/comments", url.Values{"comment": {typed}, "password": {"a secret"}}, "Referer", referer).
				status(401)
		}
		for from, to := range map[string]string{
			w.public + path + "?x=1":                         path + "?x=1",
			w.public + w.path("/units/{id}/inbox/plan?x=1"):  w.path("/units/{id}/inbox"),
			w.public + w.path("/units/{id}/extensions/plan"): w.path("/units/{id}/extensions"),
			"https://evil.example//evil.example/x":           "/home", "": "/home", "%": "/home",
			"https://evil.example/\\evil.example": "/home", w.public + "/nowhere/at/all": "/home",
		} {
			a := send(from).says("A long answer with &lt;b&gt;marks")
			link := regexp.MustCompile(`"/sign-in\?next=([^"]*)"`).FindStringSubmatch(a.Body.String())
			if link == nil {
				t.Fatalf("no way to sign in: %s", a.Body)
			}
			if next, err := url.QueryUnescape(link[1]); err != nil || next != to {
				t.Errorf("from %s it leads to %s, not %s", from, next, to)
			}
			if strings.Contains(a.Body.String(), "a secret") {
				t.Error("a password is shown")
			}
		}
		w.do(path+"/comments", url.Values{"comment": {strings.Repeat("x", 1<<17)}}).status(401).says("Sign in")
		w.parts(path+"/comments", "text/html", url.Values{"comment": {typed}}).status(401).says("A long answer with &lt;b&gt;marks")
		w.do(path+"/comments", url.Values{"comment": {typed}}, "Accept", "application/json").status(401).says(`"error"`)
	})
}
