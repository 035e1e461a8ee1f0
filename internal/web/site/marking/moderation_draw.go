package marking

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	"lectern/internal/ground/grade"
	"lectern/internal/ground/links"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/moderation"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/status"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// drawIn is what a convenor asks to be drawn, as an address and a form have it.
type drawIn struct {
	ID      int64   `path:"id" scope:"unit"`
	Task    string  `param:"task"`
	Tutor   string  `param:"tutor"`
	Level   string  `param:"level"`
	Status  string  `param:"status"`
	Grade   string  `param:"grade"`
	Spread  string  `param:"spread"`
	Size    string  `param:"size"`
	Seed    string  `param:"seed" text:"any"`
	Markers []int64 `param:"markers"`
	Plan    string  `param:"plan"`
}

func (in *drawIn) draw() moderation.Draw {
	d := moderation.Draw{Spread: moderation.Spread(in.Spread), Size: int(choice(in.Size)), Seed: in.Seed,
		Markers: in.Markers, Plan: in.Plan}
	d.From = moderation.Narrowed{DefinitionID: opt.NonZero(choice(in.Task)), TutorID: opt.NonZero(choice(in.Tutor)),
		LevelID: opt.NonZero(choice(in.Level))}
	if st, ok := status.Parse(in.Status); ok {
		d.From.Status = &st
	}
	if g, ok := grade.Parse(in.Grade); ok {
		d.From.Grade = &g
	}
	return d
}

// drawPage is where a sample is drawn: what is asked for, and what would come of it.
type drawPage struct {
	Unit   *usecase.UnitChoices
	Staff  []course.StaffMember
	Typed  drawIn
	Plan   *moderation.Drawn // nil: nothing is asked for yet
	Levels []levelPicked     // of the task that is chosen
	words  *page.Language
}

func (s *room) planSample(ctx context.Context, who *access.Caller, in drawIn) (*page.Page, error) {
	v, err := s.readDraw(ctx, in)
	if err != nil {
		return nil, err
	}
	if in.Size != "" {
		if v.Plan, err = s.Usecases.PlanSample(ctx, in.ID, in.draw()); err != nil {
			return s.Again(s.Refusal(who, "moderation-draw", s.Word("moderation.draw"), v), err)
		}
		v.Typed.Seed = v.Plan.Seed
	}
	return s.Titled(who, "moderation-draw", s.Word("moderation.draw"), v), nil
}

func (s *room) readDraw(ctx context.Context, in drawIn) (*drawPage, error) {
	v := &drawPage{Typed: in, words: s.Words}
	return v, s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = usecase.UnitChoicesOf(ctx, q, in.ID); err != nil {
			return err
		}
		if v.Staff, err = course.StaffOf(ctx, q, in.ID); err != nil {
			return err
		}
		if !slices.ContainsFunc(v.Unit.Tasks, func(c usecase.UnitChoice) bool { return c.ID == choice(in.Task) }) {
			return nil
		}
		r, err := rubric.Find(ctx, q, choice(in.Task))
		if err != nil || r == nil {
			return err
		}
		for _, c := range r.Criteria {
			for _, l := range c.Levels {
				v.Levels = append(v.Levels, levelPicked{c.Title, l})
			}
		}
		return nil
	})
}

// Path is where the page stands.
func (v *drawPage) Path() string { return links.To(drawPath, v.Unit.ID) }

// List is where all samples are.
func (v *drawPage) List() string { return links.To(links.Moderation, v.Unit.ID) }

// chosen makes the options of a choice, the first of which chooses nothing.
func chosen(none, is string, list []option) (out []map[string]any) {
	for _, o := range slices.Concat([]option{{"", none}}, list) {
		out = append(out, map[string]any{"Value": o.Value, "Text": o.Text, "On": o.Value == is})
	}
	return out
}

// Tasks, Tutors, Rubric, Statuses, Grades and Spreads are what narrows a draw.
func (v *drawPage) Tasks() []map[string]any {
	return chosen(v.words.Word("moderation.any-task"), v.Typed.Task, options(v.Unit.Tasks))
}

// Tutors are whose marks can be drawn.
func (v *drawPage) Tutors() []map[string]any {
	list := make([]option, len(v.Staff))
	for i, m := range v.Staff {
		list[i] = option{strconv.FormatInt(m.UserID, 10), m.FirstName + " " + m.LastName}
	}
	return chosen(v.words.Word("moderation.any-tutor"), v.Typed.Tutor, list)
}

// Rubric are the levels of the task that is chosen; none where it has no rubric.
func (v *drawPage) Rubric() []map[string]any {
	if v.Levels == nil {
		return nil
	}
	list := make([]option, len(v.Levels))
	for i, l := range v.Levels {
		list[i] = option{strconv.FormatInt(l.ID, 10), l.Criterion + ": " + l.Name}
	}
	return chosen(v.words.Word("moderation.any-level"), v.Typed.Level, list)
}

// Statuses are those that work can have been given.
func (v *drawPage) Statuses() []map[string]any {
	return chosen(v.words.Word("moderation.any-status"), v.Typed.Status, statusOptions(v.words))
}

func statusOptions(l *page.Language) (list []option) {
	for _, b := range slices.Concat(verdicts, rare) {
		list = append(list, option{string(b.Status), l.Status(b.Status)})
	}
	return list
}

// Grades are those that work can have been given.
func (v *drawPage) Grades() []map[string]any {
	return chosen(v.words.Word("moderation.any-grade"), v.Typed.Grade, gradeOptions(grade.Grade.Letter))
}

func gradeOptions(value func(grade.Grade) string) (list []option) {
	for g := grade.Highest; g >= grade.Lowest; g-- {
		list = append(list, option{value(g), g.Name()})
	}
	return list
}

// Spreads are of what a sample can have so many works each.
func (v *drawPage) Spreads() []map[string]any {
	l := v.words
	return chosen(l.Word("moderation.in-all"), v.Typed.Spread, []option{{"tutor", l.Word("moderation.each-tutor")},
		{"task", l.Word("moderation.each-task")}, {"result", l.Word("moderation.each-result")}})
}

// Marks tells whether somebody is to mark a second time.
func (v *drawPage) Marks(id int64) bool { return slices.Contains(v.Typed.Markers, id) }

func (s *room) drawSample(ctx context.Context, who *access.Caller, in drawIn) (endpoint.Drawing, error) {
	out, err := s.Usecases.DrawSample(ctx, who, in.ID, in.draw())
	if err == nil {
		return endpoint.Redirect{To: withQuery(links.To(links.Moderation, in.ID),
			url.Values{"sample": {strconv.FormatInt(*out.Sample, 10)}, "done": {"drawn"}})}, nil
	}
	v, again := s.readDraw(ctx, in)
	if again != nil {
		return nil, again
	}
	if plan, wrong := s.Usecases.PlanSample(ctx, in.ID, in.draw()); wrong == nil {
		v.Plan = plan
	}
	return s.Again(s.Refusal(who, "moderation-draw", s.Word("moderation.draw"), v), err)
}

func (s *room) discardSample(ctx context.Context, who *access.Caller, in struct {
	UnitID   int64 `path:"unit_id" scope:"unit"`
	SampleID int64 `path:"sample_id"`
}) (endpoint.Drawing, error) {
	err := s.Usecases.DiscardSample(ctx, in.UnitID, in.SampleID)
	if err == nil {
		return endpoint.Redirect{To: links.To(links.Moderation, in.UnitID) + "?done=discarded"}, nil
	}
	v, again := s.readModeration(ctx, who, moderationIn{ID: in.UnitID})
	if again != nil {
		return nil, again
	}
	return s.Again(s.Refusal(who, "moderation", s.Word("moderation.title"), v), err)
}
