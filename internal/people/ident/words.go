package ident

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"

	"lectern/internal/ground/opt"
	"lectern/internal/platform/db"
)

// mostWords bounds what of one person is kept to be found by.
const mostWords = 40

// longestWord is how many bytes of a word are looked at; of a longer one, the beginning.
const longestWord = 64

// Words gives the words of texts as people are found by them: without regard to case and
// accents, apart at everything that is no letter and no digit.
func Words(texts ...string) (out []string) {
	for _, t := range texts {
		for w := range strings.FieldsFuncSeq(Plain(t), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if len(w) > longestWord {
				w = w[:longestWord]
			}
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// WordRange gives the ends of the range of the index in which all words stand that begin
// with w: from the first up to, but without, the second.
func WordRange(w string) (from, to string) {
	key := hex.EncodeToString([]byte(w))
	return key, key + "g" // behind every digit and the letters a to f
}

// named is what of a person their words are made of.
type named struct {
	ID        int64   `db:"id"`
	First     string  `db:"first_name"`
	Last      string  `db:"last_name"`
	Nickname  *string `db:"nickname"`
	Username  string  `db:"username"`
	Email     string  `db:"email"`
	StudentID *string `db:"student_id"`
}

func (u *User) named() named {
	return named{u.ID, u.FirstName, u.LastName, &u.Nickname, u.Username, u.Email, u.StudentID}
}

const selectNamed = `SELECT id, first_name, last_name, nickname, username, email, student_id FROM users WHERE `

// words are those of the names first. Of the address it is what stands before the @; what follows is the
// same for thousands, and marked, so that only an administrator who looks through all people finds by it.
func (n *named) words() []string {
	mailbox, host, _ := strings.Cut(n.Email, "@")
	list := Words(n.First, n.Last, opt.Or(n.Nickname, ""), n.Username, opt.Or(n.StudentID, ""), mailbox)
	for _, w := range Words(host) {
		list = append(list, "@"+w)
	}
	return list[:min(len(list), mostWords)]
}

// addWords writes the words of people who have none.
func addWords(ctx context.Context, q db.Q, people ...named) error {
	var rows [][]any
	for _, p := range people {
		for _, w := range p.words() {
			key, _ := WordRange(w)
			rows = append(rows, []any{key, p.ID})
		}
	}
	return db.Insert(ctx, q, "person_words (word, user_id)", "", rows)
}

// setWords makes the words of people anew. It belongs behind the statement that changes one
// of the values they are made of, which holds the people's rows.
func setWords(ctx context.Context, q db.Q, people ...named) error {
	ids := make([]int64, len(people))
	for i, p := range people {
		ids[i] = p.ID
	}
	in, args := db.In(nil, ids)
	if _, err := db.Exec(ctx, q, `DELETE FROM person_words WHERE user_id IN `+in, args...); err != nil {
		return err
	}
	return addWords(ctx, q, people...)
}

// FillWords makes the words of people who have none yet, a batch at a time. It is for the service
// itself, as it starts; any number of instances may do so at once.
func FillWords(ctx context.Context, d *db.DB) error {
	for {
		n := 0
		err := d.Tx(ctx, func(q db.Q) error {
			held := ""
			if q.Postgres() {
				held = " FOR UPDATE"
			}
			people, err := db.All[named](ctx, q, selectNamed+`NOT words_made ORDER BY id LIMIT 500`+held)
			if n = len(people); err != nil || n == 0 {
				return err
			}
			if err := setWords(ctx, q, people...); err != nil {
				return err
			}
			_, err = db.Exec(ctx, q, `UPDATE users SET words_made = TRUE WHERE NOT words_made AND id BETWEEN $1 AND $2`,
				people[0].ID, people[n-1].ID)
			return err
		})
		if err != nil || n == 0 {
			return err
		}
	}
}
