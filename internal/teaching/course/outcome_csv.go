package course

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
)

var outcomeHeadings = []string{"unit_code", "ilo_number", "abbreviation", "name", "description"}

// OutcomeSheet is what a sheet of outcomes must have. Without an ilo_number new
// outcomes go behind the others and the rest stay in their order.
var OutcomeSheet = sheet.Options{Required: []string{"unit_code", "abbreviation", "name", "description"},
	Lines: []string{"description"}}

// WriteOutcomes writes outcomes as a sheet that ImportOutcomes takes back.
func WriteOutcomes(w io.Writer, unitCode string, list []Outcome) error {
	t := sheet.Write(w, outcomeHeadings)
	for _, o := range list {
		if err := t.Row(unitCode, strconv.FormatInt(o.Number, 10), o.Abbreviation, o.Name, o.Description); err != nil {
			return err
		}
	}
	return t.Flush()
}

// ImportOutcomes adds the outcomes of a sheet to a unit and changes those that are there
// already, told by their abbreviation. A row that cannot be used does not keep the others back.
// It is for holders of policy.ImportUnit.
func ImportOutcomes(ctx context.Context, q db.Q, unitID int64, rows *sheet.Reader) (*sheet.Report, error) {
	all, err := heldOutcomes(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	code, err := db.OneOf[string](ctx, q, "unit", `SELECT code FROM units WHERE id = $1`, unitID)
	if err != nil {
		return nil, err
	}
	p := newOutcomePlan(all)
	for row, err := range rows.Rows() {
		p.read(row, err, *code)
	}
	p.number()
	if err := p.apply(ctx, q, unitID); err != nil {
		return nil, err
	}
	return &p.report, audit.Add(ctx, q, audit.Entry{Kind: audit.Outcome, Action: "imported", UnitID: unitID})
}

// outcomePlan is what the outcomes of a unit shall be when a sheet is taken in.
type outcomePlan struct {
	items  []*plannedOutcome
	byName map[string]*plannedOutcome
	report sheet.Report
}

// plannedOutcome is an outcome as it is, unless it is new, and as it shall be.
type plannedOutcome struct {
	now, then Outcome
	row       sheet.Row
	named     bool  // row tells about it
	claim     int64 // the number the row wants; 0: none
}

func newOutcomePlan(all []Outcome) *outcomePlan {
	p := &outcomePlan{byName: map[string]*plannedOutcome{}}
	for _, o := range all {
		p.add(&plannedOutcome{now: o, then: o})
	}
	return p
}

func (p *outcomePlan) add(o *plannedOutcome) {
	p.items = append(p.items, o)
	p.byName[o.then.Abbreviation] = o
}

// read takes one row into the plan, or says in the report why not.
func (p *outcomePlan) read(row sheet.Row, err error, unitCode string) {
	if err == nil && !strings.EqualFold(row.Get("unit_code"), strings.TrimSpace(unitCode)) {
		p.report.Ignore(row, "the row is for unit %s, not %s", row.Get("unit_code"), unitCode)
		return
	}
	o := Outcome{Abbreviation: row.Get("abbreviation"), Name: row.Get("name"), Description: row.Text("description")}
	var wrong sheet.Flaws
	wrong.Add(err)
	claim, item := int64(0), p.byName[o.Abbreviation]
	if err == nil {
		wrong.Add(o.check())
		claim, err = outcomeNumber(row.Get("ilo_number"))
		wrong.Add(err)
		if item != nil && item.named {
			wrong.Say("%s stands in line %d already. Remove one of the two rows", o.Abbreviation, item.row.Line())
		}
	}
	if err := wrong.Err(); err != nil {
		p.report.Fail(row, "%v", err)
		return
	}
	if item == nil {
		p.add(&plannedOutcome{then: o, row: row, named: true, claim: claim})
		return
	}
	item.then.Name, item.then.Description = o.Name, o.Description
	item.row, item.named, item.claim = row, true, claim
}

func outcomeNumber(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return 0, fault.New(fault.Invalid, "ilo_number must be a whole number from 1 on, not %.30q", text)
	}
	return n, nil
}

// number gives every outcome its place: those that claim one get it, as far as
// there is no gap; the others keep their order around them.
func (p *outcomePlan) number() {
	var claimed, rest []*plannedOutcome
	for _, o := range p.items {
		if o.claim > 0 {
			claimed = append(claimed, o)
		} else {
			rest = append(rest, o)
		}
	}
	slices.SortStableFunc(claimed, func(a, b *plannedOutcome) int { return cmp.Compare(a.claim, b.claim) })
	for place := int64(1); place <= int64(len(p.items)); place++ {
		from := &rest
		if len(rest) == 0 || len(claimed) > 0 && claimed[0].claim <= place {
			from = &claimed
		}
		(*from)[0].then.Number = place
		*from = (*from)[1:]
	}
}

// apply writes what changes and reports on every row that was taken.
func (p *outcomePlan) apply(ctx context.Context, q db.Q, unitID int64) error {
	var rows [][]any
	for _, o := range p.items {
		if o.now != o.then {
			rows = append(rows, []any{unitID, o.then.Number, o.then.Abbreviation, o.then.Name, o.then.Description})
		}
		if o.named {
			o.tell(&p.report)
		}
	}
	return db.Insert(ctx, q, "learning_outcomes (unit_id, ilo_number, abbreviation, name, description)",
		`ON CONFLICT (unit_id, abbreviation) DO UPDATE
			SET ilo_number = excluded.ilo_number, name = excluded.name, description = excluded.description`, rows)
}

func (o *plannedOutcome) tell(r *sheet.Report) {
	switch {
	case o.now.ID == 0:
		r.Succeed(o.row, "%s: new, as outcome %d", o.then.Abbreviation, o.then.Number)
	case o.now == o.then:
		r.Ignore(o.row, "%s is like this already", o.then.Abbreviation)
	default:
		r.Succeed(o.row, "%s: changed %s", o.then.Abbreviation, strings.Join(o.differences(), ", "))
	}
}

func (o *plannedOutcome) differences() (what []string) {
	if o.now.Name != o.then.Name {
		what = append(what, "name")
	}
	if o.now.Description != o.then.Description {
		what = append(what, "description")
	}
	if o.now.Number != o.then.Number {
		what = append(what, "ilo_number")
	}
	return what
}
