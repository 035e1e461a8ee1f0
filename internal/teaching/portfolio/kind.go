package portfolio

import (
	"io"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/teaching/taskdef"
)

// Check gives a test that a file is of a kind by its content, whatever it is
// called: fault.Unsupported when it is not, fault.TooLarge past MaxFile.
func Check(kind taskdef.UploadKind) func(io.ReaderAt, int64) error {
	return func(r io.ReaderAt, length int64) error {
		if length > MaxFile {
			return fault.New(fault.TooLarge, "The file is larger than %s.", bounds.SizeText(MaxFile))
		}
		return kind.Check(r, length)
	}
}
