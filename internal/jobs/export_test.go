package jobs

// Tidy does at once what a queue does every minute.
var Tidy = (*Queue).tidy
