package insight

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/calendar"
	"lectern/internal/platform/db"
)

// Webcal is a user's calendar feed: whether it is open, what it shows, and the
// secret in its address. Who never had one has neither an id nor an address.
type Webcal struct {
	Enabled    bool      `db:"enabled" json:"enabled"`
	ID         *int64    `db:"id" json:"id"`
	UserID     int64     `db:"user_id" json:"user_id"`
	GUID       *string   `db:"guid" json:"guid"`
	StartDates bool      `db:"include_start_dates" json:"include_start_dates"`
	Reminder   *Reminder `json:"reminder"`
	Exclusions []int64   `json:"unit_exclusions"`
}

// Reminder is how long before its day an event is announced.
type Reminder struct {
	Time int    `json:"time"`
	Unit string `json:"unit" doc:"w weeks, d days, h hours, m minutes"`
}

// webcalRow is a feed as its table holds it.
type webcalRow struct {
	Webcal
	Time      *int       `db:"reminder_time"`
	Unit      *string    `db:"reminder_unit"` // in lower case
	Capital   bool       `db:"reminder_capital"`
	UpdatedAt clock.Time `db:"updated_at"`
	Disabled  bool       `db:"disabled"` // the owner's account
}

const selectWebcals = `SELECT w.enabled, w.id, w.user_id, w.guid, w.include_start_dates, w.reminder_time,
	w.reminder_unit, w.reminder_capital, w.updated_at,
	u.disabled_at IS NOT NULL AS disabled FROM webcals w JOIN users u ON u.id = w.user_id `

func webcalWhere(ctx context.Context, q db.Q, condition string, arg any) (*webcalRow, error) {
	w, err := db.OneOf[webcalRow](ctx, q, "calendar", selectWebcals+condition, arg)
	if err == nil && w.Time != nil {
		w.Reminder = &Reminder{*w.Time, *w.Unit}
		if w.Capital {
			w.Reminder.Unit = strings.ToUpper(*w.Unit)
		}
	}
	return w, err
}

// WebcalOf gives the feed of a user; one that is not enabled where there is none.
func WebcalOf(ctx context.Context, q db.Q, userID int64) (Webcal, error) {
	w, err := webcalWhere(ctx, q, `WHERE w.user_id = $1`, userID)
	if fault.Is(err, fault.Missing) {
		return Webcal{UserID: userID, Exclusions: []int64{}}, nil
	}
	if err != nil {
		return Webcal{}, err
	}
	w.Exclusions, err = db.All[int64](ctx, q, `SELECT unit_id FROM webcal_exclusions WHERE webcal_id = $1
		ORDER BY unit_id`, w.ID)
	return w.Webcal, err
}

// WebcalChange is what to set of a feed; nil leaves a value alone.
type WebcalChange struct {
	Enabled    *bool
	NewGUID    bool // the old address stops working
	StartDates *bool
	Reminder   *calendar.Reminder
	NoReminder bool
	Exclusions *[]int64 // units whose tasks are not shown; of those there are, only what the user studies or teaches counts
}

// SetWebcal opens, changes or closes the feed of a user. A feed that is closed keeps its
// settings and its address; one that never was is made, closed until it is opened. A change of
// nothing leaves everything as it is. It is for the user themselves (policy.SignedIn).
func SetWebcal(ctx context.Context, q db.Q, userID int64, c WebcalChange) (Webcal, error) {
	if err := db.Lock(ctx, q, "users", userID); err != nil {
		return Webcal{}, err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Account, Action: "webcal", UserID: userID,
		Fields: audit.Given(c)}); err != nil {
		return Webcal{}, err
	}
	if c == (WebcalChange{}) {
		return WebcalOf(ctx, q, userID)
	}
	w, err := webcalWhere(ctx, q, `WHERE w.user_id = $1`, userID)
	switch {
	case fault.Is(err, fault.Missing):
		w, c.NewGUID = &webcalRow{}, true
	case err != nil:
		return Webcal{}, err
	}
	c.apply(w)
	if err := w.save(ctx, q, userID); err != nil {
		return Webcal{}, err
	}
	if c.Exclusions != nil {
		if err := exclude(ctx, q, userID, *c.Exclusions); err != nil {
			return Webcal{}, err
		}
	}
	return WebcalOf(ctx, q, userID)
}

func (c *WebcalChange) apply(w *webcalRow) {
	opt.Set(&w.Enabled, c.Enabled)
	opt.Set(&w.StartDates, c.StartDates)
	if c.NewGUID {
		w.GUID = new(strings.ToLower(rand.Text()))
	}
	if c.NoReminder {
		w.Time, w.Unit = nil, nil
	}
	if r := c.Reminder; r != nil {
		unit := strings.ToLower(r.Unit)
		w.Time, w.Unit, w.Capital = &r.Time, &unit, unit != r.Unit
	}
}

func (w *webcalRow) save(ctx context.Context, q db.Q, userID int64) error {
	_, err := db.Exec(ctx, q, `INSERT INTO webcals (user_id, guid, guid_hash, include_start_dates, reminder_time,
		reminder_unit, reminder_capital, enabled, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (user_id) DO UPDATE SET guid = excluded.guid, guid_hash = excluded.guid_hash,
			include_start_dates = excluded.include_start_dates, reminder_time = excluded.reminder_time,
			reminder_unit = excluded.reminder_unit, reminder_capital = excluded.reminder_capital,
			enabled = excluded.enabled, updated_at = excluded.updated_at`,
		userID, *w.GUID, guidHash(*w.GUID), w.StartDates, w.Time, w.Unit, w.Capital, w.Enabled, q.Now())
	return err
}

// exclude replaces the units a feed leaves out. It refuses numbers of no unit; of the others
// those count that the user studies or teaches.
func exclude(ctx context.Context, q db.Q, userID int64, unitIDs []int64) error {
	if err := haveUnits(ctx, q, unitIDs); err != nil {
		return err
	}
	wanted := map[int64]bool{}
	for _, id := range unitIDs {
		wanted[id] = true
	}
	if _, err := db.Exec(ctx, q, `DELETE FROM webcal_exclusions WHERE webcal_id IN (SELECT id FROM webcals
		WHERE user_id = $1)`, userID); err != nil {
		return err
	}
	type pair struct {
		Webcal int64 `db:"webcal_id"`
		Unit   int64 `db:"unit_id"`
	}
	all, err := db.All[pair](ctx, q, `SELECT w.id AS webcal_id, u.id AS unit_id FROM webcals w
		JOIN units u ON u.active AND (u.id IN (SELECT p.unit_id FROM projects p WHERE p.user_id = w.user_id)
			OR u.id IN (SELECT r.unit_id FROM unit_roles r WHERE r.user_id = w.user_id))
		WHERE w.user_id = $1 ORDER BY u.id`, userID)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, p := range all {
		if wanted[p.Unit] {
			rows = append(rows, []any{p.Webcal, p.Unit})
		}
	}
	return db.Insert(ctx, q, "webcal_exclusions (webcal_id, unit_id)", "", rows)
}

// haveUnits refuses ids that no unit has, and names the first of them.
func haveUnits(ctx context.Context, q db.Q, ids []int64) error {
	rows := make([][]any, len(ids))
	for i, id := range ids {
		rows[i] = []any{id}
	}
	from, args, err := db.Rows(q, nil, []string{"id BIGINT"}, rows)
	if err != nil {
		return err
	}
	unknown, err := db.All[int64](ctx, q, `SELECT DISTINCT v.id FROM `+from+` v
		WHERE NOT EXISTS (SELECT 1 FROM units u WHERE u.id = v.id) ORDER BY v.id LIMIT 5`, args...)
	if err != nil || len(unknown) == 0 {
		return err
	}
	return fault.Field(fault.Refused, "unit_exclusions", "names units that do not exist: %s",
		strings.ReplaceAll(strings.Trim(fmt.Sprint(unknown), "[]"), " ", ", "))
}

func guidHash(guid string) string {
	sum := sha256.Sum256([]byte(guid))
	return hex.EncodeToString(sum[:])
}

// webcalAt finds a feed by the secret in its address: by its hash, which tells a
// guesser nothing through the time the look-up takes, and then by comparing the
// whole in constant time.
func webcalAt(ctx context.Context, q db.Q, guid string) (*webcalRow, error) {
	w, err := webcalWhere(ctx, q, `WHERE w.guid_hash = $1`, guidHash(guid))
	if fault.Is(err, fault.Missing) || err == nil && subtle.ConstantTimeCompare([]byte(*w.GUID), []byte(guid)) != 1 {
		return nil, ErrUnknownFeed
	}
	return w, err
}
