package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/source"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/work"
)

// WorkChanges is what became of a version's files, and of what was said at places of the older version.
type WorkChanges struct {
	*source.Changes
	Comments []*CarriedComment `json:"comments" doc:"what was said at places of the older version and of those before it"`

	Versions      []submit.ListedVersion `json:"-"` // of the task, the newest first
	Number, Older int                    `json:"-"` // of both versions, from 1; older is 0 where there is none
}

// CarriedComment is a comment on an older version with what became of the lines it points at.
type CarriedComment struct {
	*StandingComment
	Was  *Standing        `json:"was" doc:"where it stood in the older version; null: that was not there any more"`
	Fate source.LinesFate `json:"state" doc:"what became of the lines; unknown of a page, and where it cannot be told"`
}

// Changes tells what became of the files of a version since another one, or since the one before, and of the comments
// on that; of the first one all came. It is for whoever holds policy.ReadSubmission and policy.ReadTask, which are
// the same people, and fault.Missing where one of the two moments has no version. Few are compared at the same time.
func (s *Service) Changes(ctx context.Context, who *access.Caller, at work.TaskRef, timestamp string,
	against *string) (*WorkChanges, error) {
	c := &WorkChanges{Changes: &source.Changes{}, Comments: []*CarriedComment{}}
	var before, after []source.File
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		var v, than *submit.ListedVersion
		if v, than, err = c.find(ctx, q, at, timestamp, against); err != nil {
			return err
		}
		c.At = v.At
		ids := []int64{v.ID}
		if than != nil {
			c.Against = &than.At
			ids = append(ids, than.ID)
		}
		all, err := source.FilesOfAll(ctx, q, ids)
		if after = all[v.ID]; than != nil {
			before = all[than.ID]
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var said []*StandingComment
	if c.Against != nil {
		if said, err = s.StandingComments(ctx, who, at, c.Against.String()); err != nil {
			return nil, err
		}
	}
	if err := s.texts.turn(ctx); err != nil {
		return nil, err
	}
	defer s.texts.done()
	if c.Files, err = source.Compare(ctx, s.Files, before, after); err == nil {
		c.carry(said)
	}
	return c, err
}

// find finds the version of a moment and the one it is compared with; nil where it is the first.
func (c *WorkChanges) find(ctx context.Context, q db.Q, at work.TaskRef, timestamp string, against *string) (v,
	than *submit.ListedVersion, err error) {
	if c.Versions, err = submit.Versions(ctx, q, at.ProjectID, at.DefinitionID); err != nil {
		return nil, nil, err
	}
	if v, c.Number, err = submit.FindVersion(c.Versions, timestamp); err != nil {
		return nil, nil, err
	}
	if against != nil {
		than, c.Older, err = submit.FindVersion(c.Versions, *against)
		return v, than, err
	}
	if c.Older = c.Number - 1; c.Older > 0 {
		than = &c.Versions[len(c.Versions)-c.Older]
	}
	return v, than, nil
}

// carry tells of comments as they stand in the older version what became of them.
func (c *WorkChanges) carry(said []*StandingComment) {
	byOld := map[int]*source.FileChange{}
	for i := range c.Files {
		if f := &c.Files[i]; f.Old != nil {
			byOld[*f.Old] = f
		}
	}
	for _, one := range said {
		carried := &CarriedComment{StandingComment: one, Was: one.Stands, Fate: source.LinesUnknown}
		c.Comments = append(c.Comments, carried)
		then := one.Place.WhereThen()
		one.Stands, one.Where = nil, then
		if was := carried.Was; was != nil && was.Line != nil {
			f := byOld[*was.File]
			var at *source.Lines
			if carried.Fate, at = f.Became(*was.Line, *was.EndLine); at != nil {
				one.at(&Standing{File: f.New, Name: f.Name, Line: &at.First, EndLine: &at.Last})
			}
		}
	}
}
