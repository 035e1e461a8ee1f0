package turnitin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/tca"
)

// task is a task definition as the service is told of it.
type task struct {
	ID           int64       `db:"id"`
	UnitID       int64       `db:"unit_id"`
	Abbreviation string      `db:"abbreviation"`
	Name         string      `db:"name"`
	TargetDate   clock.Date  `db:"target_date"`
	DueDate      *clock.Date `db:"due_date"`
	UnitCode     string      `db:"code"`
	UnitName     string      `db:"unit_name"`
	UnitStart    clock.Date  `db:"start_date"`
	UnitEnd      clock.Date  `db:"end_date"`
	Period       *string     `db:"period"`
	Year         *int        `db:"year"`
	Sent         *string     `db:"sent"`
}

const selectTasks = `SELECT d.id, d.unit_id, d.abbreviation, d.name, d.target_date, d.due_date, u.code,
	u.name AS unit_name, u.start_date, u.end_date, p.period, p.year, g.sent
	FROM task_definitions d JOIN units u ON u.id = d.unit_id LEFT JOIN teaching_periods p ON p.id = u.teaching_period_id
	LEFT JOIN tii_groups g ON g.task_definition_id = d.id`

func taskByID(ctx context.Context, q db.Q, id int64) (*task, error) {
	t, err := db.OneOf[task](ctx, q, "task definition", selectTasks+` WHERE d.id = $1`, id)
	if fault.Is(err, fault.Missing) {
		return nil, errLost
	}
	return t, err
}

// term says when a unit is taught.
func (t *task) term() string {
	if t.Period != nil && t.Year != nil {
		return fmt.Sprintf("%s %d", *t.Period, *t.Year)
	}
	return t.UnitStart.String()
}

// due is the last second in which work is taken.
func (t *task) due() time.Time {
	day := t.UnitEnd
	if t.DueDate != nil {
		day = *t.DueDate
	} else if t.TargetDate.After(day) {
		day = t.TargetDate
	}
	return day.AddDays(1).Add(-time.Second)
}

const mostName = 250

// cut keeps a name within what the service takes.
func cut(text string) string {
	if r := []rune(text); len(r) > mostName {
		return string(r[:mostName])
	}
	return text
}

// course is the unit of a task at the service.
func (s *Service) course(t *task) *tca.Context {
	return &tca.Context{ID: s.remoteID("unit", t.UnitID), Name: cut(t.UnitCode + " " + t.UnitName + " " + t.term())}
}

// group is a task at the service.
func (s *Service) group(t *task) *tca.Group {
	return &tca.Group{ID: s.remoteID("task definition", t.ID), Name: cut(t.Abbreviation + " " + t.Name),
		Type: "ASSIGNMENT", Context: s.course(t), Due: t.due().UTC().Format(time.RFC3339),
		Reports: "IMMEDIATELY_AND_DUE_DATE"}
}

// digest tells one description of a group from another.
func digest(g *tca.Group) string {
	text, err := json.Marshal(g)
	if err != nil {
		panic(err) // a struct of texts always encodes
	}
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])
}

// updateGroup is the step of UpdateGroup.
func (s *Service) updateGroup(ctx context.Context, a *Action) error {
	t, err := taskByID(ctx, s.DB.Pool(), *a.DefinitionID)
	if err != nil {
		return err
	}
	return s.ensureGroup(ctx, a, t)
}

// ensureGroup tells the service of a task unless it knows all of it.
func (s *Service) ensureGroup(ctx context.Context, a *Action, t *task) error {
	g := s.group(t)
	if t.Sent != nil && *t.Sent == digest(g) {
		return nil
	}
	if err := s.call(ctx, func(ctx context.Context) error { return s.Client.PutGroup(ctx, g) }); err != nil {
		return unless(err, tca.NotFound, &failure{NoGroup,
			"The similarity service does not take the task.", false})
	}
	return s.advance(ctx, a, "The similarity service was told of the task.", func(q db.Q) error {
		_, err := db.Exec(ctx, q, `INSERT INTO tii_groups (task_definition_id, sent) VALUES ($1, $2)
			ON CONFLICT (task_definition_id) DO UPDATE SET sent = excluded.sent`, t.ID, digest(g))
		return err
	})
}
