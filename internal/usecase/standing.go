package usecase

import (
	"context"
	"slices"

	"lectern/internal/ground/bounds"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/source"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/work"
)

// mostFollowed is how much text is compared to find where the comments on a version stand.
const mostFollowed = 8 * bounds.MB

// StandingComment is a comment that points at the work, as it stands in one version.
type StandingComment struct {
	*work.Comment
	Stands  *Standing       `json:"stands" doc:"where it stands in this version; null: that is not there any more"`
	Where   string          `json:"where" doc:"the same in words, or the version and place it was written at"`
	Replies []*work.Comment `json:"replies" doc:"what was answered to it, the oldest first"`
}

// Standing is a place in a version that a comment has come to: lines of a file, or a page.
type Standing struct {
	File    *int    `json:"file" doc:"the number of the file in this version, from 0; null: the document"`
	Name    *string `json:"name" doc:"the name of the file; null: the document"`
	Line    *int    `json:"line" doc:"the first line, from 1; null: the document"`
	EndLine *int    `json:"end_line" doc:"the last line"`
	Page    *int    `json:"page" doc:"the page of the document; null: a file"`
}

// StandingComments lists what was said at places of a version and of those before it, each as it
// stands there, with what was answered to it, in the order it was said. What was said of a later
// version is left out. It is for whoever holds policy.ReadTask, marks nothing read, and is
// fault.Missing where there is no such version. The number of statements does not depend on how
// many comments there are, and no more than a bounded amount of text is compared: what that leaves
// out is said to be on the version it was written at.
func (s *Service) StandingComments(ctx context.Context, who *access.Caller, at work.TaskRef,
	timestamp string) ([]*StandingComment, error) {
	var list []*StandingComment
	var now *submit.ListedVersion
	var all map[int64][]source.File
	err := s.DB.View(ctx, func(q db.Q) error {
		versions, err := submit.Versions(ctx, q, at.ProjectID, at.DefinitionID)
		if err != nil {
			return err
		}
		if now, _, err = submit.FindVersion(versions, timestamp); err != nil {
			return err
		}
		talk, err := work.Comments(ctx, q, Reader(who), at, db.Page{})
		if err != nil {
			return err
		}
		list = pointedUntil(talk.Comments, now)
		all, err = source.FilesOfAll(ctx, q, versionsOf(list, now.ID))
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, s.stand(ctx, list, now.ID, all)
}

// pointedUntil are the comments with a place in a version or an earlier one, with their replies.
func pointedUntil(talk []*work.Comment, now *submit.ListedVersion) []*StandingComment {
	list, byID := []*StandingComment{}, map[int64]*StandingComment{}
	for _, c := range talk {
		if c.Place != nil && !c.Place.SubmittedAt.After(now.At.Time) {
			one := &StandingComment{Comment: c, Replies: []*work.Comment{}, Where: c.Place.WhereThen()}
			list, byID[c.ID] = append(list, one), one
		} else if c.ReplyTo != nil && byID[*c.ReplyTo] != nil {
			first := byID[*c.ReplyTo]
			first.Replies = append(first.Replies, c)
			byID[c.ID] = first // an answer to an answer is under the same comment
		}
	}
	return list
}

// versionsOf are the versions whose lines are pointed at, and now; none where all are of now.
func versionsOf(list []*StandingComment, now int64) []int64 {
	var ids []int64
	for _, c := range list {
		if id := c.Place.SubmissionID; id != now && c.Place.Line != nil && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if ids != nil {
		ids = append(ids, now)
	}
	return ids
}

// stand finds out where the comments stand in the version now: those of the latest versions first,
// as long as there is room to compare.
func (s *Service) stand(ctx context.Context, list []*StandingComment, now int64, all map[int64][]source.File) error {
	byVersion := map[int64][]*StandingComment{}
	for _, c := range list {
		switch {
		case c.Place.SubmissionID == now:
			c.at(&Standing{c.Place.Position, c.Place.Name, c.Place.Line, c.Place.EndLine, c.Place.Page})
		case c.Place.Line != nil:
			byVersion[c.Place.SubmissionID] = append(byVersion[c.Place.SubmissionID], c)
		}
	}
	if len(byVersion) == 0 {
		return nil
	}
	if err := s.texts.turn(ctx); err != nil {
		return err
	}
	defer s.texts.done()
	left := int64(mostFollowed)
	for _, id := range latestFirst(byVersion) {
		comments := byVersion[id]
		asked := make([]source.Lines, len(comments))
		for i, c := range comments {
			asked[i] = source.Lines{Number: *c.Place.Position, First: *c.Place.Line, Last: *c.Place.EndLine}
		}
		found, err := source.Followed(ctx, s.Files, all[id], all[now], asked, &left)
		if err != nil {
			return err
		}
		for i, f := range found {
			if f != nil {
				name := all[now][f.Number].Name
				comments[i].at(&Standing{File: &f.Number, Name: &name, Line: &f.First, EndLine: &f.Last})
			}
		}
	}
	return nil
}

// at notes where the comment stands.
func (c *StandingComment) at(here *Standing) {
	c.Stands = here
	p := c.Place.Place
	p.Position, p.Name, p.Line, p.EndLine = here.File, here.Name, here.Line, here.EndLine
	c.Where = p.Where()
}

// latestFirst are the versions with comments, the latest first.
func latestFirst(byVersion map[int64][]*StandingComment) []int64 {
	var ids []int64
	for id := range byVersion {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b int64) int {
		return byVersion[b][0].Place.SubmittedAt.Compare(byVersion[a][0].Place.SubmittedAt.Time)
	})
	return ids
}
