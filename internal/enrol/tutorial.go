package enrol

import (
	"context"

	"lectern/internal/db"
)

// Tutorial is a class that meets each week. Its capacity holds for students
// who enrol themselves; 0 and below mean that there is no limit.
type Tutorial struct {
	ID              int64   `db:"id" json:"id"`
	MeetingDay      string  `db:"meeting_day" json:"meeting_day"`
	MeetingTime     string  `db:"meeting_time" json:"meeting_time"`
	MeetingLocation string  `db:"meeting_location" json:"meeting_location"`
	Abbreviation    string  `db:"abbreviation" json:"abbreviation"`
	CampusID        *int64  `db:"campus_id" json:"campus_id"`
	Capacity        int64   `db:"capacity" json:"capacity"`
	StreamAbbr      *string `db:"tutorial_stream_abbr" json:"tutorial_stream_abbr"`
	NumStudents     int64   `db:"num_students" json:"num_students"` // withdrawn ones do not count
	TutorID         *int64  `db:"tutor_id" json:"tutor_id"`         // a user's id
}

// selectTutorials counts the seats with a subquery a tutorial: it walks the
// index of each, where a join would multiply rows to group them again.
const selectTutorials = `SELECT t.id, t.meeting_day, t.meeting_time, t.meeting_location, t.abbreviation,
		t.campus_id, t.capacity, s.abbreviation AS tutorial_stream_abbr, r.user_id AS tutor_id,
		(SELECT count(*) FROM tutorial_enrolments e JOIN projects p ON p.id = e.project_id AND p.enrolled
			WHERE e.tutorial_id = t.id) AS num_students
	FROM tutorials t
	LEFT JOIN tutorial_streams s ON s.id = t.tutorial_stream_id
	LEFT JOIN unit_roles r ON r.id = t.unit_role_id`

// TutorialsOf lists the tutorials of a unit in the order they were made.
func TutorialsOf(ctx context.Context, q db.Q, unitID int64) ([]Tutorial, error) {
	return db.All[Tutorial](ctx, q, selectTutorials+` WHERE t.unit_id = $1 ORDER BY t.id`, unitID)
}

// TutorialByID gives one.
func TutorialByID(ctx context.Context, q db.Q, id int64) (*Tutorial, error) {
	return db.OneOf[Tutorial](ctx, q, "tutorial", selectTutorials+` WHERE t.id = $1`, id)
}
