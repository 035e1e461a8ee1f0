package site_test

import (
	"net/url"
	"testing"

	"lectern/internal/people/policy"
)

var _ = morePages(map[string][4]int{
	"POST /profile/names":    {401, 422, 422, 422}, // there is no name
	"POST /profile/address":  {401, 422, 422, 422}, // there is no address
	"POST /profile/research": {401, 400, 400, 400}, // there is no answer
	"POST /profile/letters":  {401, 303, 303, 303},
	"POST /profile/zone":     {401, 303, 303, 303}, // none
})

// People say on a page what they are called, whether they take part in research and
// where their emails go. What is refused stands there as they typed it, and nothing of
// it is kept.
func TestPeopleChangeTheirAccount(t *testing.T) {
	each(t, func(w *world) {
		ann := w.as("ann")
		names := url.Values{"first_name": {"Ann"}, "last_name": {"Smith"}, "nickname": {"Annie"}, "pronouns": {"she/her"}}
		ann.do("/profile/names", names).leadsTo("/profile#names")
		kept := ann.do("/profile", nil).says("<bdi>Ann Smith</bdi>").says(`value="Annie"`).says(`value="she/her"`)
		kept.says(`id="research-no" name="research" type="radio" value="false">`).says(`value="true" required>`)
		names.Set("first_name", " ")
		names.Set("nickname", "Nan")
		ann.do("/profile/names", names).status(422).says(`role="alert"`).says(`value="Nan"`).says("<bdi>Ann Smith</bdi>")
		ann.do("/profile", nil).says(`value="Annie"`)
		ann.do("/profile/research", url.Values{"research": {"false"}}).leadsTo("/profile#research")
		ann.do("/profile", nil).says(`type="radio" value="false" checked>`)

		w.person("bob", policy.Student)
		asked := func(address, password string) *answer {
			return ann.do("/profile/address", url.Values{"email": {address}, "old_password": {password}})
		}
		asked("none", "").status(422).says(`value="none"`)
		asked("bob@example.edu", "").status(409).says("Another user has that email address.")
		asked("new@example.edu", "").leadsTo("/profile/email#address")
		ann.do("/profile/email", nil).says("Waiting for confirmation: <bdi>new@example.edu</bdi>").
			says("<strong><bdi>ann@example.edu</bdi></strong>")
		w.exec(`UPDATE sessions SET created_at = '2020-01-01T00:00:00.000000Z', renewed_at = $1`, w.db.Now())
		asked("next@example.edu", "").status(403).says("Enter your current password").says(`value="next@example.edu"`)
		asked("next@example.edu", "wrong").status(401).says("new@example.edu")
		asked("next@example.edu", secret).leadsTo("/profile/email#address")
		ann.do("/profile/email", nil).says("Waiting for confirmation: <bdi>next@example.edu</bdi>")
		if n := w.one(`SELECT count(*) FROM jobs WHERE kind = 'address_mail'`); n != "4" {
			t.Errorf("%s emails wait for two changes, want two to the present address and one to each new one", n)
		}
		stay := `<form method="post" action="/profile/address"><input type="hidden" name="email" value="ann@example.edu">`
		ann.do("/profile/email", nil).says(stay).says("Keep <bdi>ann@example.edu</bdi>")
		asked("ann@example.edu", "").leadsTo("/profile/email#address")
		ann.do("/profile/email", nil).lacks("next@example.edu").lacks("Waiting for confirmation")
	})
}

// The account is four pages, each with links to the others: no script is needed to get from one to
// the next. What is refused is shown on the page that it belongs to.
func TestTheAccountHasPages(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	ann := w.as("ann")
	all := map[string]string{"/profile": "Profile", "/profile/email": "Email", "/profile/appearance": "Appearance",
		"/profile/security": "Security"}
	for path, name := range all {
		page := ann.do(path, nil).status(200).says("<title>" + name + " · Account – ").says("<h1>Account</h1>").
			says(`<a href="` + path + `" aria-current="page">` + name + `</a>`).
			says(`<li aria-current="page"><bdi class="cut">` + name + `</bdi></li>`)
		for other, called := range all {
			if other != path {
				page.says(`<a href="` + other + `">` + called + `</a>`)
			}
		}
	}
	ann.do("/profile/address", url.Values{"email": {"none"}}).status(422).says(`aria-current="page">Email</a>`)
	ann.do("/profile/password", url.Values{"old_password": {"wrong"}, "password": {secret}, "again": {secret}}).
		status(401).says(`aria-current="page">Security</a>`).says(`role="alert"`)
	ann.do("/profile/zone", url.Values{"time_zone": {"Asia/Kolkata"}}).leadsTo("/profile#time")
	ann.do("/profile/preferences", url.Values{"theme": {"dark"}}).leadsTo("/profile/appearance")
	ann.do("/profile", nil).says("<option selected>Asia/Kolkata</option>") // another form leaves it
}
