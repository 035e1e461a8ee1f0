package work

import (
	"context"
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
)

// ExtensionGrant is an extension that the staff give students for one task without a request,
// such as special consideration. Why is for the convenors and whoever gives it: it stands in no
// comment, no email and no event.
type ExtensionGrant struct {
	UnitID, DefinitionID int64
	Projects             []int64 // of the students
	Weeks                int
	Reason               string
	// Once is for the form of a page, which is sent twice by a second click: the same grant again
	// within a minute is taken for the first.
	Once bool
}

// GivenExtension is a student of a grant and what becomes of their task.
type GivenExtension struct {
	ProjectID    int64            `json:"project_id"`
	Outcome      ExtensionOutcome `json:"outcome" doc:"granted or refused"`
	Message      string           `json:"message"`
	ID           int64            `json:"id,omitempty" doc:"of the comment that tells the student"`
	DefinitionID int64            `json:"task_definition_id,omitempty"`
	Username     string           `json:"username,omitempty"`
	FirstName    string           `json:"first_name,omitempty"`
	LastName     string           `json:"last_name,omitempty"`
	Abbreviation string           `json:"abbreviation,omitempty"`
	Weeks        int              `json:"weeks,omitempty" doc:"as many of those named as fit before the deadline"`
	DueDate      *clock.Date      `json:"due_date,omitempty"` // of the task, afterwards
	Before       due.Dates        `json:"-"`
	Dates        due.Dates        `json:"-"` // afterwards
}

// grantee is a student of a grant as they stand.
type grantee struct {
	ProjectID    int64  `db:"project_id"`
	Enrolled     bool   `db:"enrolled"`
	Own          bool   `db:"own"`
	Given        int64  `db:"given"` // the comment of the same grant a moment ago; 0: there is none
	Username     string `db:"username"`
	FirstName    string `db:"first_name"`
	LastName     string `db:"last_name"`
	Abbreviation string `db:"abbreviation"`
}

// PlanGrant tells what GrantExtensions would make of each student's task, and changes nothing. It
// refuses what that refuses.
func PlanGrant(ctx context.Context, q db.Q, callerID int64, g ExtensionGrant) ([]GivenExtension, error) {
	if err := g.check(ctx, q); err != nil {
		return nil, err
	}
	tasks, err := g.tasks(ctx, q)
	if err != nil {
		return nil, err
	}
	out, _, err := g.decide(ctx, q, callerID, tasks)
	return out, err
}

// GrantExtensions gives students an extension that they did not request, all of them as one, and tells
// in their order what became of each: as many of the weeks as fit before the deadline. The students are told
// of the new date, and not of the reason. Work the caller has a part in, students who are not
// enrolled in the unit and tasks for which no week is left stay as they are. It fails with
// fault.Invalid without a reason and for a number of weeks nobody can mean, and with fault.Refused
// for no student or too many, and for a task of another unit. It is for holders of
// policy.GrantExtensions in the unit.
func GrantExtensions(ctx context.Context, q db.Q, callerID int64, g ExtensionGrant) ([]GivenExtension, error) {
	if err := g.check(ctx, q); err != nil {
		return nil, err
	}
	tasks, err := g.tasks(ctx, q)
	if err != nil {
		return nil, err
	}
	_, planned, err := g.decide(ctx, q, callerID, tasks)
	if err != nil {
		return nil, err
	}
	if err := g.hold(ctx, q, tasks, planned); err != nil {
		return nil, err
	}
	// Again, now that no other decision can come in between.
	out, list, err := g.decide(ctx, q, callerID, tasks)
	if err != nil || len(list) == 0 {
		return out, err
	}
	return out, g.write(ctx, q, callerID, out, list)
}

// check trims the reason and tells what is wrong with the grant, whoever it is for.
func (g *ExtensionGrant) check(ctx context.Context, q db.Q) (err error) {
	if g.Reason, err = trimReason(g.Reason); err != nil {
		return err
	}
	if err := due.CheckWeeks("weeks", g.Weeks); err != nil {
		return err
	}
	if n := len(g.Projects); n == 0 || n > MostDecisions {
		return fault.Field(fault.Refused, "projects", "must name 1 to %d students", MostDecisions)
	}
	known, err := db.One[bool](ctx, q, `SELECT EXISTS (SELECT 1 FROM task_definitions WHERE id = $1 AND unit_id = $2)`,
		g.DefinitionID, g.UnitID)
	if err == nil && !*known {
		err = fault.Field(fault.Refused, "task_definition_id", "is no task of this unit")
	}
	return err
}

// trimReason trims why an extension is given, which has to be said.
func trimReason(text string) (string, error) {
	text, err := TrimComment(text)
	if err != nil {
		return "", fault.Field(fault.Invalid, "reason", "has too many characters: the limit is %d", MaxComment)
	}
	if text == "" {
		return "", fault.Field(fault.Invalid, "reason", "is required: say why the extension is given")
	}
	return text, nil
}

// tasks reads the tasks of the grant by their projects, whether they have rows or not, and holds
// none of them.
func (g ExtensionGrant) tasks(ctx context.Context, q db.Q) (map[int64]*HeldTask, error) {
	in, args := db.In([]any{g.UnitID, g.DefinitionID}, g.Projects)
	out := map[int64]*HeldTask{}
	for t, err := range db.Each[HeldTask](ctx, q, taskColumns+`LEFT JOIN`+taskJoins+
		`WHERE p.unit_id = $1 AND d.id = $2 AND p.id IN `+in, args...) {
		if err != nil {
			return nil, fmt.Errorf("read tasks: %w", err)
		}
		out[t.ProjectID] = &t
	}
	return out, nil
}

// hold makes the rows that planned tasks lack, holds all of them, and puts them as they are then in
// the place of what was read of them.
func (g ExtensionGrant) hold(ctx context.Context, q db.Q, tasks map[int64]*HeldTask, planned []checked) error {
	if len(planned) == 0 {
		return nil
	}
	projects := make([]int64, len(planned))
	for i, w := range planned {
		projects[i] = w.task.ProjectID
	}
	in, args := db.In([]any{g.DefinitionID, q.Now()}, projects)
	if _, err := db.Exec(ctx, q, `INSERT INTO tasks (project_id, task_definition_id, unit_id, created_at, updated_at)
		SELECT p.id, d.id, p.unit_id, $2, $2 FROM projects p JOIN task_definitions d ON d.unit_id = p.unit_id
		WHERE d.id = $1 AND p.id IN `+in+` ORDER BY p.id ON CONFLICT (project_id, task_definition_id) DO NOTHING`,
		args...); err != nil {
		return err
	}
	in, args = db.In([]any{g.DefinitionID}, projects)
	held, err := LockTasks(ctx, q, `t.task_definition_id = $1 AND t.project_id IN `+in, args...)
	for _, t := range held {
		tasks[t.ProjectID] = t
	}
	return err
}

// decide tells what becomes of each student's task. A checked one has its outcome's place in the
// list as its id.
func (g ExtensionGrant) decide(ctx context.Context, q db.Q, callerID int64,
	at map[int64]*HeldTask) ([]GivenExtension, []checked, error) {
	people, err := g.people(ctx, q, callerID)
	if err != nil {
		return nil, nil, err
	}
	var out []GivenExtension
	var list []checked
	seen := map[int64]bool{}
	for _, id := range g.Projects {
		if seen[id] {
			continue
		}
		seen[id] = true
		one := people[id].outcome(id, at[id])
		if one.Outcome == "" {
			w, err := decision{callerID, granting}.check(at[id], at[id].facts(), int64(len(out)), g.Weeks, true)
			if err != nil {
				return nil, nil, err
			}
			if one.take(w); w.granted {
				list = append(list, w)
			}
		}
		out = append(out, one)
	}
	return out, list, nil
}

// people reads the students of the grant that the unit has, by their projects.
func (g ExtensionGrant) people(ctx context.Context, q db.Q, callerID int64) (map[int64]*grantee, error) {
	since := clock.At(q.Now().Add(-time.Minute))
	if !g.Once {
		since = clock.At(q.Now().Add(time.Hour)) // nothing is that new
	}
	in, args := db.In([]any{g.UnitID, g.DefinitionID, callerID, since, g.Reason, g.Weeks}, g.Projects)
	out := map[int64]*grantee{}
	for p, err := range db.Each[grantee](ctx, q, `SELECT p.id AS project_id, p.enrolled, `+OwnWork("$3")+` AS own,
			coalesce((SELECT max(c.id) FROM task_comments c JOIN extension_grants x ON x.task_comment_id = c.id
				WHERE c.task_id = t.id AND c.user_id = $3 AND c.created_at > $4 AND x.reason = $5
					AND x.weeks = $6), 0) AS given,
			o.username, o.first_name, o.last_name, d.abbreviation
		FROM projects p JOIN users o ON o.id = p.user_id JOIN task_definitions d ON d.unit_id = p.unit_id
		LEFT JOIN`+taskJoins+`WHERE p.unit_id = $1 AND d.id = $2 AND p.id IN `+in, args...) {
		if err != nil {
			return nil, fmt.Errorf("read the students of a grant: %w", err)
		}
		out[p.ProjectID] = &p
	}
	return out, nil
}

// outcome is the student as they are told of, with an outcome where there is nothing to give.
func (p *grantee) outcome(id int64, t *HeldTask) GivenExtension {
	out := GivenExtension{ProjectID: id}
	switch {
	case p == nil || t == nil:
		out.Outcome, out.Message = ExtensionRefused, "This unit has no such student. Go back and select again."
		return out
	case !p.Enrolled:
		out.Outcome, out.Message = ExtensionRefused, "This student is withdrawn from the unit."
	case p.Own:
		out.Outcome, out.Message = ExtensionRefused, "This is your own work or that of a group you are in. Ask "+
			"another member of staff."
	}
	out.Username, out.FirstName, out.LastName, out.Abbreviation = p.Username, p.FirstName, p.LastName, p.Abbreviation
	day := t.dueOn()
	out.DefinitionID, out.DueDate, out.Before, out.Dates = t.DefinitionID, &day, t.dates(), t.dates()
	if out.Outcome == "" && p.Given != 0 {
		out.ID, out.Outcome, out.Message = p.Given, ExtensionGranted, "Extension granted to "+day.Format("Mon 2 Jan")+"."
	}
	return out
}

// take tells what the grant comes to.
func (o *GivenExtension) take(w checked) {
	o.Message = w.response + "."
	if !w.granted {
		o.Outcome = ExtensionRefused
		return
	}
	o.Outcome, o.Weeks = ExtensionGranted, w.plan.After.Extensions-w.task.Extensions
	o.Dates.Extensions = w.plan.After.Extensions
	day := o.Dates.Due()
	o.DueDate = &day
}

// write makes the grant true: a comment for each student, which says no word of why, and what a
// granted request changes. The number of statements does not depend on how many there are.
func (g ExtensionGrant) write(ctx context.Context, q db.Q, by int64, out []GivenExtension, list []checked) error {
	ids, err := g.addComments(ctx, q, by, list, out)
	if err != nil {
		return err
	}
	for i := range list {
		place := &out[list[i].id]
		list[i].id = ids[list[i].task.ID]
		place.ID = list[i].id
	}
	d := decision{by, granting}
	if err := d.write(ctx, q, list); err != nil {
		return err
	}
	return d.announce(ctx, q, list)
}

// addComments writes the comments of a grant and why it is given, and tells their numbers by task.
// Their author has read them, and they are new to the students alone.
func (g ExtensionGrant) addComments(ctx context.Context, q db.Q, by int64, list []checked,
	out []GivenExtension) (map[int64]int64, error) {
	rows, tasks := make([][]any, len(list)), make([]int64, len(list))
	for i, w := range list {
		rows[i], tasks[i] = []any{w.task.ID, w.task.OwnerID, out[w.id].Weeks}, w.task.ID
	}
	from, args, err := db.Rows(q, []any{g.UnitID, by, q.Now()},
		[]string{"task_id BIGINT", "owner_id BIGINT", "weeks INTEGER"}, rows)
	if err != nil {
		return nil, err
	}
	type row struct {
		ID     int64 `db:"id"`
		TaskID int64 `db:"task_id"`
	}
	added, err := db.All[row](ctx, q, `INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment,
			created_at, staff_read_at, extension_weeks)
		SELECT v.task_id, CAST($1 AS BIGINT), CAST($2 AS BIGINT), v.owner_id, '`+typeExtension+`', '', $3, $3, v.weeks
		FROM `+from+` v ORDER BY v.task_id RETURNING id, task_id`, args...)
	if err != nil {
		return nil, fmt.Errorf("write the comments of a grant: %w", err)
	}
	ids, numbers := map[int64]int64{}, make([]int64, len(added))
	for i, r := range added {
		ids[r.TaskID], numbers[i] = r.ID, r.ID
	}
	return ids, g.addReasons(ctx, q, by, numbers, tasks)
}

// addReasons writes what stands beside the comments: why, that their author has read them, and that
// they are new to the students.
func (g ExtensionGrant) addReasons(ctx context.Context, q db.Q, by int64, ids, tasks []int64) error {
	in, args := db.In([]any{g.Reason, g.Weeks}, ids)
	if _, err := db.Exec(ctx, q, `INSERT INTO extension_grants (task_comment_id, reason, weeks)
		SELECT id, CAST($1 AS TEXT), CAST($2 AS INTEGER) FROM task_comments WHERE id IN `+in, args...); err != nil {
		return err
	}
	in, args = db.In([]any{by, q.Now()}, ids)
	if _, err := db.Exec(ctx, q, `INSERT INTO comment_reads (task_comment_id, user_id, read_at)
		SELECT id, CAST($1 AS BIGINT), $2 FROM task_comments WHERE id IN `+in, args...); err != nil {
		return err
	}
	in, args = db.In(nil, tasks)
	_, err := db.Exec(ctx, q, `UPDATE tasks SET new_to_student = new_to_student + 1 WHERE id IN `+in, args...)
	return err
}

// ChosenStudent is a student by name.
type ChosenStudent struct {
	ProjectID int64  `db:"project_id"`
	Username  string `db:"username"`
	FirstName string `db:"first_name"`
	LastName  string `db:"last_name"`
}

// ChosenStudents names the enrolled students of a unit that were chosen by their projects, in the
// order of their names; what is none of them is left out.
func ChosenStudents(ctx context.Context, q db.Q, unitID int64, projects []int64) ([]ChosenStudent, error) {
	if len(projects) == 0 {
		return nil, nil
	}
	in, args := db.In([]any{unitID}, projects)
	return db.All[ChosenStudent](ctx, q, `SELECT p.id AS project_id, o.username, o.first_name, o.last_name
		FROM projects p JOIN users o ON o.id = p.user_id
		WHERE p.unit_id = $1 AND p.enrolled AND p.id IN `+in+` ORDER BY o.name_key, p.id`, args...)
}
