package notify

// What tests of the words of emails ask for: how a status is shown, and which attachments are named.
var (
	StatusOf = statusOf
	Attached = attached
)
