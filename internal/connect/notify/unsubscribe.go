package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// keyName is where the installation keeps the key of the links.
const keyName = "unsubscribe key"

// token lets its holder turn one kind of emails to one person off, and do
// nothing else.
func token(key []byte, user int64, p Preference) string {
	text := strconv.FormatInt(user, 10) + "." + string(p)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("unsubscribe " + text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

var errToken = fault.New(fault.Missing, "This link to unsubscribe does not work. Sign in to change what you "+
	"get by email.")

// flags are the columns the preferences stand in.
var flags = map[Preference]string{Task: "receive_task_notifications", Portfolio: "receive_portfolio_notifications",
	Feedback: "receive_feedback_notifications", Announcement: "receive_announcement_notifications"}

// readToken gives whom and what a token is about, or fault.Missing.
func readToken(ctx context.Context, q db.Q, text string) (user int64, p Preference, err error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return 0, "", errToken
	}
	user, err = strconv.ParseInt(parts[0], 10, 64)
	p = Preference(parts[1])
	if err != nil || flags[p] == "" {
		return 0, "", errToken
	}
	key, err := db.One[string](ctx, q, `SELECT value FROM installation WHERE name = $1`, keyName)
	if fault.Is(err, fault.Missing) {
		return 0, "", errToken
	}
	if err != nil {
		return 0, "", err
	}
	if !hmac.Equal([]byte(token([]byte(*key), user, p)), []byte(text)) {
		return 0, "", errToken
	}
	return user, p, nil
}

// CheckToken tells what a token would turn off.
func CheckToken(ctx context.Context, q db.Q, text string) (Preference, error) {
	_, p, err := readToken(ctx, q, text)
	return p, err
}

// Unsubscribe turns a kind of emails off, without a sign-in (RFC 8058). Doing so twice is no
// mistake. It is for whoever has the link of an email; a text that is no link of ours is
// refused.
func Unsubscribe(ctx context.Context, q db.Q, text string) (Preference, error) {
	user, p, err := readToken(ctx, q, text)
	if err != nil {
		return "", err
	}
	_, err = db.Exec(ctx, q, `UPDATE users SET `+flags[p]+` = FALSE, updated_at = $2 WHERE id = $1`, user, q.Now())
	if err != nil {
		return "", err
	}
	return p, audit.Add(ctx, q, audit.Entry{Kind: audit.Account, Action: audit.Changed, UserID: user,
		Fields: []string{flags[p]}})
}
