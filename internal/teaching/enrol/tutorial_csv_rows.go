package enrol

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/people/ident"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
)

// read decides about every row: those who teach are found first, all at once.
func (im *tutorialImport) read(ctx context.Context, q db.Q, rows *sheet.Reader) (err error) {
	var written []string
	for row := range rows.Rows() {
		if name := row.Get("tutor"); name != "" && !slices.Contains(written, name) {
			written = append(written, name)
		}
	}
	if im.teachers, err = course.HeldTeachers(ctx, q, im.UnitID, written); err != nil {
		return err
	}
	lines := map[string]sheet.Row{}
	for row, err := range rows.Rows() {
		t := &tutorialRow{row: row, err: err}
		if err == nil {
			t.err = im.readRow(t, lines)
		}
		im.rows = append(im.rows, t)
	}
	return nil
}

// cell finds what a cell names, as it is written or else without blanks around.
func (f *finder) cell(row sheet.Row, heading string) (int64, bool) {
	if id, ok := f.find(row.Text(heading)); ok {
		return id, true
	}
	return f.find(row.Get(heading))
}

// wrongRow is what is wrong with a row, and what to do.
func wrongRow(format string, args ...any) error { return fault.New(fault.Refused, format, args...) }

func (im *tutorialImport) readRow(t *tutorialRow, lines map[string]sheet.Row) error {
	name := t.row.Get("abbreviation")
	if id, ok := im.tutorials.cell(t.row, "abbreviation"); ok {
		t.now = im.have[id]
		t.next, name = *t.now, t.now.Abbreviation
	} else {
		t.next = lockedTutorial{UnitID: im.UnitID}
	}
	var wrong sheet.Flaws
	if first, seen := lines[ident.Key(name)]; seen {
		wrong.Add(wrongRow("%s is already in %s; remove one of the two rows", name, first))
	} else if name != "" {
		lines[ident.Key(name)] = t.row
	}
	t.next.Abbreviation = name
	t.next.Day, t.next.Time, t.next.Location = t.row.Get("meeting_day"), t.row.Get("meeting_time"),
		t.row.Get("meeting_location")
	t.texts(&wrong)
	for _, read := range []func(*tutorialRow) error{readCapacity, im.readCampus, im.readTutor, im.readStream} {
		wrong.Add(read(t))
	}
	if len(wrong) == 0 {
		wrong.Add(im.stays(t)) // of a stream that cannot be read nobody knows whether it is another
	}
	return wrong.Err()
}

// texts notes what AddTutorial and ChangeTutorial refuse of texts.
func (t *tutorialRow) texts(wrong *sheet.Flaws) {
	for _, one := range []struct{ heading, text, such string }{{"abbreviation", t.next.Abbreviation, "LA1-01"},
		{"meeting_day", t.next.Day, "Monday"}, {"meeting_time", t.next.Time, "10:30"},
		{"meeting_location", t.next.Location, "ATC101"}} {
		switch {
		case one.text == "" && (t.now == nil || one.heading == "abbreviation"):
			wrong.Add(wrongRow("%s is empty; write one such as %s", one.heading, one.such))
		case len([]rune(one.text)) > longest:
			wrong.Add(wrongRow("%s has more than %d characters; shorten it", one.heading, longest))
		case one.heading == "abbreviation" && !addressable(one.text):
			wrong.Add(wrongRow("abbreviation may not be . or ..; write one such as %s", one.such))
		}
	}
}

func readCapacity(t *tutorialRow) error {
	was := t.next.Capacity
	t.next.Capacity = -1
	if text := t.row.Get("capacity"); text != "" {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return wrongRow("capacity is %.30q; write a whole number, or nothing for no limit", text)
		}
		t.next.Capacity = n
	}
	if t.next.Capacity < 1 && was < 1 && t.now != nil { // no limit, in either way to say so
		t.next.Capacity = was
	}
	return nil
}

func (im *tutorialImport) readCampus(t *tutorialRow) error {
	t.next.CampusID = nil
	name := t.row.Text("campus")
	if strings.TrimSpace(name) == "" {
		return nil
	}
	id, ok := im.campuses.cell(t.row, "campus")
	if !ok {
		return wrongRow("there is no campus %s; write its abbreviation or name, or nothing for any campus", name)
	}
	t.next.CampusID = &id
	return nil
}

func (im *tutorialImport) readTutor(t *tutorialRow) error {
	name := t.row.Get("tutor")
	if name == "" {
		return nil
	}
	if t.tutor = im.teachers[ident.Key(name)]; t.tutor == nil {
		return wrongRow("nobody who may teach has the user name or email %s; check the spelling, or ask an "+
			"administrator to add them as a Tutor", name)
	}
	if t.tutor.RoleID == 0 && !im.employs {
		return wrongRow("%s is not on the staff of this unit, and you may not add them", t.tutor.Username)
	}
	return nil
}

func (im *tutorialImport) readStream(t *tutorialRow) error {
	name, kind := t.row.Get("tutorial_stream"), t.row.Get("activity_type")
	if name == "" {
		if kind != "" {
			return wrongRow("there is an activity_type and no tutorial_stream; name the stream, too, or leave both empty")
		}
		return nil
	}
	if id, ok := im.byName.cell(t.row, "tutorial_stream"); ok {
		t.stream = im.streamOf[id]
	} else if t.stream = im.missing[ident.Key(name)]; t.stream == nil {
		return im.newStream(t, name, kind)
	}
	if kind == "" || im.kind(kind) == t.stream.activity {
		return nil
	}
	return wrongRow("the stream %s is of the activity type %s, not %s; leave activity_type empty, or change the stream "+
		"first", t.stream.name, t.stream.activity.Abbreviation, kind)
}

// newStream plans a stream that the unit does not have: its activity type is told by the row, or by
// its own name with or without a number behind.
func (im *tutorialImport) newStream(t *tutorialRow, name, kind string) error {
	is := im.kind(kind)
	if kind == "" {
		if is = im.kind(name); is == nil {
			is = im.kind(strings.TrimRight(name, "0123456789- "))
		}
	}
	if is == nil {
		known := make([]string, len(im.kinds))
		for i, k := range im.kinds {
			known[i] = k.Abbreviation
		}
		if kind != "" {
			return wrongRow("there is no activity type %s; write one of these in the column activity_type: %s", kind,
				strings.Join(known, ", "))
		}
		return wrongRow("this unit has no stream %s; check the spelling, or have it created by one of these in the column "+
			"activity_type: %s", name, strings.Join(known, ", "))
	}
	if err := fits(map[string]*string{"abbreviation": &name}); err != nil {
		return wrongRow("tutorial_stream must have 1 to %d characters and not be . or ..", longest)
	}
	t.stream = &streamRef{name: name, activity: is}
	im.missing[ident.Key(name)] = t.stream
	return nil
}

// stays refuses a change that the students in a tutorial go against.
func (im *tutorialImport) stays(t *tutorialRow) error {
	if t.now == nil {
		return nil
	}
	if to := t.next.CampusID; to != nil && !opt.Same(to, t.now.CampusID) {
		if n := im.held.elsewhere(t.now.ID, *to); n > 0 {
			return wrongRow("%s has %s of another campus; move them first", t.now.Abbreviation, many(n, "student"))
		}
	}
	moves := t.now.StreamID != nil && (t.stream == nil || t.stream.id != *t.now.StreamID) ||
		t.now.StreamID == nil && t.stream != nil
	if n := im.held.beside[t.now.ID]; moves && n > 0 {
		return wrongRow("%s has %s with another tutorial, too; move them first, or change its stream by itself",
			t.now.Abbreviation, many(n, "student"))
	}
	return nil
}

// write makes what is missing and writes the rows that change something.
func (im *tutorialImport) write(ctx context.Context, q db.Q) error {
	im.gather()
	if err := im.makeStreams(ctx, q); err != nil {
		return err
	}
	if err := course.EmployTutors(ctx, q, im.UnitID, im.hired); err != nil {
		return err
	}
	var rows [][]any
	var ids []int64
	for _, t := range im.rows {
		if t.err != nil {
			continue
		}
		t.place()
		if t.now != nil && len(im.changes(t)) == 0 {
			continue
		}
		n := &t.next
		rows = append(rows, []any{n.UnitID, n.UnitRoleID, n.CampusID, n.StreamID, n.Abbreviation, n.Day, n.Time, n.Location,
			n.Capacity})
		if t.now != nil {
			ids = append(ids, t.now.ID)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if err := putTutorials(ctx, q, rows); err != nil {
		return err
	}
	if err := restream(ctx, q, ids); err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Tutorial, Action: "imported", UnitID: im.UnitID})
}

// gather lists the people and streams that rows without a mistake need and the unit does not have.
func (im *tutorialImport) gather() {
	for _, t := range im.rows {
		if t.err != nil {
			continue
		}
		if t.tutor != nil && t.tutor.RoleID == 0 && !slices.Contains(im.hired, t.tutor) {
			im.hired = append(im.hired, t.tutor)
		}
		if t.stream != nil && t.stream.id == 0 && !slices.Contains(im.made, t.stream) {
			im.made = append(im.made, t.stream)
		}
	}
}

func (im *tutorialImport) makeStreams(ctx context.Context, q db.Q) error {
	if len(im.made) == 0 {
		return nil
	}
	by, rows := map[string]*streamRef{}, [][]any{}
	for _, s := range im.made {
		by[s.name] = s
		rows = append(rows, []any{im.UnitID, s.name, s.activity.ID})
	}
	list, args, err := db.Rows(q, nil, []string{"unit BIGINT", "name TEXT", "kind BIGINT"}, rows)
	if err != nil {
		return err
	}
	made, err := db.All[Stream](ctx, q, `INSERT INTO tutorial_streams (unit_id, name, abbreviation, activity_type_id)
		SELECT unit, name, name, kind FROM `+list+` r WHERE TRUE
		RETURNING id, name, abbreviation, '' AS activity_type`, args...)
	if err != nil {
		return err
	}
	var entries []audit.Entry
	for _, s := range made {
		by[s.Abbreviation].id = s.ID
		entries = append(entries, audit.Entry{Kind: audit.Tutorial, Action: "stream_created", UnitID: im.UnitID,
			RecordID: s.ID})
	}
	return audit.Add(ctx, q, entries...)
}

// place puts the stream and the tutor into a row, once they are there.
func (t *tutorialRow) place() {
	t.next.StreamID, t.next.UnitRoleID = nil, nil
	if t.stream != nil {
		t.next.StreamID = &t.stream.id
	}
	if t.tutor != nil {
		t.next.UnitRoleID = &t.tutor.RoleID
	}
}

// putTutorials writes tutorials, those that are there in their place.
func putTutorials(ctx context.Context, q db.Q, rows [][]any) error {
	list, args, err := db.Rows(q, nil, []string{"unit BIGINT", "tutor BIGINT", "campus BIGINT", "stream BIGINT",
		"name TEXT", "day TEXT", "at TEXT", "place TEXT", "places BIGINT"}, rows)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO tutorials (unit_id, unit_role_id, campus_id, tutorial_stream_id, abbreviation,
			meeting_day, meeting_time, meeting_location, capacity)
		SELECT unit, tutor, campus, stream, name, day, at, place, places FROM `+list+` r WHERE TRUE
		ON CONFLICT (unit_id, abbreviation) DO UPDATE SET unit_role_id = excluded.unit_role_id,
			campus_id = excluded.campus_id, tutorial_stream_id = excluded.tutorial_stream_id,
			meeting_day = excluded.meeting_day, meeting_time = excluded.meeting_time,
			meeting_location = excluded.meeting_location, capacity = excluded.capacity`, args...)
	return err
}

// restream takes the students of tutorials along to the stream that these have now.
func restream(ctx context.Context, q db.Q, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	in, args := db.In(nil, ids)
	_, err := db.Exec(ctx, q, `UPDATE tutorial_enrolments SET tutorial_stream_id = t.tutorial_stream_id FROM tutorials t
		WHERE t.id = tutorial_enrolments.tutorial_id AND t.id IN `+in+`
			AND coalesce(tutorial_enrolments.tutorial_stream_id, 0) <> coalesce(t.tutorial_stream_id, 0)`, args...)
	return err
}

// changes tells in words what a row changes of its tutorial.
func (im *tutorialImport) changes(t *tutorialRow) (what []string) {
	say := func(yes bool, format string, args ...any) {
		if yes {
			what = append(what, fmt.Sprintf(format, args...))
		}
	}
	or := func(text, none string) string {
		if text == "" {
			return none
		}
		return text
	}
	is, to := t.now, t.next
	stream, tutor, campus := "no stream", "no tutor", "no campus"
	if t.stream != nil {
		stream = "stream " + t.stream.name
	}
	if t.tutor != nil {
		tutor = "tutor " + t.tutor.Username
	}
	if to.CampusID != nil {
		campus = "campus " + im.campus[*to.CampusID].Abbreviation
	}
	say(!opt.Same(is.StreamID, to.StreamID), "%s", stream)
	was := "nobody"
	if is.UnitRoleID != nil {
		was = im.tutorOf[*is.UnitRoleID]
	}
	say(!opt.Same(is.UnitRoleID, to.UnitRoleID), "%s instead of %s", tutor, was)
	say(is.Day != to.Day, "%s instead of %s", or(to.Day, "no day"), or(is.Day, "no day"))
	say(is.Time != to.Time, "%s instead of %s", or(to.Time, "no time"), or(is.Time, "no time"))
	say(is.Location != to.Location, "%s instead of %s", or(to.Location, "no place"), or(is.Location, "no place"))
	say(is.Capacity != to.Capacity, "%s instead of %s", placesSaid(to.Capacity), placesSaid(is.Capacity))
	say(!opt.Same(is.CampusID, to.CampusID), "%s", campus)
	return what
}

func placesSaid(n int64) string {
	if n < 1 {
		return "no limit"
	}
	return many(n, "place")
}

// report tells what becomes of every row. What a row needed and the unit did not have is told once.
func (im *tutorialImport) report() *sheet.Report {
	var r sheet.Report
	told := map[any]bool{}
	for _, t := range im.rows {
		if t.err != nil {
			r.Fail(t.row, "%v", t.err)
			continue
		}
		note := ""
		if slices.Contains(im.made, t.stream) && !told[t.stream] {
			told[t.stream], note = true, fmt.Sprintf(" The stream %s is new (%s).", t.stream.name, t.stream.activity.Name)
		}
		if slices.Contains(im.hired, t.tutor) && !told[t.tutor] {
			told[t.tutor] = true
			note += fmt.Sprintf(" %s joins the staff of the unit as a tutor.", t.tutor.Username)
		}
		switch name := t.next.Abbreviation; {
		case t.now == nil && t.tutor == nil:
			r.Succeed(t.row, "%s: new, without a tutor.%s", name, note)
		case t.now == nil:
			r.Succeed(t.row, "%s: new, tutor %s.%s", name, t.tutor.Username, note)
		case len(im.changes(t)) > 0:
			r.Succeed(t.row, "%s: %s.%s", name, strings.Join(im.changes(t), ", "), note)
		default:
			r.Ignore(t.row, "%s is like this already.", name)
		}
	}
	return &r
}
