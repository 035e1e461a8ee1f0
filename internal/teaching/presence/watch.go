package presence

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
)

// Kind is that of what is told. It is none of those that are kept.
const Kind events.Kind = "presence"

// looking is somebody who looks at a task, with whom that concerns.
type looking struct {
	ProjectID    int64      `db:"project_id"`
	DefinitionID int64      `db:"task_definition_id"`
	UserID       int64      `db:"user_id"`
	Name         string     `db:"name"`
	Since        clock.Time `db:"since"`
	UnitID       int64      `db:"unit_id"`
	OwnerID      int64      `db:"owner_id"`
	TaskID       int64      `db:"task_id"`
}

// place is what a row is known by.
type place struct {
	Task
	userID int64
}

// change is what the staff of the unit are told.
type change struct {
	Action       string     `json:"action"` // arrived or left
	DefinitionID int64      `json:"task_definition_id"`
	Name         string     `json:"name"`
	Since        clock.Time `json:"since"`
}

// Source tells who began to look at a task and who ceased to, be it that they left or
// that they were not heard of for Lasts. It compares what the database has with what
// it had before, so that it works on every instance alike, and nothing is kept of it.
// At first it had nothing: whoever came between the first listener and the first look
// is told of, too. The student whose task it is hears nothing, even where they teach
// the unit.
func Source(d *db.DB) events.Source {
	before := map[place]looking{}
	return func(ctx context.Context) ([]events.Event, error) {
		now, err := all(ctx, d.Pool())
		if err != nil {
			return nil, err
		}
		list := append(differences(before, now, "left", d.Now()), differences(now, before, "arrived", d.Now())...)
		before = now
		return list, nil
	}
}

// all gives everybody who looks at a task.
func all(ctx context.Context, q db.Q) (map[place]looking, error) {
	out := map[place]looking{}
	for r, err := range db.Each[looking](ctx, q, `SELECT h.project_id, h.task_definition_id, h.user_id, `+name+`, h.since,
			p.unit_id, p.user_id AS owner_id, coalesce(t.id, 0) AS task_id
		FROM presences h JOIN users u ON u.id = h.user_id JOIN projects p ON p.id = h.project_id
		LEFT JOIN tasks t ON t.project_id = h.project_id AND t.task_definition_id = h.task_definition_id
		WHERE h.seen_at > $1`, ago(q, Lasts)) {
		if err != nil {
			return nil, fmt.Errorf("read who looks at tasks: %w", err)
		}
		out[place{Task{r.ProjectID, r.DefinitionID}, r.UserID}] = r
	}
	return out, nil
}

// differences gives an event for each who is in one map and not in the other.
func differences(in, notIn map[place]looking, action string, at clock.Time) (list []events.Event) {
	for k, r := range in {
		if _, both := notIn[k]; !both {
			list = append(list, events.Event{Kind: Kind, At: at, ActorID: r.UserID, UnitID: r.UnitID,
				ProjectID: r.ProjectID, TaskID: r.TaskID, HiddenFrom: r.OwnerID,
				Body: change{action, r.DefinitionID, r.Name, r.Since}})
		}
	}
	return list
}
