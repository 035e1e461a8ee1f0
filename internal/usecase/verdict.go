package usecase

import (
	"context"
	"fmt"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/snippet"
	"lectern/internal/teaching/verdict"
	"lectern/internal/teaching/work"
)

// VerdictOn is a verdict that one of the staff gives on a task, and what they had before
// them when they did.
type VerdictOn struct {
	verdict.Verdict
	At     work.TaskRef // the task
	TaskID int64        // in place of At, its number
	// Append is a reusable comment whose text comes behind the comment, as a page without
	// script sends it; 0: none.
	Append int64
	// Snippets are reusable comments that the comment was made of, whose texts may stand in
	// it no more: those that do are found.
	Snippets []int64
	// PointsAt are the comments that point at the work, in their order.
	PointsAt []PointedOn
	// Seen is how many comments, from the first, stood beside the verdict; nil: all there are.
	Seen *int64
}

// PointedOn is a comment that comes with a verdict and points at the work.
type PointedOn struct {
	Text  string  `json:"comment" doc:"the words; at most 4095 characters with the place in front of them"`
	Place PlaceOn `json:"place" doc:"where in the work it points"`
}

// GiveVerdict gives a verdict on a task: comments, a move and marks, all or nothing, in one
// transaction with what follows from it. The reusable comments that it was made of are
// counted, and its giver has read what they saw of the conversation; what came since stays
// new. It needs the rights to change and grade the task, and to comment on it where there is
// a comment, and refuses what verdict.Give refuses: then nothing of it happens. A repeat with
// the same key is given the first answer and changes nothing.
func (s *Service) GiveVerdict(ctx context.Context, who *access.Caller, v VerdictOn) (*verdict.Given, error) {
	if err := mayMark(who, v.Comment != "" || v.Append != 0 || len(v.PointsAt) > 0); err != nil {
		return nil, err
	}
	if err := s.point(ctx, &v); err != nil {
		return nil, err
	}
	return change(ctx, s.DB, func(q db.Q) (*verdict.Given, error) {
		v := v // each try begins with what was sent
		if err := v.complete(ctx, q, who); err != nil {
			return nil, err
		}
		unread, err := newAmong(ctx, q, who, v.At, opt.Or(v.Seen, db.NoLimit))
		if err != nil {
			return nil, err
		}
		given, err := verdict.Give(ctx, q, Mover(who), v.At, v.Verdict)
		if err != nil || given.Repeated {
			return given, err
		}
		if err := work.MarkRead(ctx, q, Reader(who), unread); err != nil {
			return nil, err
		}
		return given, snippet.Said{UserID: who.ID, UnitID: who.UnitID, DefinitionIDs: []int64{v.At.DefinitionID},
			Text: v.Comment, Named: v.Snippets}.Count(ctx, q)
	})
}

// point looks where in the work the comments of a verdict point.
func (s *Service) point(ctx context.Context, v *VerdictOn) (err error) {
	v.Pointed, err = s.pointed(ctx, v.At, v.TaskID, v.PointsAt)
	return err
}

// pointed are comments that point at the work for a task, once it is known where.
func (s *Service) pointed(ctx context.Context, at work.TaskRef, taskID int64, said []PointedOn) ([]work.NewComment,
	error) {
	if len(said) == 0 {
		return nil, nil
	}
	if len(said) > work.MaxPointed {
		return nil, fault.Field(fault.Invalid, "comments", "are %d: the limit is %d", len(said), work.MaxPointed)
	}
	at, err := placeOf(ctx, s.DB.Pool(), at, taskID)
	if err != nil {
		return nil, err
	}
	list := make([]*namedPlace, len(said))
	for i, c := range said {
		list[i] = &namedPlace{c.Place, fmt.Sprintf("comments[%d][place]", i)}
	}
	places, err := s.pointAt(ctx, at, list)
	if err != nil {
		return nil, err
	}
	out := make([]work.NewComment, len(places))
	for i, p := range places {
		out[i] = work.NewComment{Text: said[i].Text, Place: p}
	}
	return out, nil
}

// complete finds the task, and puts the reusable comment behind the comment.
func (v *VerdictOn) complete(ctx context.Context, q db.Q, who *access.Caller) (err error) {
	if v.At, err = placeOf(ctx, q, v.At, v.TaskID); err != nil || v.Append == 0 {
		return err
	}
	one, err := SnippetByID(ctx, q, who, v.Append)
	if err == nil {
		v.Comment = strings.TrimSpace(v.Comment + "\n" + one.Text)
	}
	return err
}

// UndoVerdict takes a verdict of the caller's own back. It needs what giving it needed.
func (s *Service) UndoVerdict(ctx context.Context, who *access.Caller, id int64) (*verdict.Undone, error) {
	if err := mayMark(who, true); err != nil {
		return nil, err
	}
	return change(ctx, s.DB, func(q db.Q) (*verdict.Undone, error) {
		return verdict.Undo(ctx, q, Mover(who), who.UnitID, id)
	})
}

// PlanVerdicts tells what GiveVerdicts would come to, and changes nothing: it is the same
// up to the commit.
func (s *Service) PlanVerdicts(ctx context.Context, who *access.Caller, unitID int64, v verdict.Verdict,
	tasks []verdict.TaskVersion) (*verdict.Batch, error) {
	if err := mayMark(who, v.Comment != ""); err != nil {
		return nil, err
	}
	v.Key = ""
	out, err := planned(ctx, s.DB, func(q db.Q) (*verdict.Batch, error) {
		return verdict.GiveBatch(ctx, q, Mover(who), unitID, v, tasks)
	})
	if err != nil {
		return nil, err
	}
	out.ID = nil
	for i := range out.Tasks {
		out.Tasks[i].VerdictID = nil
	}
	return out, nil
}

// GiveVerdicts gives one verdict on many tasks of a unit, wherever it can be given, in one
// transaction, and counts the reusable comments that it was made of, once for each task
// definition. It needs what GiveVerdict needs, in the unit. Nobody has the conversations of
// many tasks before them, so what is new there stays new.
func (s *Service) GiveVerdicts(ctx context.Context, who *access.Caller, unitID int64, v verdict.Verdict,
	tasks []verdict.TaskVersion) (out *verdict.Batch, err error) {
	if err := mayMark(who, v.Comment != ""); err != nil {
		return nil, err
	}
	err = s.DB.Tx(ctx, func(q db.Q) error {
		out, err = verdict.GiveBatch(ctx, q, Mover(who), unitID, v, tasks)
		if err != nil || out.Repeated || out.Done == 0 {
			return err
		}
		return snippet.Said{UserID: who.ID, UnitID: unitID, DefinitionIDs: out.Reached(), Text: v.Comment}.Count(ctx, q)
	})
	return out, err
}

// UndoVerdicts takes the verdicts of a batch of the caller's own back, wherever that can
// be done, in one transaction.
func (s *Service) UndoVerdicts(ctx context.Context, who *access.Caller, id int64) (out *verdict.UndoneBatch,
	err error) {
	if err := mayMark(who, true); err != nil {
		return nil, err
	}
	err = s.DB.Tx(ctx, func(q db.Q) error {
		out, err = verdict.UndoBatch(ctx, q, Mover(who), who.UnitID, id)
		return err
	})
	return out, err
}

// mayMark tells whether the caller may give a verdict, with a comment or without.
func mayMark(who *access.Caller, comments bool) error {
	rights := []*policy.Right{policy.GradeTask, policy.ChangeTask}
	if comments {
		rights = append(rights, policy.Comment)
	}
	for _, r := range rights {
		if err := who.Must(r); err != nil {
			return err
		}
	}
	return nil
}
