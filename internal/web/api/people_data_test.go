package api

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/usecase/privacy"
)

// sure signs an administrator in anew with a second factor, and gives a code of it whenever it is called.
func (w *world) sure(name string) func() map[string]any {
	w.Helper()
	key, _ := w.factor(name)
	return func() map[string]any {
		w.now = w.now.Add(31 * time.Second)
		return map[string]any{"otp": w.code(key, 0)}
	}
}

// eraseDue does what the jobs of erasures do that are due.
func (w *world) eraseDue() {
	w.Helper()
	// Each with its arguments: a cancellation may take the job away meanwhile.
	due, err := db.All[struct {
		ID   int64  `db:"id"`
		Args string `db:"args"`
	}](context.Background(), w.db.Pool(), `SELECT id, args FROM jobs WHERE kind = 'erasure' AND run_at <= $1
		AND state = 'available' ORDER BY id`, w.db.Now())
	if err != nil {
		w.Fatal(err)
	}
	for _, j := range due {
		var a privacy.ErasureArgs
		if err := json.Unmarshal([]byte(j.Args), &a); err != nil {
			w.Fatal(j.Args, err)
		}
		if err := (&privacy.Eraser{DB: w.db}).Do(context.Background(), jobs.Job{ID: j.ID, Attempt: 1, MaxAttempts: 10}, a); err != nil {
			w.Fatal(err)
		}
	}
}

func (w *world) text(statement string, args ...any) string {
	w.Helper()
	s, err := db.One[string](context.Background(), w.db.Pool(), statement, args...)
	if err != nil {
		w.Fatal(err)
	}
	return *s
}

func TestAnErasureWaitsADayAndCanBeCancelled(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		erase := "POST /api/users/{student}/erasure"
		w.do("admin", erase, form{"otp": "000000"}).status(409).says("you need a second factor")
		code := w.sure("admin")
		plan := w.do("admin", "GET /api/users/{student}/data", nil).status(200).object()
		if plan["second_factor"] != true || plan["fresh_sign_in"] != true || plan["refused"] != nil ||
			!strings.Contains(fmt.Sprint(plan["erase"]), "replaced by neutral values") {
			t.Errorf("the plan says %v", plan)
		}
		w.do("admin", erase, form{"otp": "000000"}).status(422).says("otp")
		w.do("admin", erase, nil).status(400)
		first := w.do("admin", erase, code()).status(200).object()
		again := code()
		again["files"] = true
		if second := w.do("admin", erase, again).status(200).object(); second["due_at"] != first["due_at"] ||
			second["files"] != false || w.count("jobs WHERE kind = 'erasure'") != 1 {
			t.Errorf("asked for twice it is two: %v and %v", first, second)
		}
		if list := w.do("admin", "GET /api/admin/erasures", nil).status(200).list(); len(list) != 1 ||
			list[0]["username"] != "student" || list[0]["asked_by"] != "admin" {
			t.Errorf("what waits: %v", list)
		}
		if got := w.foundPeople("erasure=true"); len(got) != 1 {
			t.Errorf("%v", got)
		}
		w.do("admin", "DELETE /api/users/{student}/erasure", nil).status(204)
		w.do("admin", "DELETE /api/users/{student}/erasure", nil).status(404).says("cancelled")
		w.later(25 * time.Hour)
		w.eraseDue()
		if w.count("users WHERE username = 'student'") != 1 {
			t.Fatal("a cancelled erasure was done")
		}
	})
}

// In what was restored, an erasure that was cancelled after the backup waits again: nothing is erased while the
// installation is paused, and for a day after that, in which somebody can cancel it anew.
func TestErasuresOfABackupWaitForSomebody(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		code := w.sure("admin")
		w.do("admin", "POST /api/users/{student}/erasure", code()).status(200)
		w.do("admin", "POST /api/users/{mate}/erasure", code()).status(200)
		w.set(`INSERT INTO installation (name, value) VALUES ('paused', 'a copy')`)
		w.later(48 * time.Hour)
		job := w.number("SELECT job_id FROM erasures WHERE user_id = $1", w.id["student"])
		due := func() error {
			return (&privacy.Eraser{DB: w.db}).Do(context.Background(), jobs.Job{ID: job, Attempt: 1, MaxAttempts: 10},
				privacy.ErasureArgs{UserID: w.id["student"]})
		}
		if err := due(); err == nil || !strings.Contains(err.Error(), "run again in 1h0m0s") {
			t.Errorf("while it is paused: %v", err)
		}
		if err := w.db.Tx(t.Context(), func(q db.Q) error {
			names, err := privacy.PostponeErasures(t.Context(), q)
			if strings.Join(names, " ") != "mate student" {
				t.Errorf("these wait: %v", names)
			}
			if err == nil {
				_, err = db.Resume(t.Context(), q)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := due(); err == nil || !strings.Contains(err.Error(), "run again in 24h0m0s") {
			t.Errorf("when the pause ended: %v", err)
		}
		w.signInAgain("admin")
		w.do("admin", "DELETE /api/users/{mate}/erasure", nil).status(204)
		w.later(25 * time.Hour)
		if err := due(); err != nil {
			t.Fatal(err)
		}
		if w.count("users WHERE username = 'mate'") != 1 || w.count("users WHERE username = 'student'") != 0 {
			t.Error("not those were erased whose erasure nobody cancelled")
		}
		if n := w.count("audit_outbox WHERE entries LIKE '%erasure_postponed%'"); n != 1 {
			t.Errorf("%d records tell of it", n)
		}
	})
}

func TestAnErasureIsDoneOnceWhenItIsDue(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		code := w.sure("admin")
		w.do("admin", "POST /api/users/{student}/erasure", code()).status(200)
		w.later(23 * time.Hour)
		w.eraseDue()
		if w.count("users WHERE username = 'student'") != 1 {
			t.Fatal("it did not wait")
		}
		w.later(2 * time.Hour)
		job := w.number("SELECT id FROM jobs WHERE kind = 'erasure'")
		var wg sync.WaitGroup
		for range 4 { // instances
			wg.Go(func() {
				err := (&privacy.Eraser{DB: w.db}).Do(context.Background(), jobs.Job{ID: job, Attempt: 1, MaxAttempts: 10},
					privacy.ErasureArgs{UserID: w.id["student"]})
				if err != nil && !strings.Contains(err.Error(), "job") {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		name := ident.ErasedName(w.id["student"])
		if w.text("SELECT username FROM users WHERE id = $1", w.id["student"]) != name || w.count("erasures") != 0 ||
			w.count("audit_outbox WHERE entries LIKE '%\"action\":\"erased\"%'") != 1 {
			t.Error("it was not done once")
		}
		w.signInAgain("admin")
		if got := w.foundPeople("text=" + name); len(got) != 0 {
			t.Errorf("found: %v", got)
		}
		if got := w.foundPeople("state=erased"); len(got) != 1 || got[0] != name {
			t.Errorf("erased: %v", got)
		}
		w.do("admin", "DELETE /api/users/{student}/erasure", nil).status(404).says("done")
		if p := w.do("admin", "GET /api/admin/people/{student}", nil).status(200).object(); p["state"] != "erased" {
			t.Errorf("it is %v", p["state"])
		}
	})
}

// signInAgain gives somebody a session that began now.
func (w *world) signInAgain(name string) {
	w.Helper()
	w.exec(`UPDATE sessions SET created_at = $2, renewed_at = $2, used_at = $2, expires_at = $3 WHERE user_id = $1`, w.id[name],
		w.db.Now(), clock.At(w.db.Now().AddDate(0, 0, 1)))
}

func TestAnErasureNeedsAFreshSignIn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		code := w.sure("admin")
		w.later(10 * time.Minute)
		for _, at := range []string{"POST /api/users/{student}/erasure", "POST /api/users/{student}/data_export"} {
			w.do("admin", at, code()).status(403).says("sign in again")
		}
		if plan := w.do("admin", "GET /api/users/{student}/data", nil).status(200).object(); plan["fresh_sign_in"] != false {
			t.Error("the plan says the sign-in is fresh")
		}
		w.signInAgain("admin")
		w.do("admin", "POST /api/users/{student}/erasure", code()).status(200)
	})
}

func TestWhoCannotBeErased(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		code := w.sure("admin")
		w.do("admin", "POST /api/users/{admin}/erasure", code()).status(409).says("your own")
		w.do("admin", "POST /api/users/99999/erasure", code()).status(404)
		if plan := w.do("admin", "GET /api/users/{admin}/data", nil).status(200).object(); plan["refused"] == nil {
			t.Error("the plan does not say so")
		}
		w.do("admin", "PUT /api/users/{other}", map[string]any{"user": map[string]any{"system_role": "Admin"}}).status(200)
		w.do("admin", "POST /api/users/{other}/erasure", code()).status(200)
		w.exec(`UPDATE users SET role = 1 WHERE id = $1`, w.id["admin"])
		w.later(25 * time.Hour)
		w.eraseDue() // of the last Admin by now
		w.exec(`UPDATE users SET role = 4 WHERE id = $1`, w.id["admin"])
		w.signInAgain("admin")
		list := w.do("admin", "GET /api/admin/erasures", nil).status(200).list()
		if len(list) != 1 || !strings.Contains(fmt.Sprint(list[0]["refused"]), "last Admin") ||
			w.count("users WHERE username = 'other'") != 1 {
			t.Errorf("the last Admin: %v", list)
		}
		if again := w.do("admin", "POST /api/users/{other}/erasure", code()).status(200).object(); again["refused"] != nil {
			t.Errorf("asked for again: %v", again)
		}
		w.later(25 * time.Hour)
		w.eraseDue()
		w.signInAgain("admin")
		w.do("admin", "POST /api/users/{other}/erasure", code()).status(409).says("erased already")
		w.do("admin", "POST /api/users/{other}/data_export", code()).status(409).says("erased already")
	})
}

// Of an erasure that is due and its cancellation one wins, and nothing is half done; two who cancel are one.
func TestAnErasureAndItsCancellationAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		code := w.sure("admin")
		w.do("admin", "POST /api/users/{student}/erasure", code()).status(200)
		w.later(25 * time.Hour)
		w.signInAgain("admin")
		codes := make([]int, 3)
		var wg sync.WaitGroup
		for i := range codes {
			wg.Go(func() { codes[i] = w.do("admin", "DELETE /api/users/{student}/erasure", nil).Code })
		}
		wg.Go(w.eraseDue)
		wg.Wait()
		won := 0
		for _, c := range codes {
			if c == 204 {
				won++
			}
		}
		gone := int(w.count("users WHERE erased_at IS NOT NULL"))
		if won+gone != 1 || w.count("erasures") != 0 {
			t.Errorf("%v, %d erased", codes, gone)
		}
	})
}

// makeExport does what the job of an archive does.
func (w *world) makeExport(of, by string) {
	w.Helper()
	id := w.number(`SELECT job_id FROM person_exports WHERE user_id = $1 AND asked_by = $2`, w.id[of], w.id[by])
	e := privacy.Exporter{DB: w.db, Files: w.api.usecases.Files}
	if err := e.MakeForAdmin(w.Context(), jobs.Job{ID: id, Attempt: 1, MaxAttempts: 3},
		privacy.PersonExportArgs{UserID: w.id[of], AskedBy: w.id[by]}); err != nil {
		w.Fatal(err)
	}
}

func TestAnAdministratorTakesTheDataOfAPersonOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		export := "POST /api/users/{student}/data_export"
		w.do("admin", export, form{"otp": "000000"}).status(409).says("you need a second factor")
		code := w.sure("admin")
		w.do("admin", export, form{"otp": "000000"}).status(422)
		w.do("admin", "POST /api/users/99999/data_export", code()).status(404)
		link := w.do("admin", export, code()).status(201).object()
		at := "/api/admin/exports/" + link["token"].(string)
		if !strings.Contains(link["link"].(string), "/admin/exports?token="+link["token"].(string)) {
			t.Errorf("the link is %v", link)
		}
		if got := w.do("admin", "GET "+at, nil).status(200).object()["state"]; got != "making" {
			t.Errorf("it is %v", got)
		}
		w.do("admin", "POST "+at, nil).status(409).says("not ready")
		w.makeExport("student", "admin")
		w.exec(`UPDATE users SET role = 4 WHERE id = $1`, w.id["other"])
		for _, method := range []string{"GET ", "POST "} { // another administrator
			w.do("other", method+at, nil).status(404).says("somebody else's")
		}
		if got := w.do("admin", "GET "+at, nil).status(200).object(); got["state"] != "ready" || got["username"] != "student" {
			t.Errorf("it is %v", got)
		}
		a := w.do("admin", "POST "+at, nil).status(200)
		if _, err := zip.NewReader(bytes.NewReader(a.Body.Bytes()), int64(a.Body.Len())); err != nil {
			t.Errorf("no archive: %v", err)
		}
		w.do("admin", "POST "+at, nil).status(404)
		w.do("admin", "GET "+at, nil).status(404)
		for _, action := range []string{"person_asked", "person", "person_taken"} {
			if n := w.count("audit_outbox WHERE entries LIKE '%\"action\":\"" + action + "\"%'"); n != 1 {
				t.Errorf("%d entries of the log say %s", n, action)
			}
		}
	})
}

func TestTheLinkToAPersonsDataExpires(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		code := w.sure("admin")
		ask := func() string {
			return "/api/admin/exports/" + w.do("admin", "POST /api/users/{student}/data_export", code()).status(201).
				object()["token"].(string)
		}
		old := ask()
		at := ask()
		w.do("admin", "GET "+old, nil).status(404) // a new one took its place
		w.makeExport("student", "admin")
		w.later(59 * time.Minute)
		w.do("admin", "GET "+at, nil).status(200)
		w.later(2 * time.Minute)
		w.do("admin", "GET "+at, nil).status(404)
		w.do("admin", "POST "+at, nil).status(404)
		if err := w.db.Tx(t.Context(), func(q db.Q) error {
			_, err := privacy.PruneExports(t.Context(), q)
			return err
		}); err != nil || w.count("person_exports") != 0 {
			t.Errorf("it is still there: %v", err)
		}
	})
}

func TestOfManyWhoTakeTheDataOneWins(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		code := w.sure("admin")
		at := "POST /api/admin/exports/" + w.do("admin", "POST /api/users/{student}/data_export", code()).status(201).
			object()["token"].(string)
		w.makeExport("student", "admin")
		var wg sync.WaitGroup
		codes := make([]int, 6)
		for i := range codes {
			wg.Go(func() { codes[i] = w.do("admin", at, nil).Code })
		}
		wg.Wait()
		won := 0
		for _, c := range codes {
			if c == 200 {
				won++
			}
		}
		if won != 1 {
			t.Errorf("%v", codes)
		}
	})
}
