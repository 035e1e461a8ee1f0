package saml

import (
	"fmt"

	"lectern/internal/ground/fault"
)

// refusal is why an answer is not believed. The person hears only what to do, so
// that nobody learns from it how far a forgery got.
type refusal struct {
	why  string // for the log
	says string // for the person; the common sentence when empty
}

func (r *refusal) Error() string { return r.why }

// forPerson is the refusal as an error for the person, without the reason.
func (r *refusal) forPerson() error {
	says := r.says
	if says == "" {
		says = "The answer of your institution's sign-in could not be verified. Start again at the sign-in page, and " +
			"tell an administrator if it happens again."
	}
	return fault.New(fault.Unknown, "%s", says)
}

// refuse makes a refusal with the common sentence.
func refuse(format string, args ...any) error { return &refusal{why: fmt.Sprintf(format, args...)} }

// saying is refuse with a sentence of its own.
func saying(says, format string, args ...any) error {
	return &refusal{why: fmt.Sprintf(format, args...), says: says}
}

const (
	saysLate  = "The sign-in took too long. Start again at the sign-in page."
	saysClock = "The clock of this service and that of your institution's sign-in differ. Tell an administrator."
	saysUsed  = "This sign-in has been used already. Start again at the sign-in page."
	saysStart = "Start at the sign-in page of this service: a sign-in that begins elsewhere is not taken here."
	saysNo    = "Your institution's sign-in did not let you in. Start again, or ask those who run it."
)
