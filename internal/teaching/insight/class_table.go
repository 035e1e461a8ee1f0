package insight

import (
	"context"
	"io"
	"strconv"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/status"
)

// Table gives what a chart of the class shows as a plain table, in the words of sheets; see Tables. The turnaround is
// that of the unit as the caller is told it, and for holders of policy.SeeTutorPace only.
func (c Class) Table(ctx context.Context, q db.Q, name string, callerID int64) (t chart.Table, err error) {
	if err = checkTable(name); err == nil {
		err = c.Check(ctx, q)
	}
	if err != nil {
		return t, err
	}
	switch name {
	case "completion": // by tutorial already
		all, err := completionChart(ctx, q, c.UnitID)
		if err != nil {
			return t, err
		}
		return all.Table(), nil
	case "statuses":
		list, err := c.StatusesByTask(ctx, q)
		t = statusTable([]string{"Task", "Name"}, len(list), func(i int) ([]string, map[status.Status]int) {
			return []string{list[i].Abbreviation, list[i].Name}, list[i].Counts
		})
		return t, err
	case "tutorials":
		list, err := c.StatusesByTutorial(ctx, q)
		t = statusTable([]string{"Tutorial", "Students"}, len(list), func(i int) ([]string, map[status.Status]int) {
			return []string{list[i].Name, strconv.Itoa(list[i].Students)}, list[i].Counts
		})
		return t, err
	case "burndown":
		b, err := c.Burndown(ctx, q)
		if err != nil {
			return t, err
		}
		return b.table(chart.EnglishBurndown, "Date", clock.Date.String), nil
	case "turnaround":
		return c.paceTable(ctx, q, callerID)
	case "targets":
		return c.targetTable(ctx, q)
	}
	return c.outcomeTable(ctx, q)
}

// statusTable writes counts by status, all statuses in the order of their numbers.
func statusTable(head []string, rows int, row func(i int) ([]string, map[status.Status]int)) chart.Table {
	t := chart.Table{Head: head, Rows: [][]string{}}
	for _, s := range status.All {
		t.Head = append(t.Head, s.Name())
	}
	for i := range rows {
		cells, counts := row(i)
		for _, s := range status.All {
			cells = append(cells, strconv.Itoa(counts[s]))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// paceTable is how soon each of the staff marked, week by week.
func (c Class) paceTable(ctx context.Context, q db.Q, callerID int64) (chart.Table, error) {
	turn, err := TurnaroundOf(ctx, q, c.UnitID, callerID, true)
	t := chart.Table{Head: []string{"Tutor", "Marked", "Median hours"}, Rows: [][]string{}}
	if err != nil {
		return t, err
	}
	for _, w := range turn.Weeks {
		t.Head = append(t.Head, "Median hours from "+clock.Day(w.From.Time).String())
	}
	for _, p := range turn.Tutors {
		row := []string{p.FirstName + " " + p.LastName, strconv.Itoa(p.Marked), decimal(p.Median)}
		for _, w := range p.Weeks {
			row = append(row, decimal(w.Median))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

func (c Class) targetTable(ctx context.Context, q db.Q) (chart.Table, error) {
	counts, err := c.Targets(ctx, q)
	t := chart.Table{Head: []string{"Grade", "Students"}, Rows: [][]string{}}
	for _, g := range grade.Targets {
		t.Rows = append(t.Rows, []string{g.Name(), strconv.Itoa(counts[g])})
	}
	return t, err
}

func (c Class) outcomeTable(ctx context.Context, q db.Q) (chart.Table, error) {
	list, err := c.Outcomes(ctx, q)
	t := chart.Table{Head: []string{"Outcome", "Name", "Fewest", "30th percentile", "Median", "80th percentile", "Most"},
		Rows: [][]string{}}
	for _, o := range list {
		row := []string{o.Abbreviation, o.Name}
		for _, v := range []float64{o.Min, o.Lower, o.Median, o.Upper, o.Max} {
			row = append(row, decimal(&v))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, err
}

// decimal writes a number; none is empty.
func decimal(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

// WriteTable writes a table as a sheet.
func WriteTable(w io.Writer, t chart.Table) error {
	out := sheet.Write(w, t.Head)
	for _, row := range t.Rows {
		if err := out.Row(row...); err != nil {
			return err
		}
	}
	return out.Flush()
}
