package browser

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lectern/internal/platform/files"
)

// Of each work that waits for a verdict here.
const (
	manyFiles    = 60
	manyLines    = 200
	manyComments = 300
)

// waitingWorks are the newest versions of the works that wait for a verdict, each with its student and a tutor.
const waitingWorks = `(SELECT l.submission_id, l.task_id, l.at, p.user_id, p.unit_id, u.id AS tutor_id
	FROM submission_tasks l JOIN tasks t ON t.id = l.task_id AND t.status = 'ready_for_feedback'
	JOIN projects p ON p.id = t.project_id AND p.unit_id = 1 JOIN users u ON u.username = 'atutor'
	WHERE l.at = (SELECT max(n.at) FROM submission_tasks n WHERE n.task_id = l.task_id))`

// counting is the numbers below $1.
const counting = `(WITH RECURSIVE k(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM k WHERE n + 1 < $1) SELECT n FROM k)`

// fillsWorks gives every work that waits for a verdict many files, and many comments that point into them.
func (s *service) fillsWorks(t *testing.T) {
	t.Helper()
	store, err := files.Open(t.Context(), filepath.Join(s.data, "files"))
	if err != nil {
		t.Fatal(err)
	}
	s.set(t, `DELETE FROM submission_files WHERE submission_id IN (SELECT submission_id FROM `+waitingWorks+`)`)
	for f := range manyFiles {
		var text strings.Builder
		for i := range manyLines {
			fmt.Fprintf(&text, "    static int field_%d_%d = Read(\"name %d\", %d);\n", f, i, i, i)
		}
		info, err := store.Put(t.Context(), strings.NewReader(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		s.set(t, `INSERT INTO blobs (hash, size, touched_at) VALUES ($1, $2, '2999-01-01T00:00:00.000000Z')`, string(info.Hash),
			info.Size)
		s.set(t, `INSERT INTO submission_files (submission_id, position, key, title, kind, name, hash, size, zipped)
			SELECT submission_id, $1, 'file0', 'Program', 'code', $2, $3, $4, TRUE FROM `+waitingWorks,
			f, fmt.Sprintf("src/part%d/Part%02d.cs", f%6, f), string(info.Hash), info.Size)
	}
	s.set(t, `INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at, staff_read_at)
		SELECT task_id, unit_id, tutor_id, user_id, 'text', 'Part.cs, line 1: Say what number ' || n || ' is for.', at, at
		FROM `+waitingWorks+`, `+counting, manyComments)
	s.set(t, `INSERT INTO comment_places (task_comment_id, submission_id, submitted_at, version, lead, position, name, line, end_line)
		SELECT c.id, w.submission_id, w.at, 1, 'Part.cs, line 1: ', c.id % $1, 'Part.cs', 1 + c.id % $2, 1 + c.id % $2
		FROM task_comments c JOIN `+waitingWorks+` w ON w.task_id = c.task_id WHERE c.comment LIKE 'Part.cs, line 1: Say what%'`,
		manyFiles, manyLines)
}

// Where each work has 60 files and 300 comments that point into them, the next work and the next file are there at
// once, as where it has none.
func TestDeskSpeedOfManyFilesAndComments(t *testing.T) {
	needed(t)
	s := serve(t)
	s.fillsWorks(t)
	b := open(t, s, wide)
	b.signIn("atutor")
	b.visit(toMark + "&file=0")
	b.reloadUntil("document.querySelectorAll('.desk-source .ln .k').length > 100")
	b.desk(toMark)
	b.await("document.querySelector('#desk-task .sheet.drawn')")
	if n := eval[int](b, "document.querySelectorAll('#desk-pointed li').length"); n != manyComments {
		t.Fatalf("the work has %d comments", n)
	}
	b.photograph("desk of many comments")
	eval[bool](b, "document.querySelector('#desk-pointed details summary').scrollIntoView({ block: 'center' }), true")
	b.photograph("the fold of comments")
	eval[bool](b, stopwatch)
	for i := range 20 {
		b.ahead()
		b.key("j")
		b.await(fmt.Sprintf("window.times.length > %d", i))
	}
	b.soon("the next work", 50, 100)
	b.desk(toMark)
	b.await("document.querySelector('#desk-task .sheet.drawn')")
	eval[bool](b, stopwatchOfFile)
	for i := range 20 {
		b.nextFile()
		b.ahead()
		b.key(".")
		b.await(fmt.Sprintf("window.times.length > %d", i))
	}
	b.soon("the next file", 50, 100)
	b.key("w") // the last of the comments is folded away
	b.await("document.querySelector('#desk-pointed-more[open] li:last-child.at')?.checkVisibility()")
}
