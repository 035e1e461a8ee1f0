package marking

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/presence"
	"lectern/internal/teaching/queue"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/similarity"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/verdict"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// deskRows is how many rows of the queue stand beside the work before the one that lies
// on the desk, and after it.
const deskRows = 60

func (s *room) deskRoutes() {
	const desk = "/units/{id}/desk"
	asks := endpoint.Asks(policy.GradeTask, policy.ReadSubmission, policy.ListStudents, policy.Comment,
		policy.SeeSimilarities, policy.AssessExtension, policy.PinTask, policy.Submit, policy.UseSnippets,
		policy.ChangeTask, policy.TakeNotes, policy.SeePresence, policy.SeeExtensions, policy.SeeReviews,
		policy.AnswerReview, policy.AskReview, policy.SeeTutorPace)
	page.Show(s.Site, desk, policy.GiveFeedback, "The marking desk", s.desk, asks)
	const task = desk + "/tasks/{task_id}"
	page.Show(s.Site, task, policy.GradeTask, "A task on the marking desk, as a part of its page", s.deskPart, asks)
	s.deskSimilarityRoutes(task)
	s.deskActionRoutes(task, asks)
}

// queueIn is the filter of the queue, as the address of the inbox and of the desk
// have it.
type queueIn struct {
	Who      string `param:"who"`
	Tutorial int64  `param:"tutorial"`
	Task     int64  `param:"task"`
	Status   string `param:"status"`
	Kind     string `param:"kind"` // to mark or to answer only
	Text     string `param:"text"`
	Sort     string `param:"sort"`
	Tutor    int64  `param:"tutor"` // whose tutorials; those of others for whoever sees the pace of tutors
	Over     bool   `param:"over"`  // only what has waited longer than promised
}

// queueOf reads the filter from an address as values wrote it. What it does not know
// it passes over.
func queueOf(v url.Values) queueIn {
	id := func(name string) int64 {
		n, _ := strconv.ParseInt(v.Get(name), 10, 64) //nolint:errcheck // 0 is no filter
		return n
	}
	return queueIn{Who: v.Get("who"), Tutorial: id("tutorial"), Task: id("task"), Status: v.Get("status"),
		Kind: v.Get("kind"), Text: v.Get("text"), Sort: v.Get("sort"), Tutor: id("tutor"), Over: v.Get("over") == "true"}
}

// values is the filter as it stands in an address.
func (in queueIn) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"who": in.Who, "status": in.Status, "kind": in.Kind, "text": in.Text,
		"sort": in.Sort} {
		if value != "" {
			v.Set(name, value)
		}
	}
	for name, id := range map[string]int64{"tutorial": in.Tutorial, "task": in.Task, "tutor": in.Tutor} {
		if id != 0 {
			v.Set(name, strconv.FormatInt(id, 10))
		}
	}
	if in.Over {
		v.Set("over", "true")
	}
	return v
}

// queue is what the filter lets through.
func (in deskIn) queue(callerID int64) queue.Queue {
	st, _ := status.Parse(in.Status) // a word that is none narrows nothing
	return queue.Queue{UnitID: in.UnitID, CallerID: callerID, Mine: in.Who == "mine", TutorialID: in.Tutorial,
		DefinitionID: in.Task, Status: st, Kind: in.kind(), Text: in.Text, Sort: queue.Sort(in.Sort),
		TutorID: in.Tutor, Over: in.Over}
}

// kind is what the queue is narrowed to of what is to mark and to answer.
func (in queueIn) kind() queue.Kind {
	switch k := queue.Kind(in.Kind); k {
	case queue.ToMark, queue.ToAnswer:
		return k
	default:
		return ""
	}
}

type deskIn struct {
	UnitID int64 `path:"id" scope:"unit"`
	queueIn
	workIn
	View string `param:"view"` // text: the document as plain text
	At   int64  `param:"at"`
	Undo int64  `param:"undo"`
	// Reply is the comment that is being answered; 0: none is.
	Reply int64 `param:"reply"`
	// Tab is what stands beside the work: rubric, notes, tests or history; everything else is the feedback.
	Tab string `param:"tab"`
}

// address is that of a task on the desk, in the same filter; 0 is the first that
// waits.
func (in deskIn) address(at int64) string {
	v := in.values()
	if in.View != "" {
		v.Set("view", in.View)
	}
	in.write(v, at == in.At)
	for name, id := range map[string]int64{"at": at, "undo": in.Undo} {
		if id != 0 {
			v.Set(name, strconv.FormatInt(id, 10))
		}
	}
	return withQuery(fmt.Sprintf("/units/%d/desk", in.UnitID), v)
}

func withQuery(path string, v url.Values) string {
	if len(v) == 0 {
		return path
	}
	return path + "?" + v.Encode()
}

// deskPage is what the marking desk shows.
type deskPage struct {
	deskIn
	Unit    *course.Unit
	Rows    []queue.Row             // those around the task
	Place   *queue.Around           // where the task stands among all that wait
	Now     *deskTask               // nil: nothing waits
	Keys    bool                    // one letter is enough, as they want it
	Figures *verdict.MarkingSession // the reader's own; nobody else sees them
	Typed   typed
	Theirs  *verdict.TaskNow            // what somebody else said meanwhile; nil: nobody has
	Given   *verdict.Recent             // the verdict that can be undone; nil: there is none
	Looking map[int64][]presence.Looker // who else looks at the tasks of the rows
	on      *access.Caller              // who looks, with their rights on the task
	similar map[int64]int               // how similar the works of the rows are, in percent
	now     clock.Time
	words   language
	alone   bool // the task is shown without the queue
}

// typed is what somebody wrote into a form of the desk that was refused.
type typed struct {
	Word, Comment string
	Grade         string
	Quality       string
	Snippet       string // to be kept
	SnippetLevel  int64  // for this level; 0: for none
	Note          string
	Answer        string // to a review
	WithFile      string
	Reply         string       // to a comment
	answers       int64        // that comment
	Point         string       // at a place of the work
	line          int64        // that line
	Marks         bool         // the grade and the points are what was written, be it nothing
	picks         *rubric.Pick // levels of a rubric; nil: those the task has
	Form          string       // which form it was; empty: that for a verdict
	Ticked        []string     // boxes of it
	wrong         string       // why it was refused
}

func (s *room) desk(ctx context.Context, who *access.Caller, in deskIn) (*page.Page, error) {
	v := &deskPage{words: s.words, deskIn: in}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.UnitID); err != nil {
			return err
		}
		if v.Figures, err = verdict.SessionOf(ctx, q, in.UnitID, who.ID); err != nil {
			return err
		}
		if in.Undo != 0 {
			if v.Given, err = verdict.RecentOf(ctx, q, in.UnitID, who.ID, in.Undo); err != nil {
				return err
			}
		}
		return s.load(ctx, q, who, v)
	})
	if err == nil {
		err = s.deskSource(ctx, v)
	}
	if err == nil {
		err = s.deskText(ctx, v)
	}
	if err != nil {
		return nil, err
	}
	title := s.Word("desk.title")
	if v.Now != nil {
		title = v.Now.Title()
	}
	p := s.Titled(who, "desk", title, v)
	p.Rail = true
	return p, nil
}

// load puts the queue and one task of it on the desk: the one that is asked for, or
// the first that waits.
func (s *room) load(ctx context.Context, q db.Q, who *access.Caller, v *deskPage) error {
	likes, err := ident.PreferencesOf(ctx, q, who.ID)
	if err != nil {
		return err
	}
	v.Keys, v.now = likes.Shortcuts, q.Now()
	if err := v.line(ctx, q, who); err != nil || v.At == 0 {
		return err
	}
	on, err := access.Permit(ctx, q, *who, access.Scope{Unit: v.UnitID, Task: v.At}, policy.GradeTask)
	if err != nil {
		return err
	}
	v.on = on
	if err := v.about(ctx, q, on); err != nil {
		return err
	}
	v.Now, err = s.deskTask(ctx, q, on, v)
	return err
}

// about reads what the rows tell beside their tasks, for whoever may know it.
func (v *deskPage) about(ctx context.Context, q db.Q, who *access.Caller) (err error) {
	if v.alone {
		return nil
	}
	var all, flagged []int64
	for i := range v.Rows {
		all = append(all, v.Rows[i].ID)
		if v.Rows[i].SimilarityFlag {
			flagged = append(flagged, v.Rows[i].ID)
		}
	}
	if who.May(policy.SeePresence) {
		if v.Looking, err = presence.Of(ctx, q, who.ID, all); err != nil {
			return err
		}
	}
	if len(flagged) > 0 && who.May(policy.SeeSimilarities) {
		v.similar, err = similarity.Highest(ctx, q, who, flagged)
	}
	return err
}

// line reads the part of the queue around the task, which is the first where none was
// asked for.
func (v *deskPage) line(ctx context.Context, q db.Q, who *access.Caller) (err error) {
	if err = usecase.OfTutor(who, v.Tutor); err != nil {
		return err
	}
	queue := v.queue(who.ID)
	if v.Place, err = queue.Around(ctx, q, v.At, deskRows); err != nil {
		return err
	}
	ids := slices.Clone(v.Place.Before)
	slices.Reverse(ids)
	if v.At == 0 && len(v.Place.After) > 0 {
		v.At, v.Place.After, v.Place.Position = v.Place.After[0], v.Place.After[1:], 1
	}
	if v.At != 0 {
		ids = append(ids, v.At)
	}
	ids = append(ids, v.Place.After...)
	if v.alone {
		ids = []int64{v.At}
	}
	v.Rows, err = queue.RowsOf(ctx, q, ids)
	return err
}

type deskPartIn struct {
	deskIn
	TaskID int64 `path:"task_id" scope:"task"`
}

// deskPart is a task alone, for the script that fetches the next ones ahead.
func (s *room) deskPart(ctx context.Context, who *access.Caller, in deskPartIn) (*page.Page, error) {
	in.At = in.TaskID
	v := &deskPage{words: s.words, deskIn: in.deskIn, alone: true}
	err := s.DB.View(ctx, func(q db.Q) error { return s.load(ctx, q, who, v) })
	if err == nil {
		err = s.deskSource(ctx, v)
	}
	if err == nil {
		err = s.deskText(ctx, v)
	}
	if err != nil {
		return nil, err
	}
	return s.Fragment(who, "desk", "desk-task", v), nil
}
