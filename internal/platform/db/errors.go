package db

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"lectern/internal/ground/fault"
)

// PostgreSQL's codes for what both engines can refuse; SQLite's are put to them.
const (
	uniqueViolation  = "23505"
	foreignViolation = "23503"
	checkViolation   = "23514"
	serialisation    = "40001"
	deadlock         = "40P01"
	undefinedTable   = "42P01"
)

var sqliteCodes = map[int]string{
	lib.SQLITE_CONSTRAINT_UNIQUE:     uniqueViolation,
	lib.SQLITE_CONSTRAINT_PRIMARYKEY: uniqueViolation,
	lib.SQLITE_CONSTRAINT_FOREIGNKEY: foreignViolation,
	lib.SQLITE_CONSTRAINT_CHECK:      checkViolation,
}

func code(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return sqliteCodes[e.Code()]
	}
	return ""
}

// explain turns the engines' constraint errors into faults, so that a race
// caught only by a constraint is still answered as a conflict. Domain code that
// can say more (which name is taken) checks first or asks Duplicate.
func explain(err error) error {
	switch code(err) {
	case uniqueViolation:
		return &fault.Error{Kind: fault.Conflict, Text: "This already exists.", Err: err}
	case foreignViolation:
		return &fault.Error{Kind: fault.Conflict, Text: "This is in use, or refers to something that was deleted.",
			Err: err}
	case checkViolation:
		return &fault.Error{Kind: fault.Invalid, Text: "A value is outside what is allowed.", Err: err}
	}
	return markUnavailable(err)
}

// Duplicate tells whether err is a breach of a unique constraint. After it the
// transaction is lost on PostgreSQL: give up, do not go on.
func Duplicate(err error) bool { return code(err) == uniqueViolation }

// InUse tells whether err is a breach of a foreign key.
func InUse(err error) bool { return code(err) == foreignViolation }

// noTable tells whether err is about a table that is not there.
func noTable(err error) bool {
	if e, ok := errors.AsType[*sqlite.Error](err); ok { // which has no code of its own for that
		return e.Code() == lib.SQLITE_ERROR && strings.Contains(e.Error(), "no such table")
	}
	return code(err) == undefinedTable
}

func retryable(err error) bool {
	c := code(err)
	return c == serialisation || c == deadlock
}
