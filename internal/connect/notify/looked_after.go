package notify

import (
	"context"
	"encoding/json"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
)

// Posted tells of the emails about one matter that were written on a day: how many, to how many people,
// and how many of them went out. It tells nobody's address, and nothing of what they say.
type Posted struct {
	Day     clock.Date `json:"day" doc:"the day, in UTC"`
	About   string     `db:"preference" json:"about" doc:"which choice of their readers lets them through: task, portfolio, feedback or announcement; empty for those that need none"`
	Written int64      `db:"written" json:"written" doc:"how many were written"`
	Sent    int64      `db:"sent" json:"sent" doc:"how many the mail server took; the others wait, failed or are not wanted any more"`
	People  int64      `db:"people" json:"people" doc:"how many people they are for"`
}

// postedDays is of how many days emails are summed up.
const postedDays = 7

// PostedOf sums up the emails of the last days, the newest day first. It is for holders of policy.SeeMail.
func PostedOf(ctx context.Context, q db.Q) ([]Posted, error) {
	type row struct {
		Posted
		Number int64 `db:"number"`
	}
	today := clock.Day(q.Now().Time)
	rows := make([][]any, postedDays)
	for i := range rows {
		day := today.AddDays(-i)
		rows[i] = []any{int64(i), clock.At(day.Time), clock.At(day.AddDays(1).Time)}
	}
	from, args, err := db.Rows(q, nil, []string{"number BIGINT", "first TIMESTAMPTZ", "after TIMESTAMPTZ"}, rows)
	if err != nil {
		return nil, err
	}
	list := []Posted{}
	for r, err := range db.Each[row](ctx, q, `SELECT d.number, m.preference, count(*) AS written, count(m.sent_at) AS sent,
			count(DISTINCT m.user_id) AS people
		FROM `+from+` d JOIN mails m ON m.created_at >= d.first AND m.created_at < d.after
		GROUP BY d.number, m.preference ORDER BY d.number, m.preference`, args...) {
		if err != nil {
			return nil, fmt.Errorf("sum up emails by day: %w", err)
		}
		r.Day = today.AddDays(-int(r.Number))
		list = append(list, r.Posted)
	}
	return list, nil
}

// FailedEmail is one that was given up.
type FailedEmail struct {
	JobID  int64      `json:"job_id" doc:"the job that sends it, to be retried"`
	Kind   string     `json:"kind" doc:"the kind of the job"`
	UserID int64      `json:"user_id" doc:"whom it is for; 0 where that is not known any more"`
	Error  string     `json:"error" doc:"what the mail server said, without addresses"`
	At     clock.Time `json:"at" doc:"when it was given up"`
}

// FailedEmails gives the part of the emails that were given up that p asks for, the newest first of each
// kind of job. It is for holders of policy.SeeMail.
func FailedEmails(ctx context.Context, q db.Q, p db.Page) ([]FailedEmail, error) {
	list := []FailedEmail{}
	mails := map[int64]int{}        // where the emails of numbers stand in the list
	for _, kind := range jobKinds { // three, each by the index
		found, err := jobs.Find(ctx, q, jobs.Filter{State: jobs.Dead, Kind: kind}, p)
		if err != nil {
			return nil, err
		}
		for _, j := range found {
			var args struct {
				MailID int64 `json:"mail_id"`
				UserID int64 `json:"user_id"`
			}
			_ = json.Unmarshal(j.Args, &args) // of one that cannot be read nobody knows whose it is
			one := FailedEmail{JobID: j.ID, Kind: j.Kind, UserID: args.UserID, At: j.RunAt}
			if j.Error != nil {
				one.Error = *j.Error
			}
			if j.FinishedAt != nil {
				one.At = *j.FinishedAt
			}
			if args.MailID != 0 {
				mails[args.MailID] = len(list)
			}
			list = append(list, one)
		}
	}
	return list, addReaders(ctx, q, list, mails)
}

// addReaders tells whom the emails of numbers are for.
func addReaders(ctx context.Context, q db.Q, list []FailedEmail, mails map[int64]int) error {
	if len(mails) == 0 {
		return nil
	}
	ids := make([]int64, 0, len(mails))
	for id := range mails {
		ids = append(ids, id)
	}
	in, args := db.In(nil, ids)
	type row struct {
		ID     int64 `db:"id"`
		UserID int64 `db:"user_id"`
	}
	for r, err := range db.Each[row](ctx, q, `SELECT id, user_id FROM mails WHERE id IN `+in, args...) {
		if err != nil {
			return fmt.Errorf("read whom emails are for: %w", err)
		}
		list[mails[r.ID]].UserID = r.UserID
	}
	return nil
}

// Resent tells what SendNow did.
type Resent struct {
	Hastened int64 `json:"hastened" doc:"how many emails that waited for another try have it now"`
	Retried  int64 `json:"retried" doc:"how many emails that were given up are tried again"`
}

// Hasten has the emails tried at once that wait for another try, and tells how many: what kept them was
// mended. It is for holders of policy.ManageMail, and of policy.ChangeSettings as they change how emails
// are sent.
func Hasten(ctx context.Context, q db.Q) (n int64, err error) {
	for _, kind := range append([]string{inviteArgs{}.Kind()}, jobKinds...) { // four
		some, err := jobs.HastenKind(ctx, q, kind)
		if err != nil {
			return 0, err
		}
		n += some
	}
	if _, err := db.Exec(ctx, q, `UPDATE invitations SET next_at = $1 WHERE state = $2 AND next_at > $1`, q.Now(),
		Waiting); err != nil {
		return 0, fmt.Errorf("hasten invitations: %w", err)
	}
	return n, nil
}

// SendNow has the emails tried at once that wait for another try, and those again that were given up: what
// kept them was mended. It takes a bounded number of the latter: call it again, in a new transaction, until
// Retried is 0. It is for holders of policy.ManageMail.
func SendNow(ctx context.Context, q db.Q) (*Resent, error) {
	hastened, err := Hasten(ctx, q)
	if err != nil {
		return nil, err
	}
	out := &Resent{Hastened: hastened}
	for _, kind := range jobKinds {
		n, err := jobs.RetrySome(ctx, q, kind, 0)
		if err != nil {
			return nil, err
		}
		out.Retried += n
	}
	return out, nil
}
