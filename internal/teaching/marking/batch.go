// Package marking lets the staff mark without a connection: a batch of work goes
// out as an archive with a sheet, and comes back with the sheet filled in and
// the documents annotated.
package marking

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/sheet"
	"lectern/internal/platform/zipfile"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
)

// The fixed files of a batch.
const (
	sheetName    = "marks.csv"
	manifestName = "manifest.json"
	readmeName   = "readme.txt"
)

// headings are the columns of the sheet. The last two tell which version of a
// task its marker saw.
var headings = []string{"Username", "Name", "Tutorial", "Task", "Student's Last Comment", "Your Last Comment", "Status",
	"New Grade", "New Quality", "Max Quality", "New Comment", "Task ID", "Version"}

// Columns of a sheet of works that are marked by rubrics: the number of the rubric that the marker saw, and behind it
// one for each criterion.
const (
	rubricHeading    = "Rubric ID"
	criterionHeading = "Criterion: "
)

// Batch is the work that waits for one of the staff.
type Batch struct {
	UnitID int64
	Code   string
	Marker string // user name of who downloads it
	At     clock.Time
	Tasks  []Waiting
	// Rubrics are those that the tasks are marked by, by their definitions.
	Rubrics map[int64]rubric.Rubric
}

// Waiting is a task, or those of a group, to be marked.
type Waiting struct {
	TaskID       int64         `db:"task_id"`
	Version      int64         `db:"version"`
	Username     string        `db:"username"`
	First        string        `db:"first_name"`
	Last         string        `db:"last_name"`
	Tutorial     *string       `db:"tutorial"`
	DefinitionID int64         `db:"definition_id"`
	Abbreviation string        `db:"abbreviation"`
	MaxQuality   int           `db:"max_quality_pts"`
	Status       status.Status `db:"status"`
	GroupID      *int64        `db:"group_id"`
	GroupName    *string       `db:"group_name"`
	GroupWork    *int64        `db:"group_submission_id"`
	SubmissionID *int64        `db:"submission_id"`
	Hash         *string       `db:"document_hash"`
	SubmittedAt  *clock.Time   `db:"submission_date"`
	StudentSaid  *string       `db:"student_said"`
	YouSaid      *string       `db:"you_said"`
}

// newestDocument is the latest submission of task t that has a document.
const newestDocument = `(SELECT st.submission_id FROM submission_tasks st JOIN submissions x ON x.id = st.submission_id
	WHERE st.task_id = t.id AND x.document_hash IS NOT NULL ORDER BY st.at DESC LIMIT 1)`

// selectWaiting reads what waits in unit $1 for $2, whose classes the students
// are in, or where $5 is true of all classes, as $3 sees it, who marks no work of
// their own; for the definition $4 where it is not 0. A student without a class waits
// for the main convenor.
var selectWaiting = `SELECT t.id AS task_id, t.version, o.username, o.first_name, o.last_name, x.abbreviation AS
	tutorial, d.id AS definition_id, d.abbreviation,
		d.max_quality_pts, t.status, g.id AS group_id, g.name AS group_name, t.group_submission_id, s.id AS
		submission_id, s.document_hash,
		t.submission_date,
		(SELECT c.comment FROM task_comments c WHERE c.task_id = t.id AND c.user_id = p.user_id AND c.type = 'text'
			ORDER BY c.created_at DESC, c.id DESC LIMIT 1) AS student_said,
		(SELECT c.comment FROM task_comments c WHERE c.task_id = t.id AND c.user_id = $3 AND c.type = 'text'
			ORDER BY c.created_at DESC, c.id DESC LIMIT 1) AS you_said
	FROM tasks t JOIN projects p ON p.id = t.project_id AND p.enrolled
	JOIN users o ON o.id = p.user_id JOIN task_definitions d ON d.id = t.task_definition_id
	LEFT JOIN tutorial_enrolments e ON e.id = (SELECT n.id FROM tutorial_enrolments n WHERE n.project_id = p.id
		AND (n.tutorial_stream_id IS NULL OR n.tutorial_stream_id = d.tutorial_stream_id)
		ORDER BY n.tutorial_stream_id NULLS LAST LIMIT 1)
	LEFT JOIN tutorials x ON x.id = e.tutorial_id LEFT JOIN unit_roles r ON r.id = x.unit_role_id
	LEFT JOIN group_submissions gs ON gs.id = t.group_submission_id AND d.group_set_id IS NOT NULL
	LEFT JOIN unit_groups g ON g.id = gs.unit_group_id
	LEFT JOIN submissions s ON s.id = ` + newestDocument + `
	WHERE t.unit_id = $1 AND t.status IN ` + db.Literals(status.Awaiting...) + ` AND (s.id IS NOT NULL
	OR d.upload_requirements = '[]') AND (d.id = $4 OR $4 = 0)
		AND ($5 OR r.user_id = $2 OR r.user_id IS NULL AND EXISTS (SELECT 1 FROM unit_roles m WHERE m.unit_id = $1
		AND m.user_id = $2 AND m.is_main))
		AND NOT ` + work.OwnWork("$3") + `
	ORDER BY d.start_date, d.abbreviation, coalesce(g.name, o.username_key), t.id`

// Wanted says which work of a unit to collect.
type Wanted struct {
	UnitID, CallerID int64
	MarkerID         int64 // whose classes
	All              bool  // of all classes
	DefinitionID     int64 // for one task; 0: for all
}

// Collect gives what waits to be marked, as the caller sees it.
func Collect(ctx context.Context, q db.Q, w Wanted) (*Batch, error) {
	b, err := db.OneOf[struct {
		Code   string `db:"code"`
		Marker string `db:"username"`
	}](ctx, q, "unit", `SELECT u.code, c.username FROM units u JOIN users c ON c.id = $2 WHERE u.id = $1`, w.UnitID,
		w.CallerID)
	if err != nil {
		return nil, err
	}
	out := &Batch{UnitID: w.UnitID, Code: b.Code, Marker: b.Marker, At: q.Now()}
	together := map[int64]bool{}
	for w, err := range db.Each[Waiting](ctx, q, selectWaiting, w.UnitID, w.MarkerID, w.CallerID, w.DefinitionID,
		w.All) {
		if err != nil {
			return nil, fmt.Errorf("read what waits to be marked: %w", err)
		}
		if w.GroupName != nil && together[*w.GroupWork] {
			continue
		}
		if w.GroupName != nil {
			together[*w.GroupWork] = true
		}
		out.Tasks = append(out.Tasks, w)
	}
	out.Rubrics, err = rubric.OfUnit(ctx, q, w.UnitID)
	return out, err
}

// Teaches fails with fault.Refused unless the user is of the unit's staff.
func Teaches(ctx context.Context, q db.Q, unitID, userID int64) error {
	n, err := db.One[int64](ctx, q, `SELECT count(*) FROM unit_roles WHERE unit_id = $1 AND user_id = $2`, unitID,
		userID)
	if err == nil && *n == 0 {
		return fault.Field(fault.Refused, "user_id", "names someone who does not teach this unit")
	}
	return err
}

// FileName is what the batch is saved as.
func (b *Batch) FileName() string {
	return b.At.Format("2006-01-02") + "-" + b.Code + "-" + b.Marker + ".zip"
}

// who is the cell that finds the row again: a user, or a group's work.
func (w *Waiting) who() string {
	if w.GroupName == nil {
		return w.Username
	}
	return fmt.Sprintf("GRP_%d_%d", *w.GroupID, *w.GroupWork)
}

func (w *Waiting) name() string {
	if w.GroupName == nil {
		return w.First + " " + w.Last
	}
	return *w.GroupName
}

// word is how the sheet writes a status that waits.
func word(s status.Status) string {
	if s == status.ReadyForFeedback {
		return "rff"
	}
	return string(s)
}

// Hashes lists the documents of the batch.
func (b *Batch) Hashes() (hashes []files.Hash) {
	for i := range b.Tasks {
		if h := b.Tasks[i].Hash; h != nil {
			hashes = append(hashes, files.Hash(*h))
		}
	}
	return hashes
}

// WriteZip writes the batch: the sheet, what to do with it, the documents and
// the manifest.
func (b *Batch) WriteZip(ctx context.Context, store files.Store, w io.Writer) error {
	p := zipfile.NewPack(w)
	if err := b.add(p, sheetName, b.writeSheet); err != nil {
		return err
	}
	if err := b.add(p, readmeName, b.writeReadme); err != nil {
		return err
	}
	if err := b.add(p, manifestName, b.writeManifest); err != nil {
		return err
	}
	for i := range b.Tasks {
		if err := b.addDocument(ctx, store, p, &b.Tasks[i]); err != nil {
			return err
		}
	}
	return p.Close()
}

func (b *Batch) add(p *zipfile.Pack, name string, write func(io.Writer) error) error {
	w, err := p.Add("", name, b.At.Time, false)
	if err != nil {
		return err
	}
	return write(w)
}

func (b *Batch) addDocument(ctx context.Context, store files.Store, p *zipfile.Pack, t *Waiting) error {
	if t.Hash == nil {
		return nil
	}
	f, err := store.Open(ctx, files.Hash(*t.Hash))
	if err != nil {
		return fmt.Errorf("open the document of task %d: %w", t.TaskID, err)
	}
	defer f.Close()
	folder, at := t.Username, b.At.Time
	if t.GroupName != nil {
		folder = *t.GroupName
	}
	if t.SubmittedAt != nil {
		at = t.SubmittedAt.Time
	}
	w, err := p.Add(zipfile.Folder(folder), fmt.Sprintf("%s-%d.pdf", zipfile.Folder(t.Abbreviation), t.TaskID), at,
		true)
	if err == nil {
		_, err = io.Copy(w, f)
	}
	return err
}

func (b *Batch) writeSheet(w io.Writer) error {
	titles := b.criteria()
	rows := sheet.Write(w, rubricHeadings(titles))
	for i := range b.Tasks {
		t := &b.Tasks[i]
		most := ""
		if t.MaxQuality > 0 {
			most = strconv.Itoa(t.MaxQuality)
		}
		row := []string{t.who(), t.name(), opt.Or(t.Tutorial, ""), t.Abbreviation, opt.Or(t.StudentSaid, ""),
			opt.Or(t.YouSaid, ""), word(t.Status), "", "", most, "",
			strconv.FormatInt(t.TaskID, 10), strconv.FormatInt(t.Version, 10)}
		if len(titles) > 0 {
			row = append(row, b.rubricOf(t))
			row = append(row, make([]string, len(titles))...)
		}
		if err := rows.Row(row...); err != nil {
			return err
		}
	}
	return rows.Flush()
}

// manifest says which version of each task a batch was made of.
type manifest struct {
	Format int       `json:"format"`
	UnitID int64     `json:"unit_id"`
	Unit   string    `json:"unit"`
	Marker string    `json:"marker"`
	MadeAt time.Time `json:"made_at"`
	Tasks  []listed  `json:"tasks"`
}

// listed is a task in a manifest.
type listed struct {
	TaskID       int64  `json:"task_id"`
	Username     string `json:"username"`
	Task         string `json:"task"`
	Version      int64  `json:"version"`
	SubmissionID *int64 `json:"submission_id"`
	SHA256       string `json:"sha256,omitempty"` // of the document
}

const manifestFormat = 1

func (b *Batch) writeManifest(w io.Writer) error {
	m := manifest{manifestFormat, b.UnitID, b.Code, b.Marker, b.At.Time, []listed{}}
	for i := range b.Tasks {
		t := &b.Tasks[i]
		m.Tasks = append(m.Tasks, listed{t.TaskID, t.who(), t.Abbreviation, t.Version, t.SubmissionID,
			opt.Or(t.Hash, "")})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(m)
}

func (b *Batch) writeReadme(w io.Writer) error {
	_, err := fmt.Fprintf(w, readme, b.Code, len(b.Tasks), b.At.Format("2 January 2006, 15:04 MST"))
	if err != nil {
		return err
	}
	return b.writeRubrics(w)
}

const readme = `Work to mark in %s: %d rows, made %s.

1. Read the documents. Each is in the folder of its student or group and is
   called TASK-NUMBER.pdf. Annotate them as you like, and keep their names.

2. Fill in marks.csv with a spreadsheet program or an editor:
     Status       discuss or d, demonstrate or demo, complete, fix, redo,
                  do_not_resubmit, fail. Left as it is: the status stays.
     New Grade    f, p, c, d or hd, where the task is graded.
     New Quality  a number up to Max Quality, where there is one.
     New Comment  is sent to the student.
   Leave the other columns alone. Task ID and Version tell which version of the
   work you saw: where it changed since, the row is reported and nothing of it is
   carried out.

3. Upload marks.csv alone, or everything zipped again. Annotated documents become
   the marked copies beside the originals. What you do not change stays as it is,
   and uploading the same file twice does no harm.
`
