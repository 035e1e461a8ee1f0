package notify

import (
	"context"
	"html"
	"strings"

	"lectern/internal/platform/db"
)

// Name is how emails name a person.
type Name struct {
	Full    string // first and last name
	Address string
}

// Rename puts a person's new name into the place of the old one in emails to others: those that
// wait to be sent, and what is remembered of those that went. It tells how many changed. It is
// part of erasing a person, and refuses nothing.
func Rename(ctx context.Context, q db.Q, was, is Name) (int64, error) {
	const subject, text, markup = `replace(subject, $1, $2)`, `replace(replace(body_text, $1, $2), $3, $4)`,
		`replace(replace(body_html, $5, $6), $7, $8)`
	return db.Exec(ctx, q, `UPDATE mails SET subject = `+subject+`, body_text = `+text+`, body_html = `+markup+`,
			reply_to = CASE WHEN reply_to = $3 THEN '' ELSE reply_to END
		WHERE subject <> `+subject+` OR body_text <> `+text+` OR body_html <> `+markup+` OR reply_to = $3`,
		was.Full, is.Full, was.Address, is.Address,
		marked(was.Full), marked(is.Full), marked(was.Address), marked(is.Address))
}

// marked is a name as templates of HTML write it.
func marked(name string) string { return strings.ReplaceAll(html.EscapeString(name), "+", "&#43;") }
