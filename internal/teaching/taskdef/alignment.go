package taskdef

import (
	"context"
	"unicode/utf8"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Alignment says how strongly a task serves an outcome of the unit: the unit's
// own view, or a student's, who aligns what they did.
type Alignment struct {
	ID           int64  `db:"id" json:"id"`
	Description  string `db:"description" json:"description"`
	Rating       int64  `db:"rating" json:"rating"` // 1 to 5
	OutcomeID    int64  `db:"learning_outcome_id" json:"learning_outcome_id"`
	DefinitionID int64  `db:"task_definition_id" json:"task_definition_id"`
	TaskID       *int64 `db:"task_id" json:"task_id,omitempty"` // the student's task; none: the unit's own
}

const selectAlignments = `SELECT l.id, l.description, l.rating, l.learning_outcome_id, l.task_definition_id, l.task_id
	FROM learning_outcome_links l`

// AlignmentsOf lists the unit's own alignments: those of its definitions, not of
// students' tasks.
func AlignmentsOf(ctx context.Context, q db.Q, unitID int64) ([]Alignment, error) {
	return db.All[Alignment](ctx, q, selectAlignments+` JOIN task_definitions d ON d.id = l.task_definition_id
		WHERE d.unit_id = $1 AND l.task_id IS NULL ORDER BY l.id`, unitID)
}

// ProjectAlignments lists the alignments one student made of their own tasks.
func ProjectAlignments(ctx context.Context, q db.Q, projectID int64) ([]Alignment, error) {
	return db.All[Alignment](ctx, q, selectAlignments+` JOIN tasks t ON t.id = l.task_id
		WHERE t.project_id = $1 ORDER BY l.id`, projectID)
}

// AlignedStudents counts the students who aligned tasks of their own with an outcome.
func AlignedStudents(ctx context.Context, q db.Q, outcomeID int64) (int, error) {
	n, err := db.One[int](ctx, q, `SELECT count(DISTINCT t.project_id) FROM learning_outcome_links l
		JOIN tasks t ON t.id = l.task_id WHERE l.learning_outcome_id = $1`, outcomeID)
	if err != nil {
		return 0, err
	}
	return *n, nil
}

// AlignmentByID gives an alignment, the unit's or a student's.
func AlignmentByID(ctx context.Context, q db.Q, id int64) (*Alignment, error) {
	return db.OneOf[Alignment](ctx, q, "learning alignment", selectAlignments+` WHERE l.id = $1`, id)
}

// AddAlignment aligns a definition with an outcome: for the unit, which needs
// policy.EditAlignments, or for the student whose project is given, which needs
// policy.AlignProject and makes their task where there is none. It refuses a definition or an
// outcome of another unit, a rating that is not from 1 to 5, a description too long, and with
// fault.Conflict what is aligned already: the alignment there is should be changed.
func AddAlignment(ctx context.Context, q db.Q, unitID, projectID int64, a Alignment) (*Alignment, error) {
	if _, err := db.OneOf[int64](ctx, q, "task definition in this unit", `SELECT id FROM task_definitions
		WHERE id = $1 AND unit_id = $2`, a.DefinitionID, unitID); err != nil {
		return nil, err
	}
	if _, err := db.OneOf[int64](ctx, q, "learning outcome in this unit", `SELECT id FROM learning_outcomes
		WHERE id = $1 AND unit_id = $2`, a.OutcomeID, unitID); err != nil {
		return nil, err
	}
	if err := a.check(); err != nil {
		return nil, err
	}
	if projectID != 0 {
		tasks, err := ensureTasks(ctx, q, unitID, projectID, a.DefinitionID)
		if err != nil {
			return nil, err
		}
		id := tasks[a.DefinitionID]
		a.TaskID = &id
	}
	made, err := db.One[Alignment](ctx, q, `INSERT INTO learning_outcome_links (description, rating,
		learning_outcome_id, task_definition_id, task_id)
		VALUES ($1, $2, $3, $4, $5) RETURNING id, description, rating, learning_outcome_id, task_definition_id,
		task_id`,
		a.Description, a.Rating, a.OutcomeID, a.DefinitionID, a.TaskID)
	if db.Duplicate(err) {
		return nil, fault.New(fault.Conflict, "This task and this outcome are already aligned. Change that alignment "+
			"instead.")
	}
	if err != nil {
		return nil, err
	}
	return made, audit.Add(ctx, q, audit.Entry{Kind: audit.Outcome, Action: "alignment_created", UnitID: unitID,
		ProjectID: projectID, RecordID: made.ID})
}

// ensureTasks gives the tasks of a student for definitions, by definition. The
// rows that are missing are made; two who do so at once make one.
func ensureTasks(ctx context.Context, q db.Q, unitID, projectID int64, definitionIDs ...int64) (map[int64]int64,
	error) {
	rows := make([][]any, len(definitionIDs))
	for i, id := range definitionIDs {
		rows[i] = []any{projectID, id, unitID, q.Now(), q.Now()}
	}
	err := db.Insert(ctx, q, `tasks (project_id, task_definition_id, unit_id, created_at, updated_at)`,
		`ON CONFLICT (project_id, task_definition_id) DO NOTHING`, rows)
	if err != nil {
		return nil, err
	}
	type pair struct {
		ID           int64 `db:"id"`
		DefinitionID int64 `db:"task_definition_id"`
	}
	out := map[int64]int64{}
	for p, err := range db.Each[pair](ctx, q, `SELECT id, task_definition_id FROM tasks WHERE project_id = $1`,
		projectID) {
		if err != nil {
			return nil, err
		}
		out[p.DefinitionID] = p.ID
	}
	return out, nil
}

// ChangeAlignment sets the description and the rating, for holders of policy.EditAlignments, or
// of policy.AlignProject where it is a student's own; nil leaves one alone. It refuses a rating
// that is not from 1 to 5 and a description too long, and with fault.Conflict what is no longer as it was seen.
func ChangeAlignment(ctx context.Context, q db.Q, id int64, c Cell) (*Alignment, error) {
	description, rating := c.Description, c.Rating
	a := Alignment{Rating: 1}
	opt.Set(&a.Description, description)
	opt.Set(&a.Rating, rating)
	if err := a.check(); err != nil {
		return nil, err
	}
	if c.Seen != nil {
		if err := db.Lock(ctx, q, "learning_outcome_links", id); err != nil {
			return nil, err
		}
		now, err := AlignmentByID(ctx, q, id)
		if err != nil {
			return nil, err
		}
		if err := c.clashes(*now); err != nil {
			return nil, err
		}
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Outcome, Action: "alignment_changed", RecordID: id,
		Fields: audit.Given(struct {
			Description *string
			Rating      *int64
		}{description, rating})}); err != nil {
		return nil, err
	}
	return db.OneOf[Alignment](ctx, q, "learning alignment", `UPDATE learning_outcome_links SET description =
		coalesce($2, description),
		rating = coalesce($3, rating) WHERE id = $1 RETURNING id, description, rating, learning_outcome_id,
		task_definition_id, task_id`,
		id, description, rating)
}

// DeleteAlignment removes an alignment, for whoever holds what ChangeAlignment needs
// (policy.EditAlignments or policy.AlignProject). It is fault.Missing where there is none.
func DeleteAlignment(ctx context.Context, q db.Q, id int64) error {
	n, err := db.Exec(ctx, q, `DELETE FROM learning_outcome_links WHERE id = $1`, id)
	if err == nil && n == 0 {
		return fault.New(fault.Missing, "There is no such learning alignment.")
	}
	if err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Outcome, Action: "alignment_deleted", RecordID: id})
}

func (a *Alignment) check() error {
	if a.Rating < 1 || a.Rating > 5 {
		return fault.Field(fault.Invalid, "rating", "is %d; it must be 1 to 5", a.Rating)
	}
	if utf8.RuneCountInString(a.Description) > maxDescription {
		return fault.Field(fault.Refused, "description", "may have at most %d characters", maxDescription)
	}
	return nil
}
