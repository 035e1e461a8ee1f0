package demo

import (
	"errors"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/stats"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/work"
)

// raced tells that the race detector slows everything down.
var raced bool

func TestFillsAnEmptyDatabaseOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		store, err := files.Open(ctx, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		signer, err := submit.NewKeys(d, nil).Signer(ctx)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		for round, want := range []bool{true, false} {
			err := d.Tx(ctx, func(q db.Q) error {
				filled, err := Fill(ctx, q, "seal", &submit.Service{Files: store, Service: "Test"}, signer)
				if filled != want {
					t.Errorf("round %d: filled %v", round, filled)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		took := time.Since(start)
		t.Logf("filled in %v", took)
		if took > 15*time.Second && dbtest.Quiet() {
			t.Errorf("took %v", took)
		}
		if err := errors.Join(stats.Check(ctx, d), work.CheckNews(ctx, d), work.CheckActivity(ctx, d)); err != nil {
			t.Error(err)
		}
		for what, want := range map[string]int64{
			"users WHERE id = 1 AND username = 'aadmin' AND role = 4": 1,
			"units": 4, "teaching_periods": 3, "breaks": 3, "campuses": 3, "activity_types": 3,
			"units WHERE id = 1 AND code = 'COS10001'":                                   1,
			"projects p JOIN users u ON u.id = p.user_id WHERE u.username = 'astudent'":  4,
			"projects p JOIN users u ON u.id = p.user_id WHERE u.username = 'student_1'": 4,
			"unit_roles r JOIN users u ON u.id = r.user_id WHERE u.username = 'atutor'":  4,
			"unit_roles WHERE is_main": 4, "snippets": 5, "staff_notes": 1, "handovers": 1, "announcements": 2,
			"tasks t JOIN projects p ON p.id = t.project_id WHERE t.unit_id <> p.unit_id": 0,
			"users WHERE password_hash <> 'seal' OR email NOT LIKE '%@example.edu'":       0,
			"teaching_periods WHERE start_date <= '2000-01-01'":                           0,
			"users WHERE name_key = ''":                                                   0, // they could not be found
		} {
			n, err := db.One[int64](ctx, d.Pool(), "SELECT count(*) FROM "+what)
			if err != nil || *n != want {
				t.Errorf("%s: %d, want %d, %v", what, *n, want, err)
			}
		}
		checkStories(t, d)
		t.Run("streams are named as new ones are", func(t *testing.T) { checkStreams(t, d) })
	})
}

// checkStreams adds a stream beside one that was filled in: they differ in their numbers alone.
func checkStreams(t *testing.T, d *db.DB) {
	err := d.Tx(t.Context(), func(q db.Q) error {
		have, err := enrol.StreamsOf(t.Context(), q, 1)
		if err != nil {
			return err
		}
		for _, s := range have {
			added, _, err := enrol.AddStream(t.Context(), q, 1, s.ActivityType)
			if err != nil {
				return err
			}
			first := strings.NewReplacer("2", "1")
			if first.Replace(added.Name) != s.Name || first.Replace(added.Abbreviation) != s.Abbreviation {
				t.Errorf("beside %s (%s) a new one is %s (%s)", s.Name, s.Abbreviation, added.Name, added.Abbreviation)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
