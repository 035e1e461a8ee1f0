package demo

import (
	"fmt"
	"time"

	"lectern/internal/db"
	"lectern/internal/work"
)

// What tutors and students write to each other in the demo units.
var (
	praise    = []string{"Good structure, and your names tell what things are. Let us talk about the loop on Monday.", "This works. Try it with an empty list before we discuss it.", "Clear and well tested. Show me in class how you found the last mistake."}
	requests  = []string{"Almost: the program stops when the input is negative. Fix that and hand it in again.", "Please split the long procedure; I could not follow its second half."}
	questions = []string{"I do not understand why my array is one too short. Could you have a look?", "The program runs here but not in the lab. What am I missing?"}
	thanks    = []string{"Thank you! I have changed it.", "Got it, thanks. – And the ≤ should be <, right?"}
)

// say adds a comment at a moment of the past.
func (b *builder) say(u *unit, who, student string, d definition, when time.Time, text string) {
	if b.err != nil || !b.past(when) {
		return
	}
	_, err := work.Say(b.ctx, db.At(b.q, when), nil, work.Reader{UserID: b.id[who], Staff: who != student}, b.place(u, student, d), work.Saying{Text: text})
	if err != nil {
		b.err = fmt.Errorf("demo: %s writes about %s of %s in %s: %w", who, d.abbr, student, u.code, err)
	}
}

// extend asks for more time at a moment of the past.
func (b *builder) extend(u *unit, student string, d definition, when time.Time, reason string, weeks int) {
	if b.err != nil || !b.past(when) {
		return
	}
	_, err := work.RequestExtension(b.ctx, db.At(b.q, when), work.Reader{UserID: b.id[student]}, b.place(u, student, d), reason, weeks)
	if err != nil {
		b.err = fmt.Errorf("demo: %s asks for an extension of %s in %s: %w", student, d.abbr, u.code, err)
	}
}

func (b *builder) place(u *unit, student string, d definition) work.Place {
	return work.Place{ProjectID: b.id[u.code+" project "+student], DefinitionID: b.id[u.code+" "+d.abbr]}
}
