package insight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/rubric"
)

// LevelSearch says which of the counted levels are listed.
type LevelSearch struct {
	Class
	DefinitionID int64  // of one task; 0: of all tasks of the unit
	CriterionID  int64  // of one criterion of the task; 0: of all
	LevelID      int64  // one level of the task; 0: all
	TutorID      *int64 // who gave them, for holders of policy.SeeTutorPace; nil: anybody
	NotTutorID   *int64 // who did not give them, for the same; nil: nobody is left out
	From, Until  *clock.Date
	Page         db.Page
}

// LevelsGiven are the levels that stand on a task of a student.
type LevelsGiven struct {
	ProjectID int64 `db:"project_id"`
	enrol.Student
	DefinitionID int64         `db:"task_definition_id"`
	Abbreviation string        `db:"abbreviation"`
	Name         string        `db:"name"`
	RubricID     int64         `db:"rubric_id"`
	Levels       rubric.Levels `db:"levels"`
	Sum          *int64        `db:"points"`
	Best         *int64        `db:"best"`
	At           clock.Time    `db:"at"`
	Tutor        string        `db:"tutor"`
	Words        []string      // the levels that were asked for, as their rubric has them
}

// Rows lists the levels by student and task, with how many there are, and what the criterion or the level is called
// that was asked for. A task without a rubric is fault.Missing, and so is one of another unit, or a criterion or a
// level that it never had. It is for holders of policy.ListStudents in the unit.
func (s *LevelSearch) Rows(ctx context.Context, q db.Q) (list []LevelsGiven, total int64, title string, err error) {
	versions, err := db.All[rubric.Rubric](ctx, q, `SELECT r.id, r.task_definition_id, r.criteria
		FROM task_definitions d JOIN rubrics r ON r.task_definition_id = d.id
		WHERE d.unit_id = $1 AND (CAST($2 AS BIGINT) = 0 OR d.id = CAST($2 AS BIGINT))
		ORDER BY r.current DESC, r.version DESC`, s.UnitID, s.DefinitionID)
	if err != nil {
		return nil, 0, "", err
	}
	title, asked := s.asked(versions)
	if asked == nil {
		return nil, 0, "", fault.New(fault.Missing, "There is no such criterion or level.")
	}
	where, args := s.where(asked)
	n, err := db.One[int64](ctx, q, `SELECT count(*)`+givenLevels+where, args...)
	if err != nil {
		return nil, 0, "", fmt.Errorf("count the levels given: %w", err)
	}
	args = append(args, s.Page.Limit(), s.Page.Offset())
	list, err = db.All[LevelsGiven](ctx, q, `SELECT p.id AS project_id, `+enrol.StudentColumns+`,
			d.id AS task_definition_id, d.abbreviation, d.name, m.rubric_id, m.levels, m.points, r.points AS best, m.at,
			a.first_name || ' ' || a.last_name AS tutor`+givenLevels+`
		JOIN users s ON s.id = p.user_id JOIN users a ON a.id = m.user_id`+where+
		fmt.Sprintf(` ORDER BY `+byName+`, d.start_date, d.abbreviation, d.id LIMIT $%d OFFSET $%d`, len(args)-1, len(args)),
		args...)
	if err != nil {
		return nil, 0, "", fmt.Errorf("list the levels given: %w", err)
	}
	for i := range list {
		list[i].name(versions, asked)
	}
	return list, *n, title, nil
}

// asked are the numbers of the levels that are asked for, with what they are called; nil: there are none. All levels of
// all tasks are an empty list.
func (s *LevelSearch) asked(versions []rubric.Rubric) (title string, ids []int64) {
	if len(versions) == 0 {
		return "", nil
	}
	if s.DefinitionID == 0 || s.CriterionID == 0 && s.LevelID == 0 {
		return "", []int64{}
	}
	for i := range versions {
		for _, c := range versions[i].Criteria {
			for _, l := range c.Levels {
				if s.CriterionID != 0 && c.ID != s.CriterionID || s.LevelID != 0 && l.ID != s.LevelID {
					continue
				}
				if ids = append(ids, l.ID); title == "" && s.LevelID == 0 {
					title = c.Title
				} else if title == "" {
					title = c.Title + ": " + l.Name
				}
			}
		}
	}
	slices.Sort(ids)
	return title, slices.Compact(ids)
}

// where finds the levels given, of which one is among those that are asked for.
func (s *LevelSearch) where(asked []int64) (string, []any) {
	and, args := s.and([]any{s.UnitID, s.DefinitionID})
	text := areGiven + and
	add := func(condition string, value any) {
		args = append(args, value)
		text += fmt.Sprintf(condition, len(args))
	}
	if s.TutorID != nil {
		add(` AND m.user_id = $%d`, *s.TutorID)
	}
	if s.NotTutorID != nil {
		add(` AND m.user_id <> $%d`, *s.NotTutorID)
	}
	if s.From != nil {
		add(` AND m.at >= $%d`, clock.At(s.From.Time))
	}
	if s.Until != nil {
		add(` AND m.at < $%d`, clock.At(s.Until.Time))
	}
	var any []string
	for _, id := range asked {
		args = append(args, fmt.Sprintf("%%,%d,%%", id))
		any = append(any, fmt.Sprintf(`replace(replace(m.levels, '[', ','), ']', ',') LIKE $%d`, len(args)))
	}
	if len(any) > 0 {
		text += ` AND (` + strings.Join(any, " OR ") + `)`
	}
	return text, args
}

// name says what the levels are called that were asked for.
func (g *LevelsGiven) name(versions []rubric.Rubric, asked []int64) {
	for i := range versions {
		if versions[i].ID != g.RubricID {
			continue
		}
		for _, id := range g.Levels {
			if _, l := versions[i].Level(id); l != nil && (len(asked) == 0 || slices.Contains(asked, id)) {
				g.Words = append(g.Words, l.Name)
			}
		}
	}
}
