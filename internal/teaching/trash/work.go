package trash

import (
	"context"
	"fmt"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
)

// Thing is what is to be deleted.
type Thing struct {
	Kind Kind
	ID   int64
	// Retirement is what the work for a task goes with; nil: of all other kinds.
	Retirement *int64
	// Named leaves out what stands under pseudonyms, and gives the rest to pseudonyms instead of deleting it.
	Named bool
}

// ofGroups picks the tasks that are the work of the groups g that meet a condition
// on $1: those handed in together, and those of members that are not yet.
const ofGroups = `SELECT t.id FROM unit_groups g JOIN group_submissions s ON s.unit_group_id = g.id
		JOIN tasks t ON t.group_submission_id = s.id WHERE %[1]s
	UNION SELECT t.id FROM unit_groups g JOIN group_memberships m ON m.unit_group_id = g.id AND m.active
		JOIN task_definitions d ON d.group_set_id = m.group_set_id
		JOIN tasks t ON t.project_id = m.project_id AND t.task_definition_id = d.id AND t.group_submission_id IS NULL
		WHERE %[1]s`

// tasks is the query of the tasks that go with the thing $1.
func (t Thing) tasks() string {
	switch t.Kind {
	case Group:
		return fmt.Sprintf(ofGroups, "g.id = $1")
	case GroupSet:
		return fmt.Sprintf(ofGroups, "g.group_set_id = $1")
	}
	if t.Named {
		return `SELECT t.id FROM tasks t JOIN projects p ON p.id = t.project_id JOIN users u ON u.id = p.user_id
			WHERE t.task_definition_id = $1 AND NOT ` + ident.Pseudonymous
	}
	return `SELECT t.id FROM tasks t WHERE t.task_definition_id = $1`
}

// groups is the condition on the groups g that go with the thing $1.
func (t Thing) groups() string {
	switch t.Kind {
	case Group:
		return `g.id = $1`
	case GroupSet:
		return `g.group_set_id = $1`
	}
	return `FALSE AND g.id = $1`
}

const (
	said = `EXISTS (SELECT 1 FROM task_comments c WHERE c.task_id = t.id AND c.type <> 'status')`
	// holds tells whether task t holds a student's work, or what was answered to it.
	holds = `(t.submission_date IS NOT NULL OR t.grade IS NOT NULL OR t.quality_pts >= 0 OR t.extensions > 0 OR ` +
		said + `)`
)

// Work is what of students goes with a thing.
type Work struct {
	Students   int64 `db:"students"`
	HandedIn   int64 `db:"handed_in"`
	Comments   int64 `db:"comments"`
	Recordings int64 `db:"recordings"`
	Grades     int64 `db:"grades"`
	Extensions int64 `db:"extensions"`
	Groups     int64 `db:"group_works"` // what groups began together
}

// WorkOf counts what of students goes with a thing.
func WorkOf(ctx context.Context, q db.Q, t Thing) (*Work, error) {
	const spoken = `(SELECT count(*) FROM task_comments c JOIN chosen k ON k.id = c.task_id WHERE c.type `
	return db.One[Work](ctx, q, `WITH chosen AS (`+t.tasks()+`)
		SELECT count(DISTINCT CASE WHEN `+holds+` THEN t.project_id END) AS students,
			count(t.submission_date) AS handed_in, count(CASE WHEN t.grade IS NOT NULL OR t.quality_pts >= 0 THEN 1 END)
			AS grades, count(CASE WHEN t.extensions > 0 THEN 1 END) AS extensions,
			`+spoken+`NOT IN ('status', 'audio', 'discussion')) AS comments,
			`+spoken+`IN ('audio', 'discussion')) AS recordings,
			(SELECT count(*) FROM group_submissions s JOIN unit_groups g ON g.id = s.unit_group_id WHERE `+t.groups()+`)
			AS group_works
		FROM chosen k JOIN tasks t ON t.id = k.id`, t.ID)
}

// mostNamed is how many groups a refusal names.
const mostNamed = 3

// busy names the first groups of the set $1 in which there is work.
const busy = `SELECT DISTINCT g.name FROM unit_groups g LEFT JOIN group_submissions s ON s.unit_group_id = g.id
	LEFT JOIN group_memberships m ON m.unit_group_id = g.id AND m.active
	LEFT JOIN task_definitions f ON f.group_set_id = g.group_set_id
	LEFT JOIN tasks t ON t.project_id = m.project_id AND t.task_definition_id = f.id
	WHERE g.group_set_id = $1 AND (s.id IS NOT NULL OR ` + holds + `) ORDER BY g.name LIMIT $2`

// Refuse fails with fault.Conflict while students' work would go with a thing, and
// says what it is. Called names the thing, such as "The group Red".
func Refuse(ctx context.Context, q db.Q, t Thing, called string) error {
	w, err := WorkOf(ctx, q, t)
	if err != nil {
		return err
	}
	held := w.words()
	if len(held) == 0 {
		return nil
	}
	if t.Kind == GroupSet {
		names, err := db.All[string](ctx, q, busy, t.ID, mostNamed)
		if err != nil {
			return err
		}
		held = append(held, "in the groups "+strings.Join(names, ", "))
	}
	return fault.New(fault.Conflict, "%s holds students' work (%s). A convenor can still delete it with force=true "+
		"and restore it within 30 days.", called, strings.Join(held, "; "))
}

// words says what there is.
func (w *Work) words() []string {
	handed := w.HandedIn
	if handed == 0 {
		handed = w.Groups
	}
	var parts []string
	for _, p := range []struct {
		n    int64
		word string
	}{{handed, "submissions"}, {w.Comments, "comments"}, {w.Recordings, "recordings"}, {w.Grades, "grades"},
		{w.Extensions, "extensions"}, {w.Students, "students"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", p.word, p.n))
		}
	}
	return parts
}
