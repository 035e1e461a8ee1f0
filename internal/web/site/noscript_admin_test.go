package site_test

import "maps"

// administers does all that administrators do, in a world of its own, and notes what was seen and done.
func (r *reader) administers(w *world) {
	r.Helper()
	w.hostile()
	w.administrator()
	ada := w.reader("ada")
	ada.looksAfterJobs()
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
