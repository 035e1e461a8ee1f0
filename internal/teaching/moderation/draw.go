package moderation

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
)

// Bounds on a draw.
const (
	MostDrawn = 500 // works of a sample
	mostSeed  = 40  // characters of a seed
)

// Narrowed is the marked work that a sample is drawn from; what is nil or empty does not narrow it.
type Narrowed struct {
	DefinitionID *int64         `json:"task_definition_id" doc:"only of this task; null: of all"`
	TutorID      *int64         `json:"tutor_id" doc:"only what this user marked; null: whoever did"`
	LevelID      *int64         `json:"level_id" doc:"only work that was given this level of the task's rubric; null: any"`
	Status       *status.Status `json:"status" doc:"only work that was given this status; null: any"`
	Grade        *grade.Grade   `json:"grade" doc:"only work that was given this grade; null: any"`
}

// Value implements driver.Valuer.
func (n Narrowed) Value() (driver.Value, error) {
	text, err := json.Marshal(n)
	return string(text), err
}

// Scan implements sql.Scanner.
func (n *Narrowed) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("cannot read from %T what a sample was drawn from", src)
	}
	*n = Narrowed{}
	return json.Unmarshal([]byte(text), n)
}

// Spread is of what a sample has so many works each.
type Spread string

// The spreads.
const (
	InAll    Spread = "all" // the sample has so many works in all
	ByTutor  Spread = "tutor"
	ByTask   Spread = "task"
	ByResult Spread = "result" // status and grade
)

// Enum gives all values, for the documentation of the API.
func (Spread) Enum() []string {
	return []string{string(InAll), string(ByTutor), string(ByTask), string(ByResult)}
}

// Draw is what a convenor asks for.
type Draw struct {
	From    Narrowed
	Spread  Spread // empty: InAll
	Size    int
	Seed    string  // empty: one is made
	Markers []int64 // who marks a second time, in turn; none: anybody else of the staff
	Plan    string  // the sign of what was planned; empty: whatever is drawn
	UserID  int64
}

// Part is one of what a sample has so many works each.
type Part struct {
	Name    string `json:"name" doc:"the tutor, the task or the result; empty where the sample has so many in all"`
	Matched int64  `json:"matched" doc:"how much work there is to draw from"`
	Drawn   int64  `json:"drawn" doc:"how much is drawn"`
}

// Drawn is what a draw comes to.
type Drawn struct {
	Sample  *int64 `json:"sample_id" doc:"the number of the sample; null: this was a plan"`
	Seed    string `json:"seed" doc:"with the same work to draw from it draws the same again"`
	Matched int64  `json:"matched" doc:"how much marked work there is to draw from"`
	Drawn   int64  `json:"drawn" doc:"how much is drawn"`
	Parts   []Part `json:"parts" doc:"the same by tutor, task or result"`
	Plan    string `json:"plan" doc:"the sign of what is drawn: sent with the draw, nothing else is"`
}

// candidate is marked work that may be drawn.
type candidate struct {
	TaskID       int64          `db:"task_id"`
	ProjectID    int64          `db:"project_id"`
	OwnerID      int64          `db:"owner_id"`
	DefinitionID int64          `db:"task_definition_id"`
	Abbreviation string         `db:"abbreviation"`
	GroupID      *int64         `db:"group_submission_id"`
	Status       status.Status  `db:"status"`
	Grade        *grade.Grade   `db:"grade"`
	Quality      *int           `db:"quality_pts"`
	MarkerID     int64          `db:"marker_id"`
	Marker       string         `db:"marker"`
	At           clock.Time     `db:"at"`
	SubmittedAt  *clock.Time    `db:"submitted_at"`
	RubricID     *int64         `db:"rubric_id"`
	Levels       *rubric.Levels `db:"levels"`
}

// results are the statuses by which one of the staff says what came of the work.
var results = slices.Concat(status.Passed, status.SentBack)

// population reads the marked work of the unit $1 that no sample has already: what one of the staff gave, and nobody
// changed since. The work of a group is one.
var population = `SELECT t.id AS task_id, t.project_id, p.user_id AS owner_id, t.task_definition_id, d.abbreviation,
		t.group_submission_id, t.status, t.grade, CASE WHEN t.quality_pts >= 0 THEN t.quality_pts END AS quality_pts,
		v.actor_id AS marker_id, u.first_name || ' ' || u.last_name AS marker, v.at,
		(SELECT max(l.at) FROM submission_tasks l WHERE l.task_id = t.id AND l.submission_id IS NOT NULL AND l.at <= v.at)
			AS submitted_at,
		coalesce(rm.rubric_id, (SELECT r.id FROM rubrics r WHERE r.task_definition_id = d.id AND r.current)) AS rubric_id,
		rm.levels
	FROM tasks t JOIN projects p ON p.id = t.project_id JOIN task_definitions d ON d.id = t.task_definition_id
	JOIN task_history v ON v.id = (SELECT h.id FROM task_history h WHERE h.task_id = t.id AND h.assessed
		AND ` + work.NotUndone + ` ORDER BY h.at DESC, h.id DESC LIMIT 1) AND v.to_status = t.status
	JOIN users u ON u.id = v.actor_id
	LEFT JOIN rubric_marks rm ON rm.task_id = t.id AND rm.present AND rm.levels <> '[]'
	WHERE t.unit_id = $1 AND t.status IN ` + db.Literals(results...) + ` AND NOT EXISTS (SELECT 1 FROM moderation_works w
		JOIN tasks o ON o.id = w.task_id WHERE w.first_at = v.at AND (o.id = t.id
			OR o.group_submission_id = t.group_submission_id))`

// candidates are the works that a draw may take, in the order of their tasks.
func (d *Draw) candidates(ctx context.Context, q db.Q, unitID int64) ([]candidate, error) {
	where, args := "", []any{unitID}
	narrow := func(column string, value any) {
		args = append(args, value)
		where += fmt.Sprintf(" AND %s = $%d", column, len(args))
	}
	if d.From.DefinitionID != nil {
		narrow("t.task_definition_id", *d.From.DefinitionID)
	}
	if d.From.TutorID != nil {
		narrow("v.actor_id", *d.From.TutorID)
	}
	if d.From.Status != nil {
		narrow("t.status", *d.From.Status)
	}
	if d.From.Grade != nil {
		narrow("t.grade", int(*d.From.Grade))
	}
	var list []candidate
	groups := map[int64]bool{}
	for c, err := range db.Each[candidate](ctx, q, population+where+` ORDER BY t.id`, args...) {
		if err != nil {
			return nil, fmt.Errorf("read marked work: %w", err)
		}
		if d.From.LevelID != nil && (c.Levels == nil || !slices.Contains(*c.Levels, *d.From.LevelID)) {
			continue
		}
		if c.GroupID != nil {
			if groups[*c.GroupID] {
				continue
			}
			groups[*c.GroupID] = true
		}
		list = append(list, c)
	}
	return list, nil
}

// part is what a work counts to where a sample has so many each: its key, and what people call it.
func (c candidate) part(by Spread) (key, name string) {
	switch by {
	case ByTutor:
		return strconv.FormatInt(c.MarkerID, 10), c.Marker
	case ByTask:
		return strconv.FormatInt(c.DefinitionID, 10), c.Abbreviation
	case ByResult:
		name = c.Status.Name()
		if c.Grade != nil {
			name += ", " + c.Grade.Name()
		}
		return name, name
	}
	return "", ""
}

// lot is the place of a task in the draw of a seed: it depends on both and on nothing else, so work that comes or goes
// changes no other's place.
func lot(seed string, taskID int64) string {
	sum := sha256.Sum256([]byte(seed + "\x00" + strconv.FormatInt(taskID, 10)))
	return string(sum[:])
}

// choose draws so many works, of each part so many where there are parts, and counts the parts by their names.
func choose(list []candidate, by Spread, size int, seed string) (drawn []candidate, parts []Part) {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b candidate) int { return strings.Compare(lot(seed, a.TaskID), lot(seed, b.TaskID)) })
	at := map[string]*Part{}
	for _, c := range list {
		key, name := c.part(by)
		p := at[key]
		if p == nil {
			p = &Part{Name: name}
			at[key] = p
		}
		p.Matched++
		if p.Drawn < int64(size) {
			p.Drawn++
			drawn = append(drawn, c)
		}
	}
	parts = []Part{}
	for _, p := range at {
		parts = append(parts, *p)
	}
	slices.SortFunc(parts, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
	return drawn, parts
}

func (d *Draw) check(ctx context.Context, q db.Q, unitID int64) error {
	d.Seed = strings.TrimSpace(d.Seed)
	if d.Seed == "" {
		d.Seed = rand.Text()[:8]
	}
	d.Spread = cmp.Or(d.Spread, InAll)
	var wrong fault.Fields
	wrong.When(d.Size < 1 || d.Size > MostDrawn, "size", "must be from 1 to %d", MostDrawn)
	wrong.When(utf8.RuneCountInString(d.Seed) > mostSeed, "seed", "must have at most %d characters", mostSeed)
	wrong.When(!slices.Contains(Spread("").Enum(), string(d.Spread)), "spread",
		"must be all, tutor, task or result")
	wrong.When(d.From.LevelID != nil && d.From.DefinitionID == nil, "level_id", "needs a task: choose the task it is of")
	if err := wrong.Err(fault.Refused); err != nil {
		return err
	}
	return onStaff(ctx, q, unitID, "marker_ids", d.Markers...)
}

// onStaff refuses whoever is not on the staff of a unit.
func onStaff(ctx context.Context, q db.Q, unitID int64, field string, users ...int64) error {
	if len(users) == 0 {
		return nil
	}
	users = slices.Compact(slices.Sorted(slices.Values(users)))
	in, args := db.In([]any{unitID}, users)
	n, err := db.One[int64](ctx, q, `SELECT count(*) FROM unit_roles WHERE unit_id = $1 AND user_id IN `+in, args...)
	if err != nil {
		return err
	}
	if *n < int64(len(users)) {
		return fault.Field(fault.Refused, field, "must be on the staff of this unit")
	}
	return nil
}

// plan tells what the draw comes to.
func (d *Draw) plan(ctx context.Context, q db.Q, unitID int64) ([]candidate, *Drawn, error) {
	if err := d.check(ctx, q, unitID); err != nil {
		return nil, nil, err
	}
	all, err := d.candidates(ctx, q, unitID)
	if err != nil {
		return nil, nil, err
	}
	drawn, parts := choose(all, d.Spread, d.Size, d.Seed)
	return drawn, &Drawn{Seed: d.Seed, Matched: int64(len(all)), Drawn: int64(len(drawn)), Parts: parts,
		Plan: sign(drawn)}, nil
}

// sign stands for works and what they had been given.
func sign(drawn []candidate) string {
	h := sha256.New()
	for _, c := range drawn {
		fmt.Fprintln(h, c.TaskID, c.At)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// Preview tells what a draw from the marked work of a unit would come to, and changes nothing. It is for holders of
// policy.Moderate, and refuses what a draw refuses but for too much and too little.
func (d Draw) Preview(ctx context.Context, q db.Q, unitID int64) (*Drawn, error) {
	_, out, err := d.plan(ctx, q, unitID)
	return out, err
}

// Take draws a sample from the marked work of a unit, and keeps what each work had been given. Work that an earlier
// sample has is left out until it is marked again. It is for holders of policy.Moderate. Nothing to draw, or more
// than MostDrawn, is fault.Refused; other work than was planned is fault.Conflict.
func (d Draw) Take(ctx context.Context, q db.Q, unitID int64) (*Drawn, error) {
	if err := db.LockName(ctx, q, fmt.Sprint("moderation of unit ", unitID)); err != nil {
		return nil, err
	}
	drawn, out, err := d.plan(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	switch {
	case len(drawn) == 0:
		return nil, fault.New(fault.Refused, "No marked work fits this, or all of it is in a sample already.")
	case len(drawn) > MostDrawn:
		return nil, fault.Field(fault.Refused, "size", "comes to %d works in all: the limit is %d", len(drawn), MostDrawn)
	case d.Plan != "" && d.Plan != out.Plan:
		return nil, fault.New(fault.Conflict, "Work was marked or drawn since you looked, so other work would be drawn "+
			"now. Nothing is drawn: look at it again.")
	}
	id, err := db.One[int64](ctx, q, `INSERT INTO moderation_samples (unit_id, seed, narrowed, spread, size, matched,
			user_id, at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`, unitID, d.Seed, d.From, string(d.Spread),
		d.Size, out.Matched, d.UserID, q.Now())
	if err != nil {
		return nil, err
	}
	out.Sample = id
	if err := d.keep(ctx, q, *id, drawn); err != nil {
		return nil, err
	}
	return out, audit.Add(ctx, q, audit.Entry{Kind: audit.Moderation, Action: "drawn", UnitID: unitID, RecordID: *id})
}

// keep writes the works of a sample, and keeps their rubrics from being replaced while they are marked again.
func (d *Draw) keep(ctx context.Context, q db.Q, sampleID int64, drawn []candidate) error {
	rows, rubrics, turn := make([][]any, len(drawn)), []int64{}, 0
	for i, c := range drawn {
		var levels any
		if c.Levels != nil {
			text, err := c.Levels.Value()
			if err != nil {
				return err
			}
			levels = text
		}
		if c.RubricID != nil {
			rubrics = append(rubrics, *c.RubricID)
		}
		rows[i] = []any{sampleID, c.TaskID, i + 1, c.SubmittedAt, c.RubricID, c.MarkerID, c.At, string(c.Status),
			c.Grade, c.Quality, levels, d.assign(c, &turn)}
	}
	if err := db.Insert(ctx, q, `moderation_works (sample_id, task_id, place, submitted_at, rubric_id, first_by, first_at,
		first_status, first_grade, first_quality, first_levels, assigned_id)`, "", rows); err != nil {
		return fmt.Errorf("write the works of a sample: %w", err)
	}
	if len(rubrics) == 0 {
		return nil
	}
	in, args := db.In(nil, slices.Compact(slices.Sorted(slices.Values(rubrics))))
	_, err := db.Exec(ctx, q, `UPDATE rubrics SET used = TRUE WHERE NOT used AND id IN `+in, args...)
	return err
}

// assign gives a work to the next of the second markers who did not mark it; nil where there is none.
func (d *Draw) assign(c candidate, turn *int) *int64 {
	for i := range d.Markers {
		m := d.Markers[(*turn+i)%len(d.Markers)]
		if m != c.MarkerID && m != c.OwnerID {
			*turn += i + 1
			return &m
		}
	}
	return nil
}

// Discard removes a sample of a unit that nobody marked anything of yet, for holders of policy.Moderate. One that was
// begun is part of the record: it is fault.Conflict.
func Discard(ctx context.Context, q db.Q, unitID, id int64) error {
	if err := hold(ctx, q, unitID, id); err != nil {
		return err
	}
	if n, err := db.One[int64](ctx, q, `SELECT count(*) FROM moderation_works WHERE sample_id = $1
			AND second_at IS NOT NULL`, id); err != nil || *n > 0 {
		if err != nil {
			return err
		}
		return fault.New(fault.Conflict, "Work of this sample has second marks already, so it stays on record.")
	}
	if _, err := db.Exec(ctx, q, `DELETE FROM moderation_samples WHERE id = $1`, id); err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Moderation, Action: "discarded", UnitID: unitID, RecordID: id})
}

// hold holds a sample of a unit with its works until the transaction ends; fault.Missing where there is none.
func hold(ctx context.Context, q db.Q, unitID, id int64) error {
	if _, err := db.OneOf[int64](ctx, q, "sample", `SELECT id FROM moderation_samples WHERE id = $1 AND unit_id = $2`, id,
		unitID); err != nil {
		return err
	}
	if !q.Postgres() {
		return nil
	}
	_, err := db.Exec(ctx, q, `SELECT 1 FROM moderation_works WHERE sample_id = $1 ORDER BY id FOR UPDATE`, id)
	return err
}
