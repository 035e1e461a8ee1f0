package work

import (
	"context"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// Place is where in a version of the work a comment points: at lines of one of its files, or at a
// page of the document that was made of it, there at a stretch of text or at a point. Whoever
// makes one has looked that the version, the file and the page are there.
type Place struct {
	SubmissionID int64      `json:"-"`
	SubmittedAt  clock.Time `json:"submission_timestamp" doc:"the version it points into, as timestamps list it"`
	Version      int        `json:"version" doc:"the number of that version, from 1"`
	Position     *int       `json:"file" doc:"the number of the file in that version, from 0; null: it points at the document"`
	Name         *string    `json:"name" doc:"the name of the file; null: it points at the document"`
	Line         *int       `json:"line" doc:"the first line, from 1; null: it points at the document"`
	EndLine      *int       `json:"end_line" doc:"the last line"`
	Page         *int       `json:"page" doc:"the page of the document, from 1; null: it points at a file"`
	Quote        *string    `json:"quote" doc:"the stretch of the page's text; null: none"`
	X            *float64   `json:"x" doc:"a point of the page: the share of its width from the left, 0 to 1; null: none"`
	Y            *float64   `json:"y" doc:"the share of its height from the top, 0 to 1; null: none"`
}

// shares are the parts of a page in which points are kept.
const shares = 10_000

// Bounds of places.
const (
	MaxLine    = 1_000_000 // the last line that can be pointed at
	MaxRange   = 1000      // lines at once
	MaxQuote   = 500       // characters of a stretch of text
	MaxPointed = 300       // comments with a place that come with one verdict
	leadName   = 80        // characters of a file's name in front of the words
	leadQuote  = 60        // characters of a stretch of text in front of them
)

// Lead says the place in words, as the text of its comment begins: "main.c, line 41: ".
func (p *Place) Lead() string { return p.Where() + ": " }

// Where says the place in words: "main.c, line 41".
func (p *Place) Where() string {
	if p.Page != nil {
		if p.Quote != nil {
			return fmt.Sprintf("Page %d, “%s”", *p.Page, cutText(*p.Quote, leadQuote))
		}
		return fmt.Sprintf("Page %d", *p.Page)
	}
	return cutText(*p.Name, leadName) + ", " + p.lines()
}

// WhereThen says the place with its version, for a comment whose line is there no more:
// "main.c, on version 1, line 41".
func (p *Place) WhereThen() string {
	if p.Page != nil {
		return fmt.Sprintf("On version %d, page %d", p.Version, *p.Page)
	}
	return fmt.Sprintf("%s, on version %d, %s", cutText(*p.Name, leadName), p.Version, p.lines())
}

func (p *Place) lines() string {
	if *p.Line == *p.EndLine {
		return fmt.Sprintf("line %d", *p.Line)
	}
	return fmt.Sprintf("lines %d to %d", *p.Line, *p.EndLine)
}

// cutText is a text on one line, of at most so many characters, without what would turn the
// direction of the words after it: whoever wrote it is not who speaks.
func cutText(text string, most int) string {
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)), " ")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:most-1])) + "…"
}

// Pointing is the place of a comment that stands, what was said there, and whether that is done.
type Pointing struct {
	Place
	Words  string      `json:"text" doc:"what was said, without the place in front of it"`
	DoneAt *clock.Time `json:"done_at" doc:"when somebody ticked it; null: it is open"`
	DoneBy *int64      `json:"done_by" doc:"who ticked it; null: it is open"`
}

// placeRow is the place of a comment as it is stored.
type placeRow struct {
	SubmissionID int64       `db:"p_submission_id"`
	SubmittedAt  clock.Time  `db:"p_submitted_at"`
	Version      int         `db:"p_version"`
	Lead         string      `db:"p_lead"`
	Position     *int        `db:"p_position"`
	Name         *string     `db:"p_name"`
	Line         *int        `db:"p_line"`
	EndLine      *int        `db:"p_end_line"`
	Page         *int        `db:"p_page"`
	Quote        *string     `db:"p_quote"`
	X            *int        `db:"p_x"`
	Y            *int        `db:"p_y"`
	DoneAt       *clock.Time `db:"p_done_at"`
	DoneBy       *int64      `db:"p_done_by"`
}

// placeColumns are those of a placeRow, and pointed tells whether the comment c has one. Few have, and what every
// comment would pay for these columns is more than a statement now and then.
const (
	placeColumns = `w.submission_id AS p_submission_id, w.submitted_at AS p_submitted_at, w.version AS p_version,
		w.lead AS p_lead, w.position AS p_position, w.name AS p_name, w.line AS p_line, w.end_line AS p_end_line,
		w.page AS p_page, w.quote AS p_quote, w.x AS p_x, w.y AS p_y, w.done_at AS p_done_at, w.done_by AS p_done_by`
	pointed = `EXISTS (SELECT 1 FROM comment_places w WHERE w.task_comment_id = c.id)`
)

// asKept is the place as it is read back: a point is stored in ten-thousandths of a page.
func (p Place) asKept() Place {
	p.X, p.Y = shown(kept(p.X)), shown(kept(p.Y))
	return p
}

// pointing is the place of a comment with this text.
func (r *placeRow) pointing(text string) *Pointing {
	return &Pointing{Place: Place{r.SubmissionID, r.SubmittedAt, r.Version, r.Position, r.Name, r.Line, r.EndLine,
		r.Page, r.Quote, shown(r.X), shown(r.Y)}, Words: strings.TrimPrefix(text, r.Lead), DoneAt: r.DoneAt, DoneBy: r.DoneBy}
}

// placeOf reads the place of a comment with this text.
func placeOf(ctx context.Context, q db.Q, id int64, text string) (*Pointing, error) {
	r, err := db.OneOf[placeRow](ctx, q, "place of a comment", `SELECT `+placeColumns+`
		FROM comment_places w WHERE w.task_comment_id = $1`, id)
	if err != nil {
		return nil, err
	}
	return r.pointing(text), nil
}

// addPlaces reads where these comments of a conversation point, and adds it to them, in one statement; none where none
// points anywhere.
func addPlaces(ctx context.Context, q db.Q, at TaskRef, list []*Comment) error {
	if len(list) == 0 {
		return nil
	}
	type row struct {
		ID int64 `db:"task_comment_id"`
		placeRow
	}
	byID := make(map[int64]*Comment, len(list))
	for _, c := range list {
		byID[c.ID] = c
	}
	for r, err := range db.Each[row](ctx, q, talk+`SELECT w.task_comment_id, `+placeColumns+`
		FROM talk t JOIN task_comments c ON c.task_id = t.id JOIN comment_places w ON w.task_comment_id = c.id`,
		at.ProjectID, at.DefinitionID) {
		if err != nil {
			return err
		}
		if c := byID[r.ID]; c != nil {
			c.Place = r.pointing(c.Text)
		}
	}
	return nil
}

// checkPointed puts the place in front of the words of a comment, and tells what is wrong with it.
func (s *NewComment) checkPointed() (err error) {
	switch {
	case s.Media != nil:
		return fault.Field(fault.Invalid, "place", "goes with words only: send the attachment as a comment of its own")
	case s.ReplyTo != nil:
		return fault.Field(fault.Invalid, "place", "is that of the comment you reply to")
	case strings.TrimSpace(s.Text) == "":
		return fault.Field(fault.Invalid, "comment", "is required")
	}
	lead := s.Place.Lead()
	if s.Text, err = TrimComment(lead + strings.TrimSpace(s.Text)); err != nil {
		n := utf8.RuneCountInString(lead)
		return fault.Field(fault.Invalid, "comment", "is too long: with its place, which takes %d, the limit is %d "+
			"characters", n, MaxComment)
	}
	return nil
}

// placeRowColumns are those of the rows that keepPlaces writes.
var placeRowColumns = []string{"task_comment_id BIGINT", "submission_id BIGINT", "submitted_at TIMESTAMPTZ",
	"version INTEGER", "lead TEXT", "position INTEGER", "name TEXT", "line INTEGER", "end_line INTEGER",
	"page INTEGER", "quote TEXT", "x INTEGER", "y INTEGER", "verdict_id BIGINT"}

// keepPlaces writes the places of comments: ids and places are of the same length. Verdict is the
// one they came with; nil: none.
func keepPlaces(ctx context.Context, q db.Q, ids []int64, places []*Place, verdict *int64) error {
	rows := make([][]any, len(ids))
	for i, p := range places {
		rows[i] = []any{ids[i], p.SubmissionID, p.SubmittedAt, p.Version, p.Lead(), p.Position, p.Name, p.Line,
			p.EndLine, p.Page, p.Quote, kept(p.X), kept(p.Y), verdict}
	}
	from, args, err := db.Rows(q, nil, placeRowColumns, rows)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `INSERT INTO comment_places (task_comment_id, submission_id, submitted_at, version,
			lead, position, name, line, end_line, page, quote, x, y, verdict_id)
		SELECT v.task_comment_id, v.submission_id, v.submitted_at, v.version, v.lead, v.position, v.name, v.line,
			v.end_line, v.page, v.quote, v.x, v.y, v.verdict_id FROM `+from+` v`, args...); err != nil {
		return fmt.Errorf("write where comments point: %w", err)
	}
	return nil
}

// kept is a share of a page as it is stored.
func kept(share *float64) *int {
	if share == nil {
		return nil
	}
	return new(int(math.Round(*share * shares)))
}

// shown is a share that was stored.
func shown(share *int) *float64 {
	if share == nil {
		return nil
	}
	return new(float64(*share) / shares)
}
