package moderation

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/status"
)

// mostText bounds what is written for the staff, in characters.
const mostText = 4000

// NewMark is what a second marker gives a work.
type NewMark struct {
	Given
	Comment string // for the staff
}

// fit makes what somebody gives a work what the work can be given: levels in the order of their criteria, and what they
// add up to as the points, where no other are given. It refuses what no verdict could give.
func (r *row) fit(ctx context.Context, q db.Q, g Given) (Given, error) {
	if !slices.Contains(results, g.Status) {
		return g, fault.Field(fault.Refused, "status", "must be one that says what came of the work")
	}
	if len(g.Levels) > 0 {
		if r.RubricID == nil {
			return g, fault.Field(fault.Refused, "levels", "cannot be picked: this work is marked without a rubric")
		}
		its, err := rubric.ByID(ctx, q, *r.RubricID)
		if err != nil {
			return g, err
		}
		p, err := its.Pick(g.Levels)
		if err != nil {
			return g, err
		}
		g.Levels = p.Levels
		if g.Quality == nil {
			g.Quality = p.Sum
		}
	}
	passed := slices.Contains(status.Passed, g.Status)
	var wrong fault.Fields
	switch {
	case g.Grade != nil && !r.IsGraded:
		wrong.Add("grade", "cannot be given: this task is not graded")
	case g.Grade != nil && !g.Grade.Valid():
		wrong.Add("grade", "must be from %d to %d", grade.Lowest, grade.Highest)
	case g.Grade == nil && r.IsGraded && passed:
		wrong.Add("grade", "is required: this task is graded")
	}
	switch {
	case g.Quality != nil && r.MaxQuality == 0:
		wrong.Add("quality_pts", "cannot be given: this task has no quality points")
	case g.Quality != nil && (*g.Quality < 0 || *g.Quality > r.MaxQuality):
		wrong.Add("quality_pts", "must be from 0 to %d", r.MaxQuality)
	case g.Quality == nil && r.MaxQuality > 0 && passed:
		wrong.Add("quality_pts", "are required: this task has quality points")
	}
	return g, wrong.Err(fault.Refused)
}

// refuse tells why somebody cannot mark the work a second time; nil: they can.
func (r *row) refuse(userID int64) error {
	switch {
	case r.Own:
		return fault.New(fault.Denied, "You have a part in this work, so somebody else has to mark it.")
	case r.FirstBy == userID:
		return fault.New(fault.Denied, "You marked this work first, so somebody else has to mark it a second time.")
	case r.SecondBy != nil && *r.SecondBy == userID:
		return fault.New(fault.Conflict, "You gave your mark already. It stays as it is: what came of it is below.")
	case r.SecondBy != nil:
		return fault.New(fault.Conflict, "%s marked this work in the meantime, so yours is not saved. Go on with the "+
			"next one.", *r.SecondName)
	case r.AssignedID != nil && *r.AssignedID != userID:
		return fault.New(fault.Denied, "%s is to mark this work. A convenor can give it to somebody else.",
			opt.Or(r.Assigned, "A colleague"))
	}
	return nil
}

// Give gives a work of a sample its second mark, for holders of policy.SecondMark who did not mark it first, have no
// part in it, and where it is given to anybody, are whom it is given to: others are fault.Denied. Of two who do so at
// once the first counts, and the other is fault.Conflict. The student's task stays as it is.
func Give(ctx context.Context, q db.Q, who Reader, unitID, id int64, s NewMark) (*Work, error) {
	r, err := held(ctx, q, who, unitID, id)
	if err != nil {
		return nil, err
	}
	if err := r.refuse(who.UserID); err != nil {
		return nil, err
	}
	s.Comment = strings.TrimSpace(s.Comment)
	if utf8.RuneCountInString(s.Comment) > mostText {
		return nil, fault.Field(fault.Refused, "comment", "must have at most %d characters", mostText)
	}
	if s.Given, err = r.fit(ctx, q, s.Given); err != nil {
		return nil, err
	}
	text, err := s.Levels.Value()
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, q, `UPDATE moderation_works SET second_by = $2, second_at = $3, second_status = $4,
			second_grade = $5, second_quality = $6, second_levels = $7, second_comment = $8, agreed = $9 WHERE id = $1`,
		id, who.UserID, q.Now(), string(s.Status), s.Grade, s.Quality, text, s.Comment, r.first().same(s.Given)); err != nil {
		return nil, err
	}
	if err := r.record(ctx, q, "marked"); err != nil {
		return nil, err
	}
	return ByID(ctx, q, who, unitID, id)
}

// held reads a work of a unit and holds it until the transaction ends.
func held(ctx context.Context, q db.Q, who Reader, unitID, id int64) (*row, error) {
	if err := db.Lock(ctx, q, "moderation_works", id); err != nil {
		return nil, err
	}
	return one(ctx, q, who.UserID, unitID, id)
}

// record puts on record what was done with the work. It names no student: what the log tells of a person is told to
// them without a mark that they are not to see.
func (r *row) record(ctx context.Context, q db.Q, action string) error {
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Moderation, Action: action, UnitID: r.UnitID, RecordID: r.ID})
}

// Assign gives a work that waits to one of the staff to mark, or to anybody, for holders of policy.Moderate. Whoever
// is not on the staff, or marked it first, is fault.Refused; work with its second mark is fault.Conflict.
func Assign(ctx context.Context, q db.Q, who Reader, unitID, id int64, to *int64) (*Work, error) {
	r, err := held(ctx, q, who, unitID, id)
	if err != nil {
		return nil, err
	}
	switch {
	case r.Own:
		return nil, fault.New(fault.Missing, "This work is in no sample that you mark.")
	case r.SecondBy != nil:
		return nil, fault.New(fault.Conflict, "%s marked this work in the meantime.", *r.SecondName)
	case to != nil && *to == r.FirstBy:
		return nil, fault.Field(fault.Refused, "user_id", "marked this work first: choose somebody else")
	case to != nil:
		if err := onStaff(ctx, q, unitID, "user_id", *to); err != nil {
			return nil, err
		}
	}
	if _, err := db.Exec(ctx, q, `UPDATE moderation_works SET assigned_id = $2 WHERE id = $1`, id, to); err != nil {
		return nil, err
	}
	if err := r.record(ctx, q, "assigned"); err != nil {
		return nil, err
	}
	return ByID(ctx, q, who, unitID, id)
}
