package insight

import (
	"cmp"
	"context"
	"slices"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
)

// StatusCount is how many students of a tutorial stand at a status of a task.
type StatusCount struct {
	StreamID *int64        `db:"tutorial_stream_id" json:"tutorial_stream_id"`
	Status   status.Status `db:"status" json:"status"`
	Num      int64         `db:"num" json:"num"`
}

// Statuses holds the counts by task definition, then by tutorial; 0 stands for
// the students without one. A student in two tutorials counts in both. Every
// definition is there. Work counts whoever did it; not_started are those who
// aim for the task and have not begun.
type Statuses map[int64]map[int64][]StatusCount

// classCount is a count with where it belongs. Aiming are those of the students
// counted whose target grade asks for the task.
type classCount struct {
	DefinitionID int64  `db:"task_definition_id"`
	TutorialID   *int64 `db:"tutorial_id"`
	Aiming       int64  `db:"aiming"`
	StatusCount
}

// studentsByTutorial are the students of a unit by tutorial and target grade; a student
// without a tutorial is under 0.
const studentsByTutorial = `(SELECT coalesce(e.tutorial_id, 0) AS tutorial_id, e.tutorial_stream_id, p.target_grade, count(*) AS
	students
		FROM projects p LEFT JOIN tutorial_enrolments e ON e.project_id = p.id
		WHERE p.unit_id = $1 AND p.enrolled GROUP BY e.tutorial_id, e.tutorial_stream_id, p.target_grade)`

// StatusesOf counts the students of a unit.
func StatusesOf(ctx context.Context, q db.Q, unitID int64) (Statuses, error) {
	all, err := db.All[classCount](ctx, q, `SELECT d.id AS task_definition_id, s.tutorial_id, s.tutorial_stream_id,
			$2 AS status, 0 AS num, CAST(coalesce(sum(s.students), 0) AS BIGINT) AS aiming
		FROM task_definitions d LEFT JOIN `+studentsByTutorial+` s ON s.target_grade >= d.target_grade
		WHERE d.unit_id = $1 GROUP BY d.id, s.tutorial_id, s.tutorial_stream_id`, unitID, status.NotStarted)
	if err != nil {
		return nil, err
	}
	begun, err := db.All[classCount](ctx, q, `SELECT t.task_definition_id, coalesce(e.tutorial_id, 0) AS tutorial_id,
		e.tutorial_stream_id,
			t.status, count(*) AS num, count(*) FILTER (WHERE p.target_grade >= d.target_grade) AS aiming
		FROM projects p JOIN tasks t ON t.project_id = p.id AND t.status <> $2
		JOIN task_definitions d ON d.id = t.task_definition_id
		LEFT JOIN tutorial_enrolments e ON e.project_id = p.id
		WHERE p.unit_id = $1 AND p.enrolled GROUP BY t.task_definition_id, e.tutorial_id, e.tutorial_stream_id,
		t.status`, unitID, status.NotStarted)
	if err != nil {
		return nil, err
	}
	return gather(all, begun), nil
}

// gather puts the counts in their places. Who aims for a task and has not begun
// is not started.
func gather(all, begun []classCount) Statuses {
	type place struct{ definition, tutorial int64 }
	out, left := Statuses{}, map[place]int64{}
	for _, c := range begun {
		left[place{c.DefinitionID, *c.TutorialID}] -= c.Aiming
	}
	for _, c := range all {
		if out[c.DefinitionID] == nil {
			out[c.DefinitionID] = map[int64][]StatusCount{}
		}
		if c.TutorialID == nil {
			continue // nobody aims for it
		}
		if c.Num = c.Aiming + left[place{c.DefinitionID, *c.TutorialID}]; c.Num > 0 {
			begun = append(begun, c)
		}
	}
	slices.SortFunc(begun, func(a, b classCount) int { return cmp.Compare(a.Status.ID(), b.Status.ID()) })
	for _, c := range begun {
		out[c.DefinitionID][*c.TutorialID] = append(out[c.DefinitionID][*c.TutorialID], c.StatusCount)
	}
	return out
}
