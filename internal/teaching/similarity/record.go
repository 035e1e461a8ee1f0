// Package similarity looks for copied work as it is handed in, and keeps what was
// found for the staff: fingerprints of every submission, the pairs that are alike,
// and a record of each at the tasks it concerns. What "alike" means is decided in
// the package similar.
//
// A record means "to look at" and nothing more. Students see none of it.
package similarity

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/similarity/engine"
)

// Type says who made a record.
type Type string

// The types, as they are on the wire.
const (
	Ours    Type = "LecternTaskSimilarity"
	Outside Type = "TiiTaskSimilarity" // the report of an outside service
)

// word is the type in similarity_details.
func (t Type) word() string {
	if t == Outside {
		return "Turnitin"
	}
	return "Lectern"
}

// Record is a similarity as the staff of a task's unit see it.
type Record struct {
	ID          int64       `json:"id"`
	TaskID      int64       `json:"task_id"`
	Type        Type        `json:"type"`
	Flagged     bool        `json:"flagged"` // to look at
	Pct         int         `json:"pct"`
	Score       *int        `json:"score"` // how rare what they share is, 0 to 100; null of an outside report
	Ready       bool        `json:"ready_for_viewer"`
	Parts       []Part      `json:"parts"`
	Details     Details     `json:"similarity_details"`
	File        string      `json:"file"`         // code, or the key of the document that is alike
	SubmittedAt clock.Time  `json:"submitted_at"` // the version it is about
	Explanation string      `json:"explanation"`
	Other       *Other      `json:"other"` // null of an outside report
	Passages    []Passage   `json:"passages"`
	DecidedAt   *clock.Time `json:"decided_at"` // null: no person has decided yet
	DecidedBy   *int64      `json:"decided_by"`

	row row
}

// Part is something to look at: contents/{idx} gives it.
type Part struct {
	Idx         int    `json:"idx"`
	Format      string `json:"format"`
	Description string `json:"description"`
}

// Details are the figures as the interface has always had them.
type Details struct {
	Type  string `json:"type"`
	Pct   int    `json:"pct"`
	Score *int   `json:"score,omitempty"`
}

// Other is the work that is alike. Whoever has no rights in its unit learns no names.
type Other struct {
	UnitCode    string     `json:"unit_code"`
	Term        string     `json:"term"`
	SubmittedAt clock.Time `json:"submitted_at"`
	Students    []Student  `json:"students"` // a group's members; empty where they are not told
}

// Student is one of those whose work it is.
type Student struct {
	UserID    int64  `db:"user_id" json:"-"`
	TaskID    int64  `db:"task_id" json:"task_id"`
	ProjectID int64  `db:"project_id" json:"project_id"`
	Username  string `db:"username" json:"username"`
	FirstName string `db:"first_name" json:"first_name"`
	LastName  string `db:"last_name" json:"last_name"`
}

// Passage is the same text on both sides.
type Passage struct {
	Own    engine.Range `json:"own"`
	Other  engine.Range `json:"other"`
	Tokens int          `json:"tokens"`
}

// row is a record as the database has it.
type row struct {
	ID           int64       `db:"id"`
	TaskID       int64       `db:"task_id"`
	Type         Type        `db:"type"`
	Flagged      bool        `db:"flagged"`
	Part         string      `db:"part"`
	SubmissionID int64       `db:"submission_id"`
	At           clock.Time  `db:"at"`
	UnitID       int64       `db:"unit_id"`
	DecidedAt    *clock.Time `db:"decided_at"`
	DecidedBy    *int64      `db:"decided_by"`

	OutsideID  *string     `db:"outside_id"`
	OutsidePct *int        `db:"outside_pct"`
	Report     *files.Hash `db:"report_hash"`

	PairID    *int64      `db:"pair_id"`
	LeftID    *int64      `db:"left_id"`
	Pct       *int        `db:"pct"`
	Score     *int        `db:"score"`
	LeftText  *string     `db:"left_words"`
	RightText *string     `db:"right_words"`
	Found     *string     `db:"passages"`
	OtherID   *int64      `db:"other_id"`
	OtherAt   *clock.Time `db:"other_at"`
	OtherUnit *int64      `db:"other_unit"`
	OtherCode *string     `db:"other_code"`
	Period    *string     `db:"period"`
	Year      *int        `db:"year"`
	Start     *clock.Date `db:"start_date"`

	students map[int64][]Student // by submission
	named    bool                // the caller may know whose the other work is
}

const recordColumns = `s.id, s.task_id, s.type, s.flagged, s.part, s.submission_id, m.at, m.unit_id, s.decided_at,
	s.decided_by, s.outside_id, s.outside_pct, s.report_hash, s.pair_id, p.left_id, p.pct, p.score, p.left_words,
	p.right_words, p.passages, o.id AS other_id, o.at AS other_at, o.unit_id AS other_unit, u.code AS other_code,
	tp.period, tp.year, u.start_date`

// joinedRecords are all records with what recordColumns read.
const joinedRecords = ` FROM task_similarities s JOIN submissions m ON m.id = s.submission_id
	LEFT JOIN similarity_pairs p ON p.id = s.pair_id
	LEFT JOIN submissions o ON o.id = CASE WHEN p.left_id = s.submission_id THEN p.right_id ELSE p.left_id END
	LEFT JOIN units u ON u.id = o.unit_id LEFT JOIN teaching_periods tp ON tp.id = u.teaching_period_id`

// recordsFrom are the records of task $1 that caller $2 may see. Where the other
// work is the caller's own, they are its student and see nothing of it.
const recordsFrom = joinedRecords + `
	WHERE s.task_id = $1 AND NOT EXISTS (SELECT 1 FROM submission_tasks l JOIN tasks t ON t.id = l.task_id
		JOIN projects x ON x.id = t.project_id WHERE l.submission_id = o.id AND x.user_id = $2)`

// List gives the records of a task as a caller may see them: what is to be looked
// at first, of that the newest version, and the highest score. It tells how many
// there are in all, -1 where all were asked for.
func List(ctx context.Context, q db.Q, who *access.Caller, taskID int64, p db.Page) ([]Record, int64, error) {
	total := int64(-1)
	if p.Asked() {
		n, err := db.One[int64](ctx, q, `SELECT count(*)`+recordsFrom, taskID, who.ID)
		if err != nil {
			return nil, 0, err
		}
		total = *n
	}
	rows, err := db.All[row](ctx, q, `SELECT `+recordColumns+recordsFrom+` ORDER BY s.flagged DESC, m.at DESC,
		p.score DESC NULLS FIRST, s.id LIMIT $3 OFFSET $4`, taskID, who.ID, p.Limit(), p.Offset())
	if err != nil {
		return nil, 0, err
	}
	out, err := records(ctx, q, who, rows)
	return out, total, err
}

// ByID gives one record of a task, or fault.Missing.
func ByID(ctx context.Context, q db.Q, who *access.Caller, taskID, id int64) (*Record, error) {
	r, err := db.OneOf[row](ctx, q, "similarity", `SELECT `+recordColumns+recordsFrom+` AND s.id = $3`, taskID,
		who.ID, id)
	if err != nil {
		return nil, err
	}
	out, err := records(ctx, q, who, []row{*r})
	if err != nil {
		return nil, err
	}
	return &out[0], nil
}

// Highest gives for each of some tasks how similar its work is to what it is most similar to, in
// percent, of what is to be looked at and the caller may see, in one statement.
func Highest(ctx context.Context, q db.Q, who *access.Caller, taskIDs []int64) (map[int64]int, error) {
	type highest struct {
		TaskID int64 `db:"task_id"`
		Pct    int   `db:"pct"`
	}
	out := map[int64]int{}
	in, args := db.In([]any{who.ID}, taskIDs)
	for r, err := range db.Each[highest](ctx, q, `SELECT s.task_id, max(coalesce(p.pct, s.outside_pct)) AS pct
		FROM task_similarities s LEFT JOIN similarity_pairs p ON p.id = s.pair_id
		WHERE s.flagged AND coalesce(p.pct, s.outside_pct) IS NOT NULL AND s.task_id IN `+in+`
			AND NOT EXISTS (SELECT 1 FROM submission_tasks l JOIN tasks t ON t.id = l.task_id
				JOIN projects x ON x.id = t.project_id WHERE x.user_id = $1 AND l.submission_id =
				CASE WHEN p.left_id = s.submission_id THEN p.right_id ELSE p.left_id END)
		GROUP BY s.task_id`, args...) {
		if err != nil {
			return nil, err
		}
		out[r.TaskID] = r.Pct
	}
	return out, nil
}

// records completes rows with those whose work it is, in two statements.
func records(ctx context.Context, q db.Q, who *access.Caller, rows []row) ([]Record, error) {
	var submissions, units []int64
	for _, r := range rows {
		submissions = append(submissions, r.SubmissionID)
		if r.OtherID != nil {
			submissions, units = append(submissions, *r.OtherID), append(units, *r.OtherUnit)
		}
	}
	slices.Sort(submissions)
	students, err := studentsOf(ctx, q, slices.Compact(submissions))
	if err != nil {
		return nil, err
	}
	slices.Sort(units)
	units = slices.Compact(units)
	may, err := seesNamesIn(ctx, q, who, units)
	if err != nil {
		return nil, err
	}
	out := make([]Record, len(rows))
	for i, r := range rows {
		r.students, r.named = students, r.OtherUnit != nil && (*r.OtherUnit == r.UnitID || may[*r.OtherUnit])
		if out[i], err = r.record(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *row) record() (Record, error) {
	out := Record{ID: r.ID, TaskID: r.TaskID, Type: r.Type, Flagged: r.Flagged, SubmittedAt: r.At,
		File: fileOf(r.Part), DecidedAt: r.DecidedAt, DecidedBy: r.DecidedBy, Parts: []Part{}, Passages: []Passage{},
		row: *r}
	format := "html"
	if r.Type == Outside {
		format, out.Ready = "pdf", r.OutsidePct != nil
		if r.OutsidePct != nil {
			out.Pct = *r.OutsidePct
		}
		out.Explanation = "The share of the text that the outside service found elsewhere."
	} else {
		out.Ready, out.Pct, out.Score = true, *r.Pct, r.Score
		kept := *r.RightText
		if r.left() {
			kept = *r.LeftText
		}
		out.Explanation = engine.Told(kept, r.named)
		out.Other = r.other()
		list, err := r.passages()
		if err != nil {
			return out, err
		}
		out.Passages = list
	}
	out.Details = Details{r.Type.word(), out.Pct, out.Score}
	if r.Type == Ours || r.Report != nil {
		out.Parts = []Part{{0, format, fmt.Sprintf("%s - %d%%", out.Title(), out.Pct)}}
	}
	return out, nil
}

// left tells whether the task's own work is the left of the pair.
func (r *row) left() bool { return r.LeftID != nil && *r.LeftID == r.SubmissionID }

func (r *row) other() *Other {
	o := &Other{UnitCode: *r.OtherCode, Term: term(r.Period, r.Year, r.Start), SubmittedAt: *r.OtherAt,
		Students: []Student{}}
	if r.named {
		o.Students = append(o.Students, r.students[*r.OtherID]...)
	}
	return o
}

// term says when a unit is taught: in which period, or from which day.
func term(period *string, year *int, start *clock.Date) string {
	if period != nil {
		return fmt.Sprintf("%s %d", *period, *year)
	}
	return start.String()
}

// stored is a passage as the pair keeps it.
type stored struct {
	Left   engine.Range `json:"left"`
	Right  engine.Range `json:"right"`
	Tokens int          `json:"tokens"`
}

// passages turns those of the pair to this side. A file may be named after its
// author: without a right to the name it has none.
func (r *row) passages() ([]Passage, error) {
	var list []stored
	if err := json.Unmarshal([]byte(*r.Found), &list); err != nil {
		return nil, fmt.Errorf("read the passages of pair %d: %w", *r.PairID, err)
	}
	out := make([]Passage, len(list))
	for i, p := range list {
		out[i] = Passage{p.Right, p.Left, p.Tokens}
		if r.left() {
			out[i] = Passage{p.Left, p.Right, p.Tokens}
		}
		if !r.named {
			out[i].Other.Name = ""
		}
	}
	return out, nil
}

// Reasons gives the explanation line by line: what is said of the pair, then the evidence.
func (r *Record) Reasons() []string { return strings.Split(r.Explanation, "\n") }

// Title names both sides, the other one as far as the caller may know it.
func (r *Record) Title() string {
	if r.Type == Outside {
		return r.OwnTitle()
	}
	return r.OwnTitle() + " and " + r.OtherTitle()
}

// OwnTitle names those whose task it is.
func (r *Record) OwnTitle() string { return names(r.row.students[r.row.SubmissionID]) }

// OtherTitle names those whose work is alike, or only its unit and term.
func (r *Record) OtherTitle() string {
	place := r.Other.UnitCode + ", " + r.Other.Term
	if len(r.Other.Students) == 0 {
		return "work of " + place
	}
	if *r.row.OtherUnit == r.row.UnitID {
		return names(r.Other.Students)
	}
	return names(r.Other.Students) + " (" + place + ")"
}

func names(list []Student) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%s %s (%s)", s.FirstName, s.LastName, s.Username)
	}
	return strings.Join(out, ", ")
}

// studentsOf gives those whose work each submission is.
func studentsOf(ctx context.Context, q db.Q, submissions []int64) (map[int64][]Student, error) {
	type student struct {
		SubmissionID int64 `db:"submission_id"`
		Student
	}
	out := map[int64][]Student{}
	in, args := db.In(nil, submissions)
	for s, err := range db.Each[student](ctx, q, `SELECT l.submission_id, x.user_id, t.id AS task_id, t.project_id,
			u.username, u.first_name, u.last_name
		FROM submission_tasks l JOIN tasks t ON t.id = l.task_id JOIN projects x ON x.id = t.project_id
		JOIN users u ON u.id = x.user_id WHERE l.submission_id IN `+in+` ORDER BY u.username, t.id`, args...) {
		if err != nil {
			return nil, err
		}
		out[s.SubmissionID] = append(out[s.SubmissionID], s.Student)
	}
	return out, nil
}

// seesNamesIn tells in which of some units a caller may see similarities, and so
// whose work it is.
func seesNamesIn(ctx context.Context, q db.Q, who *access.Caller, units []int64) (map[int64]bool, error) {
	held, err := access.Holding(ctx, q, who, policy.SeeSimilarities, units)
	out := map[int64]bool{}
	for _, unit := range held {
		out[unit] = true
	}
	return out, err
}

// OutsideID is the id that the submission has at the outside service, of a record
// made there.
func (r *Record) OutsideID() (string, bool) {
	if r.row.OutsideID == nil {
		return "", false
	}
	return *r.row.OutsideID, true
}

// Report gives the hash of an outside report, or fault.Missing.
func (r *Record) Report() (files.Hash, error) {
	if r.row.Report == nil {
		return "", fault.New(fault.Missing, "There is no report on this submission yet.")
	}
	return *r.row.Report, nil
}

// Usernames gives those of the students on both sides, as far as they may be known.
func (r *Record) Usernames() (out []string) {
	for _, s := range slices.Concat(r.row.students[r.row.SubmissionID], r.Other.Students) {
		out = append(out, s.Username)
	}
	return out
}
