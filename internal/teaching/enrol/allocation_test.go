package enrol

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// An allocation decides about many places in memory, JoinTutorial about one in the database. In
// any unit both decide the same: the same refusals, and afterwards the same places and groups.
func TestAnAllocationDecidesAsJoinTutorialDoes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		rapid.Check(t, func(r *rapid.T) {
			undo := errors.New("undo")
			err := d.Tx(t.Context(), func(q db.Q) error {
				p := newPlayground(t.Context(), r, q)
				p.addGroup(t.Context(), r, q)
				for range rapid.IntRange(0, 12).Draw(r, "steps") {
					p.step(t.Context(), r, q)
				}
				for range 3 {
					p.compare(t.Context(), r, q)
				}
				return undo
			})
			if !errors.Is(err, undo) {
				r.Fatal(err)
			}
		})
	})
}

// addGroup puts the first student into the first tutorial and into a group that stays there.
func (p *playground) addGroup(ctx context.Context, r *rapid.T, q db.Q) {
	run := func(text string, args ...any) int64 {
		id, err := db.One[int64](ctx, q, text+" RETURNING id", args...)
		if err != nil {
			r.Fatal(err)
		}
		return *id
	}
	if err := JoinTutorial(ctx, q, p.projects[0], p.tutorials[0], true); err != nil {
		r.Fatal(err)
	}
	set := run(`INSERT INTO group_sets (unit_id, name, allow_students_to_manage_groups, keep_groups_in_same_class, locked)
		VALUES ($1, 'S', $2, TRUE, FALSE)`, p.unit, rapid.Bool().Draw(r, "free"))
	group := run(`INSERT INTO unit_groups (group_set_id, tutorial_id, name) VALUES ($1, $2, 'G')`, set, p.tutorials[0])
	run(`INSERT INTO group_memberships (group_set_id, unit_group_id, project_id, active) VALUES ($1, $2, $3, TRUE)`,
		set, group, p.projects[0])
}

// compare lets both take the same place, from the same state, and keeps what came of it.
func (p *playground) compare(ctx context.Context, r *rapid.T, q db.Q) {
	project := rapid.SampledFrom(p.projects).Draw(r, "project")
	tutorial := rapid.SampledFrom(p.tutorials).Draw(r, "tutorial")
	exceed := rapid.Bool().Draw(r, "exceed")
	exec(ctx, r, q, "SAVEPOINT one")
	single := JoinTutorial(ctx, q, project, tutorial, exceed)
	one := p.outcome(ctx, r, q, single)
	exec(ctx, r, q, "ROLLBACK TO one")
	exec(ctx, r, q, "RELEASE one")
	s, err := readAllocation(ctx, q, p.unit, p.projects, exceed)
	if err != nil {
		r.Fatal(err)
	}
	refused := s.take(s.students[project], s.tutorials[tutorial])
	if err := s.write(ctx, q, []*student{s.students[project]}); err != nil {
		r.Fatal(err)
	}
	if many := p.outcome(ctx, r, q, refused); !slices.Equal(one, many) {
		r.Fatalf("project %d, tutorial %d, exceed %v:\nTakeSeat: %v (%v)\nallocation: %v (%v)", project, tutorial,
			exceed, one, single, many, refused)
	}
}

// outcome is the kind of a refusal, all places and all memberships, in words. A refusal of
// the database's own is none.
func (p *playground) outcome(ctx context.Context, r *rapid.T, q db.Q, err error) []string {
	if err != nil {
		if fault.KindOf(err) == fault.Internal {
			r.Fatal(err)
		}
		return []string{fmt.Sprint("refused ", fault.KindOf(err))} // the caller rolls back
	}
	places, err := db.All[Enrolment](ctx, q, `SELECT project_id, tutorial_id, tutorial_stream_id FROM tutorial_enrolments
		ORDER BY project_id, tutorial_id`)
	if err != nil {
		r.Fatal(err)
	}
	var out []string
	for _, e := range places {
		stream := int64(0)
		if e.StreamID != nil {
			stream = *e.StreamID
		}
		out = append(out, fmt.Sprint(e.ProjectID, " in ", e.TutorialID, " of ", stream))
	}
	members := p.count(ctx, r, q, `group_memberships WHERE active`)
	return append(out, fmt.Sprint(members, " members"))
}

// Who comes back has their places again, but those taken meanwhile or of another campus.
func TestReadmitting(t *testing.T) {
	campus := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		name   string
		load   tutorialLoad
		home   *int64
		exceed bool
		lost   bool
	}{
		{"a free place", tutorialLoad{place: place{Capacity: 2}, Taken: 1}, nil, false, false},
		{"no limit", tutorialLoad{Taken: 500}, nil, false, false},
		{"taken meanwhile", tutorialLoad{place: place{Capacity: 2}, Taken: 2}, nil, false, true},
		{"taken, but staff may exceed", tutorialLoad{place: place{Capacity: 2}, Taken: 2}, nil, true, false},
		{"of another campus", tutorialLoad{place: place{CampusID: campus(1)}}, campus(2), true, true},
		{"of any campus", tutorialLoad{}, campus(2), false, false},
	} {
		load := c.load
		load.TutorialID, load.Tutorial = 7, "T7"
		held := []Enrolment{{ProjectID: 1, TutorialID: 7}}
		p := &student{ProjectID: 1, HomeID: c.home, was: held, held: held}
		s := &allocation{exceed: c.exceed, tutorials: map[int64]*tutorialLoad{7: &load}}
		lost := s.readmit(p)
		if !p.Enrolled || (len(lost) == 1) != c.lost || (len(p.held) == 0) != c.lost {
			t.Errorf("%s: lost %v, holds %v", c.name, lost, p.held)
		}
		if taken := load.Taken - c.load.Taken; taken != int64(len(p.held)) {
			t.Errorf("%s: %d more places taken", c.name, taken)
		}
	}
}
