package ident

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"lectern/internal/platform/db"
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

// NameKey is what people are listed by: first and last name, made plain. It is
// written in digits and the letters a to f, which every collation puts in the same
// order.
func NameKey(first, last string) string {
	return hex.EncodeToString([]byte(Plain(first + "\x01" + last)))
}

// MatchPerson gives the condition that each word of text is found in the name, the
// user name, the address or the student number of the person s, and the arguments
// for it after those there are: without regard to case and, in names, to accents. It
// is "TRUE" where there is no word; words after the fifth are not looked at.
func MatchPerson(args []any, text string) (string, []any) {
	conditions := []string{"TRUE"}
	words := strings.Fields(text)
	for _, w := range words[:min(len(words), 5)] {
		key, most := hex.EncodeToString([]byte(Plain(w))), "%"
		// One letter is looked for where a name begins: inside, half of one letter of the
		// key and half of the next could be taken for it.
		if len(key) <= 2 {
			most = "%01"
		}
		args = append(args, key+"%", most+key+"%", "%"+literally.Replace(fold(w))+"%")
		n := len(args)
		conditions = append(conditions, fmt.Sprintf(`(s.name_key LIKE $%d OR s.name_key LIKE $%d
			OR s.username_key LIKE $%d ESCAPE '!' OR s.email_key LIKE $%d ESCAPE '!'
			OR lower(coalesce(s.student_id, '')) LIKE $%d ESCAPE '!')`, n-2, n-1, n, n, n))
	}
	return strings.Join(conditions, " AND "), args
}

// literally lets LIKE take signs for what they are.
var literally = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

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
			rows[i] = []any{p.ID, NameKey(p.First, p.Last)}
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
