// Package usecase holds what reaches into several domain packages at once:
// changes with the duties that follow from them and the right of each field, and
// composite reads as one caller sees them. It knows no HTTP, so that every face
// does and shows the same.
//
// May import: ground, platform, people, teaching, connect.
package usecase
