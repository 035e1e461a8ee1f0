package enrol

import (
	"context"
	"io"
	"slices"
	"strconv"

	"lectern/internal/ground/opt"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
)

// tutorialHeadings are the columns of the sheet of tutorials. Activity types are only looked at where
// the unit does not have the stream of a row yet.
var tutorialHeadings = []string{"abbreviation", "tutorial_stream", "activity_type", "tutor", "meeting_day",
	"meeting_time", "meeting_location", "capacity", "campus"}

// TutorialSheet says what a sheet of tutorials must have. All columns but one are needed, so that a
// heading with a slip in it is told and not passed over.
var TutorialSheet = sheet.Options{Required: slices.DeleteFunc(slices.Clone(tutorialHeadings),
	func(h string) bool { return h == "activity_type" }), Optional: []string{"activity_type"}, MaxRows: 1000,
	Names: map[string]string{"tutorial": "abbreviation", "code": "abbreviation", "stream": "tutorial_stream",
		"tutor_username": "tutor", "username": "tutor", "day": "meeting_day", "time": "meeting_time",
		"location": "meeting_location", "place": "meeting_location", "room": "meeting_location", "places": "capacity"}}

// ExportTutorials reads the tutorials of a unit with their tutors, in the order they were made, and
// gives what writes them as a sheet that ImportTutorials takes back.
func ExportTutorials(ctx context.Context, q db.Q, unitID int64) (func(io.Writer) error, error) {
	type line struct {
		Abbreviation string  `db:"abbreviation"`
		Day          string  `db:"meeting_day"`
		Time         string  `db:"meeting_time"`
		Location     string  `db:"meeting_location"`
		Capacity     int64   `db:"capacity"`
		Stream       *string `db:"stream"`
		Activity     *string `db:"activity"`
		Tutor        *string `db:"tutor"`
		Campus       *string `db:"campus"`
	}
	list, err := db.All[line](ctx, q, `SELECT t.abbreviation, t.meeting_day, t.meeting_time, t.meeting_location,
			t.capacity, s.abbreviation AS stream, a.abbreviation AS activity, u.username AS tutor, c.abbreviation AS campus
		FROM tutorials t LEFT JOIN tutorial_streams s ON s.id = t.tutorial_stream_id
		LEFT JOIN activity_types a ON a.id = s.activity_type_id
		LEFT JOIN unit_roles r ON r.id = t.unit_role_id LEFT JOIN users u ON u.id = r.user_id
		LEFT JOIN campuses c ON c.id = t.campus_id WHERE t.unit_id = $1 ORDER BY t.id`, unitID)
	return func(w io.Writer) error {
		out := sheet.Write(w, tutorialHeadings)
		for _, t := range list {
			places := ""
			if t.Capacity > 0 {
				places = strconv.FormatInt(t.Capacity, 10)
			}
			if err := out.Row(t.Abbreviation, opt.Or(t.Stream, ""), opt.Or(t.Activity, ""), opt.Or(t.Tutor, ""), t.Day,
				t.Time, t.Location, places, opt.Or(t.Campus, "")); err != nil {
				return err
			}
		}
		return out.Flush()
	}, err
}

// streamRef is the stream of rows of a sheet: one the unit has, or one to be made.
type streamRef struct {
	id       int64  // 0: to be made
	name     string // as people call it: its abbreviation
	activity *course.ActivityType
}

// tutorialRow is a row of a sheet of tutorials on its way.
type tutorialRow struct {
	row    sheet.Row
	now    *lockedTutorial // nil: to be made
	next   lockedTutorial
	stream *streamRef      // nil: none
	tutor  *course.Teacher // nil: nobody
	err    error
}

// tutorialImport takes a sheet of tutorials into a unit.
type tutorialImport struct {
	*Roster
	employs  bool // the caller may change the staff
	have     map[int64]*lockedTutorial
	held     heldBack
	byName   finder // streams the unit has
	streamOf map[int64]*streamRef
	missing  map[string]*streamRef // those to be made, by the ident.Key of what was written
	kinds    []course.ActivityType
	teachers map[string]*course.Teacher
	tutorOf  map[int64]string // user names, by employment
	rows     []*tutorialRow
	hired    []*course.Teacher
	made     []*streamRef
}

// ImportTutorials makes the tutorials of a sheet and changes those that the unit has, told by their
// abbreviation. Somebody who may teach and is not on the staff becomes a tutor of the unit where the
// caller may employ people; a stream that is missing is made where its activity type is known. First is
// the stream that is made where the unit had none before; nil: there is no such. It is for holders of
// policy.ImportUnit. A row with somebody who may not teach, a stream, campus or number that there is
// not, a tutorial that another row has, or a change against which its students stand is reported, and
// the others are done.
func ImportTutorials(ctx context.Context, q db.Q, unitID int64, employs bool, rows *sheet.Reader) (r *sheet.Report,
	first *int64, err error) {
	if err := db.Lock(ctx, q, "units", unitID); err != nil {
		return nil, nil, err
	}
	if err := lockTutorials(ctx, q, unitID); err != nil {
		return nil, nil, err
	}
	im := &tutorialImport{employs: employs, missing: map[string]*streamRef{}}
	if err := im.readUnit(ctx, q, unitID); err != nil {
		return nil, nil, err
	}
	bare := len(im.streamOf) == 0
	if err := im.read(ctx, q, rows); err != nil {
		return nil, nil, err
	}
	if err := im.write(ctx, q); err != nil {
		return nil, nil, err
	}
	if bare && len(im.made) > 0 {
		first = &im.made[0].id
	}
	return im.report(), first, nil
}

// lockTutorials holds the tutorials of a unit as they are.
func lockTutorials(ctx context.Context, q db.Q, unitID int64) error {
	if !q.Postgres() {
		return nil
	}
	_, err := db.Exec(ctx, q, `SELECT 1 FROM tutorials WHERE unit_id = $1 ORDER BY id FOR UPDATE`, unitID)
	return err
}

// readUnit reads what the unit has.
func (im *tutorialImport) readUnit(ctx context.Context, q db.Q, unitID int64) (err error) {
	if im.Roster, err = ReadRoster(ctx, q, unitID); err != nil {
		return err
	}
	list, err := db.All[lockedTutorial](ctx, q, `SELECT id, unit_id, unit_role_id, campus_id, tutorial_stream_id,
		abbreviation, meeting_day, meeting_time, meeting_location, capacity FROM tutorials WHERE unit_id = $1`, unitID)
	if err != nil {
		return err
	}
	im.have = map[int64]*lockedTutorial{}
	for i := range list {
		im.have[list[i].ID] = &list[i]
	}
	if im.kinds, err = course.ActivityTypes(ctx, q); err != nil {
		return err
	}
	streams, err := StreamsOf(ctx, q, unitID)
	if err != nil {
		return err
	}
	im.streamOf = map[int64]*streamRef{}
	for _, s := range streams {
		im.streamOf[s.ID] = &streamRef{id: s.ID, name: s.Abbreviation, activity: im.kind(s.ActivityType)}
		im.byName.add(s.ID, s.Abbreviation)
	}
	for _, s := range streams {
		im.byName.add(s.ID, s.Name)
	}
	staff, err := course.StaffOf(ctx, q, unitID)
	if err != nil {
		return err
	}
	im.tutorOf = map[int64]string{}
	for _, m := range staff {
		im.tutorOf[m.ID] = m.Username
	}
	im.held, err = readHeld(ctx, q, unitID)
	return err
}

// kind finds an activity type by its abbreviation or its name; nil: there is none.
func (im *tutorialImport) kind(text string) *course.ActivityType {
	key := ident.Key(text)
	for _, is := range []func(course.ActivityType) bool{
		func(a course.ActivityType) bool { return a.Abbreviation == text },
		func(a course.ActivityType) bool { return ident.Key(a.Abbreviation) == key },
		func(a course.ActivityType) bool { return ident.Key(a.Name) == key }} {
		if i := slices.IndexFunc(im.kinds, is); i >= 0 {
			return &im.kinds[i]
		}
	}
	return nil
}

// heldBack is what of the students of a unit goes against changes of its tutorials.
type heldBack struct {
	campus map[int64]map[int64]int64 // how many of a tutorial are of a campus
	beside map[int64]int64           // how many of a tutorial are in another one, too
}

func readHeld(ctx context.Context, q db.Q, unitID int64) (s heldBack, err error) {
	s = heldBack{map[int64]map[int64]int64{}, map[int64]int64{}}
	type count struct {
		TutorialID int64 `db:"tutorial_id"`
		CampusID   int64 `db:"campus_id"`
		N          int64 `db:"n"`
	}
	for c, err := range db.Each[count](ctx, q, `SELECT e.tutorial_id, p.campus_id, count(*) AS n FROM projects p
		JOIN tutorial_enrolments e ON e.project_id = p.id
		WHERE p.unit_id = $1 AND p.enrolled AND p.campus_id IS NOT NULL GROUP BY e.tutorial_id, p.campus_id`, unitID) {
		if err != nil {
			return s, err
		}
		if s.campus[c.TutorialID] == nil {
			s.campus[c.TutorialID] = map[int64]int64{}
		}
		s.campus[c.TutorialID][c.CampusID] = c.N
	}
	for c, err := range db.Each[count](ctx, q, `SELECT e.tutorial_id, CAST(0 AS BIGINT) AS campus_id,
			count(DISTINCT e.project_id) AS n
		FROM tutorials t JOIN tutorial_enrolments e ON e.tutorial_id = t.id
		JOIN tutorial_enrolments o ON o.project_id = e.project_id AND o.tutorial_id <> e.tutorial_id
		WHERE t.unit_id = $1 GROUP BY e.tutorial_id`, unitID) {
		if err != nil {
			return s, err
		}
		s.beside[c.TutorialID] = c.N
	}
	return s, nil
}

// elsewhere counts the students of a tutorial who belong to another campus than this.
func (s heldBack) elsewhere(tutorialID, campusID int64) (n int64) {
	for campus, count := range s.campus[tutorialID] {
		if campus != campusID {
			n += count
		}
	}
	return n
}
