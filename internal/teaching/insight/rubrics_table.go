package insight

import (
	"slices"
	"strconv"

	"lectern/internal/teaching/chart"
)

// RubricTables are the names of what the charts by rubric show, as tables and sheets. That of tutors is for holders of
// policy.SeeTutorPace.
var RubricTables = []string{"rubrics", "rubric-weeks", "rubric-tutors"}

// IsOfTutors tells whether a table is for holders of policy.SeeTutorPace only.
func IsOfTutors(name string) bool { return name == "turnaround" || name == "rubric-tutors" }

// Table gives one of them as a plain table, in the words of sheets.
func (b *ByRubric) Table(name string) (chart.Table, error) {
	switch name {
	case "rubrics":
		return b.levelTable(), nil
	case "rubric-weeks":
		return b.weekTable(), nil
	case "rubric-tutors":
		return b.tutorTable(), nil
	}
	return chart.Table{}, checkTable(name)
}

// each goes through the levels of all criteria.
func (b *ByRubric) each(level func(head []string, c *CriterionTally, l *LevelTally)) {
	for i := range b.Tasks {
		t := &b.Tasks[i]
		for k := range t.Criteria {
			c := &t.Criteria[k]
			for n := range c.Levels {
				level([]string{t.Abbreviation, c.Title, c.Levels[n].Name, whole(c.Levels[n].Points)}, c, &c.Levels[n])
			}
		}
	}
}

// whole writes a whole number; none is empty.
func whole(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

func (b *ByRubric) levelTable() chart.Table {
	t := chart.Table{Head: []string{"Task", "Criterion", "Level", "Points", "Marked", "Marked by the criterion",
		"Percent of points lost"}, Rows: [][]string{}}
	b.each(func(head []string, c *CriterionTally, l *LevelTally) {
		t.Rows = append(t.Rows, append(head, strconv.Itoa(l.Marked), strconv.Itoa(c.Marked), decimal(c.Lost)))
	})
	return t
}

func (b *ByRubric) weekTable() chart.Table {
	t := chart.Table{Head: []string{"Task", "Criterion", "Level", "Points"}, Rows: [][]string{}}
	for _, monday := range b.Weeks {
		t.Head = append(t.Head, "Marked from "+monday.String(), "Percent of points lost from "+monday.String())
	}
	b.each(func(head []string, c *CriterionTally, l *LevelTally) {
		for i, n := range l.Weeks {
			head = append(head, strconv.Itoa(n), decimal(c.Weeks[i].Lost))
		}
		t.Rows = append(t.Rows, head)
	})
	return t
}

func (b *ByRubric) tutorTable() chart.Table {
	t := chart.Table{Head: []string{"Task", "Criterion", "Tutor", "Marked", "Mean percent", "Spread", "Marked by others",
		"Mean percent of others", "Spread of others", "Level", "Percent", "Percent of others"},
		Rows: [][]string{}}
	for _, task := range b.Tasks {
		t.Rows = append(t.Rows, tutorRows(task.Abbreviation, "", task.Tutors)...)
		for _, c := range task.Criteria {
			t.Rows = append(t.Rows, tutorRows(task.Abbreviation, c.Title, c.Tutors)...)
		}
	}
	return t
}

// tutorRows are a row for each tutor, and for each level that was given.
func tutorRows(task, criterion string, list []TutorRubric) (rows [][]string) {
	for _, one := range list {
		head := []string{task, criterion, one.FirstName + " " + one.LastName, strconv.Itoa(one.Own.Marked),
			decimal(one.Own.Mean), decimal(one.Own.Spread), strconv.Itoa(one.Others.Marked), decimal(one.Others.Mean),
			decimal(one.Others.Spread)}
		if len(one.Levels) == 0 {
			rows = append(rows, append(head, "", "", ""))
		}
		for _, l := range one.Levels {
			rows = append(rows, append(slices.Clone(head), l.Name, decimal(&l.Own), decimal(&l.Others)))
		}
	}
	return rows
}
