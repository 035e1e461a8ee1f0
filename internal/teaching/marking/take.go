package marking

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
)

// Result tells what became of each row and each document.
type Result struct {
	Message string       `json:"message"`
	Success []sheet.Line `json:"success"`
	Errors  []sheet.Line `json:"errors"`
	Ignored []sheet.Line `json:"ignored"`
	// Plan, of a dry run, stands for the upload and all that would come of it.
	Plan string `json:"plan,omitempty"`
}

// Importer carries out the batches that come back from offline marking.
type Importer struct {
	DB    *db.DB
	Files files.Store
	Spool string // a directory to unpack in
	// Tell, if not nil, lets students know that these tasks were marked.
	Tell func(ctx context.Context, q db.Q, taskIDs ...int64) error
}

// Upload is a batch that came back.
type Upload struct {
	UnitID, CallerID int64 // the caller teaches the unit
	File             io.ReaderAt
	Size             int64
}

// taking is a batch on its way in.
type taking struct {
	*Importer
	unitID, by int64
	dry        bool // undo each row once it is known what comes of it
	known      index
	report     sheet.Report
	byTask     map[int64]*target       // of every row that was understood
	done       []int64                 // tasks that were marked
	asked      map[int64]int           // the line that marks a task, or a group's work as its negative
	rubrics    map[int64]rubric.Rubric // to mark by, by definitions, where a row has levels
}

// Take carries out a batch: a sheet alone, or an archive with the sheet and annotated
// documents. Each row is one transaction, done as a whole or not at all, and done once however
// often the batch comes. It fails when the file as a whole cannot be understood; then nothing
// was done. Where the plan of a dry run is named, it is also fault.Conflict, and nothing is
// done, when the upload is another one or something else would come of it now. It is for
// holders of policy.GiveFeedback in the unit, and does in each row what they may do on that
// task: what is not theirs to mark is refused in its row.
func (d *Importer) Take(ctx context.Context, u Upload, plan string) (*Result, error) {
	if plan != "" {
		now, err := d.Plan(ctx, u)
		if err != nil {
			return nil, err
		}
		if now.Plan != plan {
			return nil, errMoved
		}
	}
	return d.take(ctx, u, false)
}

// errMoved says that a plan is no longer what would happen.
var errMoved = fault.New(fault.Conflict, "The file or the submissions have changed since your review, so nothing was "+
	"applied. Review the changes again.")

// Plan tells what Take would make of each row and document, and changes nothing.
func (d *Importer) Plan(ctx context.Context, u Upload) (*Result, error) {
	out, err := d.take(ctx, u, true)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(u.File, 0, u.Size)); err != nil {
		return nil, fmt.Errorf("read the upload again: %w", err)
	}
	if err := json.NewEncoder(sum).Encode([]any{u.UnitID, u.CallerID, out}); err != nil {
		return nil, fmt.Errorf("sum up a plan: %w", err)
	}
	out.Plan = hex.EncodeToString(sum.Sum(nil))
	return out, nil
}

func (d *Importer) take(ctx context.Context, u Upload, dry bool) (*Result, error) {
	t := &taking{Importer: d, unitID: u.UnitID, by: u.CallerID, dry: dry, byTask: map[int64]*target{},
		asked: map[int64]int{}}
	b, err := open(ctx, u.File, u.Size)
	if err != nil {
		return nil, err
	}
	t.known = b.readManifest(ctx, &t.report)
	if t.known.UnitID != 0 && t.known.UnitID != u.UnitID {
		return nil, fault.New(fault.Refused, "This batch was made for another unit (%.60s). Upload it there.",
			t.known.Unit)
	}
	if err := t.takeSheet(ctx, b.marks); err != nil {
		return nil, err
	}
	for _, f := range b.documents {
		if err := t.takeDocument(ctx, f); err != nil {
			return nil, err
		}
	}
	return t.result(), t.tellStudents(ctx)
}

// tellStudents lets those know whose work was marked, and in a group all.
func (t *taking) tellStudents(ctx context.Context) error {
	if t.Tell == nil || len(t.done) == 0 {
		return nil
	}
	return t.DB.Tx(ctx, func(q db.Q) error {
		in, args := db.In(nil, t.done)
		ids, err := db.All[int64](ctx, q, `SELECT m.id FROM tasks t JOIN tasks m ON m.id = t.id
			OR m.group_submission_id = t.group_submission_id
			WHERE t.id IN `+in+` ORDER BY m.id`, args...)
		if err != nil {
			return err
		}
		return t.Tell(ctx, q, ids...)
	})
}

func (t *taking) result() *Result {
	r, words := t.report, "%d carried out, %d left as they were, %d refused."
	if t.dry {
		words = "%d would be carried out, %d left as they are, %d refused. Nothing was changed."
	}
	return &Result{Message: fmt.Sprintf(words, len(r.Success), len(r.Ignored), len(r.Errors)),
		Success: append([]sheet.Line{}, r.Success...), Errors: append([]sheet.Line{}, r.Errors...),
		Ignored: append([]sheet.Line{}, r.Ignored...)}
}

// errUndo ends the transaction of a row in a dry run.
var errUndo = errors.New("dry run")

// tx runs f in a transaction, which a dry run undoes.
func (t *taking) tx(ctx context.Context, f func(q db.Q) error) error {
	err := t.DB.Tx(ctx, func(q db.Q) error {
		if err := f(q); err != nil || !t.dry {
			return err
		}
		return errUndo
	})
	if errors.Is(err, errUndo) {
		return nil
	}
	return err
}

// takeSheet reads all rows, finds what they are about, and carries out those
// that ask for something.
func (t *taking) takeSheet(ctx context.Context, rows *sheet.Reader) error {
	var marks []*mark
	for row, err := range rows.Rows() {
		if err != nil {
			t.report.Fail(row, "%s", err)
			continue
		}
		m, err := readMark(row, t.known)
		if err != nil {
			t.report.Fail(row, "Nothing was done: %s.", err)
			continue
		}
		marks = append(marks, m)
	}
	targets, err := find(ctx, t.DB.Pool(), t.unitID, t.by, marks)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(marks, func(m *mark) bool { return len(m.levels) > 0 }) {
		if t.rubrics, err = rubric.OfUnit(ctx, t.DB.Pool(), t.unitID); err != nil {
			return err
		}
	}
	for n, m := range marks {
		if err := t.takeRow(ctx, m, targets[n]); err != nil {
			return err
		}
	}
	return nil
}

// takeRow carries out one row and reports it. An error is trouble of our own.
func (t *taking) takeRow(ctx context.Context, m *mark, at *target) error {
	if why := t.refuse(m, at); why != "" {
		t.report.Fail(m.row, "%s", why)
		return nil
	}
	t.byTask[at.TaskID] = at
	if m.idle() || m.to == at.Status && m.grade == nil && m.quality == nil && m.comment == "" &&
		len(m.levels) == 0 {
		t.report.Ignore(m.row, "The row asks for nothing new.")
		return nil
	}
	if err := m.choose(t.rubrics, at); err != nil {
		t.report.Fail(m.row, "Nothing was done: %s.", err)
		return nil
	}
	if why := m.unfit(at); why != "" {
		t.report.Fail(m.row, "Nothing was done: %s.", why)
		return nil
	}
	err := t.tx(ctx, func(q db.Q) error { return t.carryOut(ctx, q, m, at) })
	if errors.Is(err, errBefore) {
		t.report.Ignore(m.row, "The row was carried out before.")
		return nil
	}
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind != fault.Internal {
		t.report.Fail(m.row, "Nothing was done: %s", f.Text)
		return nil
	}
	if err == nil {
		t.report.Succeed(m.row, "%s", m.done())
	}
	return err
}

// refuse tells why a row cannot be carried out, whatever it asks for.
func (t *taking) refuse(m *mark, at *target) string {
	switch {
	case at == nil && m.who == "":
		return fmt.Sprintf("This unit has no such work of a group for a task %.60q.", m.task)
	case at == nil:
		return fmt.Sprintf("This unit has no student %.60q, or no task %.60q.", m.who, m.task)
	case at.Own:
		return "This is your own work or that of a group you are in. Ask another member of staff to mark it."
	case !at.Enrolled:
		return "The student is withdrawn."
	case m.taskID != 0 && at.TaskID != 0 && m.taskID != at.TaskID:
		return fmt.Sprintf("The task id %d is of another task: leave that column as it was.", m.taskID)
	}
	key := at.TaskID
	if at.Together != 0 {
		key = -at.Together
	}
	if line := t.asked[key]; line != 0 && key != 0 {
		return fmt.Sprintf("Line %d is about the same work.", line)
	}
	t.asked[key] = m.row.Line()
	return ""
}

// unfit tells which mark the task does not take.
func (m *mark) unfit(at *target) string {
	switch {
	case m.grade != nil && !at.Graded:
		return "this task is not graded"
	case m.quality != nil && at.MaxQuality == 0:
		return "this task has no quality points"
	case m.quality != nil && (*m.quality < 0 || *m.quality > at.MaxQuality):
		return fmt.Sprintf("the quality must be from 0 to %d", at.MaxQuality)
	case m.quality != nil && m.to == "" && (status.Awaiting.Has(at.Status) || !status.ReadyOrComplete.Has(at.Status)):
		return "the quality counts once the work was marked: set the status too"
	}
	return ""
}

// errBefore says that a row was carried out by an earlier upload.
var errBefore = errors.New("carried out before")

func (t *taking) carryOut(ctx context.Context, q db.Q, m *mark, at *target) error {
	if err := lockTarget(ctx, q, at); err != nil {
		return err
	}
	if err := check(ctx, q, m, at, m.digest(at.SubmittedAt)); err != nil {
		return err
	}
	picked, err := m.take(ctx, q, at)
	if err != nil {
		return err
	}
	change := work.Change{Grade: m.grade, Quality: m.points(picked), Levels: picked != nil}
	if m.to != "" && m.to != at.Status {
		word := string(m.to)
		change.Trigger = &word
	}
	if change != (work.Change{}) {
		_, err := work.MoveWith(ctx, q, work.Mover{UserID: t.by, As: status.Staff}, at.ProjectID, at.DefinitionID, change,
			func(tasks []int64) error { return picked.Give(ctx, q, t.by, giving(tasks)) })
		if err != nil {
			return err
		}
	}
	if m.comment != "" {
		_, err := work.Say(ctx, q, t.Files, work.Reader{UserID: t.by, Staff: true},
			work.TaskRef{ProjectID: at.ProjectID, DefinitionID: at.DefinitionID}, work.NewComment{Text: m.comment})
		if err != nil {
			return err
		}
	}
	id, err := t.remember(ctx, q, m, at)
	if err == nil {
		q.After(func() { t.done = append(t.done, id) })
	}
	return err
}

// remember notes that a row was carried out. A task that was never handed in
// counts as handed in from then on.
func (t *taking) remember(ctx context.Context, q db.Q, m *mark, at *target) (int64, error) {
	now, err := db.One[struct {
		ID          int64       `db:"id"`
		SubmittedAt *clock.Time `db:"submission_date"`
	}](ctx, q, `SELECT id, submission_date FROM tasks WHERE project_id = $1 AND task_definition_id = $2`, at.ProjectID,
		at.DefinitionID)
	if err != nil {
		return 0, err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO marks_taken (task_id, digest, user_id, at) VALUES ($1, $2, $3, $4)`,
		now.ID, m.digest(now.SubmittedAt), t.by, q.Now())
	return now.ID, err
}

// lockTarget keeps others from changing the task, the group first as every move does.
func lockTarget(ctx context.Context, q db.Q, at *target) error {
	if at.GroupID != 0 {
		if err := db.Lock(ctx, q, "unit_groups", at.GroupID); err != nil {
			return err
		}
	}
	return db.Lock(ctx, q, "tasks", at.TaskID)
}

// check makes sure that the row was not carried out yet and that the task is
// still what its marker saw.
func check(ctx context.Context, q db.Q, m *mark, at *target, digest string) error {
	now, err := db.All[struct {
		Version int64 `db:"version"`
		Before  bool  `db:"before"`
	}](ctx, q, `SELECT t.version, EXISTS (SELECT 1 FROM marks_taken k WHERE k.task_id = t.id
		AND k.digest = $2) AS before
		FROM tasks t WHERE t.id = $1`, at.TaskID, digest)
	if err != nil || len(now) == 0 {
		return err
	}
	if now[0].Before {
		return errBefore
	}
	if m.version >= 0 && m.version != now[0].Version {
		return fault.New(fault.Conflict, "The task has changed since the batch was made (its status is now %s). Look "+
			"at it again.", at.Status.Name())
	}
	return nil
}

// done says what a row did.
func (m *mark) done() string {
	text := "Marked " + m.task
	if m.to != "" {
		text += " as " + m.to.Name()
	}
	if m.comment != "" {
		text += ", with a comment"
	}
	return text + "."
}
