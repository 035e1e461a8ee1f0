package files

import (
	"bytes"
	"fmt"
	"io"

	"lectern/internal/ground/fault"
)

// CheckPDF looks for the marks a PDF begins and ends with, and refuses what
// lacks one with fault.Unsupported. It reads no more than 5 KB.
func CheckPDF(r io.ReaderAt, size int64) error {
	head, err := Window(r, 0, min(size, 1024))
	if err != nil {
		return err
	}
	tail, err := Window(r, max(0, size-4096), size)
	if err != nil {
		return err
	}
	if !bytes.Contains(head, []byte("%PDF-")) || !bytes.Contains(tail, []byte("%%EOF")) {
		return fault.New(fault.Unsupported, "The file is not a PDF, or it is incomplete.")
	}
	return nil
}

// Window reads the bytes of a file between two positions, all of which it must
// have.
func Window(r io.ReaderAt, from, to int64) ([]byte, error) {
	b := make([]byte, to-from)
	if n, err := r.ReadAt(b, from); n < len(b) {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	return b, nil
}
