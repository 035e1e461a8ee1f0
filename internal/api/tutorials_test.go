package api

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lectern/internal/enrol"
)

func TestStreamsAndTutorialsOfAUnit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("lonely", "tutorials", row{"unit_id": w.id["unitA"], "abbreviation": "LA9", "meeting_day": "Friday", "meeting_time": "9:00", "meeting_location": "Here"})
		streams, err := enrol.StreamsOf(t.Context(), w.db.Pool(), w.id["unitA"])
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]enrol.Stream{{ID: w.id["streamA"], Name: "Practical 1", Abbreviation: "prac-1", ActivityType: "prac"}}, streams); d != "" {
			t.Error(d)
		}
		tutorials, err := enrol.TutorialsOf(t.Context(), w.db.Pool(), w.id["unitA"])
		if err != nil {
			t.Fatal(err)
		}
		campus, tutor, stream := w.id["burwood"], w.id["tutor"], "prac-1"
		want := []enrol.Tutorial{
			{ID: w.id["tutorialA"], MeetingDay: "Monday", MeetingTime: "10:00", MeetingLocation: "ATC101", Abbreviation: "LA1", CampusID: &campus,
				Capacity: 20, StreamAbbr: &stream, NumStudents: 4, TutorID: &tutor},
			{ID: w.id["lonely"], MeetingDay: "Friday", MeetingTime: "9:00", MeetingLocation: "Here", Abbreviation: "LA9", Capacity: -1},
		}
		if d := cmp.Diff(want, tutorials); d != "" {
			t.Error(d)
		}
	})
}
