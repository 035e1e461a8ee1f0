package site_test

import (
	"maps"
	"regexp"
	"time"

	"lectern/internal/ground/totp"
)

// startsTheService sets up a new installation, from the link to what is left to do.
func (r *reader) startsTheService(w *world) {
	r.Helper()
	token := w.firstLink()
	ada := w.reader("")
	ada.open("/first-start?token=" + token).does(act{form: "/first-start", fill: map[string]string{"username": "ada",
		"first_name": "Ada", "last_name": "Min", "email": "ada@example.edu", "password": secret, "again": secret}}).
		sees("Protect this account").does(act{form: "/first-start/second-factor"}).sees("Scan the code")
	key := regexp.MustCompile(`name="secret" value="([A-Z2-7]+)"`).FindStringSubmatch(ada.text)
	if key == nil {
		r.Fatalf("no secret on %s", ada.text)
	}
	code, err := totp.Code(key[1], totp.Step(time.Now()))
	if err != nil {
		r.Fatal(err)
	}
	ada.does(act{form: "/first-start/second-factor/confirm", fill: map[string]string{"otp": code}}).sees("recovery codes")
	ada.open("/first-start/institution").does(act{form: "/institution", fill: map[string]string{
		"external_name": "Northfield", "public_url": "https://l.example.edu"}}).sees("How will people sign in?")
	ada.does(act{form: "/sign-in", fill: map[string]string{"way": "passwords"}}).sees("How are emails sent?")
	ada.does(act{form: "/email", fill: map[string]string{"server": "mail.example.edu", "mail_from": "l@example.edu"}}).
		sees("When do you teach")
	ada.does(act{form: "/first-start/unit", fill: map[string]string{"period": "Semester 1", "year": "2027",
		"start_date": "2027-03-01", "end_date": "2027-06-01"}}).sees("Semester 1 2027")
	ada.open("/first-start/done").sees("What is left to do")
	maps.Copy(r.seen, ada.seen)
	maps.Copy(r.done, ada.done)
}

// changesTheService changes what an installation was set up with.
func (r *reader) changesTheService() {
	r.Helper()
	r.open("/admin/settings").sees("LECTERN_PUBLIC_URL")
	r.open("/admin/settings/institution").does(act{form: "/institution", fill: map[string]string{
		"public_url": "https://l.example.edu"}}).sees("Restart the service")
	r.open("/admin/settings/sign-in").does(act{form: "/sign-in", fill: map[string]string{"way": "ldap",
		"ldap_url": "ldaps://dir.example.edu", "ldap_base": "dc=example"}}).sees("Saved.")
	r.open("/admin/settings/email").does(act{form: "/email", fill: map[string]string{"server": "mail.example.edu",
		"mail_from": "l@example.edu"}}).sees("A test email was sent to")
}
