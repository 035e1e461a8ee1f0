package taskdef

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"lectern/internal/ground/fault"
)

// images are the types taken as an image.
var images = []string{"image/png", "image/gif", "image/bmp", "image/tiff", "image/jpeg"}

// checkImage asks for a picture of a type that the document can show.
func checkImage(found *mimetype.MIME, _ io.ReaderAt, _ int64) error {
	if !slices.ContainsFunc(images, found.Is) {
		return refuse("a PNG, JPEG, GIF, BMP or TIFF image", found)
	}
	return nil
}

func refuse(want string, found *mimetype.MIME) error {
	kind, _, _ := strings.Cut(found.String(), ";")
	if kind == "application/octet-stream" {
		kind = "of an unknown type"
	}
	return fault.New(fault.Unsupported, "The file must be %s, but its content is %s.", want, kind)
}

const tailOfPDF = 4096

// checkDocument asks for a PDF that has its end.
func checkDocument(found *mimetype.MIME, r io.ReaderAt, size int64) error {
	if !found.Is("application/pdf") {
		return refuse("a PDF", found)
	}
	tail := make([]byte, min(size, tailOfPDF))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("look at the end of the file: %w", err)
	}
	if !bytes.Contains(tail, []byte("%%EOF")) {
		return fault.New(fault.Unsupported, "The PDF is incomplete. Export it again and upload the whole file.")
	}
	return nil
}

// checkIsText asks for text: of any kind and encoding, but without what no text
// holds. Only UTF-16 that says so at its start may have zero bytes.
func checkIsText(found *mimetype.MIME, r io.ReaderAt, size int64) error {
	if !isText(found) {
		return refuse("text, such as program code", found)
	}
	in := io.NewSectionReader(r, 0, size)
	var mark [2]byte
	if _, err := in.ReadAt(mark[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("look at the file: %w", err)
	}
	wide := mark == [2]byte{0xff, 0xfe} || mark == [2]byte{0xfe, 0xff}
	if wide && size%2 != 0 {
		return fault.New(fault.Unsupported, "The file is UTF-16 text that ends in the middle of a character. Save it "+
			"again as UTF-8 and upload that.")
	}
	buf, control := make([]byte, 64<<10), int64(0)
	for {
		n, err := io.ReadFull(in, buf)
		bad, zero := controls(buf[:n], wide, mark[0] == 0xfe)
		if control += bad; zero || control > 8 && control > size/50 {
			return fault.New(fault.Unsupported, "The file must be text, such as program code, but it holds binary "+
				"data.")
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look at the file: %w", err)
		}
	}
}

// controls counts the control characters of a piece and tells whether there is
// a zero among its characters.
func controls(b []byte, wide, bigFirst bool) (n int64, zero bool) {
	step, low, high := 1, 0, 0
	if wide {
		step, low, high = 2, 0, 1
		if bigFirst {
			low, high = 1, 0
		}
	}
	for i := 0; i+step <= len(b); i += step {
		if wide && b[i+high] != 0 {
			continue
		}
		switch c := b[i+low]; {
		case c == 0:
			return n, true
		case c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v' && c != 0x1b:
			n++
		}
	}
	return n, false
}

// isText tells whether a type is text or derived from it.
func isText(m *mimetype.MIME) bool {
	for ; m != nil; m = m.Parent() {
		if m.Is("text/plain") {
			return true
		}
	}
	return false
}
