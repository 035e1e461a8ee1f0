package unit

import (
	"context"
	"strconv"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/trash"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) deletedRoutes() {
	page.Show(s.Site, links.DeletedWork, policy.SeeDeleted, "What was deleted in a unit, and what it holds", s.deletedWork)
	page.Form(s.Site, links.DeletedWork+"/restore", policy.DeleteWork, "Restore something that was deleted in a unit",
		s.restoreWork, endpoint.Audited(audit.Definition, audit.Group, audit.Unit), endpoint.Asks(policy.SeeDeleted))
}

type deletedIn struct {
	ID   int64  `path:"id" scope:"unit"`
	At   int64  `param:"at"`   // the deletion whose content is shown
	Page int64  `param:"page"` // of those whose work it holds
	Done string `param:"done"` // restored, just now
}

// deletedPage is what was deleted in a unit, and perhaps what one of it holds.
type deletedPage struct {
	Unit     *course.Unit
	List     []trash.Deletion
	Holds    *heldPage // nil: nothing is looked into
	Restored bool
	words    *page.Language
}

// heldPage is what something that was deleted holds.
type heldPage struct {
	part
	*trash.Contents
	People []trash.HeldStudent
	words  *page.Language
}

// Path is where the page stands.
func (v *deletedPage) Path() string { return links.To(links.DeletedWork, v.Unit.ID) }

// Kind says what was deleted.
func (v *deletedPage) Kind(d *trash.Deletion) string { return kindOf(v.words, d.Kind) }

// Look is the address that shows what a deletion holds.
func (v *deletedPage) Look(d *trash.Deletion) string {
	return v.Path() + "?at=" + strconv.FormatInt(d.ID, 10) + "#holds"
}

// Open tells whether it is the deletion that is looked into.
func (v *deletedPage) Open(d *trash.Deletion) bool { return v.Holds != nil && v.Holds.ID == d.ID }

func kindOf(l *page.Language, k trash.Kind) string {
	switch k {
	case trash.GroupSet:
		return l.Word("deleted-work.group-set")
	case trash.Group:
		return l.Word("deleted-work.group")
	case trash.TaskWork:
		return l.Word("deleted-work.task-work")
	case trash.Portfolios:
		return l.Word("deleted-work.portfolios")
	}
	return l.Word("deleted-work.task")
}

// Counts says what it holds, a line for each kind of which there is any.
func (v *heldPage) Counts() (lines []string) {
	add := func(n int64, text string) {
		if n > 0 {
			lines = append(lines, text)
		}
	}
	add(v.Submissions, v.words.Word("deleted-work.submissions", v.Submissions))
	add(v.Comments, v.words.Word("deleted-work.comments", v.Comments))
	add(v.Recordings, v.words.Word("deleted-work.recordings", v.Recordings))
	add(v.Grades, v.words.Word("deleted-work.grades", v.Grades))
	add(v.Extensions, v.words.Word("deleted-work.extensions", v.Extensions))
	add(v.Groups, v.words.Word("deleted-work.groups", v.Groups))
	add(v.Files, v.words.Word("deleted-work.files", v.Files))
	return lines
}

func (s *room) deletedWork(ctx context.Context, who *access.Caller, in deletedIn) (*page.Page, error) {
	v, err := s.readDeleted(ctx, in)
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "deleted-work", s.Word("deleted-work.title"), v), nil
}

// readDeleted reads what was deleted. A number that is no longer kept, as of what was restored meanwhile, shows
// the list alone.
func (s *room) readDeleted(ctx context.Context, in deletedIn) (*deletedPage, error) {
	v := &deletedPage{Restored: in.Done == "restored", words: s.Words}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.ID); err != nil {
			return err
		}
		if v.List, err = trash.Of(ctx, q, in.ID); err != nil || in.At == 0 {
			return err
		}
		h := &heldPage{words: s.Words, part: part{Page: in.Page, On: namesOnPage, Path: v.Path(),
			With: "at=" + strconv.FormatInt(in.At, 10)}}
		h.clean()
		if h.Contents, err = trash.ContentsOf(ctx, q, in.ID, in.At); fault.Is(err, fault.Missing) {
			return nil
		}
		if err == nil {
			h.People, h.Total, err = trash.StudentsOf(ctx, q, in.ID, in.At, h.rows())
			v.Holds = h
		}
		return err
	})
	return v, err
}

// restoreWork brings something back. The students whose work it holds are told by the use case.
func (s *room) restoreWork(ctx context.Context, who *access.Caller, in struct {
	ID       int64 `path:"id" scope:"unit"`
	Deletion int64 `param:"deletion"`
}) (endpoint.Drawing, error) {
	_, err := s.Usecases.RestoreDeleted(ctx, who, in.ID, in.Deletion)
	if err == nil {
		return endpoint.Redirect{To: links.To(links.DeletedWork, in.ID) + "?done=restored"}, nil
	}
	v, again := s.readDeleted(ctx, deletedIn{ID: in.ID, At: in.Deletion})
	if again != nil {
		return nil, again
	}
	return s.Again(s.Refusal(who, "deleted-work", s.Word("deleted-work.title"), v), err)
}
