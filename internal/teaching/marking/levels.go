package marking

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
)

// title is how the titles of criteria are compared: as headings of a sheet are.
func title(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), "_")) }

// criteria are the titles of all criteria that the tasks of the batch are marked by, each once, in their order.
func (b *Batch) criteria() (titles []string) {
	known, seen := map[string]bool{}, map[int64]bool{}
	for i := range b.Tasks {
		id := b.Tasks[i].DefinitionID
		if seen[id] {
			continue
		}
		seen[id] = true
		for _, c := range b.Rubrics[id].Criteria {
			if !known[title(c.Title)] {
				known[title(c.Title)] = true
				titles = append(titles, c.Title)
			}
		}
	}
	return titles
}

// rubricHeadings are the headings of a sheet with columns for criteria.
func rubricHeadings(titles []string) []string {
	if len(titles) == 0 {
		return headings
	}
	out := append(slices.Clone(headings), rubricHeading)
	for _, t := range titles {
		out = append(out, criterionHeading+t)
	}
	return out
}

// rubricOf is the cell that tells by which rubric a task is to be marked; empty: by none.
func (b *Batch) rubricOf(t *Waiting) string {
	if r, ok := b.Rubrics[t.DefinitionID]; ok {
		return strconv.FormatInt(r.ID, 10)
	}
	return ""
}

// writeRubrics tells how the columns of criteria are filled in; nothing where no task has any.
func (b *Batch) writeRubrics(w io.Writer) error {
	if len(b.criteria()) == 0 {
		return nil
	}
	text := &strings.Builder{}
	text.WriteString(aboutRubrics)
	seen := map[int64]bool{}
	for i := range b.Tasks {
		t := &b.Tasks[i]
		r, ok := b.Rubrics[t.DefinitionID]
		if seen[t.DefinitionID] || !ok {
			continue
		}
		seen[t.DefinitionID] = true
		fmt.Fprintf(text, "\nTask %s\n", t.Abbreviation)
		for _, c := range r.Criteria {
			fmt.Fprintf(text, "  %s\n", c.Title)
			for n, l := range c.Levels {
				fmt.Fprintf(text, "    %d  %s%s\n", n+1, l.Name, worth(l))
			}
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func worth(l rubric.Level) string {
	if l.Points == nil {
		return ""
	}
	return fmt.Sprintf(" (%d)", *l.Points)
}

const aboutRubrics = `
4. Some of the tasks are marked by criteria, each with a column of its own. Write
   the name of a level there or its number, as below. What the levels add up to is
   the quality of the work, unless New Quality says another. A row that leaves all
   of them empty keeps the levels the work has; leave Rubric ID as it is.
`

// wanted is the cell of a criterion.
type wanted struct{ criterion, level string }

// readLevels reads the cells of criteria that are filled in.
func (m *mark) readLevels(row rowCells) error {
	for _, pair := range row.Pairs() {
		name, is := strings.CutPrefix(pair[0], title(criterionHeading)+"_")
		if text := strings.TrimSpace(pair[1]); is && text != "" {
			m.levels = append(m.levels, wanted{name, text})
		}
	}
	if text := row.Get("rubric_id"); text != "" {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id < 1 {
			return fmt.Errorf("the rubric id %.40q is no number: leave that column as it was", text)
		}
		m.rubric = id
	}
	return nil
}

// rowCells is what a row gives of its cells.
type rowCells interface {
	Pairs() [][2]string
	Get(heading string) string
}

// choose finds the levels that the row names in the rubric of its task.
func (m *mark) choose(all map[int64]rubric.Rubric, at *target) error {
	if len(m.levels) == 0 {
		return nil
	}
	r, ok := all[at.DefinitionID]
	switch {
	case !ok:
		return fmt.Errorf("this task has no rubric")
	case m.rubric != 0 && m.rubric != r.ID:
		return fmt.Errorf("the rubric of this task has changed since the batch was made: download it again")
	}
	p := &rubric.Pick{RubricID: r.ID}
	for _, w := range m.levels {
		i := slices.IndexFunc(r.Criteria, func(c rubric.Criterion) bool { return title(c.Title) == w.criterion })
		if i < 0 {
			return fmt.Errorf("the rubric of this task has no criterion %.100q", strings.ReplaceAll(w.criterion, "_", " "))
		}
		l, err := levelOf(r.Criteria[i], w.level)
		if err != nil {
			return err
		}
		p.Levels = append(p.Levels, l)
	}
	m.pick = p
	return nil
}

// levelOf finds a level of a criterion by its name, or by its number from 1 on.
func levelOf(c rubric.Criterion, text string) (int64, error) {
	names := make([]string, len(c.Levels))
	for i, l := range c.Levels {
		if title(l.Name) == title(text) {
			return l.ID, nil
		}
		names[i] = l.Name
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(c.Levels) {
		return c.Levels[n-1].ID, nil
	}
	return 0, fmt.Errorf("%.40q is no level of %s: use %s, or a number from 1 to %d", text, c.Title,
		strings.Join(names, ", "), len(names))
}

// take looks the levels of the row up, and keeps their rubric from being changed; nil where it has none.
func (m *mark) take(ctx context.Context, q db.Q, at *target) (*rubric.Picked, error) {
	if m.pick == nil {
		return nil, nil //nolint:nilnil // there are none
	}
	return m.pick.Take(ctx, q, at.DefinitionID)
}

// points are the quality points that the row gives: those it says, or what its levels add up to.
func (m *mark) points(picked *rubric.Picked) *int {
	if m.quality == nil && picked != nil {
		return picked.Sum
	}
	return m.quality
}

// giving are tasks that are given levels without a verdict of ours.
func giving(tasks []int64) []rubric.Giving {
	out := make([]rubric.Giving, len(tasks))
	for i, id := range tasks {
		out[i].TaskID = id
	}
	return out
}
