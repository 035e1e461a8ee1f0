package unit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/teaching/rubric"
)

// rubricForm is what the fields of a rubric hold, as it is typed.
type rubricForm struct {
	Criteria []criterionForm `param:"criteria"`
	Fit      bool            `param:"fit"` // the quality points of the task change along
}

// criterionForm is a criterion as it is typed.
type criterionForm struct {
	ID          int64       `param:"id"` // 0: it is new
	Title       string      `param:"title"`
	Description string      `param:"description" text:"lines"`
	Levels      []levelForm `param:"levels"`
}

// levelForm is a level as it is typed.
type levelForm struct {
	ID     int64  `param:"id"`
	Name   string `param:"name"`
	Text   string `param:"text" text:"lines"`
	Points string `param:"points"`
}

// formOfCriteria fills the fields with what a rubric has.
func formOfCriteria(list rubric.Criteria) (out []criterionForm) {
	for _, c := range list {
		f := criterionForm{ID: c.ID, Title: c.Title, Description: c.Description}
		for _, l := range c.Levels {
			f.Levels = append(f.Levels, levelForm{l.ID, l.Name, l.Text, taskNumber(l.Points)})
		}
		out = append(out, f)
	}
	return out
}

// oneLine takes texts of lines as one, however browsers end them.
func (f *rubricForm) oneLine() {
	for i := range f.Criteria {
		c := &f.Criteria[i]
		c.Description = strings.ReplaceAll(c.Description, "\r\n", "\n")
		for j := range c.Levels {
			c.Levels[j].Text = strings.ReplaceAll(c.Levels[j].Text, "\r\n", "\n")
		}
	}
}

// tidy leaves out what was added and never written: criteria without a text of their own, and levels without anything.
func (f *rubricForm) tidy() {
	blank := func(texts ...string) bool { return strings.TrimSpace(strings.Join(texts, "")) == "" }
	f.Criteria = slices.DeleteFunc(f.Criteria, func(c criterionForm) bool {
		return c.ID == 0 && blank(c.Title, c.Description) &&
			!slices.ContainsFunc(c.Levels, func(l levelForm) bool { return !blank(l.Text) })
	})
	for i := range f.Criteria {
		c := &f.Criteria[i]
		c.Levels = slices.DeleteFunc(c.Levels, func(l levelForm) bool { return l.ID == 0 && blank(l.Name, l.Text, l.Points) })
	}
}

// read gives the criteria that are typed. Points that are no number are wrong here; all else is the domain's to say.
func (f *rubricForm) read() (rubric.Criteria, error) {
	var wrong fault.Fields
	out := rubric.Criteria{}
	for i, c := range f.Criteria {
		one := rubric.Criterion{ID: c.ID, Title: c.Title, Description: c.Description, Levels: []rubric.Level{}}
		for j, l := range c.Levels {
			level := rubric.Level{ID: l.ID, Name: l.Name, Text: l.Text}
			if text := strings.TrimSpace(l.Points); text != "" {
				n, err := strconv.ParseInt(text, 10, 64)
				wrong.When(err != nil, levelField(i, j, "points"), "must be a whole number from 0 to %d", rubric.MostPoints)
				level.Points = &n
			}
			one.Levels = append(one.Levels, level)
		}
		out = append(out, one)
	}
	return out, wrong.Err(fault.Refused)
}

// shown gives the criteria as they would look, whatever is still wrong with them.
func (f *rubricForm) shown() rubric.Criteria {
	out, _ := f.read()
	return out
}

func criterionField(i int, name string) string { return fmt.Sprintf("criteria[%d][%s]", i, name) }

func levelField(i, j int, name string) string {
	return fmt.Sprintf("criteria[%d][levels][%d][%s]", i, j, name)
}

// rearrange adds, moves or removes a criterion or a level, and tells which field or button is to have the focus then:
// "add", "up-2", "down-2", "remove-2", and of the levels of a criterion "add-2", "up-2-1", "down-2-1", "remove-2-1".
func (f *rubricForm) rearrange(do string, names []string) (focus string) {
	parts := strings.Split(do, "-")
	at := make([]int, len(parts)-1)
	for k, text := range parts[1:] {
		n, err := strconv.Atoi(text)
		if err != nil || k == 0 && (n < 0 || n >= len(f.Criteria)) || k == 1 && (n < 0 || n >= len(f.Criteria[at[0]].Levels)) {
			return ""
		}
		at[k] = n
	}
	switch what := parts[0]; {
	case what == "add" && len(at) == 0:
		f.Criteria = append(f.Criteria, f.another(names))
		return criterionID(len(f.Criteria)-1, "title")
	case what == "add" && len(at) == 1:
		c := &f.Criteria[at[0]]
		c.Levels = append(c.Levels, levelForm{})
		return levelID(at[0], len(c.Levels)-1, "name")
	case len(at) == 1:
		return placed(&f.Criteria, what, at[0], criterionID)
	case len(at) == 2:
		return placed(&f.Criteria[at[0]].Levels, what, at[1], func(j int, name string) string {
			if name == "title" {
				name = "name"
			}
			return levelID(at[0], j, name)
		})
	}
	return ""
}

func criterionID(i int, name string) string { return fmt.Sprintf("c%d-%s", i, name) }

func levelID(i, j int, name string) string { return fmt.Sprintf("c%d-l%d-%s", i, j, name) }

// another is a new criterion: with the levels of the one before, whose texts are still to be written.
func (f *rubricForm) another(names []string) criterionForm {
	var c criterionForm
	if n := len(f.Criteria); n > 0 {
		for _, l := range f.Criteria[n-1].Levels {
			c.Levels = append(c.Levels, levelForm{Name: l.Name, Points: l.Points})
		}
		return c
	}
	for _, name := range names {
		c.Levels = append(c.Levels, levelForm{Name: name})
	}
	return c
}

// placed moves or removes one of a list, and names what has the focus then.
func placed[T any](list *[]T, what string, at int, id func(int, string) string) string {
	to := at
	switch what {
	case "up":
		to--
	case "down":
		to++
	case "remove":
		*list = slices.Delete(*list, at, at+1)
		if len(*list) == 0 {
			return "rubric-add"
		}
		return id(min(at, len(*list)-1), "title")
	default:
		return ""
	}
	if to < 0 || to >= len(*list) {
		return id(at, what)
	}
	(*list)[at], (*list)[to] = (*list)[to], (*list)[at]
	switch to { // at an end its button leads no further and takes no focus
	case 0:
		what = "down"
	case len(*list) - 1:
		what = "up"
	}
	return id(to, what)
}

// best is what the best levels add up to, as far as they are numbers, and whether any has points.
func (f *rubricForm) best() (sum int64, points bool) {
	for _, c := range f.Criteria {
		sum += c.Best()
		points = points || slices.ContainsFunc(c.Levels, func(l levelForm) bool { return strings.TrimSpace(l.Points) != "" })
	}
	return sum, points
}

// Best is the most points of the levels that are typed.
func (c criterionForm) Best() (best int64) {
	for _, l := range c.Levels {
		if n, err := strconv.ParseInt(strings.TrimSpace(l.Points), 10, 64); err == nil {
			best = max(best, n)
		}
	}
	return best
}
