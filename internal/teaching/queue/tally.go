package queue

import (
	"context"
	"fmt"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
)

// Target is a unit with the days within which it promises feedback; nil: it promises none.
type Target struct {
	UnitID int64
	Days   *int64
}

// late is when what was handed in before is over the target.
func (t Target) late(now clock.Time) *clock.Time {
	if t.Days == nil {
		return nil
	}
	return new(clock.At(now.Add(-time.Duration(*t.Days) * 24 * time.Hour)))
}

// UnitTally is how much waits in a unit.
type UnitTally struct {
	UnitID int64 `db:"unit_id"`
	Tally
	Overdue int64       `db:"overdue"` // to mark, and longer than promised
	Oldest  *clock.Time `db:"oldest"`  // since when the first to mark waits
}

// notIn are the projects of notToList in the units at hand, listed(id, late).
var notIn = strings.ReplaceAll(notToList, `p.unit_id = $1`, `p.unit_id IN (SELECT x.id FROM listed x)`)

const (
	fromListed = ` FROM listed u CROSS JOIN tasks t WHERE t.unit_id = u.id AND `
	// readySince is since when a work that stands apart waits to be marked, and its student.
	readySince = `min(CASE WHEN t.status = 'ready_for_feedback' THEN ` + waitsSince + ` END)`
	readyOf    = `min(CASE WHEN t.status = 'ready_for_feedback' THEN t.project_id END)`
)

// apartIn selects the works that stand apart in the units at hand.
var apartIn = `SELECT t.unit_id, u.late, t.task_definition_id, min(` + kindOfCalled + `) AS kind, ` + readySince + ` AS since, ` +
	readyOf + ` AS project_id` + fromListed + isApart + ` AND ` + called + ` AND t.project_id NOT IN ` + notIn + `
	GROUP BY t.unit_id, u.late, t.task_definition_id, coalesce(t.group_submission_id, -t.id)`

// tallies counts what the queue of each unit has: the line, without the tasks that are left out of
// it, and the works apart.
var tallies = `SELECT w.unit_id, CAST(sum(w.mark) AS BIGINT) AS to_mark, CAST(sum(w.answer) AS BIGINT) AS to_answer,
		CAST(sum(w.late) AS BIGINT) AS overdue,
		min(w.oldest) AS oldest FROM (
	SELECT u.id AS unit_id, 0 AS mark, 0 AS answer, 0 AS late, (SELECT t.submission_date FROM tasks t
		WHERE t.unit_id = u.id AND ` + inLine + onlyReady + ` AND t.project_id NOT IN ` + notIn + `
		ORDER BY t.submission_date LIMIT 1) AS oldest FROM listed u
	UNION ALL SELECT t.unit_id, ` + countReady + `, count(*) - ` + countReady + `, ` + countLate + `, NULL` +
	fromListed + inLine + ` GROUP BY t.unit_id
	UNION ALL SELECT t.unit_id, -` + countReady + `, ` + countReady + ` - count(*), -` + countLate + `, NULL
		FROM ` + notIn + ` v CROSS JOIN tasks t CROSS JOIN listed u
		WHERE t.project_id = v.id AND u.id = t.unit_id AND ` + inLine + ` GROUP BY t.unit_id
	UNION ALL SELECT a.unit_id, count(CASE WHEN a.kind = 1 THEN 1 END), count(CASE WHEN a.kind = 2 THEN 1 END),
		count(CASE WHEN a.kind = 1 AND a.since < a.late THEN 1 END), min(a.since) FROM (` + apartIn + `) a GROUP BY a.unit_id
	) w GROUP BY w.unit_id`

var countLate = `count(CASE WHEN ` + isReady + ` AND t.submission_date < u.late THEN 1 END)`

// listed writes the units at hand, $1, as a common table. $2 is the caller.
func listed(q db.Q, callerID int64, units []Target) (string, []any, error) {
	rows := make([][]any, len(units))
	for i, u := range units {
		rows[i] = []any{u.UnitID, u.late(q.Now())}
	}
	list, args, err := db.Rows(q, nil, []string{"id BIGINT", "late TIMESTAMPTZ"}, rows)
	return `WITH listed AS (SELECT * FROM ` + list + ` x) `, append(args, callerID), err
}

// Tallies gives how much waits for the caller in each of some units, by one statement.
func Tallies(ctx context.Context, q db.Q, callerID int64, units []Target) (map[int64]UnitTally, error) {
	out := make(map[int64]UnitTally, len(units))
	if len(units) == 0 {
		return out, nil
	}
	with, args, err := listed(q, callerID, units)
	if err != nil {
		return nil, err
	}
	for t, err := range db.Each[UnitTally](ctx, q, with+tallies, args...) {
		if err != nil {
			return nil, fmt.Errorf("count what waits: %w", err)
		}
		out[t.UnitID] = t
	}
	return out, nil
}

// Share is a part of what is to mark in a unit.
type Share struct {
	DefinitionID int64      `db:"task_definition_id"`
	TutorID      *int64     `db:"tutor_id"` // who teaches the tutorial of the student; nil: there is none
	Age          int        `db:"age"`      // how many of the ends of ages it has passed
	Overdue      bool       `db:"overdue"`
	Tasks        int        `db:"tasks"`
	Oldest       clock.Time `db:"oldest"`
}

// readyOfMany is onlyReady where the tasks are joined with others: PostgreSQL takes one in two hundred to be equal to a
// text that it has no figures for, and would look all students of the unit through for each task that waits.
var readyOfMany = ` AND CASE WHEN ` + isReady + ` THEN 1 ELSE 0 END > 0`

// Shares gives what is to mark in a unit by task, tutorial and age, in whole days that ends tell.
func Shares(ctx context.Context, q db.Q, callerID int64, unit Target, ends []int) ([]Share, error) {
	with, args, err := listed(q, callerID, []Target{unit})
	if err != nil {
		return nil, err
	}
	age := `0`
	for _, days := range ends {
		args = append(args, clock.At(q.Now().Add(-time.Duration(days)*24*time.Hour)))
		age += fmt.Sprintf(` + CASE WHEN s.since <= $%d THEN 1 ELSE 0 END`, len(args))
	}
	return db.All[Share](ctx, q, with+`SELECT w.task_definition_id, r.user_id AS tutor_id, w.age, w.overdue, w.tasks,
			w.oldest
		FROM (SELECT c.task_definition_id, c.class_id, c.age, c.overdue, count(*) AS tasks, min(c.since) AS oldest
			FROM (SELECT s.task_definition_id, s.since, `+work.ClassOfBoth+` AS class_id, `+age+` AS age,
					s.late IS NOT NULL AND s.since < s.late AS overdue
				FROM (SELECT t.task_definition_id, t.project_id, t.submission_date AS since, u.late`+fromListed+inLine+
		readyOfMany+` AND t.project_id NOT IN `+notIn+`
					UNION ALL SELECT a.task_definition_id, a.project_id, a.since, a.late FROM (`+apartIn+`) a WHERE a.kind = 1) s
				JOIN task_definitions d ON d.id = s.task_definition_id`+of("s", work.JoinClasses)+`) c
			GROUP BY c.task_definition_id, c.class_id, c.age, c.overdue) w
		LEFT JOIN tutorials x ON x.id = w.class_id LEFT JOIN unit_roles r ON r.id = x.unit_role_id`, args...)
}
