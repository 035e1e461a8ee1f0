package notify

import (
	"context"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/platform/mail"
	"lectern/internal/teaching/handover"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
)

// week is a unit and what happened in it in the past seven days.
type week struct {
	now   time.Time
	today clock.Date
	zone  *time.Location

	unit        unit
	projects    []project
	definitions []definition
	staff       []employed

	tasks     map[[2]int64]taskState // by project and definition
	talk      map[int64]talked       // by project: what its student wrote and got
	moved     map[int64][]moved      // by project: tasks that changed status
	enrolled  map[int64]bool         // projects with a tutorial
	students  map[int64]map[int64]bool
	waiting   map[int64][]waiting // by tutor, oldest first
	queues    map[int64][]waiting // the same by who has the queue of the tutor now
	assessed  map[int64]int
	staffTalk map[int64]talked
}

type unit struct {
	ID       int64      `db:"id"`
	Code     string     `db:"code"`
	Name     string     `db:"name"`
	Start    clock.Date `db:"start_date"`
	End      clock.Date `db:"end_date"`
	TimeZone *string    `db:"time_zone"`
	ReplyTo  string     `db:"reply_to"`
}

type project struct {
	student
	LastName     string      `db:"last_name"`
	TargetGrade  grade.Grade `db:"target_grade"`
	HasPortfolio bool        `db:"has_portfolio"`
	Wants        bool        `db:"wants"`
}

type definition struct {
	ID           int64       `db:"id"`
	Abbreviation string      `db:"abbreviation"`
	Name         string      `db:"name"`
	TargetGrade  grade.Grade `db:"target_grade"`
	Target       clock.Date  `db:"target_date"`
	Deadline     *clock.Date `db:"due_date"`
}

func (d *definition) task() mail.Task { return mail.Task{Abbreviation: d.Abbreviation, Name: d.Name} }

type employed struct {
	UserID    int64   `db:"user_id"`
	FirstName string  `db:"first_name"`
	LastName  string  `db:"last_name"`
	Nickname  *string `db:"nickname"`
	Zone      *string `db:"time_zone"`
	Convenes  bool    `db:"convenes"`
	Wants     bool    `db:"wants"`
}

type taskState struct {
	ProjectID    int64         `db:"project_id"`
	DefinitionID int64         `db:"task_definition_id"`
	Status       status.Status `db:"status"`
	Extensions   int           `db:"extensions"`
}

// moved is a task that changed status.
type moved struct {
	ProjectID    int64 `db:"project_id"`
	DefinitionID int64 `db:"task_definition_id"`
	Marked       bool  `db:"marked"` // by the staff
}

type talked struct {
	ID       int64 `db:"id"`
	Sent     int   `db:"sent"`
	Received int   `db:"received"`
}

type waiting struct {
	TutorID      int64       `db:"tutor_id"`
	Abbreviation string      `db:"abbreviation"`
	Name         string      `db:"name"`
	Student      string      `db:"student"`
	Since        *clock.Time `db:"submission_date"`
	Updated      clock.Time  `db:"updated_at"`
}

func (w *waiting) task() *mail.WaitingTask {
	since := w.Updated
	if w.Since != nil {
		since = *w.Since
	}
	return &mail.WaitingTask{Task: mail.Task{Abbreviation: w.Abbreviation, Name: w.Name}, Student: w.Student,
		Since: since.Time}
}

// tally is a number for a record.
type tally struct {
	ID int64 `db:"id"`
	N  int   `db:"n"`
}

// The statements of a week; $1 is the unit and $2 the moment seven days ago.
var (
	unitText = `SELECT u.id, u.code, u.name, u.start_date, u.end_date, u.time_zone, ` + convenor + ` AS reply_to
		FROM units u WHERE u.id = $1`

	projectsText = `SELECT ` + studentColumns + `, s.last_name, p.target_grade, p.portfolio_hash IS NOT NULL AS
		has_portfolio,
			s.receive_feedback_notifications AS wants
		FROM projects p` + studentJoins + `WHERE p.unit_id = $1 AND p.enrolled ORDER BY p.id`

	definitionsText = `SELECT id, abbreviation, name, target_grade, target_date, due_date FROM task_definitions
		WHERE unit_id = $1 ORDER BY target_date, abbreviation`

	staffText = `SELECT r.user_id, s.first_name, s.last_name, s.nickname, s.time_zone, r.role = 3 AS convenes,
		s.receive_feedback_notifications AS wants
		FROM unit_roles r JOIN users s ON s.id = r.user_id AND s.disabled_at IS NULL
		JOIN units u ON u.id = r.unit_id AND u.send_notifications WHERE r.unit_id = $1
		ORDER BY s.last_name, s.first_name, r.id`

	tasksText = `SELECT project_id, task_definition_id, status, extensions FROM tasks WHERE unit_id = $1`

	talkText = `SELECT p.id, count(CASE WHEN c.user_id = p.user_id THEN 1 END) AS sent, count(CASE
		WHEN c.user_id <> p.user_id THEN 1 END) AS received
		FROM task_comments c JOIN tasks t ON t.id = c.task_id JOIN projects p ON p.id = t.project_id
		WHERE c.unit_id = $1 AND c.created_at > $2 AND c.type <> 'status' GROUP BY p.id`

	movedText = `SELECT t.project_id, t.task_definition_id, max(CASE WHEN h.assessed THEN 1 ELSE 0 END) = 1 AS marked
		FROM tasks t JOIN task_history h ON h.task_id = t.id AND h.at > $2 AND ` + work.NotUndone + `
		WHERE t.unit_id = $1 GROUP BY t.id, t.project_id, t.task_definition_id ORDER BY max(h.at) DESC, t.id`

	classesText = `SELECT e.project_id, coalesce(r.user_id, 0) AS tutor_id FROM tutorial_enrolments e
		JOIN projects p ON p.id = e.project_id AND p.enrolled
		JOIN tutorials x ON x.id = e.tutorial_id LEFT JOIN unit_roles r ON r.id = x.unit_role_id
		AND r.user_id <> p.user_id
		WHERE p.unit_id = $1`

	waitingText = `SELECT coalesce(` + work.TutorOf + `, 0) AS tutor_id, d.abbreviation, d.name, s.first_name || ' ' ||
		s.last_name AS student, t.submission_date, t.updated_at
		FROM tasks t JOIN projects p ON p.id = t.project_id AND p.enrolled JOIN users s ON s.id = p.user_id
		JOIN task_definitions d ON d.id = t.task_definition_id
		WHERE t.unit_id = $1 AND t.status IN ` + db.Literals(status.Awaiting...) + `
		ORDER BY coalesce(t.submission_date, t.updated_at), t.id`

	assessedText = `SELECT h.actor_id AS id, count(*) AS n FROM tasks t JOIN task_history h ON h.task_id = t.id
		AND h.at > $2 AND h.assessed AND ` + work.NotUndone + `
		WHERE t.unit_id = $1 GROUP BY h.actor_id`

	staffTalkText = `SELECT r.user_id AS id, count(CASE WHEN c.user_id = r.user_id THEN 1 END) AS sent,
			count(CASE WHEN c.recipient_id = r.user_id THEN 1 END) AS received
		FROM unit_roles r JOIN task_comments c ON c.unit_id = r.unit_id AND c.created_at > $2 AND c.type <> 'status'
			AND r.user_id IN (c.user_id, c.recipient_id)
		WHERE r.unit_id = $1 GROUP BY r.user_id`
)

// readWeek reads all of a unit's week.
func readWeek(ctx context.Context, q db.Q, unitID int64) (*week, error) {
	u, err := db.OneOf[unit](ctx, q, "unit", unitText, unitID)
	if err != nil {
		return nil, err
	}
	w := &week{now: q.Now().Time, today: clock.Day(q.Now().Time), zone: clock.Zone(u.TimeZone), unit: *u}
	if w.projects, err = db.All[project](ctx, q, projectsText, unitID); err != nil {
		return nil, err
	}
	if w.definitions, err = db.All[definition](ctx, q, definitionsText, unitID); err != nil {
		return nil, err
	}
	if w.staff, err = db.All[employed](ctx, q, staffText, unitID); err != nil {
		return nil, err
	}
	if err := w.readProjects(ctx, q); err != nil {
		return nil, err
	}
	return w, w.readStaff(ctx, q)
}

// readProjects reads what the emails to students tell.
func (w *week) readProjects(ctx context.Context, q db.Q) (err error) {
	ago := clock.At(w.now.Add(-7 * 24 * time.Hour))
	w.tasks = map[[2]int64]taskState{}
	for t, err := range db.Each[taskState](ctx, q, tasksText, w.unit.ID) {
		if err != nil {
			return err
		}
		w.tasks[[2]int64{t.ProjectID, t.DefinitionID}] = t
	}
	if w.talk, err = keyed(ctx, q, func(t talked) (int64, talked) { return t.ID, t }, talkText, w.unit.ID,
		ago); err != nil {
		return err
	}
	w.moved = map[int64][]moved{}
	for m, err := range db.Each[moved](ctx, q, movedText, w.unit.ID, ago) {
		if err != nil {
			return err
		}
		w.moved[m.ProjectID] = append(w.moved[m.ProjectID], m)
	}
	return nil
}

// readStaff reads what the emails to the staff tell.
func (w *week) readStaff(ctx context.Context, q db.Q) (err error) {
	type class struct {
		ProjectID int64 `db:"project_id"`
		TutorID   int64 `db:"tutor_id"`
	}
	w.enrolled, w.students, w.waiting = map[int64]bool{}, map[int64]map[int64]bool{}, map[int64][]waiting{}
	w.queues = map[int64][]waiting{}
	for c, err := range db.Each[class](ctx, q, classesText, w.unit.ID) {
		if err != nil {
			return err
		}
		w.enrolled[c.ProjectID] = true
		if w.students[c.TutorID] == nil {
			w.students[c.TutorID] = map[int64]bool{}
		}
		w.students[c.TutorID][c.ProjectID] = true
	}
	with, err := handover.StandInsOf(ctx, q, w.unit.ID)
	if err != nil {
		return err
	}
	for t, err := range db.Each[waiting](ctx, q, waitingText, w.unit.ID) {
		if err != nil {
			return err
		}
		w.waiting[t.TutorID] = append(w.waiting[t.TutorID], t)
		for _, user := range with.Of(w.unit.ID, t.TutorID) {
			w.queues[user] = append(w.queues[user], t)
		}
	}
	ago := clock.At(w.now.Add(-7 * 24 * time.Hour))
	if w.assessed, err = keyed(ctx, q, count, assessedText, w.unit.ID, ago); err != nil {
		return err
	}
	w.staffTalk, err = keyed(ctx, q, func(t talked) (int64, talked) { return t.ID, t }, staffTalkText, w.unit.ID, ago)
	return err
}

func count(t tally) (int64, int) { return t.ID, t.N }

// keyed reads rows into a map.
func keyed[R, V any](ctx context.Context, q db.Q, f func(R) (int64, V), text string, args ...any) (map[int64]V, error) {
	out := map[int64]V{}
	for r, err := range db.Each[R](ctx, q, text, args...) {
		if err != nil {
			return nil, err
		}
		k, v := f(r)
		out[k] = v
	}
	return out, nil
}
