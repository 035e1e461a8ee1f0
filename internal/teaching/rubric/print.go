package rubric

import (
	"context"
	"fmt"

	"lectern/internal/platform/db"
	"lectern/internal/platform/pdf"
)

// Blocks print a rubric in a document, with the levels that were picked; none where there is no rubric.
func (o *OnTask) Blocks() []pdf.Block {
	if o == nil || o.Rubric == nil {
		return nil
	}
	t := pdf.Table{Head: []string{"Criterion", "Level", "What it means"}, Widths: []float64{3, 2.4, 5.6}}
	if o.Rubric.Points != nil {
		t.Head, t.Widths = append(t.Head, "Points"), append(t.Widths, 1.4)
	}
	for _, c := range o.Rubric.Criteria {
		row := []pdf.Cell{{Text: c.Title, Bold: true}, {Text: "–"}, {Text: c.Description}}
		points := fmt.Sprintf("– of %d", c.Best())
		if l := o.Mark.Got(c); l != nil {
			row[1].Text, row[2].Text = l.Name, l.Text
			if l.Points != nil {
				points = fmt.Sprintf("%d of %d", *l.Points, c.Best())
			}
		}
		if o.Rubric.Points != nil {
			row = append(row, pdf.Cell{Text: points})
		}
		t.Rows = append(t.Rows, row)
	}
	out := []pdf.Block{pdf.Head(3, "Rubric"), pdf.Grid(t)}
	if text := o.said(); text != "" {
		out = append(out, pdf.Para(text))
	}
	return out
}

// said tells what came of the levels: what they add up to, and which points were given by hand.
func (o *OnTask) said() string {
	m, text := o.Mark, ""
	if m == nil {
		return ""
	}
	if m.Sum != nil {
		text = fmt.Sprintf("The levels add up to %d of %d points. ", *m.Sum, *o.Rubric.Points)
	}
	if m.ByHand && m.Given != nil {
		text += fmt.Sprintf("The quality points were set by hand: %d. ", *m.Given)
	}
	return text + fmt.Sprintf("Given with version %d of the rubric.", m.Version)
}

// ShowAll gives the rubrics of all tasks of a project, by their task definitions, as Show does of one, without those
// to mark by where work was marked by another.
func ShowAll(ctx context.Context, q db.Q, projectID int64) (map[int64]*OnTask, error) {
	type row struct {
		Rubric
		TaskID *int64 `db:"task_id"`
	}
	list, err := db.All[row](ctx, q, `SELECT r.id, r.task_definition_id, r.version, r.current, r.used, r.criteria, r.points,
		r.last_key, r.user_id, r.at, rm.task_id FROM projects p JOIN task_definitions d ON d.unit_id = p.unit_id
		LEFT JOIN tasks t ON t.project_id = p.id AND t.task_definition_id = d.id
		LEFT JOIN rubric_marks rm ON rm.task_id = t.id AND rm.present AND rm.levels <> '[]'
		JOIN rubrics r ON r.task_definition_id = d.id AND (r.id = rm.rubric_id OR rm.id IS NULL AND r.current)
		WHERE p.id = $1`, projectID)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	given, err := MarksIn(ctx, q, projectID)
	if err != nil {
		return nil, err
	}
	out := map[int64]*OnTask{}
	for i := range list {
		on := &OnTask{Rubric: &list[i].Rubric}
		if list[i].TaskID != nil {
			if m, marked := given[*list[i].TaskID]; marked {
				on.Mark = &m
			}
		}
		out[on.Rubric.DefinitionID] = on
	}
	return out, nil
}
