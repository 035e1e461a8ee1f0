// Package snippet knows reusable comments: texts that the staff write once and use
// again, each person's own and those of a unit.
package snippet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// Most is how many a person may have of their own, and how many a unit may have.
const Most = 500

// MostText is how many characters one may have: as many as a comment.
const MostText = 4095

// Digits is how many of those offered for a task have a digit to be called by: the
// first of them all.
const Digits = 9

// mostKey is how many characters of the beginning are compared with a prefix.
const mostKey = 200

// Snippet is a reusable comment.
type Snippet struct {
	ID int64 `db:"id" json:"id"`
	// UnitID is the unit whose staff share it; nil for one that is the caller's own,
	// in every unit.
	UnitID *int64 `db:"unit_id" json:"unit_id"`
	// DefinitionID is the task it is for; nil for every task. In a unit that was
	// rolled over it is the task's of that unit.
	DefinitionID *int64 `db:"task_definition_id" json:"task_definition_id"`
	// LevelID is the level it is for, of the rubric that task is marked by now; nil for none.
	LevelID   *int64     `db:"level_key" json:"level_id"`
	Level     *Level     `json:"-"` // that level; nil for none
	Text      string     `db:"text" json:"text"`
	UserID    int64      `db:"user_id" json:"user_id"` // its author
	Author    string     `db:"author" json:"author"`
	Uses      int64      `db:"uses" json:"uses"` // on the task that was asked for, or on all of them
	UpdatedAt clock.Time `db:"updated_at" json:"updated_at"`
}

// Own tells whether it is somebody's own.
func (s Snippet) Own() bool { return s.UnitID == nil }

// Offer says what a member of the staff may be offered: their own and the unit's.
type Offer struct {
	UserID, UnitID int64
	DefinitionID   int64  // only those for this task and those for every task; 0 for all
	OfLevels       bool   // only those for a level
	Prefix         string // only those that begin so, in small letters or capitals
	Limit          int64  // only the first of them; 0 for all, which are at most twice Most
}

// offered are the texts that the unit $1 and the person $2 have, with the task of the
// unit that each is for. It is looked for only where a text is for one: a join would
// go through all tasks of the unit for every text.
const offered = `SELECT s.*, CASE WHEN s.task_definition_id IS NOT NULL THEN (SELECT min(d.id)
		FROM task_definitions o JOIN task_definitions d ON coalesce(d.first_id, d.id) = coalesce(o.first_id, o.id)
			AND d.unit_id = $1 WHERE o.id = s.task_definition_id) END AS here
	FROM snippets s WHERE (s.unit_id = $1 OR s.unit_id IS NULL AND s.user_id = $2)
		AND substr(s.text_key, 1, $4) = $5`

// List gives what is offered, in one statement: the person's own first, then those
// used most on the task, then those used most at all. The first of them, as many as
// Digits, have the digits from 1 on where there is no prefix.
func (o Offer) List(ctx context.Context, q db.Q) ([]Snippet, error) {
	type row struct {
		Snippet
		Everywhere int64 `db:"everywhere"`
		Shared     bool  `db:"shared"`
	}
	prefix := key(o.Prefix)
	list := []Snippet{}
	for r, err := range db.Each[row](ctx, q, `SELECT s.id, s.unit_id, s.here AS task_definition_id, s.level_key, s.text,
			s.user_id, a.first_name || ' ' || a.last_name AS author, s.updated_at, s.unit_id IS NOT NULL AS shared,
			(SELECT CAST(coalesce(sum(n.uses), 0) AS BIGINT) FROM snippet_uses n WHERE n.snippet_id = s.id
				AND (CAST($3 AS BIGINT) = 0 OR n.task_definition_id = CAST($3 AS BIGINT))) AS uses,
			(SELECT CAST(coalesce(sum(n.uses), 0) AS BIGINT) FROM snippet_uses n WHERE n.snippet_id = s.id) AS everywhere
		FROM (`+offered+`) s JOIN users a ON a.id = s.user_id
		WHERE (s.task_definition_id IS NULL OR s.here IS NOT NULL)
			AND (CAST($3 AS BIGINT) = 0 OR s.task_definition_id IS NULL OR s.here = CAST($3 AS BIGINT))
			AND (s.level_key IS NOT NULL OR NOT CAST($7 AS BOOLEAN))
		ORDER BY shared, uses DESC, everywhere DESC, s.id LIMIT $6`, o.UnitID, o.UserID, o.DefinitionID,
		utf8.RuneCountInString(prefix), prefix, cmp.Or(o.Limit, db.NoLimit), o.OfLevels) {
		if err != nil {
			return nil, fmt.Errorf("read reusable comments: %w", err)
		}
		list = append(list, r.Snippet)
	}
	if err := place(ctx, q, list); err != nil {
		return nil, err
	}
	if o.OfLevels {
		list = slices.DeleteFunc(list, func(s Snippet) bool { return s.Level == nil })
	}
	return list, nil
}

// ByID gives one of any author. Whether the person may see it, usecase.SnippetByID decides.
func ByID(ctx context.Context, q db.Q, id int64) (*Snippet, error) {
	s, err := db.OneOf[Snippet](ctx, q, "saved comment", `SELECT s.id, s.unit_id, s.task_definition_id, s.level_key,
			s.text, s.user_id, a.first_name || ' ' || a.last_name AS author, s.updated_at,
			(SELECT CAST(coalesce(sum(n.uses), 0) AS BIGINT) FROM snippet_uses n WHERE n.snippet_id = s.id) AS uses
		FROM snippets s JOIN users a ON a.id = s.user_id WHERE s.id = $1`, id)
	if err != nil {
		return nil, err
	}
	list := []Snippet{*s}
	err = place(ctx, q, list)
	return &list[0], err
}

// New is one to add.
type New struct {
	UserID       int64  // its author
	UnitID       *int64 // nil for the author's own
	DefinitionID *int64 // nil for every task
	LevelID      *int64 // of the rubric of that task; nil for none
	Text         string
}

// Add adds one. It refuses an empty text, one too long, a level that the task's rubric does not
// have, and one more than Most. The same again, by its author and for the same, is the one there
// is: nobody is offered it twice. It is for holders of policy.UseSnippets in the unit.
func Add(ctx context.Context, q db.Q, n New) (*Snippet, error) {
	text, err := bounds.Trim("text", n.Text, MostText)
	if err != nil {
		return nil, err
	}
	n.Text = text
	if err := hasLevel(ctx, q, n.DefinitionID, n.LevelID); err != nil {
		return nil, err
	}
	if same, err := room(ctx, q, n); same != nil || err != nil {
		return same, err
	}
	id, err := db.One[int64](ctx, q, `INSERT INTO snippets (user_id, unit_id, task_definition_id, level_key, text,
		text_key, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7) RETURNING id`, n.UserID, n.UnitID,
		n.DefinitionID, n.LevelID, text, key(text), q.Now())
	if err != nil {
		return nil, fmt.Errorf("add a reusable comment: %w", err)
	}
	return ByID(ctx, q, *id)
}

// room refuses one more than Most, and gives the same where it is there already. Two who
// add at once do so one after the other.
func room(ctx context.Context, q db.Q, n New) (*Snippet, error) {
	whose, where, arg := "You have", "user_id = $1 AND unit_id IS NULL", n.UserID
	if n.UnitID != nil {
		whose, where, arg = "The unit has", "unit_id = $1", *n.UnitID
	}
	if err := db.LockName(ctx, q, fmt.Sprintf("snippets %s %d", whose, arg)); err != nil {
		return nil, err
	}
	type there struct {
		Texts int64  `db:"texts"`
		Same  *int64 `db:"same"`
	}
	level, args, err := n.sameLevel(ctx, q, []any{arg, n.UserID, n.DefinitionID, n.Text})
	if err != nil {
		return nil, err
	}
	have, err := db.One[there](ctx, q, `SELECT count(*) AS texts, min(CASE WHEN user_id = $2
			AND task_definition_id IS NOT DISTINCT FROM $3 AND text = $4 AND `+level+` THEN id END) AS same
		FROM snippets WHERE `+where, args...)
	switch {
	case err != nil:
		return nil, fmt.Errorf("look for the same reusable comment: %w", err)
	case have.Same != nil:
		return ByID(ctx, q, *have.Same)
	case have.Texts >= Most:
		return nil, fault.New(fault.Refused, "%s reached the limit of %d saved comments. Remove one first.",
			whose, Most)
	}
	return nil, nil //nolint:nilnil // there is room, and nothing of the kind
}

// Becoming is what one is to be.
type Becoming struct {
	Text string
	For  *For // nil: what it is for stays
}

// For is what one is for.
type For struct {
	DefinitionID *int64 // nil for every task
	LevelID      *int64 // of the rubric of that task; nil for none
}

// Change makes one what is said, for its author, and for holders of policy.EditSnippets where
// it is the unit's; the task is one where they may use it. It refuses an empty text, one too
// long, and a level that the task's rubric does not have. What it was used for stays counted.
func Change(ctx context.Context, q db.Q, id int64, b Becoming) (*Snippet, error) {
	text, err := bounds.Trim("text", b.Text, MostText)
	if err != nil {
		return nil, err
	}
	set, args := "", []any{id, text, key(text), q.Now()}
	if b.For != nil {
		if err := hasLevel(ctx, q, b.For.DefinitionID, b.For.LevelID); err != nil {
			return nil, err
		}
		set, args = ", task_definition_id = $5, level_key = $6", append(args, b.For.DefinitionID, b.For.LevelID)
	}
	n, err := db.Exec(ctx, q, `UPDATE snippets SET text = $2, text_key = $3, updated_at = $4`+set+` WHERE id = $1`,
		args...)
	if err != nil || n == 0 {
		return nil, gone(err)
	}
	return ByID(ctx, q, id)
}

// Remove removes one, for its author, and for holders of policy.EditSnippets where it is the
// unit's. What was said with it stays said.
func Remove(ctx context.Context, q db.Q, id int64) error {
	n, err := db.Exec(ctx, q, `DELETE FROM snippets WHERE id = $1`, id)
	if err != nil || n == 0 {
		return gone(err)
	}
	return nil
}

// gone is the error of a change that found no row: err, or that there is none.
func gone(err error) error {
	if err != nil {
		return err
	}
	return fault.New(fault.Missing, "There is no such saved comment.")
}

// Said is a text that one of the staff said on tasks of a unit. It was made of the reusable
// comments for those tasks that stand in it word for word, and of those that whoever said it
// names: a text may have been changed after it was put in.
type Said struct {
	UserID, UnitID int64
	DefinitionIDs  []int64 // of the tasks
	Text           string
	Named          []int64 // at most Digits of them are counted
}

// Count counts one use, on each of the tasks, of every reusable comment that the text was made
// of, in one statement. What the person may not use, or is no more, is passed over, and so is a
// task of another unit. It is part of saying something (policy.Comment), and refuses nothing.
func (s Said) Count(ctx context.Context, q db.Q) error {
	if s.Text == "" && len(s.Named) == 0 {
		return nil
	}
	named, args := db.In([]any{s.UnitID, s.UserID, s.Text, 0, ""}, s.Named[:min(len(s.Named), Digits)])
	on, args := db.In(args, s.DefinitionIDs)
	_, err := db.Exec(ctx, q, `INSERT INTO snippet_uses (snippet_id, task_definition_id, uses)
		SELECT s.id, d.id, 1 FROM (`+offered+`) s JOIN task_definitions d ON d.unit_id = $1 AND d.id IN `+on+`
		WHERE s.id IN `+named+` OR (s.task_definition_id IS NULL OR s.here = d.id)
			AND replace(CAST($3 AS TEXT), s.text, '') <> CAST($3 AS TEXT) ORDER BY s.id, d.id
		ON CONFLICT (snippet_id, task_definition_id) DO UPDATE SET uses = snippet_uses.uses + 1`, args...)
	if err != nil {
		return fmt.Errorf("count the use of reusable comments: %w", err)
	}
	return nil
}

// key is what a text, or the prefix somebody types, is compared by.
func key(text string) string {
	runes := []rune(strings.ToLower(text))
	return string(runes[:min(len(runes), mostKey)])
}
