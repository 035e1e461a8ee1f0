package marking

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/moderation"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

const (
	drawPath    = links.Moderation + "/draw"
	sampledPath = "/units/{unit_id}/moderation/works/{work_id}"
)

func (s *room) moderationRoutes() {
	all, entered := endpoint.Asks(policy.Moderate), endpoint.Audited(audit.Moderation)
	page.Show(s.Site, links.Moderation, policy.SecondMark, "Work of a unit that is marked a second time", s.moderation,
		all)
	page.Show(s.Site, drawPath, policy.Moderate, "What would be drawn of the marked work of a unit", s.planSample)
	page.Form(s.Site, drawPath, policy.Moderate, "Draw a sample of the marked work of a unit", s.drawSample, entered)
	page.Form(s.Site, "/units/{unit_id}/moderation/samples/{sample_id}/discard", policy.Moderate,
		"Discard a sample that nobody marked anything of", s.discardSample, entered, all)
	page.Show(s.Site, sampledPath, policy.SecondMark, "A work of a sample, to be marked a second time", s.sampled, all,
		endpoint.Asks(usecase.AsReader...))
	page.Form(s.Site, sampledPath+"/mark", policy.SecondMark, "Give a work of a sample its second mark", s.markSampled,
		entered, all)
	page.Form(s.Site, sampledPath+"/settle", policy.Moderate, "Say which mark of a work stands", s.settleSampled, all,
		endpoint.Asks(policy.GradeTask, policy.ChangeTask, policy.Comment),
		endpoint.Audited(audit.Moderation, audit.Status, audit.Grade, audit.Review))
	page.Form(s.Site, sampledPath+"/assign", policy.Moderate, "Say who marks a work of a sample", s.assignSampled, entered,
		all)
}

// sampledOnPage is how many works a page shows.
const sampledOnPage = 50

// moderationPage is the samples of a unit and their work.
type moderationPage struct {
	Unit    *usecase.UnitChoices
	MayDraw bool
	Samples []moderation.Sample // none for whoever may not draw
	Works   []moderation.Work
	Tally   *moderation.Tally
	State   moderation.State
	Sample  int64 // 0: all
	Total   int64
	Page    int64
	Next    int64 // the first work that the reader may mark now; 0: there is none
	Mine    int64 // how many there are
	Done    string
	words   *page.Language
}

type moderationIn struct {
	ID     int64  `path:"id" scope:"unit"`
	State  string `param:"state"`
	Sample string `param:"sample"`
	Page   int64  `param:"page"`
	Done   string `param:"done"`
}

func (s *room) moderation(ctx context.Context, who *access.Caller, in moderationIn) (*page.Page, error) {
	v, err := s.readModeration(ctx, who, in)
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "moderation", s.Word("moderation.title"), v), nil
}

func (s *room) readModeration(ctx context.Context, who *access.Caller, in moderationIn) (*moderationPage, error) {
	v := &moderationPage{MayDraw: who.May(policy.Moderate), Sample: max(choice(in.Sample), 0), Done: in.Done,
		Page: min(max(in.Page, 1), 1e6), words: s.Words}
	if slices.Contains(moderation.States, moderation.State(in.State)) {
		v.State = moderation.State(in.State)
	}
	reader := usecase.ModerationReader(who)
	return v, s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = usecase.UnitChoicesOf(ctx, q, in.ID); err != nil {
			return err
		}
		if v.MayDraw {
			if v.Samples, _, err = moderation.Samples(ctx, q, in.ID, db.Part(sampledOnPage, 0)); err != nil {
				return err
			}
		}
		f := moderation.Query{UnitID: in.ID, SampleID: v.Sample}
		if v.Tally, err = f.Tally(ctx, q, reader); err != nil {
			return err
		}
		f.State, f.Page = v.State, db.Part(sampledOnPage, (v.Page-1)*sampledOnPage)
		if v.Works, v.Total, err = f.List(ctx, q, reader); err != nil {
			return err
		}
		f = moderation.Query{UnitID: in.ID, SampleID: v.Sample, Mine: true, Page: db.Part(1, 0)}
		mine, n, err := f.List(ctx, q, reader)
		if len(mine) > 0 {
			v.Next, v.Mine = mine[0].ID, n
		}
		return err
	})
}

// Path is where the page stands.
func (v *moderationPage) Path() string { return links.To(links.Moderation, v.Unit.ID) }

// Draw is where a sample is drawn.
func (v *moderationPage) Draw() string { return links.To(drawPath, v.Unit.ID) }

// Sheet is where the marks are downloaded.
func (v *moderationPage) Sheet() string {
	return "/api/units/" + strconv.FormatInt(v.Unit.ID, 10) + "/moderation/csv"
}

// At is the page of a work.
func (v *moderationPage) At(id int64) string { return links.To(sampledPath, v.Unit.ID, id) }

func (v *moderationPage) with(state moderation.State, sample, at int64) string {
	q := url.Values{}
	if state != "" {
		q.Set("state", string(state))
	}
	if sample != 0 {
		q.Set("sample", strconv.FormatInt(sample, 10))
	}
	if at > 1 {
		q.Set("page", strconv.FormatInt(at, 10))
	}
	return withQuery(v.Path(), q)
}

// Of is the page of the works of one sample.
func (v *moderationPage) Of(sample int64) string { return v.with("", sample, 1) }

// Tabs are the states of the works.
func (v *moderationPage) Tabs() []map[string]any {
	tab := func(state moderation.State, text string, n int64, colour string) map[string]any {
		return map[string]any{"Text": text, "Href": v.with(state, v.Sample, 1), "Current": v.State == state, "Count": n,
			"Colour": colour}
	}
	l := v.words
	return []map[string]any{tab("", l.Word("moderation.all"), v.Tally.All(), ""),
		tab(moderation.Differs, l.Word("moderation.differs"), v.Tally.Differs, "orange"),
		tab(moderation.Waits, l.Word("moderation.waits"), v.Tally.Waits, "blue"),
		tab(moderation.Agreed, l.Word("moderation.agreed"), v.Tally.Agreed, "green"),
		tab(moderation.Settled, l.Word("moderation.settled"), v.Tally.Settled, "")}
}

// Look is how a state is drawn.
func (v *moderationPage) Look(s moderation.State) map[string]any { return moderationLook(v.words, s) }

func moderationLook(l *page.Language, s moderation.State) map[string]any {
	icon, colour, text := page.Icon("circle-dashed"), "blue", l.Word("moderation.waits")
	switch s {
	case moderation.Differs:
		icon, colour, text = page.Icon("triangle-alert"), "orange", l.Word("moderation.differs")
	case moderation.Agreed:
		icon, colour, text = page.Icon("check"), "green", l.Word("moderation.agreed")
	case moderation.Settled:
		icon, colour, text = page.Icon("circle-check-big"), "violet", l.Word("moderation.settled")
	}
	return map[string]any{"Icon": icon, "Colour": colour, "Text": text}
}

// Says is what a work was given, in words.
func (v *moderationPage) Says(g moderation.Given) string { return givenWords(v.words, g) }

func givenWords(l *page.Language, g moderation.Given) string {
	text := l.Status(g.Status)
	if g.Grade != nil {
		text += ", " + g.Grade.Name()
	}
	if g.Quality != nil {
		text += ", " + l.Word("moderation.points", *g.Quality)
	}
	return text
}

// First and Last are the numbers of the rows on the page; Newer and Older lead to the others.
func (v *moderationPage) First() int64 { return min((v.Page-1)*sampledOnPage+1, v.Total) }

// Last is the number of the last row on the page.
func (v *moderationPage) Last() int64 { return min(v.Page*sampledOnPage, v.Total) }

// Newer is the address of the page before; empty: there is none.
func (v *moderationPage) Newer() string {
	if v.Page == 1 {
		return ""
	}
	return v.with(v.State, v.Sample, v.Page-1)
}

// Older is the address of the page after; empty: there is none.
func (v *moderationPage) Older() string {
	if v.Last() >= v.Total {
		return ""
	}
	return v.with(v.State, v.Sample, v.Page+1)
}

// Several tells whether the list goes on elsewhere.
func (v *moderationPage) Several() bool { return v.Total > sampledOnPage }
