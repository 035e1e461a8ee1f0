package demo

import (
	"lectern/internal/teaching/handover"
	"lectern/internal/teaching/note"
	"lectern/internal/teaching/snippet"
)

// phrases are reusable comments of the first unit.
var phrases = []string{"Well argued, and your tests show it.", "Name your tests after what they show.",
	"Say where you took this from: a line is enough.", "Read the task sheet again, part 2: this answers another question.",
	"Come and show me this in your next class."}

// staff gives the staff of the first unit something to write with, and a note on a
// student that only they see. In the third a tutor will be away for a week.
func (b *builder) staff() {
	u := b.id[units[0].code]
	for _, text := range phrases {
		if b.err == nil {
			_, b.err = snippet.Add(b.ctx, b.q, snippet.New{UserID: b.id[units[0].convenor], UnitID: &u, Text: text})
		}
	}
	if b.err == nil {
		_, b.err = note.Add(b.ctx, b.q, note.New{ProjectID: b.id[units[0].code+" project student_3"],
			UserID: b.id["atutor"], Flagged: true, Text: "Was ill in weeks 3 and 4. Ask how it goes before judging lateness."})
	}
	if ai := units[2].code; b.err == nil {
		_, b.err = handover.Add(b.ctx, b.q, handover.New{UnitID: b.id[ai], RoleID: b.id[ai+" angusmorton"],
			Staff: []int64{b.id[ai+" atutor"]}, From: b.today.AddDays(7), Until: b.today.AddDays(13)})
	}
}
