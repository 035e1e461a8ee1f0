package portfolio

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/zipfile"
	"lectern/internal/teaching/submit"
)

// Entry is a stored file on its way into an archive. Folder and Name are safe.
type Entry struct {
	Folder, Name string
	Hash         files.Hash
	At           time.Time
}

// Hashes lists the files of entries.
func Hashes(list []Entry) []files.Hash {
	hashes := make([]files.Hash, len(list))
	for i, e := range list {
		hashes[i] = e.Hash
	}
	return hashes
}

// WriteZip writes stored files as an archive, one after the other: what it
// holds in memory does not grow with them.
func WriteZip(ctx context.Context, store files.Store, list []Entry, w io.Writer) error {
	p := zipfile.NewPack(w)
	for _, e := range list {
		if err := addEntry(ctx, store, p, e); err != nil {
			return err
		}
	}
	return p.Close()
}

func addEntry(ctx context.Context, store files.Store, p *zipfile.Pack, e Entry) error {
	f, err := store.Open(ctx, e.Hash)
	if err != nil {
		return fmt.Errorf("open %s: %w", e.Name, err)
	}
	defer f.Close()
	w, err := p.Add(e.Folder, e.Name, e.At, packed(e.Name))
	if err == nil {
		_, err = io.Copy(w, f)
	}
	return err
}

// packed tells by the name whether compressing again would gain nothing.
func packed(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".pdf", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".zip":
		return true
	}
	return false
}

// Portfolios lists the portfolios of the enrolled students of a unit, in
// folders by the grade they aim for, each named by the student and who teaches
// them.
func Portfolios(ctx context.Context, q db.Q, unitID int64) ([]Entry, error) {
	type row struct {
		ProjectID int64       `db:"id"`
		Username  string      `db:"username"`
		Target    grade.Grade `db:"target_grade"`
		Hash      string      `db:"portfolio_hash"`
		At        clock.Time  `db:"at"`
		Tutorial  *string     `db:"abbreviation"`
		First     *string     `db:"first_name"`
		Last      *string     `db:"last_name"`
	}
	var list []Entry
	var classes [][]string
	last := int64(0)
	for r, err := range db.Each[row](ctx, q, `SELECT p.id, s.username, p.target_grade, p.portfolio_hash,
		coalesce(p.portfolio_produced_at, p.updated_at) AS at,
			x.abbreviation, m.first_name, m.last_name
		FROM projects p JOIN users s ON s.id = p.user_id
		LEFT JOIN tutorial_enrolments e ON e.project_id = p.id LEFT JOIN tutorials x ON x.id = e.tutorial_id
		LEFT JOIN unit_roles r ON r.id = x.unit_role_id LEFT JOIN users m ON m.id = r.user_id
		WHERE p.unit_id = $1 AND p.enrolled AND p.portfolio_hash IS NOT NULL
		ORDER BY s.username_key, p.id, x.abbreviation`, unitID) {
		if err != nil {
			return nil, err
		}
		if r.ProjectID != last {
			list = append(list, Entry{zipfile.Folder(r.Target.Name()), r.Username, files.Hash(r.Hash), r.At.Time})
			classes, last = append(classes, nil), r.ProjectID
		}
		if r.Tutorial != nil {
			classes[len(classes)-1] = append(classes[len(classes)-1], class(*r.Tutorial, r.First, r.Last))
		}
	}
	for i := range list {
		name := list[i].Name + "-portfolio"
		if len(classes[i]) > 0 {
			name += " (" + strings.Join(classes[i], " ") + ")"
		}
		list[i].Name = zipfile.FileName(name + ".pdf")
	}
	return list, nil
}

// class names a tutorial by who teaches it.
func class(tutorial string, first, last *string) string {
	if first == nil || last == nil {
		return "(" + tutorial + ")"
	}
	return *first + " " + *last + " (" + tutorial + ")"
}

// handedIn is the latest submission of each enrolled student for definition
// $1, once for those who handed in together.
const handedIn = `(SELECT s.id, s.at, s.document_hash, min(o.username) AS username, max(g.name) AS group_name
	FROM tasks t JOIN projects p ON p.id = t.project_id AND p.enrolled JOIN users o ON o.id = p.user_id
	JOIN submissions s ON s.id = (SELECT st.submission_id FROM submission_tasks st WHERE st.task_id = t.id
	ORDER BY st.at DESC LIMIT 1)
	LEFT JOIN group_submissions gs ON gs.id = t.group_submission_id LEFT JOIN unit_groups g ON g.id = gs.unit_group_id
	WHERE t.task_definition_id = $1 GROUP BY s.id, s.at, s.document_hash)`

// Submissions lists the files as they were handed in last for a definition, a
// folder for each student or group.
func Submissions(ctx context.Context, q db.Q, definitionID int64, abbreviation string) ([]Entry, error) {
	type row struct {
		ID  int64      `db:"id"`
		At  clock.Time `db:"at"`
		Who string     `db:"who"`
		submit.File
	}
	var list []Entry
	folders := map[string]int64{}
	for r, err := range db.Each[row](ctx, q, `SELECT h.id, h.at, coalesce(h.group_name, h.username) AS who, f.position,
		f.key, f.kind, f.name, f.hash, f.zipped
		FROM `+handedIn+` h JOIN submission_files f ON f.submission_id = h.id ORDER BY who, h.id, f.position`,
		definitionID) {
		if err != nil {
			return nil, err
		}
		list = append(list, Entry{zipfile.Folder(abbreviation) + "-submissions/" + folder(folders, r.Who, r.ID),
			r.StoredName(), r.Hash, r.At.Time})
	}
	return list, nil
}

// folder gives each submission a folder of its own: its number follows the name where
// that is taken, also by somebody who is called like a name with a number.
func folder(taken map[string]int64, name string, id int64) string {
	name = zipfile.Folder(name)
	for {
		key := strings.ToLower(name)
		if owner, there := taken[key]; !there || owner == id {
			taken[key] = id
			return name
		}
		name = fmt.Sprintf("%s-%d", name, id)
	}
}

// Documents lists the PDFs of what was handed in last for a definition, as far
// as they are made.
func Documents(ctx context.Context, q db.Q, definitionID int64, abbreviation string) ([]Entry, error) {
	type row struct {
		At   clock.Time `db:"at"`
		Name string     `db:"who"`
		Hash string     `db:"document_hash"`
	}
	var list []Entry
	for r, err := range db.Each[row](ctx, q, `SELECT h.at, coalesce(h.group_name, h.username) AS who, h.document_hash
		FROM `+handedIn+` h WHERE h.document_hash IS NOT NULL ORDER BY who, h.id`, definitionID) {
		if err != nil {
			return nil, err
		}
		list = append(list, Entry{zipfile.Folder(abbreviation) + "-pdfs", zipfile.FileName(r.Name + ".pdf"),
			files.Hash(r.Hash), r.At.Time})
	}
	return list, nil
}
