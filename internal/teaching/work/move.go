package work

import (
	"context"
	"maps"
	"reflect"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/stats"
	"lectern/internal/teaching/status"
)

// Mover is who changes a task, and what they are to it.
type Mover struct {
	UserID int64
	As     status.Actor
	// Teaches says that they teach the unit, too, where As is a student.
	Teaches bool
}

// Change is what someone asks of a task; nil leaves a thing alone.
type Change struct {
	Trigger     *string // a status, in any of its words
	Grade       *grade.Grade
	Quality     *int
	InPortfolio *bool
	Levels      bool // levels of a rubric come with it, which the caller keeps
}

// MovedTask is a task after a change, with what the change made of the
// statistics of its student and, in a group, of the others.
type MovedTask struct {
	ID            *int64         `json:"id"` // null while nothing was ever written of the task
	ProjectID     int64          `json:"project_id"`
	DefinitionID  int64          `json:"task_definition_id"`
	Status        status.Status  `json:"status"`
	DueDate       clock.Date     `json:"due_date"`
	SubmittedAt   *clock.Time    `json:"submission_date"`
	CompletedOn   *clock.Date    `json:"completion_date"`
	Extensions    int            `json:"extensions"`
	TimesAssessed int            `json:"times_assessed"`
	Grade         *grade.Grade   `json:"grade"`
	Quality       int            `json:"quality_pts"`
	InPortfolio   bool           `json:"include_in_portfolio"`
	NewStats      string         `json:"new_stats"` // a JSON object as text
	OtherProjects []ProjectStats `json:"other_projects,omitempty"`
}

// ProjectStats are the statistics of one project, as text.
type ProjectStats struct {
	ID       int64  `json:"id"`
	NewStats string `json:"new_stats"`
}

// TaskChange is a task and what is to become of it.
type TaskChange struct {
	*HeldTask
	Plan status.Plan
	// undoes is set where the change takes back what stands in the history after this
	// row, 0 for all of it.
	Undoes *int64
	// Levels says that the task is given levels of a rubric, or gets those back that it had: it
	// changes, even if nothing else of it does.
	Levels bool
}

// Move changes the task of a project for a definition, and in a group those of the others as
// far as the change reaches them: states, history, comments, events and statistics. It fails as
// status.Decide does, and then nothing may be kept of the transaction. What the staff have a
// part in they cannot mark: that is fault.Denied. It is for holders of policy.ChangeTask, and
// of policy.GradeTask for marks.
func Move(ctx context.Context, q db.Q, by Mover, projectID, definitionID int64, w Change) (*MovedTask, error) {
	return MoveWith(ctx, q, by, projectID, definitionID, w, nil)
}

// MoveWith is Move, and has the tasks that get the levels of a change written with it: levels is given them, which are
// all that the change reaches but none of the mover's own.
func MoveWith(ctx context.Context, q db.Q, by Mover, projectID, definitionID int64, w Change,
	levels func(tasks []int64) error) (*MovedTask, error) {
	if w.Trigger != nil && strings.TrimSpace(*w.Trigger) == "" {
		w.Trigger = nil
	}
	if w == (Change{}) {
		t, err := taskAt(ctx, q, projectID, definitionID)
		if err != nil {
			return nil, err
		}
		return ShowMoved(ctx, q, t, nil)
	}
	own, around, err := LockTask(ctx, q, projectID, definitionID, w.Marks())
	if err != nil {
		return nil, err
	}
	d, err := w.Decide(ctx, q, by, own)
	if err != nil {
		return nil, err
	}
	changes, err := d.Reach(ctx, q, around)
	if err != nil {
		return nil, err
	}
	if err := w.portfolio(ctx, q, own); err != nil {
		return nil, err
	}
	reached := w.level(by, changes)
	if err := Record(ctx, q, by, changes); err != nil {
		return nil, err
	}
	if len(reached) > 0 {
		if err := levels(reached); err != nil {
			return nil, err
		}
	}
	return ShowMoved(ctx, q, own, changes[1:])
}

// level notes which tasks are given the levels that come with the change.
func (w Change) level(by Mover, changes []TaskChange) (reached []int64) {
	for i := range changes {
		if changes[i].Levels = w.Levels && changes[i].OwnerID != by.UserID; changes[i].Levels {
			reached = append(reached, changes[i].ID)
		}
	}
	return reached
}

// Decision is a change that may be made of a held task, and by whom.
type Decision struct {
	Own    *HeldTask
	By     Mover
	Asked  Change
	Before status.Task
	move   status.Move
	Plan   status.Plan
}

// Decide tells what the change makes of a held task, or why it must not be. It
// writes nothing.
func (w Change) Decide(ctx context.Context, q db.Q, by Mover, own *HeldTask) (d *Decision, err error) {
	if by.As == status.Staff && w.Marks() {
		if err := RefuseOwnWork(ctx, q, by.UserID, own); err != nil {
			return nil, err
		}
	}
	d = &Decision{Own: own, By: by, Asked: w, move: w.move(by, q.Now())}
	d.Before = own.facts()
	d.Plan, err = status.Decide(d.Before, d.move)
	return d, err
}

// Reach gives what is to be changed: the task itself and, where it is worked on in a
// group, those of the others.
func (d *Decision) Reach(ctx context.Context, q db.Q, around []*HeldTask) ([]TaskChange, error) {
	changes := []TaskChange{{HeldTask: d.Own, Plan: d.Plan}}
	if d.Own.GroupID == nil || !d.Asked.Marks() {
		return changes, nil
	}
	members, err := shareWork(ctx, q, d.Own, around)
	if err != nil {
		return nil, err
	}
	return spread(changes, d.Before, d.move, d.By, members), nil
}

// Marks tells whether the change says anything of the work itself.
func (w Change) Marks() bool {
	return w.Trigger != nil || w.Grade != nil || w.Quality != nil || w.Levels
}

// move reads the wish as the status machine takes it.
func (w Change) move(by Mover, at clock.Time) status.Move {
	m := status.Move{By: by.As, Teaches: by.Teaches, Grade: w.Grade, Quality: w.Quality, At: at}
	if w.Trigger != nil {
		m.Word = *w.Trigger
	}
	return m
}

// portfolio lets a task into the portfolio or takes it out.
func (w Change) portfolio(ctx context.Context, q db.Q, t *HeldTask) error {
	if w.InPortfolio == nil || *w.InPortfolio == t.InPortfolio {
		return nil
	}
	t.InPortfolio = *w.InPortfolio
	_, err := db.Exec(ctx, q, `UPDATE tasks SET include_in_portfolio = $2, version = version + 1, updated_at = $3
		WHERE id = $1`,
		t.ID, t.InPortfolio, q.Now())
	if err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Portfolio, Action: audit.Changed, UserID: t.OwnerID,
		UnitID: t.UnitID, ProjectID: t.ProjectID, TaskID: t.ID, Fields: []string{"include_in_portfolio"}})
}

// spread adds what a move comes to on the tasks of the group's other members.
// A student reaches only those who are in the group now; what the staff say
// also reaches who has left but handed in with it.
func spread(changes []TaskChange, from status.Task, m status.Move, by Mover, members []*HeldTask) []TaskChange {
	for _, t := range members {
		if by.As != status.Staff && !t.sharesGroup(changes[0].HeldTask) {
			continue
		}
		c, _ := t.follow(from, m, by)
		changes = append(changes, c)
	}
	return changes
}

// follow is what the move of another group member comes to on t, and whether it reaches t at all.
func (t *HeldTask) follow(from status.Task, m status.Move, by Mover) (c TaskChange, reached bool) {
	facts := t.facts()
	plan, reached := status.Propagate(from, m, facts, t.OwnerID == by.UserID)
	if !reached {
		plan = status.Plan{After: facts.State}
	}
	return TaskChange{HeldTask: t, Plan: plan}, reached
}

// Idle tells whether the plan leaves everything as it is.
func (c TaskChange) Idle() bool {
	return len(c.Plan.Entries) == 0 && !c.Levels && reflect.DeepEqual(c.Plan.After, c.State())
}

// ShowMoved shows a task after its change, with the statistics of its project and
// of those of the others in its group.
func ShowMoved(ctx context.Context, q db.Q, t *HeldTask, others []TaskChange) (*MovedTask, error) {
	now, err := statsOf(ctx, q, t, others)
	if err != nil {
		return nil, err
	}
	out := &MovedTask{ProjectID: t.ProjectID, DefinitionID: t.DefinitionID, Status: t.Status, DueDate: t.dueOn(),
		SubmittedAt: t.SubmittedAt, CompletedOn: t.CompletedOn, Extensions: t.Extensions,
		TimesAssessed: t.TimesAssessed,
		Grade:         t.Grade, Quality: t.Quality, InPortfolio: t.InPortfolio, NewStats: now[t.ProjectID].String()}
	if t.ID != 0 {
		out.ID = &t.ID
	}
	for _, c := range others {
		out.OtherProjects = append(out.OtherProjects, ProjectStats{c.ProjectID, now[c.ProjectID].String()})
	}
	return out, nil
}

// statsOf gives the statistics of the projects of tasks, and reads those that no change
// worked out.
func statsOf(ctx context.Context, q db.Q, t *HeldTask, others []TaskChange) (map[int64]progress.Stats, error) {
	out, unknown := map[int64]progress.Stats{}, []int64{}
	for _, c := range append([]TaskChange{{HeldTask: t}}, others...) {
		if c.stats == nil {
			unknown = append(unknown, c.ProjectID)
			continue
		}
		out[c.ProjectID] = *c.stats
	}
	if len(unknown) == 0 {
		return out, nil
	}
	more, err := stats.Of(ctx, q, t.UnitID, unknown...)
	maps.Copy(out, more)
	return out, err
}

// EndWeek completes every task of a project that waits for a talk in class, but for those of a
// group the mover is in, which somebody else has to mark. It is for holders of policy.EndWeek
// on the project.
func EndWeek(ctx context.Context, q db.Q, by Mover, projectID int64) error {
	in, args := db.In([]any{projectID, by.UserID}, []status.Status{status.Discuss, status.Demonstrate})
	tasks, err := LockTasks(ctx, q, `t.project_id = $1 AND NOT `+OwnWork("$2")+` AND t.status IN `+in, args...)
	if err != nil {
		return err
	}
	changes, err := byRule(tasks, status.WeekEnd, q.Now())
	if err != nil {
		return err
	}
	return Record(ctx, q, by, changes)
}

// byRule gives the changes of those tasks that a rule changes at a moment.
func byRule(tasks []*HeldTask, rule func(status.Task, clock.Time) (status.Plan, bool), at clock.Time) ([]TaskChange,
	error) {
	var changes []TaskChange
	for _, t := range tasks {
		facts := t.facts()
		if plan, ok := rule(facts, at); ok {
			changes = append(changes, TaskChange{HeldTask: t, Plan: plan})
		}
	}
	return changes, nil
}
