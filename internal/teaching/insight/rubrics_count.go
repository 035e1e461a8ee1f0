package insight

import (
	"cmp"
	"context"
	"math"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
)

// rubricCount counts the levels of a unit's rubrics.
type rubricCount struct {
	of    map[int64]*versionCount // by rubric
	tasks []*taskCount
	weeks map[int64]bool // days on which weeks began
}

// versionCount is where the levels of one version of a rubric are counted.
type versionCount struct {
	task   *counted
	levels map[int64]levelSeen
}

// levelSeen is a level as one version has it.
type levelSeen struct {
	criterion *counted
	level     *levelCount
	points    earnedPoints
}

// earnedPoints are points, of those of the best levels; of none: the levels have no points.
type earnedPoints struct{ points, of int64 }

type taskCount struct {
	RubricTask
	counted
	criteria []*criterionCount
}

type criterionCount struct {
	CriterionTally
	counted
	levels []*levelCount
}

// levelCount counts how often a level was given.
type levelCount struct {
	LevelTally
	byTutor, byWeek map[int64]int
}

func (l *levelCount) give(tutor, week int64) {
	l.Marked++
	l.byTutor[tutor]++
	l.byWeek[week]++
}

// counted sums up what was given, in all and by tutor and week.
type counted struct {
	all             shareSum
	byTutor, byWeek map[int64]*shareSum
}

func newCounted() counted {
	return counted{byTutor: map[int64]*shareSum{}, byWeek: map[int64]*shareSum{}}
}

func (c *counted) add(tutor, week int64, p earnedPoints) {
	c.all.add(p)
	in(c.byTutor, tutor).add(p)
	in(c.byWeek, week).add(p)
}

// in is the sum at a key, made where there is none yet.
func in(sums map[int64]*shareSum, key int64) *shareSum {
	s := sums[key]
	if s == nil {
		s = &shareSum{}
		sums[key] = s
	}
	return s
}

// shareSum sums up shares of points.
type shareSum struct {
	marked     int
	pointed    int // with points
	sum        earnedPoints
	first, sqr float64 // of the shares, and of their squares
}

func (s *shareSum) add(p earnedPoints) {
	s.marked++
	if p.of == 0 {
		return
	}
	share := float64(p.points) / float64(p.of)
	s.pointed, s.first, s.sqr = s.pointed+1, s.first+share, s.sqr+share*share
	s.sum.points, s.sum.of = s.sum.points+p.points, s.sum.of+p.of
}

// less is what is left without a part of it.
func (s shareSum) less(part *shareSum) shareSum {
	return shareSum{marked: s.marked - part.marked, pointed: s.pointed - part.pointed, first: s.first - part.first,
		sqr: s.sqr - part.sqr}
}

// lost is how much of the points was lost, in percent.
func (s *shareSum) lost() *float64 {
	if s == nil || s.sum.of == 0 {
		return nil
	}
	return new(tenth(100 * float64(s.sum.of-s.sum.points) / float64(s.sum.of)))
}

// given is the mean with its spread, where enough was given with points.
func (s shareSum) given() Given {
	g := Given{Marked: s.marked}
	if s.pointed < LeastCompared {
		return g
	}
	mean := s.first / float64(s.pointed)
	g.Mean = new(tenth(100 * mean))
	g.Spread = new(tenth(100 * math.Sqrt(max(0, s.sqr/float64(s.pointed)-mean*mean))))
	return g
}

// tenth rounds to one decimal.
func tenth(f float64) float64 { return math.Round(10*f) / 10 }

// add makes room for what a task was marked with: its criteria and levels of all versions, named by the first that has
// them.
func (c *rubricCount) add(t *rubricTask) {
	if c.weeks == nil {
		c.weeks = map[int64]bool{}
	}
	task := &taskCount{RubricTask: t.RubricTask, counted: newCounted()}
	c.tasks = append(c.tasks, task)
	criteria, levels := map[int64]*criterionCount{}, map[int64]*levelCount{}
	for _, r := range t.versions {
		seen := &versionCount{task: &task.counted, levels: map[int64]levelSeen{}}
		c.of[r.id] = seen
		for _, one := range r.criteria {
			k := criteria[one.ID]
			if k == nil {
				k = &criterionCount{CriterionTally: CriterionTally{ID: one.ID, Title: one.Title}, counted: newCounted()}
				criteria[one.ID], task.criteria = k, append(task.criteria, k)
			}
			for _, l := range one.Levels {
				n := levels[l.ID]
				if n == nil {
					n = &levelCount{LevelTally{ID: l.ID, Name: l.Name, Points: l.Points}, map[int64]int{}, map[int64]int{}}
					levels[l.ID], k.levels = n, append(k.levels, n)
				}
				seen.levels[l.ID] = levelSeen{&k.counted, n, earns(one, l)}
			}
		}
	}
}

// earns is what a level earns of a criterion.
func earns(c rubric.Criterion, l rubric.Level) earnedPoints {
	if l.Points == nil {
		return earnedPoints{}
	}
	return earnedPoints{*l.Points, c.Best()}
}

// person is one of the staff.
type person struct {
	ID        int64  `db:"id"`
	FirstName string `db:"first_name"`
	LastName  string `db:"last_name"`
}

// tutors names those who gave levels.
func (c *rubricCount) tutors(ctx context.Context, q db.Q) (map[int64]person, error) {
	var ids []int64
	for _, t := range c.tasks {
		for id := range t.byTutor {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	at := map[int64]person{}
	in, args := db.In(nil, slices.Compact(ids))
	list, err := db.All[person](ctx, q, `SELECT id, first_name, last_name FROM users WHERE id IN `+in, args...)
	for _, p := range list {
		at[p.ID] = p
	}
	return at, err
}

// result is what was counted, with those of the staff who are named.
func (c *rubricCount) result(names map[int64]person) *ByRubric {
	days := c.sorted()
	out := &ByRubric{Least: LeastCompared, Weeks: []clock.Date{}, Tasks: []RubricTask{}}
	for _, d := range days {
		out.Weeks = append(out.Weeks, dateOf(d))
	}
	for _, t := range c.tasks {
		one := t.RubricTask
		one.Tally, one.Criteria = t.tally(days, names, nil), []CriterionTally{}
		for _, k := range t.criteria {
			k.Tally, k.Levels = k.tally(days, names, k.levels), []LevelTally{}
			for _, l := range k.levels {
				l.Weeks = []int{}
				for _, d := range days {
					l.Weeks = append(l.Weeks, l.byWeek[d])
				}
				k.Levels = append(k.Levels, l.LevelTally)
			}
			one.Criteria = append(one.Criteria, k.CriterionTally)
		}
		out.Tasks = append(out.Tasks, one)
	}
	return out
}

// tally is what was counted, by week and by those who are named.
func (c *counted) tally(days []int64, names map[int64]person, levels []*levelCount) Tally {
	t := Tally{Marked: c.all.marked, Lost: c.all.lost(), Weeks: []WeekTally{}}
	for _, d := range days {
		week := WeekTally{}
		if s := c.byWeek[d]; s != nil {
			week = WeekTally{s.marked, s.lost()}
		}
		t.Weeks = append(t.Weeks, week)
	}
	for id, p := range names {
		if one := c.tutor(id, levels); one != nil {
			one.UserID, one.FirstName, one.LastName = id, p.FirstName, p.LastName
			t.Tutors = append(t.Tutors, *one)
		}
	}
	slices.SortFunc(t.Tutors, func(a, b TutorRubric) int {
		return cmp.Or(cmp.Compare(a.LastName, b.LastName), cmp.Compare(a.FirstName, b.FirstName),
			cmp.Compare(a.UserID, b.UserID))
	})
	return t
}

// tutor compares one of the staff with all others; nil where either gave too little.
func (c *counted) tutor(id int64, levels []*levelCount) *TutorRubric {
	own := c.byTutor[id]
	if own == nil || own.marked < LeastCompared || c.all.marked-own.marked < LeastCompared {
		return nil
	}
	t := &TutorRubric{Own: own.given(), Others: c.all.less(own).given(), Levels: []LevelShare{}}
	if t.Own.Mean != nil && t.Others.Mean != nil {
		t.Apart = new(tenth(*t.Own.Mean - *t.Others.Mean))
	}
	for _, l := range levels {
		t.Levels = append(t.Levels, LevelShare{l.ID, l.Name, percentOf(l.byTutor[id], t.Own.Marked),
			percentOf(l.Marked-l.byTutor[id], t.Others.Marked)})
	}
	return t
}

// percentOf is a share in percent.
func percentOf(part, whole int) float64 { return tenth(100 * float64(part) / float64(whole)) }
