// Package portfolio knows portfolios: the files a student adds, the document that
// is compiled of them and of the work done in a unit, and the archives the
// staff download of a whole unit.
package portfolio

import (
	"context"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/zipfile"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
)

// Bounds on what a student adds to a portfolio.
const (
	MaxFile  = 30 * bounds.MB // of one file
	maxFiles = 50             // beside the learning summary
	maxName  = 255            // characters
)

// SummaryName is what clients call the learning summary, the file every portfolio
// begins with.
const SummaryName = "LearningSummaryReport"

// The learning summary as it is kept.
const (
	summaryFile = SummaryName + ".pdf"
	summaryText = SummaryName + ".md" // one that was typed in
	summaryIdx  = 0
	other       = "Other" // what clients call any other file
)

// File is one of those a student added to a portfolio. Idx 0 is the learning
// summary.
type File struct {
	Kind taskdef.UploadKind `db:"kind" json:"kind"`
	Name string             `db:"name" json:"name"`
	Idx  int64              `db:"idx" json:"idx"`
}

// IsSummary tells whether the file is the learning summary.
func (f File) IsSummary() bool { return f.Idx == summaryIdx }

// Typed tells whether the file is a learning summary that was typed in.
func (f File) Typed() bool { return f.IsSummary() && f.Name == summaryText }

// Path is where the file stands inside the portfolio.
func (f File) Path() string {
	return fmt.Sprintf("%03d-%s-%s", f.Idx, f.Kind, zipfile.FileName(f.Name))
}

// FilesOf lists the files of a portfolio in their order.
func FilesOf(ctx context.Context, q db.Q, projectID int64) ([]File, error) {
	return db.All[File](ctx, q, `SELECT kind, name, idx FROM portfolio_files WHERE project_id = $1 ORDER BY idx`,
		projectID)
}

// NewFile is a file to be added: Name is what the student calls it, Original
// the name it had on their machine.
type NewFile struct {
	Name, Original string
	Kind           taskdef.UploadKind
	Stored         files.Info
	Typed          bool // it is a learning summary that was typed in, which is text
}

// AddFile adds a stored file to a portfolio. The document LearningSummaryReport takes the place
// of the one before, and of the draft. It fails with fault.Refused when the name says nothing,
// fault.Conflict beyond the limit. It is for holders of policy.EditPortfolio on the project.
func AddFile(ctx context.Context, q db.Q, store files.Store, projectID int64, n NewFile) (*File, error) {
	name, err := n.name()
	if err != nil {
		return nil, err
	}
	if err := db.Lock(ctx, q, "projects", projectID); err != nil {
		return nil, err
	}
	if err := blob.Keep(ctx, q, store, n.Stored); err != nil {
		return nil, err
	}
	f := &File{Kind: n.Kind, Name: name}
	if n.isSummary() {
		f.Name = n.summaryName()
		_, err = db.Exec(ctx, q, `UPDATE projects SET uses_draft_learning_summary = FALSE WHERE id = $1`, projectID)
	} else {
		f.Idx, err = freeIdx(ctx, q, projectID)
	}
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO portfolio_files (project_id, idx, kind, name, hash, size, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (project_id, idx) DO UPDATE
		SET kind = excluded.kind, name = excluded.name, hash = excluded.hash, size = excluded.size, created_at =
		excluded.created_at`,
		projectID, f.Idx, f.Kind, f.Name, string(n.Stored.Hash), n.Stored.Size, q.Now())
	if err != nil {
		return nil, err
	}
	return f, audit.Add(ctx, q, audit.Entry{Kind: audit.Portfolio, Action: "file_added", ProjectID: projectID,
		RecordID: f.Idx})
}

func (n NewFile) isSummary() bool {
	return n.Typed || n.Name == SummaryName && n.Kind == taskdef.Document
}

// summaryName is what a learning summary is kept as: its ending tells how it is
// shown.
func (n NewFile) summaryName() string {
	if n.Typed {
		return summaryText
	}
	return summaryFile
}

// name is what the file is called: never a path, with the extension it had, as
// that tells the language of code.
func (n NewFile) name() (string, error) {
	name := plainName(n.Name)
	if strings.EqualFold(name, other) && plainName(n.Original) != "" {
		name = plainName(n.Original)
	}
	if ext := path.Ext(plainName(n.Original)); path.Ext(name) == "" && len(ext) <= 12 {
		name += ext
	}
	switch {
	case strings.Trim(name, ". ") == "":
		return "", fault.Field(fault.Refused, "name", "is empty: give the file a name")
	case utf8.RuneCountInString(name) > maxName:
		return "", fault.Field(fault.Refused, "name", "has more than %d characters", maxName)
	}
	return name, nil
}

// plainName is the last part of a path on any system, without characters that
// are not seen or that turn the others round.
func plainName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(name, "")))
}

// freeIdx is the number of the next file. The project is held.
func freeIdx(ctx context.Context, q db.Q, projectID int64) (int64, error) {
	have, err := db.One[struct {
		Last  int64 `db:"last"`
		Count int64 `db:"count"`
	}](ctx, q, `SELECT coalesce(max(idx), 0) AS last, count(*) AS count FROM portfolio_files WHERE project_id = $1
		AND idx > 0`, projectID)
	if err != nil {
		return 0, err
	}
	if have.Count >= maxFiles {
		return 0, fault.New(fault.Conflict, "The portfolio already has %d files, which is the limit. Remove one "+
			"first.", maxFiles)
	}
	return have.Last + 1, nil
}

// RemoveFile takes a file from a portfolio, for holders of policy.EditPortfolio on the project.
// It is fault.Missing where there is none.
func RemoveFile(ctx context.Context, q db.Q, projectID int64, f File) error {
	n, err := db.Exec(ctx, q, `DELETE FROM portfolio_files WHERE project_id = $1 AND idx = $2 AND kind = $3
		AND name = $4`,
		projectID, f.Idx, f.Kind, f.Name)
	if err != nil {
		return err
	}
	if n == 0 {
		return fault.New(fault.Missing, "The portfolio has no such file.")
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Portfolio, Action: "file_removed", ProjectID: projectID,
		RecordID: f.Idx}); err != nil || f.Idx != summaryIdx {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE projects SET uses_draft_learning_summary = FALSE WHERE id = $1`, projectID)
	return err
}

// Made makes the document of a submission the learning summary of those who handed it in, if it
// is of the unit's draft task and they have no other. It belongs into the transaction that
// makes the document known. It is for the job that makes documents.
func Made(ctx context.Context, q db.Q, d submit.Document) error {
	ids, err := db.All[int64](ctx, q, `INSERT INTO portfolio_files (project_id, idx, kind, name, hash, size, created_at)
		SELECT p.id, 0, $4, $2, s.document_hash, s.document_size, $3
		FROM submissions s JOIN submission_tasks st ON st.submission_id = s.id JOIN tasks t ON t.id = st.task_id
		JOIN task_definitions d ON d.id = t.task_definition_id AND d.is_draft_summary
		JOIN projects p ON p.id = t.project_id
		WHERE s.id = $1 AND s.document_hash IS NOT NULL AND (p.uses_draft_learning_summary
			OR NOT EXISTS (SELECT 1 FROM portfolio_files f WHERE f.project_id = p.id AND f.idx = 0))
			AND NOT EXISTS (SELECT 1 FROM submission_tasks n JOIN submissions x ON x.id = n.submission_id
				WHERE n.task_id = t.id AND n.at > st.at AND x.document_hash IS NOT NULL)
		ON CONFLICT (project_id, idx) DO UPDATE SET kind = excluded.kind, name = excluded.name, hash = excluded.hash,
			size = excluded.size, created_at = excluded.created_at
		RETURNING project_id`, d.SubmissionID, summaryFile, q.Now(), taskdef.Document)
	if err != nil || len(ids) == 0 {
		return err
	}
	in, args := db.In(nil, ids)
	_, err = db.Exec(ctx, q, `UPDATE projects SET uses_draft_learning_summary = TRUE WHERE id IN `+in, args...)
	return err
}
