package api

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"lectern/internal/ground/clock"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/pdf"
	"lectern/internal/teaching/submit"
)

func TestMain(m *testing.M) {
	pdf.MaybeChild()
	os.Exit(unaudited(unasked(m.Run())))
}

const (
	submission    = ownTask + "/submission"
	submissionAny = "/api/projects/{id}/task_def_id/{task_definition_id}"
)

var _ = rights(
	rightRow{"GET /api/receipt_key", "", "everybody", nil},
	rightRow{"POST " + submissionAny + "/submission", submission, readersA, `{}`},
	rightRow{"GET " + submissionAny + "/submission", submission, readersA, nil},
	rightRow{"GET " + submissionAny + "/submission/text", submission + "/text", readersA, nil},
	rightRow{"GET " + submissionAny + "/submissions/timestamps/{timestamp}/text",
		ownTask + "/submissions/timestamps/1/text", readersA, nil},
	rightRow{"PUT " + submissionAny + "/submission", submission, readersA, nil},
	rightRow{"GET " + submissionAny + "/submission_details", ownTask + "/submission_details", readersA, nil},
	rightRow{"GET " + submissionAny + "/submission_files", ownTask + "/submission_files", readersA, nil},
	rightRow{"GET " + submissionAny + "/submissions/latest", ownTask + "/submissions/latest", readersA, nil},
	rightRow{"GET " + submissionAny + "/submissions/timestamps", ownTask + "/submissions/timestamps", readersA, nil},
	rightRow{"GET " + submissionAny + "/submissions/timestamps/{timestamp}", ownTask + "/submissions/timestamps/1",
		readersA, nil},
)

var _ = lists(
	listRow{route: "GET " + submissionAny + "/submissions/timestamps", path: ownTask + "/submissions/timestamps",
		who: "tutor", most: 10,
		fill: func(w *world, from, to int) {
			var rows, links [][]any
			for i := from; i < to; i++ {
				at := clock.At(w.now.Add(time.Duration(i) * time.Second))
				rows = append(rows, []any{1000 + i, w.id["unitA"], w.id["task"], w.id["student"], at, 0})
				links = append(links, []any{w.id["task"], at, 1000 + i, 100, 3})
			}
			err := w.db.Tx(w.Context(), func(q db.Q) error {
				if err := db.Insert(w.Context(), q, `submissions (id, unit_id, task_id, user_id, at, parts)`, "",
					rows); err != nil {
					return err
				}
				return db.Insert(w.Context(), q, `submission_tasks (task_id, at, submission_id, pct, pts)`, "", links)
			})
			if err != nil {
				w.Fatal(err)
			}
		}},
)

// asks makes the first task of unit A ask for files, as kind or kinds.
func (w *world) asks(kinds ...string) {
	w.Helper()
	var list []map[string]string
	for i, k := range kinds {
		list = append(list, map[string]string{"key": fmt.Sprintf("file%d", i), "name": "Part " + k, "type": k})
	}
	text, _ := json.Marshal(list)
	w.define("upload_requirements = $1", string(text))
}

// made runs the jobs that make documents.
func (w *world) made() {
	w.Helper()
	docs := &submit.Documents{DB: w.db, Files: w.api.files, Institution: "Test University"}
	ids, err := db.All[int64](w.Context(), w.db.Pool(), `SELECT id FROM submissions WHERE state = 'queued' ORDER BY id`)
	for _, id := range ids {
		if err == nil {
			err = docs.Make(w.Context(), jobs.Job{Attempt: 1, MaxAttempts: 9}, submit.DocumentArgs{SubmissionID: id})
		}
	}
	if err != nil {
		w.Fatal(err)
	}
}

var (
	code     = part{"file0", "hello.py", "# Grüße\nprint('hi')\n"}
	smallPNG = func() string {
		var b bytes.Buffer
		_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 60, 40)))
		return b.String()
	}()
	samplePDF = sync.OnceValue(func() string {
		f := fpdf.New("P", "mm", "A4", "")
		f.SetFont("Helvetica", "", 12)
		for n := range 2 {
			f.AddPage()
			f.Cell(0, 10, fmt.Sprintf("Page %d of a report", n+1))
		}
		var b bytes.Buffer
		if err := f.Output(&b); err != nil {
			panic(err)
		}
		return b.String()
	})
)

// unzip gives the files of an archive by name.
func unzip(t testing.TB, data []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = string(b)
	}
	return out
}

func TestHandIn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code", "image")
		w.do("student", "GET "+ownTask+"/submission_details",
			nil).status(200).is(`{"has_pdf":false,"submission_date":false,"processing_pdf":false,
			"submitted_at":null,"state":null,"progress":null,"reason":null,"receipt":null,"marked_at":null}`)
		w.do("student", "GET "+submission, nil).status(404).says("nothing has been submitted")
		w.do("student", "PUT "+submission, nil).status(200).is(`{"result":"false"}`)
		picture := part{"file1", "shot.PNG", smallPNG}
		a := w.do("student", "POST "+submission, upload{nil, []part{code, picture}}).status(201)
		if got := a.Header().Get("Location"); got != w.path(submission+"_details") {
			t.Errorf("location %s", got)
		}
		o := a.object()
		for _, name := range []string{"task_id", "task_status", "weeks_can_extend", "can_apply_for_extension",
			"submitted_before_due", "receipt",
			"id", "project_id", "task_definition_id", "status", "due_date", "submission_date", "completion_date",
			"extensions", "times_assessed",
			"quality_pts", "include_in_portfolio", "new_stats"} {
			if _, ok := o[name]; !ok {
				t.Errorf("the result lacks %s", name)
			}
		}
		if o["task_status"] != "ready_for_feedback" || o["task_id"] != float64(w.id["task"]) ||
			o["weeks_can_extend"] != 3.0 || o["submitted_before_due"] != true || o["can_apply_for_extension"] != true {
			t.Errorf("result %v", o)
		}
		d := w.do("tutor", "GET "+ownTask+"/submission_details", nil).status(200).object()
		if d["state"] != "queued" || d["processing_pdf"] != true || d["has_pdf"] != false ||
			d["submission_date"] != true || d["submitted_at"] == nil {
			t.Errorf("details %v", d)
		}
		w.do("student", "GET "+submission, nil).status(404).says("not ready yet")
		w.made()
		d = w.do("tutor", "GET "+ownTask+"/submission_details", nil).status(200).object()
		if d["state"] != "ready" || d["processing_pdf"] != false || d["has_pdf"] != true || d["reason"] != nil {
			t.Errorf("details %v", d)
		}
		got := w.do("tutor", "GET "+submission, nil).status(200)
		if !strings.HasPrefix(got.Body.String(), "%PDF-") || got.Header().Get("Content-Type") != "application/pdf" ||
			!strings.Contains(got.Header().Get("Content-Disposition"), `inline; filename=SIT10A-1.1P-student.pdf`) {
			t.Errorf("PDF %v %.20q", got.Header(), got.Body)
		}
		folder := fmt.Sprintf("%d/", w.id["task"])
		want := map[string]string{folder + "000-code.py": code.content, folder + "001-image.png": smallPNG}
		for _, path := range []string{"/submission_files", "/submissions/latest"} {
			files := unzip(t, w.do("tutor", "GET "+ownTask+path, nil).status(200).Body.Bytes())
			if fmt.Sprint(files) != fmt.Sprint(want) {
				t.Errorf("%s holds %q", path, files)
			}
		}
		events := w.rows(`SELECT kind || ' ' || body AS v FROM events WHERE task_id = $1 ORDER BY id`, w.id["task"])
		first, last := strings.Join(events[:min(len(events), 3)], "\n"), events[len(events)-1]
		for _, want := range []string{"status ", "submission ", `"state":"processing"`} {
			if !strings.Contains(first, want) {
				t.Errorf("no %s among the events %q", want, events)
			}
		}
		if !strings.HasPrefix(last, "document ") || !strings.Contains(last, `"state":"ready"`) {
			t.Errorf("the last event is %s", last)
		}
		// A rebuild keeps the old document until the new one is there.
		w.do("student", "PUT "+submission, nil).status(200).is(`{"result":"done"}`)
		w.do("student", "GET "+submission, nil).status(200)
		if d := w.do("student", "GET "+ownTask+"/submission_details", nil).object(); d["processing_pdf"] != true {
			t.Errorf("details after the request to rebuild: %v", d)
		}
		w.made()
		again := w.do("student", "GET "+submission, nil).status(200)
		if !bytes.Equal(again.Body.Bytes(), got.Body.Bytes()) {
			t.Error("the rebuilt document differs")
		}
	})
}

func TestVersions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		var stamps []string
		for i := range 12 {
			if i%3 != 0 { // some in the same millisecond
				w.later(time.Minute)
			}
			o := w.do("student", "POST "+submission, upload{nil,
				[]part{{"file0", "a.py", fmt.Sprintf("v%d", i)}}}).status(201).object()
			stamps = append([]string{o["submitted_at"].(string)}, stamps...)
		}
		var got []string
		w.do("student", "GET "+ownTask+"/submissions/timestamps", nil).status(200).into(&got)
		if strings.Join(got, " ") != strings.Join(stamps[:10], " ") {
			t.Errorf("timestamps %q, want %q", got, stamps[:10])
		}
		for i, s := range stamps {
			files := unzip(t, w.do("tutor", "GET "+ownTask+"/submissions/timestamps/"+s, nil).status(200).Body.Bytes())
			if v := files[fmt.Sprintf("%d/000-code.py", w.id["task"])]; v != fmt.Sprintf("v%d", 11-i) {
				t.Errorf("%s holds %q", s, files)
			}
		}
		at, _ := time.Parse(time.RFC3339, stamps[0])
		w.do("tutor", fmt.Sprintf("GET %s/submissions/timestamps/%d", ownTask, at.Unix()), nil).status(200)
		for _, bad := range []string{"1", "abc", "..%2F..%2Fetc%2Fpasswd", "2020-01-01T00:00:00Z", "99999999999999",
			"-5", "9223372036854775807"} {
			w.do("tutor", "GET "+ownTask+"/submissions/timestamps/"+bad, nil).status(404)
		}
		if n := w.count("submission_files"); n != 12 {
			t.Errorf("%d files kept, want 12", n)
		}
	})
}

// TestUploadsAreNeverRefusedForTheStatus walks through every status.
func TestUploadsAreNeverRefusedForTheStatus(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		for _, s := range []string{"not_started", "complete", "discuss", "demonstrate", "fail", "feedback_exceeded",
			"time_exceeded", "redo", "need_help", "working_on_it", "fix_and_resubmit", "ready_for_feedback"} {
			w.set(`UPDATE tasks SET status = $1 WHERE id = $2`, s, w.id["task"])
			w.later(time.Hour)
			o := w.do("student", "POST "+submission, upload{nil, []part{code}}).status(201).object()
			closed := strings.Contains("complete discuss demonstrate fail feedback_exceeded", s)
			if got := o["task_status"]; closed && got != s || !closed && got != "ready_for_feedback" {
				t.Errorf("an upload to %s made it %v", s, got)
			}
		}
		w.set(`UPDATE tasks SET status = 'not_started'`)
		if o := w.do("student", "POST "+submission, upload{map[string]string{"trigger": `"need_help"`},
			[]part{code}}).status(201).object(); o["task_status"] != "need_help" {
			t.Errorf("asked for help: %v", o["task_status"])
		}
	})
}

// TestUploadAsksForHelp uses the words for need_help that a move knows: with
// files they mean the same.
func TestUploadAsksForHelp(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		for trigger, want := range map[string]string{"need_help": "need_help", "Need Help": "need_help",
			"NEED_HELP": "need_help", " 'need help' ": "need_help", "": "ready_for_feedback",
			"rtm": "ready_for_feedback"} {
			w.set(`UPDATE tasks SET status = 'not_started'`)
			o := w.do("student", "POST "+submission, upload{map[string]string{"trigger": trigger},
				[]part{code}}).status(201).object()
			if o["task_status"] != want {
				t.Errorf("an upload with trigger %q made the task %v, want %s", trigger, o["task_status"], want)
			}
		}
	})
}

func TestLateWithoutFiles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("is_graded = TRUE")
		w.later(60 * 24 * time.Hour)
		w.tokens["student"] = w.session("student")
		o := w.do("student", "POST "+submission, `{"trigger":"ready_for_feedback"}`).status(201).object()
		if o["task_status"] != "time_exceeded" || o["submitted_before_due"] != false || o["grade"] != -1.0 {
			t.Errorf("late: %v", o)
		}
		if n := w.count(`task_comments c WHERE c.type = 'status' AND 2 = (SELECT count(*) FROM comment_reads r
			WHERE r.task_comment_id = c.id)`); n != 2 {
			t.Errorf("%d status comments read by both, want 2", n)
		}
		w.made()
		w.do("student", "GET "+submission, nil).status(200)
	})
}

func TestFilesMustMatch(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code", "document")
		before := w.count("submissions")
		for _, c := range []struct {
			files []part
			want  int
			says  []string
		}{
			{nil, 400, []string{"file0", "file1", "Part code"}},
			{[]part{code}, 400, []string{"file1 is required"}},
			{[]part{code, {"file1", "a.pdf", samplePDF()}, {"file2", "b.py", "x"}}, 400,
				[]string{"file2 is not asked for"}},
			{[]part{code, {"file1", "a.pdf", "not a PDF"}}, 415, []string{"file1", "PDF", "text/plain"}},
			{[]part{code, {"file1", "a.pdf", samplePDF()[:1000]}}, 415, []string{"is incomplete"}},
			{[]part{{"file0", "a.py", ""}, {"file1", "a.pdf", samplePDF()}}, 415, []string{"empty"}},
			{[]part{{"file0", "a.py", smallPNG}, {"file1", "a.pdf", samplePDF()}}, 415, []string{"a.py", "image/png"}},
			{[]part{{"file0", "a.py", strings.Repeat("x", 5000) + "\x00"}, {"file1", "a.pdf", samplePDF()}}, 415,
				[]string{"binary"}},
			{[]part{{"file0", "a.py", strings.Repeat("x", submit.MostFile+1)}, {"file1", "a.pdf", samplePDF()}}, 413,
				[]string{"file0", "10 MB"}},
		} {
			w.do("student", "POST "+submission, upload{nil, c.files}).status(c.want).says(c.says...)
		}
		if n := w.count("submissions") - before + w.count("receipts") + w.count("jobs") +
			w.count("task_history"); n != 0 {
			t.Errorf("refused uploads left %d rows", n)
		}
		if left, _ := os.ReadDir(w.api.Spool); len(left) != 0 {
			t.Errorf("%d files left in the spool", len(left))
		}
		w.do("student", "POST "+submission, upload{nil, []part{{"file0", "a.cs", "\xff\xfeh\x00i\x00"},
			{"file1", "a.pdf", samplePDF()}}}).status(201)
	})
}

func TestAlignmentsComeWithWork(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		post := func(data string, status int) *answered {
			return w.do("student", "POST "+submission, form{"alignment_data": data}).status(status)
		}
		post(`[{"ilo_id":0,"rating":3}]`, 422)
		post(fmt.Sprintf(`[{"ilo_id":%d,"rating":3}]`, w.id["outcomeB"]), 422).says("not of this unit")
		post(fmt.Sprintf(`[{"ilo_id":%d,"rating":6}]`, w.id["outcomeA"]), 400).says("1 to 5")
		post(fmt.Sprintf(`[{"ilo_id":%d,"rating":6},`, w.id["outcomeA"]), 400)
		post(`[{"rating":1}]`, 400).says("ilo_id")
		if n := w.count("submissions"); n != 0 {
			t.Errorf("%d submissions with wrong alignments", n)
		}
		post(fmt.Sprintf(`[{"ilo_id":%d,"rating":3,"rationale":"first"}]`, w.id["outcomeA"]), 201)
		post(fmt.Sprintf(`[{"ilo_id":%d,"rating":5,"rationale":"second"}]`, w.id["outcomeA"]), 201)
		if got := strings.Join(w.rows(`SELECT description AS v FROM learning_outcome_links WHERE task_id = $1`,
			w.id["task"]), " "); got != "second" {
			t.Errorf("alignments %q", got)
		}
		w.do("student", "POST "+submission, `{}`).status(201)
		if n := w.count(`learning_outcome_links WHERE task_id = $1`, w.id["task"]); n != 1 {
			t.Errorf("%d alignments after a submission that says nothing of them", n)
		}
		post(`[]`, 201)
		if n := w.count(`learning_outcome_links WHERE task_id = $1`, w.id["task"]); n != 0 {
			t.Errorf("%d alignments after an empty list", n)
		}
	})
}

func TestRepeatedUploadIsOneSubmission(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		post := func(content, key string) *answered {
			return w.do("student", "POST "+submission, upload{nil, []part{{"file0", "a.py", content}}},
				"Idempotency-Key", key)
		}
		first := post("one", "k1").status(201).Body.String()
		w.later(time.Hour)
		if again := post("one", "k1").status(201).Body.String(); again != first {
			t.Errorf("answered\n%s\nthen\n%s", first, again)
		}
		post("two", "k1").status(409).says("another upload")
		post("two", "").status(201)
		post("two", "sp ace").status(400).says("Idempotency-Key")
		post("two", strings.Repeat("x", 256)).status(400)
		w.do("tutor", "POST "+submission, upload{nil, []part{{"file0", "a.py", "other"}}}, "Idempotency-Key",
			"k1").status(201) // another user's key
		if n := w.count("submissions"); n != 3 {
			t.Errorf("%d submissions, want 3", n)
		}
		w.later(25 * time.Hour)
		w.tokens["student"] = w.session("student")
		post("three", "k1").status(201) // a day later the key is free

		// Two, and more, at once.
		var wg sync.WaitGroup
		answers := make([]string, 8)
		for i := range answers {
			wg.Go(func() {
				r := w.request("student", "POST "+submission, upload{nil, []part{{"file0", "a.py", "at once"}}},
					"Idempotency-Key", "k2")
				a := w.send(r, "at once")
				answers[i] = fmt.Sprint(a.Code, a.Body.String())
			})
		}
		wg.Wait()
		for _, a := range answers {
			if a != answers[0] || !strings.HasPrefix(a, "201") {
				t.Errorf("got %s\nand %s", answers[0], a)
			}
		}
		if n := w.count("submissions"); n != 5 {
			t.Errorf("%d submissions, want 5", n)
		}
		if err := w.db.Tx(t.Context(), func(q db.Q) error {
			_, err := submit.Prune(t.Context(),
				q)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if n := w.count("idempotency_keys"); n != 2 {
			t.Errorf("%d keys left, want 2", n)
		}
	})
}

// session signs a person in again, whose session the world's clock outlived.
func (w *world) session(name string) (token string) {
	w.Helper()
	err := w.db.Tx(w.Context(), func(q db.Q) (err error) {
		token, err = ident.Start(w.Context(), q, &ident.User{ID: w.id[name], Role: people[name]}, true)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return token
}

func TestReceipts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		var set submit.KeySet
		w.do("", "GET /api/receipt_key", nil).status(200).is(`{"current":null,"former":[]}`)
		a := w.do("student", "POST "+submission, upload{nil, []part{code}}).status(201)
		w.do("", "GET /api/receipt_key", nil).status(200).into(&set)
		body, err := submit.Verify(a.Body.Bytes(), &set)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(code.content))
		if len(body.Files) != 1 || body.Files[0].SHA256 != hex.EncodeToString(sum[:]) ||
			body.Files[0].Name != "hello.py" || body.ProjectID != w.id["project:student"] ||
			body.Unit.Code != "SIT10A" || body.Sequence != 1 || body.Previous != "" || body.Student != "student" ||
			body.Service != "Lectern" {
			t.Errorf("the receipt says %+v", body)
		}
		second := w.do("tutor", "POST "+submission, upload{nil, []part{code}}).status(201)
		next, err := submit.Verify(second.Body.Bytes(), &set)
		if err != nil {
			t.Fatal(err)
		}
		if want := a.object()["receipt"].(map[string]any)["hash"]; next.Previous != want || next.Sequence != 2 ||
			next.SubmittedBy != "tutor" || next.Student != "student" {
			t.Errorf("the second receipt says %+v, want the hash %v before it", next, want)
		}
		// The receipt can be had again.
		d := w.do("student", "GET "+ownTask+"/submission_details", nil).status(200)
		if again, err := submit.Verify(d.Body.Bytes(), &set); err != nil || again.Sequence != 2 {
			t.Errorf("%v: %+v", err, again)
		}
	})
}

func TestReceiptsOfManyAtOnceHaveNoGap(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const many = 50
		manyTasks("not_started")(w, 0, many)
		projects := w.rows(`SELECT CAST(p.id AS TEXT) AS v FROM projects p JOIN users u ON u.id = p.user_id
			WHERE u.nickname = 'n' ORDER BY p.id`)
		var wg sync.WaitGroup
		start := make(chan struct{})
		for _, p := range projects {
			wg.Go(func() {
				<-start
				r := w.request("convenor", "POST /api/projects/"+p+"/task_def_id/{defA1}/submission", `{}`)
				if a := w.send(r, p); a.Code != 201 {
					t.Errorf("%d %s", a.Code, a.Body)
				}
			})
		}
		close(start)
		wg.Wait()
		var set submit.KeySet
		w.do("", "GET /api/receipt_key", nil).status(200).into(&set)
		previous := ""
		list := w.rows(`SELECT '{"body":' || body || ',"hash":"' || hash || '","signature":"' || signature ||
			'","key_id":"' || key_id || '"}' AS v
			FROM receipts WHERE unit_id = $1 ORDER BY sequence`, w.id["unitA"])
		for i, text := range list {
			b, err := submit.Verify([]byte(text), &set)
			if err != nil || b.Sequence != int64(i+1) || b.Previous != previous {
				t.Fatalf("receipt %d: %v %+v", i+1, err, b)
			}
			var r submit.Receipt
			if err := json.Unmarshal([]byte(text), &r); err != nil {
				t.Fatal(err)
			}
			previous = r.Hash
		}
		if len(list) != many {
			t.Errorf("%d receipts, want %d", len(list), many)
		}
	})
}

func TestGroupHandsIn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("group_set_id = $1", w.id["set"])
		w.asks("code")
		theirs := strings.ReplaceAll(ownTask, "project:student", "project:mate")
		post := func(contributions string, status int) *answered {
			fields := map[string]string{}
			if contributions != "" {
				fields["contributions"] = named(w, contributions)
			}
			return w.do("student", "POST "+submission, upload{fields, []part{code}}).status(status)
		}
		w.do("other", "POST "+strings.ReplaceAll(submission, "project:student", "project:other"),
			upload{nil, []part{code}}).status(403).says("group")
		post(`[{"project_id":«project:student»,"pct":50}]`, 422).says("every member")
		post(`[{"project_id":«project:student»,"pct":50},{"project_id":«project:mate»,"pct":50},{"project_id":«project:other»,"pct":0}]`, 422).says("only enrolled members")
		post(`[{"project_id":«project:student»,"pct":50},{"project_id":«project:student»,"pct":50}]`, 422).says("twice")
		post(`[{"project_id":«project:student»,"pct":101},{"project_id":«project:mate»,"pct":50}]`, 422)
		post(`[{"project_id":"x","pct":1}]`, 400)
		post(`[{"pct":1}]`, 400)
		post(`nonsense`, 400)
		// Both hand in; the mate's task follows, quietly.
		o := post(`[{"project_id":«project:student»,"pct":"70","pts":9},{"project_id":«project:mate»,"pct":30.6}]`,
			201).object()
		if len(o["other_projects"].([]any)) != 1 {
			t.Errorf("the result says nothing of the mate: %v", o)
		}
		shares := func() string {
			return strings.Join(w.rows(`SELECT t.status || ' ' || t.contribution_pct || ' ' || t.contribution_pts AS v
				FROM tasks t WHERE t.task_definition_id = $1
				AND t.project_id IN ($2, $3) ORDER BY t.project_id`, w.id["defA1"], w.id["project:student"],
				w.id["project:mate"]), ", ")
		}
		member := func() string {
			return strings.Join(w.rows(`SELECT t.status || ' ' || t.contribution_pct || ' ' || t.contribution_pts AS v
				FROM tasks t WHERE t.task_definition_id = $1
				AND t.project_id = $2`, w.id["defA1"], w.id["project:mate"]), ", ")
		}
		if got := member(); got != "ready_for_feedback 30 3" {
			t.Errorf("the mate's task: %s (all: %s)", got, shares())
		}
		w.made()
		w.do("mate", "GET "+theirs+"/submission", nil).status(200)
		w.do("mate", "GET "+submission, nil).status(403)
		if d := w.do("mate", "GET "+theirs+"/submission_details", nil).status(200).object(); d["state"] != "ready" {
			t.Errorf("the mate sees %v", d)
		}
		if n := w.count("submissions"); n != 1 {
			t.Errorf("%d submissions, want one for both", n)
		}
		// The same group again is the same group submission; without the mate it is another.
		post("", 201)
		if n := w.count("group_submissions"); n != 1 {
			t.Errorf("%d group submissions, want 1", n)
		}
		if got := member(); got != "ready_for_feedback 50 3" {
			t.Errorf("in equal shares: %s", got)
		}
		w.later(time.Minute)
		post(`[{"project_id":«project:student»,"pct":100},{"project_id":«project:mate»,"pct":"0.44"}]`, 201)
		if n := w.count("group_submissions"); n != 2 {
			t.Errorf("%d group submissions, want 2", n)
		}
		if n := w.count(`submission_tasks s JOIN tasks t ON t.id = s.task_id WHERE t.project_id = $1`,
			w.id["project:mate"]); n != 2 {
			t.Errorf("the mate has %d versions, want 2", n)
		}
		// A closed task is left untouched.
		w.set(`UPDATE tasks SET status = 'complete' WHERE project_id = $1 AND task_definition_id = $2`,
			w.id["project:mate"], w.id["defA1"])
		before := member() + w.rows(`SELECT CAST(version AS TEXT) AS v FROM tasks WHERE project_id = $1
			AND task_definition_id = $2`, w.id["project:mate"], w.id["defA1"])[0]
		post("", 201)
		if after := member() + w.rows(`SELECT CAST(version AS TEXT) AS v FROM tasks WHERE project_id = $1
			AND task_definition_id = $2`, w.id["project:mate"], w.id["defA1"])[0]; after != before {
			t.Errorf("a closed task changed from %s to %s", before, after)
		}
	})
}

// broken is a store that cannot be read.
type broken struct{ files.Store }

func (broken) Open(context.Context, files.Hash) (files.File, error) {
	return nil, errors.New("the disk is on fire")
}

func TestAFailedDocumentIsExplained(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.do("student", "POST "+submission, upload{nil, []part{code}}).status(201)
		id := w.number(`SELECT max(id) FROM submissions`)
		docs := &submit.Documents{DB: w.db, Files: broken{w.api.files}, Institution: "x"}
		try := func(attempt int) error {
			return docs.Make(t.Context(), jobs.Job{Attempt: attempt, MaxAttempts: 3},
				submit.DocumentArgs{SubmissionID: id})
		}
		w.later(time.Minute)
		for n := 1; n < 3; n++ {
			if try(n) == nil {
				t.Fatal("a broken store is no error")
			}
			if d := w.do("student", "GET "+ownTask+"/submission_details", nil).object(); d["state"] != "processing" {
				t.Errorf("after try %d: %v", n, d)
			}
		}
		if try(3) == nil {
			t.Fatal("the job did not die")
		}
		d := w.do("student", "GET "+ownTask+"/submission_details", nil).object()
		if d["state"] != "failed" || d["reason"] == nil || d["has_pdf"] != false || d["processing_pdf"] != false {
			t.Errorf("details %v", d)
		}
		w.do("student", "GET "+submission, nil).status(404).says("could not be made")
		if got := w.statuses("student"); got != "fix_and_resubmit" {
			t.Errorf("the task is %s", got)
		}
		if n := w.count(`task_comments WHERE type = 'text' AND user_id = $1 AND recipient_id = $2
			AND comment LIKE '%submit them again%'`, w.id["tutor"], w.id["student"]); n != 1 {
			t.Errorf("%d comments explain it", n)
		}
		// The files are still there, and asking again makes the document.
		unzip(t, w.do("student", "GET "+ownTask+"/submission_files", nil).status(200).Body.Bytes())
		w.do("student", "PUT "+submission, nil).status(200).is(`{"result":"done"}`)
		w.made()
		w.do("student", "GET "+submission, nil).status(200)
	})
}

// A document whose job died without a word is given up by the watch.
func TestADeadJobIsNoticed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("student", "POST "+submission, `{}`).status(201)
		w.set(`UPDATE jobs SET state = 'dead'`)
		for range 2 {
			if err := (&submit.Documents{DB: w.db, Failed: w.api.usecases.Mailer.PDFFailed}).GiveUpDead(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := w.statuses("student"); got != "fix_and_resubmit" {
			t.Errorf("the task is %s", got)
		}
		if n := w.count(`task_comments WHERE type = 'text'`); n != 1 {
			t.Errorf("%d comments", n)
		}
		if n := w.count(`mails`); n != 1 {
			t.Errorf("%d emails", n)
		}
	})
}

func TestWithdrawnStudentsReadAndDoNotWrite(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		theirs := strings.ReplaceAll(ownTask, "project:student", "project:withdrawn")
		w.do("tutor", "POST "+theirs+"/submission", `{}`).status(201)
		w.made()
		for _, path := range []string{"/submission", "/submission_details", "/submission_files", "/submissions/latest",
			"/submissions/timestamps"} {
			w.do("withdrawn", "GET "+theirs+path, nil).status(200)
		}
		w.do("withdrawn", "POST "+theirs+"/submission", `{}`).status(403)
		w.do("withdrawn", "PUT "+theirs+"/submission", nil).status(403)
		w.do("student", "POST /api/projects/{project:student}/task_def_id/{defB1}/submission", `{}`).status(404)
		w.do("studentB", "GET "+submission, nil).status(403)
	})
}
