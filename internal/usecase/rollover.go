package usecase

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/week"
)

// UnitRollover says when a unit is taught again.
type UnitRollover struct {
	PeriodID   int64
	Start, End *clock.Date // inside the period; its first and last day when nil
}

// RolloverUnit copies a unit into a teaching period and gives the copy, for whoever holds
// policy.RolloverUnit: its settings, main convenor, streams, group sets, outcomes, task
// definitions with their files and rubrics, its alignments and reusable comments; no students, tutorials,
// groups or other staff than who asks for it, if they convene the old one. Dates keep their
// week and weekday. It refuses dates outside the period, and with fault.Conflict a code that
// is taken there.
func (s *Service) RolloverUnit(ctx context.Context, who *access.Caller, unitID int64, r UnitRollover) (*FullUnit,
	error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*FullUnit, error) { return rolloverUnit(ctx, q, who, unitID, r) })
}

// rolloverUnit is RolloverUnit in a transaction.
func rolloverUnit(ctx context.Context, q db.Q, who *access.Caller, unitID int64, r UnitRollover) (*FullUnit, error) {
	c, err := newCopying(ctx, q, r.PeriodID, who.ID)
	if err != nil {
		return nil, err
	}
	if r.Start != nil {
		c.start = *r.Start
	}
	if r.End != nil {
		c.end = *r.End
	}
	if err := c.fits(); err != nil {
		return nil, err
	}
	if err := c.copy(ctx, q, []int64{unitID}); err != nil {
		return nil, err
	}
	return UnitByID(ctx, q, who, c.made[unitID])
}

// copying is a rollover on its way.
type copying struct {
	period     *course.TeachingPeriod
	start, end clock.Date // of the new units
	weeks      week.Calendar
	caller     int64
	made       map[int64]int64 // the new unit of each old one
}

// newCopying holds the period that is copied into.
func newCopying(ctx context.Context, q db.Q, periodID, caller int64) (*copying, error) {
	p, err := course.LockPeriod(ctx, q, periodID)
	if err != nil {
		return nil, err
	}
	breaks, err := course.Breaks(ctx, q, periodID)
	if err != nil {
		return nil, err
	}
	c := &copying{period: p, caller: caller, made: map[int64]int64{}}
	c.start, c.end = p.Days()
	c.weeks = week.New(c.start, c.end, course.Weeks(breaks))
	return c, nil
}

// fits refuses dates outside the period.
func (c *copying) fits() error {
	first, last := c.period.Days()
	switch {
	case c.end.Before(c.start):
		return fault.Field(fault.Refused, "end_date", "(%s) may not be before start_date (%s)", c.end.Told(),
			c.start.Told())
	case c.start.Before(first):
		return fault.Field(fault.Refused, "start_date", "(%s) may not be before the teaching period, which starts on "+
			"%s", c.start.Told(), first.Told())
	case c.end.After(last):
		return fault.Field(fault.Refused, "end_date", "(%s) may not be after the teaching period, which ends on %s",
			c.end.Told(), last.Told())
	}
	return nil
}

// original is what must be known of a unit before it is copied.
type original struct {
	ID        int64       `db:"id"`
	Code      string      `db:"code"`
	Portfolio *clock.Date `db:"portfolio_auto_generation_date"`
}

// copy copies units, by a constant number of statements for any number of them.
func (c *copying) copy(ctx context.Context, q db.Q, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	calendars, err := course.Calendars(ctx, q, ids...)
	if err != nil {
		return err
	}
	if err := c.units(ctx, q, ids, calendars); err != nil {
		return err
	}
	if err := c.surroundings(ctx, q); err != nil {
		return err
	}
	if err := c.definitions(ctx, q, ids, calendars); err != nil {
		return err
	}
	if err := c.alignments(ctx, q); err != nil {
		return err
	}
	if err := c.rubrics(ctx, q); err != nil {
		return err
	}
	if err := c.snippets(ctx, q); err != nil {
		return err
	}
	entries := make([]audit.Entry, 0, len(c.made))
	for old, made := range c.made {
		entries = append(entries, audit.Entry{Kind: audit.Unit, Action: "rolled_over", UnitID: made, RecordID: old})
	}
	return audit.Add(ctx, q, entries...)
}

// copiedUnit lists what the copy of a unit u has in UnitColumns: the same, but
// for where it lies in time, which v tells.
var copiedUnit = func() string {
	moved := []string{"teaching_period_id", "start_date", "end_date", "portfolio_auto_generation_date"}
	list := make([]string, len(course.UnitColumns))
	for i, c := range course.UnitColumns {
		if list[i] = "u." + c; slices.Contains(moved, c) {
			list[i] = "v." + c
		}
	}
	return strings.Join(list, ", ")
}()

// units makes the new units and remembers which is whose copy. The old ones
// are held, so that nothing is added to them half-way.
func (c *copying) units(ctx context.Context, q db.Q, ids []int64, calendars map[int64]week.Calendar) error {
	in, args := db.In(nil, ids)
	lock := ""
	if q.Postgres() {
		lock = " FOR UPDATE"
	}
	olds, err := db.All[original](ctx, q, `SELECT id, code, portfolio_auto_generation_date FROM units WHERE id IN `+in+
		` ORDER BY id`+lock, args...)
	if err != nil {
		return err
	}
	if len(olds) != len(ids) {
		return fault.New(fault.Missing, "There is no such unit.")
	}
	byCode, rows := map[string]int64{}, [][]any{}
	for _, u := range olds {
		byCode[u.Code] = u.ID
		rows = append(rows, []any{u.ID, c.period.ID, c.start, c.end, c.portfolio(calendars[u.ID], u.Portfolio),
			q.Now()})
	}
	from, args, err := db.Rows(q, nil, []string{"id BIGINT", "teaching_period_id BIGINT", "start_date DATE",
		"end_date DATE", "portfolio_auto_generation_date DATE", "at TIMESTAMPTZ"}, rows)
	if err != nil {
		return err
	}
	news, err := db.All[original](ctx, q, `INSERT INTO units (`+db.Columns("", course.UnitColumns)+
		`, created_at, updated_at)
		SELECT `+copiedUnit+`, v.at, v.at FROM units u JOIN `+from+` v ON v.id = u.id ORDER BY u.id
		RETURNING id, code, portfolio_auto_generation_date`, args...)
	if db.Duplicate(err) {
		return fault.New(fault.Conflict, "The teaching period %s %d already has a unit with that code.", c.period.Period,
			c.period.Year)
	}
	for _, u := range news {
		c.made[byCode[u.Code]] = u.ID
	}
	return err
}

// portfolio carries the day on which portfolios are made; it must lie after the
// start and not after the end of the new unit.
func (c *copying) portfolio(from week.Calendar, day *clock.Date) *clock.Date {
	if day == nil {
		return nil
	}
	to := from.Carry(c.weeks, *day)
	if to.After(c.end) {
		to = c.end
	}
	if !to.After(c.start) {
		return nil
	}
	return &to
}

// pairs gives the old and new units as a table m.
func (c *copying) pairs(q db.Q, args ...any) (string, []any, error) {
	var rows [][]any
	for old, made := range c.made {
		rows = append(rows, []any{old, made, q.Now()})
	}
	from, args, err := db.Rows(q, args, []string{"source_id BIGINT", "copy_id BIGINT", "at TIMESTAMPTZ"}, rows)
	return from + " m", args, err
}

// surroundings copies what definitions and alignments refer to, and the staff:
// the main convenor, and the caller where they convene the unit.
func (c *copying) surroundings(ctx context.Context, q db.Q) error {
	m, args, err := c.pairs(q)
	if err != nil {
		return err
	}
	for _, text := range []string{
		`INSERT INTO tutorial_streams (unit_id, name, abbreviation, activity_type_id)
			SELECT m.copy_id, s.name, s.abbreviation, s.activity_type_id FROM tutorial_streams s JOIN ` + m +
			` ON m.source_id = s.unit_id ORDER BY s.id`,
		`INSERT INTO group_sets (unit_id, name, allow_students_to_create_groups, allow_students_to_manage_groups,
			keep_groups_in_same_class, capacity, locked)
			SELECT m.copy_id, g.name, g.allow_students_to_create_groups, g.allow_students_to_manage_groups,
			g.keep_groups_in_same_class, g.capacity, g.locked
			FROM group_sets g JOIN ` + m + ` ON m.source_id = g.unit_id ORDER BY g.id`,
		`INSERT INTO learning_outcomes (unit_id, ilo_number, abbreviation, name, description)
			SELECT m.copy_id, o.ilo_number, o.abbreviation, o.name, o.description FROM learning_outcomes o JOIN ` + m +
			` ON m.source_id = o.unit_id ORDER BY o.id`,
	} {
		if _, err := db.Exec(ctx, q, text, args...); err != nil {
			return fmt.Errorf("copy the surroundings: %w", err)
		}
	}
	m, args, err = c.pairs(q, c.caller)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO unit_roles (unit_id, user_id, role, is_main, created_at, updated_at)
		SELECT m.copy_id, r.user_id, r.role, r.is_main, m.at, m.at FROM unit_roles r JOIN `+m+
		` ON m.source_id = r.unit_id
		WHERE r.is_main OR (r.user_id = $1 AND r.role = 3) ORDER BY r.id`, args...)
	return err
}

// dated is a definition with what changes in its copy, and its files.
type dated struct {
	ID         int64       `db:"id"`
	UnitID     int64       `db:"unit_id"`
	Start      clock.Date  `db:"start_date"`
	Target     clock.Date  `db:"target_date"`
	Due        *clock.Date `db:"due_date"`
	Sheet      *string     `db:"sheet_hash"`
	Resources  *string     `db:"resources_hash"`
	Assessment *string     `db:"assessment_hash"`
	Template   *string     `db:"template_hash"`
}

// definitions copies the definitions with their files, which are held so that
// no sweep takes them.
func (c *copying) definitions(ctx context.Context, q db.Q, ids []int64, calendars map[int64]week.Calendar) error {
	in, args := db.In(nil, ids)
	olds, err := db.All[dated](ctx, q, `SELECT id, unit_id, start_date, target_date, due_date, sheet_hash,
		resources_hash, assessment_hash, template_hash
		FROM task_definitions WHERE unit_id IN `+in+` ORDER BY id`, args...)
	if err != nil || len(olds) == 0 {
		return err
	}
	var rows [][]any
	var hashes []string
	for _, d := range olds {
		hashes = append(hashes, d.files()...)
		d.carry(calendars[d.UnitID], c.weeks)
		rows = append(rows, []any{d.ID, c.made[d.UnitID], d.Start, d.Target, d.Due})
	}
	if err := blob.Touch(ctx, q, hashes); err != nil {
		return err
	}
	from, args, err := db.Rows(q, nil, []string{"id BIGINT", "unit BIGINT", "start_date DATE", "target_date DATE",
		"due_date DATE"}, rows)
	if err != nil {
		return err
	}
	n, err := db.Exec(ctx, q, `INSERT INTO task_definitions (unit_id, name, abbreviation, description, weighting,
		target_grade, start_date, target_date,
			due_date, upload_requirements, plagiarism_checks, plagiarism_warn_pct, moss_language,
			restrict_status_updates, group_set_id,
			tutorial_stream_id, is_graded, max_quality_pts, assessment_enabled, overseer_image_id, is_draft_summary,
			sheet_hash, resources_hash, assessment_hash, template_hash, first_id, assessment_statuses,
			assessment_trusted, assessment_limits)
		SELECT v.unit, d.name, d.abbreviation, d.description, d.weighting, d.target_grade, v.start_date, v.target_date,
			v.due_date, d.upload_requirements, d.plagiarism_checks, d.plagiarism_warn_pct, d.moss_language,
			d.restrict_status_updates, g.id,
			s.id, d.is_graded, d.max_quality_pts, d.assessment_enabled, d.overseer_image_id, d.is_draft_summary,
			d.sheet_hash, d.resources_hash, d.assessment_hash, d.template_hash, coalesce(d.first_id, d.id),
			d.assessment_statuses, d.assessment_trusted, d.assessment_limits
		FROM task_definitions d JOIN `+from+` v ON v.id = d.id
		LEFT JOIN tutorial_streams os ON os.id = d.tutorial_stream_id
		LEFT JOIN tutorial_streams s ON s.unit_id = v.unit AND s.abbreviation = os.abbreviation
		LEFT JOIN group_sets og ON og.id = d.group_set_id LEFT JOIN group_sets g ON g.unit_id = v.unit
		AND g.name = og.name
		ORDER BY d.id`, args...)
	if err == nil && n != int64(len(olds)) {
		return fault.New(fault.Conflict, "Somebody changed the unit at the same moment, so nothing was saved. Try "+
			"again.")
	}
	return err
}

// carry moves the dates to the same week and weekday. A day in a break that
// the target lacks may land behind one that came after it: then work starts no
// later than its target, and is due no earlier.
func (d *dated) carry(from, to week.Calendar) {
	d.Start, d.Target = from.Carry(to, d.Start), from.Carry(to, d.Target)
	if d.Start.After(d.Target) {
		d.Start = d.Target
	}
	if d.Due == nil {
		return
	}
	due := from.Carry(to, *d.Due)
	if due.Before(d.Target) {
		due = d.Target
	}
	d.Due = &due
}

func (d *dated) files() (out []string) {
	for _, h := range []*string{d.Sheet, d.Resources, d.Assessment, d.Template} {
		if h != nil {
			out = append(out, *h)
		}
	}
	return out
}

// alignments copies the units' own alignments, matched by abbreviations.
func (c *copying) alignments(ctx context.Context, q db.Q) error {
	m, args, err := c.pairs(q)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO learning_outcome_links (task_definition_id, learning_outcome_id, rating,
		description)
		SELECT nd.id, fresh.id, l.rating, l.description
		FROM learning_outcome_links l
		JOIN task_definitions od ON od.id = l.task_definition_id
		JOIN learning_outcomes oo ON oo.id = l.learning_outcome_id
		JOIN `+m+` ON m.source_id = od.unit_id
		JOIN task_definitions nd ON nd.unit_id = m.copy_id AND nd.abbreviation = od.abbreviation
		JOIN learning_outcomes fresh ON fresh.unit_id = m.copy_id AND fresh.abbreviation = oo.abbreviation
		WHERE l.task_id IS NULL ORDER BY l.id`, args...)
	return err
}

// rubrics copies those that tasks are marked by now, matched by the abbreviations of the tasks. What criteria and
// levels are numbered stays the same, as saved comments for a level go by it.
func (c *copying) rubrics(ctx context.Context, q db.Q) error {
	m, args, err := c.pairs(q)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO rubrics (task_definition_id, version, current, criteria, points, last_key,
		user_id, at)
		SELECT nd.id, 1, r.current, r.criteria, r.points, r.last_key, r.user_id, m.at
		FROM rubrics r JOIN task_definitions od ON od.id = r.task_definition_id
		JOIN `+m+` ON m.source_id = od.unit_id
		JOIN task_definitions nd ON nd.unit_id = m.copy_id AND nd.abbreviation = od.abbreviation
		WHERE r.current ORDER BY r.id`, args...)
	return err
}

// snippets copies the units' own reusable comments, those for one task matched by
// its abbreviation; those for a level keep its number, as the copied rubrics do.
func (c *copying) snippets(ctx context.Context, q db.Q) error {
	m, args, err := c.pairs(q)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO snippets (user_id, unit_id, task_definition_id, level_key, text, text_key,
		created_at, updated_at)
		SELECT s.user_id, m.copy_id, nd.id, s.level_key, s.text, s.text_key, m.at, m.at
		FROM snippets s JOIN `+m+` ON m.source_id = s.unit_id
		LEFT JOIN task_definitions od ON od.id = s.task_definition_id
		LEFT JOIN task_definitions nd ON nd.unit_id = m.copy_id AND nd.abbreviation = od.abbreviation
		ORDER BY s.id`, args...)
	return err
}
