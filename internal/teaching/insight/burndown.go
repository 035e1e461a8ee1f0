package insight

import (
	"context"
	"fmt"
	"math"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/status"
)

// Remaining is how much of a project's work is left when a day is over, in
// percent of all that its target grade asks for, weighed as the tasks are.
type Remaining struct {
	Day       clock.Date `json:"date"`
	Remaining float64    `json:"remaining"`
}

// Burndown is how the work of a project shrinks: as the unit plans it, as it was
// handed in, as it was marked complete, and as it goes on at the pace at which
// it was handed in so far. One point per week; what was done ends today.
type Burndown struct {
	ProjectID int64 `json:"project_id"`
	Lines
}

// Lines are those of a burndown, with the days they lie between.
type Lines struct {
	StartDate clock.Date  `json:"start_date"`
	EndDate   clock.Date  `json:"end_date"`
	Today     clock.Date  `json:"today"`
	Tasks     int         `json:"tasks"`
	Target    []Remaining `json:"target"`
	Submitted []Remaining `json:"submitted"`
	Done      []Remaining `json:"done"`
	Projected []Remaining `json:"projected"`

	unit, student string
}

// portion is one task of a unit as a project stands to it, with the days that matter.
type portion struct {
	DefinitionID int64          `db:"id"`
	Abbreviation string         `db:"abbreviation"`
	Name         string         `db:"name"`
	Grade        grade.Grade    `db:"target_grade"`
	Weight       float64        `db:"weighting"`
	Start        clock.Date     `db:"start_date"`
	Target       clock.Date     `db:"target_date"`
	Deadline     *clock.Date    `db:"due_date"`
	Extensions   int            `db:"extensions"`
	Status       *status.Status `db:"status"`
	SubmittedAt  *clock.Time    `db:"submission_date"`
	CompletedOn  *clock.Date    `db:"completion_date"`
	UpdatedAt    *clock.Time    `db:"updated_at"`
	Times        int            `db:"times"` // as often as students have it

	handedIn, finished *clock.Date // of students together, who have neither status nor dates
}

// labour is all the work that a project's unit has, whatever its student aims for.
type labour struct {
	ProjectID int64       `db:"id"`
	UnitID    int64       `db:"unit_id"`
	Target    grade.Grade `db:"target_grade"`
	Code      string      `db:"code"`
	Name      string      `db:"name"`
	Student   string      `db:"student"`
	Start     clock.Date  `db:"start_date"`
	End       clock.Date  `db:"end_date"`
	TimeZone  *string     `db:"time_zone"`
	today     clock.Date
	tasks     []portion
}

// labourOf reads the work of a project in two statements.
func labourOf(ctx context.Context, q db.Q, projectID int64) (*labour, error) {
	l, err := db.OneOf[labour](ctx, q, "project", `SELECT p.id, p.unit_id, p.target_grade, u.code, u.name,
		s.first_name || ' ' || s.last_name AS student, u.start_date, u.end_date, u.time_zone
		FROM projects p JOIN units u ON u.id = p.unit_id JOIN users s ON s.id = p.user_id WHERE p.id = $1`, projectID)
	if err != nil {
		return nil, err
	}
	l.today = clock.Day(q.Now().Time)
	l.tasks, err = db.All[portion](ctx, q, `SELECT d.id, d.abbreviation, d.name, d.target_grade, d.weighting,
		d.start_date, d.target_date, d.due_date, coalesce(t.extensions, 0) AS extensions, t.status, t.submission_date,
		t.completion_date, t.updated_at, 1 AS times
		FROM task_definitions d LEFT JOIN tasks t ON t.project_id = $1 AND t.task_definition_id = d.id
		WHERE d.unit_id = $2 ORDER BY d.target_date, d.abbreviation`, projectID, l.UnitID)
	return l, err
}

// asked are the tasks that somebody has to do who aims for a grade.
func (l *labour) asked(target grade.Grade) (out []portion) {
	for _, t := range l.tasks {
		if t.Grade <= target {
			out = append(out, t)
		}
	}
	return out
}

// burndown is that of a student who aims for a grade.
func (l *labour) burndown(target grade.Grade) *Burndown {
	tasks := l.asked(target)
	b := &Burndown{l.ProjectID, Lines{StartDate: l.Start, EndDate: l.End, Today: l.today, Tasks: len(tasks),
		unit: l.Code + " " + l.Name, student: l.Student}}
	b.fill(tasks)
	return b
}

// BurndownOf gives the burndown of a project in two statements, as it is for the
// grade its student aims for, or would be for another one.
func BurndownOf(ctx context.Context, q db.Q, projectID int64, target *grade.Grade) (*Burndown, error) {
	l, err := labourOf(ctx, q, projectID)
	if err != nil {
		return nil, err
	}
	return l.burndown(opt.Or(target, l.Target)), nil
}

// fill works the lines out. Where no task weighs anything each weighs the same.
func (b *Lines) fill(tasks []portion) {
	total := 0.0
	for _, t := range tasks {
		total += t.Weight
	}
	for i := range tasks {
		if total == 0 {
			tasks[i].Weight = 1
		}
		tasks[i].Weight *= float64(tasks[i].Times)
	}
	last := b.EndDate
	for _, t := range tasks {
		if t.Target.After(last) {
			last = t.Target
		}
	}
	b.Target = line(tasks, weekly(b.StartDate, last), func(t *portion) *clock.Date { return &t.Target })
	worked := b.worked()
	b.Submitted = line(tasks, worked, (*portion).submittedOn)
	b.Done = line(tasks, worked, (*portion).doneOn)
	b.Projected = b.project()
}

// worked are the days up to today on which work can have been done.
func (b *Lines) worked() []clock.Date {
	last := b.Today
	if last.After(b.EndDate) {
		last = b.EndDate
	}
	if last.Before(b.StartDate) {
		return nil
	}
	return weekly(b.StartDate, last)
}

// project goes on from the last point of what was handed in, at the pace since
// the start, until nothing is left or the unit ends. There is none before a day
// has passed nor after the unit.
func (b *Lines) project() []Remaining {
	days := b.Today.DaysSince(b.StartDate)
	if days < 1 || !b.Today.Before(b.EndDate) || b.Tasks == 0 {
		return []Remaining{}
	}
	now := b.Submitted[len(b.Submitted)-1]
	pace := (100 - now.Remaining) / float64(days)
	left := b.EndDate.DaysSince(b.Today)
	end := Remaining{b.EndDate, round(max(0, now.Remaining-pace*float64(left)))}
	if done := now.Remaining / pace; pace > 0 && done < float64(left) {
		end = Remaining{b.Today.AddDays(int(math.Ceil(done))), 0}
	}
	if !end.Day.After(now.Day) {
		return []Remaining{now}
	}
	return []Remaining{now, end}
}

// submittedOn is the day a task was handed in, unless it came back since.
func (t *portion) submittedOn() *clock.Date {
	if t.Status == nil || !status.ReadyOrComplete.Has(*t.Status) {
		return t.handedIn
	}
	if t.SubmittedAt == nil {
		return t.doneOn()
	}
	return new(clock.Day(t.SubmittedAt.Time))
}

// doneOn is the day a complete task was first found good enough.
func (t *portion) doneOn() *clock.Date {
	switch {
	case t.Status == nil || *t.Status != status.Complete:
		return t.finished
	case t.CompletedOn != nil:
		return t.CompletedOn
	}
	return new(clock.Day(t.UpdatedAt.Time))
}

// weekly gives the first day, each a week later, and the last.
func weekly(first, last clock.Date) []clock.Date {
	var out []clock.Date
	for d := first; d.Before(last); d = d.AddDays(7) {
		out = append(out, d)
	}
	return append(out, last)
}

// line tells for each day what of the work had no day behind it yet.
func line(tasks []portion, days []clock.Date, when func(*portion) *clock.Date) []Remaining {
	out := make([]Remaining, 0, len(days))
	if len(tasks) == 0 {
		return out
	}
	for _, day := range days {
		left, total := 0.0, 0.0
		for i := range tasks {
			total += tasks[i].Weight
			if on := when(&tasks[i]); on == nil || on.After(day) {
				left += tasks[i].Weight
			}
		}
		out = append(out, Remaining{day, round(100 * left / total)})
	}
	return out
}

func round(f float64) float64 { return math.Round(100*f) / 100 }

// SVG draws the burndown as a file.
func (b *Lines) SVG(words chart.BurndownWords) []byte { return b.picture(words).SVG() }

// Figure draws the burndown for a page, in the words of its reader: beside those of the
// picture the head for the days of its table, and how they are written there.
func (b *Lines) Figure(words chart.BurndownWords, day string, written func(clock.Date) string) chart.Figure {
	return chart.Figure{SVG: b.picture(words).InPage(), Table: b.table(words, day, written)}
}

func (b *Lines) picture(words chart.BurndownWords) chart.Burndown {
	return chart.Burndown{Words: words, Unit: b.unit, Student: b.student, Start: b.StartDate.Time, End: b.EndDate.Time,
		Today:  b.Today.Time,
		Target: drawn(b.Target), Done: drawn(b.Done), Submitted: drawn(b.Submitted),
		Projected: drawn(b.Projected)}
}

func drawn(line []Remaining) []chart.Point {
	out := make([]chart.Point, len(line))
	for i, r := range line {
		out[i] = chart.Point{Day: r.Day.Time, Remaining: r.Remaining}
	}
	return out
}

// mostRows is about how many rows a table of the burndown has at most.
const mostRows = 60

// Days are those that a table of the burndown tells of: week by week, and those on which a line ends. A unit of many
// years is told in longer steps.
func (b *Lines) Days() (days []clock.Date) {
	for i := 0; i < len(b.Target); i += 1 + len(b.Target)/mostRows {
		days = append(days, b.Target[i].Day)
	}
	for _, line := range [][]Remaining{b.Target, b.Submitted, b.Projected} {
		if n := len(line); n > 0 && !slices.Contains(days, line[n-1].Day) {
			days = append(days, line[n-1].Day)
		}
	}
	slices.SortFunc(days, func(x, y clock.Date) int { return x.Compare(y.Time) })
	return days
}

// Left writes what a line has left when a day is over; nothing where it has no point that day.
func (b *Lines) Left(l Line, day clock.Date) string {
	lines := map[Line][]Remaining{Planned: b.Target, HandedIn: b.Submitted, Done: b.Done, Projected: b.Projected}
	return percent(lines[l], day)
}

// table gives the burndown as plain text, for who cannot see it; see Days.
func (b *Lines) table(words chart.BurndownWords, day string, written func(clock.Date) string) chart.Table {
	t := chart.Table{Title: words.Title, Rows: [][]string{},
		Head: []string{day, words.Target, words.Submitted, words.Done, words.Projected}}
	for _, day := range b.Days() {
		t.Rows = append(t.Rows, []string{written(day), b.Left(Planned, day), b.Left(HandedIn, day), b.Left(Done, day),
			b.Left(Projected, day)})
	}
	return t
}

// percent is a point of a line in words; nothing where the line has none that day.
func percent(line []Remaining, day clock.Date) string {
	i := slices.IndexFunc(line, func(r Remaining) bool { return r.Day == day })
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", line[i].Remaining)
}
