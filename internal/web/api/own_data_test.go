package api

import (
	"archive/zip"
	"bytes"
	"sync"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/usecase/privacy"
)

var _ = rights(
	rightRow{"GET " + ownData, ownData, "users", nil},
	rightRow{"POST " + ownData, ownData, "users", nil},
	rightRow{"POST " + ownData + "/link", ownData + "/link", "users", nil},
	rightRow{"GET " + ownData + "/{token}", ownData + "/nonsense", "users", nil},
)

// makeArchive does what the job that somebody's archive waits for does.
func (w *world) makeArchive(who string) {
	w.Helper()
	id := w.number(`SELECT job_id FROM data_exports WHERE user_id = $1`, w.id[who])
	e := privacy.Exporter{DB: w.db, Files: w.api.usecases.Files}
	if err := e.Make(w.Context(), jobs.Job{ID: id, Attempt: 1, MaxAttempts: 3},
		privacy.ArchiveArgs{UserID: w.id[who]}); err != nil {
		w.Fatal(err)
	}
}

func TestYourDataIsAskedForAndDownloadedOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		state := func(who string) any { return w.do(who, "GET "+ownData, nil).status(200).object()["state"] }
		if got := state("student"); got != "none" {
			t.Fatal(got)
		}
		w.do("student", "POST "+ownData+"/link", nil).status(409).says("nothing to download")
		for range 2 { // the second finds the first
			has(t, "asked", w.do("student", "POST "+ownData, nil).status(200).object(), map[string]any{"state": "making",
				"fresh_sign_in": true})
		}
		if n := w.count("jobs WHERE kind = 'data export'"); n != 1 {
			t.Errorf("%d jobs", n)
		}
		w.makeArchive("student")
		has(t, "made", w.do("student", "GET "+ownData, nil).status(200).object(), map[string]any{"state": "ready"})
		link := w.do("student", "POST "+ownData+"/link", nil).status(200).object()["token"].(string)
		w.do("mate", "GET "+ownData+"/"+link, nil).status(404).says("has been used or has expired")
		w.do("mate", "HEAD "+ownData+"/"+link, nil).status(404)
		if a := w.do("student", "HEAD "+ownData+"/"+link, nil).status(200); a.Body.Len() > 0 {
			t.Errorf("a look at the link gives %d bytes", a.Body.Len()) // and it is not used up
		}
		a := w.do("student", "GET "+ownData+"/"+link, nil).status(200)
		if _, err := zip.NewReader(bytes.NewReader(a.Body.Bytes()), int64(a.Body.Len())); err != nil {
			t.Errorf("no archive: %v", err)
		}
		w.do("student", "GET "+ownData+"/"+link, nil).status(404).says("has been used or has expired")
		if got := state("student"); got != "downloaded" {
			t.Error(got)
		}
		for _, action := range []string{"asked", "downloaded"} {
			if n := w.count("audit_outbox WHERE entries LIKE '%\"action\":\"" + action + "\"%'"); n != 1 {
				t.Errorf("%d entries of the log say %s", n, action)
			}
		}
		w.do("student", "POST "+ownData, nil).status(409).says("an hour")
		w.later(2 * time.Hour)
		w.do("student", "POST "+ownData, nil).status(200)
	})
}

// archiveReady makes an archive that somebody asked for.
func (w *world) archiveReady() {
	w.Helper()
	w.do("student", "POST "+ownData, nil).status(200)
	w.makeArchive("student")
}

func TestALinkToYourDataNeedsAFreshSignIn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.archiveReady()
		w.later(11 * time.Minute)
		has(t, "old", w.do("student", "GET "+ownData, nil).status(200).object(), map[string]any{"fresh_sign_in": false})
		w.do("student", "POST "+ownData+"/link", nil).status(403).says("sign in again")
	})
}

func TestALinkToYourDataExpires(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.archiveReady()
		link := w.do("student", "POST "+ownData+"/link", nil).status(200).object()["token"].(string)
		w.later(11 * time.Minute)
		w.do("student", "GET "+ownData+"/"+link, nil).status(404)
		w.later(privacy.ArchiveLife)
		has(t, "late", w.do("student", "GET "+ownData, nil).status(200).object(), map[string]any{"state": "expired"})
		if err := w.db.Tx(t.Context(), func(q db.Q) error {
			_, err := privacy.PruneArchives(t.Context(), q)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if n := w.count("data_exports WHERE hash IS NOT NULL"); n != 0 {
			t.Error("it is still there")
		}
	})
}

func TestOfManyUsesOfALinkOneWins(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.archiveReady()
		link := w.do("student", "POST "+ownData+"/link", nil).status(200).object()["token"].(string)
		var wg sync.WaitGroup
		codes := make([]int, 6)
		for i := range codes {
			wg.Go(func() { codes[i] = w.do("student", "GET "+ownData+"/"+link, nil).Code })
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
