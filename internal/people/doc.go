// Package people knows who somebody is and what they may do: accounts, sessions, sign-in with an
// institution, the table of rights, and what a caller is on the record a request is about.
//
// May import: ground, platform.
package people
