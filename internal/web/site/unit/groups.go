package unit

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/trash"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// How much of a set stands on one page: groups, and students without one.
const (
	mostGroups = 24
	mostLoose  = 60
)

// groupAsks are the rights that decide what of the groups is shown, and how far a change may go.
var groupAsks = endpoint.Asks(policy.SeeDeleted, policy.OverfillGroup, policy.SteerGroup)

func (s *room) groupRoutes() {
	page.Show(s.Site, links.GroupSetup, policy.ExportGroups, "The groups of a unit, for those who set it up",
		s.firstBoard, groupAsks)
	page.Show(s.Site, links.GroupSetEditor, policy.ExportGroups, "The groups of a set with their members",
		s.board, groupAsks)
	s.groupSetRoutes()
	s.groupEditorRoutes()
	s.groupMemberRoutes()
	s.groupSheetRoutes()
}

// boardIn is what the address of a board says.
type boardIn struct {
	Text     string `param:"text"`
	Tutorial string `param:"tutorial"`
	Show     string `param:"show"` // with free places, or locked; empty: all
	Page     string `param:"page"`
	Done     string `param:"done"`  // what was done just now
	About    string `param:"about"` // to whom or what
	From     string `param:"from"`  // the group they were in
}

// boardsDone are the things a board says that were done.
var boardsDone = []string{"deleted", "restored", "saved", "moved"}

// clean replaces what the address says wrongly by what is usual: all groups, from the first on.
func (in *boardIn) clean() {
	if in.Show != string(enrol.WithRoom) && in.Show != string(enrol.LockedOnly) {
		in.Show = ""
	}
	if n, err := strconv.ParseInt(in.Tutorial, 10, 64); err != nil || n < 1 {
		in.Tutorial = ""
	}
	if n, err := strconv.Atoi(in.Page); err != nil || n < 2 || n > 10_000 {
		in.Page = ""
	}
	if !slices.Contains(boardsDone, in.Done) {
		in.Done = ""
	}
}

// idOf is a number of the address, 0 where it says none.
func idOf(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// query is what keeps the board as it is: not what was done on it.
func (in boardIn) query() url.Values {
	return url.Values{"text": {in.Text}, "tutorial": {in.Tutorial}, "show": {in.Show}, "page": {in.Page}}
}

// boardPage is the groups of a set with their members, and perhaps what is edited.
type boardPage struct {
	boardIn
	*enrol.Board
	Unit    *course.Unit
	Sets    []enrol.GroupSet
	Set     *enrol.GroupSet // nil: there is none yet
	Deleted []trash.Deletion
	OfSet   *setEditor    // nil: no set is edited
	OfGroup *groupEditor  // nil: no group is edited
	Moved   *enrol.Placed // who was moved just now
	Full    *fullGroup    // the group that had no place for somebody
	names   map[string]int
	words   *page.Language
}

type unitSets struct {
	ID int64 `path:"id" scope:"unit"`
}

// oneSet names a set of groups.
type oneSet struct {
	UnitID int64 `path:"unit_id" scope:"unit"`
	SetID  int64 `path:"group_set_id" scope:"group_set"`
}

func (in oneSet) path() string { return links.To(links.GroupSetEditor, in.UnitID, in.SetID) }

// at is the board of the set as it was looked at, with what was done.
func (in oneSet) at(b boardIn, done url.Values) string {
	q := b.query()
	for name, values := range done {
		q[name] = values
	}
	return taskAddress(in.path(), q)
}

func (s *room) firstBoard(ctx context.Context, who *access.Caller, in struct {
	unitSets
	boardIn
}) (*page.Page, error) {
	return s.showBoard(ctx, who, oneSet{UnitID: in.ID}, &boardPage{boardIn: in.boardIn})
}

func (s *room) board(ctx context.Context, who *access.Caller, in struct {
	oneSet
	boardIn
}) (*page.Page, error) {
	return s.showBoard(ctx, who, in.oneSet, &boardPage{boardIn: in.boardIn})
}

func (s *room) showBoard(ctx context.Context, who *access.Caller, in oneSet, v *boardPage) (*page.Page, error) {
	if err := s.readBoard(ctx, who, in, v); err != nil {
		return nil, err
	}
	return s.Titled(who, "group-setup", v.Title(), v), nil
}

// boardAgain draws the board with what was wrong.
func (s *room) boardAgain(ctx context.Context, who *access.Caller, in oneSet, v *boardPage,
	why error) (*page.Page, error) {
	if err := s.readBoard(ctx, who, in, v); err != nil {
		return nil, err
	}
	return s.Again(s.Refusal(who, "group-setup", v.Title(), v), why)
}

// readBoard reads the groups of a set; without one of the first.
func (s *room) readBoard(ctx context.Context, who *access.Caller, in oneSet, v *boardPage) error {
	v.clean()
	v.words = s.Words
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.UnitID); err != nil {
			return err
		}
		if v.Sets, err = enrol.GroupSetsOf(ctx, q, in.UnitID); err != nil {
			return err
		}
		if who.May(policy.SeeDeleted) {
			if v.Deleted, err = trash.Of(ctx, q, in.UnitID); err != nil {
				return err
			}
			v.Deleted = slices.DeleteFunc(v.Deleted, func(d trash.Deletion) bool {
				return d.Kind != trash.GroupSet && d.Kind != trash.Group
			})
		}
		return v.readSet(ctx, q, in)
	})
	if err != nil {
		return err
	}
	v.count()
	return v.open()
}

// readSet reads the groups of the set that is looked at.
func (v *boardPage) readSet(ctx context.Context, q db.Q, in oneSet) (err error) {
	i := 0
	if in.SetID != 0 {
		i = slices.IndexFunc(v.Sets, func(g enrol.GroupSet) bool { return g.ID == in.SetID })
	}
	if i < 0 {
		return fault.New(fault.Missing, "This unit has no such group set.")
	}
	v.Board = &enrol.Board{}
	if i >= len(v.Sets) {
		return nil
	}
	v.Set = &v.Sets[i]
	v.Board, err = enrol.BoardOf(ctx, q, enrol.BoardAsk{UnitID: in.UnitID, Set: v.Set, TutorialID: idOf(v.Tutorial),
		Text: v.Text, Show: enrol.BoardShow(v.Show), Skip: v.skip(), Most: mostGroups, MostLoose: mostLoose})
	if err != nil || v.Done != "moved" {
		return err
	}
	v.Moved, err = enrol.PlaceOf(ctx, q, in.UnitID, v.Set.ID, idOf(v.About))
	if fault.Is(err, fault.Missing) { // the address was written by hand
		v.Moved, err = nil, nil
	}
	return err
}

func (v *boardPage) skip() int {
	return int(max(idOf(v.Page)-1, 0)) * mostGroups
}

// count counts the names that are shown: of two who have the same, the user names tell them apart.
func (v *boardPage) count() {
	v.names = map[string]int{}
	for _, m := range v.Loose {
		v.names[m.Name()]++
	}
	for _, g := range v.Groups {
		for _, m := range g.Members {
			v.names[m.Name()]++
		}
	}
}

// MoreLoose tells whether there are more students without a group than are shown.
func (v *boardPage) MoreLoose() bool { return v.LooseFound > int64(len(v.Loose)) }

// Twice tells whether another student of the same name is shown.
func (v *boardPage) Twice(m enrol.Placed) bool { return v.names[m.Name()] > 1 }

// open fills what is edited.
func (v *boardPage) open() error {
	if v.OfSet != nil {
		v.OfSet.open(v)
	}
	if v.OfGroup != nil {
		return v.OfGroup.open(v)
	}
	return nil
}

// Title is that of what is edited, or of all.
func (v *boardPage) Title() string {
	switch {
	case v.OfSet != nil:
		return v.OfSet.Title()
	case v.OfGroup != nil:
		return v.OfGroup.Title()
	}
	return v.words.Word("group-setup.title")
}

// List is where the groups of the unit stand.
func (v *boardPage) List() string { return links.To(links.GroupSetup, v.Unit.ID) }

// Path is where the set stands.
func (v *boardPage) Path() string {
	if v.Set == nil {
		return v.List()
	}
	return links.To(links.GroupSetEditor, v.Unit.ID, v.Set.ID)
}

// Of is a set of the unit.
func (v *boardPage) Of(set enrol.GroupSet) string {
	return links.To(links.GroupSetEditor, v.Unit.ID, set.ID)
}

// To is what stands under the set, keeping the board as it is.
func (v *boardPage) To(parts ...any) string {
	path := v.Path()
	for _, p := range parts {
		switch p := p.(type) {
		case int64:
			path += "/" + strconv.FormatInt(p, 10)
		case string:
			path += "/" + p
		}
	}
	return taskAddress(path, v.query())
}

// With is the address of the board with another value of one of its filters, from the first page on.
func (v *boardPage) With(name, value string) string {
	q := v.query()
	q.Del("page")
	q.Set(name, value)
	return taskAddress(v.Path(), q)
}

// Turn is the address of another page of the board; empty: there is none.
func (v *boardPage) Turn(by int) string {
	page := v.skip()/mostGroups + by
	if page < 0 || page*mostGroups >= v.Found {
		return ""
	}
	return v.With("page", strconv.Itoa(page+1))
}

// First and Last are the groups that are shown, among those that were found.
func (v *boardPage) First() int { return min(v.skip()+1, v.Found) }

// Last is the last of them.
func (v *boardPage) Last() int { return min(v.skip()+mostGroups, v.Found) }

// Kept is what a search keeps of the board.
func (v *boardPage) Kept() (list []taskValue) {
	for _, one := range []taskValue{{"tutorial", v.Tutorial}, {"show", v.Show}} {
		if one.Value != "" {
			list = append(list, one)
		}
	}
	return list
}

// Filtered tells whether the address leaves some groups out.
func (v *boardPage) Filtered() bool { return v.Text != "" || v.Tutorial != "" || v.Show != "" }

// TutorialWords is what the chip of the tutorials says.
func (v *boardPage) TutorialWords() string {
	for _, c := range v.Classes {
		if strconv.FormatInt(c.ID, 10) == v.Tutorial {
			return c.Abbreviation
		}
	}
	return v.words.Word("group-setup.tutorial")
}

// Tutorials are those that the board can be narrowed to.
func (v *boardPage) Tutorials() []taskChoice {
	list := []taskChoice{{Text: v.words.Word("group-setup.any-tutorial"), Href: v.With("tutorial", ""),
		Current: v.Tutorial == ""}}
	for _, c := range v.Classes {
		id := strconv.FormatInt(c.ID, 10)
		list = append(list, taskChoice{Text: c.Abbreviation, Href: v.With("tutorial", id), Current: v.Tutorial == id})
	}
	return list
}

// Toggle leads to the groups of one kind, or back to all.
func (v *boardPage) Toggle(show string) string {
	if v.Show == show {
		show = ""
	}
	return v.With("show", show)
}

// Rules are those of the set, in words.
func (v *boardPage) Rules() string {
	var list []string
	if v.Set.Capacity != nil {
		list = append(list, v.words.Word("group-setup.rule-places", *v.Set.Capacity))
	}
	if v.Set.KeepGroupsInSameClass {
		list = append(list, v.words.Word("group-setup.rule-keep"))
	}
	switch {
	case v.Set.Locked:
		list = append(list, v.words.Word("group-setup.rule-locked"))
	case v.Set.StudentsManageGroups:
		list = append(list, v.words.Word("group-setup.rule-manage"))
	default:
		list = append(list, v.words.Word("group-setup.rule-staff"))
	}
	return strings.Join(list, " · ")
}

// Undo is the deletion that was made just now; nil: none was, or it is gone.
func (v *boardPage) Undo() *trash.Deletion {
	for i, d := range v.Deleted {
		if v.Done == "deleted" && strconv.FormatInt(d.RecordID, 10) == v.About {
			return &v.Deleted[i]
		}
	}
	return nil
}
