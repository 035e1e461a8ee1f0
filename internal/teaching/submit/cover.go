package submit

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/pdf"
	"lectern/internal/teaching/work"
)

// coverData is what goes into the document of a submission.
type coverData struct {
	ID           int64      `db:"id"`
	TaskID       int64      `db:"task_id"`
	At           clock.Time `db:"at"`
	ProjectID    int64      `db:"project_id"`
	DefinitionID int64      `db:"task_definition_id"`
	UnitCode     string     `db:"code"`
	UnitName     string     `db:"unit_name"`
	TimeZone     *string    `db:"time_zone"`
	Abbreviation string     `db:"abbreviation"`
	TaskName     string     `db:"task_name"`
	Student      string     `db:"student"`
	Username     string     `db:"username"`
	Sender       string     `db:"sender"`
	Group        *string    `db:"group_name"`
	Tutor        *string    `db:"tutor"`
	TutorID      *int64     `db:"tutor_id"`

	Members    []member
	Alignments []coverAlignment
	Files      []File
}

// member is one of those who handed in together.
type member struct {
	Name     string `db:"name"`
	Username string `db:"username"`
	Pct      int    `db:"pct"`
	Pts      int    `db:"pts"`
}

// coverAlignment is an outcome the student aligned the work with.
type coverAlignment struct {
	Abbreviation string `db:"abbreviation"`
	Name         string `db:"name"`
	Rating       int    `db:"rating"`
	Rationale    string `db:"description"`
}

// readSheet gathers a sheet with a fixed number of statements.
func readSheet(ctx context.Context, q db.Q, id int64) (*coverData, error) {
	s, err := db.OneOf[coverData](ctx, q, "submission", `SELECT s.id, s.task_id, s.at, t.project_id,
		t.task_definition_id,
			u.code, u.name AS unit_name, u.time_zone, d.abbreviation, d.name AS task_name,
			o.first_name || ' ' || o.last_name AS student, o.username, b.first_name || ' ' || b.last_name AS sender,
			(SELECT g.name FROM group_memberships m JOIN unit_groups g ON g.id = m.unit_group_id
				WHERE m.project_id = t.project_id AND m.group_set_id = d.group_set_id AND m.active) AS group_name,
			x.first_name || ' ' || x.last_name AS tutor, x.id AS tutor_id
		FROM submissions s JOIN tasks t ON t.id = s.task_id JOIN task_definitions d ON d.id = t.task_definition_id
		JOIN units u ON u.id = t.unit_id JOIN projects p ON p.id = t.project_id JOIN users o ON o.id = p.user_id
		JOIN users b ON b.id = s.user_id LEFT JOIN users x ON x.id = `+work.TutorOf+` WHERE s.id = $1`, id)
	if err != nil {
		return nil, err
	}
	if s.Members, err = db.All[member](ctx, q, `SELECT u.first_name || ' ' || u.last_name AS name, u.username, l.pct,
		l.pts
		FROM submission_tasks l JOIN tasks t ON t.id = l.task_id JOIN projects p ON p.id = t.project_id
		JOIN users u ON u.id = p.user_id WHERE l.submission_id = $1
		ORDER BY u.name_key, u.first_name, u.id`, id); err != nil {
		return nil, err
	}
	if s.Alignments, err = db.All[coverAlignment](ctx, q, `SELECT o.abbreviation, o.name, l.rating, l.description
		FROM learning_outcome_links l JOIN learning_outcomes o ON o.id = l.learning_outcome_id
		WHERE l.task_id = $1 ORDER BY o.ilo_number, o.id`, s.TaskID); err != nil {
		return nil, err
	}
	s.Files, err = FilesOf(ctx, q, id)
	return s, err
}

// when tells the moment of the submission on the unit's clock, or in UTC.
func (s *coverData) when(layout string) string {
	return s.At.In(cmp.Or(clock.Zone(s.TimeZone), time.UTC)).Format(layout)
}

// document lays the sheet out: the cover, then a section for each file, in the
// order of the files.
func (s *coverData) document(institution string) pdf.Document {
	title := s.Abbreviation + " " + s.TaskName
	doc := pdf.Document{
		Meta: pdf.Meta{Title: s.UnitCode + " " + title, Author: s.Student, Creator: institution, Created: s.At.Time,
			Subject: "Submission for " + s.UnitCode + " " + s.UnitName},
		Header: s.UnitCode + " · " + title,
		Footer: s.Student + " · " + s.when("2 Jan 2006, 15:04 MST"),
	}
	doc.Sections = append(doc.Sections, pdf.Section{Title: "Cover", Cover: s.cover(institution, title)})
	for _, f := range s.Files {
		doc.Sections = append(doc.Sections, pdf.Section{Title: f.Heading(), File: &pdf.File{Name: f.Name,
			Kind: f.shownAs()}})
	}
	return doc
}

func (s *coverData) cover(institution, title string) *pdf.Cover {
	c := &pdf.Cover{Institution: institution, Unit: s.UnitCode + " " + s.UnitName, Kicker: "Submission", Title: title}
	line := func(key, value string) { c.Lines = append(c.Lines, pdf.KeyValue{Key: key, Value: value}) }
	if s.Group != nil {
		line("Group", *s.Group)
	}
	line("Submitted by", s.Student+" ("+s.Username+")")
	if s.Sender != s.Student {
		line("Sent by", s.Sender)
	}
	line("Submitted on", s.when("Monday 2 January 2006, 15:04:05 MST"))
	if s.Tutor != nil {
		line("Tutor", *s.Tutor)
	}
	c.Tables = append(c.Tables, s.fileList())
	if s.Group != nil {
		c.Tables = append(c.Tables, s.contributions())
	}
	if len(s.Alignments) > 0 {
		c.Tables = append(c.Tables, s.alignments())
	}
	return c
}

// fileList names the files in the order they follow.
func (s *coverData) fileList() pdf.Table {
	t := pdf.Table{Title: "Files", Head: []string{"No.", "Asked for", "Submitted", "Size"}, Widths: []float64{0.07, 0.4,
		0.38, 0.15}}
	for i, f := range s.Files {
		t.Rows = append(t.Rows, []pdf.Cell{{Text: strconv.Itoa(i + 1)}, {Text: f.Title, Bold: true}, {Text: f.Name},
			{Text: pdf.SizeText(f.Size)}})
	}
	return t
}

func (s *coverData) contributions() pdf.Table {
	t := pdf.Table{Title: "Contributions", Head: []string{"Member", "Share", "Contribution"},
		Widths: []float64{0.6, 0.15, 0.25}}
	for _, m := range s.Members {
		t.Rows = append(t.Rows, []pdf.Cell{{Text: m.Name + " (" + m.Username + ")"},
			{Text: fmt.Sprintf("%d %%", m.Pct)},
			{Score: m.Pts, Of: 5}})
	}
	return t
}

func (s *coverData) alignments() pdf.Table {
	t := pdf.Table{Title: "Outcomes this work serves", Head: []string{"Outcome", "Rating", "Rationale"},
		Widths: []float64{0.3, 0.2, 0.5}}
	for _, a := range s.Alignments {
		t.Rows = append(t.Rows, []pdf.Cell{{Text: a.Abbreviation + " " + a.Name}, {Score: a.Rating, Of: 5},
			{Text: a.Rationale, Markdown: true}})
	}
	return t
}

// shownAs is how the document shows a file.
func (f File) shownAs() pdf.Kind {
	if kind := f.Kind.ShownAs(); kind != pdf.ByName {
		return kind
	}
	switch strings.ToLower(filepath.Ext(f.Name)) {
	case ".md", ".markdown":
		return pdf.Markdown
	case ".txt":
		return pdf.Text
	}
	return pdf.Code
}
