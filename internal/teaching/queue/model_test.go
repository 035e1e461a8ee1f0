package queue

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work/worktest"
)

// modelTask is a task with all that decides about its place in the inbox.
type modelTask struct {
	ID, Project, Definition int64
	User                    int64
	Key, Names              string // of the student
	Enrolled                bool
	Status                  status.Status
	Submitted, Commented    *clock.Time // commented: the newest
	Created, Updated        clock.Time
	Group, Submitter        int64
	New                     int
	Reviewed                bool // a review is open
}

// model is the unit, told in Go.
type model struct {
	tasks     []modelTask
	places    map[int64]int             // of definitions in the order of the unit
	names     map[int64]string          // of definitions
	streams   map[int64]int64           // of definitions
	pins      map[[2]int64]bool         // task, user
	seen      map[[2]int64]int          // task, user
	classes   map[int64]map[int64]int64 // project to tutorial to stream, 0 for none
	tutors    map[int64]int64           // of tutorials
	handed    map[[2]int64]bool         // whose queue, to whom: now
	submitter map[int64]int64           // of group submissions
	random    *rand.Rand
}

// randomWorld fills a unit of 24 students, of whom the first four are alone in class with
// tutor 26, and 5 definitions of two streams.
func randomWorld(t testing.TB, d *db.DB, seed uint64) (*crowd, *model) {
	t.Helper()
	c := newCrowd(t, d, 24, 5)
	r := rand.New(rand.NewPCG(seed, 1))
	m := &model{places: map[int64]int{}, names: map[int64]string{}, streams: map[int64]int64{}, pins: map[[2]int64]bool{},
		seen: map[[2]int64]int{}, classes: map[int64]map[int64]int64{}, tutors: map[int64]int64{1: 25, 2: 26, 3: 25, 4: 26},
		submitter: map[int64]int64{}, random: r, handed: map[[2]int64]bool{}}
	now := d.Now()
	for _, h := range [][4]int64{{1, 25, 2, 26}, {2, 26, 1, 25}} {
		m.handOver(c, h)
	}
	moment := func() clock.Time { return clock.At(now.AddDate(0, 0, -r.IntN(3))) } // often the same
	c.Set(`INSERT INTO activity_types (id, name, abbreviation) VALUES (1, 'A', 'A')`)
	c.Set(`INSERT INTO tutorial_streams (id, unit_id, name, abbreviation, activity_type_id)
		VALUES (1, 1, 'A', 'A', 1), (2, 1, 'B', 'B', 1)`)
	c.Set(`INSERT INTO tutorials (id, unit_id, unit_role_id, tutorial_stream_id, abbreviation, meeting_day, meeting_time,
		meeting_location) VALUES (2, 1, 2, 1, 'T2', 'M', '9', 'H'), (3, 1, 1, 2, 'T3', 'M', '9', 'H'),
		(4, 1, 2, 2, 'T4', 'M', '9', 'H')`)
	c.Set(`DELETE FROM tutorial_enrolments`)
	c.Set(`INSERT INTO group_sets (id, unit_id, name) VALUES (1, 1, 'Sets')`)
	for id := range int64(5) {
		id++
		stream := int64(r.IntN(3))
		m.streams[id], m.names[id] = stream, fmt.Sprintf("d%d d%d", id, id)
		c.Set(`UPDATE task_definitions SET tutorial_stream_id = nullif(CAST($2 AS BIGINT), 0), start_date = $3 WHERE id = $1`,
			id, stream, clock.Day(now.AddDate(0, 0, -int(id%3))))
		// Later ids begin earlier; of two on the same day the abbreviation decides.
		m.places[id] = -int(id%3)*10 + int(id)
	}
	var tasks, pins, seen, comments, enrolments, groups, works [][]any
	task := int64(0)
	for p := range int64(24) {
		p++
		key := fmt.Sprintf("%02x", r.IntN(12))
		name := []string{"anna", "bob", "carl"}[r.IntN(3)]
		enrolled := r.IntN(6) > 0
		c.Set(`UPDATE users SET name_key = $2, first_name = $3 WHERE id = $1`, p, key, name)
		c.Set(`UPDATE projects SET enrolled = $2 WHERE id = $1`, p, enrolled)
		m.classes[p] = map[int64]int64{}
		for stream, class := range []int64{1, 2, 3 + r.Int64N(2)} {
			stream := int64(stream)
			if r.IntN(3) > 0 {
				m.classes[p][class] = stream
				var s any
				if stream > 0 {
					s = stream
				}
				enrolments = append(enrolments, []any{p, class, s})
			}
		}
		if p%3 == 0 {
			groups = append(groups, []any{p / 3, 1, 1, fmt.Sprint("G", p/3)})
		}
		for def := range int64(5) {
			def++
			if r.IntN(4) == 0 {
				continue
			}
			task++
			x := modelTask{ID: task, Project: p, Definition: def, User: p, Key: key, Enrolled: enrolled,
				Names:   fmt.Sprintf("%s u u u%d", name, p),
				Status:  []status.Status{"ready_for_feedback", "need_help", "complete", "not_started"}[r.IntN(4)],
				Created: moment(), Updated: moment()}
			if r.IntN(3) > 0 {
				at := moment()
				x.Submitted = &at
			}
			var group any
			if def <= 2 && r.IntN(3) > 0 {
				x.Group = (p+2)/3*10 + def
				group = x.Group
			}
			if r.IntN(3) == 0 {
				x.New = 1 + r.IntN(2)
			}
			var asked any
			if x.Reviewed = r.IntN(5) == 0; x.Reviewed {
				asked = moment()
			}
			if r.IntN(2) == 0 {
				at := moment()
				x.Commented = &at
				comments = append(comments, []any{task, 1, p, 25, "text", "hello", at})
			}
			for user := int64(24); user <= 26; user++ {
				if r.IntN(8) == 0 {
					m.pins[[2]int64{task, user}] = true
					pins = append(pins, []any{task, user})
				}
				if x.New > 0 && r.IntN(2) == 0 {
					m.seen[[2]int64{task, user}] = 1
					seen = append(seen, []any{task, user, 1})
				}
			}
			m.tasks = append(m.tasks, x)
			tasks = append(tasks, []any{task, p, def, 1, x.Status, x.Submitted, x.Created, x.Updated, group, x.New,
				asked})
		}
	}
	for g := range int64(8) {
		for def := range int64(2) {
			id, hand := (g+1)*10+def+1, (g+1)*3-int64(r.IntN(3))
			m.submitter[id] = hand
			works = append(works, []any{id, g + 1, def + 1, hand, now})
		}
	}
	if err := c.Tx(t.Context(), func(q db.Q) error {
		for _, x := range []struct {
			into string
			rows [][]any
		}{{"tutorial_enrolments (project_id, tutorial_id, tutorial_stream_id)", enrolments},
			{"unit_groups (id, group_set_id, tutorial_id, name)", groups},
			{"group_submissions (id, unit_group_id, task_definition_id, submitted_by_project_id, created_at)", works},
			{"tasks (id, project_id, task_definition_id, unit_id, status, submission_date, created_at, updated_at, " +
				"group_submission_id, new_to_staff, review_asked_at)", tasks},
			{"task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at)", comments},
			{"task_pins (task_id, user_id)", pins}, {"news_seen (task_id, user_id, comments)", seen}} {
			if err := db.Insert(t.Context(), q, x.into, "", x.rows); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return c, m
}

// handOver hands the queue of one tutor, by role and user, to the other: not at all, or at a time
// that is over, has begun or is still to come.
func (m *model) handOver(c *crowd, h [4]int64) {
	c.Helper()
	start := []time.Duration{-48, -1, 0, 24}[m.random.IntN(4)] * time.Hour
	from := c.Now().Add(start)
	until := from.Add([]time.Duration{1, 2, 48, 96}[m.random.IntN(4)] * time.Hour)
	if m.random.IntN(4) == 0 {
		return
	}
	day := clock.Day(from)
	c.Set(`INSERT INTO handovers (id, unit_id, unit_role_id, from_date, until_date, starts_at, ends_at, created_at)
		VALUES ($1, 1, $1, $2, $2, $3, $4, $3)`, h[0], day, clock.At(from), clock.At(until))
	c.Set(`INSERT INTO handover_staff (handover_id, unit_role_id) VALUES ($1, $2)`, h[0], h[2])
	m.handed[[2]int64{h[1], h[3]}] = !from.After(c.Now().Time) && until.After(c.Now().Time)
}

// has tells whether the queue of a tutor is a user's.
func (m *model) has(user, tutor int64) bool {
	for h, now := range m.handed {
		if now && h[0] == tutor {
			return h[1] == user
		}
	}
	return tutor == user
}

// listedRow is a row of the model.
type listedRow struct {
	id, definition int64
	kind           Kind
	key            []any // to compare, one after the other
}

func (l listedRow) compare(o listedRow) int {
	for i, v := range l.key {
		c := 0
		switch v := v.(type) {
		case int64:
			c = cmp.Compare(v, o.key[i].(int64))
		case string:
			c = cmp.Compare(v, o.key[i].(string))
		case clock.Time:
			c = v.Compare(o.key[i].(clock.Time).Time)
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// rows are those of a queue, in order.
func (m *model) rows(w Queue) []listedRow {
	works := map[int64][]modelTask{} // by group, or by minus the task
	for _, t := range m.tasks {
		id := -t.ID
		if t.Group > 0 {
			id = t.Group
		}
		works[id] = append(works[id], t)
	}
	out := []listedRow{}
	for _, members := range works {
		if l, ok := m.row(w, members); ok {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, listedRow.compare)
	return out
}

func (m *model) row(w Queue, members []modelTask) (listedRow, bool) {
	members = slices.DeleteFunc(slices.Clone(members), func(t modelTask) bool { return !t.Enrolled })
	shown := slices.DeleteFunc(slices.Clone(members), func(t modelTask) bool { return t.User == w.CallerID })
	slices.SortFunc(shown, func(a, b modelTask) int {
		by := m.submitter[a.Group]
		if (a.Project == by) != (b.Project == by) {
			if a.Project == by {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.ID, b.ID)
	})
	awaits := func(t modelTask) bool { return slices.Contains(status.Awaiting, t.Status) }
	pinned := !w.Feedback && slices.ContainsFunc(shown, func(t modelTask) bool { return m.pins[[2]int64{t.ID, w.CallerID}] })
	at := slices.IndexFunc(shown, func(t modelTask) bool {
		switch {
		case pinned:
			return m.pins[[2]int64{t.ID, w.CallerID}]
		case w.Feedback:
			return awaits(t)
		}
		// The lists of the specification know nothing of reviews.
		return awaits(t) || t.New > m.seen[[2]int64{t.ID, w.CallerID}] || t.Reviewed && w.Sort != bySubmission
	})
	if at < 0 {
		return listedRow{}, false
	}
	t, r := shown[at], shown[0]
	if w.DefinitionID != 0 && t.Definition != w.DefinitionID || w.Status != "" && t.Status != w.Status ||
		(w.Mine || w.TutorialID != 0 || w.TutorID != 0) && !m.inClass(w, members) || !m.named(w, members) {
		return listedRow{}, false
	}
	since := t.Updated
	if t.Submitted != nil {
		since = *t.Submitted
	}
	l := listedRow{id: r.ID, definition: t.Definition, kind: m.kind(w, shown)}
	if w.Kind != "" && w.Kind != l.kind && (w.Kind != Waiting || l.kind == Pinned) {
		return l, false
	}
	place := int64(1)
	switch {
	case pinned:
		place = 0
	case !awaits(t):
		place = 2
	}
	switch w.Sort {
	case ByTask:
		l.key = []any{int64(m.places[t.Definition]), since, t.ID}
	case ByStudent:
		l.key = []any{t.Key, since, t.Definition, t.ID}
	case bySubmission:
		place = min(place, 1)
		switch {
		case r.Submitted != nil:
			l.key = []any{place, int64(0), *r.Submitted, t.Definition, t.ID}
		case r.Commented != nil:
			l.key = []any{place, int64(1), *r.Commented, t.Definition, t.ID}
		default:
			l.key = []any{place, int64(2), r.Created, t.Definition, t.ID}
		}
	default:
		l.key = []any{place, since, t.Definition, t.ID}
	}
	return l, true
}

// kind is that of the work of some tasks.
func (m *model) kind(w Queue, tasks []modelTask) Kind {
	kind := Pinned
	for _, t := range tasks {
		switch {
		case t.Status == status.ReadyForFeedback:
			return ToMark
		case t.Status == status.NeedHelp, t.New > m.seen[[2]int64{t.ID, w.CallerID}], t.Reviewed:
			kind = ToAnswer
		}
	}
	return kind
}

func (m *model) inClass(w Queue, members []modelTask) bool {
	for _, t := range members {
		for class, stream := range m.classes[t.Project] {
			if (!w.Mine || m.has(w.CallerID, m.tutors[class])) && (w.TutorialID == 0 || class == w.TutorialID) &&
				(w.TutorID == 0 || m.tutors[class] == w.TutorID) && (stream == 0 || stream == m.streams[t.Definition]) {
				return true
			}
		}
	}
	return false
}

func (m *model) named(w Queue, members []modelTask) bool {
	words := strings.Fields(w.Text)
	for _, t := range members {
		if hasAll(t.Names, words) || hasAll(m.names[t.Definition], words) {
			return true
		}
	}
	return false
}

// randomQueue narrows the queue in random ways.
func (m *model) randomQueue() Queue {
	r := m.random
	w := Queue{UnitID: worktest.Unit, CallerID: []int64{24, 25, 25, 26}[r.IntN(4)],
		Sort: []Sort{ByWaiting, ByTask, ByStudent, bySubmission}[r.IntN(4)]}
	for range r.IntN(3) {
		switch r.IntN(7) {
		case 6:
			w.TutorID = 25 + r.Int64N(2) // whoever has the queue
		case 0:
			w.Mine = true
		case 1:
			w.TutorialID = 1 + r.Int64N(4)
		case 2:
			w.DefinitionID = 1 + r.Int64N(5)
		case 3:
			w.Status = []status.Status{"ready_for_feedback", "need_help", "complete"}[r.IntN(3)]
		case 4:
			w.Text = []string{"anna", "bob u", "u1", "d2", "nobody"}[r.IntN(5)]
		case 5:
			if w.Sort != bySubmission {
				w.Kind = []Kind{ToMark, ToAnswer, Pinned, Waiting}[r.IntN(4)]
			}
		}
	}
	w.Feedback = w.Sort == bySubmission && r.IntN(2) == 0
	return w
}

// spotsOf are the tasks of a part of a queue, and how many there are in all.
func (c *crowd) spotsOf(w Queue, offset, n int64) (ids []int64, total int64) {
	c.Helper()
	l, err := w.lined(context.Background(), c.Pool(), false)
	if err != nil {
		c.Fatal(err)
	}
	spots, err := l.part(context.Background(), offset, n)
	if err != nil {
		c.Fatal(err)
	}
	for _, s := range spots {
		ids = append(ids, s.Shown)
	}
	return ids, l.total()
}

// The queue has what a model in Go has that looks at every task, in the same order, for
// every filter, order and page.
func TestTheQueueIsWhatTheModelSays(t *testing.T) {
	worlds, queues := uint64(3), 60
	dbtest.Engines(t, func(t *testing.T, engine string) {
		filled := 0
		for range worlds {
			seed := rand.Uint64()
			c, m := randomWorld(t, dbtest.New(t, engine, nil), seed)
			for range queues {
				w := m.randomQueue()
				rows := m.rows(w)
				want := []int64{}
				for _, r := range rows {
					want = append(want, r.id)
				}
				if len(want) > 3 {
					filled++
				}
				got, total := c.spotsOf(w, 0, db.NoLimit)
				if !slices.Equal(got, want) && len(want) > 0 || total != int64(len(want)) {
					t.Fatalf("seed %d, %+v:\n%v of %d, want\n%v", seed, w, got, total, want)
				}
				for range 4 {
					from, n := m.random.IntN(len(want)+2), 1+m.random.IntN(6)
					part := want[min(from, len(want)):min(from+n, len(want))]
					if got, _ := c.spotsOf(w, int64(from), int64(n)); !slices.Equal(got, part) && len(part) > 0 {
						t.Fatalf("seed %d, %+v, %d from %d:\n%v, want\n%v", seed, w, n, from, got, part)
					}
				}
				c.agrees(m, w, rows, seed)
			}
		}
		if filled < queues {
			t.Errorf("only %d of the queues have rows", filled)
		}
	})
}

// agrees compares the counts and the place of a task with the model.
func (c *crowd) agrees(m *model, w Queue, rows []listedRow, seed uint64) {
	c.Helper()
	if w.DefinitionID == 0 && w.Sort != bySubmission {
		want, got := map[int64]Tally{}, map[int64]Tally{}
		for _, r := range rows {
			t := want[r.definition]
			t.add(r.kind, 1)
			if want[r.definition] = t; t.Waiting() == 0 {
				delete(want, r.definition)
			}
		}
		counts, err := w.Counts(c.Context(), c.Pool())
		if err != nil {
			c.Fatal(err)
		}
		last := -1000
		for _, n := range counts {
			if got[n.DefinitionID] = n.Tally; n.Count != n.Waiting() {
				c.Fatalf("seed %d, %+v: %+v", seed, w, n)
			}
			if m.places[n.DefinitionID] < last {
				c.Fatalf("seed %d, %+v: counts in the order %v", seed, w, counts)
			}
			last = m.places[n.DefinitionID]
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			c.Fatalf("seed %d, %+v: counts %v, want %v", seed, w, got, want)
		}
	}
	if len(rows) == 0 || w.Sort == bySubmission {
		return
	}
	i := m.random.IntN(len(rows))
	a, err := w.Around(c.Context(), c.Pool(), rows[i].id, 2)
	if err != nil {
		c.Fatal(err)
	}
	want := &Around{Position: int64(i + 1), Total: int64(len(rows)), Tally: tallyOf(rows), Before: []int64{}, After: []int64{}}
	for j := i - 1; j >= max(0, i-2); j-- {
		want.Before = append(want.Before, rows[j].id)
	}
	for _, r := range rows[i+1 : min(len(rows), i+3)] {
		want.After = append(want.After, r.id)
	}
	if fmt.Sprint(*a) != fmt.Sprint(*want) {
		c.Fatalf("seed %d, %+v: around %d is %+v, want %+v", seed, w, rows[i].id, a, want)
	}
}

func tallyOf(rows []listedRow) (t Tally) {
	for _, r := range rows {
		t.add(r.kind, 1)
	}
	return t
}

// Every number of what waits is the same, wherever it is counted: rows, queue, tasks, units, and
// what is to mark by tutor and age. It is what the model has.
func TestWhatWaitsIsCountedOnce(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, engine string) {
		for range 3 {
			seed := rand.Uint64()
			c, m := randomWorld(t, dbtest.New(t, engine, nil), seed)
			for _, caller := range []int64{24, 25, 26} {
				c.countsOnce(m, Queue{UnitID: worktest.Unit, CallerID: caller}, seed)
			}
		}
	})
}

func (c *crowd) countsOnce(m *model, w Queue, seed uint64) {
	c.Helper()
	rows := m.rows(w)
	want, byKind := tallyOf(rows), Tally{}
	list, err := w.List(c.Context(), c.Pool())
	if err != nil {
		c.Fatal(err)
	}
	var oldest *clock.Time
	for _, r := range list.Rows {
		byKind.add(r.Kind, 1)
	}
	for _, k := range []Kind{ToMark, ToAnswer, Pinned} {
		of := w
		of.Kind, of.Page = k, db.Part(1, 0)
		_, n, err := of.Rows(c.Context(), c.Pool())
		if pins := int64(len(rows)) - want.Waiting(); err != nil || k != Pinned && n != want.Of(k) || k == Pinned && n != pins {
			c.Errorf("seed %d: %d are %s of %+v and %d pins, %v", seed, n, k, want, pins, err)
		}
	}
	days := int64(2)
	units, err := Tallies(c.Context(), c.Pool(), w.CallerID, []Target{{w.UnitID, &days}, {99, nil}})
	if err != nil {
		c.Fatal(err)
	}
	shares, err := Shares(c.Context(), c.Pool(), w.CallerID, Target{w.UnitID, &days}, []int{1, 2})
	if err != nil {
		c.Fatal(err)
	}
	var marks, late int64
	for _, s := range shares {
		marks += int64(s.Tasks)
		if s.Overdue {
			late += int64(s.Tasks)
		}
		if oldest == nil || s.Oldest.Before(oldest.Time) {
			oldest = &s.Oldest
		}
	}
	got := units[w.UnitID]
	if list.Tally != want || byKind != want || got.Tally != want || marks != want.ToMark || got.Overdue != late ||
		units[99].Waiting() != 0 || (got.Oldest == nil) != (oldest == nil) || oldest != nil && !got.Oldest.Equal(oldest.Time) {
		c.Errorf("seed %d, caller %d: the model has %+v, the list %+v, its rows %+v, the unit %+v, the shares %d with %d late since %v",
			seed, w.CallerID, want, list.Tally, byKind, got, marks, late, oldest)
	}
}
