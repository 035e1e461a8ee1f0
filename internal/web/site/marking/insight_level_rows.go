package marking

import (
	"context"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/insight"
)

// readLevels reads the levels of rubrics that were given: all, or those of a criterion, a level, a week or one of the
// staff.
func (v *insightRowsPage) readLevels(ctx context.Context, q db.Q) (err error) {
	search := insight.LevelSearch{Class: v.class(), DefinitionID: idIn(v.rowsAsked.Task), CriterionID: idIn(v.Which),
		LevelID: idIn(v.Level), TutorID: maybe(v.Tutor), NotTutorID: maybe(v.Others),
		Page: pageOf(v.Page)}
	search.From, v.From = dayOf(v.From)
	search.Until, v.Until = dayOf(v.Until)
	if v.Levels, v.Total, v.title, err = search.Rows(ctx, q); err != nil {
		return err
	}
	if v.title == "" {
		v.title = v.words.Word("insight.rows-levels")
	}
	v.Facts = append(v.Facts, v.words.Word("insight.rows-counted", v.Total))
	if search.From != nil {
		v.Facts = append(v.Facts, v.words.weekLong(clock.At(search.From.Time)))
	}
	if len(v.Levels) == 0 {
		return nil
	}
	if search.DefinitionID != 0 {
		v.Facts = append(v.Facts, v.Levels[0].Abbreviation+" "+v.Levels[0].Name)
	}
	if search.TutorID != nil {
		v.Facts = append(v.Facts, v.Levels[0].Tutor)
	}
	return nil
}

// idIn reads one of an address; 0: there is none.
func idIn(text string) int64 {
	if n := maybe(text); n != nil {
		return *n
	}
	return 0
}

// dayOf reads a day of an address, which is left out where it is none.
func dayOf(text string) (*clock.Date, string) {
	day, err := clock.ParseDate(text)
	if err != nil {
		return nil, ""
	}
	return &day, text
}

// Given are the levels of a row, in words.
func (v *insightRowsPage) Given(g insight.LevelsGiven) string { return strings.Join(g.Words, ", ") }

// SumOf is what the levels of a row add up to, of how much; empty where they do not.
func (v *insightRowsPage) SumOf(g insight.LevelsGiven) string {
	if g.Sum == nil || g.Best == nil {
		return ""
	}
	return v.words.Word("insight.rows-sum", *g.Sum, *g.Best)
}
