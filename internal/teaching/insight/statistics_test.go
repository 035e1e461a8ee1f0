package insight

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/status"
)

// A random unit, as plain as can be. Ids are positions plus one; unit 2 stands
// beside it with the same shape, to be left alone by every statistic.
type unit struct {
	streams     int
	tutorials   []int // their streams; 0: none
	definitions []int // their target grades
	outcomes    int
	links       []link
	students    []drawnStudent
}

type link struct {
	definition, outcome, rating int
	own                         int // of the student whose own it is; 0: the unit's
}

type drawnStudent struct {
	enrolled  bool
	target    int
	tutorials []int
	tasks     map[int]status.Status // by definition
	grade     int
}

func randomUnit(t *rapid.T) *unit {
	n := func(from, to int, what string) int { return rapid.IntRange(from, to).Draw(t, what) }
	u := &unit{streams: n(0, 2, "streams"), outcomes: n(0, 3, "outcomes")}
	for range n(0, 4, "tutorials") {
		u.tutorials = append(u.tutorials, n(0, u.streams, "stream"))
	}
	for range n(0, 5, "definitions") {
		u.definitions = append(u.definitions, n(0, 3, "grade"))
	}
	for range n(0, 12, "students") {
		u.students = append(u.students, u.randomStudent(n))
	}
	seen := map[string]bool{}
	for range n(0, 8, "links") {
		if len(u.definitions) == 0 || u.outcomes == 0 {
			break
		}
		l := link{n(1, len(u.definitions), "definition"), n(1, u.outcomes, "outcome"), n(1, 5, "rating"), 0}
		if own := n(0, len(u.students), "own"); own > 0 && u.students[own-1].tasks[l.definition] != "" {
			l.own = own
		}
		if name := fmt.Sprint(l.definition, l.outcome, l.own); !seen[name] {
			seen[name] = true
			u.links = append(u.links, l)
		}
	}
	return u
}

func (u *unit) randomStudent(n func(int, int, string) int) drawnStudent {
	p := drawnStudent{enrolled: n(0, 4, "enrolled") > 0, target: n(0, 3, "target"), tasks: map[int]status.Status{},
		grade: max(0, n(-50, 100, "final"))}
	taken := map[int]bool{}
	for i, stream := range u.tutorials {
		if n(0, 1, "seat") == 1 && !taken[stream] {
			taken[stream] = true
			p.tutorials = append(p.tutorials, i+1)
		}
	}
	for i := range u.definitions {
		if k := n(0, 14, "status"); k > 0 && k <= 12 {
			p.tasks[i+1], _ = status.FromID(k)
		}
	}
	return p
}

// save writes the unit as unit 1, and a copy as unit 2, whose ids are 100,000
// higher.
func (u *unit) save(ctx context.Context, q db.Q) error {
	insert := inserter{ctx, q, nil}
	now, day := q.Now(), clock.On(2026, 3, 2)
	insert.row("activity_types (id, name, abbreviation)", 1, "Practical", "prac")
	for i := range u.students {
		name := fmt.Sprint("student", i+1)
		insert.row("users (id, username, username_key, email, email_key, first_name, last_name, role, created_at, "+
			"updated_at)",
			i+1, name, name, name, name, "First", "Last", 1, now, now)
	}
	for k := range 2 {
		at := func(id int) int { return id + 100_000*k }
		insert.row("units (id, code, name, description, start_date, end_date, created_at, updated_at)", k+1,
			fmt.Sprint("U", k), "N", "D", day, day, now, now)
		for i := range u.streams {
			insert.row("tutorial_streams (id, unit_id, name, abbreviation, activity_type_id)", at(i+1), k+1,
				fmt.Sprint(i), fmt.Sprint(i), 1)
		}
		for i, stream := range u.tutorials {
			insert.row("tutorials (id, unit_id, tutorial_stream_id, abbreviation, meeting_day, meeting_time, "+
				"meeting_location)",
				at(i+1), k+1, orNull(stream, at), fmt.Sprint("T", i), "Monday", "9:00", "Here")
		}
		for i, grade := range u.definitions {
			insert.row("task_definitions (id, unit_id, name, abbreviation, description, weighting, target_grade, "+
				"start_date, target_date)",
				at(i+1), k+1, fmt.Sprint(i), fmt.Sprint(i), "D", 1, grade, day, day)
		}
		for i := range u.outcomes {
			insert.row("learning_outcomes (id, unit_id, ilo_number, abbreviation, name, description)", at(i+1), k+1, i,
				fmt.Sprint(i), "N", "D")
		}
		u.saveStudents(&insert, k, at)
	}
	return insert.err
}

func (u *unit) saveStudents(insert *inserter, k int, at func(int) int) {
	now := insert.q.Now()
	for i, p := range u.students {
		insert.row("projects (id, unit_id, user_id, enrolled, target_grade, grade, created_at, updated_at)", at(i+1),
			k+1, i+1, p.enrolled, p.target, p.grade, now, now)
		for _, t := range p.tutorials {
			insert.row("tutorial_enrolments (project_id, tutorial_id, tutorial_stream_id)", at(i+1), at(t),
				orNull(u.tutorials[t-1], at))
		}
		for _, d := range slices.Sorted(maps.Keys(p.tasks)) {
			insert.row("tasks (id, project_id, task_definition_id, unit_id, status, created_at, updated_at)",
				at(100*(i+1)+d), at(i+1), at(d), k+1, p.tasks[d], now, now)
		}
	}
	for _, l := range u.links {
		var task any
		if l.own > 0 {
			task = at(100*l.own + l.definition)
		}
		insert.row("learning_outcome_links (task_definition_id, learning_outcome_id, task_id, rating, description)",
			at(l.definition), at(l.outcome), task, l.rating, "")
	}
}

type inserter struct {
	ctx context.Context
	q   db.Q
	err error
}

func (i *inserter) row(into string, values ...any) {
	if i.err == nil {
		i.err = db.Insert(i.ctx, i.q, into, "", [][]any{values})
	}
}

func orNull(id int, at func(int) int) any {
	if id == 0 {
		return nil
	}
	return at(id)
}

var errUndo = errors.New("undone")

// TestStatisticsAgreeWithTheSlowWay works each statistic out student by student.
func TestStatisticsAgreeWithTheSlowWay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		rapid.Check(t, func(rt *rapid.T) {
			u := randomUnit(rt)
			err := d.Tx(t.Context(), func(q db.Q) error {
				if err := u.save(t.Context(), q); err != nil {
					return err
				}
				u.check(rt, t.Context(), q)
				return errUndo
			})
			if !errors.Is(err, errUndo) {
				rt.Fatal(err)
			}
		})
	})
}

func (u *unit) check(t *rapid.T, ctx context.Context, q db.Q) {
	same(t, "completion")(u.completion())(CompletionOf(ctx, q, 1))
	same(t, "statuses")(u.statuses())(StatusesOf(ctx, q, 1))
	same(t, "targets")(u.targets())(TargetsOf(ctx, q, 1))
	same(t, "class_stats")(u.outcomeStats(0))(ClassStats(ctx, q, 1))
	details := map[int64]map[int64]progress.Five{}
	for i := range u.tutorials {
		details[int64(i+1)] = u.outcomeStats(i + 1)
	}
	same(t, "class_details")(details)(ClassDetails(ctx, q, 1))
	same(t, "drawn statuses")(u.drawnStatuses())(drawnStatuses(ctx, q, 1))
}

// same compares what is expected with what an engine gave.
func same(t *rapid.T, what string) func(want any) func(got any, err error) {
	return func(want any) func(any, error) {
		return func(got any, err error) {
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if d := cmp.Diff(fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got)); d != "" {
				t.Fatalf("%s (-slow +fast):\n%s", what, d)
			}
		}
	}
}

func (u *unit) enrolled() []drawnStudent {
	return slices.DeleteFunc(slices.Clone(u.students), func(p drawnStudent) bool { return !p.enrolled })
}

func (u *unit) completion() *Completion {
	five := func(take func(drawnStudent) bool) progress.Five {
		var values []int
		for _, p := range u.enrolled() {
			n := 0
			for _, s := range p.tasks {
				if s == status.Complete {
					n++
				}
			}
			if n > 0 && take(p) {
				values = append(values, n)
			}
		}
		return progress.FiveOf(values)
	}
	out := &Completion{Unit: five(func(drawnStudent) bool { return true }), Tutorial: map[int64]progress.Five{},
		Grade: map[grade.Grade]progress.Five{}}
	for i := range u.tutorials {
		out.Tutorial[int64(i+1)] = five(func(p drawnStudent) bool { return slices.Contains(p.tutorials, i+1) })
	}
	for g := range 4 {
		out.Grade[grade.Grade(g)] = five(func(p drawnStudent) bool { return p.target == g })
	}
	return out
}

// classes gives the tutorials of a student, 0 where there are none.
func (p drawnStudent) classes() []int {
	if len(p.tutorials) == 0 {
		return []int{0}
	}
	return p.tutorials
}

// standing is where a student is with a task: nowhere for one that the target
// does not ask for and that was not begun.
func (u *unit) standing(p drawnStudent, definition int) status.Status {
	s := p.tasks[definition]
	if s == "" || s == status.NotStarted {
		if p.target < u.definitions[definition-1] {
			return ""
		}
		return status.NotStarted
	}
	return s
}

func (u *unit) statuses() printed {
	var lines []string
	for d := range u.definitions {
		lines = append(lines, fmt.Sprintf("%d:", d+1))
		for class := range len(u.tutorials) + 1 {
			for _, s := range status.All {
				n := 0
				for _, p := range u.enrolled() {
					if slices.Contains(p.classes(), class) && u.standing(p, d+1) == s {
						n++
					}
				}
				if n > 0 {
					stream := 0
					if class > 0 {
						stream = u.tutorials[class-1]
					}
					lines = append(lines, fmt.Sprintf("%d: %d in %d: %d %s", d+1, class, stream, n, s))
				}
			}
		}
	}
	return printed(strings.Join(lines, "\n"))
}

type printed string

// Format prints the statuses in the form the slow way has them.
func (s Statuses) Format(f fmt.State, _ rune) {
	var lines []string
	for _, d := range slices.Sorted(maps.Keys(s)) {
		lines = append(lines, fmt.Sprintf("%d:", d))
		for _, class := range slices.Sorted(maps.Keys(s[d])) {
			for _, c := range s[d][class] {
				lines = append(lines, fmt.Sprintf("%d: %d in %d: %d %s", d, class, zero(c.StreamID), c.Num, c.Status))
			}
		}
	}
	fmt.Fprint(f, strings.Join(lines, "\n"))
}

func zero(id *int64) int64 {
	if id == nil {
		return 0
	}
	return *id
}

// Format prints a count without pointers.
func (c TargetCount) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "%d in %d: %d aim for %d", zero(c.TutorialID), zero(c.StreamID), c.Num, c.Grade)
}

func (u *unit) targets() []TargetCount {
	out := []TargetCount{}
	for class := range len(u.tutorials) + 1 {
		for g := range 4 {
			c := TargetCount{Grade: grade.Grade(g)}
			for _, p := range u.enrolled() {
				if p.target == g && slices.Contains(p.classes(), class) {
					c.Num++
				}
			}
			if class > 0 {
				c.TutorialID = new(int64(class))
				c.StreamID = new(int64(u.tutorials[class-1]))
			}
			if c.Num > 0 {
				out = append(out, c)
			}
		}
	}
	return out
}

// outcomeStats sums up the students of a class; 0: of the unit.
func (u *unit) outcomeStats(class int) map[int64]progress.Five {
	out := map[int64]progress.Five{}
	for o := range u.outcomes {
		values := []float64{}
		for _, p := range u.enrolled() {
			if len(p.tasks) > 0 && (class == 0 || slices.Contains(p.tutorials, class)) {
				values = append(values, u.earned(p, o+1))
			}
		}
		out[int64(o+1)] = progress.FiveOf(values)
	}
	return out
}

func (u *unit) earned(p drawnStudent, outcome int) (sum float64) {
	for _, l := range u.links {
		if s := p.tasks[l.definition]; s != "" && l.outcome == outcome && l.own == 0 {
			sum += float64(l.rating) * s.Weight() * grade.Grade(u.definitions[l.definition-1]).Weight()
		}
	}
	return math.Round(10*sum) / 10
}

// drawnStatuses are the counts of the picture: each student once, and only
// where the target asks for the task.
func (u *unit) drawnStatuses() []chart.TaskCounts {
	var out []chart.TaskCounts
	for g := range 4 {
		for i, grade := range u.definitions {
			if grade != g {
				continue
			}
			counts := map[status.Status]int{status.NotStarted: 0}
			for _, p := range u.enrolled() {
				if p.target >= grade {
					counts[u.standing(p, i+1)]++
				}
			}
			out = append(out, chart.TaskCounts{Abbreviation: fmt.Sprint(i), Name: fmt.Sprint(i), Counts: counts})
		}
	}
	return out
}
