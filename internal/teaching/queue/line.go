package queue

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// spot is where a task stands in the order of a queue.
type spot struct {
	LeftOut      bool       `db:"left_out"` // it is in the line, but not for the caller
	Place        int64      `db:"place"`
	Name         string     `db:"name"`
	Since        clock.Time `db:"since"`
	DefinitionID int64      `db:"task_definition_id"`
	ID           int64      `db:"id"`
	Shown        int64      `db:"shown"` // the task to show: of a group, that of who handed in
	Kind         Kind       `db:"kind"`
}

func (s spot) compare(o spot) int {
	return cmp.Or(cmp.Compare(s.Place, o.Place), cmp.Compare(s.Name, o.Name), s.Since.Compare(o.Since.Time),
		cmp.Compare(s.DefinitionID, o.DefinitionID), cmp.Compare(s.ID, o.ID))
}

// before counts the spots of a list in order that come before s.
func before(list []spot, s spot) int64 {
	i, _ := slices.BinarySearchFunc(list, s, spot.compare)
	return int64(i)
}

// newest is when the newest comment on task r was made.
const newest = `(SELECT max(c.created_at) FROM task_comments c WHERE c.task_id = r.id)`

// bySubmission is the order of the lists of the inbox: after the pins the
// oldest submission first, then what was never handed in by its newest comment.
const bySubmission Sort = "submission"

// order is what a sort puts the tasks in order by: a number, a name and a time. Where
// they are equal, the definition and the task decide. r is the task shown for task t.
type order struct {
	place string // of those apart and not pinned
	pin   string // of those pinned
	line  int64  // of the line
	name  string
	since string // of those apart; of the line it is the submission
	index string // how the line's index goes on after the unit
}

var orders = map[Sort]order{
	ByWaiting: {place: `CASE WHEN t.status IN ` + awaitingStatuses + ` THEN 1 ELSE 2 END`, pin: `0`, line: 1,
		name: `''`, since: waitsSince, index: `t.submission_date, t.task_definition_id, t.id`},
	ByTask: {place: `0`, pin: `0`, line: 0, // see lined.placed
		name: `''`, since: waitsSince, index: `t.task_definition_id, t.submission_date, t.id`},
	ByStudent: {place: `0`, pin: `0`, line: 0, name: `t.student_key`, since: waitsSince,
		index: `t.student_key, t.submission_date, t.task_definition_id, t.id`},
	bySubmission: {place: `3 + ` + handedIn, pin: handedIn, line: 3, name: `''`,
		since: `coalesce(r.submission_date, ` + newest + `, r.created_at)`,
		index: `t.submission_date, t.task_definition_id, t.id`},
}

const handedIn = `CASE WHEN r.submission_date IS NOT NULL THEN 0 WHEN ` + newest + ` IS NOT NULL THEN 1 ELSE 2 END`

func (s Sort) known() Sort {
	if _, ok := orders[s]; !ok {
		return ByWaiting
	}
	return s
}

// spotOf are the columns of the spot of task t.
func (o order) spotOf(leftOut, place, since, shown, kind string) string {
	return leftOut + ` AS left_out, ` + place + ` AS place, CAST(` + o.name + ` AS TEXT) AS name, ` + since +
		` AS since, t.task_definition_id, t.id, ` + shown + ` AS shown, ` + kind + ` AS kind`
}

// ofLine are those of a task of the line.
func (o order) ofLine(leftOut string) string {
	return o.spotOf(leftOut, fmt.Sprint(o.line), `t.submission_date`, `t.id`, kindOfCalled)
}

// lined is a queue ready to be read. Nearly all that waits is in the line: it awaits
// feedback, and one student alone handed it in. Of the line only counts and parts are
// read, off an index in the order asked for, whose entries say all that is needed. What
// else waits stands apart, is read as a whole and merged into the line: works of groups,
// tasks never handed in, those that only have new comments, and the pins. So a page costs
// what it shows, however long the line is. With a filter by classes or words all that it
// lets through is apart.
type lined struct {
	Queue
	*selection
	q           db.Q
	by          Sort
	order       order
	apart       []spot      // in order
	leftOut     []spot      // of the line, in order
	definitions []TaskCount // in the order of the unit, with those in the line; where they are asked for
	length      int64       // of the line
	ready       int64       // of the line, to mark
	alone       *selection  // of the line, without the caller: $1 the unit, and what filters add
}

// lined reads what stands apart and counts the line: by definition, where that is asked
// for or the order needs it.
func (w Queue) lined(ctx context.Context, q db.Q, byDefinition bool) (*lined, error) {
	if err := w.promised(ctx, q); err != nil {
		return nil, err
	}
	s, err := w.selection(ctx, q)
	if err != nil {
		return nil, err
	}
	by := w.Sort.known()
	l := &lined{Queue: w, selection: s, q: q, by: by, order: orders[by], alone: &selection{args: []any{w.UnitID}}}
	l.alone.line = w.narrow(l.alone, `t.submission_date`) + w.Kind.line()
	spots, err := db.All[spot](ctx, q, l.with+l.besides(), l.args...)
	if err != nil {
		return nil, err
	}
	if byDefinition || by == ByTask {
		err = l.countDefinitions(ctx)
	} else if l.found == "" {
		err = l.countLine(ctx)
	}
	if err != nil {
		return nil, err
	}
	l.placed(spots)
	slices.SortFunc(spots, spot.compare)
	for _, s := range spots {
		if s.LeftOut {
			l.leftOut = append(l.leftOut, s)
		} else {
			l.apart = append(l.apart, s)
		}
	}
	return l, nil
}

// besides selects what stands apart, and what is left out of the line.
func (l *lined) besides() string {
	o, calls, rest := l.order, called, notPinned
	if l.by == bySubmission {
		calls = calledInbox
	}
	if l.Feedback {
		calls, rest = atStatus+`IN `+awaitingStatuses, ``
	}
	all := l.all + l.Kind.apart()
	text := first(o.spotOf(`FALSE`, o.place, o.since, `r.id`, `t.kind`), kindOfSome, `tasks t`,
		`t.unit_id = $1 AND `+isApart+` AND `+calls, all+rest)
	if !l.Feedback {
		text += ` UNION ALL ` + first(o.spotOf(`FALSE`, o.pin, o.since, `r.id`, `t.kind`), kindOfWork, fromPins, ofPins, all)
	}
	if l.found != "" {
		return text + ` UNION ALL SELECT ` + o.ofLine(`FALSE`) + ` FROM ` + l.found + ` f CROSS JOIN tasks t WHERE t.id = f.id AND ` +
			inLine + ofOthers + l.line + rest
	}
	text += ` UNION ALL SELECT ` + o.ofLine(`TRUE`) + ` FROM ` + notToList + ` v CROSS JOIN tasks t WHERE t.project_id = v.id AND ` +
		inLine + l.line
	if !l.Feedback {
		text += ` UNION ALL SELECT ` + o.ofLine(`TRUE`) + ` FROM ` + fromPins + ` WHERE ` + ofPins + ` AND ` + inLine +
			ofOthers + l.line
	}
	return text
}

// fromLine selects from the line; more are further conditions.
func (l *lined) fromLine(columns, more string) string {
	return `SELECT ` + columns + ` FROM tasks t WHERE t.unit_id = $1 AND ` + inLine + l.alone.line + more
}

func (l *lined) countLine(ctx context.Context) error {
	n, err := db.One[struct {
		Length int64 `db:"length"`
		Ready  int64 `db:"ready"`
	}](ctx, l.q, l.fromLine(`count(*) AS length, `+countReady+` AS ready`, ``), l.alone.args...)
	if err == nil {
		l.length, l.ready = n.Length, n.Ready
	}
	return err
}

func (l *lined) countDefinitions(ctx context.Context) (err error) {
	count, ready, join, args := `CAST(0 AS BIGINT)`, `CAST(0 AS BIGINT)`, ``, l.args[:1]
	if l.found == "" {
		args = l.alone.args
		count, ready = `coalesce(w.n, 0)`, `coalesce(w.ready, 0)`
		join = ` LEFT JOIN (` + l.fromLine(`t.task_definition_id, count(*) AS n, `+countReady+` AS ready`,
			` GROUP BY t.task_definition_id`) + `) w ON w.task_definition_id = d.id`
	}
	l.definitions, err = db.All[TaskCount](ctx, l.q, `SELECT d.id AS task_definition_id, d.abbreviation, d.name, `+
		count+` AS count, `+ready+` AS to_mark, `+count+` - `+ready+` AS to_answer
		FROM task_definitions d`+join+` WHERE d.unit_id = $1
		ORDER BY d.start_date, d.abbreviation, d.id`, args...)
	for _, d := range l.definitions {
		l.length += d.Count
		l.ready += d.ToMark
	}
	return err
}

// placed sets the places of spots in the order of tasks.
func (l *lined) placed(spots []spot) {
	if l.by != ByTask {
		return
	}
	places := make(map[int64]int64, len(l.definitions))
	for i, d := range l.definitions {
		places[d.DefinitionID] = int64(i)
	}
	for i := range spots {
		spots[i].Place = places[spots[i].DefinitionID]
	}
}

// tally counts what is to mark and to answer.
func (l *lined) tally() Tally {
	t := Tally{ToMark: l.ready, ToAnswer: l.length - l.ready}
	for _, s := range l.apart {
		t.add(s.Kind, 1)
	}
	for _, s := range l.leftOut {
		t.add(s.Kind, -1)
	}
	return t
}

func (l *lined) total() int64 { return l.length - int64(len(l.leftOut)) + int64(len(l.apart)) }

// part gives the spots from an offset on, n at most.
func (l *lined) part(ctx context.Context, offset, n int64) ([]spot, error) {
	n = min(n, l.total()-offset)
	if n <= 0 {
		return nil, nil
	}
	// All that stands apart may come before the part, and all that is left out within it.
	from := max(0, offset-int64(len(l.apart)))
	list, err := l.walk(ctx, from, offset-from+n+int64(len(l.leftOut)))
	if err != nil {
		return nil, err
	}
	l.placed(list)
	slices.SortFunc(list, spot.compare)
	skip := offset - from
	if from > 0 && len(list) > 0 {
		skip += before(l.leftOut, list[0])
	}
	list = slices.DeleteFunc(list, func(s spot) bool {
		_, out := slices.BinarySearchFunc(l.leftOut, s, spot.compare)
		return out
	})
	list = append(list, l.apart...)
	slices.SortFunc(list, spot.compare)
	end := int64(len(list))
	return list[min(skip, end):min(skip+n, end)], nil
}

// walk gives the spots of the line from a place on, n at most.
func (l *lined) walk(ctx context.Context, from, n int64) ([]spot, error) {
	if n = min(n, l.length-from); n <= 0 {
		return nil, nil
	}
	if l.by == ByTask && l.DefinitionID == 0 {
		return l.walkTasks(ctx, from, n)
	}
	text, args := l.stretch(l.alone.args, ``, from, n)
	return db.All[spot](ctx, l.q, text, args...)
}

// stretch selects n spots of the line from a place on. The end of the walk stands in the
// text, as one of few numbers: PostgreSQL plans a walk to an end it does not know as one
// to the last.
func (l *lined) stretch(args []any, more string, from, n int64) (string, []any) {
	args = append(slices.Clip(args), n, from)
	return fmt.Sprintf(`SELECT * FROM (%s ORDER BY %s LIMIT %d) w LIMIT $%d OFFSET $%d`,
		l.fromLine(l.order.ofLine(`FALSE`), more), l.order.index,
		int64(1)<<bits.Len64(uint64(from+n)), len(args)-1, len(args)), args
}

// walkTasks walks the line in the order of tasks. The counts tell which definitions to
// look at: the first from a place on, others whole, the last to a place.
func (l *lined) walkTasks(ctx context.Context, from, n int64) ([]spot, error) {
	var whole []int64
	var parts []string
	args := l.alone.args
	for _, d := range l.definitions {
		part := min(d.Count-from, n)
		switch {
		case part <= 0:
		case part == d.Count:
			whole = append(whole, d.DefinitionID)
		default:
			args = append(slices.Clip(args), d.DefinitionID)
			var text string
			text, args = l.stretch(args, fmt.Sprintf(` AND t.task_definition_id = $%d`, len(args)), from, part)
			parts = append(parts, `SELECT * FROM (`+text+`) w`)
		}
		n -= max(part, 0)
		if from = max(0, from-d.Count); n == 0 {
			break
		}
	}
	if len(whole) > 0 {
		var in string
		in, args = db.In(args, whole)
		parts = append(parts, l.fromLine(l.order.ofLine(`FALSE`), ` AND t.task_definition_id IN `+in))
	}
	return db.All[spot](ctx, l.q, strings.Join(parts, ` UNION ALL `), args...)
}

// ahead counts what comes before s in the line.
func (l *lined) ahead(ctx context.Context, s spot) (n int64, err error) {
	if l.length == 0 {
		return 0, nil
	}
	var more string
	o, args := l.order, slices.Clip(l.alone.args)
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	switch l.by {
	case ByTask:
		for _, d := range l.definitions {
			if d.DefinitionID == s.DefinitionID {
				break
			}
			n += d.Count
		}
		more = ` AND t.task_definition_id = ` + arg(s.DefinitionID) + ` AND (t.submission_date, t.id) < (` +
			arg(s.Since) + `, ` + arg(s.ID) + `)`
	case ByStudent:
		more = ` AND (` + o.index + `) < (` + arg(s.Name) + `, ` + arg(s.Since) + `, ` + arg(s.DefinitionID) + `, ` +
			arg(s.ID) + `)`
	default:
		switch cmp.Compare(s.Place, o.line) {
		case -1:
			return 0, nil
		case 1:
			return l.length, nil
		}
		more = ` AND (` + o.index + `) < (` + arg(s.Since) + `, ` + arg(s.DefinitionID) + `, ` + arg(s.ID) + `)`
	}
	m, err := db.One[int64](ctx, l.q, l.fromLine(`count(*)`, more), args...)
	if err != nil {
		return 0, err
	}
	return n + *m, nil
}
