package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/tca/fake"
)

// outsider is the program with a stand-in of the outside similarity service beside it.
type outsider struct {
	t       *testing.T
	far     *fake.Service
	args    []string
	storage []string // those of args that name the database
	service string   // address of the stand-in
	address string   // of the database
	token   string   // of the administrator's session, which outlives the program
	*instance
}

func newOutsider(t *testing.T, engine string) *outsider {
	t.Helper()
	o := &outsider{t: t, far: fake.New(fake.Options{Key: "key", Percent: 77, After: -1})}
	server := httptest.NewServer(o.far)
	t.Cleanup(func() { server.Close(); o.far.Close() })
	data := t.TempDir()
	// The address stays the same over all starts, as the service is told of it once.
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	o.address = filepath.Join(data, "lectern.db")
	o.storage, o.service = []string{"--data", data}, server.URL
	if engine == "postgres" {
		o.address = dbtest.Address(t, engine)
		o.storage = append(o.storage, "--database-url", o.address)
	}
	o.args = append([]string{"--demo", "--addr", at, "--public-url", "http://" + at, "--tii-url", server.URL,
		"--tii-api-key", "key", "--tii-signing-key", "secret"}, o.storage...)
	o.instance = start(t, o.args...)
	return o
}

// kill ends the program at once, and starts it anew. In a long run that is in the midst
// of what it does, which another takes over only when the lease lapsed; otherwise all
// actions wait for the service.
func (o *outsider) kill() {
	o.t.Helper()
	if os.Getenv("LECTERN_TEST_LONG") == "" {
		waittest.Until(o.t, "all actions rest", func() bool {
			_, open := o.get("/api/tii_actions")
			return !strings.Contains(string(open), `"next_run":null`)
		})
	}
	if err := o.Process.Kill(); err != nil {
		o.t.Fatal(err)
	}
	<-o.done
	o.instance = start(o.t, o.args...)
}

// get answers a request of the convenor's with its body.
func (o *outsider) get(path string) (int, []byte) {
	o.t.Helper()
	r, err := http.NewRequestWithContext(o.t.Context(), http.MethodGet, o.url+path, http.NoBody)
	if err != nil {
		o.t.Fatal(err)
	}
	r.Header.Set("Username", "aadmin")
	if o.token == "" {
		o.token = o.signIn("aadmin", "password")
	}
	r.Header.Set("Auth_Token", o.token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		o.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	return answer.StatusCode, body
}

// statuses tells how far the documents are, as the staff see it.
func (o *outsider) statuses(task int64) (list []string) {
	o.t.Helper()
	_, body := o.get(fmt.Sprintf("/api/tasks/%d/tii_submissions", task))
	var rows []struct{ Status string }
	if err := json.Unmarshal(body, &rows); err != nil {
		o.t.Fatalf("%v: %s", err, body)
	}
	for _, r := range rows {
		list = append(list, r.Status)
	}
	return list
}

// known waits until the service is known: its agreement is fetched, and notifications are
// asked for.
func (o *outsider) known() {
	o.t.Helper()
	waittest.Until(o.t, "the agreement is fetched, and notifications are asked for", func() bool {
		_, body := o.get("/api/tii_eula")
		_, open := o.get("/api/tii_actions")
		return strings.Contains(string(body), "Agreement") && string(open) == "[]\n"
	})
}

// send hands in a document for each field, with the sender's word on the agreement.
func (o *outsider) send(p student, definition int64, accepts bool, fields ...string) (task int64) {
	o.t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	_ = m.WriteField("accepted_tii_eula", strconv.FormatBool(accepts))
	for _, field := range fields {
		w, _ := m.CreateFormFile(field, field+".pdf")
		_, _ = w.Write(fake.PDF(field+" of "+p.name, 1))
	}
	m.Close()
	r, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, fmt.Sprintf(
		"%s/api/projects/%d/task_def_id/%d/submission", o.url, p.project, definition), &b)
	if err != nil {
		o.t.Fatal(err)
	}
	r.Header.Set("Content-Type", m.FormDataContentType())
	r.Header.Set("Username", p.name)
	r.Header.Set("Auth_Token", p.token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		o.t.Fatal(err)
	}
	defer answer.Body.Close()
	var got struct {
		TaskID int64 `json:"task_id"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || answer.StatusCode != http.StatusCreated {
		o.t.Fatalf("%d %v", answer.StatusCode, err)
	}
	return got.TaskID
}

// TestReportsComeBackThroughKills takes documents from the upload to the report and its
// PDF, and kills the program twice on the way: while the service reads them, and while
// it makes the report. Nothing is lost, and nothing sent twice.
func TestReportsComeBackThroughKills(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			if engine == "postgres" {
				dbtest.Long(t)
			}
			t.Parallel()
			o := newOutsider(t, engine)
			o.known()
			definition, class := classroom(o.instance, 1, `[{"key":"file0","name":"Essay","type":"document",
				"tii_check":true},{"key":"file1","name":"Diary","type":"document","tii_check":true,"tii_pct":80}]`)
			task := o.send(class[0], definition, true, "file0", "file1")
			both := func(first, second string) func() bool {
				return func() bool { return slices.Equal(o.statuses(task), []string{first, second}) }
			}
			waittest.Until(t, "the files are sent", both("uploaded", "uploaded"))
			o.kill()
			o.far.Finish() // the service tells the new process
			waittest.Until(t, "the reports are asked for", both("similarity_report_requested", "similarity_report_requested"))
			o.kill()
			o.far.Finish()
			waittest.Until(t, "the PDF is asked for", both("similarity_pdf_requested", "complete_low_similarity"))
			o.far.Finish()
			waittest.Until(t, "the PDF is here", both("similarity_pdf_downloaded", "complete_low_similarity"))
			o.check(task)
			o.stop()
		})
	}
}

// check looks at what staff see, and at what the service was sent.
func (o *outsider) check(task int64) {
	o.t.Helper()
	_, body := o.get(fmt.Sprintf("/api/tasks/%d/similarities", task))
	var list []struct {
		ID      int64
		Type    string
		Pct     int
		Flagged bool
		File    string
	}
	if err := json.Unmarshal(body, &list); err != nil || len(list) != 2 || !list[0].Flagged || list[1].Flagged ||
		list[0].Pct != 77 || list[0].Type != "TiiTaskSimilarity" || list[0].File != "file0" {
		o.t.Fatalf("%v: %s", err, body)
	}
	at := fmt.Sprintf("/api/tasks/%d/similarities/", task)
	if status, pdf := o.get(fmt.Sprintf("%s%d/contents/0", at, list[0].ID)); status != 200 ||
		!bytes.HasPrefix(pdf, []byte("%PDF-")) || !bytes.Contains(pdf, []byte("77 percent")) {
		o.t.Errorf("%d %.100s", status, pdf)
	}
	for _, s := range list {
		if status, url := o.get(fmt.Sprintf("%s%d/viewer_url", at, s.ID)); status != 200 ||
			!strings.Contains(string(url), "/viewer/") {
			o.t.Errorf("%d %s", status, url)
		}
	}
	for _, s := range o.far.Submissions() {
		if s.Uploads != 1 || s.Reports != 1 || s.Index {
			o.t.Errorf("sent %d times, %d reports, %+v", s.Uploads, s.Reports, s)
		}
	}
	if n := len(o.far.Submissions()); n != 2 || len(o.far.Complaints()) > 0 || !o.far.Accepted("student_1") {
		o.t.Errorf("%d submissions, %v", n, o.far.Complaints())
	}
	waittest.Until(o.t, "nothing is left to do", func() bool { // what is done is noted a moment after it is seen
		_, open := o.get("/api/tii_actions")
		return string(open) == "[]\n"
	})
	d, err := db.Open(o.address, db.Options{})
	if err != nil {
		o.t.Fatal(err)
	}
	defer d.Close()
	n, err := db.One[int64](o.t.Context(), d.Pool(), `SELECT count(*) FROM tii_actions`)
	if err != nil || *n != 6 {
		o.t.Errorf("%v actions, %v", n, err)
	}
}
