package trash

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// FileKind is what a file of a student was.
type FileKind string

// The kinds of files that students are shown, and other for the rest.
const (
	handedIn   FileKind = "submission"
	document   FileKind = "document"
	markedCopy FileKind = "marked_copy"
	attachment FileKind = "attachment"
	recording  FileKind = "recording"
	otherFile  FileKind = "other"
)

// Enum gives the kinds that students are shown, for the documentation of the API.
func (FileKind) Enum() []string {
	return []string{string(handedIn), string(document), string(markedCopy), string(attachment), string(recording)}
}

// File is a file of a student that went with what was deleted.
type File struct {
	ID        int64       `db:"id" json:"id"`
	Kind      FileKind    `db:"kind" json:"kind"`
	Task      string      `db:"task" json:"task"` // its abbreviation
	Name      string      `db:"name" json:"name"`
	Size      *int64      `db:"size" json:"size"`
	At        *clock.Time `db:"at" json:"at"` // when it was handed in, said or marked
	Hash      files.Hash  `db:"hash" json:"-"`
	DeletedAt clock.Time  `db:"deleted_at" json:"deleted_at"`
	KeptUntil clock.Time  `json:"kept_until"`
	DeletedID int64       `db:"deletion_id" json:"deletion_id"`
	Deleted   string      `db:"deleted" json:"deleted"` // what was deleted
	What      Kind        `db:"what" json:"deleted_kind"`
}

const selectFiles = `SELECT f.id, f.kind, f.task, f.name, f.size, f.at, f.hash, f.deletion_id, d.at AS deleted_at,
		d.name AS deleted, ` + kindOf + ` AS what
	FROM deleted_files f JOIN deletions d ON d.id = f.deletion_id WHERE f.project_id = $1 AND d.at > $2`

// FilesOf lists the files of a student that went with what was deleted and are
// still kept, the latest deletion first.
func FilesOf(ctx context.Context, q db.Q, projectID int64) ([]File, error) {
	list, err := db.All[File](ctx, q, selectFiles+` ORDER BY d.at DESC, f.task, f.at, f.id`, projectID, since(q))
	for i := range list {
		list[i].KeptUntil = clock.At(list[i].DeletedAt.Add(Lasts))
	}
	return list, err
}

// FileByID gives one of them, or fault.Missing.
func FileByID(ctx context.Context, q db.Q, projectID, id int64) (*File, error) {
	return db.OneOf[File](ctx, q, "deleted file: they are kept for 30 days", selectFiles+` AND f.id = $3`, projectID,
		since(q), id)
}

// fileRow is a file to be remembered.
type fileRow struct {
	owner
	kind       FileKind
	task, name string
	hash       any
	size, at   any
}

// writeFiles remembers what files the rows refer to, those of a group's work for
// each of its members.
func (b *box) writeFiles(ctx context.Context, q db.Q, id int64) error {
	l, err := b.look(ctx, q)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, k := range b.rows {
		if k.table.relink != "" {
			continue
		}
		for _, column := range k.table.files {
			if k.row[column] == nil {
				continue
			}
			for _, f := range l.filesOf(&k, column) {
				rows = append(rows, []any{id, none(f.project), f.shared, string(f.kind), f.task, f.name, f.hash, f.size, f.at})
			}
		}
	}
	return db.Insert(ctx, q, "deleted_files (deletion_id, project_id, shared, kind, task, name, hash, size, at)", "", rows)
}

// lookup finds what a file is called after.
type lookup struct {
	definition map[int64]string  // abbreviation by definition
	task       map[int64]int64   // definition by task
	members    map[int64][]owner // by submission
	handin     map[int64]row     // submissions
	comment    map[int64]row
}

func (b *box) look(ctx context.Context, q db.Q) (*lookup, error) {
	l := &lookup{map[int64]string{}, map[int64]int64{}, map[int64][]owner{}, map[int64]row{}, map[int64]row{}}
	for _, k := range b.rows {
		switch k.table.called() {
		case tasks:
			l.task[k.row.id("id")] = k.row.id("task_definition_id")
		case handins:
			l.handin[k.row.id("id")] = k.row
		case comments:
			l.comment[k.row.id("id")] = k.row
		case "submission_tasks":
			at := k.row.id("submission_id")
			l.members[at] = append(l.members[at], k.owner)
		}
	}
	maps.Copy(l.task, b.of)
	list, args, err := idList(q, nil, slices.Sorted(maps.Values(l.task)))
	if err != nil {
		return nil, err
	}
	type named struct {
		ID   int64  `db:"id"`
		Name string `db:"abbreviation"`
	}
	names, err := db.All[named](ctx, q, `SELECT id, abbreviation FROM task_definitions WHERE id IN `+list, args...)
	for _, n := range names {
		l.definition[n.ID] = n.Name
	}
	return l, err
}

func (l *lookup) abbreviation(taskID int64) string { return l.definition[l.task[taskID]] }

// filesOf gives the file of a column as each of its owners is shown it.
func (l *lookup) filesOf(k *kept, column string) []fileRow {
	r := k.row
	f := fileRow{kind: otherFile, name: k.table.name, hash: r[column], size: r["size"]}
	about := r.id("submission_id")
	switch k.table.name {
	case handins:
		about, f.kind, f.at, f.size = r.id("id"), document, r["at"], r["document_size"]
	case "submission_files":
		f.kind, f.name, f.at = handedIn, r.text("name"), l.handin[about]["at"]
	case "marked_copies":
		f.kind, f.at = markedCopy, r["at"]
	case comments:
		f.kind, f.at, f.size = attachment, r["created_at"], r["attachment_size"]
		return l.said(f, r, k.owner, r.text("attachment_type"))
	case "discussion_files":
		c := l.comment[r.id("task_comment_id")]
		f.kind, f.at = recording, c["created_at"]
		return l.said(f, c, k.owner, r.text("content_type"))
	case portfolioFiles.name:
		f.kind, f.name, f.at, f.owner = handedIn, r.text("name"), r["created_at"], k.owner
		return []fileRow{f}
	case portfolioDocuments.name:
		f.kind, f.name, f.owner = document, "portfolio.pdf", k.owner
		return []fileRow{f}
	default:
		return []fileRow{f}
	}
	f.task = l.abbreviation(l.handin[about].id("task_id"))
	if f.kind != handedIn {
		f.name = fmt.Sprintf("%s-%s.pdf", f.task, f.kind)
	}
	return l.toEach(f, l.members[about])
}

// said names what was attached to a comment.
func (l *lookup) said(f fileRow, comment row, o owner, mediaType string) []fileRow {
	f.task, f.owner = l.abbreviation(comment.id("task_id")), o
	f.name = fmt.Sprintf("%s-%s-%d.%s", f.task, f.kind, comment.id("id"),
		strings.TrimPrefix(path.Base(mediaType), "x-"))
	return []fileRow{f}
}

// toEach gives the file to every member; it is kept even where there is none.
func (l *lookup) toEach(f fileRow, members []owner) []fileRow {
	var out []fileRow
	for _, o := range members {
		if o.project != 0 {
			f.owner = o
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		return []fileRow{f}
	}
	return out
}
