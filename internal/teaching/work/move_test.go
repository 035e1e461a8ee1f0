package work

import (
	"context"
	"errors"
	"strings"
	"testing"

	"lectern/internal/teaching/work/worktest"

	"pgregory.net/rapid"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/stats"
	"lectern/internal/teaching/status"
)

// A team is five students: 1 to 4 share a group at first, 4 teaches the unit as
// well, 5 has no group. 6 and 7 only teach. One definition is the group's.
type team struct {
	*rapid.T
	db.Q
	ctx context.Context
}

const (
	teacher      = 4
	teamStudents = 5
	groupTask    = 1
)

func newTeam(t *testing.T) *crowd {
	c := newCrowd(t, dbtest.New(t, "sqlite", nil), teamStudents, 4)
	c.Set(`INSERT INTO unit_roles (id, unit_id, user_id, role, created_at, updated_at) VALUES (9, $1, $2, 2, $3, $3)`,
		worktest.Unit, teacher, c.Now())
	c.Set(`INSERT INTO group_sets (id, unit_id, name) VALUES (1, $1, 'Teams')`, worktest.Unit)
	c.Set(`INSERT INTO unit_groups (id, group_set_id, tutorial_id, name) VALUES (1, 1, 1, 'Red'), (2, 1, 1, 'Blue')`)
	c.Set(`INSERT INTO group_memberships (group_set_id, unit_group_id, project_id) SELECT 1, 1, id FROM projects
		WHERE id <= 4`)
	c.Set(`UPDATE task_definitions SET group_set_id = 1 WHERE id = $1`, groupTask)
	return c
}

var errUndo = errors.New("undo")

func TestRandomGroupHistories(t *testing.T) { groupHistories(t, 2) }

func TestAThousandGroupHistories(t *testing.T) {
	dbtest.Long(t)
	groupHistories(t, 10)
}

// groupHistories draws a hundred times n of them, each undone at its end.
func groupHistories(t *testing.T, n int) {
	c := newTeam(t)
	rapid.Check(t, func(rt *rapid.T) {
		for range n {
			err := c.Tx(t.Context(), func(q db.Q) error {
				w := &team{rt, q, t.Context()}
				w.history()
				return errUndo
			})
			if !errors.Is(err, errUndo) {
				rt.Fatal(err)
			}
		}
	})
}

// history draws a definition and a history of it, and checks the team at its end.
func (w *team) history() {
	today := clock.Day(w.Now().Time)
	w.run(`UPDATE task_definitions SET is_graded = $2, max_quality_pts = $3, restrict_status_updates = $4, target_date
		= $5 WHERE id = $1`, groupTask,
		rapid.Bool().Draw(w.T, "graded"), rapid.SampledFrom([]int{0, 5}).Draw(w.T, "quality"),
		rapid.Bool().Draw(w.T, "restricted"),
		today.AddDays(rapid.SampledFrom([]int{-20, -8, 3, 14}).Draw(w.T, "target")))
	for range rapid.IntRange(2, 6).Draw(w.T, "steps") {
		switch rapid.IntRange(0, 9).Draw(w.T, "kind") {
		case 0:
			w.run(`UPDATE tasks SET extensions = extensions + 1 WHERE project_id = $1 AND extensions < 3`,
				w.someone("extended"))
		case 1:
			who, group := w.someone("wanderer"), rapid.IntRange(1, 2).Draw(w.T, "group")
			w.run(`INSERT INTO group_memberships (group_set_id, unit_group_id, project_id) VALUES (1, $1, $2)
				ON CONFLICT (group_set_id, project_id) DO UPDATE SET unit_group_id = excluded.unit_group_id, active =
				NOT group_memberships.active`, group, who)
		case 2:
			who := w.someone("leaver")
			w.run(`UPDATE projects SET enrolled = NOT enrolled WHERE id = $1`, who)
		default:
			w.move()
		}
	}
	w.check()
}

func (w *team) someone(what string) int64 { return rapid.Int64Range(1, teamStudents).Draw(w.T, what) }

func (w *team) run(text string, args ...any) {
	if _, err := db.Exec(w.ctx, w.Q, text, args...); err != nil {
		w.Fatalf("%v in %s", err, text)
	}
}

// move tries a move. What is refused must leave nothing once it is undone; what
// is done must reach whom it should, and nobody else.
func (w *team) move() {
	project := w.someone("project")
	by := Mover{UserID: project, As: status.Student}
	if rapid.Bool().Draw(w.T, "by staff") {
		by = Mover{UserID: rapid.SampledFrom([]int64{teacher, 6, 7}).Draw(w.T, "staff"), As: status.Staff}
		by.As = status.ActorOn(by.UserID == project, true, false)
	}
	word := string(rapid.SampledFrom(status.All).Draw(w.T, "word"))
	change := Change{Trigger: &word}
	if rapid.Bool().Draw(w.T, "marked") {
		change.Grade, change.Quality = new(grade.Grade(rapid.IntRange(-1, 3).Draw(w.T, "grade"))),
			new(rapid.IntRange(-1, 5).Draw(w.T, "points"))
	}
	before := w.tasks()
	w.run(`SAVEPOINT change`)
	_, err := Move(w.ctx, w.Q, by, project, groupTask, change)
	if err != nil {
		if fault.KindOf(err) == fault.Internal {
			w.Fatal(err)
		}
		w.run(`ROLLBACK TO change`)
	}
	w.run(`RELEASE change`)
	if err == nil {
		w.reached(by, project, status.Status(word), before, w.tasks())
	}
}

// tasks gives the group task of every student who has one, by project.
func (w *team) tasks() map[int64]*HeldTask {
	list, err := LockTasks(w.ctx, w.Q, `t.task_definition_id = $1`, groupTask)
	if err != nil {
		w.Fatal(err)
	}
	out := map[int64]*HeldTask{}
	for _, t := range list {
		out[t.ProjectID] = t
	}
	return out
}

var final = status.Set{status.Complete, status.FeedbackExceeded, status.Fail}

// reached checks whom a move that was done has reached.
func (w *team) reached(by Mover, project int64, to status.Status, before, after map[int64]*HeldTask) {
	own := after[project]
	if own.Status != to && !(to == status.ReadyForFeedback && own.Status == status.TimeExceeded) {
		w.Fatalf("moved to %s, but is %s", to, own.Status)
	}
	alone := to == status.NeedHelp || to == status.WorkingOnIt
	for id, t := range after {
		old := status.Fresh
		if b := before[id]; b != nil {
			old = b.State()
		}
		shares := t.SubmissionID != nil && own.SubmissionID != nil && *t.SubmissionID == *own.SubmissionID
		switch moved := t.Status != old.Status; {
		case id == project:
		case moved && (!shares || alone || t.OwnerID == by.UserID || by.As == status.Student && !t.sharesGroup(own)):
			w.Fatalf("the move of %d by %+v to %s reached %d", project, by, to, id)
		case by.As == status.Staff && shares && !alone && !final.Has(old.Status) && t.OwnerID != by.UserID &&
			t.Status != to && to != status.ReadyForFeedback:
			w.Fatalf("the move of %d by %+v to %s left %d at %s", project, by, to, id, t.Status)
		case by.As == status.Student && !t.sharesGroup(own) && (!opt.Same(t.Grade, old.Grade) ||
			t.Extensions != old.Extensions):
			w.Fatalf("a student changed the task of %d, who is in no group of theirs", id)
		}
		if t.Extensions < old.Extensions {
			w.Fatalf("%d lost an extension", id)
		}
	}
}

// check asks for what must hold at any time.
func (w *team) check() {
	for what, text := range map[string]string{
		"breaks in the histories": `task_history h WHERE h.from_status <> coalesce((SELECT p.to_status
			FROM task_history p
			WHERE p.task_id = h.task_id AND p.id < h.id ORDER BY p.id DESC LIMIT 1), 'not_started')`,
		"tasks that are not where their history ends": `tasks t WHERE t.status <> coalesce((SELECT h.to_status
			FROM task_history h
			WHERE h.task_id = t.id ORDER BY h.id DESC LIMIT 1), 'not_started')`,
		"marks of one's own work": `task_history h JOIN tasks t ON t.id = h.task_id
			JOIN projects p ON p.id = t.project_id
			WHERE h.actor_id = p.user_id AND (h.assessed OR h.to_status NOT IN ('not_started', 'need_help',
			'working_on_it', 'ready_for_feedback'))`,
		"empty group submissions": `group_submissions g WHERE NOT EXISTS (SELECT 1 FROM tasks t
			WHERE t.group_submission_id = g.id)`,
		"comments on a status the task never had": `task_comments c WHERE NOT EXISTS (SELECT 1 FROM task_history h
			WHERE h.task_id = c.task_id AND h.to_status = c.status)`,
		"status comments somebody has not read": `task_comments c WHERE (SELECT count(*) FROM comment_reads r
			WHERE r.task_comment_id = c.id
			AND r.user_id IN (c.user_id, c.recipient_id)) <> 2`,
		"marks where there are none to give": `tasks t JOIN task_definitions d ON d.id = t.task_definition_id
			WHERE t.grade IS NOT NULL AND NOT d.is_graded OR t.quality_pts > d.max_quality_pts
			OR t.failed_for_lateness AND t.grade <> -1`,
	} {
		n, err := db.One[int64](w.ctx, w.Q, `SELECT count(*) FROM `+text)
		if err != nil {
			w.Fatal(err)
		}
		if *n != 0 {
			w.Fatalf("%d %s", *n, what)
		}
	}
	for _, t := range w.tasks() {
		dates := t.dates()
		if !status.All.Has(t.Status) || dates.Due().After(dates.Deadline) {
			w.Fatalf("task %+v", t)
		}
	}
	w.checkStats()
}

// checkStats works the statistics out the slow way.
func (w *team) checkStats() {
	now, err := stats.Of(w.ctx, w.Q, worktest.Unit)
	if err != nil {
		w.Fatal(err)
	}
	for project, got := range now {
		states, err := db.All[status.Status](w.ctx, w.Q, `SELECT coalesce(t.status, 'not_started') FROM projects p
			JOIN task_definitions d ON d.target_grade <= p.target_grade
			LEFT JOIN tasks t ON t.project_id = p.id AND t.task_definition_id = d.id WHERE p.id = $1`, project)
		if err != nil {
			w.Fatal(err)
		}
		counts := map[status.Status]int{}
		for _, s := range states {
			counts[s]++
		}
		if want := progress.Of(counts, len(states)); got != want {
			w.Fatalf("project %d has the statistics %v, want %v", project, got, want)
		}
	}
}

func TestCheckStatsFindsWhatWasForgotten(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newCrowd(t, d, 30, 8)
		c.fillInbox()
		c.Set(`UPDATE projects SET enrolled = FALSE WHERE id = 3`)
		if err := stats.Check(t.Context(), d); !errors.Is(err, stats.ErrWrong) {
			t.Error("nothing was found, though nobody had worked them out")
		}
		if err := stats.Check(t.Context(), d); err != nil {
			t.Errorf("found again: %v", err)
		}
		c.Set(`UPDATE projects SET blue_pct = 0.77 WHERE id = 7`)
		if err := stats.Check(t.Context(), d); !errors.Is(err, stats.ErrWrong) || !strings.Contains(err.Error(),
			"projects [7]") {
			t.Errorf("found %v", err)
		}
		if n := c.Number(`SELECT count(*) FROM projects WHERE id = 7 AND blue_pct <> 0.77`); n != 1 {
			t.Error("it was not put right")
		}
	})
}

func TestAMoveTakesAConstantNumberOfStatements(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newCrowd(t, d, 300, 4)
		c.Set(`INSERT INTO group_sets (id, unit_id, name) VALUES (1, $1, 'Teams')`, worktest.Unit)
		c.Set(`INSERT INTO unit_groups (id, group_set_id, tutorial_id, name)
			VALUES (1, 1, 1, 'Two'), (2, 1, 1, 'Many')`)
		c.Set(`INSERT INTO group_memberships (group_set_id, unit_group_id, project_id) SELECT 1,
			CASE WHEN id <= 2 THEN 1 ELSE 2 END, id FROM projects`)
		c.Set(`UPDATE task_definitions SET group_set_id = 1 WHERE id = $1`, groupTask)
		word := string(status.Discuss)
		count := func(project int64) int {
			texts := c.Statements(func(ctx context.Context, q db.Q) error {
				_, err := Move(ctx, q, Mover{UserID: c.Students + 1, As: status.Staff}, project, groupTask, Change{Trigger: &word})
				return err
			})
			return len(texts)
		}
		two, many := count(1), count(3)
		t.Logf("%d statements", two)
		// Bulk inserts of several hundred rows may be cut in two on SQLite.
		if many > two+12 {
			t.Errorf("%d statements in a group of two, %d in one of 298", two, many)
		}
		if n := c.Number(`SELECT count(*) FROM tasks WHERE status = 'discuss'`); n != 300 {
			t.Errorf("%d tasks were moved", n)
		}
	})
}

func TestAMoveCutShortLeavesNothing(t *testing.T) {
	c := newTeam(t)
	word := string(status.ReadyForFeedback)
	tables := `SELECT (SELECT count(*) FROM tasks) + (SELECT count(*) FROM task_history) + (SELECT count(*)
		FROM task_comments)
		+ (SELECT count(*) FROM comment_reads) + (SELECT count(*) FROM events) + (SELECT count(*)
		FROM group_submissions)
		+ (SELECT count(*) FROM projects WHERE blue_pct > 0)`
	for n := int64(1); ; n++ {
		ctx, counter := db.Failing(t.Context(), n)
		err := c.Tx(ctx, func(q db.Q) error {
			_, err := Move(ctx, q, Mover{UserID: 1, As: status.Student}, 1, groupTask, Change{Trigger: &word})
			return err
		})
		if err == nil {
			if counter.N() >= n || c.Number(tables) == 0 {
				t.Errorf("%d statements, %d rows", counter.N(), c.Number(tables))
			}
			return
		}
		if left := c.Number(tables); left != 0 {
			t.Fatalf("%d rows are left of a move cut short at statement %d", left, n)
		}
	}
}

func TestEndWeek(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newCrowd(t, d, 2, 6)
		c.Set(`INSERT INTO tasks (project_id, task_definition_id, unit_id, status, created_at, updated_at)
			SELECT p.id, d.id, p.unit_id, CASE d.id % 3 WHEN 0 THEN 'discuss' WHEN 1 THEN 'demonstrate'
			ELSE 'redo' END, p.created_at, p.created_at
			FROM projects p JOIN task_definitions d ON d.unit_id = p.unit_id`)
		texts := c.Statements(func(ctx context.Context, q db.Q) error {
			return EndWeek(ctx, q, Mover{UserID: 3, As: status.Staff},
				1)
		})
		if n := c.Number(`SELECT count(*) FROM tasks WHERE status = 'complete' AND project_id = 1`); n != 4 {
			t.Errorf("%d tasks are complete, want 4", n)
		}
		if n := c.Number(`SELECT count(*) FROM tasks WHERE status = 'complete' AND project_id <> 1`); n != 0 {
			t.Errorf("%d tasks of someone else are complete", n)
		}
		if n := c.Number(`SELECT count(*) FROM task_comments WHERE status = 'complete' AND user_id = 3
			AND recipient_id = 1`); n != 4 {
			t.Errorf("%d comments, want 4", n)
		}
		if len(texts) > 11 {
			t.Errorf("%d statements", len(texts))
		}
	})
}
