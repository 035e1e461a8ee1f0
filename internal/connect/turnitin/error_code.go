package turnitin

import (
	"context"
	"errors"
	"fmt"

	"lectern/internal/platform/tca"
)

// ErrorCode says why an action failed. The words are part of the wire.
type ErrorCode string

// The codes.
const (
	NoAgreement      ErrorCode = "no_user_with_accepted_eula"
	ExcessiveRetries ErrorCode = "excessive_retries"
	MalformedRequest ErrorCode = "malformed_request"
	KeyRefused       ErrorCode = "authentication_error"
	NoSubmission     ErrorCode = "missing_submission"
	NoGroup          ErrorCode = "missing_group"
	GenerationFailed ErrorCode = "generation_failed"
	TooLarge         ErrorCode = "invalid_submission_size_too_large"
	Empty            ErrorCode = "invalid_submission_size_empty"
	RateLimited      ErrorCode = "rate_limited"
	NotAvailable     ErrorCode = "service_not_available"
	Other            ErrorCode = "custom_tii_error"
)

// failure is why an action did not get on.
type failure struct {
	code  ErrorCode
	text  string // a sentence for people
	again bool   // another try may succeed
}

func (f *failure) Error() string { return f.text }

// errBusy says that the service is still at work: ask again later.
var errBusy = errors.New("the similarity service is still at work on it")

// errLost says that what an action is about is no longer there.
var errLost = errors.New("what this was about is no longer there")

// failureOf finds out what a failed step means for its action.
func failureOf(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	e, ok := errors.AsType[*tca.Error](err)
	if !ok {
		return &failure{Other, "Lectern itself failed; its log says why.", true}
	}
	text := sentence(e)
	switch {
	case e.Status == tca.Malformed:
		return &failure{MalformedRequest, text, false}
	case e.Status == tca.KeyRefused || e.Status == tca.Unauthorized:
		return &failure{KeyRefused, text + " The key of the similarity service is not, or no longer, right.", false}
	case e.Status == tca.TooManyCalls:
		return &failure{RateLimited, text, true}
	case e.Status == tca.NotAgreedUpon:
		return &failure{NoAgreement, text + " Whoever submitted the work has to accept the agreement.", false}
	case e.Status == tca.TooLarge:
		return &failure{TooLarge, text, false}
	case e.Status == tca.NothingIn:
		return &failure{Empty, text, false}
	case e.Unavailable():
		return &failure{NotAvailable, text, true}
	}
	return &failure{Other, text, false}
}

// sentence puts a failed call into a sentence.
func sentence(e *tca.Error) string {
	switch {
	case e.Status == 0:
		return fmt.Sprintf("The similarity service was not reached: %s.", e.Message)
	case e.Message == "":
		return fmt.Sprintf("The similarity service answered %d.", e.Status)
	}
	return fmt.Sprintf("The similarity service answered %d: %s.", e.Status, e.Message)
}

// unless gives f where a call failed with a status, and err otherwise.
func unless(err error, status int, f *failure) error {
	if tca.StatusOf(err) == status {
		return f
	}
	return err
}

// stopping tells whether a step ended because the program stops.
func stopping(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.Canceled)
}
