package demo

import (
	"fmt"

	"lectern/internal/ground/clock"
)

// calendar makes campuses, activity types and three teaching periods: the last
// one, the present one, which began six weeks ago, and the next.
func (b *builder) calendar() {
	b.add("Online", "campuses", row{"name": "Online", "mode": "timetable", "abbreviation": "C", "active": true})
	b.add("Burwood", "campuses", row{"name": "Burwood", "mode": "automatic", "abbreviation": "B", "active": true})
	b.add("Geelong", "campuses", row{"name": "Geelong", "mode": "manual", "abbreviation": "G", "active": true})
	b.add("prac", "activity_types", row{"name": "Practical", "abbreviation": "prac"})
	b.add("wrkshop", "activity_types", row{"name": "Workshop", "abbreviation": "wrkshop"})
	b.add("cls", "activity_types", row{"name": "Class", "abbreviation": "cls"})

	present := b.monday().AddDays(-6 * 7)
	b.period("past", present.AddDays(-18*7), 1)
	b.period("present", present, 1)
	b.period("next", present.AddDays(18*7), 2)
}

// weeks is how long a period lasts, breaks included.
const weeks = 14

// period makes a teaching period with one break after its eighth week. Its name
// is the trimester of the year it begins in.
func (b *builder) period(name string, start clock.Date, breakWeeks int) {
	end := start.AddDays(weeks*7 - 3)
	p := b.add(name, "teaching_periods", row{"period": fmt.Sprintf("T%d", (int(start.Month())-1)/4+1),
		"year":       start.Year(),
		"start_date": clock.At(start.Time), "end_date": clock.At(end.Time),
		"active_until": clock.At(end.AddDays(28).Time)})
	b.add(name+" break", "breaks", row{"teaching_period_id": p, "start_date": start.AddDays(8 * 7),
		"number_of_weeks": breakWeeks})
}
