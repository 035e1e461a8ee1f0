package submit

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// State is how far the document of a submission has come.
type State string

// The states.
const (
	Queued     State = "queued"
	Processing State = "processing"
	Ready      State = "ready"
	Failed     State = "failed"
)

// Enum gives all states, for the documentation of the API.
func (State) Enum() []string {
	return []string{string(Queued), string(Processing), string(Ready), string(Failed)}
}

// Version is one submission of a task.
type Version struct {
	ID           int64       `db:"id"`
	TaskID       int64       `db:"task_id"` // the task it was asked for, which in a group need not be the sender's
	At           clock.Time  `db:"at"`
	Abbreviation string      `db:"abbreviation"` // of the task definition
	UnitCode     string      `db:"code"`
	Student      string      `db:"username"`
	State        State       `db:"state"`
	Done         int         `db:"parts_done"`
	Parts        int         `db:"parts"`
	Reason       *string     `db:"reason"`
	Document     *files.Hash `db:"document_hash"`
}

const selectVersions = `SELECT s.id, l.task_id, l.at, d.abbreviation, u.code, o.username, s.state, s.parts_done,
	s.parts, s.reason,
	s.document_hash
	FROM tasks t JOIN submission_tasks l ON l.task_id = t.id JOIN submissions s ON s.id = l.submission_id
	JOIN task_definitions d ON d.id = t.task_definition_id JOIN units u ON u.id = t.unit_id
	JOIN projects p ON p.id = t.project_id JOIN users o ON o.id = p.user_id
	WHERE t.project_id = $1 AND t.task_definition_id = $2`

// Name is what files of the submission are called, without an ending: by unit, task
// and student.
func (v *Version) Name() string { return v.UnitCode + "-" + v.Abbreviation + "-" + v.Student }

// Readable gives the newest submission whose document is to be read: the latest, or
// while its document is on its way the one before that has one.
func Readable(ctx context.Context, q db.Q, projectID, definitionID int64) (*Version, error) {
	v, err := Latest(ctx, q, projectID, definitionID)
	if err != nil || v.Document != nil || v.State != Queued && v.State != Processing {
		return v, err
	}
	earlier, err := db.All[Version](ctx, q, selectVersions+` AND s.document_hash IS NOT NULL
		ORDER BY l.at DESC LIMIT 1`, projectID, definitionID)
	if err != nil || len(earlier) == 0 {
		return v, err
	}
	return &earlier[0], nil
}

// Latest gives the newest submission of a task, or fault.Missing.
func Latest(ctx context.Context, q db.Q, projectID, definitionID int64) (*Version, error) {
	return db.OneOf[Version](ctx, q, "submission: nothing has been submitted for this task yet",
		selectVersions+` ORDER BY l.at DESC LIMIT 1`, projectID, definitionID)
}

// mostTimestamps is how many versions are listed.
const mostTimestamps = 10

// Timestamps lists when the latest versions were handed in, newest first. Each
// names its version.
func Timestamps(ctx context.Context, q db.Q, projectID, definitionID int64) ([]clock.Time, error) {
	return db.All[clock.Time](ctx, q, `SELECT l.at FROM tasks t JOIN submission_tasks l ON l.task_id = t.id
		WHERE t.project_id = $1 AND t.task_definition_id = $2 ORDER BY l.at DESC LIMIT $3`, projectID, definitionID,
		mostTimestamps)
}

// VersionAt gives the submission of a moment: a timestamp as listed, or seconds
// since 1970, which stand for the newest of that second. fault.Missing when
// there is none, or the text is no moment.
func VersionAt(ctx context.Context, q db.Q, projectID, definitionID int64, timestamp string) (*Version, error) {
	from, to, ok := span(timestamp)
	if !ok {
		return nil, fault.New(fault.Missing, "there is no submission %.40q: use a timestamp as listed, such as "+
			"2026-03-02T04:05:06.789Z", timestamp)
	}
	return db.OneOf[Version](ctx, q, "submission", selectVersions+` AND l.at >= $3 AND l.at < $4
		ORDER BY l.at DESC LIMIT 1`,
		projectID, definitionID, from, to)
}

// span is the time a timestamp stands for: a millisecond, or a second when it
// tells no more.
func span(text string) (from, to clock.Time, ok bool) {
	const farOff = 253402300800 // the year 10000
	at, length := time.Time{}, time.Millisecond
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		if seconds < 0 || seconds >= farOff {
			return from, to, false
		}
		at, length = time.Unix(seconds, 0), time.Second
	} else if at, err = time.Parse(time.RFC3339Nano, text); err != nil {
		return from, to, false
	} else if y := at.UTC().Year(); y < 0 || y > 9999 {
		return from, to, false
	}
	from = clock.At(at)
	return from, clock.At(from.Add(length)), true
}

// FilesOf lists the files of a submission in the order of the requirements.
func FilesOf(ctx context.Context, q db.Q, submissionID int64) ([]File, error) {
	return db.All[File](ctx, q, `SELECT position, key, title, kind, name, hash, size, zipped FROM submission_files
		WHERE submission_id = $1 ORDER BY position`, submissionID)
}

// Hashes lists what the files are stored under.
func Hashes(list []File) []files.Hash {
	hashes := make([]files.Hash, len(list))
	for i, f := range list {
		hashes[i] = f.Hash
	}
	return hashes
}

// WriteZip writes an archive of the files as they were handed in, under a folder
// named after the task.
func (v *Version) WriteZip(ctx context.Context, store files.Store, list []File, w io.Writer) error {
	z := zip.NewWriter(w)
	for _, f := range list {
		if err := v.pack(ctx, store, f, z); err != nil {
			return fmt.Errorf("pack %s: %w", f.StoredName(), err)
		}
	}
	return z.Close()
}

func (v *Version) pack(ctx context.Context, store files.Store, f File, z *zip.Writer) error {
	in, err := store.Open(ctx, f.Hash)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := z.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("%d/%s", v.TaskID, f.StoredName()),
		Method: f.Kind.ZipMethod(), Modified: v.At.Time})
	if err == nil {
		_, err = io.Copy(out, in)
	}
	return err
}

// Details tell how far the latest submission of a task is.
type Details struct {
	HasPDF      bool        `json:"has_pdf"`
	Submitted   bool        `json:"submission_date"`
	Processing  bool        `json:"processing_pdf"`
	SubmittedAt *clock.Time `json:"submitted_at"`
	State       *State      `json:"state"` // queued, processing, ready or failed; null when nothing was handed in
	Progress    *Progress   `json:"progress"`
	Reason      *string     `json:"reason"` // why it failed, or what of it is not shown
	Receipt     *Receipt    `json:"receipt"`
	MarkedAt    *clock.Time `json:"marked_at"` // when the staff annotated it last; null when they have not
}

// Progress counts the files that were read for the document.
type Progress struct {
	N int `json:"n"`
	M int `json:"m"`
}

// DetailsOf gives the details of a task, all empty when nothing was handed in.
func DetailsOf(ctx context.Context, q db.Q, projectID, definitionID int64) (*Details, error) {
	v, err := Latest(ctx, q, projectID, definitionID)
	if fault.Is(err, fault.Missing) {
		return &Details{}, nil
	}
	if err != nil {
		return nil, err
	}
	readable, err := Readable(ctx, q, projectID, definitionID)
	if err != nil {
		return nil, err
	}
	r, err := ReceiptOf(ctx, q, v.ID)
	if err != nil {
		return nil, err
	}
	marked, err := db.All[clock.Time](ctx, q, `SELECT at FROM marked_copies WHERE submission_id = $1`, v.ID)
	d := &Details{HasPDF: readable.Document != nil, Submitted: true, Processing: v.State == Queued ||
		v.State == Processing,
		SubmittedAt: &v.At,
		State:       &v.State, Progress: &Progress{v.Done, v.Parts}, Reason: v.Reason, Receipt: r}
	if len(marked) > 0 {
		d.MarkedAt = &marked[0]
	}
	return d, err
}

// ReceiptOf gives the receipt of a submission.
func ReceiptOf(ctx context.Context, q db.Q, submissionID int64) (*Receipt, error) {
	type row struct {
		Body      string `db:"body"`
		Hash      string `db:"hash"`
		KeyID     string `db:"key_id"`
		Signature string `db:"signature"`
	}
	r, err := db.OneOf[row](ctx, q, "receipt", `SELECT body, hash, key_id, signature FROM receipts
		WHERE submission_id = $1`, submissionID)
	if err != nil {
		return nil, err
	}
	return &Receipt{[]byte(r.Body), r.Hash, r.KeyID, r.Signature}, nil
}

// PDF gives the hash of the version's document, or says why there is none yet.
func (v *Version) PDF() (files.Hash, error) {
	if v.Document != nil {
		return *v.Document, nil
	}
	switch v.State {
	case Queued:
		return "", fault.New(fault.Missing, "The PDF of this submission is not ready yet. Try again in a minute.")
	case Processing:
		return "", fault.New(fault.Missing, "The PDF of this submission is being made (%d of %d files). Try again in "+
			"a minute.",
			v.Done, v.Parts)
	}
	why := "no reason is known"
	if v.Reason != nil {
		why = *v.Reason
	}
	return "", fault.New(fault.Missing, "The PDF of this submission could not be made: %s", why)
}
