package marking

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/insight"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) riskRoutes() {
	page.Show(s.Site, links.AtRisk, policy.SeeAtRisk, "The students of a unit who are at risk, and why", s.atRisk,
		endpoint.Asks(policy.SeeAllAtRisk, policy.ListStudents, policy.EditUnit, policy.Announce))
	page.Form(s.Site, links.AtRisk, policy.EditUnit, "Change from where on students of a unit are at risk", s.setRisk,
		endpoint.Audited(audit.Unit, audit.Role), endpoint.Asks(policy.ReadUnit, policy.ListStudents, policy.ListGroups,
			policy.SeeAtRisk, policy.SeeAllAtRisk, policy.Announce))
}

type riskIn struct {
	insightIn
	Reason string `param:"reason"` // only those for whom it holds
	Page   int64  `param:"page"`
}

// riskPage lists the students at risk.
type riskPage struct {
	insightBase
	Reason    string
	Page      int64
	Students  []insight.AtRisk // on this page
	Total     int64
	All       string // the projects of all who are listed
	Own       bool   // only those of the reader's tutorials
	MayWrite  bool   // to those who are selected
	MayChange bool   // the thresholds
	Typed     riskForm
	Seen      riskForm
	wrong     map[string]string
	counts    map[insight.Reason]int
}

func (s *room) atRisk(ctx context.Context, who *access.Caller, in riskIn) (*page.Page, error) {
	v, err := s.readRisk(ctx, who, in)
	if err != nil {
		return nil, err
	}
	v.Typed, v.Seen = formOf(v.Unit), formOf(v.Unit)
	return s.Titled(who, "risk", s.Word("risk.title"), v), nil
}

func (s *room) readRisk(ctx context.Context, who *access.Caller, in riskIn) (*riskPage, error) {
	v := &riskPage{insightBase: insightBase{insightIn: in.insightIn, at: links.AtRisk, words: s.words}, Reason: in.Reason,
		Page: min(max(in.Page, 1), 1e6), MayWrite: who.May(policy.Announce), MayChange: who.May(policy.EditUnit),
		counts: map[insight.Reason]int{}}
	v.By = ""
	search, err := usecase.RiskSearch(who, in.UnitID)
	if err != nil {
		return nil, err
	}
	v.Own = search.TutorID != nil
	err = s.DB.View(ctx, func(q db.Q) (err error) {
		if err = v.read(ctx, q); err != nil {
			return err
		}
		search.TutorialID = maybe(v.Tutorial)
		list, err := search.Find(ctx, q)
		if err != nil {
			return err
		}
		v.choose(list)
		return search.Name(ctx, q, v.Students)
	})
	return v, err
}

// choose puts those on the page that the reason and the number of the page ask for.
func (v *riskPage) choose(list []insight.AtRisk) {
	var chosen []insight.AtRisk
	for i := range list {
		for _, r := range list[i].Risks {
			v.counts[r.Reason]++
		}
		if v.Reason == "" || list[i].Has(insight.Reason(v.Reason)) {
			chosen = append(chosen, list[i])
		}
	}
	v.Total, v.All = int64(len(chosen)), projectsOf(chosen)
	from := min((v.Page-1)*rowsOnPage, v.Total)
	v.Students = chosen[from:min(from+rowsOnPage, v.Total)]
}

// projectsOf lists the projects of students, for an announcement to them.
func projectsOf(list []insight.AtRisk) string {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = strconv.FormatInt(list[i].ProjectID, 10)
	}
	return strings.Join(ids, ",")
}

// Chips narrow the list to a reason.
func (v *riskPage) Chips() (out []filterChip) {
	for _, r := range insight.Reasons {
		if v.threshold(r) == nil {
			continue
		}
		c := filterChip{Icon: riskIcons[r], Text: v.words.Word("risk.reason-" + string(r)), On: v.Reason == string(r),
			Count: new(int64(v.counts[r]))}
		reason := string(r)
		if c.On {
			reason = ""
		}
		c.Href = v.with(links.To(links.AtRisk, v.UnitID), "reason", reason)
		out = append(out, c)
	}
	return out
}

var riskIcons = map[insight.Reason]page.Icon{insight.Overdue: page.Icon("calendar-clock"),
	insight.BehindPlan: page.Icon("trending-down"), insight.Inactive: page.Icon("clock"),
	insight.FailedTries: page.Icon("refresh-cw")}

// riskKeys are those of words that are put together.
func riskKeys() (list []string) {
	for _, r := range insight.Reasons {
		list = append(list, "risk.reason-"+string(r), "risk.told-"+string(r), "risk.from-"+string(r))
	}
	return list
}

// riskBadge is a reason as a badge.
type riskBadge struct {
	Icon         page.Icon
	Colour, Text string
}

// Badges are the reasons of a student in words.
func (v *insightBase) Badges(r insight.AtRisk) (out []riskBadge) {
	for _, x := range r.Risks {
		colour := "orange"
		if x.Reason == insight.Overdue || x.Reason == insight.FailedTries {
			colour = "red"
		}
		out = append(out, riskBadge{riskIcons[x.Reason], colour, v.words.Word("risk.told-"+string(x.Reason), x.Value)})
	}
	return out
}

// ClassesOf names the tutorials of a student.
func (v *insightBase) ClassesOf(r insight.AtRisk) (names []string) {
	for _, t := range v.Tutorials {
		if slices.Contains(r.TutorialIDs, t.ID) {
			names = append(names, t.Abbreviation)
		}
	}
	return names
}

// Pages leads to the pages beside this one.
func (v *riskPage) Pages() pages {
	return pagesOf(v.Page, v.Total, url.Values{"tutorial": {v.Tutorial}, "reason": {v.Reason}})
}

// Filtered tells whether the address leaves some out.
func (v *riskPage) Filtered() bool { return v.Tutorial != "" || v.Reason != "" }

// Path is where the page stands.
func (v *riskPage) Path() string { return links.To(links.AtRisk, v.UnitID) }

func (v *riskPage) threshold(r insight.Reason) *int64 {
	return map[insight.Reason]*int64{insight.Overdue: v.Unit.RiskOverdue, insight.BehindPlan: v.Unit.RiskBehind,
		insight.Inactive: v.Unit.RiskInactive, insight.FailedTries: v.Unit.RiskTries}[r]
}

// Thresholds say from where on somebody is at risk.
func (v *riskPage) Thresholds() (out []string) {
	for _, r := range insight.Reasons {
		if n := v.threshold(r); n != nil {
			out = append(out, v.words.Word("risk.from-"+string(r), *n))
		}
	}
	return out
}

// Refused tells whether what was typed was.
func (v *riskPage) Refused() bool { return v.wrong != nil }

// Error tells what is wrong with a field.
func (v *riskPage) Error(name string) string { return v.wrong[name] }

// riskForm is what is typed of the thresholds.
type riskForm struct {
	Overdue  string `param:"risk_overdue_tasks" text:"any"`
	Behind   string `param:"risk_behind_percent" text:"any"`
	Inactive string `param:"risk_away_days" text:"any"`
	Tries    string `param:"risk_failed_tries" text:"any"`
}

func formOf(u *course.Unit) riskForm {
	text := func(n *int64) string {
		if n == nil {
			return ""
		}
		return strconv.FormatInt(*n, 10)
	}
	return riskForm{text(u.RiskOverdue), text(u.RiskBehind), text(u.RiskInactive), text(u.RiskTries)}
}

// change reads the thresholds that differ from others; empty is none.
func (f riskForm) change(other riskForm, l language) (c course.RiskChange, err error) {
	var wrong fault.Fields
	set := func(name string, to *course.Setting[int64], typed, was string) {
		if typed = strings.TrimSpace(typed); typed == strings.TrimSpace(was) {
			return
		}
		if to.Set = true; typed == "" {
			return
		}
		n, err := strconv.ParseInt(typed, 10, 64)
		if to.To = &n; err != nil {
			wrong.Add(name, "%s", l.Word("risk.number"))
		}
	}
	set("risk_overdue_tasks", &c.Overdue, f.Overdue, other.Overdue)
	set("risk_behind_percent", &c.Behind, f.Behind, other.Behind)
	set("risk_away_days", &c.Inactive, f.Inactive, other.Inactive)
	set("risk_failed_tries", &c.Tries, f.Tries, other.Tries)
	return c, wrong.Err(fault.Refused)
}

type setRiskIn struct {
	UnitID int64    `path:"id" scope:"unit"`
	Unit   riskForm `param:"unit"`
	Seen   riskForm `param:"seen"`
}

// setRisk changes the thresholds. What a colleague changed meanwhile is shown with both values; the rest goes through.
func (s *room) setRisk(ctx context.Context, who *access.Caller, in setRiskIn) (endpoint.Drawing, error) {
	c, err := in.Unit.change(in.Seen, s.words)
	seen, _ := in.Seen.change(in.Unit, s.words) // what cannot be read was not seen
	if err == nil {
		_, err = s.Usecases.ChangeUnit(ctx, who, in.UnitID, usecase.UnitChange{UnitChange: course.UnitChange{Risk: c},
			Seen: &usecase.UnitChange{UnitChange: course.UnitChange{Risk: seen}}})
	}
	if err == nil {
		return endpoint.Redirect{To: links.To(links.AtRisk, in.UnitID)}, nil
	}
	v, drawn := s.readRisk(ctx, who, riskIn{insightIn: insightIn{UnitID: in.UnitID}})
	if drawn != nil {
		return nil, drawn
	}
	v.Typed, v.Seen, v.wrong = in.Unit, formOf(v.Unit), map[string]string{}
	if e, told := errors.AsType[*fault.Error](err); told {
		v.wrong = e.Fields
	}
	p, err := s.Again(s.Refusal(who, "risk", s.Word("risk.title"), v), err)
	if err == nil && len(v.wrong) > 0 {
		p.Wrong.Text = s.Word("settings.refused") // the domain speaks of fields that programs send
	}
	return p, err
}
