package unit

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/announce"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

func (s *room) newAnnouncementRoutes() {
	page.Show(s.Site, links.NewAnnounce, policy.Announce, "Write to students of a unit", s.writeAnnouncement)
	page.Form(s.Site, links.NewAnnounce, policy.Announce, "Look for students, see who would get an announcement, or "+
		"send it", s.sendAnnouncement, endpoint.Audited(audit.Announcement))
}

// announceForm is what is typed of an announcement. It is read as it comes, and told what is wrong by
// who sends it: a draft is never lost to a page of errors.
type announceForm struct {
	UnitID   int64    `path:"id" scope:"unit"`
	Title    string   `param:"title" text:"any"`
	Text     string   `param:"text" text:"any"`
	To       string   `param:"to" text:"any"`
	Tutorial string   `param:"tutorial" text:"any"`
	Students []string `param:"students" text:"any"` // projects, one or several with commas between them
	Find     string   `param:"find" text:"any"`     // names of students to look for
	Do       string   `param:"do" text:"any"`       // find, edit, review or send
	Names    int64    `param:"names"`               // the page of those who would get it
	Seen     string   `param:"seen" text:"any"`     // how many were shown to get it
	Key      string   `param:"key" text:"any"`      // of what was reviewed
}

// selected are the projects that the form names.
func (f *announceForm) selected() (ids []int64) {
	for _, text := range f.Students {
		for one := range strings.SplitSeq(text, ",") {
			if id, err := strconv.ParseInt(strings.TrimSpace(one), 10, 64); err == nil && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// audience is whom the form is for; where it does not say, those it names, or all.
func (f *announceForm) audience() announce.Audience {
	switch {
	case slices.Contains(announce.All.Enum(), f.To):
		return announce.Audience(f.To)
	case len(f.Students) > 0:
		return announce.Selection
	}
	return announce.All
}

func (f *announceForm) made() announce.New {
	n := announce.New{UnitID: f.UnitID, Title: f.Title, Text: f.Text, Audience: f.audience(), Key: f.Key}
	switch n.Audience {
	case announce.Tutorial:
		n.TutorialID, _ = strconv.ParseInt(f.Tutorial, 10, 64) // 0 is none
	case announce.Selection:
		n.ProjectIDs = f.selected()
	}
	if seen, err := strconv.ParseInt(f.Seen, 10, 64); err == nil {
		n.Expected = &seen
	}
	return n
}

// mostFound is how many students a search shows, and mostShown how many of those selected stand there
// with a box each.
const (
	mostFound = 20
	mostShown = 100
)

// announcePage is an announcement that is being written.
type announcePage struct {
	announceForm
	Unit      *course.Unit
	Tutorials []enrol.Tutorial
	Chosen    []announce.Recipient
	Rest      string // those of the selection that are not among Chosen
	More      int    // how many they are
	Found     []announce.Recipient
	wrong     map[string]string
	words     *page.Language
}

func (s *room) writeAnnouncement(ctx context.Context, who *access.Caller, in announceForm) (*page.Page, error) {
	v, err := s.readAnnounce(ctx, in)
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "announce", s.Word("announce.new"), v), nil
}

// readAnnounce reads what the form of an announcement shows beside what is typed.
func (s *room) readAnnounce(ctx context.Context, in announceForm) (*announcePage, error) {
	v := &announcePage{announceForm: in, words: s.Words}
	v.To = string(in.audience())
	var chosen []announce.Recipient
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.UnitID); err != nil {
			return err
		}
		if v.Tutorials, err = enrol.TutorialsOf(ctx, q, in.UnitID); err != nil {
			return err
		}
		if chosen, err = announce.Known(ctx, q, in.UnitID, in.selected()); err != nil || strings.TrimSpace(in.Find) == "" {
			return err
		}
		v.Found, err = announce.Find(ctx, q, in.UnitID, in.Find, mostFound+mostShown)
		return err
	})
	v.show(chosen)
	return v, err
}

// show puts those who are selected on the page, and takes them out of those who were found.
func (v *announcePage) show(chosen []announce.Recipient) {
	v.Chosen = chosen[:min(len(chosen), mostShown)]
	rest := chosen[len(v.Chosen):]
	ids := make([]string, len(rest))
	for i, r := range rest {
		ids[i] = strconv.FormatInt(r.ProjectID, 10)
	}
	v.Rest, v.More = strings.Join(ids, ","), len(rest)
	v.Found = slices.DeleteFunc(v.Found, func(r announce.Recipient) bool {
		return slices.ContainsFunc(chosen, func(c announce.Recipient) bool { return c.ProjectID == r.ProjectID })
	})
	v.Found = v.Found[:min(len(v.Found), mostFound)]
}

// TutorialOptions are the tutorials to choose from, with how many students are in each.
func (v *announcePage) TutorialOptions() []editing.Option {
	list := []editing.Option{editing.Named("", v.words.Word("announce.no-tutorial"), v.Tutorial == "")}
	for _, t := range v.Tutorials {
		list = append(list, editing.Choice(t.ID, v.words.Word("announce.tutorial-with", t.NumStudents, t.Abbreviation),
			v.Tutorial))
	}
	return list
}

// Error tells what is wrong with a field.
func (v *announcePage) Error(name string) string { return editing.Sentence(v.wrong[name]) }

// Looked tells whether students were looked for.
func (v *announcePage) Looked() bool { return strings.TrimSpace(v.Find) != "" }

// sendAnnouncement does what the button says that the form was sent by. Whoever presses Enter in a
// field wants to go on.
func (s *room) sendAnnouncement(ctx context.Context, who *access.Caller, in announceForm) (endpoint.Drawing, error) {
	switch {
	case in.Do == "find" && strings.TrimSpace(in.Find) != "":
		in.To = string(announce.Selection) // whoever looks for students means to select some
		return s.writeAnnouncement(ctx, who, in)
	case in.Do == "edit":
		return s.writeAnnouncement(ctx, who, in)
	case in.Do != "send":
		return s.reviewAnnouncement(ctx, who, in, nil)
	}
	n := in.made()
	a, err := s.Usecases.Announce(ctx, who, n)
	if err == nil {
		return endpoint.Redirect{To: links.To(links.Announcement, in.UnitID, a.ID) + "?sent=true"}, nil
	}
	return s.reviewAnnouncement(ctx, who, in, err)
}

// reviewPage is an announcement as it would be sent, with who would get it.
type reviewPage struct {
	*announcePage
	part
	To      string
	LeftOut int64
	People  []announce.Recipient
	All     string // the selection
}

// reviewAnnouncement shows who would get what is typed; why is what kept it from being sent. A review has
// a key of its own, so that one is sent once, however often it is sent.
func (s *room) reviewAnnouncement(ctx context.Context, who *access.Caller, in announceForm,
	why error) (endpoint.Drawing, error) {
	n := in.made()
	err := n.CheckWords()
	v := &reviewPage{part: part{Page: in.Names, On: namesOnPage}}
	v.clean()
	var plan *announce.Plan
	if err == nil && n.Audience == announce.All && (in.Tutorial != "" || len(in.selected()) > 0) {
		err = fault.Field(fault.Refused, unclear, "is all, but a tutorial or students are chosen")
	}
	if err == nil {
		plan, err = s.Usecases.PlanAnnouncement(ctx, n, v.rows())
	}
	if err == nil && plan.Total == 0 {
		err = fault.Field(fault.Refused, "audience", "has no enrolled student")
	}
	if err != nil {
		return s.announceAgain(ctx, who, in, err)
	}
	if v.announcePage, err = s.readAnnounce(ctx, in); err != nil {
		return nil, err
	}
	v.Title, v.Text, v.Total, v.LeftOut, v.People = n.Title, n.Text, plan.Total, plan.LeftOut, plan.People
	v.Key, v.To, v.All = rand.Text(), v.toWords(n.TutorialID), numbers(n.ProjectIDs)
	p := s.Titled(who, "announce-review", s.Word("announce.review-title", v.Total), v)
	if why != nil {
		return s.Again(p, why)
	}
	return p, nil
}

// Earlier is the page of names before this one, and Later the one after; 0: there is none.
func (v *reviewPage) Earlier() int64 { return v.Page - 1 }

// Later is the page of names after this one; 0: there is none.
func (v *reviewPage) Later() int64 {
	if v.Last() >= v.Total {
		return 0
	}
	return v.Page + 1
}

// Audience is whom it is for.
func (v *reviewPage) Audience() announce.Audience { return v.audience() }

func numbers(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(texts, ",")
}

// toWords says whom it is for.
func (v *announcePage) toWords(tutorial int64) string {
	a := &announce.Sent{Audience: v.audience()}
	for i, t := range v.Tutorials {
		if t.ID == tutorial {
			a.Tutorial = &v.Tutorials[i].Abbreviation
		}
	}
	return audience(v.words, a)
}

// announceAgain shows the form as it was typed with what is wrong.
func (s *room) announceAgain(ctx context.Context, who *access.Caller, in announceForm, why error) (endpoint.Drawing,
	error) {
	v, err := s.readAnnounce(ctx, in)
	if err != nil {
		return nil, err
	}
	v.wrong = map[string]string{}
	if e, told := errors.AsType[*fault.Error](why); told {
		for name, text := range e.Fields {
			v.wrong[name] = s.announceFlaw(name, text, len(in.selected()))
		}
	}
	p, err := s.Again(s.Refusal(who, "announce", s.Word("announce.new"), v), why)
	if err == nil && len(v.wrong) > 0 {
		p.Wrong.Text = s.Word("announce.refused")
	}
	return p, err
}

// unclear is the flaw of a form that says Everyone, and chooses some all the same.
const unclear = "to"

// announceFlaw says what is wrong with a field in the words of the page.
func (s *room) announceFlaw(name, text string, selected int) string {
	switch {
	case name == unclear:
		return s.Word("announce.unclear")
	case name == "audience":
		return s.Word("announce.nobody")
	case name == "tutorial_id":
		return s.Word("announce.choose-tutorial")
	case name == "project_ids" && selected == 0:
		return s.Word("announce.choose-students")
	case name == "project_ids":
		return s.Word("announce.choose-fewer", announce.MostSelection)
	}
	return text
}
