package moderation

import (
	"context"
	"io"
	"strconv"
	"strings"

	"lectern/internal/ground/opt"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/rubric"
)

var sheetColumns = []string{"sample", "seed", "task", "student", "state", "first_tutor", "first_date", "first_status",
	"first_grade", "first_quality_pts", "first_levels", "second_tutor", "second_date", "second_status", "second_grade",
	"second_quality_pts", "second_levels", "second_comment", "stands", "settled_status", "settled_grade",
	"settled_quality_pts", "settled_levels", "settled_by", "settled_date", "reason"}

// Sheet reads the works of samples of a unit that have both marks, and gives what writes them as a sheet: differences
// first. It is for holders of policy.Moderate in the unit.
func Sheet(ctx context.Context, q db.Q, who Reader, f Query) (func(io.Writer) error, error) {
	rows, err := f.rows(ctx, q, who)
	if err != nil {
		return nil, err
	}
	type sample struct {
		ID   int64  `db:"id"`
		Seed string `db:"seed"`
	}
	seeds := map[int64]string{}
	for s, err := range db.Each[sample](ctx, q, `SELECT id, seed FROM moderation_samples WHERE unit_id = $1`, f.UnitID) {
		if err != nil {
			return nil, err
		}
		seeds[s.ID] = s.Seed
	}
	rubrics, err := rubricsOf(ctx, q, f.UnitID)
	if err != nil {
		return nil, err
	}
	return func(out io.Writer) error {
		t := sheet.Write(out, sheetColumns)
		for i := range rows {
			w := rows[i].shown(who)
			if w.Second == nil {
				continue
			}
			names := levelNames(rubrics[opt.Or(rows[i].RubricID, 0)])
			cells := []string{strconv.FormatInt(w.SampleID, 10), seeds[w.SampleID], w.Abbreviation, w.Student, string(w.State)}
			cells = append(cells, w.First.Name, w.First.At.String())
			cells = append(cells, w.First.cells(names)...)
			cells = append(cells, w.Second.Name, w.Second.At.String())
			cells = append(cells, w.Second.cells(names)...)
			cells = append(cells, w.Second.Comment)
			cells = append(cells, w.Settled.cells(names)...)
			if err := t.Row(cells...); err != nil {
				return err
			}
		}
		return t.Flush()
	}, nil
}

// rubricsOf reads the criteria of the rubrics that the samples of a unit are marked with, by the numbers of the
// rubrics.
func rubricsOf(ctx context.Context, q db.Q, unitID int64) (map[int64]rubric.Criteria, error) {
	type row struct {
		ID       int64           `db:"id"`
		Criteria rubric.Criteria `db:"criteria"`
	}
	out := map[int64]rubric.Criteria{}
	for r, err := range db.Each[row](ctx, q, `SELECT r.id, r.criteria FROM rubrics r WHERE r.id IN (
			SELECT w.rubric_id FROM moderation_works w JOIN moderation_samples m ON m.id = w.sample_id WHERE m.unit_id = $1)`,
		unitID) {
		if err != nil {
			return nil, err
		}
		out[r.ID] = r.Criteria
	}
	return out, nil
}

// levelNames names levels by their numbers, which mean something else in the rubric of another task.
func levelNames(list rubric.Criteria) map[int64]string {
	names := map[int64]string{}
	for _, c := range list {
		for _, l := range c.Levels {
			names[l.ID] = c.Title + ": " + l.Name
		}
	}
	return names
}

// cells are what was given as a sheet shows it.
func (g Given) cells(names map[int64]string) []string {
	step, points := "", ""
	if g.Grade != nil {
		step = g.Grade.Letter()
	}
	if g.Quality != nil {
		points = strconv.Itoa(*g.Quality)
	}
	picked := make([]string, len(g.Levels))
	for i, id := range g.Levels {
		picked[i] = names[id]
	}
	return []string{string(g.Status), step, points, strings.Join(picked, "; ")}
}

// cells are what was settled as a sheet shows it: empty where nothing is.
func (s *Settlement) cells(names map[int64]string) []string {
	if s == nil {
		return make([]string, 8)
	}
	out := append([]string{string(s.Stands)}, s.Given.cells(names)...)
	return append(out, s.Name, s.At.String(), s.Reason)
}
