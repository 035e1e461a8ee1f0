package insight

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
)

// LeastCompared is from how many marked tasks on one of the staff is compared with all others on a criterion, who must
// have given as many: of fewer, a difference tells nothing.
const LeastCompared = 5

// RubricSearch says which levels of rubrics are counted: those that stand on the tasks of a class.
type RubricSearch struct {
	Class
	DefinitionID int64 // of one task; 0: of all tasks of the unit
	ByTutor      bool  // who gave them is told, too: for holders of policy.SeeTutorPace
}

// ByRubric tells where a class loses, by the rubrics that its tasks were marked with. A criterion and a level are those
// of all versions of their rubric, named as in the one to mark by, or else the newest that has them. Points that were
// lost are counted by the version that the work was marked with.
type ByRubric struct {
	Least int          `json:"least_compared" doc:"from how many marked tasks on a tutor is compared with all others, who must have given as many"`
	Weeks []clock.Date `json:"weeks" doc:"the Mondays of those in which levels were given that stand"`
	Tasks []RubricTask `json:"tasks" doc:"those that have a rubric or were marked with one, in the order of their target grades and starts"`
}

// RubricTask is a task with what its rubric came to.
type RubricTask struct {
	DefinitionID int64  `db:"id" json:"task_definition_id"`
	Abbreviation string `db:"abbreviation" json:"abbreviation"`
	Name         string `db:"name" json:"task_name"`
	Tally
	Criteria []CriterionTally `db:"-" json:"criteria" doc:"in their order, those of the rubric to mark by first"`
}

// CriterionTally is what a criterion came to.
type CriterionTally struct {
	ID    int64  `json:"id" doc:"the number of the criterion"`
	Title string `json:"title" doc:"what it is called"`
	Tally
	Levels []LevelTally `json:"levels" doc:"in their order"`
}

// LevelTally is how often a level was given.
type LevelTally struct {
	ID     int64  `json:"id" doc:"the number of the level"`
	Name   string `json:"name" doc:"what it is called in short"`
	Points *int64 `json:"points" doc:"what it is worth; null where levels have no points"`
	Marked int    `json:"marked" doc:"students' tasks that were given it"`
	Weeks  []int  `json:"weeks" doc:"of those, by the week in which it was given"`
}

// Tally is how much was marked, and how much of the points that there were was lost.
type Tally struct {
	Marked int           `json:"marked" doc:"students' tasks that were given a level"`
	Lost   *float64      `json:"lost_percent" doc:"of the points of the best levels; null where levels have no points"`
	Weeks  []WeekTally   `json:"weeks" doc:"the same by the week in which levels were given"`
	Tutors []TutorRubric `json:"tutors,omitempty" doc:"who gave enough to be compared with all others, by name; for convenors"`
}

// WeekTally is a Tally of one week.
type WeekTally struct {
	Marked int      `json:"marked" doc:"students' tasks that were given a level"`
	Lost   *float64 `json:"lost_percent" doc:"of the points of the best levels; null where levels have no points, or none was given"`
}

// TutorRubric is how one of the staff marked by a criterion, or by a whole rubric, beside all others.
type TutorRubric struct {
	UserID    int64        `json:"user_id"`
	FirstName string       `json:"first_name"`
	LastName  string       `json:"last_name"`
	Own       Given        `json:"own" doc:"what they gave"`
	Others    Given        `json:"others" doc:"what all others gave"`
	Apart     *float64     `json:"difference_percent" doc:"how far their mean is above that of the others; null without points"`
	Levels    []LevelShare `json:"levels" doc:"how often each level was given; empty for a whole rubric"`
}

// Given is what somebody gave.
type Given struct {
	Marked int      `json:"marked" doc:"students' tasks"`
	Mean   *float64 `json:"mean_percent" doc:"of the points of the best levels; null where levels have no points"`
	Spread *float64 `json:"spread_percent" doc:"standard deviation around the mean; null where levels have no points"`
}

// LevelShare is how often a level was given, by one of the staff and by all others.
type LevelShare struct {
	ID     int64   `json:"id" doc:"the number of the level"`
	Name   string  `json:"name" doc:"what it is called in short"`
	Own    float64 `json:"own_percent" doc:"of what they gave"`
	Others float64 `json:"others_percent" doc:"of what all others gave"`
}

// RubricTasks are the tasks of a unit that have a rubric or were marked with one, in the order of their target grades
// and starts. It is for holders of policy.ReadUnit.
func RubricTasks(ctx context.Context, q db.Q, unitID int64) ([]RubricTask, error) {
	return db.All[RubricTask](ctx, q, `SELECT d.id, d.abbreviation, d.name FROM task_definitions d WHERE d.unit_id = $1
		AND EXISTS (SELECT 1 FROM rubrics r WHERE r.task_definition_id = d.id)
		ORDER BY d.target_grade, d.start_date, d.abbreviation, d.id`, unitID)
}

// Count counts the levels. Their number of statements does not depend on how many there are. It is for holders of
// policy.ReadStatistics.
func (s RubricSearch) Count(ctx context.Context, q db.Q) (*ByRubric, error) {
	tasks, err := s.asked(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("read the rubrics of a unit: %w", err)
	}
	c := rubricCount{of: map[int64]*versionCount{}}
	for i := range tasks {
		c.add(&tasks[i])
	}
	if err := s.read(ctx, q, &c); err != nil {
		return nil, fmt.Errorf("count the levels of a class: %w", err)
	}
	names := map[int64]person{}
	if s.ByTutor {
		if names, err = c.tutors(ctx, q); err != nil {
			return nil, err
		}
	}
	return c.result(names), nil
}

// rubricTask is a task with its rubrics, the one to mark by first.
type rubricTask struct {
	RubricTask
	versions []rubricVersion
}

type rubricVersion struct {
	id       int64
	criteria rubric.Criteria
}

// asked reads the tasks with their rubrics.
func (s RubricSearch) asked(ctx context.Context, q db.Q) (out []rubricTask, err error) {
	for r, err := range db.Each[struct {
		RubricTask
		RubricID int64           `db:"rubric_id"`
		Criteria rubric.Criteria `db:"criteria"`
	}](ctx, q, `SELECT d.id, d.abbreviation, d.name, r.id AS rubric_id, r.criteria
		FROM task_definitions d JOIN rubrics r ON r.task_definition_id = d.id
		WHERE d.unit_id = $1 AND (CAST($2 AS BIGINT) = 0 OR d.id = CAST($2 AS BIGINT))
		ORDER BY d.target_grade, d.start_date, d.abbreviation, d.id, r.current DESC, r.version DESC`, s.UnitID,
		s.DefinitionID) {
		if err != nil {
			return nil, err
		}
		if n := len(out); n == 0 || out[n-1].DefinitionID != r.DefinitionID {
			out = append(out, rubricTask{RubricTask: r.RubricTask})
		}
		last := &out[len(out)-1]
		last.versions = append(last.versions, rubricVersion{r.RubricID, r.Criteria})
	}
	return out, nil
}

// read reads the levels that stand, a text for each rubric: a row for each piece of work costs three times as much.
func (s RubricSearch) read(ctx context.Context, q db.Q, c *rubricCount) error {
	and, args := s.and([]any{s.UnitID, s.DefinitionID})
	for r, err := range db.Each[struct {
		RubricID int64  `db:"rubric_id"`
		Marks    string `db:"marks"`
	}](ctx, q, `SELECT m.rubric_id, string_agg(m.user_id || ' ' || `+db.Instant(q, "m.at")+` || ' ' || m.levels, ';')
			AS marks`+givenLevels+areGiven+and+` GROUP BY m.rubric_id`, args...) {
		if err != nil {
			return err
		}
		for text := range strings.SplitSeq(r.Marks, ";") {
			if err := c.mark(c.of[r.RubricID], text); err != nil {
				return err
			}
		}
	}
	return nil
}

// givenLevels are the levels m that stand on tasks t of projects p in the unit $1, of the definition $2 or of all:
// those of the rubrics r of the definitions d.
const (
	givenLevels = ` FROM task_definitions d JOIN rubrics r ON r.task_definition_id = d.id
		JOIN rubric_marks m ON m.rubric_id = r.id AND m.present AND m.levels <> '[]'
		JOIN tasks t ON t.id = m.task_id JOIN projects p ON p.id = t.project_id`
	areGiven = ` WHERE d.unit_id = $1 AND (CAST($2 AS BIGINT) = 0 OR d.id = CAST($2 AS BIGINT)) AND p.enrolled`
)

// mark counts what was given: who gave it, when, and which levels.
func (c *rubricCount) mark(v *versionCount, text string) error {
	user, rest, _ := strings.Cut(text, " ")
	at, levels, _ := strings.Cut(rest, " ")
	tutor, err := strconv.ParseInt(user, 10, 64)
	if err != nil {
		return err
	}
	when, err := clock.ParseMilli(at)
	if err != nil {
		return err
	}
	week := mondayOf(when)
	c.weeks[week] = true
	sum := earnedPoints{}
	for part := range strings.SplitSeq(strings.Trim(levels, "[]"), ",") {
		id, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return err
		}
		if l, known := v.levels[id]; known { // a rubric has all that was picked in it
			l.criterion.add(tutor, week, l.points)
			l.level.give(tutor, week)
			sum.points, sum.of = sum.points+l.points.points, sum.of+l.points.of
		}
	}
	v.task.add(tutor, week, sum)
	return nil
}

const dayLong = 24 * 60 * 60 * 1000 // in milliseconds

// mondayOf is the day on which the week of a moment began, as days since 1970, which began on a Thursday.
func mondayOf(at clock.Milli) int64 {
	days := int64(at) / dayLong
	return days - (days+3)%7
}

// dateOf is a day that is counted from 1970 on.
func dateOf(days int64) clock.Date { return clock.On(1970, 1, 1).AddDays(int(days)) }

// sorted are the weeks in which anything was given.
func (c *rubricCount) sorted() (days []int64) {
	for day := range c.weeks {
		days = append(days, day)
	}
	slices.Sort(days)
	return days
}
