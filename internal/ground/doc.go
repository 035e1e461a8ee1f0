// Package ground holds what every other package may stand on: failures, time, values that may be
// absent, grades, one-line texts and sizes, tables of words, addresses of pages, the register of personal
// data. Nothing here knows a database, a network or a rule of teaching beyond a name.
//
// May import: nothing.
package ground
