package announce

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Copy is an announcement as a student has it, in a list: who else has one, and why, is not part of it.
type Copy struct {
	ID        int64      `db:"id" json:"id"`
	UnitID    int64      `db:"unit_id" json:"unit_id"`
	Title     string     `db:"title" json:"title"`
	Author    string     `db:"author" json:"author" doc:"the name of who wrote it"`
	CreatedAt clock.Time `db:"created_at" json:"created_at"`
}

// WholeCopy is one with its text.
type WholeCopy struct {
	Copy
	Text string `db:"text" json:"text"`
}

const copyColumns = `a.id, a.unit_id, a.title, w.first_name || ' ' || w.last_name AS author, a.created_at`

// theirs is the condition on an announcement a that the student of the project $1 has it: they were sent
// one; or they are enrolled, and it is to everybody, or to the tutorial that they are in now.
const theirs = `a.unit_id = (SELECT p.unit_id FROM projects p WHERE p.id = $1)
	AND (EXISTS (SELECT 1 FROM announcement_recipients r WHERE r.announcement_id = a.id AND r.project_id = $1)
		OR a.audience <> 'selection' AND EXISTS (SELECT 1 FROM projects p WHERE p.id = $1 AND p.enrolled
			AND (a.audience = 'all' OR EXISTS (SELECT 1 FROM tutorial_enrolments e WHERE e.project_id = $1
				AND e.tutorial_id = a.tutorial_id))))`

// having is the condition that the student of the project $1 has an announcement a, and that the reader
// $2 sees it: the student all of theirs, the staff what they see in the unit.
func having(by *Reader) string {
	if by == nil {
		by = &Reader{All: true}
	}
	return theirs + ` AND ` + by.sees("$2")
}

// idOf is who reads; 0 is the student.
func idOf(by *Reader) int64 {
	if by == nil {
		return 0
	}
	return by.UserID
}

// CopiesOf lists the announcements that the student of a project has, the newest first, and tells how
// many there are, -1 where the whole list is asked for. By is who on the staff looks; nil: the student.
func CopiesOf(ctx context.Context, q db.Q, projectID int64, by *Reader, page db.Page) ([]Copy, int64, error) {
	return part[Copy](ctx, q, `SELECT `+copyColumns+writers, `WHERE `+having(by), page, projectID, idOf(by))
}

// NewestOf lists the newest few of them.
func NewestOf(ctx context.Context, q db.Q, projectID int64, by *Reader, most int64) ([]Copy, error) {
	list, err := db.All[Copy](ctx, q, `SELECT `+copyColumns+writers+`WHERE `+having(by)+` ORDER BY a.id DESC LIMIT $3`,
		projectID, idOf(by), most)
	if err != nil {
		return nil, fmt.Errorf("read the newest announcements: %w", err)
	}
	return list, nil
}

// CopyByID gives one of them.
func CopyByID(ctx context.Context, q db.Q, projectID, id int64, by *Reader) (*WholeCopy, error) {
	return one[WholeCopy](ctx, q, `SELECT `+copyColumns+`, a.text`+writers+`WHERE a.id = $3 AND `+having(by), projectID,
		idOf(by), id)
}

// TitlesOf gives the titles of announcements, by their ids.
func TitlesOf(ctx context.Context, q db.Q, ids []int64) (map[int64]string, error) {
	out := map[int64]string{}
	if len(ids) == 0 {
		return out, nil
	}
	in, args := db.In(nil, ids)
	for a, err := range db.Each[struct {
		ID    int64  `db:"id"`
		Title string `db:"title"`
	}](ctx, q, `SELECT id, title FROM announcements WHERE id IN `+in, args...) {
		if err != nil {
			return nil, err
		}
		out[a.ID] = a.Title
	}
	return out, nil
}
