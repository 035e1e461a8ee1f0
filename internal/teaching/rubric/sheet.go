package rubric

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
)

// Sheet says what a sheet of a rubric must have to be read: a row for each level.
var Sheet = sheet.Options{Required: []string{"criterion", "level"}, Optional: []string{"points"},
	Lines: []string{"description", "text"}, MaxRows: MostCriteria * MostLevels}

var sheetColumns = []string{"criterion", "description", "level", "text", "points"}

// Write writes the rubric as a sheet that Import takes back.
func (r *Rubric) Write(w io.Writer) error {
	out := sheet.Write(w, sheetColumns)
	for _, c := range r.Criteria {
		for _, l := range c.Levels {
			points := ""
			if l.Points != nil {
				points = strconv.FormatInt(*l.Points, 10)
			}
			if err := out.Row(c.Title, c.Description, l.Name, l.Text, points); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// sheetPlan is an import on its way.
type sheetPlan struct {
	now    *Rubric
	next   Criteria
	rows   []sheet.Row      // of the levels, in their order
	lines  map[[2]int64]int // of a level, by its criterion's place and its own
	at     map[string]int   // the place of a criterion, by its title in small letters
	report sheet.Report
}

// Import makes the rubric of a task what a sheet says, row by row: criteria and levels that the rubric has are told by
// their titles and names. A rubric is one whole, so a row that cannot be used keeps all others back, and is
// reported; then there is no Rubric. It needs what Save needs, and refuses what Save refuses.
func Import(ctx context.Context, q db.Q, definitionID int64, c Change, rows *sheet.Reader) (*sheet.Report,
	*Rubric, error) {
	_, now, err := hold(ctx, q, definitionID)
	if err != nil {
		return nil, nil, err
	}
	p := &sheetPlan{now: now, at: map[string]int{}, lines: map[[2]int64]int{}}
	for row, err := range rows.Rows() {
		if err != nil {
			p.report.Fail(row, "%s", err)
			continue
		}
		p.take(row)
	}
	if err := c.clashes(now); err != nil {
		return nil, nil, err
	}
	if len(p.report.Errors) == 0 {
		p.flaws(p.next.Check())
	}
	if len(p.report.Errors) > 0 {
		for _, row := range p.rows {
			p.report.Ignore(row, "Not imported: other rows have to be put right first.")
		}
		return &p.report, nil, nil
	}
	p.tell()
	c.Criteria = p.next
	saved, err := Save(ctx, q, definitionID, c)
	return &p.report, saved, err
}

// take plans one row.
func (p *sheetPlan) take(row sheet.Row) {
	title, level := row.Get("criterion"), Level{Name: row.Get("level"), Text: strings.TrimSpace(row.Text("text"))}
	if text := row.Get("points"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			p.report.Fail(row, "points is %.30q; it must be a whole number from 0 to %d.", text, MostPoints)
			return
		}
		level.Points = &n
	}
	i, known := p.at[strings.ToLower(title)]
	if !known {
		i = len(p.next)
		p.at[strings.ToLower(title)] = i
		p.next = append(p.next, Criterion{Title: title})
	}
	c := &p.next[i]
	if about := strings.TrimSpace(row.Text("description")); about != "" {
		if c.Description != "" && c.Description != about {
			p.report.Fail(row, "%.60q has another description in a row before. Write one, or leave this one empty.", title)
			return
		}
		c.Description = about
	}
	p.identify(c, &level)
	c.Levels = append(c.Levels, level)
	p.lines[[2]int64{int64(i), int64(len(c.Levels) - 1)}] = len(p.rows)
	p.rows = append(p.rows, row)
}

// identify gives a criterion and a level the numbers that the rubric has for them.
func (p *sheetPlan) identify(c *Criterion, l *Level) {
	if p.now == nil {
		return
	}
	for _, was := range p.now.Criteria {
		if !strings.EqualFold(was.Title, c.Title) {
			continue
		}
		c.ID = was.ID
		for _, level := range was.Levels {
			twice := slices.ContainsFunc(c.Levels, func(before Level) bool { return before.ID == level.ID })
			if strings.EqualFold(level.Name, l.Name) && !twice {
				l.ID = level.ID
			}
		}
	}
}

// flaws reports what is wrong with the criteria at the rows it stands in.
func (p *sheetPlan) flaws(err error) {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return
	}
	for _, field := range slices.Sorted(maps.Keys(e.Fields)) {
		i, j := int64(0), int64(0)
		if n, _ := fmt.Sscanf(field, "criteria[%d][levels][%d]", &i, &j); n < 2 {
			j = 0
		}
		n, known := p.lines[[2]int64{i, j}]
		name := field[strings.LastIndex(field, "[")+1:]
		name = map[string]string{"title]": "criterion", "name]": "level", "levels]": "The levels of the criterion",
			"criteria": "The criteria"}[name]
		if name == "" {
			name = strings.TrimSuffix(field[strings.LastIndex(field, "[")+1:], "]")
		}
		message := name + " " + e.Fields[field] + "."
		if !known {
			p.report.Errors = append(p.report.Errors, sheet.Line{Row: "the sheet", Message: message})
			continue
		}
		p.report.Fail(p.rows[n], "%s", message)
	}
}

// tell reports what becomes of each row, and what goes because no row has it.
func (p *sheetPlan) tell() {
	was, of := map[int64]Level{}, map[int64]string{}
	if p.now != nil {
		for _, c := range p.now.Criteria {
			for _, l := range c.Levels {
				was[l.ID], of[l.ID] = l, c.Title+", "+l.Name
			}
		}
	}
	for i, c := range p.next {
		for j, l := range c.Levels {
			row := p.rows[p.lines[[2]int64{int64(i), int64(j)}]]
			before, known := was[l.ID]
			switch {
			case !known:
				p.report.Succeed(row, "New level %s of %s.", l.Name, c.Title)
			case same(before, l):
				p.report.Ignore(row, "The level %s of %s is as the row says.", l.Name, c.Title)
			default:
				p.report.Succeed(row, "Changed level %s of %s.", l.Name, c.Title)
			}
			delete(of, l.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		p.report.Success = append(p.report.Success, sheet.Line{Row: of[id], Message: "Removed: no row of the sheet has it."})
	}
}

// same tells whether two levels say the same.
func same(a, b Level) bool {
	points := a.Points == nil && b.Points == nil || a.Points != nil && b.Points != nil && *a.Points == *b.Points
	return a.Name == b.Name && a.Text == b.Text && points
}
