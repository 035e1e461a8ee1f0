package rubric

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Change is what a rubric is to be.
type Change struct {
	Criteria Criteria // a criterion or a level with the number it has stays what it is; one with 0 is new
	// MaxQuality is the number of quality points that the task is to have along with it; nil: it stays.
	MaxQuality *int64
	Fits       bool   // it is to have as many as the best levels add up to, where levels have points
	Seen       *int64 // the rubric that whoever changes it saw, 0: none; nil: whatever it was
	UserID     int64  // who changes it
}

// head is what a rubric must know of its task.
type head struct {
	UnitID     int64 `db:"unit_id"`
	FirstID    int64 `db:"first_id"` // the definition that this and others are copies of, or itself
	MaxQuality int64 `db:"max_quality_pts"`
}

// hold holds a task definition and its rubric, so that one change comes after the other, and none comes while
// somebody marks with it.
func hold(ctx context.Context, q db.Q, definitionID int64) (*head, *Rubric, error) {
	if err := db.Lock(ctx, q, "task_definitions", definitionID); err != nil {
		return nil, nil, err
	}
	h, err := db.OneOf[head](ctx, q, "task definition", `SELECT unit_id, coalesce(first_id, id) AS first_id,
		max_quality_pts FROM task_definitions WHERE id = $1`, definitionID)
	if err != nil {
		return nil, nil, err
	}
	now, err := find(ctx, q, definitionID)
	if err != nil || now == nil {
		return h, nil, err
	}
	if err := db.Lock(ctx, q, "rubrics", now.ID); err != nil {
		return nil, nil, err
	}
	now, err = find(ctx, q, definitionID) // again: it may have been used meanwhile
	return h, now, err
}

// Save makes the rubric of a task what the change says, for holders of policy.EditDefinitions. One that was used
// stays what it was for those who were marked with it, and the next version takes its place. It refuses what
// Check refuses, and with fault.Conflict, which carries the Rubric there is, a change of another rubric than
// was seen. Best levels that do not add up to the quality points of the task, or to those it is to have along
// with it, are fault.Refused: the task itself is the caller's to change.
func Save(ctx context.Context, q db.Q, definitionID int64, c Change) (*Rubric, error) {
	h, now, err := hold(ctx, q, definitionID)
	if err != nil {
		return nil, err
	}
	if err := c.clashes(now); err != nil {
		return nil, err
	}
	if err := c.Criteria.Check(); err != nil {
		return nil, err
	}
	if err := c.Criteria.addUp(opt.Or(c.Quality(), h.MaxQuality)); err != nil {
		return nil, err
	}
	r := &Rubric{DefinitionID: definitionID, Version: 1, Current: true, UserID: c.UserID, At: q.Now()}
	if r.LastKey, err = lastKey(ctx, q, h.FirstID); err != nil {
		return nil, err
	}
	if r.Criteria, err = c.Criteria.numbered(now, &r.LastKey); err != nil {
		return nil, err
	}
	if now != nil && reflect.DeepEqual(r.Criteria, now.Criteria) {
		return now, nil
	}
	r.Points = r.Criteria.best()
	return r.replace(ctx, q, h.UnitID, now)
}

// Quality is the number of quality points that the task is to have along with the change; nil: it stays.
func (c Change) Quality() *int64 {
	if c.Fits {
		return c.Criteria.best()
	}
	return c.MaxQuality
}

// clashes refuses a change of another rubric than whoever makes it saw.
func (c Change) clashes(now *Rubric) error {
	var id int64
	if now != nil {
		id = now.ID
	}
	if c.Seen == nil || *c.Seen == id {
		return nil
	}
	if now == nil {
		return fault.New(fault.Conflict, "Somebody removed this rubric in the meantime. Your changes are not saved: save "+
			"them again as a new rubric if you still want to.")
	}
	return &fault.Error{Kind: fault.Conflict, Code: "rubric_changed", Text: "Somebody else changed this rubric in the " +
		"meantime. Your changes are not saved: compare both, and save yours again if you still want to.", Stands: now}
}

// lastKey is the highest number that anything in the rubrics of a task ever had, in all units that it was rolled over
// to: a saved comment of a person's own goes with the task to them all, and finds its level by its number. Two who
// write rubrics of one task in two units do so one after the other.
func lastKey(ctx context.Context, q db.Q, firstID int64) (int64, error) {
	if err := db.LockName(ctx, q, fmt.Sprint("rubric numbers ", firstID)); err != nil {
		return 0, err
	}
	n, err := db.One[int64](ctx, q, `SELECT coalesce(max(last_key), 0) FROM rubrics WHERE task_definition_id IN (SELECT id
		FROM task_definitions WHERE id = $1 OR first_id = $1)`, firstID)
	if err != nil {
		return 0, err
	}
	return *n, nil
}

// replace writes the rubric in the place of the one there is, which stays only where it was used.
func (r *Rubric) replace(ctx context.Context, q db.Q, unitID int64, now *Rubric) (*Rubric, error) {
	action := "rubric_" + audit.Changed
	version, err := db.One[int64](ctx, q, `SELECT coalesce(max(version), 0) FROM rubrics WHERE task_definition_id = $1`,
		r.DefinitionID)
	if err != nil {
		return nil, err
	}
	r.Version = *version + 1
	switch {
	case now == nil:
		action = "rubric_" + audit.Created
	case now.Used:
		_, err = db.Exec(ctx, q, `UPDATE rubrics SET current = FALSE WHERE id = $1`, now.ID)
	default:
		r.Version = now.Version
		_, err = db.Exec(ctx, q, `DELETE FROM rubrics WHERE id = $1`, now.ID)
	}
	if err != nil {
		return nil, err
	}
	id, err := db.One[int64](ctx, q, `INSERT INTO rubrics (task_definition_id, version, current, criteria, points,
		last_key, user_id, at) VALUES ($1, $2, TRUE, $3, $4, $5, $6, $7) RETURNING id`, r.DefinitionID, r.Version, r.Criteria,
		r.Points, r.LastKey, r.UserID, r.At)
	if err != nil {
		return nil, fmt.Errorf("write a rubric: %w", err)
	}
	r.ID = *id
	return r, audit.Add(ctx, q, audit.Entry{Kind: audit.Definition, Action: action, UnitID: unitID,
		RecordID: r.DefinitionID})
}

// Remove leaves a task without a rubric, for holders of policy.EditDefinitions. What was marked with it keeps it.
// It is fault.Missing where there is none, and fault.Conflict for another than was seen, as in Save.
func Remove(ctx context.Context, q db.Q, definitionID int64, seen *int64) error {
	h, now, err := hold(ctx, q, definitionID)
	if err != nil {
		return err
	}
	if now == nil {
		return fault.New(fault.Missing, "This task has no rubric.")
	}
	if err := (Change{Seen: seen}).clashes(now); err != nil {
		return err
	}
	// The row stays, so that no number in it is ever given again: saved comments go by them.
	if _, err := db.Exec(ctx, q, `UPDATE rubrics SET current = FALSE WHERE id = $1`, now.ID); err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Definition, Action: "rubric_" + audit.Deleted, UnitID: h.UnitID,
		RecordID: definitionID})
}

// numbered gives what is new in the criteria numbers that nothing of the task has had, and refuses numbers that the
// rubric there is has not.
func (c Criteria) numbered(now *Rubric, last *int64) (Criteria, error) {
	known := map[int64]int64{} // the criterion of a level, and 0 of a criterion
	if now != nil {
		for _, one := range now.Criteria {
			known[one.ID] = 0
			for _, l := range one.Levels {
				known[l.ID] = one.ID
			}
		}
	}
	number := func(id, of int64, field string) (int64, error) {
		if id == 0 {
			*last++
			return *last, nil
		}
		if under, ok := known[id]; !ok || under != of {
			return 0, fault.Field(fault.Refused, field, "is %d, which this rubric does not have there: leave it out "+
				"for a new one", id)
		}
		delete(known, id)
		return id, nil
	}
	out := make(Criteria, len(c))
	for i, one := range c {
		was := one.ID
		var err error
		if one.ID, err = number(was, 0, fmt.Sprintf("criteria[%d][id]", i)); err != nil {
			return nil, err
		}
		one.Levels = append([]Level{}, one.Levels...)
		for j := range one.Levels {
			l := &one.Levels[j]
			// A level has a criterion, so that of none, -1, is no level's.
			if l.ID, err = number(l.ID, cmp.Or(was, -1), fmt.Sprintf("criteria[%d][levels][%d][id]", i, j)); err != nil {
				return nil, err
			}
		}
		out[i] = one
	}
	return out, nil
}

// Check trims the texts of criteria, and refuses all that is wrong with them by themselves: too many or too few, no
// title or one twice, texts that are too long, and points for some levels but not for all.
func (c Criteria) Check() error {
	var wrong fault.Fields
	switch {
	case len(c) == 0:
		wrong.Add("criteria", "are none: a rubric has one at least")
	case len(c) > MostCriteria:
		wrong.Add("criteria", "are %d: the limit is %d", len(c), MostCriteria)
	}
	if wrong.Len() > 0 {
		return wrong.Err(fault.Refused)
	}
	titles, with, without := map[string]bool{}, 0, 0
	for i := range c {
		at := fmt.Sprintf("criteria[%d]", i)
		c[i].check(&wrong, at)
		distinct(&wrong, titles, at+"[title]", c[i].Title, "another criterion")
		for _, l := range c[i].Levels {
			if l.Points != nil {
				with++
			} else {
				without++
			}
		}
	}
	wrong.When(with > 0 && without > 0, "criteria", "have points for some levels only: give all levels points, or none")
	return wrong.Err(fault.Refused)
}

// distinct notes a name that something before has, whatever its capitals.
func distinct(wrong *fault.Fields, seen map[string]bool, field, name, other string) {
	key := strings.ToLower(name)
	wrong.When(name != "" && seen[key], field, "is that of %s", other)
	seen[key] = true
}

// check trims the texts of a criterion and notes what is wrong with it.
func (c *Criterion) check(wrong *fault.Fields, at string) {
	c.Title, c.Description = strings.TrimSpace(c.Title), strings.TrimSpace(c.Description)
	line(wrong, at+"[title]", c.Title)
	lines(wrong, at+"[description]", c.Description)
	if n := len(c.Levels); n < FewestLevels || n > MostLevels {
		wrong.Add(at+"[levels]", "are %d: a criterion has %d to %d", n, FewestLevels, MostLevels)
		return
	}
	names := map[string]bool{}
	for i := range c.Levels {
		l, at := &c.Levels[i], fmt.Sprintf("%s[levels][%d]", at, i)
		l.Name, l.Text = strings.TrimSpace(l.Name), strings.TrimSpace(l.Text)
		line(wrong, at+"[name]", l.Name)
		lines(wrong, at+"[text]", l.Text)
		distinct(wrong, names, at+"[name]", l.Name, "another level of the criterion")
		wrong.When(l.Points != nil && (*l.Points < 0 || *l.Points > MostPoints), at+"[points]", "must be from 0 to %d",
			MostPoints)
	}
}

// line notes what is wrong with a title or a name.
func line(wrong *fault.Fields, field, text string) {
	wrong.When(text == "", field, "may not be blank")
	wrong.When(utf8.RuneCountInString(text) > MostTitle, field, "may have at most %d characters", MostTitle)
	wrong.When(!bounds.FitsOneLine(text), field, "must be one line without control characters")
}

// lines notes what is wrong with a text.
func lines(wrong *fault.Fields, field, text string) {
	wrong.When(utf8.RuneCountInString(text) > MostDescription, field, "may have at most %d characters", MostDescription)
	wrong.When(!bounds.FitsLines(text), field, "must not hold control characters other than line breaks and tabs")
}

// addUp refuses points that do not add up to those of the task.
func (c Criteria) addUp(maxQuality int64) error {
	best := c.best()
	switch {
	case best == nil || *best == maxQuality && *best > 0:
		return nil
	case *best == 0:
		return fault.Field(fault.Refused, "criteria", "have no level with more than 0 points: give the best "+
			"levels points, or none of them")
	}
	return fault.Field(fault.Refused, "criteria", "have best levels that add up to %d points, and the task has %d "+
		"quality points: make both the same", *best, maxQuality)
}
