package api

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"lectern/internal/clock"
	"lectern/internal/course"
	"lectern/internal/db"
	"lectern/internal/enrol"
)

// BenchmarkFullUnit compares GET /api/units/{id} of a large unit with its
// statements run by hand on the same file and encoded: the endpoint may take
// three times as long.
func BenchmarkFullUnit(b *testing.B) {
	w := newWorld(b, "sqlite")
	w.largeUnit()
	request := func() *answered { return w.do("convenor", "GET /api/units/{unitA}", nil) }
	b.Run("bare", func(b *testing.B) {
		raw := w.rawSQLite()
		texts := w.statementsOf("convenor", "GET /api/units/{unitA}")
		for !strings.Contains(texts[0], "draft_task_definition_id") {
			texts = texts[1:] // who asks, and whether they may
		}
		for b.Loop() {
			bareUnit(b, raw, texts, w.id["unitA"])
		}
	})
	b.Run("endpoint", func(b *testing.B) {
		for b.Loop() {
			request()
		}
	})
}

// largeUnit gives unit A 1,000 students in 10 tutorials.
func (w *world) largeUnit() {
	w.fill("tutorials", 0, 10, func(i int) row {
		return row{"unit_id": w.id["unitA"], "unit_role_id": w.id["role:tutor"], "tutorial_stream_id": w.id["streamA"], "campus_id": w.id["burwood"],
			"abbreviation": numbered("T", i), "meeting_day": "Monday", "meeting_time": "9:00", "meeting_location": "Here", "capacity": 200}
	})
	tutorial := w.lastID("tutorials") - 9
	w.fill("users", 0, 1000, func(i int) row {
		n := fmt.Sprintf("many%d", i)
		return row{"username": n, "username_key": n, "email": n, "email_key": n, "first_name": "A", "last_name": "B", "role": 1,
			"created_at": clock.At(w.now), "updated_at": clock.At(w.now)}
	})
	user := w.lastID("users") - 999
	w.fill("projects", 0, 1000, func(i int) row {
		return row{"unit_id": w.id["unitA"], "user_id": user + int64(i), "created_at": clock.At(w.now), "updated_at": clock.At(w.now)}
	})
	project := w.lastID("projects") - 999
	w.fill("tutorial_enrolments", 0, 1000, func(i int) row {
		return row{"project_id": project + int64(i), "tutorial_id": tutorial + int64(i%10), "tutorial_stream_id": w.id["streamA"]}
	})
}

// statementsOf gives the texts of the statements a request takes.
func (w *world) statementsOf(as, request string) (texts []string) {
	r := w.request(as, request, nil)
	ctx, _ := db.Counting(r.Context(), func(text string) { texts = append(texts, text) })
	w.send(r.WithContext(ctx), request).status(200)
	return texts
}

// rawSQLite opens the world's file without anything of ours around it.
func (w *world) rawSQLite() *sql.DB {
	path, err := db.One[string](w.Context(), w.db.Pool(), `SELECT file FROM pragma_database_list WHERE name = 'main'`)
	if err != nil {
		w.Fatal(err)
	}
	raw, err := sql.Open("sqlite", *path)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { raw.Close() })
	return raw
}

// bareUnit reads what a full unit holds, column by column, by its first
// statements: the unit, outcomes, staff, streams, tutorials.
func bareUnit(b *testing.B, raw *sql.DB, texts []string, id int64) {
	var u struct {
		course.Unit
		Outcomes  []course.Outcome
		Staff     []course.StaffMember
		Streams   []enrol.Stream
		Tutorials []enrol.Tutorial
	}
	tx, err := raw.Begin()
	if err != nil {
		b.Fatal(err)
	}
	defer tx.Rollback()
	scan := func(i int, into func() []any) {
		rows, err := tx.Query(texts[i], id)
		if err != nil {
			b.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(into()...); err != nil {
				b.Fatalf("%v in %s", err, strings.TrimSpace(texts[i]))
			}
		}
	}
	scan(0, func() []any {
		return []any{&u.Code, &u.ID, &u.Name, &u.Description, &u.TeachingPeriodID, &u.StartDate, &u.EndDate, &u.Active, &u.AssessmentEnabled,
			&u.AllowStudentExtensionRequests, &u.AllowStudentChangeTutorial, &u.TimeZone, &u.PortfolioDate, &u.OverseerImageID,
			&u.AutoApplyExtensionBeforeDeadline, &u.SendNotifications, &u.EnableSyncEnrolments, &u.EnableSyncTimetable,
			&u.ExtensionWeeksOnResubmitRequest, &u.MainConvenorID, &u.MainConvenorUserID, &u.DraftTaskDefinitionID}
	})
	scan(1, func() []any {
		u.Outcomes = append(u.Outcomes, course.Outcome{})
		o := &u.Outcomes[len(u.Outcomes)-1]
		return []any{&o.ID, &o.Number, &o.Abbreviation, &o.Name, &o.Description}
	})
	scan(2, func() []any {
		u.Staff = append(u.Staff, course.StaffMember{})
		s := &u.Staff[len(u.Staff)-1]
		return []any{&s.ID, &s.Role, &s.RoleID, &s.UserID, &s.Email, &s.FirstName, &s.LastName, &s.Username, &s.Nickname}
	})
	scan(3, func() []any {
		u.Streams = append(u.Streams, enrol.Stream{})
		s := &u.Streams[len(u.Streams)-1]
		return []any{&s.ID, &s.Name, &s.Abbreviation, &s.ActivityType}
	})
	scan(4, func() []any {
		u.Tutorials = append(u.Tutorials, enrol.Tutorial{})
		t := &u.Tutorials[len(u.Tutorials)-1]
		return []any{&t.ID, &t.MeetingDay, &t.MeetingTime, &t.MeetingLocation, &t.Abbreviation, &t.CampusID, &t.Capacity, &t.StreamAbbr, &t.TutorID, &t.NumStudents}
	})
	w := httptest.NewRecorder()
	if err := json.NewEncoder(w).Encode(&u); err != nil {
		b.Fatal(err)
	}
}
