package enrol

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

func TestLeaving(t *testing.T) {
	id := func(n int64) *int64 { return &n }
	held := func(pairs ...*int64) (out []Enrolment) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, Enrolment{TutorialID: *pairs[i], StreamID: pairs[i+1]})
		}
		return out
	}
	for _, c := range []struct {
		name   string
		stream *int64
		held   []Enrolment
		there  bool
		leave  []int64
	}{
		{"first seat", id(1), nil, false, nil},
		{"same stream", id(1), held(id(10), id(1), id(11), id(2)), false, []int64{10}},
		{"other stream", id(3), held(id(10), id(1), id(11), id(2)), false, nil},
		{"out of a streamless one", id(1), held(id(10), nil), false, []int64{10}},
		{"into a streamless one", nil, held(id(10), id(1), id(11), id(2)), false, []int64{10, 11}},
		{"between streamless ones", nil, held(id(10), nil), false, []int64{10}},
		{"there already", id(1), held(id(11), id(2), id(7), id(1)), true, nil},
	} {
		s := place{TutorialID: 7, StreamID: c.stream}
		there, leave := s.leaving(c.held)
		if there != c.there || !slices.Equal(leave, c.leave) {
			t.Errorf("%s: got %v, %v", c.name, there, leave)
		}
	}
}

func TestFreeNames(t *testing.T) {
	for _, c := range []struct {
		taken []Stream
		want  string
	}{
		{nil, "Lab 1/l 1"},
		{[]Stream{{Name: "Lab 1", Abbreviation: "x"}}, "Lab 2/l 2"},
		{[]Stream{{Name: "x", Abbreviation: "l 1"}, {Name: "Lab 2", Abbreviation: "l 3"}}, "Lab 4/l 4"},
		{[]Stream{{Name: "Lab 2", Abbreviation: "l 2"}}, "Lab 1/l 1"},
	} {
		if name, abbr := freeNames("Lab", "l", c.taken); name+"/"+abbr != c.want {
			t.Errorf("%v: got %s/%s, want %s", c.taken, name, abbr, c.want)
		}
	}
}

// A playground is a unit for trying things at random: the ids of what it has.
type playground struct {
	campuses, streams, tutorials, projects []int64
	unit                                   int64
}

// Whatever students and staff try, the places of a unit fit each other.
func TestEnrolmentsFitAtRandom(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		rapid.Check(t, func(r *rapid.T) {
			undo := errors.New("undo")
			err := d.Tx(t.Context(), func(q db.Q) error {
				p := newPlayground(t.Context(), r, q)
				for range rapid.IntRange(1, 25).Draw(r, "steps") {
					p.step(t.Context(), r, q)
					p.check(t.Context(), r, q)
				}
				return undo
			})
			if !errors.Is(err, undo) {
				r.Fatal(err)
			}
		})
	})
}

type fataler interface{ Fatal(args ...any) }

func newPlayground(ctx context.Context, r fataler, q db.Q) *playground {
	add := func(text string, args ...any) int64 {
		id, err := db.One[int64](ctx, q, text+" RETURNING id", args...)
		if err != nil {
			r.Fatal(err)
		}
		return *id
	}
	p := &playground{}
	day := clock.Day(q.Now().Time)
	p.unit = add(`INSERT INTO units (code, name, description, start_date, end_date, created_at, updated_at)
		VALUES ('C', 'N', 'D', $1, $1, $2, $2)`, day, q.Now())
	kind := add(`INSERT INTO activity_types (name, abbreviation) VALUES ('Lab', 'l')`)
	for i := range 2 {
		name := fmt.Sprint("X", i)
		p.campuses = append(p.campuses, add(`INSERT INTO campuses (name, mode, abbreviation, active)
			VALUES ($1, 'manual', $1, TRUE)`, name))
		p.streams = append(p.streams, add(`INSERT INTO tutorial_streams (unit_id, name, abbreviation, activity_type_id)
			VALUES ($1, $2, $2, $3)`, p.unit, name, kind))
	}
	for i := range 6 {
		name := fmt.Sprint("T", i)
		p.tutorials = append(p.tutorials, add(`INSERT INTO tutorials (unit_id, abbreviation, meeting_day, meeting_time,
			meeting_location, capacity, tutorial_stream_id)
			VALUES ($1, $2, 'd', 't', 'l', $3, $4)`, p.unit, name, i%3, p.stream(i)))
	}
	for i := range 4 {
		name := fmt.Sprint("U", i)
		user := add(`INSERT INTO users (username, username_key, email, email_key, first_name, last_name, role,
			created_at, updated_at)
			VALUES ($1, $1, $1, $1, 'F', 'L', 1, $2, $2)`, name, q.Now())
		p.projects = append(p.projects, add(`INSERT INTO projects (unit_id, user_id, created_at, updated_at)
			VALUES ($1, $2, $3, $3)`, p.unit, user, q.Now()))
	}
	return p
}

// stream is the first, the second or none.
func (p *playground) stream(i int) *int64 {
	if i%3 == 2 {
		return nil
	}
	return &p.streams[i%3]
}

// step does one thing at random; a refusal leaves no trace.
func (p *playground) step(ctx context.Context, r *rapid.T, q db.Q) {
	project := rapid.SampledFrom(p.projects).Draw(r, "project")
	tutorial := rapid.SampledFrom(p.tutorials).Draw(r, "tutorial")
	campus := rapid.SampledFrom([]int64{-1, p.campuses[0], p.campuses[1]}).Draw(r, "campus")
	full := p.full(ctx, r, q, tutorial, project)
	yes := rapid.Bool().Draw(r, "yes")
	exec(ctx, r, q, "SAVEPOINT step")
	var err error
	switch rapid.IntRange(0, 6).Draw(r, "what") {
	case 0, 1:
		err = JoinTutorial(ctx, q, project, tutorial, yes)
		if err == nil && full && !yes {
			r.Fatal("took a place in a full tutorial")
		}
	case 2:
		err = LeaveTutorial(ctx, q, project, tutorial)
	case 3:
		_, err = ChangeProject(ctx, q, 0, project, ProjectChange{Enrolled: &yes})
	case 4:
		abbr := rapid.SampledFrom([]string{"", "X0", "X1"}).Draw(r, "stream")
		_, err = ChangeTutorial(ctx, q, tutorial, TutorialChange{StreamAbbr: &abbr})
	case 5:
		_, err = ChangeTutorial(ctx, q, tutorial, TutorialChange{CampusID: &campus})
	case 6:
		_, err = ChangeProject(ctx, q, 0, project, ProjectChange{CampusID: &campus})
	}
	if err != nil {
		if fault.KindOf(err) == fault.Internal {
			r.Fatal(err)
		}
		exec(ctx, r, q, "ROLLBACK TO step")
	}
	exec(ctx, r, q, "RELEASE step")
}

func exec(ctx context.Context, r *rapid.T, q db.Q, text string) {
	if _, err := db.Exec(ctx, q, text); err != nil {
		r.Fatal(err)
	}
}

// full tells whether a tutorial has no place left for a student not in it.
func (p *playground) full(ctx context.Context, r *rapid.T, q db.Q, tutorial, project int64) bool {
	n := p.count(ctx, r, q, `tutorials t WHERE t.id = $1 AND t.capacity > 0
		AND t.capacity <= (SELECT count(*) FROM tutorial_enrolments e JOIN projects p ON p.id = e.project_id
		WHERE e.tutorial_id = t.id AND p.enrolled)
		AND NOT EXISTS (SELECT 1 FROM tutorial_enrolments e WHERE e.tutorial_id = t.id AND e.project_id = $2)`,
		tutorial, project)
	return n > 0
}

func (p *playground) count(ctx context.Context, r *rapid.T, q db.Q, from string, args ...any) int64 {
	n, err := db.One[int64](ctx, q, "SELECT count(*) FROM "+from, args...)
	if err != nil {
		r.Fatal(err)
	}
	return *n
}

func (p *playground) check(ctx context.Context, r *rapid.T, q db.Q) {
	for what, from := range map[string]string{
		"seats whose stream is not the tutorial's": `tutorial_enrolments e JOIN tutorials t ON t.id = e.tutorial_id
			WHERE e.tutorial_stream_id IS DISTINCT FROM t.tutorial_stream_id`,
		"seats beside one without a stream": `tutorial_enrolments e JOIN tutorial_enrolments o ON o.project_id =
			e.project_id AND o.id <> e.id
			WHERE e.tutorial_stream_id IS NULL`,
		"two seats in a stream": `tutorial_enrolments e JOIN tutorial_enrolments o ON o.project_id = e.project_id
			AND o.id <> e.id
			WHERE o.tutorial_stream_id = e.tutorial_stream_id`,
		"enrolled students in tutorials of another campus": `tutorial_enrolments e JOIN tutorials t ON t.id =
			e.tutorial_id
			JOIN projects p ON p.id = e.project_id WHERE p.enrolled AND p.campus_id <> t.campus_id`,
	} {
		if n := p.count(ctx, r, q, from); n > 0 {
			r.Fatalf("%d %s", n, what)
		}
	}
}

// A tutorial cannot lose its stream beside a place that is being taken: the
// change waits for the other transaction, and then sees what it did.
func TestAStreamWaitsForEnrolments(t *testing.T) {
	d := dbtest.New(t, "postgres", nil)
	ctx := t.Context()
	var p *playground
	err := d.Tx(ctx, func(q db.Q) error {
		p = newPlayground(ctx, t, q)
		return JoinTutorial(ctx, q, p.projects[0], p.tutorials[0], true) // in the first stream
	})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	err = d.Tx(ctx, func(q db.Q) error {
		if err := JoinTutorial(ctx, q, p.projects[0], p.tutorials[1], true); err != nil { // in the second
			return err
		}
		go func() {
			done <- d.Tx(ctx, func(q db.Q) error {
				_, err := ChangeTutorial(ctx, q, p.tutorials[0], TutorialChange{StreamAbbr: new("")})
				return err
			})
		}()
		for {
			waiting, err := db.One[int64](ctx, d.Pool(), `SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a ON
				a.pid = l.pid
				WHERE NOT l.granted AND a.datname = current_database()`)
			if err != nil || *waiting > 0 {
				return err
			}
			select {
			case err := <-done:
				return fmt.Errorf("the change did not wait: %w", err)
			default:
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; !fault.Is(err, fault.Conflict) {
		t.Errorf("a tutorial with a student in another lost its stream: %v", err)
	}
}
