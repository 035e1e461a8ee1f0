package site_test

import "maps"

// administers does all that administrators do, in a world of its own, and notes what was seen and done.
func (r *reader) administers(w *world) {
	r.Helper()
	w.hostile()
	w.administrator()
	ada := w.reader("ada")
	ada.looksAfterJobs()
	ada.looksAfterTheService()
	ada.looksAfterPeople()
	ada.changesTheService()
	ada.looksEverywhere("ada")
	maps.Copy(r.seen, ada.seen)
	maps.Copy(r.done, ada.done)
}

// looksAfterJobs has a failed job tried again.
func (r *reader) looksAfterJobs() {
	r.Helper()
	id := r.job("document", "dead", "no room", 0)
	r.open("/admin").does(act{form: "/admin/jobs/" + id + "/retry"}).sees("The job will be tried again.")
	r.open("/admin").does(act{form: "/admin", press: "Check again"}).sees("Service health")
}

// looksAfterTheService narrows the lists, has many jobs tried again, has the audit log verified, and adds,
// changes and deletes a webhook.
func (r *reader) looksAfterTheService() {
	r.Helper()
	one := r.job("document", "dead", "no room", 0)
	r.open("/admin/jobs").does(act{form: "/admin/jobs/" + one + "/retry"}).sees("1 job will be tried again.")
	r.job("mail", "dead", "no server", 0)
	r.job("mail", "dead", "no server", 0)
	r.open("/admin/jobs").does(act{form: "/admin/jobs", fill: map[string]string{"unit": "NONE1"}}).
		sees("No unit has this code.")
	r.open("/admin/jobs").does(act{form: "/admin/jobs", fill: map[string]string{"kind": "mail"}}).
		follows("Retry all failed").does(act{form: "/admin/jobs/retry"}).sees("2 jobs will be tried again.")
	failed := r.job("password_mail", "dead", "no server", 0)
	r.open("/admin/mail").does(act{form: "/admin/jobs/" + failed + "/retry"}).sees("1 email is tried now.")
	r.job("password_mail", "dead", "no server", 0)
	r.open("/admin/mail").does(act{form: "/admin/mail/send"}).sees("tried now.")
	r.open("/admin/mail").does(act{form: "/admin/mail"}).sees("took a test email")
	r.open("/admin/audit").does(act{form: "/admin/audit", fill: map[string]string{"actor": "ada"}}).sees("Sign-in")
	r.open("/admin/audit").does(act{form: "/admin/audit/verification"}).sees("entries read.")
	r.open("/admin/events").does(act{form: "/admin/events", fill: map[string]string{"kind": "grade"}}).sees("Event log")
	r.open("/admin/webhooks").does(act{form: "/admin/webhooks", fill: map[string]string{"url": "https://a.invalid/x"}}).
		sees("The webhook was added.")
	at := "/admin/webhooks/" + r.one(`SELECT max(id) FROM webhooks`)
	r.open(at).does(act{form: at, fill: map[string]string{"url": "https://b.invalid/x"}}).sees("The webhook was saved.")
	r.does(act{form: at + "/test"}).sees("The test delivery failed.")
	r.open(at).follows("Failures only").sees("Test")
	r.exec(`UPDATE webhooks SET failures = 1`)
	r.exec(`INSERT INTO webhook_deliveries (webhook_id, seq, kind, attempts, delivered, created_at, tried_at, milliseconds)
		SELECT id, 1, 'grade', 1, FALSE, created_at, created_at, 7 FROM webhooks`)
	r.open(at).does(act{form: at + "/retry"}).sees("It is sent again now.")
	r.open(at).does(act{form: at + "/active"}).sees("Resume")
	r.does(act{form: at + "/secret"}).sees("shown once")
	r.open(at).follows("Delete").does(act{form: at + "/delete"}).sees("The webhook was deleted.")
	r.open("/admin/webhooks").does(act{form: "/admin/webhooks", fill: map[string]string{"url": "https://c.invalid/x"}})
}
