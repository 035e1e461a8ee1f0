package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/status"
	"lectern/internal/usecase"
)

// NewsDay is what happened on a day.
type NewsDay struct {
	Name string
	Rows []NewsRow
}

// NewsRow is what happened to a task on a day, in one row: the verdict and what was said with it, what
// was handed in and the PDF of it.
type NewsRow struct {
	usecase.News          // the newest of it
	Words        string   // the most important of it
	Also         []string // the rest, once each
	Icon         Icon
	Family       string
	Quote        string // the newest words
	To           string // where it can be seen
}

// newsLooks are the icons of what happens, with the colour of their family.
var newsLooks = map[events.Kind]struct {
	icon   Icon
	family string
}{
	events.Comment:    {Icon("message-square"), "accent"},
	events.Submission: {Icon("file-check-2"), "blue"},
	events.Document:   {Icon("file-text"), "blue"},
	events.Extension:  {Icon("calendar-plus"), "violet"},
	events.Enrolment:  {Icon("graduation-cap"), "accent"},
	events.Portfolio:  {Icon("book-open"), "accent"},
	events.MarkedCopy: {Icon("pencil-line"), "accent"},
	events.Assessment: {Icon("flask-conical"), "accent"},

	events.Announcement: {Icon("send"), "accent"},
	events.Grade:        {Icon("scroll-text"), "accent"},
}

// newsRank is what a row is named after where several things happened: the first of these.
var newsRank = []events.Kind{events.Status, events.Extension, events.MarkedCopy, events.Comment, events.Submission,
	events.Assessment, events.Portfolio, events.Enrolment, events.Announcement, events.Grade,
	events.Document}

// NewsDays puts news, the newest first, into days on the clock of a zone, and into one row for each
// task of a day.
func (l *Language) NewsDays(list []usecase.News, zone *time.Location, now time.Time) (out []NewsDay) {
	today := clock.Day(now.In(zone))
	days, rows := map[clock.Date]int{}, map[string][2]int{}
	for _, n := range list {
		day := clock.Day(n.At.In(zone))
		at, known := days[day]
		if !known {
			at = len(out)
			days[day] = at
			out = append(out, NewsDay{Name: l.newsDay(day, today)})
		}
		key := fmt.Sprint(day, n.ProjectID, n.Mine)
		if n.DefinitionID != nil {
			key = fmt.Sprint(key, " ", *n.DefinitionID)
		} else {
			key += string(n.Kind) + n.Path // each announcement has its own
		}
		if place, open := rows[key]; open {
			out[place[0]].Rows[place[1]].join(l, n)
			continue
		}
		rows[key] = [2]int{at, len(out[at].Rows)}
		out[at].Rows = append(out[at].Rows, l.newsRow(n))
	}
	return out
}

func (l *Language) newsDay(day, today clock.Date) string {
	switch day {
	case today:
		return l.Word("news.today")
	case today.AddDays(-1):
		return l.Word("news.yesterday")
	}
	return l.Date("weekday", day.Time) + " " + l.Date("long", day.Time)
}

func (l *Language) newsRow(n usecase.News) NewsRow {
	r := NewsRow{News: n, Words: l.newsWords(&n), Quote: n.Said, To: n.Anchor()}
	r.look(n)
	return r
}

// newsWords say what happened in a row that names its task: of a verdict, the status.
func (l *Language) newsWords(n *usecase.News) string {
	if st := reachedBy(n); st != "" {
		return l.Status(st)
	}
	return l.News(n)
}

// reachedBy is the status that a student's task was moved to; empty where it is about something else.
func reachedBy(n *usecase.News) status.Status {
	var b struct{ Status status.Status }
	if n.Kind != events.Status || !n.Mine || json.Unmarshal(n.Body, &b) != nil {
		return ""
	}
	return b.Status
}

// look gives the row the icon of what it is named after.
func (r *NewsRow) look(n usecase.News) {
	if st := reachedBy(&n); st != "" {
		look := LookOf(st)
		r.Icon, r.Family = look.Icon, look.Family
		return
	}
	look := newsLooks[n.Kind]
	r.Icon, r.Family = look.icon, look.family
}

// join adds something older to the row. The row leads to the newest words, wherever they are in it.
func (r *NewsRow) join(l *Language, n usecase.News) {
	words := l.newsWords(&n)
	if slices.Index(newsRank, n.Kind) < slices.Index(newsRank, r.Kind) {
		r.Words, words = words, r.Words
		r.Kind = n.Kind
		r.look(n)
	}
	if words != r.Words && !slices.Contains(r.Also, words) {
		r.Also = append(r.Also, words)
	}
	if r.Quote == "" {
		r.Quote = n.Said
	}
	if r.CommentID == 0 && n.CommentID != 0 {
		r.CommentID, r.To = n.CommentID, n.Anchor()
	}
	if r.Actor == nil {
		r.Actor = n.Actor
	}
	r.New = r.New || n.New
}
