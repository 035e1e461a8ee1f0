package enrol

import (
	"context"

	"lectern/internal/platform/db"
)

// Choice is a tutorial as one student of its unit can choose it.
type Choice struct {
	Tutorial
	Names
	Enrolled   bool   `json:"enrolled"`   // the student is in it
	PlacesLeft *int64 `json:"seats_left"` // nil: there is no limit
	Refusal    string `json:"refusal"`    // why the student cannot join it or, where they are in it, leave it
	Why        error  `json:"-"`          // the same as an error
}

// Names are what people call that which a tutorial refers to by ids.
type Names struct {
	Tutor  *string `db:"tutor" json:"tutor"`
	Campus *string `db:"campus" json:"campus"`
	Stream *string `db:"stream" json:"tutorial_stream"`
}

// ChoicesOf lists the tutorials of a student's unit, with what their rules say of
// each. Exceed tells whether a full one may be taken all the same.
func ChoicesOf(ctx context.Context, q db.Q, unitID, projectID int64, exceed bool) ([]Choice, error) {
	list, err := TutorialsOf(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	named := map[int64]Names{}
	for n, err := range db.Each[struct {
		ID int64 `db:"id"`
		Names
	}](ctx, q, `SELECT t.id, u.first_name || ' ' || u.last_name AS tutor, c.name AS campus, s.name AS stream
		FROM tutorials t LEFT JOIN unit_roles r ON r.id = t.unit_role_id LEFT JOIN users u ON u.id = r.user_id
		LEFT JOIN campuses c ON c.id = t.campus_id LEFT JOIN tutorial_streams s ON s.id = t.tutorial_stream_id
		WHERE t.unit_id = $1`, unitID) {
		if err != nil {
			return nil, err
		}
		named[n.ID] = n.Names
	}
	now, err := readAllocation(ctx, q, unitID, []int64{projectID}, exceed)
	if err != nil {
		return nil, err
	}
	out := make([]Choice, len(list))
	for i, t := range list {
		out[i] = Choice{Tutorial: t, Names: named[t.ID]}
		now.rate(now.students[projectID], &out[i])
	}
	return out, nil
}

// rate tells what the rules say of a choice. It changes nothing.
func (s *allocation) rate(p *student, c *Choice) {
	t := s.tutorials[c.ID]
	c.Enrolled = enrolledIn(p.held, c.ID)
	if t.Capacity > 0 {
		left := max(t.Capacity-t.Taken, 0)
		c.PlacesLeft = &left
	}
	restore := s.state(p)
	defer restore()
	var err error
	if c.Enrolled {
		err = s.leave(p, []int64{c.ID})
	} else {
		err = s.take(p, t)
	}
	if err != nil {
		c.Refusal, c.Why = err.Error(), err
	}
}
