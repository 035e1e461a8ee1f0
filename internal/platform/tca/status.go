package tca

// Statuses by which the service says why it refused a call.
const (
	Malformed     = 400
	Unauthorized  = 401
	KeyRefused    = 403
	NotFound      = 404
	Conflict      = 409
	TooLarge      = 413
	NothingIn     = 422
	TooManyCalls  = 429
	NotAgreedUpon = 451
)
