package taskdef

import (
	"context"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/week"
)

// definitionHeadings are the columns of the sheet of definitions. Dates are
// weeks and weekdays of the unit, so that a sheet serves another offering too.
var definitionHeadings = []string{"name", "abbreviation", "description", "weighting", "target_grade",
	"restrict_status_updates",
	"max_quality_pts", "is_graded", "plagiarism_warn_pct", "plagiarism_checks", "group_set", "upload_requirements",
	"start_week", "start_day", "target_week", "target_day", "due_week", "due_day", "tutorial_stream"}

// DefinitionSheet says what a sheet of definitions must have to be read.
var DefinitionSheet = sheet.Options{Required: definitionHeadings, MaxRows: 1000,
	Lines: []string{"description", "plagiarism_checks", "upload_requirements"}}

// WriteDefinitions writes the definitions of a unit as a sheet that
// ImportDefinitions takes back.
func WriteDefinitions(w io.Writer, list []Definition, weeks week.Calendar) error {
	out := sheet.Write(w, definitionHeadings)
	for i := range list {
		if err := out.Row(list[i].cells(weeks)...); err != nil {
			return err
		}
	}
	return out.Flush()
}

func (d *Definition) cells(c week.Calendar) []string {
	start, target := c.Position(d.StartDate), c.Position(d.TargetDate)
	dueWeek, dueDay := "", ""
	if d.DueDate != nil {
		due := c.Position(*d.DueDate)
		dueWeek, dueDay = due.WeekText(), due.DayText()
	}
	return []string{d.Name, d.Abbreviation, d.Description, strconv.FormatInt(d.Weighting, 10),
		strconv.Itoa(int(d.TargetGrade)),
		strconv.FormatBool(d.RestrictStatus), strconv.FormatInt(d.MaxQualityPts, 10), strconv.FormatBool(d.IsGraded),
		strconv.FormatInt(d.WarnPct, 10), d.Checks.String(), orBlank(d.GroupSet), d.Requirements.String(),
		start.WeekText(), start.DayText(), target.WeekText(), target.DayText(), dueWeek, dueDay, orBlank(d.StreamAbbr)}
}

func orBlank(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// ImportDefinitions adds and changes definitions from a sheet, each row matched by its
// abbreviation, else by its name. Rows that cannot be carried out are reported, the others are
// done all together. It is for holders of policy.ImportUnit, and refuses in a row what
// AddDefinition and ChangeDefinition refuse.
func ImportDefinitions(ctx context.Context, q db.Q, unitID int64, out *sheet.Reader) (*sheet.Report, error) {
	if err := db.Lock(ctx, q, "units", unitID); err != nil {
		return nil, err
	}
	plan, err := newDefinitionPlan(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	for row, err := range out.Rows() {
		if err != nil {
			plan.report.Fail(row, "%s", err)
			continue
		}
		plan.take(row)
	}
	if len(plan.write) == 0 {
		return &plan.report, nil
	}
	if err := plan.save(ctx, q); err != nil {
		return nil, err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Definition, Action: "imported", UnitID: unitID}); err != nil {
		return nil, err
	}
	return &plan.report, DefinitionsChanged(ctx, q, unitID)
}

// definitionPlan is an import on its way: what the unit has, as the rows so far
// leave it, and what is to be written.
type definitionPlan struct {
	unitID   int64
	calendar week.Calendar
	around   *surroundings
	have     []*Definition
	handed   map[int64]bool
	points   map[int64]int64     // what the best levels of rubrics add up to
	seen     map[*Definition]int // the line that changed it
	write    []*Definition
	report   sheet.Report
}

func newDefinitionPlan(ctx context.Context, q db.Q, unitID int64) (*definitionPlan, error) {
	p := &definitionPlan{unitID: unitID, handed: map[int64]bool{}, seen: map[*Definition]int{}}
	calendars, err := course.Calendars(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	p.calendar = calendars[unitID]
	if p.around, err = around(ctx, q, unitID); err != nil {
		return nil, err
	}
	list, err := DefinitionsOf(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	for i := range list {
		p.have = append(p.have, &list[i])
	}
	if p.points, err = rubric.PointsIn(ctx, q, unitID); err != nil {
		return nil, err
	}
	ids, err := handedIn(ctx, q, `t.unit_id = $1`, unitID)
	for _, id := range ids {
		p.handed[id] = true
	}
	return p, err
}

// match finds the definition a row is about.
func (p *definitionPlan) match(abbreviation, name string) *Definition {
	for _, d := range p.have {
		if d.Abbreviation == abbreviation {
			return d
		}
	}
	for _, d := range p.have {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// take plans one row, or reports why it cannot be.
func (p *definitionPlan) take(row sheet.Row) {
	old := p.match(row.Get("abbreviation"), row.Get("name"))
	next := Definition{UnitID: p.unitID}
	if old != nil {
		if line := p.seen[old]; line != 0 {
			p.report.Fail(row, "The task %s was already set by line %d. Remove one of the two rows.", old.Abbreviation,
				line)
			return
		}
		next = *old
	}
	cells := &cellReader{row: row}
	p.fill(&next, cells)
	p.allow(old, &next, cells)
	if err := cells.wrong.Err(); err != nil {
		p.report.Fail(row, "%s", err)
		return
	}
	switch {
	case old == nil:
		old = &Definition{}
		p.have = append(p.have, old)
		p.report.Succeed(row, "New task %s.", next.Abbreviation)
	case reflect.DeepEqual(old.sheetRow(), next.sheetRow()):
		p.seen[old] = row.Line()
		p.report.Ignore(row, "The task %s is as the row says.", next.Abbreviation)
		return
	default:
		p.report.Succeed(row, "Changed task %s.", next.Abbreviation)
	}
	*old = next
	p.seen[old] = row.Line()
	p.write = append(p.write, old)
}

// allow notes what keeps a planned definition from standing by itself and among the others. Of what
// could not be read nothing more is said.
func (p *definitionPlan) allow(old, next *Definition, cells *cellReader) {
	wrong := &cells.wrong
	wrong.Add(p.around.place(next))
	if f, ok := errors.AsType[*fault.Error](next.check()); ok {
		for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
			if !slices.Contains(cells.unread, name) {
				wrong.Add(fault.Field(f.Kind, name, "%s", f.Fields[name]))
			}
		}
	}
	for _, other := range p.have {
		if other != old && (other.Name == next.Name || other.Abbreviation == next.Abbreviation) {
			wrong.Say("The task %s has that name or abbreviation. Write others, or remove the row.", other.Abbreviation)
			break
		}
	}
	if points, has := p.points[next.ID]; has && points != next.MaxQualityPts {
		wrong.Say("The best levels of the rubric add up to %d. Write that as max_quality_pts, or change both in the rubric.",
			points)
	}
	if old != nil && p.handed[old.ID] && !opt.Same(old.GroupSetID, next.GroupSetID) {
		wrong.Say("Students have submitted work for this task, so its group set cannot change. Write the one it has.")
	}
}

// fill reads the cells of a row into a definition.
func (p *definitionPlan) fill(d *Definition, cells *cellReader) {
	row := cells.row
	d.Name, d.Abbreviation, d.Description = row.Get("name"), row.Get("abbreviation"), row.Text("description")
	d.Weighting = cells.number("weighting", nil)
	d.TargetGrade = grade.Grade(cells.number("target_grade", nil))
	d.RestrictStatus = cells.yes("restrict_status_updates")
	d.MaxQualityPts = cells.number("max_quality_pts", new(int64))
	d.IsGraded = cells.yes("is_graded")
	d.WarnPct = cells.number("plagiarism_warn_pct", new(int64(50)))
	d.StartDate = *cells.day(p.calendar, "start", true)
	d.TargetDate = *cells.day(p.calendar, "target", true)
	d.DueDate = cells.day(p.calendar, "due", false)
	var err error
	if d.Checks, err = ParseChecks(row.Get("plagiarism_checks")); err != nil {
		cells.fail(err)
	}
	if d.Requirements, err = ParseRequirements(row.Get("upload_requirements")); err != nil {
		cells.fail(err, "upload_requirements")
	}
	d.StreamAbbr, d.GroupSetID = nil, nil
	if s := row.Get("tutorial_stream"); s != "" {
		d.StreamAbbr = &s
	}
	if s := row.Get("group_set"); s != "" {
		if id, ok := p.around.sets[s]; ok {
			d.GroupSetID = &id
		} else {
			cells.wrong.Say("This unit has no group set %.60q. Check the spelling, or add the set first.", s)
		}
	}
}

// cellReader reads typed cells and remembers those that cannot be read.
type cellReader struct {
	row    sheet.Row
	wrong  sheet.Flaws
	unread []string // fields of which nothing is known
}

func (c *cellReader) fail(why error, unread ...string) {
	c.wrong.Add(why)
	c.unread = append(c.unread, unread...)
}

// number reads a whole number; a blank is def, where there is one.
func (c *cellReader) number(heading string, def *int64) int64 {
	text := c.row.Get(heading)
	if text == "" && def != nil {
		return *def
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		c.fail(fault.New(fault.Refused, "%s is %.30q; it must be a whole number.", heading, text), heading)
	}
	return n
}

func (c *cellReader) yes(heading string) bool {
	switch text := strings.ToLower(c.row.Get(heading)); text {
	case "yes", "y", "true", "t", "1", "on":
		return true
	case "no", "n", "false", "f", "0", "off", "":
	default:
		c.fail(fault.New(fault.Refused, "%s is %.30q; it must be yes or no.", heading, text), heading)
	}
	return false
}

// day reads a week and a weekday. A date that may be absent is nil when both
// cells are blank.
func (c *cellReader) day(cal week.Calendar, which string, needed bool) *clock.Date {
	weekText, dayText := c.row.Get(which+"_week"), c.row.Get(which+"_day")
	if weekText == "" && dayText == "" && !needed {
		return nil
	}
	var day clock.Date
	p, err := week.Parse(weekText, dayText)
	if err == nil {
		day, err = cal.Date(p)
	}
	if err != nil {
		c.fail(fault.New(fault.Refused, "%s_week and %[1]s_day: %s", which, err), "start_date", "target_date", "due_date")
	}
	return &day
}
