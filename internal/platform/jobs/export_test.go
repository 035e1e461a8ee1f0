package jobs

// Tidy does at once what a queue does every minute.
var Tidy = (*Queue).tidy

// Claim lets a queue look for jobs once.
var Claim = (*Queue).claim

// Rescue lets a queue look for lapsed leases once.
var Rescue = (*Queue).rescue
