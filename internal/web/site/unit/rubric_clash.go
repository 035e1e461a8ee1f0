package unit

import (
	"slices"

	"lectern/internal/teaching/rubric"
)

// rubricSeen is the rubric as whoever changes it read it, for the form to send back.
type rubricSeen struct {
	ID       int64 // 0: there was none
	Criteria []criterionForm
}

// rubricClash brings what somebody typed onto a rubric that a colleague changed meanwhile.
type rubricClash struct {
	was, now map[int64]criterionForm // by their numbers
	both     map[string]string       // what a field holds by now that both changed, by its name
	added    int                     // criteria of the colleague that are new
	gone     []string                // titles of criteria that the colleague removed and that are typed on
}

func byNumber(list []criterionForm) map[int64]criterionForm {
	out := map[int64]criterionForm{}
	for _, c := range list {
		out[c.ID] = c
	}
	return out
}

// onto gives the fields with what is there now wherever nobody typed: where they still hold what was read. What both
// changed stays as it is typed, and is told with the other value. A criterion or a level that was removed goes where
// nothing was typed into it, else it is a new one.
func (f *rubricForm) onto(seen []criterionForm, now rubric.Criteria) *rubricClash {
	is := formOfCriteria(now)
	k := &rubricClash{was: byNumber(seen), now: byNumber(is), both: map[string]string{}}
	var out []criterionForm
	for _, mine := range f.Criteria {
		was, now := k.was[mine.ID], k.now[mine.ID]
		switch {
		case mine.ID == 0:
		case now.ID == 0 && mine.same(was):
			continue
		case now.ID == 0:
			k.gone = append(k.gone, mine.Title)
			mine.renew()
		default:
			k.field(&mine.Title, was.Title, now.Title, criterionField(len(out), "title"))
			k.field(&mine.Description, was.Description, now.Description, criterionField(len(out), "description"))
			mine.Levels = k.levels(mine.Levels, was.Levels, now.Levels, len(out))
		}
		out = append(out, mine)
	}
	for _, theirs := range is {
		if _, known := k.was[theirs.ID]; !known {
			out = append(out, theirs)
			k.added++
		}
	}
	f.Criteria = out
	return k
}

// same tells whether nothing was typed into a criterion.
func (c criterionForm) same(was criterionForm) bool {
	return c.Title == was.Title && c.Description == was.Description && slices.Equal(c.Levels, was.Levels)
}

// renew makes a criterion a new one, with all its levels.
func (c *criterionForm) renew() {
	c.ID, c.Levels = 0, slices.Clone(c.Levels)
	for j := range c.Levels {
		c.Levels[j].ID = 0
	}
}

// levels does for the levels of a criterion what onto does for criteria; i is its place.
func (k *rubricClash) levels(mine, was, now []levelForm, i int) (out []levelForm) {
	find := func(list []levelForm, id int64) (levelForm, bool) {
		n := slices.IndexFunc(list, func(l levelForm) bool { return l.ID == id })
		if n < 0 {
			return levelForm{}, false
		}
		return list[n], true
	}
	for _, l := range mine {
		before, _ := find(was, l.ID)
		is, there := find(now, l.ID)
		switch {
		case l.ID == 0:
		case !there && l == before:
			continue
		case !there:
			l.ID = 0
		default:
			j := len(out)
			k.field(&l.Name, before.Name, is.Name, levelField(i, j, "name"))
			k.field(&l.Text, before.Text, is.Text, levelField(i, j, "text"))
			k.field(&l.Points, before.Points, is.Points, levelField(i, j, "points"))
		}
		out = append(out, l)
	}
	for _, l := range now {
		if _, known := find(was, l.ID); !known {
			out = append(out, l)
		}
	}
	return out
}

// field takes the value of a colleague where nobody typed, and notes it where both did.
func (k *rubricClash) field(mine *string, was, now, name string) {
	switch {
	case *mine == was:
		*mine = now
	case now != was && now != *mine:
		k.both[name] = now
	}
}
