package site_test

import (
	"fmt"
	"net/url"
	"testing"
)

const (
	aReview     = aTask + "/review"
	someReviews = "/units/{id}/reviews"
)

func init() {
	for name, want := range map[string][4]int{
		"GET " + aReview:                   {303, 200, 200, 403},
		"POST " + aReview:                  {401, 409, 403, 403}, // nothing was marked
		"POST " + aReview + "/{review_id}": {401, 403, 400, 403}, // it says nothing
		"GET " + someReviews:               {303, 403, 200, 403},
		"POST " + onDesk + "/review":       {401, 403, 400, 403}, // it says nothing
	} {
		pages[name] = want
	}
}

// reviewed has Ann's work marked.
func (w *world) reviewed() (task string) {
	w.Helper()
	id := w.waiting()[0]
	w.as("tom").do(fmt.Sprintf("%s/tasks/%d/verdict", w.path(aDesk), id),
		url.Values{"status": {"redo"}, "version": {w.one(`SELECT version FROM tasks ORDER BY id LIMIT 1`)}}).status(303)
	return fmt.Sprintf("/projects/%s/tasks/%s", w.one(fmt.Sprintf(`SELECT project_id FROM tasks WHERE id = %d`, id)),
		w.one(fmt.Sprintf(`SELECT task_definition_id FROM tasks WHERE id = %d`, id)))
}

// A student asks for a review of what was given, once, and reads the answer on the task.
func TestAReviewOnPages(t *testing.T) {
	each(t, func(w *world) {
		task := w.reviewed()
		ann, tom := w.as("ann"), w.as("tom")
		ann.do(task, nil).status(200).says(`href="` + task + `/review"`).says("Ask for a review")
		ann.do(task+"/review", nil).status(200).says(`name="verdict"`).says(`name="reason"`)
		verdict := w.one(`SELECT max(id) FROM task_history`)
		form := url.Values{"verdict": {verdict}, "reason": {"It runs here."}}
		ann.do(task+"/review", url.Values{"verdict": {"4711"}, "reason": {"It runs here."}}).status(409).
			says("marked again since you opened").says("It runs here.</textarea>")
		for range 2 { // the second click finds the first
			ann.do(task+"/review", form).status(303)
		}
		ann.do(task, nil).status(200).says("It runs here.").says("Waiting for an answer").lacks("Ask for a review")
		ann.do(task+"/review", url.Values{"verdict": {verdict}, "reason": {"More"}}).status(409).says("already requested")
		// The staff see it in the inbox, at the desk, on the student's task and in the list of the unit.
		tom.do(w.path("/units/{id}/inbox"), nil).status(200).says("Review request</span>")
		tom.do(w.path(someReviews), nil).status(200).says("Open (1)").says("It runs here.")
		desk := w.path(aDesk) + "?at=" + w.one(`SELECT task_id FROM reviews`)
		tom.do(desk, nil).status(200).says("It runs here.").says("Send answer")
		tom.do(task, nil).status(200).says("It runs here.").says("Answer review request")
		tom.do(task+"/review", nil).status(200).says("Send answer")
		id := w.one(`SELECT id FROM reviews`)
		tom.do(task+"/review/"+id, url.Values{"answer": {"  "}}).status(400)
		tom.do(w.path(aDesk)+"/tasks/"+w.one(`SELECT task_id FROM reviews`)+"/review",
			url.Values{"review": {id}, "answer": {"Not on an empty list."}}).status(303)
		tom.do(task+"/review/"+id, url.Values{"answer": {"Me too."}}).status(409).says("already answered")
		ann.do(task, nil).status(200).says("Not on an empty list.").lacks("Waiting for an answer")
		tom.do(w.path(someReviews), nil).status(200).says("No open review requests").says("Not on an empty list.")
		w.relay()
		ann.do("/news", nil).status(200).says("Review request answered")
		tom.do("/news", nil).status(200).says("requested a review")
	})
}

// Where the unit turned it off, nothing offers it.
func TestReviewsThatAreTurnedOffAreNotOffered(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	task := w.reviewed()
	w.exec(`UPDATE units SET allow_review_requests = FALSE`)
	w.as("ann").do(task, nil).status(200).lacks("Ask for a review")
	w.as("ann").do(task+"/review", nil).status(200).says("There is nothing to review")
	w.as("ann").do(task+"/review", url.Values{"verdict": {w.one(`SELECT max(id) FROM task_history`)},
		"reason": {"It runs."}}).status(409).says("turned off in this unit")
}
