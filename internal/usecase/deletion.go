package usecase

import (
	"cmp"
	"context"

	"lectern/internal/connect/notify"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/trash"
)

// What may hold students' work is deleted and restored here, and those students are
// told. By force it goes into the archive with all of it; otherwise work stands in the
// way.

// removal is one thing to be deleted.
type removal struct {
	trash.Thing
	called string // in a refusal
	unitID int64
	setID  int64 // the group set it belongs to; 0: none
	force  bool
	remove func(q db.Q) error // deletes the record itself
}

// DeleteDefinition deletes a task definition of the caller's unit.
func (s *Service) DeleteDefinition(ctx context.Context, who *access.Caller, id int64, force bool) error {
	return s.DB.Tx(ctx, func(q db.Q) error {
		if err := db.Lock(ctx, q, "task_definitions", id); err != nil {
			return err
		}
		f, err := taskdef.DefinitionByID(ctx, q, id)
		if err != nil {
			return err
		}
		return s.remove(ctx, q, who, removal{Thing: trash.Thing{Kind: trash.Definition, ID: id},
			called: "The task " + f.Abbreviation, unitID: who.UnitID, force: force,
			remove: func(q db.Q) error { return taskdef.DeleteDefinition(ctx, q, id) }})
	})
}

// DeleteGroupSet deletes a group set of the caller's unit with its groups.
func (s *Service) DeleteGroupSet(ctx context.Context, who *access.Caller, id int64, force bool) error {
	return s.DB.Tx(ctx, func(q db.Q) error {
		if err := db.Lock(ctx, q, "group_sets", id); err != nil {
			return err
		}
		set, err := enrol.GroupSetByID(ctx, q, id)
		if err != nil {
			return err
		}
		return s.remove(ctx, q, who, removal{Thing: trash.Thing{Kind: trash.GroupSet, ID: id},
			called: "The group set " + set.Name, unitID: who.UnitID, setID: id, force: force,
			remove: func(q db.Q) error { return enrol.DeleteGroupSet(ctx, q, id) }})
	})
}

// DeleteGroup deletes a group of a set of the caller's unit; as a student only when nobody
// else is in it.
func (s *Service) DeleteGroup(ctx context.Context, who *access.Caller, setID, id int64, force bool) error {
	return s.DB.Tx(ctx, func(q db.Q) error {
		g, err := enrol.LockGroup(ctx, q, setID, id)
		if err != nil {
			return err
		}
		if !who.May(policy.SteerGroup) && g.StudentCount > 1 {
			return fault.New(fault.Denied, "This group has other members, so only staff may delete it.")
		}
		return s.remove(ctx, q, who, removal{Thing: trash.Thing{Kind: trash.Group, ID: id},
			called: "The group " + g.Name, unitID: who.UnitID, setID: setID, force: force,
			remove: func(q db.Q) error { return enrol.DeleteGroup(ctx, q, id) }})
	})
}

// remove removes a thing: by force into the archive, else only where no student's
// work goes with it. What something in the archive needs goes there, too.
func (s *Service) remove(ctx context.Context, q db.Q, who *access.Caller, r removal) error {
	keep := r.force
	var err error
	if r.force {
		err = who.Must(policy.DeleteWork)
	} else if err = trash.Refuse(ctx, q, r.Thing, r.called); err == nil && r.setID != 0 {
		keep, err = trash.Needed(ctx, q, r.setID)
	}
	if err != nil {
		return err
	}
	if !keep {
		return r.remove(q)
	}
	if r.Kind == trash.GroupSet && !r.force {
		if err := enrol.UnusedSet(ctx, q, r.ID); err != nil {
			return err
		}
	}
	kept, students, err := trash.Keep(ctx, q, r.Thing, who.ID)
	if err != nil {
		return err
	}
	if err := r.remove(q); err != nil {
		return err
	}
	if r.Kind != trash.Definition {
		if err := taskdef.DefinitionsChanged(ctx, q, r.unitID); err != nil {
			return err
		}
	}
	return s.tellStudents(ctx, q, who, kept, students, false)
}

// RestoreDeleted brings something back that was deleted in the caller's unit, as it was.
func (s *Service) RestoreDeleted(ctx context.Context, who *access.Caller, unitID, id int64) (out *trash.Deletion,
	err error) {
	err = s.DB.Tx(ctx, func(q db.Q) error {
		r, err := trash.Restore(ctx, q, unitID, id)
		if err != nil {
			return err
		}
		out = &r.Deletion
		if r.Anonymised() {
			return fault.New(fault.Conflict, "Anonymised work comes back as a whole: undo the decision on the unit.")
		}
		if err := settle(ctx, q, r); err != nil {
			return err
		}
		kind := map[trash.Kind]audit.Kind{trash.GroupSet: audit.Group, trash.Group: audit.Group,
			trash.Portfolios: audit.Unit}[r.Kind]
		kind = cmp.Or(kind, audit.Definition)
		if err := audit.Add(ctx, q, audit.Entry{Kind: kind, Action: "restored", UnitID: unitID,
			RecordID: r.RecordID}); err != nil {
			return err
		}
		return s.tellStudents(ctx, q, who, &r.Deletion, r.Students, true)
	})
	return out, err
}

// settle carries what came back to all that depends on it.
func settle(ctx context.Context, q db.Q, r *trash.Restored) error {
	if err := checkClasses(ctx, q, r); err != nil {
		return err
	}
	if err := submit.Resume(ctx, q, r.UnitID, r.Unfinished); err != nil {
		return err
	}
	if err := remakeErased(ctx, q, r.At); err != nil {
		return err
	}
	switch r.Kind {
	case trash.TaskWork:
		return recountedOf(ctx, q, r.RecordID)
	case trash.Portfolios:
		return nil
	}
	return taskdef.DefinitionsChanged(ctx, q, r.UnitID)
}

// checkClasses refuses groups whose members left the class they stay in.
func checkClasses(ctx context.Context, q db.Q, r *trash.Restored) error {
	switch r.Kind {
	case trash.GroupSet:
		return enrol.InTheirClass(ctx, q, r.RecordID)
	case trash.Group:
		g, err := enrol.GroupByID(ctx, q, r.RecordID)
		if err != nil {
			return err
		}
		return enrol.InTheirClass(ctx, q, g.GroupSetID)
	}
	return nil
}

// remakeErased has the documents made anew that name somebody who was erased while
// they were in the archive.
func remakeErased(ctx context.Context, q db.Q, since clock.Time) error {
	erased, err := ident.ErasedSince(ctx, q, since)
	for _, id := range erased { // hardly ever anybody
		if err == nil {
			_, err = submit.RemakeOf(ctx, q, id)
		}
	}
	return err
}

// deletionBody is what an event says of a deletion.
type deletionBody struct {
	Action     string     `json:"action"` // deleted or restored
	DeletionID int64      `json:"deletion_id"`
	Kind       trash.Kind `json:"kind"`
	RecordID   int64      `json:"record_id"`
	Name       string     `json:"name"`
	KeptUntil  clock.Time `json:"kept_until"`
}

// tellStudents lets the students know, by an event and by an email.
func (s *Service) tellStudents(ctx context.Context, q db.Q, who *access.Caller, x *trash.Deletion,
	students []trash.Student, restored bool) error {
	body := deletionBody{"deleted", x.ID, x.Kind, x.RecordID, x.Name, x.KeptUntil}
	if restored {
		body.Action = "restored"
	}
	list, projects := make([]events.Event, len(students)), make([]int64, len(students))
	for i, student := range students {
		projects[i] = student.ProjectID
		list[i] = events.Event{Kind: events.Deletion, ActorID: who.ID, UserID: student.UserID, UnitID: x.UnitID,
			ProjectID: student.ProjectID, Body: body}
	}
	if err := events.Add(ctx, q, list...); err != nil {
		return err
	}
	return s.Mailer.WorkDeleted(ctx, q, notify.Deletion{Kind: x.Kind, Name: x.Name, Anonymised: x.Anonymised(),
		Until: clock.Day(x.KeptUntil.Time), Restored: restored}, projects)
}
