package page

import (
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/usecase"
	"lectern/internal/web/params"
)

// Uploaded is a file of the request as use cases take it.
func Uploaded(u *params.Upload) usecase.Upload {
	return usecase.Upload{Name: u.Name, Size: u.Size, Open: u.Open}
}

// Chosen refuses a form without its file.
func (s *Site) Chosen(u *params.Upload) error {
	if u == nil || u.Name == "" && u.Size == 0 {
		return fault.New(fault.Invalid, "%s", s.Word("portfolio.choose"))
	}
	return nil
}

// Wrote refuses to give the words of one person as those of another: a page that kept
// them says by whom they are, and somebody else may have signed in meanwhile. 0 is
// whoever sends them.
func Wrote(who *access.Caller, by int64) error {
	if by != 0 && by != who.ID {
		return fault.New(fault.Denied, "Another user wrote this. Sign in as that user to send it.")
	}
	return nil
}
