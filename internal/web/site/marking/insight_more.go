package marking

import (
	"context"
	"strconv"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/insight"
	"lectern/internal/web/site/page"
)

// insightMorePage is how the work of the class shrinks, and what it has learnt.
type insightMorePage struct {
	insightBase
	Burndown *insight.ClassBurndown
	Outcomes []insight.OutcomeProgress
}

func (s *room) insightMore(ctx context.Context, who *access.Caller, in insightIn) (*page.Page, error) {
	v := &insightMorePage{insightBase: insightBase{insightIn: in, at: links.InsightMore, words: s.words}}
	v.By = ""
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if err = v.read(ctx, q); err != nil {
			return err
		}
		if v.Burndown, err = v.class().Burndown(ctx, q); err != nil {
			return err
		}
		v.Outcomes, err = v.class().Outcomes(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "insight-progress", s.Word("insight.progress"), v), nil
}

// leftCell is what a line of the burndown has left on a day.
type leftCell struct{ Text, Href string }

// LeftRows are those of the table of the burndown: each day with what its lines have left. Where they go on nothing is
// counted yet.
func (v *insightMorePage) LeftRows() (out []map[string]any) {
	for _, day := range v.Burndown.Days() {
		var cells []leftCell
		for _, line := range insight.Lined {
			cells = append(cells, leftCell{v.Burndown.Left(line, day),
				v.Counted("of", ofLeft, "line", string(line), "day", day.String())})
		}
		out = append(out, map[string]any{"Day": v.words.Date("brief", day.Time), "Cells": cells,
			"Projected": v.Burndown.Left(insight.Projected, day)})
	}
	return out
}

// PointRows is where the students are listed with their points towards an outcome.
func (v *insightMorePage) PointRows(o insight.OutcomeProgress) string {
	return v.Counted("of", ofOutcome, "outcome", strconv.FormatInt(o.ID, 10))
}

// Share is where a number of points lies on a line of 100 that ends with the most of any outcome.
func (v *insightMorePage) Share(points float64) float64 {
	most := 1.0
	for _, o := range v.Outcomes {
		most = max(most, o.Max)
	}
	return 100 * points / most
}

// Between is the length of the line from a number of points to another.
func (v *insightMorePage) Between(from, to float64) float64 { return v.Share(to - from) }

// Points writes a number of points.
func (v *insightMorePage) Points(n float64) string { return v.words.Word("promise.tenth", n) }
