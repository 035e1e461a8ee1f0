package marking

import (
	"context"
	"crypto/rand"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/note"
	"lectern/internal/teaching/presence"
	"lectern/internal/teaching/queue"
	"lectern/internal/teaching/similarity"
	"lectern/internal/teaching/snippet"
	"lectern/internal/teaching/source"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/site/taskpart"
)

// mostEarlier is how many comments are folded away on the desk: the next work is to be there at once, whatever was
// said of it.
const mostEarlier = 50

// deskTask is the task that lies on the desk.
type deskTask struct {
	*usecase.TaskDetail
	*work.MarkedTask
	Path            string // of the task's own page
	Making          *taskpart.Making
	Work            *deskWork // nil: nothing was submitted
	Earlier, Recent []*taskpart.Line
	Older           int           // of the earlier ones are on the task's own page alone
	Asked           *work.Comment // a request for more time that waits; nil: there is none
	Reviews         *taskpart.Reviews
	Tests           *taskpart.Tests
	Row             *queue.Row  // as the queue has it
	Before, After   int64       // the tasks around it in the queue; 0: there is none
	Others          string      // who else looks at it
	Notes           []note.Note // of the staff, which students never see
	MayNote         bool        // the reader may read and write them
	MayKeep         bool        // the reader may save comments to use them again
	History         []work.HistoryEntry
	Similar         []similarity.Record
	Snippets        []snippet.Snippet // reusable comments for it
	OfLevels        []snippet.Snippet // those for levels of its rubric
	Rubric          *deskRubric       // what it is marked by, or was; nil: nothing
	Key             string
	document        *files.Hash
	Text            *usecase.Text // of the document, where it is asked for; nil: none could be taken out of it
}

// Files are those of the latest submission.
func (t *deskTask) Files() []source.File {
	if t.Work == nil {
		return nil
	}
	return t.Work.Files
}

// Ready tells whether there is a document.
func (t *deskTask) Ready() bool { return t.Making != nil && t.Making.State == submit.Ready }

// Late tells whether the latest work came after its time.
func (t *deskTask) Late() bool { return t.SubmittedAt != nil && t.SubmittedAt.After(t.Due.Ends.Time) }

// Title names the student and the task.
func (t *deskTask) Title() string { return t.Definition.Abbreviation + " " + t.Student() }

// Student is the name of whose work it is.
func (t *deskTask) Student() string {
	if t.Project.ForStaff == nil { // who students are is not for the reader
		return ""
	}
	return t.Project.FirstName + " " + t.Project.LastName
}

// deskTask reads all that the desk shows of a task; who must be resolved on it.
func (s *room) deskTask(ctx context.Context, q db.Q, who *access.Caller, v *deskPage) (t *deskTask, err error) {
	t = &deskTask{Key: rand.Text()}
	if t.MarkedTask, err = work.TaskForMarker(ctx, q, who.TaskID, who.ID); err != nil {
		return nil, err
	}
	if t.TaskDetail, err = usecase.TaskByID(ctx, q, who, t.Ref()); err != nil {
		return nil, err
	}
	in := taskpart.In{ProjectID: t.ProjectID, DefinitionID: t.DefinitionID}
	t.Path = in.Path()
	if err := s.deskDocument(ctx, q, who, in, t); err != nil {
		return nil, err
	}
	t.Earlier, t.Recent, _ = taskpart.Folded(t.Talk.Comments, t.Versions, who.ID)
	t.Older = max(0, len(t.Earlier)-mostEarlier)
	t.Earlier = t.Earlier[t.Older:]
	t.Asked = undecided(t.Talk.Comments)
	t.around(v)
	if err := t.loadNotes(ctx, q, who); err != nil {
		return nil, err
	}
	if t.Rubric, err = deskRubricOf(ctx, q, t.ProjectID, t.DefinitionID); err != nil {
		return nil, err
	}
	if t.History, _, err = work.History(ctx, q, t.Ref(), db.Part(taskpart.LatestEntries, 0)); err != nil {
		return nil, err
	}
	if err := t.loadSnippets(ctx, q, who, v.UnitID); err != nil {
		return nil, err
	}
	if t.Similar, err = similarTo(ctx, q, who, t.ID); err != nil {
		return nil, err
	}
	if t.Reviews, err = taskpart.ReviewsOf(ctx, q, who, in); err != nil {
		return nil, err
	}
	t.Tests, err = taskpart.TestsOf(ctx, s.Site, who, in)
	return t, err
}

// undecided is the oldest request for more time that waits for a decision; nil: none does.
func undecided(all []*work.Comment) *work.Comment {
	for _, c := range all {
		if c.Type == "extension" && !c.Assessed {
			return c
		}
	}
	return nil
}

// loadNotes adds what only the staff see of each other: who else looks at the task, and
// their notes on the student.
func (t *deskTask) loadNotes(ctx context.Context, q db.Q, who *access.Caller) error {
	if who.May(policy.SeePresence) {
		at := presence.Task{ProjectID: t.ProjectID, DefinitionID: t.DefinitionID}
		others, err := presence.Others(ctx, q, who.ID, at)
		if err != nil {
			return err
		}
		t.Others = names(others)
	}
	if t.MayNote = who.May(policy.TakeNotes); !t.MayNote {
		return nil
	}
	var err error
	t.Notes, err = note.Of(ctx, q, t.ProjectID, t.DefinitionID)
	return err
}

// names are those of whoever looks at a task.
func names(list []presence.Looker) string {
	all := make([]string, len(list))
	for i, l := range list {
		all[i] = l.Name
	}
	return strings.Join(all, ", ")
}

// similarTo gives what the work of a task is similar to, as far as it is to be looked at, to
// whoever may see that.
func similarTo(ctx context.Context, q db.Q, who *access.Caller, taskID int64) (list []similarity.Record, err error) {
	if !who.May(policy.SeeSimilarities) {
		return nil, nil
	}
	all, _, err := similarity.List(ctx, q, who, taskID, db.Page{})
	for i := range all {
		if all[i].Flagged {
			list = append(list, all[i])
		}
	}
	return list, err
}

// deskDocument adds what is known of the latest submission.
func (s *room) deskDocument(ctx context.Context, q db.Q, who *access.Caller, in taskpart.In, t *deskTask) error {
	if !t.Submission.Submitted {
		return nil
	}
	last, err := submit.Latest(ctx, q, in.ProjectID, in.DefinitionID)
	if err != nil {
		return err
	}
	t.document = last.Document
	if t.Making, err = taskpart.MakingOf(ctx, q, who, in, last); err != nil {
		return err
	}
	files, err := source.Files(ctx, q, last.ID)
	t.Work = &deskWork{Version: last, Files: files, Number: len(t.Versions)}
	return err
}

// deskText reads the words of the document where they are asked for. It takes as long as
// the document is, so no snapshot of the database waits for it.
func (s *room) deskText(ctx context.Context, v *deskPage) error {
	if !v.Plain() || v.Now == nil || !v.Now.Ready() || v.Now.document == nil {
		return nil
	}
	var err error
	v.Now.Text, err = s.Usecases.DocumentText(ctx, *v.Now.document)
	if fault.Is(err, fault.Refused) {
		return nil // the page says so
	}
	return err
}

// around finds what stands before and after the task in the queue.
func (t *deskTask) around(v *deskPage) {
	if len(v.Place.Before) > 0 {
		t.Before = v.Place.Before[0]
	}
	if len(v.Place.After) > 0 {
		t.After = v.Place.After[0]
	}
	for i := range v.Rows {
		if v.Rows[i].ID == t.ID {
			t.Row = &v.Rows[i]
		}
	}
}

// verdictButton is a button of the desk.
type verdictButton struct {
	status.Status
	Key string // the key that presses it; empty: none does
}

// Marks tells whether it says that the work is good, which needs a grade and points
// where the task has them.
func (v verdictButton) Marks() bool { return status.ReadyOrComplete.Has(v.Status) }

// verdicts are those given often, and rare the rest of what staff can say.
var (
	verdicts = []verdictButton{{status.Complete, "c"}, {status.FixAndResubmit, "f"}, {status.Discuss, "d"},
		{status.Demonstrate, "m"}, {status.Redo, "r"}}
	rare = []verdictButton{{status.FeedbackExceeded, "x"}, {status.Fail, "z"}}
)

// Verdicts are the buttons that are always seen.
func (t *deskTask) Verdicts() []verdictButton { return verdicts }

// Rare are the buttons for rare cases.
func (t *deskTask) Rare() []verdictButton { return rare }

// Marks tells whether a verdict of this task needs more than a state.
func (t *deskTask) Marks() bool { return t.Definition.IsGraded || t.Definition.MaxQualityPts > 0 }

// Grades are those a task can be given, the best first.
func (t *deskTask) Grades() (list []grade.Grade) {
	for g := grade.Highest; g >= grade.Lowest; g-- {
		list = append(list, g)
	}
	return list
}
