package site_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"lectern/internal/connect/turnitin"
	"lectern/internal/ground/links"
	"lectern/internal/ground/waittest"
	"lectern/internal/people/policy"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/tca"
	"lectern/internal/platform/tca/fake"
)

func init() {
	pages["GET "+links.UnitSimilarity] = [4]int{303, 403, 200, 403}
	pages["POST "+links.UnitSimilarity+"/decide"] = [4]int{401, 403, 422, 403} // nothing is chosen
	pages["POST "+links.UnitSimilarity+"/retry"] = [4]int{401, 403, 403, 403}  // a tutor steers nothing outside
}

// ring lets four further students of the unit hand in, each found like the next, and gives their user names.
func (w *world) ring() []string {
	w.Helper()
	names := []string{"cat", "dan", "eli", "fay"}
	for _, name := range names {
		w.person(name, policy.Student)
		w.exec(`INSERT INTO projects (unit_id, user_id, enrolled, created_at, updated_at)
			SELECT max(n.id), max(u.id), TRUE, $1, $1 FROM units n, users u WHERE u.username = $2`, w.db.Now(), name)
		w.exec(`INSERT INTO tasks (project_id, task_definition_id, unit_id, created_at, updated_at)
			SELECT max(p.id), min(d.id), max(d.unit_id), $1, $1 FROM projects p, task_definitions d`, w.db.Now())
		w.exec(`INSERT INTO submissions (unit_id, task_id, user_id, at, parts, state)
			SELECT t.unit_id, t.id, p.user_id, $1, 0, 'ready' FROM tasks t JOIN projects p ON p.id = t.project_id
			WHERE t.id = (SELECT max(id) FROM tasks)`, w.db.Now())
		w.exec(`INSERT INTO submission_tasks (task_id, at, submission_id, pct, pts)
			SELECT task_id, at, id, 100, 3 FROM submissions WHERE id = (SELECT max(id) FROM submissions)`)
	}
	last := w.one(`SELECT max(id) FROM submissions`)
	for i := range 4 {
		w.exec(fmt.Sprintf(`INSERT INTO similarity_pairs (class_id, part, left_id, right_id, pct, score, left_words,
				right_words, passages, created_at)
			SELECT min(d.id), 'code', %[1]s - 3 + %[2]d, %[1]s - 3 + %[3]d, 70, 80, 'Much.', 'Much.', '[]', $1
			FROM task_definitions d`, last, min(i, (i+1)%4), max(i, (i+1)%4)), w.db.Now())
		w.exec(`INSERT INTO task_similarities (type, project_id, task_id, submission_id, part, pair_id, flagged, created_at)
			SELECT 'LecternTaskSimilarity', t.project_id, t.id, s.id, 'code', p.id, TRUE, $1 FROM similarity_pairs p
			JOIN submissions s ON s.id IN (p.left_id, p.right_id) JOIN tasks t ON t.id = s.task_id
			WHERE p.id = (SELECT max(id) FROM similarity_pairs)`, w.db.Now())
	}
	return names
}

// A tutor finds a cluster of four, looks at a pair of it, and decides on all of it at once with a reason.
func TestAClusterOfFourIsDecidedOnThePage(t *testing.T) {
	each(t, func(w *world) {
		w.waiting()
		names := w.ring()
		tom, list := w.reader("tom"), w.path(links.UnitSimilarity)
		tom.open(w.path("/units/{id}/tasks")).follows("Similarity").sees("4 cases").sees("4 not decided")
		tom.follows("code: 4 submissions")
		for _, name := range names {
			tom.sees(name)
		}
		group := tom.at
		sent := tom.filledIn("seen")
		tom.do(list+"/decide", sent).status(422).says("decision must be")
		sent.Set("decision", "asked")
		tom.do(list+"/decide", sent).status(422).says("reason must be given").says("checked")
		tom.open(group).does(act{form: "/decide", press: "Save decision", fill: map[string]string{"decision": "asked",
			"reason": "They share a <b>desk</b>."}}).sees("4 decisions saved.").sees("Students asked").
			sees("They share a &lt;b&gt;desk&lt;/b&gt;.").sees("0 not decided")
		if strings.Contains(tom.text, `id="case-`) && strings.Contains(tom.text, " checked") {
			t.Error("what was decided is still ticked")
		}
		if got := w.one(`SELECT count(*) FROM task_similarities WHERE decision = 'asked'`); got != "8" {
			t.Errorf("%s of 8 records are decided on", got)
		}
		tom.open(list + "?state=undecided").sees("No cases match.")
		tom.open(list + "?state=odd&task=x&least=500&origin=z&page=-1").sees("cat")
	})
}

// The pair view decides on both sides with a reason, and leads to the cluster; a colleague who was faster is told of.
func TestAPairIsDecidedInItsView(t *testing.T) {
	each(t, func(w *world) {
		w.waiting()
		w.ring()
		tom := w.reader("tom")
		tom.open(w.path(links.UnitSimilarity)).follows("cat").sees("Cluster of 4").sees("Not decided")
		at := tom.at
		sent := tom.filledIn("seen")
		tom.does(act{form: "/decide", press: "Save decision", fill: map[string]string{"decision": "not_a_concern",
			"reason": "A template."}}).sees("Not a concern").sees("A template.")
		if !strings.HasPrefix(tom.at, at[:strings.LastIndex(at, "/")]) {
			t.Errorf("they are at %s", tom.at)
		}
		sent.Set("decision", "reported")
		sent.Set("reason", "Mine")
		tom.do(w.path(links.UnitSimilarity)+"/decide", sent).status(409).says("decided in the meantime on 1 of these cases").
			says("not a concern (&#34;A template.&#34;). Yours (reported) was not saved").says("Mine")
		ann := w.as("ann")
		ann.do(w.path(links.UnitSimilarity), nil).status(403)
		ann.do(w.path(links.UnitSimilarity)+"/decide", url.Values{"cases": {"1"}}).status(403)
	})
}

// A convenor sees what the outside service holds, and has something tried again there.
func TestTheOutsideServiceIsSteered(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.convening(), w.path(links.UnitSimilarity)
		if strings.Contains(tom.open(list).text, "At the similarity service") {
			t.Error("the page tells of a service that there is not")
		}
		w.exec(`INSERT INTO tii_actions (type, subject, unit_id, retry, error_message, progress_at, created_at, updated_at)
			SELECT 'TiiActionUpdateTiiGroup', 'x', max(id), FALSE, 'Out of order.', $1, $1, $1 FROM units`, w.db.Now())
		tom.open(list).sees("At the similarity service").sees("0 student documents held").
			sees("Out of order.").sees("Retry")
		tom.do(list+"/retry", url.Values{"action": {w.one(`SELECT max(id) FROM tii_actions`)}}).status(503).
			says("No similarity service is set up")
		tom.do(list+"/retry", url.Values{"action": {"4711"}}).status(404)
	})
}

// What failed at the outside service is tried again there, and done.
func TestAnActionAtTheOutsideServiceIsTriedAgain(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.convening(), w.path(links.UnitSimilarity)
		far := fake.New(fake.Options{Key: "key"})
		server := httptest.NewServer(far)
		w.Cleanup(func() { server.Close(); far.Close() })
		client, err := tca.New(tca.Config{URL: server.URL, Key: "key", Name: "Lectern", Version: "test"})
		if err != nil {
			t.Fatal(err)
		}
		w.Cleanup(client.Close)
		w.uses.Outside = turnitin.New(w.db, w.files, slog.New(slog.DiscardHandler), turnitin.Config{Client: client,
			Key: "key", PublicURL: w.public, Pace: -1, Wait: func(int) time.Duration { return 5 * time.Millisecond }})
		tom.open(list).sees("At the similarity service").sees("Nothing is waiting to be sent or deleted")
		w.exec(`INSERT INTO tii_actions (type, subject, unit_id, retry, error_message, progress_at, created_at, updated_at)
			SELECT $2, '', max(id), FALSE, 'Out of order.', $1, $1, $1 FROM units`, w.db.Now(), string(turnitin.FetchFeatures))
		tom.open(list).sees("Out of order.").does(act{form: "/retry", press: "Retry"})
		if strings.Contains(tom.text, "Out of order.") || strings.Contains(tom.text, `name="action"`) {
			t.Errorf("it is offered again while it is tried: %s", tom.text)
		}
		qu := jobs.New(w.db, slog.New(slog.DiscardHandler), jobs.Config{Workers: turnitin.Workers, Poll: time.Millisecond})
		w.uses.Outside.Register(qu)
		qu.Start(w.Context())
		w.Cleanup(func() {
			if err := qu.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		})
		waittest.Until(t, "it is done there", func() bool {
			return w.one(`SELECT count(*) FROM tii_actions WHERE type = 'TiiActionFetchFeaturesEnabled' AND complete`) == "1"
		})
		tom.open(list).sees("Nothing is waiting to be sent or deleted")
	})
}

// decidesOnCases decides on similar work on the page of the unit, and where a pair is compared.
func (r *reader) decidesOnCases() {
	r.Helper()
	r.exec(`UPDATE task_similarities SET flagged = TRUE, decided_at = NULL`)
	list := r.path(links.UnitSimilarity)
	said := map[string]string{"decision": "asked", "reason": "So."}
	r.open(list).does(act{form: list, fill: map[string]string{"least": "1"}}).sees("Clear filters")
	r.open(list).does(act{form: "/decide", press: "Save decision", tick: []string{"Select"}, fill: said}).
		sees("Students asked")
	r.open(r.one(`SELECT '/units/' || t.unit_id || '/desk/tasks/' || t.id || '/similarities/' || s.id
		FROM task_similarities s JOIN tasks t ON t.id = s.task_id ORDER BY s.id DESC LIMIT 1`)).
		does(act{form: "/decide", press: "Save decision", fill: said}).sees("So.")
	r.exec(`INSERT INTO tii_actions (type, subject, unit_id, retry, error_message, progress_at, created_at, updated_at)
		SELECT 'TiiActionUpdateTiiGroup', 'x', max(id), FALSE, 'Out of order.', $1, $1, $1 FROM units`, r.db.Now())
	r.open(list)
	for _, f := range r.forms() {
		if strings.HasSuffix(f.action, "/retry") {
			r.done[f.key] = true
			r.do(f.action, url.Values{"action": {r.one(`SELECT max(id) FROM tii_actions`)}}).status(503)
		}
	}
	r.exec(`DELETE FROM tii_actions`)
}
