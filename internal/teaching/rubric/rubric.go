// Package rubric knows by what a task is marked: criteria, each with levels from which whoever
// marks picks one. A level may have points; then those of the levels picked add up to the quality
// points of the task.
package rubric

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// Bounds on what a rubric may hold. A level is picked by its digit.
const (
	MostCriteria    = 20
	FewestLevels    = 2
	MostLevels      = 8
	MostTitle       = 100  // characters of a criterion's title, and of a level's name
	MostDescription = 1000 // characters of a criterion's description, and of a level's text
	MostPoints      = 100  // of a level, as of a task
)

// Level is how well a piece of work meets a criterion.
type Level struct {
	ID     int64  `json:"id" doc:"the number of the level, the same in every version"`
	Name   string `json:"name" doc:"what it is called in short"`
	Text   string `json:"text" doc:"what work of this level is like; may be empty"`
	Points *int64 `json:"points" doc:"what it is worth; null where levels have no points"`
}

// Criterion is one thing that a piece of work is marked by.
type Criterion struct {
	ID          int64   `json:"id" doc:"the number of the criterion, the same in every version"`
	Title       string  `json:"title" doc:"what it is called"`
	Description string  `json:"description" doc:"what it asks; may be empty"`
	Levels      []Level `json:"levels" doc:"the levels to pick from, in their order"`
}

// Best is the most points of the criterion's levels; 0 where they have none.
func (c Criterion) Best() (best int64) {
	for _, l := range c.Levels {
		if l.Points != nil {
			best = max(best, *l.Points)
		}
	}
	return best
}

// Criteria are those of a rubric in their order, as they are kept.
type Criteria []Criterion

// Value implements driver.Valuer.
func (c Criteria) Value() (driver.Value, error) {
	text, err := json.Marshal([]Criterion(c))
	return string(text), err
}

// Scan implements sql.Scanner.
func (c *Criteria) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("cannot read criteria from %T", src)
	}
	*c = nil
	return json.Unmarshal([]byte(text), (*[]Criterion)(c))
}

// best is what the best levels of all criteria add up to; nil where the levels have no points.
func (c Criteria) best() *int64 {
	var sum int64
	points := false
	for _, one := range c {
		sum += one.Best()
		points = points || len(one.Levels) > 0 && one.Levels[0].Points != nil
	}
	if !points {
		return nil
	}
	return &sum
}

// Rubric is what a task is marked by, or was.
type Rubric struct {
	ID           int64      `db:"id" json:"id" doc:"the number of these very words and points: after a change it is another"`
	DefinitionID int64      `db:"task_definition_id" json:"task_definition_id"`
	Version      int64      `db:"version" json:"version" doc:"from 1: a change of a rubric that work was marked with makes the next"`
	Current      bool       `db:"current" json:"current" doc:"it is the one to mark by"`
	Used         bool       `db:"used" json:"used" doc:"work was marked with it"`
	Criteria     Criteria   `db:"criteria" json:"criteria" doc:"in their order"`
	Points       *int64     `db:"points" json:"points" doc:"what the best levels add up to; null where levels have no points"`
	LastKey      int64      `db:"last_key" json:"-"` // the highest number in it, and in those before
	UserID       int64      `db:"user_id" json:"-"`
	At           clock.Time `db:"at" json:"updated_at"`
}

const rubrics = `SELECT r.id, r.task_definition_id, r.version, r.current, r.used, r.criteria, r.points, r.last_key,
		r.user_id, r.at FROM rubrics r WHERE `

// Of gives the rubric to mark a task by. It is fault.Missing where the task has none. It is for
// holders of policy.ReadUnit.
func Of(ctx context.Context, q db.Q, definitionID int64) (*Rubric, error) {
	r, err := find(ctx, q, definitionID)
	if err == nil && r == nil {
		return nil, fault.New(fault.Missing, "This task has no rubric.")
	}
	return r, err
}

// find is Of, nil where there is none.
func find(ctx context.Context, q db.Q, definitionID int64) (*Rubric, error) {
	list, err := db.All[Rubric](ctx, q, rubrics+`r.task_definition_id = $1 AND r.current`, definitionID)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// Find is Of for whoever shows a task: nil where it has none.
func Find(ctx context.Context, q db.Q, definitionID int64) (*Rubric, error) {
	return find(ctx, q, definitionID)
}

// Versions lists all rubrics of a task that are kept, the newest first: those that work was marked with,
// and the one to mark by.
func Versions(ctx context.Context, q db.Q, definitionID int64) ([]Rubric, error) {
	return db.All[Rubric](ctx, q, rubrics+`r.task_definition_id = $1 ORDER BY r.version DESC`, definitionID)
}

// ByID gives a rubric of any task, of any version. It is fault.Missing where there is none.
func ByID(ctx context.Context, q db.Q, id int64) (*Rubric, error) {
	return db.OneOf[Rubric](ctx, q, "rubric", rubrics+`r.id = $1`, id)
}

// OfUnit gives the rubrics to mark the tasks of a unit by, by their task definitions.
func OfUnit(ctx context.Context, q db.Q, unitID int64) (map[int64]Rubric, error) {
	return byTask(db.All[Rubric](ctx, q, rubrics+`r.current AND r.task_definition_id IN (SELECT d.id
		FROM task_definitions d WHERE d.unit_id = $1)`, unitID))
}

// OfTasks gives the rubrics to mark tasks by, by their task definitions.
func OfTasks(ctx context.Context, q db.Q, definitions ...int64) (map[int64]Rubric, error) {
	slices.Sort(definitions)
	in, args := db.In(nil, slices.Compact(definitions))
	return byTask(db.All[Rubric](ctx, q, rubrics+`r.current AND r.task_definition_id IN `+in, args...))
}

func byTask(list []Rubric, err error) (map[int64]Rubric, error) {
	out := map[int64]Rubric{}
	for _, r := range list {
		out[r.DefinitionID] = r
	}
	return out, err
}

// MarkedWith counts the tasks whose present levels are of the rubric.
func (r *Rubric) MarkedWith(ctx context.Context, q db.Q) (int64, error) {
	n, err := db.One[int64](ctx, q, `SELECT count(*) FROM rubric_marks WHERE rubric_id = $1 AND present
		AND levels <> '[]'`, r.ID)
	if err != nil {
		return 0, err
	}
	return *n, nil
}

// Level finds a level by its number, with its criterion; nil where the rubric has none of it.
func (r *Rubric) Level(id int64) (*Criterion, *Level) {
	for i := range r.Criteria {
		for j := range r.Criteria[i].Levels {
			if r.Criteria[i].Levels[j].ID == id {
				return &r.Criteria[i], &r.Criteria[i].Levels[j]
			}
		}
	}
	return nil, nil
}

// LevelIDs are the numbers of all levels, in their order.
func (r *Rubric) LevelIDs() (ids []int64) {
	for _, c := range r.Criteria {
		for _, l := range c.Levels {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

// Got is the level of a criterion that was picked; nil: none was.
func (m *Mark) Got(c Criterion) *Level {
	if m == nil {
		return nil
	}
	i := slices.IndexFunc(c.Levels, func(l Level) bool { return slices.Contains(m.Levels, l.ID) })
	if i < 0 {
		return nil
	}
	return &c.Levels[i]
}

// Fits refuses another number of quality points for a task than the best levels of its rubric add up to.
func Fits(ctx context.Context, q db.Q, definitionID, maxQuality int64) error {
	r, err := find(ctx, q, definitionID)
	if err != nil || r == nil {
		return err
	}
	return r.fits(maxQuality)
}

func (r *Rubric) fits(maxQuality int64) error {
	if r.Points == nil || *r.Points == maxQuality {
		return nil
	}
	return fault.Field(fault.Refused, "max_quality_pts", "must stay %d, which the best levels of the rubric add up to. "+
		"Change both together in the rubric", *r.Points)
}

// PointsIn tells, by the task definitions of a unit, what the best levels of their rubrics add up to, where levels
// have points.
func PointsIn(ctx context.Context, q db.Q, unitID int64) (map[int64]int64, error) {
	list, err := OfUnit(ctx, q, unitID)
	out := map[int64]int64{}
	for id, r := range list {
		if r.Points != nil {
			out[id] = *r.Points
		}
	}
	return out, err
}
