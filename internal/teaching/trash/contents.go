package trash

import (
	"context"

	"lectern/internal/platform/db"
)

// Contents is something that was deleted, with how much of students' work came into the archive with it.
type Contents struct {
	Deletion
	Held
}

// Held is how much of students' work there is.
type Held struct {
	Submissions int64 `db:"submissions" json:"submissions"` // every version
	Comments    int64 `db:"comments" json:"comments"`       // that people wrote
	Recordings  int64 `db:"recordings" json:"recordings"`   // and discussions
	Grades      int64 `db:"grades" json:"grades"`           // tasks with a grade or points
	Extensions  int64 `db:"extensions" json:"extensions"`   // tasks with any
	Groups      int64 `db:"unit_groups" json:"groups"`
	Files       int64 `db:"files" json:"files"`
	Bytes       int64 `db:"bytes" json:"bytes"` // of those files
}

// HeldStudent is a student whose work is in the archive, with how much of it. The work of a group
// counts for each of its members.
type HeldStudent struct {
	ProjectID   int64  `db:"project_id" json:"project_id"`
	Username    string `db:"username" json:"username"`
	FirstName   string `db:"first_name" json:"first_name"`
	LastName    string `db:"last_name" json:"last_name"`
	Submissions int64  `db:"submissions" json:"submissions"`
	Comments    int64  `db:"comments" json:"comments"`
	Files       int64  `db:"files" json:"files"`
	Bytes       int64  `db:"bytes" json:"bytes"`
}

// A row is kept as JSON without spaces, in which a quote within a text is escaped: these words are found as a
// column and its value, and nowhere else. They say what WorkOf and holds say of rows that are in place.
const (
	spoken      = `(record LIKE '%"type":"audio"%' OR record LIKE '%"type":"discussion"%')`
	saidRow     = `table_name = 'task_comments' AND record NOT LIKE '%"type":"status"%'`
	wroteRow    = saidRow + ` AND NOT ` + spoken
	spokenRow   = `table_name = 'task_comments' AND ` + spoken
	gradedRow   = `table_name = 'tasks' AND (record NOT LIKE '%"grade":null%' OR record NOT LIKE '%"quality_pts":-1%')`
	extendedRow = `table_name = 'tasks' AND record NOT LIKE '%"extensions":0%'`
	handedRow   = `table_name = 'tasks' AND record NOT LIKE '%"submission_date":null%'`
	heldRow     = `(` + saidRow + ` OR ` + gradedRow + ` OR ` + extendedRow + ` OR ` + handedRow + `)`
)

// ContentsOf tells what is kept of something that was deleted in a unit, or fault.Missing. It is for
// holders of policy.SeeDeleted.
func ContentsOf(ctx context.Context, q db.Q, unitID, id int64) (*Contents, error) {
	d, err := byID(ctx, q, unitID, id)
	if err != nil {
		return nil, err
	}
	held, err := db.One[Held](ctx, q, `SELECT count(*) FILTER (WHERE table_name = 'submissions') AS submissions,
			count(*) FILTER (WHERE `+wroteRow+`) AS comments,
			count(*) FILTER (WHERE `+spokenRow+`) AS recordings,
			count(*) FILTER (WHERE `+gradedRow+`) AS grades, count(*) FILTER (WHERE `+extendedRow+`) AS extensions,
			count(*) FILTER (WHERE table_name = 'unit_groups') AS unit_groups,
			(SELECT count(*) FROM (SELECT DISTINCT hash, task, name, at FROM deleted_files WHERE deletion_id = $1
				AND project_id IS NOT NULL) f) AS files,
			(SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM (SELECT DISTINCT hash, task, name, at, size
				FROM deleted_files WHERE deletion_id = $1 AND project_id IS NOT NULL) f) AS bytes
		FROM deleted_rows WHERE deletion_id = $1`, id)
	if err != nil {
		return nil, err
	}
	return &Contents{*d, *held}, nil
}

// heldBy counts, by student, what is kept of deletion $1. A version of a group's work is linked to the task
// of every member.
const heldBy = ` FROM (SELECT project_id, count(*) FILTER (WHERE table_name = 'submission_tasks') AS submissions,
			count(*) FILTER (WHERE ` + saidRow + `) AS comments
		FROM deleted_rows WHERE deletion_id = $1 AND project_id IS NOT NULL GROUP BY project_id
		HAVING count(*) FILTER (WHERE ` + heldRow + `) > 0) r
	LEFT JOIN (SELECT project_id, count(*) AS files, CAST(sum(coalesce(size, 0)) AS BIGINT) AS bytes
		FROM deleted_files WHERE deletion_id = $1 AND project_id IS NOT NULL GROUP BY project_id) f
		ON f.project_id = r.project_id
	JOIN projects p ON p.id = r.project_id JOIN users u ON u.id = p.user_id`

// StudentsOf lists those whose work is kept, or what was answered to it, of something that was deleted in a unit, by
// name, and tells how many there are; it is fault.Missing where nothing of that number is kept. It is for holders of
// policy.SeeDeleted.
func StudentsOf(ctx context.Context, q db.Q, unitID, id int64, p db.Page) ([]HeldStudent, int64, error) {
	if _, err := byID(ctx, q, unitID, id); err != nil {
		return nil, 0, err
	}
	n, err := db.One[int64](ctx, q, `SELECT count(*)`+heldBy, id)
	if err != nil {
		return nil, 0, err
	}
	list, err := db.All[HeldStudent](ctx, q, `SELECT p.id AS project_id, u.username, u.first_name, u.last_name,
			r.submissions, r.comments, coalesce(f.files, 0) AS files, coalesce(f.bytes, 0) AS bytes`+heldBy+`
		ORDER BY u.name_key, p.id LIMIT $2 OFFSET $3`, id, p.Limit(), p.Offset())
	return list, *n, err
}
