package main

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/waittest"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// TestTwoHundredStudentsHandIn is the evening of a deadline: 200 students hand
// in 20 KB of code, an image of 300 KB and a PDF of 1.7 MB within ten seconds.
// The figures hold for a machine that has nothing else to do. Without LECTERN_TEST_FULL
// it is 60 within five seconds.
func TestTwoHundredStudentsHandIn(t *testing.T) {
	dbtest.Load(t)
	students, span := 60, 5*time.Second
	if dbtest.Full() {
		students, span = 200, 10*time.Second
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			data := t.TempDir()
			args, address := []string{"--data", data, "--demo"}, filepath.Join(data, "lectern.db")
			if engine == "postgres" {
				address = dbtest.Address(t, engine)
				args = append(args, "--database-url", address)
			}
			i := start(t, args...)
			definition, _ := classroom(i, 0, `[{"key":"file0","name":"Code","type":"code"},{"key":"file1","name":"Picture","type":"image"},{"key":"file2","name":"Report","type":"document"}]`)
			d, err := db.Open(address, db.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			class := crowd(t, d, definition, students)
			begun := time.Now()
			times := rush(i, class, definition, span)
			slices.Sort(times)
			t.Logf("%d of %d answered: p50 %v, p95 %v, longest %v", len(times), students, times[len(times)/2],
				times[len(times)*95/100], times[len(times)-1])
			if len(times) < students {
				t.Errorf("%d were refused", students-len(times))
			}
			if p95 := times[len(times)*95/100]; p95 > time.Second {
				t.Errorf("p95 is %v", p95)
			}
			took := untilReady(t, d, definition, students)
			t.Logf("all documents ready %v after the first upload", time.Since(begun).Round(100*time.Millisecond))
			if took > time.Minute {
				t.Errorf("the documents took %v after the last upload", took)
			}
			i.stop()
		})
	}
}

// crowd enrols new students in the unit of a definition and signs them in.
func crowd(t *testing.T, d *db.DB, definition int64, n int) (list []student) {
	t.Helper()
	err := d.Tx(t.Context(), func(q db.Q) error {
		list = nil
		for k := range n {
			name := fmt.Sprintf("crowd%d", k)
			user, err := db.One[int64](t.Context(), q, `INSERT INTO users (username, username_key, email, email_key,
				first_name, last_name, role, created_at, updated_at)
				VALUES ($1, $1, $1, $1, 'C', 'D', 1, $2, $2) RETURNING id`, name, q.Now())
			if err != nil {
				return err
			}
			project, err := db.One[int64](t.Context(), q, `INSERT INTO projects (unit_id, user_id, created_at,
				updated_at)
				SELECT d.unit_id, CAST($2 AS BIGINT), CAST($3 AS `+instant(q)+`), CAST($3 AS `+instant(q)+
				`) FROM task_definitions d WHERE d.id = $1 RETURNING id`,
				definition, *user, q.Now())
			if err != nil {
				return err
			}
			token, err := ident.Start(t.Context(), q, &ident.User{ID: *user, Role: policy.Student}, true)
			if err != nil {
				return err
			}
			list = append(list, student{name, token, *project})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// instant is the engine's word for a moment.
func instant(q db.Q) string {
	if q.Postgres() {
		return "TIMESTAMPTZ"
	}
	return "TEXT"
}

// rush lets everybody hand in at a random moment of a span and gives the times
// of those who were answered with 201.
func rush(i *instance, class []student, definition int64, span time.Duration) (times []time.Duration) {
	code, picture, report := strings.Repeat("total = total + 1  # count\n", 20<<10/27), noisePNG(), noisePDF()
	i.t.Logf("each hands in %d KB of code, a picture of %d KB and a report of %d KB", len(code)>>10, len(picture)>>10,
		len(report)>>10)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, p := range class {
		wait := rand.N(span)
		wg.Go(func() {
			time.Sleep(wait)
			mark := "# " + p.name + "\n" // nobody's files are another's
			begin := time.Now()
			status, text, err := i.handIn(p, definition, "", sent{"file0", "a.py", mark + code},
				sent{"file1", "a.png", picture + mark},
				sent{"file2", "a.pdf", report + "%" + mark})
			took := time.Since(begin).Round(time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || status != 201 {
				i.t.Errorf("%s: %d %v %s", p.name, status, err, text)
				return
			}
			times = append(times, took)
		})
	}
	wg.Wait()
	return times
}

// untilReady waits for the documents of all students of a definition and tells how long. None of
// them may have left anything out.
func untilReady(t *testing.T, d *db.DB, definition int64, students int) time.Duration {
	t.Helper()
	begin := clock.Real()
	var ready *int64
	waittest.Within(10*time.Minute, func() bool {
		var err error
		ready, err = db.One[int64](t.Context(), d.Pool(), `SELECT count(*) FROM submissions s
			JOIN tasks t ON t.id = s.task_id
			WHERE t.task_definition_id = $1 AND s.state = 'ready' AND s.reason IS NULL`, definition)
		if err != nil {
			t.Fatal(err)
		}
		return *ready >= int64(students)
	})
	t.Logf("%d documents ready", *ready)
	return time.Since(begin)
}

func noise(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for k := range m.Pix {
		m.Pix[k] = byte(rand.Uint32())
		if k%4 == 3 {
			m.Pix[k] = 255
		}
	}
	return m
}

// noisePNG has about 300 KB.
func noisePNG() string {
	var b bytes.Buffer
	_ = png.Encode(&b, noise(360, 280))
	return b.String()
}

// noisePDF has about 1.7 MB on twenty pages.
func noisePDF() string {
	f := fpdf.New("P", "mm", "A4", "")
	f.SetFont("Helvetica", "", 12)
	for n := range 20 {
		var b bytes.Buffer
		_ = jpeg.Encode(&b, noise(390, 350), &jpeg.Options{Quality: 75})
		name := fmt.Sprintf("p%d", n)
		f.AddPage()
		f.Cell(0, 10, "A page of the report")
		f.RegisterImageOptionsReader(name, fpdf.ImageOptions{ImageType: "JPEG"}, &b)
		f.ImageOptions(name, 20, 30, 100, 0, false, fpdf.ImageOptions{ImageType: "JPEG"}, 0, "")
	}
	var b bytes.Buffer
	_ = f.Output(&b)
	return b.String()
}
