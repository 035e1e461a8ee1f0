package db

import (
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// unavailableError is what the engine said when it could not be reached or had no room.
type unavailableError struct{ error }

func (e *unavailableError) Unwrap() error { return e.error }

// Unavailable tells whether err came about because the database could not be reached, was
// stopping or starting, or could not write: whoever tries again later may succeed.
func Unavailable(err error) bool {
	_, ok := errors.AsType[*unavailableError](err)
	return ok
}

// markUnavailable gives err with the mark that Unavailable looks for, where it is of that sort.
func markUnavailable(err error) error {
	if err == nil || Unavailable(err) || !isUnavailable(err) {
		return err
	}
	return &unavailableError{err}
}

func isUnavailable(err error) bool {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		switch e.Code() & 0xff { // without the details
		case lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN:
			return true
		}
		return false
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return strings.HasPrefix(e.Code, "57P0") || strings.HasPrefix(e.Code, "53") ||
			strings.HasPrefix(e.Code, "08")
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	_, network := errors.AsType[*net.OpError](err)
	return network || pgconn.SafeToRetry(err) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE)
}
