package taskdef

import (
	"context"
	"io"
	"strconv"
	"strings"

	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
)

// AlignmentSheet says what a sheet of alignments must have to be read.
var AlignmentSheet = sheet.Options{Required: []string{"unit_code", "learning_outcome", "task_abbr", "rating",
	"description"}, Lines: []string{"description"}, MaxRows: 5000}

// WriteAlignments writes alignments of a unit as a sheet that ImportAlignments
// takes back.
func WriteAlignments(w io.Writer, code string, list []Alignment, outcomes []course.Outcome,
	definitions []Definition) error {
	outcome, task := map[int64]string{}, map[int64]string{}
	for _, o := range outcomes {
		outcome[o.ID] = o.Abbreviation
	}
	for _, d := range definitions {
		task[d.ID] = d.Abbreviation
	}
	out := sheet.Write(w, AlignmentSheet.Required)
	for _, a := range list {
		if err := out.Row(code, outcome[a.OutcomeID], task[a.DefinitionID], strconv.FormatInt(a.Rating, 10),
			a.Description); err != nil {
			return err
		}
	}
	return out.Flush()
}

// aligned is what makes an alignment the same one.
type aligned struct{ outcome, definition int64 }

// alignmentPlan is an import on its way.
type alignmentPlan struct {
	code        string
	outcomes    map[string]int64
	definitions map[string]int64
	have        map[aligned]Alignment
	seen        map[aligned]int // the line that set it
	write       []Alignment
	report      sheet.Report
}

// ImportAlignments adds and changes alignments of the unit, or of the student whose project is
// given, from a sheet: a row for each task and outcome. Rows of another unit are ignored; rows
// that cannot be carried out are reported, the others are done all together. It needs what
// AddAlignment needs. That is policy.EditAlignments, or policy.AlignProject on the project.
func ImportAlignments(ctx context.Context, q db.Q, unitID, projectID int64, out *sheet.Reader) (*sheet.Report, error) {
	if err := db.Lock(ctx, q, "units", unitID); err != nil {
		return nil, err
	}
	p, err := newAlignmentPlan(ctx, q, unitID, projectID)
	if err != nil {
		return nil, err
	}
	for row, err := range out.Rows() {
		if err != nil {
			p.report.Fail(row, "%s", err)
			continue
		}
		p.take(row)
	}
	if err := p.save(ctx, q, unitID, projectID); err != nil {
		return nil, err
	}
	return &p.report, audit.Add(ctx, q, audit.Entry{Kind: audit.Outcome, Action: "alignments_imported", UnitID: unitID,
		ProjectID: projectID})
}

func newAlignmentPlan(ctx context.Context, q db.Q, unitID, projectID int64) (*alignmentPlan, error) {
	p := &alignmentPlan{outcomes: map[string]int64{}, definitions: map[string]int64{}, have: map[aligned]Alignment{},
		seen: map[aligned]int{}}
	unit, err := course.UnitByID(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	p.code = unit.Code
	outcomes, err := course.OutcomesOf(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	for _, o := range outcomes {
		p.outcomes[o.Abbreviation] = o.ID
	}
	definitions, err := DefinitionsOf(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	for _, d := range definitions {
		p.definitions[d.Abbreviation] = d.ID
	}
	list, err := Alignments(ctx, q, unitID, projectID)
	for _, a := range list {
		p.have[aligned{a.OutcomeID, a.DefinitionID}] = a
	}
	return p, err
}

// Alignments lists those of the unit, or of the project where there is one.
func Alignments(ctx context.Context, q db.Q, unitID, projectID int64) ([]Alignment, error) {
	if projectID != 0 {
		return ProjectAlignments(ctx, q, projectID)
	}
	return AlignmentsOf(ctx, q, unitID)
}

// take plans one row, or reports why it cannot be.
func (p *alignmentPlan) take(row sheet.Row) {
	if !p.ours(row.Get("unit_code")) {
		p.report.Ignore(row, "The unit code is not %s.", p.code)
		return
	}
	a, err := p.read(row)
	if err != nil {
		p.report.Fail(row, "%s", err)
		return
	}
	p.plan(row, *a)
}

// read makes an alignment of a row, or tells all that is wrong with it.
func (p *alignmentPlan) read(row sheet.Row) (*Alignment, error) {
	var wrong sheet.Flaws
	outcome, known := p.outcomes[row.Get("learning_outcome")]
	if !known {
		wrong.Say("This unit has no outcome %.60q. Check the spelling, or add the outcome first.",
			row.Get("learning_outcome"))
	}
	definition, has := p.definitions[row.Get("task_abbr")]
	if !has {
		wrong.Say("This unit has no task %.60q. Write the abbreviation of a task as the list of tasks shows it.",
			row.Get("task_abbr"))
	}
	key := aligned{outcome, definition}
	if line := p.seen[key]; line != 0 && known && has {
		wrong.Say("Line %d already set this task and outcome. Remove one of the two rows.", line)
	}
	cells := cellReader{row: row}
	a := &Alignment{OutcomeID: outcome, DefinitionID: definition, Rating: cells.number("rating", nil),
		Description: row.Text("description")}
	if len(cells.wrong) == 0 {
		cells.wrong.Add(a.check())
	}
	wrong = append(wrong, cells.wrong...)
	if len(wrong) == 0 {
		p.seen[key] = row.Line()
	}
	return a, wrong.Err()
}

// plan tells what becomes of an alignment, and keeps it to be written unless it is there already.
func (p *alignmentPlan) plan(row sheet.Row, a Alignment) {
	now, has := p.have[aligned{a.OutcomeID, a.DefinitionID}]
	switch {
	case !has:
		p.report.Succeed(row, "New alignment of %s.", row.Get("task_abbr"))
	case now.Rating == a.Rating && now.Description == a.Description:
		p.report.Ignore(row, "The alignment of %s is as the row says.", row.Get("task_abbr"))
		return
	default:
		p.report.Succeed(row, "Changed alignment of %s.", row.Get("task_abbr"))
	}
	p.write = append(p.write, a)
}

// ours tells whether a code is the unit's, or one of those it is written of.
func (p *alignmentPlan) ours(code string) bool {
	if strings.EqualFold(code, p.code) {
		return true
	}
	for part := range strings.SplitSeq(p.code, "/") {
		if strings.EqualFold(code, strings.TrimSpace(part)) {
			return true
		}
	}
	return false
}

// save writes what is planned with few statements.
func (p *alignmentPlan) save(ctx context.Context, q db.Q, unitID, projectID int64) error {
	if len(p.write) == 0 {
		return nil
	}
	tasks := map[int64]int64{}
	if projectID != 0 {
		var err error
		if tasks, err = ensureTasks(ctx, q, unitID, projectID, p.tasks()...); err != nil {
			return err
		}
	}
	rows := make([][]any, len(p.write))
	for i, a := range p.write {
		rows[i] = []any{a.DefinitionID, a.OutcomeID, nil, a.Rating, a.Description}
		if id := tasks[a.DefinitionID]; id != 0 {
			rows[i][2] = id
		}
	}
	from, args, err := db.Rows(q, nil, []string{"d BIGINT", "o BIGINT", "t BIGINT", "rating INTEGER",
		"description TEXT"}, rows)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO learning_outcome_links (task_definition_id, learning_outcome_id, task_id,
		rating, description)
		SELECT v.d, v.o, v.t, v.rating, v.description FROM `+from+` v WHERE TRUE
		ON CONFLICT (task_definition_id, learning_outcome_id, coalesce(task_id, 0))
		DO UPDATE SET rating = excluded.rating, description = excluded.description`, args...)
	return err
}

// tasks lists the definitions the plan is about, each once.
func (p *alignmentPlan) tasks() []int64 {
	var out []int64
	seen := map[int64]bool{}
	for _, a := range p.write {
		if !seen[a.DefinitionID] {
			seen[a.DefinitionID] = true
			out = append(out, a.DefinitionID)
		}
	}
	return out
}
