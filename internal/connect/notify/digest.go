package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/mail"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/handover"
)

// digestArgs ask for the emails about what was said and decided since the last.
type digestArgs struct{}

// Kind implements jobs.Args.
func (digestArgs) Kind() string { return "digest" }

const (
	digestCursor = "mail digest"
	// hourly is the least time between two digests. Jobs start a little late,
	// not always equally so: the last minute is given away.
	hourly = 59 * time.Minute
	// stale is when news is none any more. It matters when nobody ran the
	// digests for a while.
	stale = 24 * time.Hour
)

// cursor is how far the digests have come.
type cursor struct {
	Seq int64      `db:"seq"`
	At  clock.Time `db:"at"`
}

// digest writes one email to each person to whom something was said, or for
// whom something was decided, since the last time, unless they have read it.
// The emails and the new place in the events are written together, by one
// worker: another that read the same events finds the place moved.
func (m *Mailer) digest(ctx context.Context, job jobs.Job, _ digestArgs) error {
	if !m.Sends() {
		return nil
	}
	if err := events.Relay(ctx, m.db); err != nil {
		return err
	}
	from, err := m.place(ctx)
	if err != nil || m.db.Now().Sub(from.At.Time) < hourly {
		return err
	}
	to, news, err := m.news(ctx, from)
	if err != nil {
		return err
	}
	var list []email
	err = m.db.View(ctx, func(q db.Q) (err error) {
		list, err = m.digests(ctx, q, news, to)
		return err
	})
	if err != nil {
		return err
	}
	err = m.db.Tx(ctx, func(q db.Q) error {
		n, err := db.Exec(ctx, q, `UPDATE event_cursors SET seq = $2, at = $3 WHERE name = $1 AND seq = $4 AND at = $5`,
			digestCursor, to, q.Now(), from.Seq, from.At)
		if err == nil && n == 0 {
			err = errMoved
		}
		if err != nil {
			return err
		}
		if err := m.post(ctx, q, list); err != nil {
			return err
		}
		return job.Done(ctx, q)
	})
	if errors.Is(err, errMoved) {
		return nil
	}
	return err
}

var errMoved = errors.New("another worker wrote these digests")

// place reads the cursor. The very first digest begins with what happens from
// then on.
func (m *Mailer) place(ctx context.Context) (*cursor, error) {
	const read = `SELECT seq, at FROM event_cursors WHERE name = $1`
	c, err := db.One[cursor](ctx, m.db.Pool(), read, digestCursor)
	if !fault.Is(err, fault.Missing) {
		return c, err
	}
	err = m.db.Tx(ctx, func(q db.Q) error {
		last, err := events.Last(ctx, q)
		if err != nil {
			return err
		}
		if _, err := db.Exec(ctx, q, `INSERT INTO event_cursors (name, seq, at) VALUES ($1, $2, $3)
			ON CONFLICT DO NOTHING`, digestCursor, last, q.Now()); err != nil {
			return err
		}
		c, err = db.One[cursor](ctx, q, read, digestCursor)
		return err
	})
	return c, err
}

// seenEvent is what an event says of a comment.
type seenEvent struct {
	CommentID int64  `json:"comment_id"`
	ReviewID  int64  `json:"review_id"`
	Action    string `json:"action"`
}

// newsFor is a comment and a person who should hear of it.
type newsFor struct {
	comment, user int64
}

// newsBatch is what the events since the last digest tell to whom.
type newsBatch struct {
	said    map[newsFor]bool // user 0: whom the comment is addressed to
	decided map[newsFor]bool
	// reviews are those that were answered, for who asked; by the number of the review.
	reviews map[newsFor]bool
	asked   map[int64]bool // reviews that were asked for, by their numbers
}

// news reads the events since the cursor and gives the number of the last.
func (m *Mailer) news(ctx context.Context, c *cursor) (int64, newsBatch, error) {
	seq, g := c.Seq, newsBatch{map[newsFor]bool{}, map[newsFor]bool{}, map[newsFor]bool{}, map[int64]bool{}}
	old := m.db.Now().Add(-stale)
	for {
		list, err := events.Since(ctx, m.db.Pool(), events.Filter{All: true}, seq, 500)
		if err != nil || len(list) == 0 {
			return seq, g, err
		}
		for i := range list {
			if e := &list[i]; e.At.After(old) {
				g.hear(e)
			}
		}
		seq = list[len(list)-1].Seq
	}
}

// hear notes a comment for its addressee and for the students in whose
// conversation it stands, a review for who answers the student, and a decision or the answer to a
// review for the student. Nobody hears of what they did themselves.
func (g newsBatch) hear(e *events.Event) {
	if e.Kind != events.Comment && e.Kind != events.Extension && e.Kind != events.Review {
		return
	}
	var t seenEvent
	raw, _ := e.Body.(json.RawMessage)
	if json.Unmarshal(raw, &t) != nil || t.CommentID+t.ReviewID == 0 {
		return
	}
	switch t.Action {
	case "asked":
		g.asked[t.ReviewID] = true
	case "answered":
		if e.UserID != e.ActorID {
			g.reviews[newsFor{t.ReviewID, e.UserID}] = true
		}
	case "created":
		g.said[newsFor{t.CommentID, 0}] = true
		if e.UserID != e.ActorID {
			g.said[newsFor{t.CommentID, e.UserID}] = true
		}
	case "assessed":
		if e.UserID != e.ActorID {
			g.decided[newsFor{t.CommentID, e.UserID}] = true
		}
	}
}

// item is a comment with what an email says of it.
type item struct {
	ID           int64      `db:"id"`
	UnitID       int64      `db:"unit_id"`
	AuthorID     int64      `db:"user_id"`
	RecipientID  int64      `db:"recipient_id"`
	Author       string     `db:"author"`
	ByService    bool       `db:"by_service"` // and in nobody's name, whoever it is kept under
	Text         string     `db:"comment"`
	Type         string     `db:"type"`
	Unit         string     `db:"code"`
	Abbreviation string     `db:"abbreviation"`
	Name         string     `db:"name"`
	StaffRead    bool       `db:"staff_read"`
	OwnerID      int64      `db:"owner_id"`
	Prompts      *int       `db:"number_of_prompts"`
	Weeks        *int       `db:"extension_weeks"`
	Granted      *bool      `db:"extension_granted"`
	Answer       *string    `db:"extension_response"`
	At           clock.Time `db:"created_at"`
	due.Columns
	standIns []int64 // who have the queue of who it is addressed to
}

func (i *item) task() mail.Task { return mail.Task{Abbreviation: i.Abbreviation, Name: i.Name} }

// items reads comments of units that send mails.
func items(ctx context.Context, q db.Q, ids []int64) (map[int64]*item, error) {
	out := map[int64]*item{}
	for part := range slices.Chunk(ids, 500) {
		in, args := db.In(nil, part)
		list, err := db.All[item](ctx, q, `SELECT c.id, c.unit_id, c.user_id, c.recipient_id, c.by_service,
				a.first_name || ' ' || a.last_name AS author, c.comment, c.type, c.number_of_prompts,
				u.code, d.abbreviation, d.name, c.staff_read_at IS NOT NULL AS staff_read, p.user_id AS owner_id,
				c.extension_weeks,
				c.extension_granted, c.extension_response, t.extensions, d.target_date, d.due_date, u.end_date,
				u.time_zone, c.created_at
			FROM task_comments c JOIN tasks t ON t.id = c.task_id JOIN projects p ON p.id = t.project_id AND p.enrolled
			JOIN task_definitions d ON d.id = t.task_definition_id
			JOIN units u ON u.id = c.unit_id AND u.active AND u.send_notifications JOIN users a ON a.id = c.user_id
			WHERE c.type <> 'status' AND c.id IN `+in, args...)
		if err != nil {
			return nil, fmt.Errorf("read comments: %w", err)
		}
		for _, i := range list {
			out[i.ID] = &i
		}
	}
	return out, nil
}

// person is a reader of digests.
type person struct {
	ID        int64   `db:"id"`
	FirstName string  `db:"first_name"`
	Nickname  *string `db:"nickname"`
	Zone      *string `db:"time_zone"`
}

// readers gives those among users who want to hear of tasks.
func readers(ctx context.Context, q db.Q, ids []int64) (map[int64]*person, error) {
	out := map[int64]*person{}
	for part := range slices.Chunk(ids, 500) {
		in, args := db.In(nil, part)
		list, err := db.All[person](ctx, q, `SELECT id, first_name, nickname, time_zone FROM users
			WHERE disabled_at IS NULL AND `+flags[Task]+` AND id IN `+in, args...)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			out[p.ID] = &p
		}
	}
	return out, nil
}

// alreadyRead gives who has read which of the comments.
func alreadyRead(ctx context.Context, q db.Q, ids []int64) (map[newsFor]bool, error) {
	type row struct {
		Comment int64 `db:"task_comment_id"`
		User    int64 `db:"user_id"`
	}
	out := map[newsFor]bool{}
	for part := range slices.Chunk(ids, 500) {
		in, args := db.In(nil, part)
		list, err := db.All[row](ctx, q, `SELECT task_comment_id, user_id FROM comment_reads
			WHERE task_comment_id IN `+in, args...)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			out[newsFor{r.Comment, r.User}] = true
		}
	}
	return out, nil
}

// comments gives the ids of all comments, in order.
func (g newsBatch) comments() []int64 {
	ids := map[int64]bool{}
	for h := range g.said {
		ids[h.comment] = true
	}
	for h := range g.decided {
		ids[h.comment] = true
	}
	return slices.Sorted(maps.Keys(ids))
}

// digests writes the emails: of each comment once to each who should hear of
// it and has not read it, of each decision once to the student.
func (m *Mailer) digests(ctx context.Context, q db.Q, g newsBatch, to int64) ([]email, error) {
	ids := g.comments()
	known, err := items(ctx, q, ids)
	if err != nil {
		return nil, err
	}
	read, err := alreadyRead(ctx, q, ids)
	if err != nil {
		return nil, err
	}
	with, err := handover.StandInsOf(ctx, q, unitsOf(maps.Values(known), func(i *item) int64 { return i.UnitID })...)
	if err != nil {
		return nil, err
	}
	emails := map[int64]*mail.Digest{}
	of := func(user int64) *mail.Digest {
		if emails[user] == nil {
			emails[user] = &mail.Digest{}
		}
		return emails[user]
	}
	for _, h := range g.unread(known, read, with) {
		i := known[h.comment]
		d := of(h.user)
		d.Comments = append(d.Comments, mail.DigestComment{Unit: i.Unit, Task: i.task(), Author: i.author(m.words),
			At: i.At.Time, Text: i.words(m.words, h.user)})
	}
	for _, h := range inOrder(g.decided) {
		// In a group the others see the request, but the time is its owner's.
		if i := known[h.comment]; i != nil && i.Granted != nil && h.user == i.OwnerID {
			d := of(h.user)
			d.Extensions = append(d.Extensions, i.decision(q.Now().Time))
		}
	}
	if err := g.addReviews(ctx, q, of); err != nil {
		return nil, err
	}
	return m.address(ctx, q, emails, to)
}

// unitsOf are the units of some records, each once.
func unitsOf[T any](list iter.Seq[T], unit func(T) int64) []int64 {
	units := map[int64]bool{}
	for r := range list {
		units[unit(r)] = true
	}
	return slices.Sorted(maps.Keys(units))
}

// unread gives who should hear of which comment, in order. What is for a tutor whose queue is with
// others is for these.
func (g newsBatch) unread(known map[int64]*item, read map[newsFor]bool, with handover.StandIns) []newsFor {
	out := map[newsFor]bool{}
	for h := range g.said {
		i := known[h.comment]
		if i == nil {
			continue
		}
		if h.user == 0 {
			h.user = i.RecipientID
		}
		users := []int64{h.user}
		if h.user == i.RecipientID && i.RecipientID != i.OwnerID {
			if i.StaffRead { // or dealt with by who answers the student: news for none of the staff
				continue
			}
			i.standIns = with.Of(i.UnitID, h.user)
			users = i.standIns
		}
		for _, user := range users {
			if to := (newsFor{h.comment, user}); user != i.AuthorID && !read[to] {
				out[to] = true
			}
		}
	}
	return inOrder(out)
}

func inOrder(set map[newsFor]bool) []newsFor {
	return slices.SortedFunc(maps.Keys(set), func(a, b newsFor) int {
		return cmp.Or(cmp.Compare(a.comment, b.comment),
			cmp.Compare(a.user, b.user))
	})
}

// author is who says a comment.
func (i *item) author(l *mail.Language) string {
	if i.ByService {
		return l.Word("author.service")
	}
	return i.Author
}

// attached are the types of comments that have a file, which may have no text.
var attached = []string{"image", "audio", "video", "pdf"}

// words is what a comment says to one of its readers; those without text have an attachment
// or are a request. Why somebody needs an extension is for the student and for who answers them,
// not for the other members of a group.
func (i *item) words(l *mail.Language, reader int64) string {
	switch {
	case i.Type == "extension" && i.Weeks != nil:
		asked := l.Word("comment.extension", *i.Weeks)
		if reader == i.OwnerID || reader == i.RecipientID || slices.Contains(i.standIns, reader) {
			asked += " " + i.Text
		}
		return asked
	case i.Type == "discussion" && i.Prompts != nil:
		return l.Word("comment.discussion", *i.Prompts)
	case i.Text != "":
		return i.Text
	case slices.Contains(attached, i.Type):
		return l.Word("comment." + i.Type)
	}
	return l.Word("comment.file")
}

func (i *item) decision(now time.Time) mail.DigestExtension {
	d := mail.DigestExtension{Unit: i.Unit, Task: i.task(), Granted: *i.Granted, Due: dueOf(i.Dates(), now)}
	if i.Answer != nil {
		d.Answer = *i.Answer
	}
	return d
}

// mostItems bounds an email; the rest is found by its link.
const mostItems = 50

// address gives the digests to those who want them. Their names hold how far
// they reach, so that each is written once.
func (m *Mailer) address(ctx context.Context, q db.Q, emails map[int64]*mail.Digest, to int64) ([]email, error) {
	people, err := readers(ctx, q, slices.Sorted(maps.Keys(emails)))
	if err != nil {
		return nil, err
	}
	var out []email
	for _, user := range slices.Sorted(maps.Keys(people)) {
		p, d := people[user], emails[user]
		d.Frame = m.frame(reader{user, greeting(p.FirstName, p.Nickname), clock.Zone(p.Zone)}, Task, links.News)
		d.Comments = d.Comments[:min(len(d.Comments), mostItems)]
		d.Extensions = d.Extensions[:min(len(d.Extensions), mostItems)]
		d.Reviews = d.Reviews[:min(len(d.Reviews), mostItems)]
		d.Asked = d.Asked[:min(len(d.Asked), mostItems)]
		out = append(out, email{name: "digest-" + strconv.FormatInt(to, 10) + "-" + strconv.FormatInt(user, 10),
			userID: user, preference: Task, content: *d})
	}
	return out, nil
}
