package site_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/connect/turnitin"
	"lectern/internal/people/policy"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/tca"
	"lectern/internal/teaching/portfolio"
	"lectern/internal/teaching/work"
)

// exec changes the database behind the pages.
func (w *world) exec(text string, args ...any) {
	w.Helper()
	w.tx(func(ctx context.Context, q db.Q) error {
		_, err := db.Exec(ctx, q, text, args...)
		return err
	})
}

// to gives where an answer for a script leads.
func (a *answer) to() string {
	a.Helper()
	var out struct{ To string }
	if err := json.Unmarshal(a.status(200).Body.Bytes(), &out); err != nil || out.To == "" {
		a.Fatalf("%v: %s", err, a.Body)
	}
	return out.To
}

// A script that sends the form may send it as often as it likes: the same key is the
// same submission, and what is wrong comes as a sentence.
func TestHandingInByAScript(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, path := w.as("ann"), w.path(aTask)
		key := url.Values{"key": {"0a1b"}}
		const js = "application/json"
		wrong := ann.upload(path+"/hand-in", js, key, "file0", "a.go", "\x7fELF\x02\x01\x01").status(415)
		if strings.Contains(wrong.Body.String(), "<main") || strings.Contains(wrong.Body.String(), "(Program") {
			t.Errorf("%s", wrong.Body)
		}
		wrong.says(`"error":"Not submitted.`).says(`"files":{"file0":"a.go is not a text file.`)
		to := ann.upload(path+"/hand-in", js, key, "file0", "a.go", "package a\n").to()
		if again := ann.upload(path+"/hand-in", js, key, "file0", "a.go", "package a\n").to(); again != to {
			t.Errorf("%s, then %s", to, again)
		}
		ann.do(to, nil).status(200).says("Submitted. Your signed receipt")
		ann.do(path, nil).says("Versions (1)")
		w.upload(path+"/hand-in", js, key, "file0", "a.go", "package a\n").status(401)
		ann.upload(path+"/hand-in", js, key, "file0", "a.go", "package b\n").status(409).says("Idempotency-Key")
	})
}

// A file that is refused is told of at its row, by name and in the words of the page: no key of
// a row, no type of content. What programs are told stays as it is.
func TestRefusedFilesAreToldAtTheirRows(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.exec(`UPDATE task_definitions SET upload_requirements =
			'[{"key":"file0","name":"Program","type":"code"},{"key":"file1","name":"Report","type":"document"}]'`)
		ann, path := w.as("ann"), w.path(aTask)
		at := func(key, want string) string {
			return `id="` + key + `-flaw" class="flaw" role="alert"><bdi>` + want + `</bdi>`
		}
		shown := ann.upload(path+"/hand-in", "text/html", nil, "file0", "real.go", "package a\n").status(400).
			says("Not submitted. Fix the files").says(at("file1", "Choose a file")).says(`aria-invalid="true"`)
		if strings.Contains(shown.text(), "is required") || strings.Contains(shown.text(), at("file0", "")[:24]+"><bdi>") {
			t.Error("a row is told of by its key, or for nothing")
		}
		w.exec(`UPDATE task_definitions SET upload_requirements = '[{"key":"file0","name":"Program","type":"code"}]'`)
		for content, want := range map[string]string{pdf: "real.pdf is not a text file. Choose the source file, not the " +
			"built program.", "": "real.pdf is empty."} {
			shown := ann.upload(path+"/hand-in", "text/html", nil, "file0", "real.pdf", content).status(415).
				says(at("file0", want))
			if strings.Contains(shown.text(), "file0 (") || strings.Contains(shown.text(), "application/pdf,") {
				t.Error("the page shows a key or a type")
			}
		}
		large := strings.Repeat("x", int(w.uses.MostFile)+1)
		ann.upload(path+"/hand-in", "text/html", nil, "file0", "a.go", large).status(413).
			says(strings.TrimSuffix(at("file0", "This file is larger than "), "</bdi>"))
		w.exec(`UPDATE task_definitions SET upload_requirements = '[{"key":"file0","name":"Essay","type":"document"}]'`)
		for content, want := range map[string]string{pdf[:90]: "e.pdf is incomplete. Export it as PDF again.",
			"text": "e.pdf is not a PDF. Export your work as PDF first."} {
			ann.upload(path+"/hand-in", "text/html", nil, "file0", "e.pdf", content).status(415).says(at("file0", want))
		}
	})
}

// The page of one goes on sending when another has signed in at the same computer: who may
// hand in for students must not do so unawares.
func TestHandingInForTheOneWhoSignedIn(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, path := w.as("ann"), w.path(aTask)
		who := regexp.MustCompile(`name="by" value="(\d+)"`)
		by := who.FindStringSubmatch(ann.do(path, nil).status(200).Body.String())
		if by == nil {
			t.Fatal("the form does not say who fills it in")
		}
		fields := url.Values{"key": {"0a1b"}, "by": {by[1]}}
		const js = "application/json"
		w.as("tom").upload(path+"/hand-in", js, fields, "file0", "a.go", "package a\n").status(403).says("Sign in as that user")
		ann.do(path, nil).says("Nothing submitted yet.")
		ann.upload(path+"/hand-in", js, fields, "file0", "a.go", "package a\n").to()
		fields.Del("by") // a program of the staff's
		w.as("tom").upload(path+"/hand-in", js, fields, "file0", "a.go", "package b\n").to()
	})
}

// Whoever hands in while documents of others wait is told how many come first.
func TestThePlaceInTheQueue(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.person("bob", policy.Student)
		ann, path := w.as("ann"), w.path(aTask)
		own := w.ids()[0]
		w.exec(`INSERT INTO projects (unit_id, user_id, created_at, updated_at) SELECT u.id, p.id, u.created_at, u.created_at
			FROM units u, users p WHERE p.username = 'bob'`)
		theirs := strings.Replace(path, "/projects/"+own, "/projects/"+w.ids()[0], 1)
		w.as("bob").send(theirs+"/hand-in", "k", "b.go", "package b\n").status(303)
		at := ann.send(path+"/hand-in", "k", "a.go", "package a\n").status(303).Header().Get("Location")
		w.exec(`INSERT INTO job_units (kind, unit_key, served, turn) SELECT DISTINCT kind, unit_key, 0, 0 FROM jobs
			WHERE unit_key IS NOT NULL`)
		w.exec(`UPDATE jobs SET turn = id WHERE unit_key IS NOT NULL`) // as the queue does when their moment has come
		for _, page := range []string{at, path, strings.TrimSuffix(at, "receipt") + "progress"} {
			ann.do(page, nil).status(200).says("1 ahead in the queue")
		}
		if text := w.as("bob").do(theirs, nil).Body.String(); strings.Contains(text, "ahead in the queue") {
			t.Error("the first waits for somebody")
		}
		w.exec(`UPDATE jobs SET state = 'done' WHERE id = (SELECT min(id) FROM jobs WHERE turn IS NOT NULL)`)
		if text := ann.do(at, nil).Body.String(); strings.Contains(text, "ahead in the queue") {
			t.Error("what is done still comes first")
		}
	})
}

// What is too large is told on the form, beside what stands there, and not by a page of
// its own; a script gets it as a sentence.
func TestTooLargeFilesAreToldOnTheForm(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	ann, large := w.as("ann"), strings.Repeat("x", portfolio.MaxFile+1)
	path := w.path(aPortfolio)
	ann.send(path+"/files", "", "one.go", "package one\n").status(303)
	ann.send(path+"/files", "", "two.go", large).status(413).says(`role="alert"`).says("larger than").says("one.go").
		says(`action="` + path + `/files"`)
	ann.send(path+"/summary/file", "", "two.pdf", large).status(413).says(`role="alert"`).says("Your report")
	ann.upload(path+"/files", "application/json", nil, "file0", "two.go", large).status(413)
	w.as("eve").send(path+"/files", "", "two.go", large).status(403)
	w.upload("/receipts/check", "text/html", nil, "file", "r.json", large[:1<<20]).status(413).says(`role="alert"`).
		says(`id="receipt-form"`)
	task := w.path(aTask)
	ann.upload(task+"/comments", "text/html", url.Values{"comment": {"see"}}, "attachment", "a.png",
		strings.Repeat("x", work.MaxMedia+1)).status(413).says(`role="alert"`).says(`id="say"`)
}

// What the page says while the document is made, when it failed, and how to have it
// made again.
func TestTheDocumentOfASubmission(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, tom, path := w.as("ann"), w.as("tom"), w.path(aTask)
		ann.send(path+"/hand-in", "k", "a.go", "package a\n").status(303)
		again := ann.send(path+"/hand-in", "k", "a.go", "package a\n")
		version := strings.TrimSuffix(again.Header().Get("Location"), "/receipt")
		ann.do(version+"/document", nil).status(404).says("not ready yet")
		w.exec(`UPDATE submissions SET state = 'processing', parts_done = 1, parts = 3`)
		part := ann.do(version+"/progress", nil).status(200).says("1 of 3 files").says(`data-progress="` + version)
		if strings.Contains(part.Body.String(), "<html") {
			t.Error("the whole page came for a part of it")
		}
		w.exec(`UPDATE submissions SET state = 'failed', reason = 'a.go is <b>odd</b>.'`)
		failed := ann.do(path, nil).status(200).says("a.go is &lt;b&gt;odd&lt;/b&gt;.").
			says("Your submission and its receipt are valid")
		failed.says(path + "/rebuild")
		if strings.Contains(tom.do(path, nil).status(200).Body.String(), "/rebuild") {
			t.Error("the tutor is offered the student's button")
		}
		ann.do(path+"/rebuild", url.Values{}).leadsTo(path + "#work")
		ann.do(version+"/progress", nil).status(200).says("PDF is being prepared")
		w.as("eve").do(version+"/receipt", nil).status(403)
		info, err := w.files.Put(t.Context(), strings.NewReader(pdf))
		if err != nil {
			t.Fatal(err)
		}
		w.tx(func(ctx context.Context, q db.Q) error { return blob.Keep(ctx, q, w.files, info) })
		w.exec(`UPDATE submissions SET state = 'ready', reason = NULL, document_hash = $1`, string(info.Hash))
		ann.do(path, nil).says(`<document-view src="` + version + `/document"`)
		sent := ann.do(version+"/document", nil).status(200)
		if sent.Body.String() != pdf || sent.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%v", sent.Header())
		}
		w.as("eve").do(version+"/document", nil).status(403)
		if sent := ann.do(version+"/commented", nil).status(200); sent.Header().Get("Content-Type") != "application/pdf" {
			t.Errorf("the copy with comments is sent as %s", sent.Header().Get("Content-Type"))
		}
		w.as("eve").do(version+"/commented", nil).status(403)
		tom.do(version+"/receipt.json", nil).status(200).says(`"hash"`)
	})
}

// A group hands in together: the form asks for everybody's share, and the others see
// what was handed in for them.
func TestHandingInForAGroup(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, path := w.as("ann"), w.path(aTask)
		own := w.ids()[0]
		w.exec(`INSERT INTO group_sets (unit_id, name) SELECT max(id), 'Teams' FROM units`)
		w.exec(`UPDATE task_definitions SET group_set_id = (SELECT max(id) FROM group_sets)`)
		ann.do(path, nil).says("This is a group task")
		w.person("bob", policy.Student)
		w.exec(`INSERT INTO projects (unit_id, user_id, created_at, updated_at) SELECT u.id, p.id, u.created_at, u.created_at
			FROM units u, users p WHERE p.username = 'bob'`)
		w.exec(`INSERT INTO tutorials (unit_id, abbreviation, meeting_day, meeting_time, meeting_location)
			SELECT max(id), 'T1', 'Monday', '10:00', 'B1' FROM units`)
		w.exec(`INSERT INTO unit_groups (group_set_id, tutorial_id, name)
			SELECT s.id, t.id, 'One' FROM group_sets s, tutorials t`)
		w.exec(`INSERT INTO group_memberships (group_set_id, unit_group_id, project_id)
			SELECT g.group_set_id, g.id, p.id FROM unit_groups g, projects p`)
		member := w.ids()[0]
		ann.do(path, nil).says("Contributions").says(`value="` + member + `"`).says(`value="50"`)
		fields := func(members string) url.Values {
			return url.Values{"key": {members}, "contributions[0][project_id]": {own}, "contributions[0][pct]": {"70"},
				"contributions[0][pts]": {"4"}, "contributions[1][project_id]": {members}, "contributions[1][pct]": {"30"},
				"contributions[1][pts]": {"2"}}
		}
		ann.upload(path+"/hand-in", "text/html", fields("999999"), "file0", "a.go", "package a\n").status(422).
			says("must name every member")
		ann.upload(path+"/hand-in", "text/html", fields(member), "file0", "a.go", "package a\n").status(303)
		w.as("bob").do(strings.Replace(path, "/projects/"+own, "/projects/"+member, 1), nil).status(200).says("Versions (1)")
		pct, err := db.One[int64](t.Context(), w.db.Pool(), `SELECT contribution_pct FROM tasks WHERE project_id = $1`, member)
		if err != nil || *pct != 30 {
			t.Errorf("%v %v", pct, err)
		}
	})
}

// What the PDF does not show is told in red and in plain words to whoever sent it, also beside
// the receipt, and to whoever marks it.
func TestWhatTheTutorCannotSee(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, path := w.as("ann"), w.path(aTask)
		receipt := ann.send(path+"/hand-in", "k", "a.go", "package a\n").status(303).Header().Get("Location")
		w.exec(`UPDATE submissions SET state = 'ready', reason = 'b.pdf is not shown: it is <odd>' || $1 ||
			'c.png is not shown: the image is damaged'`, "\n")
		const one, other = "<li><bdi>b.pdf is not shown: it is &lt;odd&gt;</bdi></li>", "<li><bdi>c.png is not shown"
		for _, at := range []string{path, receipt, strings.TrimSuffix(receipt, "receipt") + "progress"} {
			ann.do(at, nil).status(200).says(`class="banner red" role="status"`).says(one).says(other).
				says("Your tutor cannot see all of your submission.").says("your receipt is valid")
		}
		for _, at := range []string{path, w.path(aDesk)} {
			w.as("tom").do(at, nil).status(200).says(`class="banner red" role="status"`).says(one).says(other).
				says("Part of this submission is not in the PDF.")
		}
		w.exec(`UPDATE submissions SET reason = NULL`)
		if strings.Contains(ann.do(receipt, nil).text(), "cannot see") {
			t.Error("everything is shown, and the page says otherwise")
		}
	})
}

// pdf is a document of one empty page.
const pdf = "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>" +
	"\nendobj\n3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>\nendobj\ntrailer\n<</Root 1 0 R>>\n%%EOF\n"

// Where files go to an outside service, its agreement is shown as plain words and asked
// for, until it is accepted.
func TestTheAgreementOfTheOutsideService(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	client, err := tca.New(tca.Config{URL: "https://similarity.example"})
	if err != nil {
		t.Fatal(err)
	}
	w.uses.Outside = turnitin.New(w.db, w.uses.Files, slog.New(slog.DiscardHandler), turnitin.Config{Client: client})
	ann, path := w.as("ann"), w.path(aTask)
	w.exec(`INSERT INTO tii_service (id, eula_version, eula_html) VALUES (1, 'v1',
		'<h1>Terms</h1><p>Be <em>fair</em> &amp; square.</p><script>alert(3)</script>') ON CONFLICT (id) DO UPDATE
		SET eula_version = excluded.eula_version, eula_html = excluded.eula_html`)
	if strings.Contains(ann.do(path, nil).Body.String(), "Read agreement") {
		t.Error("asked for where nothing is sent out")
	}
	w.exec(`UPDATE task_definitions SET upload_requirements =
		'[{"key":"file0","name":"Essay","type":"document","tii_check":true}]'`)
	shown := ann.do(path, nil).status(200).says("Read agreement").says("Terms").says("square.")
	if strings.Contains(shown.Body.String(), "alert(3)") {
		t.Error("a script of the agreement is on the page")
	}
	ann.upload(path+"/hand-in", "text/html", url.Values{"key": {"a"}, "accepted": {"true"}}, "file0", "a.pdf", pdf).
		status(303)
	if strings.Contains(ann.do(path, nil).Body.String(), "Read agreement") {
		t.Error("asked for again")
	}
}
