package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
)

// student is a student of the demo university with a task to hand in.
type student struct {
	name, token string
	project     int64
}

// classroom signs students in and gives them a task that asks for files.
func classroom(i *instance, n int, requirements string) (definition int64, list []student) {
	i.t.Helper()
	admin := i.signIn("aadmin", "password")
	var units []struct {
		ID   int64
		Code string
	}
	if _, err := i.call("GET", "/api/units", "aadmin", admin, "", &units); err != nil {
		i.t.Fatal(err)
	}
	at := slices.IndexFunc(units, func(u struct {
		ID   int64
		Code string
	}) bool {
		return u.Code == "COS10001"
	})
	unit := units[at].ID
	today := time.Now().UTC()
	var def struct{ ID int64 }
	body, _ := json.Marshal(map[string]any{"task_def": map[string]any{"name": "Crash", "abbreviation": "CR",
		"description": "d", "weighting": 1, "target_grade": 0,
		"start_date": today.Format("2006-01-02"), "target_date": today.AddDate(0, 0, 7).Format("2006-01-02"),
		"restrict_status_updates": false,
		"plagiarism_warn_pct":     50, "is_graded": false, "max_quality_pts": 0, "tutorial_stream_abbr": "prac 1",
		"upload_requirements": requirements}})
	if status, err := i.call("POST", fmt.Sprintf("/api/units/%d/task_definitions", unit), "aadmin", admin, string(body),
		&def); err != nil || status != 201 {
		i.t.Fatalf("make a task: %d %v", status, err)
	}
	for k := range n {
		name := fmt.Sprintf("student_%d", k+1)
		list = append(list, student{name: name, token: i.signIn(name, "password"), project: i.projectOf(name, unit)})
	}
	return def.ID, list
}

func (i *instance) projectOf(name string, unit int64) int64 {
	i.t.Helper()
	var projects []struct {
		ID   int64
		Unit struct{ ID int64 }
	}
	token := i.signIn(name, "password")
	if _, err := i.call("GET", "/api/projects", name, token, "", &projects); err != nil {
		i.t.Fatal(err)
	}
	for _, p := range projects {
		if p.Unit.ID == unit {
			return p.ID
		}
	}
	i.t.Fatalf("%s has no project in unit %d: %+v", name, unit, projects)
	return 0
}

type sent struct{ field, name, content string }

// form writes files as a browser sends them.
func form(list []sent) (string, []byte) {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for _, f := range list {
		w, _ := m.CreateFormFile(f.field, f.name)
		io.WriteString(w, f.content)
	}
	m.Close()
	return m.FormDataContentType(), b.Bytes()
}

// handIn uploads files and gives the answer.
func (i *instance) handIn(p student, definition int64, key string, list ...sent) (int, []byte, error) {
	kind, body := form(list)
	r, err := http.NewRequest("POST", fmt.Sprintf("%s/api/projects/%d/task_def_id/%d/submission", i.url, p.project,
		definition), bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Username", p.name)
	r.Header.Set("Auth_Token", p.token)
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, text, err
}

// acknowledged is a submission the service said it has.
type acknowledged struct {
	id      int64
	content string
}

// TestSubmissionsSurviveAKill hands work in while the program is killed again
// and again: whatever was acknowledged is whole afterwards and gets its document.
func TestSubmissionsSurviveAKill(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			rounds := 3
			if dbtest.Full() {
				rounds = 8
			}
			data := t.TempDir()
			place, address := []string{"--data", data}, filepath.Join(data, "lectern.db")
			if engine == "postgres" {
				address = dbtest.Address(t, engine)
				place = append(place, "--database-url", address)
			}
			args := append(slices.Clone(place), "--demo")
			i := start(t, append(slices.Clone(args), "--workers", "0")...)
			definition, class := classroom(i, 4, `[{"key":"file0","name":"Code","type":"code"},{"key":"file1","name":"Notes","type":"code"}]`)
			i.stop()
			giveUpDocuments(t, address)
			var all []acknowledged
			for round := range rounds {
				i = start(t, args...)
				all = append(all, i.handInUntilKilled(class, definition, round)...)
				<-i.done
				verifyAudit(t, place...)
			}
			t.Logf("%d submissions were acknowledged in %d rounds", len(all), rounds)
			if len(all) == 0 {
				t.Fatal("nothing was handed in")
			}
			last := start(t, args...)
			checkWhole(t, address, filepath.Join(data, "files"), all)
			last.stop()
			verifyAudit(t, place...)
		})
	}
}

// giveUpDocuments leaves the demo's work without documents, so that the program is killed
// while it makes those of the work handed in, which would be made after them.
func giveUpDocuments(t *testing.T, address string) {
	t.Helper()
	d, err := db.Open(address, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Tx(t.Context(), func(q db.Q) error {
		if _, err := db.Exec(t.Context(), q, `UPDATE submissions SET state = 'failed',
			reason = 'the machine that makes documents was full' WHERE state <> 'ready'`); err != nil {
			return err
		}
		_, err := db.Exec(t.Context(), q, `DELETE FROM jobs WHERE kind = 'document'`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// handInUntilKilled lets every student hand in as fast as they can until the
// program is killed, at a random moment after the first has an answer.
func (i *instance) handInUntilKilled(class []student, definition int64, round int) (list []acknowledged) {
	var first sync.Once
	kill := func() {
		time.AfterFunc(time.Duration(rand.IntN(500))*time.Millisecond, func() { _ = i.Process.Kill() })
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, p := range class {
		wg.Go(func() {
			for n := 0; ; n++ {
				content := fmt.Sprintf("# %s %d %d\n%s", p.name, round, n, strings.Repeat("print('hello')\n", 300))
				status, text, err := i.handIn(p, definition, fmt.Sprintf("%d-%d", round, n),
					sent{"file0", "a.py", content}, sent{"file1", "b.txt", "notes\n"})
				if err != nil {
					return
				}
				var got struct {
					ID int64 `json:"submission_id"`
				}
				first.Do(kill)
				if err := json.Unmarshal(text, &got); err != nil || status != 201 {
					i.t.Errorf("%d %s", status, text)
					return
				}
				mu.Lock()
				list = append(list, acknowledged{got.ID, content})
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return list
}

// unready counts the submissions without a document, but for those that were
// dropped because a newer version came before the document was begun, and the one that
// the demo shows as failed.
const unready = `SELECT count(*) FROM submissions s WHERE state <> 'ready' AND NOT (state = 'failed'
	AND reason = 'the machine that makes documents was full') AND NOT (state = 'failed'
	AND reason = 'a newer version was handed in before this document was made' AND EXISTS (
		SELECT 1 FROM submission_tasks l JOIN submission_tasks n ON n.task_id = l.task_id AND n.at > l.at
		WHERE l.submission_id = s.id))`

// checkWhole waits for all documents and reads everything the database refers
// to, acknowledged or not: rows and files belong together or are not there.
func checkWhole(t *testing.T, address, dir string, all []acknowledged) {
	t.Helper()
	d, err := db.Open(address, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	store, err := files.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	number := func(text string) int64 {
		n, err := db.One[int64](t.Context(), d.Pool(), text)
		if err != nil {
			t.Fatal(err)
		}
		return *n
	}
	if !waittest.Within(2*time.Minute, func() bool { return number(unready) == 0 }) {
		t.Fatalf("%d of %d documents are not ready", number(unready), number(`SELECT count(*) FROM submissions`))
	}
	if n := number(`SELECT count(*) FROM submissions s WHERE s.parts <> (SELECT count(*) FROM submission_files f
		WHERE f.submission_id = s.id)
		OR NOT EXISTS (SELECT 1 FROM receipts r WHERE r.submission_id = s.id) OR NOT EXISTS (SELECT 1
		FROM submission_tasks l WHERE l.submission_id = s.id)`); n > 0 {
		t.Errorf("%d submissions are not whole", n)
	}
	if n := number(`SELECT count(*) FROM (SELECT unit_id FROM receipts GROUP BY unit_id HAVING count(*) <>
		max(sequence)) AS u`); n != 0 {
		t.Errorf("the receipts of %d units have gaps", n)
	}
	type row struct {
		ID   int64  `db:"submission_id"`
		Hash string `db:"hash"`
	}
	rows, err := db.All[row](t.Context(), d.Pool(), `SELECT submission_id, hash FROM submission_files
		WHERE position = 0`)
	if err != nil {
		t.Fatal(err)
	}
	has := map[int64]string{}
	for _, r := range rows {
		has[r.ID] = r.Hash
	}
	for _, a := range all {
		sum := sha256.Sum256([]byte(a.content))
		if has[a.id] != hex.EncodeToString(sum[:]) {
			t.Errorf("submission %d was acknowledged and has %q", a.id, has[a.id])
		}
	}
	hashes, err := db.All[string](t.Context(), d.Pool(), `SELECT hash FROM submission_files
		UNION SELECT document_hash FROM submissions WHERE document_hash IS NOT NULL`)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hashes {
		if err := sound(t.Context(), store, h); err != nil {
			t.Errorf("%s: %v", h, err)
		}
	}
}

// sound reads a stored file and compares it with its name.
func sound(ctx context.Context, store files.Store, hash string) error {
	f, err := store.Open(ctx, files.Hash(hash))
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != hash {
		return fmt.Errorf("holds %s", got)
	}
	return nil
}

func TestVerifyReceipt(t *testing.T) {
	i := start(t, "--demo", "--data", t.TempDir())
	definition, class := classroom(i, 1, `[{"key":"file0","name":"Code","type":"code"}]`)
	status, answer, err := i.handIn(class[0], definition, "", sent{"file0", "hello.py", "print('hi')\n"})
	if err != nil || status != 201 {
		t.Fatalf("%d %v %s", status, err, answer)
	}
	var keys json.RawMessage
	if _, err := i.call("GET", "/api/receipt_key", "", "", "", &keys); err != nil {
		t.Fatal(err)
	}
	i.stop() // from here on nothing but files
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	receipt, key := write("receipt.json", answer), write("key.json", keys)
	same, other := write("mine.py", []byte("print('hi')\n")), write("other.py", []byte("print('ho')\n"))
	out, err := run(t, "verify-receipt", receipt, same, "--key", key)
	for _, want := range []string{"genuine", "student_1 handed in task CR", "COS10001", `file0 "hello.py", 12 bytes`,
		"mine.py is byte for byte", "receipt number "} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%v: %q is not in\n%s", err, want, out)
		}
	}
	if out, err := run(t, "verify-receipt", receipt, other, "--key", key); err == nil ||
		!strings.Contains(out, "NOT one of the files") {
		t.Errorf("another file: %v %s", err, out)
	}
	forged := write("forged.json", bytes.Replace(answer, []byte(`"student":"student_1"`),
		[]byte(`"student":"student_2"`), 1))
	if out, err := run(t, "verify-receipt", forged, "--key", key); err == nil || !strings.Contains(out, "NOT PROVEN") {
		t.Errorf("a forged receipt: %v %s", err, out)
	}
}
