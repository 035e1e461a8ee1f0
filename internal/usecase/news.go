package usecase

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/announce"
	"lectern/internal/teaching/work"
)

// News is something that happened to a student's work, or that students did in a
// unit somebody teaches, as that person is told of it.
type News struct {
	Seq          int64           `db:"seq" json:"seq"` // the event's number
	Kind         events.Kind     `db:"kind" json:"kind"`
	At           clock.Time      `db:"at" json:"at"`
	New          bool            `db:"is_new" json:"new"` // not read yet
	Mine         bool            `db:"mine" json:"mine"`  // about the reader's own work
	UnitID       int64           `db:"unit_id" json:"unit_id"`
	UnitCode     string          `db:"code" json:"unit_code"`
	ProjectID    int64           `db:"project_id" json:"project_id"`
	DefinitionID *int64          `db:"task_definition_id" json:"task_definition_id"` // null where it is about no task
	Abbreviation *string         `db:"abbreviation" json:"abbreviation"`
	TaskName     *string         `db:"task_name" json:"task_name"`
	Student      string          `db:"student" json:"student"` // whose work it is
	Actor        *string         `db:"actor" json:"actor"`     // who did it; null where the service did
	Body         json.RawMessage `json:"body"`                 // as in GET /api/events
	Title        *string         `json:"title"`                // of an announcement; null where it is about something else
	Path         string          `json:"path"`                 // of the page that shows it
	CommentID    int64           `json:"-"`                    // what was said; 0 where it is about nothing that was
	Said         string          `json:"-"`                    // the words themselves, where they were asked for
}

// Anchor is the place on its page that shows it.
func (n *News) Anchor() string {
	if n.CommentID == 0 {
		return n.Path
	}
	return fmt.Sprintf("%s#comment-%d", n.Path, n.CommentID)
}

// newsPlace is how far somebody has read, and where they teach.
type newsPlace struct {
	who   *access.Caller
	read  int64
	units []int64
}

func newsPlaceOf(ctx context.Context, q db.Q, who *access.Caller) (*newsPlace, error) {
	type row struct {
		Read   int64  `db:"news_seq"`
		UnitID *int64 `db:"unit_id"`
	}
	rows, err := db.All[row](ctx, q, `SELECT u.news_seq, r.unit_id FROM users u LEFT JOIN unit_roles r ON r.user_id = u.id
		WHERE u.id = $1 ORDER BY r.unit_id`, who.ID)
	p := &newsPlace{who: who}
	for _, r := range rows {
		p.read = r.Read
		if r.UnitID != nil {
			p.units = append(p.units, *r.UnitID)
		}
	}
	return p, err
}

// query writes the newest news after a number, at most limit for each reason: a
// branch for the reader's own work and one for each unit they teach, each of which
// its index gives in order.
func (p *newsPlace) query(after, limit int64) (text string, args []any) {
	const own = `e.news AND e.seq > $2 AND e.kind IN %s AND coalesce(e.actor_id, 0) <> $1`
	branch := func(mine bool, where string) string {
		return fmt.Sprintf(`SELECT * FROM (SELECT e.seq, e.kind, e.at, e.project_id, e.task_id, e.actor_id, e.body,
			%t AS mine FROM events e WHERE %s ORDER BY e.seq DESC LIMIT $3) AS x`, mine, where)
	}
	args = []any{p.who.ID, after, limit}
	parts := []string{branch(true, "e.user_id = $1 AND "+fmt.Sprintf(own, db.Literals(events.ForStudents...)))}
	for _, u := range p.units {
		args = append(args, u)
		parts = append(parts, branch(false, fmt.Sprintf(`e.unit_id = $%d AND `+own, len(args),
			db.Literals(events.ForStaff...))+` AND coalesce(e.user_id, 0) <> $1 AND NOT EXISTS (SELECT 1 FROM
			unit_roles s WHERE s.unit_id = e.unit_id AND s.user_id = e.actor_id)`))
	}
	return strings.Join(parts, " UNION ALL "), args
}

// NewsOf lists what is new for somebody, the newest first, and how many there are in
// all as far as events are kept, -1 where the whole list is asked for. Students hear
// of what others did with their work, staff of what students did in the units they
// teach now.
func NewsOf(ctx context.Context, q db.Q, who *access.Caller, page db.Page) (list []News, total int64, err error) {
	p, err := newsPlaceOf(ctx, q, who)
	if err != nil {
		return nil, 0, err
	}
	total = -1
	if page.Asked() {
		text, args := p.query(0, db.NoLimit)
		n, err := db.One[int64](ctx, q, `SELECT count(*) FROM (`+text+`) n JOIN projects p ON p.id = n.project_id
			WHERE p.user_id = $1 OR NOT n.mine`, args...)
		if err != nil {
			return nil, 0, err
		}
		total = *n
	}
	list, err = p.list(ctx, q, page)
	return list, total, err
}

// NewestOf is NewsOf without counting them all, and with the words of what was said.
func NewestOf(ctx context.Context, q db.Q, who *access.Caller, page db.Page) ([]News, error) {
	p, err := newsPlaceOf(ctx, q, who)
	if err != nil {
		return nil, err
	}
	list, err := p.list(ctx, q, page)
	if err != nil {
		return nil, err
	}
	return list, p.quote(ctx, q, list)
}

// quote puts the words of comments into the news of them, for whoever may see the task.
func (p *newsPlace) quote(ctx context.Context, q db.Q, list []News) error {
	taught, err := access.Holding(ctx, q, p.who, policy.ReadTask, p.units)
	if err != nil {
		return err
	}
	var ids []int64
	for _, n := range list {
		if n.CommentID != 0 && (n.Mine && policy.ReadTask.Allows(policy.FormerOwner) || slices.Contains(taught, n.UnitID)) {
			ids = append(ids, n.CommentID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	in, args := db.In([]any{work.CommentText}, ids)
	said := map[int64]string{}
	for c, err := range db.Each[struct {
		ID   int64  `db:"id"`
		Text string `db:"comment"`
	}](ctx, q, `SELECT id, comment FROM task_comments WHERE type = $1 AND id IN `+in, args...) {
		if err != nil {
			return fmt.Errorf("read what was said: %w", err)
		}
		said[c.ID] = strings.Join(strings.Fields(c.Text), " ")
	}
	for i := range list {
		list[i].Said = said[list[i].CommentID]
	}
	return nil
}

// list reads a part of the news with the names that belong to them.
func (p *newsPlace) list(ctx context.Context, q db.Q, page db.Page) ([]News, error) {
	text, args := p.query(0, page.Limit()+page.Offset())
	n := len(args)
	args = append(args, p.read, page.Limit(), page.Offset())
	type row struct {
		News
		Text string `db:"body"`
	}
	list := []News{}
	for r, err := range db.Each[row](ctx, q, fmt.Sprintf(`SELECT n.seq, n.kind, n.at, n.body, n.mine,
			n.seq > $%d AS is_new, p.unit_id, u.code, p.id AS project_id, t.task_definition_id, d.abbreviation,
			d.name AS task_name, s.first_name || ' ' || s.last_name AS student, a.first_name || ' ' || a.last_name AS actor
		FROM (%s) n JOIN projects p ON p.id = n.project_id JOIN units u ON u.id = p.unit_id
		JOIN users s ON s.id = p.user_id LEFT JOIN users a ON a.id = n.actor_id
		LEFT JOIN tasks t ON t.id = n.task_id LEFT JOIN task_definitions d ON d.id = t.task_definition_id
		WHERE p.user_id = $1 OR NOT n.mine ORDER BY n.seq DESC LIMIT $%d OFFSET $%d`, n+1, text, n+2, n+3), args...) {
		if err != nil {
			return nil, fmt.Errorf("read news: %w", err)
		}
		r.Body = json.RawMessage(r.Text)
		r.Path, r.CommentID = r.path(), r.comment()
		list = append(list, r.News)
	}
	return list, name(ctx, q, list)
}

// name puts the titles of announcements into the news of them, which only those get who were sent one.
func name(ctx context.Context, q db.Q, list []News) error {
	var ids []int64
	for i := range list {
		if id := list[i].announcement(); id != 0 {
			ids = append(ids, id)
		}
	}
	titles, err := announce.TitlesOf(ctx, q, ids)
	if err != nil {
		return fmt.Errorf("read the titles of announcements: %w", err)
	}
	for i := range list {
		if title, known := titles[list[i].announcement()]; known {
			list[i].Title = &title
		}
	}
	return nil
}

// announcement is the number of the one it tells of; 0: it tells of something else.
func (n *News) announcement() int64 {
	var b announce.Event
	if n.Kind != events.Announcement || json.Unmarshal(n.Body, &b) != nil {
		return 0
	}
	return b.AnnouncementID
}

// comment is the number of what was said.
func (n *News) comment() int64 {
	var b work.CommentEvent
	if (n.Kind != events.Comment && n.Kind != events.Extension) || n.DefinitionID == nil ||
		json.Unmarshal(n.Body, &b) != nil {
		return 0
	}
	return b.CommentID
}

// path is where a person sees what it is about.
func (n *News) path() string {
	switch {
	case n.DefinitionID != nil:
		return links.To(links.Task, n.ProjectID, *n.DefinitionID)
	case n.announcement() != 0:
		return links.To(links.Copy, n.ProjectID, n.announcement())
	case n.Kind == events.Portfolio:
		return links.To(links.Portfolio, n.ProjectID)
	}
	return links.To(links.Project, n.ProjectID)
}

// MostUnread is how far unread news are counted: beyond, there are many.
const MostUnread = 100

// UnreadNews counts what is new for somebody and was not read, up to MostUnread.
func UnreadNews(ctx context.Context, q db.Q, who *access.Caller) (int64, error) {
	p, err := newsPlaceOf(ctx, q, who)
	if err != nil {
		return 0, err
	}
	return p.unread(ctx, q)
}

func (p *newsPlace) unread(ctx context.Context, q db.Q) (int64, error) {
	text, args := p.query(p.read, MostUnread)
	n, err := db.One[int64](ctx, q, `SELECT count(*) FROM (`+text+`) n JOIN projects p ON p.id = n.project_id
		WHERE p.user_id = $1 OR NOT n.mine`, args...)
	if err != nil {
		return 0, err
	}
	return min(*n, MostUnread), nil
}

// ReadNews notes that the caller has read their own news up to a number, or all there are
// where it is 0. What was read stays read.
func (s *Service) ReadNews(ctx context.Context, who *access.Caller, upTo int64) error {
	return s.DB.Brief(ctx, func(q db.Q) error {
		last, err := events.Last(ctx, q)
		if err != nil {
			return err
		}
		to := upTo
		if to <= 0 || to > last {
			to = last
		}
		_, err = db.Exec(ctx, q, `UPDATE users SET news_seq = $2 WHERE id = $1 AND news_seq < $2`, who.ID, to)
		return err
	})
}
