package ident

import (
	"context"
	"encoding/hex"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"lectern/internal/db"
)

// letters are those that stand for others in a list of names and do not come apart
// into a letter and an accent.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d",
	"þ", "th", "ı", "i")

// Plain is a text as names are compared: without regard to case and accents.
func Plain(text string) string {
	return letters.Replace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(strings.ToLower(text))))
}

// nameKey is what people are listed by: first and last name, made plain. It is
// written in digits and the letters a to f, which every collation puts in the same
// order.
func nameKey(first, last string) string {
	return hex.EncodeToString([]byte(Plain(first + "\x01" + last)))
}

// FillNameKeys makes the keys of people who have none yet, a batch at a time. Any
// number of instances may do so at once.
func FillNameKeys(ctx context.Context, d *db.DB) error {
	type person struct {
		ID    int64  `db:"id"`
		First string `db:"first_name"`
		Last  string `db:"last_name"`
	}
	for {
		some, err := db.All[person](ctx, d.Pool(), `SELECT id, first_name, last_name FROM users WHERE name_key = ''
			ORDER BY id LIMIT 500`)
		if err != nil || len(some) == 0 {
			return err
		}
		rows := make([][]any, len(some))
		for i, p := range some {
			rows[i] = []any{p.ID, nameKey(p.First, p.Last)}
		}
		if err := d.Tx(ctx, func(q db.Q) error { return setNameKeys(ctx, q, rows) }); err != nil {
			return err
		}
	}
}

func setNameKeys(ctx context.Context, q db.Q, rows [][]any) error {
	list, args, err := db.Rows(q, nil, []string{"id BIGINT", "name_key TEXT"}, rows)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE users SET name_key = r.name_key FROM `+list+` r
		WHERE users.id = r.id AND users.name_key = ''`, args...)
	return err
}
