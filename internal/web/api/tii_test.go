package api

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/connect/turnitin"
	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/tca"
	"lectern/internal/platform/tca/fake"
)

const attachmentsPath = "/api/units/{unit_id}/task_definitions/{task_def_id}/tii_group_attachments"

var _ = rights(
	rightRow{"GET /api/tii_eula", "", "users", nil},
	rightRow{"PUT /api/tii_eula/users/{id}/accept", "/api/tii_eula/users/{student}/accept", "student", nil},
	rightRow{"GET /api/tasks/{task_id}/tii_submissions", "/api/tasks/{task}/tii_submissions", staffA, nil},
	rightRow{"GET /api/tii_actions", "", "admin", nil},
	rightRow{"GET /api/tii_actions", "/api/tii_actions?unit_id={unitA}", convenorsA, nil},
	rightRow{"PUT /api/tii_actions/{id}", "/api/tii_actions/1", "admin", form{"action": "retry"}},
	rightRow{"PUT /api/tii_actions/{id}", "/api/tii_actions/1?unit_id={unitA}", convenorsA, form{"action": "retry"}},
	// Too long: 413, never 401.
	rightRow{"POST /api/tii_hook", "", "everybody", strings.Repeat(" ", turnitin.MostNotice+1)},
	rightRow{"GET " + attachmentsPath, "/api/units/{unitA}/task_definitions/{defA1}/tii_group_attachments", convenorsA,
		nil},
	rightRow{"PUT " + attachmentsPath + "/{id}", "/api/units/{unitA}/task_definitions/{defA1}/tii_group_attachments/1",
		convenorsA, form{"action": "upload"}},
	rightRow{"DELETE " + attachmentsPath + "/{id}",
		"/api/units/{unitA}/task_definitions/{defA1}/tii_group_attachments/1", convenorsA, nil},
)

var _ = lists(
	listRow{route: "GET /api/tii_actions", path: "/api/tii_actions?limit=2000", who: "admin",
		fill: fill("tii_actions", func(w *world, i int) row { return tiiAction(w, i) })},
	listRow{route: "GET /api/tasks/{task_id}/tii_submissions", path: "/api/tasks/{task}/tii_submissions", who: "tutor",
		fill: func(w *world, from, to int) {
			id := w.someSubmission()
			w.fill("tii_submissions", from, to, func(i int) row {
				return row{"submission_id": id, "position": i, "key": "file0", "filename": "a.pdf", "threshold": 35,
					"owner_id": w.id["student"], "sender_id": w.id["student"], "service": "far", "status": "declined",
					"created_at": clock.At(w.now)}
			})
		}},
	listRow{route: "GET " + attachmentsPath, path: "/api/units/{unitA}/task_definitions/{defA1}/tii_group_attachments",
		who: "convenor", fill: func(w *world, from, to int) {
			w.similarityService("")
			w.fill("tii_group_attachments", from, to, func(i int) row {
				return row{"task_definition_id": w.id["defA1"], "group_id": "g", "filename": numbered("a", i),
					"digest": "d", "status": "pending", "created_at": clock.At(w.now)}
			})
		}},
)

func tiiAction(w *world, i int) row {
	at := clock.At(w.now)
	return row{"type": string(turnitin.FetchEULA), "subject": numbered("s", i), "unit_id": w.id["unitA"],
		"progress_at": at, "created_at": at, "updated_at": at}
}

const signingKey = "the-signing-key"

// similarityService lets the world use a service at an address; one that takes calls
// and never answers when it is empty.
func (w *world) similarityService(address string) *turnitin.Service {
	w.Helper()
	if address == "" {
		l, err := new(net.ListenConfig).Listen(w.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			w.Fatal(err)
		}
		w.Cleanup(func() { l.Close() })
		address = "http://" + l.Addr().String()
	}
	client, err := tca.New(tca.Config{URL: address, Key: "key", Name: "Lectern", Version: "test"})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(client.Close)
	s := turnitin.New(w.db, w.api.files, slog.New(slog.DiscardHandler), turnitin.Config{Client: client, Key: "key",
		SigningKey: signingKey, PublicURL: "https://learn.example.edu", Pace: -1,
		Wait: func(int) time.Duration { return 5 * time.Millisecond }})
	w.api.usecases.Outside = s
	return s
}

// agreement lets there be one to accept.
func (w *world) agreement() {
	w.set(`INSERT INTO tii_service (id, eula_version, eula_html) VALUES (1, $1, $2)`, fake.Version, fake.Agreement)
}

func TestAgreement(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		get, accept := "GET /api/tii_eula", "PUT /api/tii_eula/users/{student}/accept"
		if a := w.do("student", get, nil).status(200); strings.TrimSpace(a.Body.String()) != "null" {
			t.Errorf("got %s", a.Body)
		}
		w.do("student", accept, nil).status(409).says("set up")
		w.similarityService("")
		w.do("student", get, nil).status(200).is(`null`)
		w.do("student", accept, nil).status(409).says("not here yet")
		w.agreement()
		a := w.do("student", get, nil).status(200)
		if a.Body.String() != fake.Agreement || a.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("got %v %s", a.Header(), a.Body)
		}
		w.do("student", get, nil, "Accept", "application/json, text/plain, */*").status(200).
			is(`"<h1>Agreement</h1><p>Your work is compared with other work.</p>"`)
		if got := w.do("student", "GET /api/users/{student}", nil).object()["accepted_tii_eula"]; got != false {
			t.Errorf("before: accepted %v", got)
		}
		for range 2 {
			w.do("student", accept, nil).status(200).is(`"accepted"`)
		}
		if got := w.do("student", "GET /api/users/{student}", nil).object()["accepted_tii_eula"]; got != true {
			t.Errorf("after: accepted %v", got)
		}
		if n := w.count(`tii_actions WHERE type = 'TiiActionAcceptEula' AND user_id = $1`, w.id["student"]); n != 1 {
			t.Errorf("%d actions", n)
		}
		w.do("tutor", accept, nil).status(403)
		w.do("admin", accept, nil).status(403)
	})
}

// event is a notification as the service sends it.
func (w *world) event(family, kind, key, body string) *answered {
	w.Helper()
	return w.do("", "POST /api/tii_hook", body, "X-"+family+"-Signature", tca.Sign(key, []byte(body)),
		"X-"+family+"-EventType", kind)
}

func TestHookTakesOnlyWhatIsSigned(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		body := `{ "id":"x",  "status" : "SUCCESS", "pct": 1.50 }`
		w.event("Similarity", "PDF_STATUS", signingKey, body).status(401) // no key is configured
		w.similarityService("")
		for _, family := range []string{"Similarity", "Turnitin"} {
			if a := w.event(family, "PDF_STATUS", signingKey, body).status(201); a.Body.String() != "ok\n" {
				t.Errorf("got %q", a.Body)
			}
			w.event(family, "SOMETHING_NEW", signingKey, body).status(201)
			w.event(family, "PDF_STATUS", "a former key", body).status(401)
			w.event(family, "PDF_STATUS", "", body).status(401)
			w.event(family, "", signingKey, body).status(400).says("X-" + family + "-EventType")
			sign := tca.Sign(signingKey, []byte(body))
			for _, wrong := range []string{"", sign[:62], sign + "00", strings.Repeat("0", 64), "zz" + sign[2:],
				hex.EncodeToString([]byte(sign))} {
				w.do("", "POST /api/tii_hook", body, "X-"+family+"-Signature", wrong, "X-"+family+"-EventType",
					"PDF_STATUS").status(401)
			}
			w.do("", "POST /api/tii_hook", body+" ", "X-"+family+"-Signature", sign, "X-"+family+"-EventType",
				"PDF_STATUS").status(401)
			for _, bad := range []string{`{"id":`, `[1]`, ``, `null`, "{\"id\":\"\xff\"", `"x"`} {
				w.event(family, "PDF_STATUS", signingKey, bad).status(400)
			}
			w.event(family, "PDF_STATUS", signingKey, `{"id":5,"submission_id":{}}`).status(201)
		}
		w.do("", "POST /api/tii_hook", body, "X-Similarity-EventType", "PDF_STATUS").status(401)
		long := `{"id":"` + strings.Repeat("x", turnitin.MostNotice) + `"}`
		w.event("Similarity", "PDF_STATUS", signingKey, long).status(413)
		fits := `{"id":"` + strings.Repeat("x", turnitin.MostNotice-9) + `"}`
		w.event("Similarity", "PDF_STATUS", signingKey, fits).status(201)
	})
}

func TestHookNamesTheEventTypeThatGoesWithTheSignature(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.similarityService("")
		body := `{"id":"x"}`
		for family, other := range map[string]string{"Similarity": "Turnitin", "Turnitin": "Similarity"} {
			missing, sent := "X-"+family+"-EventType", "X-"+other+"-EventType"
			signature := "X-" + family + "-Signature"
			w.do("", "POST /api/tii_hook", body, signature, tca.Sign(signingKey, []byte(body)), sent, "PDF_STATUS").
				status(400).says(missing, "is required beside "+signature,
				sent+" counts only beside X-"+other+"-Signature")
			if a := w.event(family, "", signingKey, body).status(400); strings.Contains(a.Body.String(), other) {
				t.Errorf("nothing of the other pair was sent: %s", a.Body)
			}
		}
	})
}

// waitingDocuments makes n documents that wait for the service, each with its action.
func (w *world) waitingDocuments(n int) {
	at, later := clock.At(w.now), clock.At(w.now.Add(time.Hour))
	w.fill("tii_submissions", 0, n, func(i int) row {
		return row{"position": 0, "key": "file0", "filename": "a.pdf", "threshold": 35, "owner_id": w.id["student"],
			"sender_id": w.id["student"], "service": "far", "status": "uploaded", "remote_id": numbered("remote", i),
			"created_at": at}
	})
	w.set(`INSERT INTO tii_actions (type, subject, tii_submission_id, progress_at, created_at, updated_at)
		SELECT 'TiiActionUploadSubmission', 'submission ' || id, id, $1, $1, $1 FROM tii_submissions`, at)
	w.set(`INSERT INTO jobs (kind, args, unique_key, max_attempts, run_at, created_at)
		SELECT 'tii_action', '{"action_id":' || id || '}', 'tii action ' || id, 1000, $1, $2 FROM tii_actions`, later, at)
}

// TestABurstOfEvents sends a thousand at once: each is taken once what follows from it
// is durable, and none is lost. What comes twice changes nothing.
func TestABurstOfEvents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.similarityService("")
		const n = 1000
		w.waitingDocuments(n)
		began := time.Now()
		for round := range 2 {
			var senders sync.WaitGroup
			turns := make(chan int)
			for range 50 {
				senders.Go(func() {
					for i := range turns {
						body := fmt.Sprintf(`{"id":%q,"status":"COMPLETE"}`, numbered("remote", i))
						r := w.request("", "POST /api/tii_hook", body, "X-Similarity-Signature",
							tca.Sign(signingKey, []byte(body)), "X-Similarity-EventType", "SUBMISSION_COMPLETE")
						rec := httptest.NewRecorder()
						w.api.ServeHTTP(rec, r)
						if rec.Code != 201 {
							t.Errorf("got %d %s", rec.Code, rec.Body)
						}
					}
				})
			}
			for i := range n {
				turns <- i
			}
			close(turns)
			senders.Wait()
			if round == 0 {
				t.Logf("%d events in %v", n, time.Since(began).Round(time.Millisecond))
			}
			if got := w.count(`tii_actions WHERE nudged AND retry`); got != n {
				t.Errorf("%d of %d events were kept", got, n)
			}
			if got := w.count(`jobs WHERE kind = 'tii_action' AND run_at <= $1`, clock.At(w.now)); got != n {
				t.Errorf("%d of %d jobs are due", got, n)
			}
			if got := w.count(`jobs WHERE kind = 'tii_action'`); got != n {
				t.Errorf("%d jobs", got)
			}
		}
	})
}

func TestActionsAreListedAndRetried(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.similarityService("")
		at := clock.At(w.now)
		w.add("mine", "tii_actions", tiiAction(w, 1))
		w.add("done", "tii_actions", row{"type": string(turnitin.FetchFeatures), "subject": "", "complete": true,
			"retry": false, "progress_at": at, "created_at": at, "updated_at": at})
		w.add("failed", "tii_actions", row{"type": string(turnitin.UpdateGroup), "subject": "definition 1",
			"unit_id": w.id["unitA"], "task_definition_id": w.id["defA1"], "retry": false,
			"error_code": "malformed_request", "error_message": "The similarity service answered 400.",
			"progress_at": at, "created_at": at, "updated_at": clock.At(w.now.Add(time.Second))})
		all := w.do("admin", "GET /api/tii_actions", nil).status(200)
		if all.Header().Get("X-Total-Count") != "2" || all.list()[0]["id"] != float64(w.id["failed"]) {
			t.Errorf("%v %s", all.Header(), all.Body)
		}
		first := all.list()[0]
		for key, want := range map[string]any{"type": "TiiActionUpdateTiiGroup", "complete": false, "retry": false,
			"error_code": "malformed_request", "action": "Tell the similarity service of a task: 1.1P",
			"description": "Tell the similarity service of a task: 1.1P", "unit_id": float64(w.id["unitA"]),
			"retries": 0.0, "last_run": nil, "error_message": "The similarity service answered 400."} {
			if first[key] != want {
				t.Errorf("%s is %v, not %v", key, first[key], want)
			}
		}
		if n := len(w.do("admin", "GET /api/tii_actions?show_complete=true", nil).status(200).list()); n != 3 {
			t.Errorf("%d with those that are done", n)
		}
		if n := len(w.do("convenor", "GET /api/tii_actions?unit_id={unitA}&limit=1", nil).status(200).list()); n != 1 {
			t.Errorf("%d of the unit", n)
		}
		w.do("admin", "GET /api/tii_actions?unit_id=999", nil).status(404)
		retry := "PUT /api/tii_actions/"
		w.do("admin", retry+"{failed}", form{"action": "begin"}).status(400)
		w.do("admin", retry+"{failed}", nil).status(400).says("action")
		w.do("admin", retry+"999", form{"action": "retry"}).status(404)
		w.do("convenorB", retry+"{failed}?unit_id={unitB}", form{"action": "retry"}).status(404)
		w.do("admin", retry+"{done}", form{"action": "retry"}).status(409).says("complete")
		w.do("admin", retry+"{mine}", form{"action": "retry"}).status(409).says("still being tried")
		got := w.do("convenor", retry+"{failed}?unit_id={unitA}", form{"action": "retry"}).status(200).object()
		if !strings.Contains(got["message"].(string), "tried again") || got["retry"] != true || got["error_code"] != nil {
			t.Errorf("got %v", got)
		}
		w.do("admin", retry+"{failed}", form{"action": "retry"}).status(409)
		if n := w.count(`jobs WHERE kind = 'tii_action'`); n != 1 {
			t.Errorf("%d jobs", n)
		}
	})
}

// documentsZip is an archive with documents and other things.
func documentsZip(t *testing.T, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{"Template.docx": content, "old/Sheet.DOC": "an old sheet",
		"code.c": "int main", "small.docx": "x", "__MACOSX/Template.docx": "nothing"} {
		f, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if name != "small.docx" {
			text += strings.Repeat(" ", 60)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	return b.String()
}

// TestGroupAttachments takes documents of a task's resources to the service and away.
func TestGroupAttachments(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		base := "/api/units/{unitA}/task_definitions/{defA1}/"
		list := "GET " + base + "tii_group_attachments"
		w.set(`UPDATE task_definitions SET upload_requirements = $1`,
			`[{"key":"file0","name":"Essay","type":"document","tii_check":true}]`)
		give := func(content string) {
			w.do("convenor", "POST "+base+"task_resources", upload{files: []part{{"file", "r.zip",
				documentsZip(t, content)}}}).status(200)
		}
		give("first")
		w.do("convenor", list, nil).status(200).is(`[]`)
		far := fake.New(fake.Options{Key: "key"})
		server := httptest.NewServer(far)
		defer server.Close()
		service := w.similarityService(server.URL)
		work := w.worker(service)
		give("first")
		statuses := func() (out string) {
			for _, a := range w.do("convenor", list, nil).status(200).list() {
				out += fmt.Sprintf("%v %v; ", a["filename"], a["status"])
				w.id[a["filename"].(string)] = int64(a["id"].(float64))
			}
			return out
		}
		work("the documents are there", func() bool {
			return statuses() == "Template.docx complete; old/Sheet.DOC complete; "
		})
		one := w.do("convenor", list, nil).list()[0]
		if one["name"] != "Template.docx" || one["group_attachment_id"] == nil || len(one) != 5 {
			t.Errorf("got %v", one)
		}
		w.do("convenor", "PUT "+base+"tii_group_attachments/{Template.docx}?action=burn", nil).status(400)
		got := w.do("convenor", "PUT "+base+"tii_group_attachments/{Template.docx}?action=upload", nil).status(200).object()
		if got["status"] != "has_id" {
			t.Errorf("got %v", got)
		}
		work("it is complete again", func() bool {
			return statuses() == "Template.docx complete; old/Sheet.DOC complete; "
		})
		w.do("convenor", "DELETE "+base+"tii_group_attachments/{old/Sheet.DOC}", nil).status(204)
		w.do("convenor", "DELETE "+base+"tii_group_attachments/{old/Sheet.DOC}", nil).status(404)
		work("it is gone there, too", func() bool { return len(far.Attachments()) == 1 })
		give("second")
		work("what changed is sent anew, and what was deleted stays away", func() bool {
			list := far.Attachments()
			return statuses() == "Template.docx complete; " && len(list) == 1 &&
				strings.HasPrefix(string(list[0].File), "second")
		})
		w.set(`DELETE FROM tasks WHERE task_definition_id = $1`, w.id["defA1"])
		w.do("convenor", "DELETE /api/units/{unitA}/task_definitions/{defA1}", nil).status(204)
		if err := w.db.Tx(t.Context(), func(q db.Q) error { return service.Look(t.Context(), q) }); err != nil {
			t.Fatal(err)
		}
		work("nothing is left there", func() bool { return len(far.Attachments()) == 0 })
		if list := far.Complaints(); len(list) > 0 {
			t.Errorf("not as published: %v", list)
		}
	})
}

// worker runs what is to be done at the service until a condition holds.
func (w *world) worker(s *turnitin.Service) func(what string, ok func() bool) {
	w.Helper()
	qu := jobs.New(w.db, slog.New(slog.DiscardHandler), jobs.Config{Workers: turnitin.Workers, Poll: time.Millisecond})
	s.Register(qu)
	qu.Start(w.Context())
	w.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := qu.Stop(ctx); err != nil {
			w.Error(err)
		}
	})
	return w.eventually
}

// TestNoRequestWaitsForTheService lets the service take calls and never answer.
func TestNoRequestWaitsForTheService(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.similarityService("")
	w.agreement()
	began := time.Now()
	w.set(`UPDATE task_definitions SET upload_requirements = $1`,
		`[{"key":"file0","name":"Essay","type":"document","tii_check":true}]`)
	w.do("student", "GET /api/tii_eula", nil).status(200)
	w.do("student", "PUT /api/tii_eula/users/{student}/accept", nil).status(200)
	w.do("student", "POST /api/projects/{project:student}/task_def_id/{defA1}/submission", upload{
		fields: map[string]string{"accepted_tii_eula": "true"}, files: []part{{"file0", "e.pdf", aPDF}}}).status(201)
	w.do("convenor", "POST /api/units/{unitA}/task_definitions/{defA1}/task_resources",
		upload{files: []part{{"file", "r.zip", documentsZip(t, "x")}}}).status(200)
	w.do("admin", "GET /api/tii_actions", nil).status(200)
	w.event("Similarity", "PDF_STATUS", signingKey, `{"id":"x"}`).status(201)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if n := w.count(`tii_submissions WHERE status = 'created'`); n != 1 {
		t.Errorf("%d documents are to be sent", n)
	}
}

// TestTheAddressOfAReportIsWaitedForBriefly lets the service take the one call that a
// request waits for, and never answer it.
func TestTheAddressOfAReportIsWaitedForBriefly(t *testing.T) {
	dbtest.Long(t)
	t.Parallel()
	w := newWorld(t, "sqlite")
	w.similarityService("")
	id := w.someSubmission()
	w.outsideReport(id, "tii-1", 61, "")
	w.fill("tii_submissions", 0, 1, func(int) row {
		return row{"submission_id": id, "position": 0, "key": "file0", "filename": "a.pdf", "threshold": 35,
			"owner_id": w.id["student"], "sender_id": w.id["student"], "service": "far", "remote_id": "tii-1",
			"status": string(turnitin.LowSimilarity), "created_at": clock.At(w.now)}
	})
	r := w.do("tutor", "GET "+similarities, nil).status(200).list()[0]
	began := time.Now()
	w.do("tutor", fmt.Sprintf("GET %s/%v/viewer_url", similarities, r["id"]), nil).status(502).says("Try again")
	if took := time.Since(began); took < 4*time.Second || took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
}
