package notify

// StatusOf lets a test compare how emails and pages show a status.
var StatusOf = statusOf
