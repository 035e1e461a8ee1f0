package similarity

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"lectern/internal/platform/pdf"
)

func TestMain(m *testing.M) {
	pdf.MaybeChild()
	os.Exit(m.Run())
}

// packed packs a file as it is, so that its bytes can be found again.
func packed(t *testing.T, name, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err == nil {
		_, err = w.Write([]byte(content))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func only(t *testing.T, data []byte) *zip.File {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return z.File[0]
}

// An archive may hold gigabytes, of which nothing is taken: a job that is to stop
// does not go through all of them first.
func TestReadingWhatWasHandedOutEndsWithItsContext(t *testing.T) {
	g := &giving{s: &Service{}, part: codePart, room: mostGiven}
	f := only(t, packed(t, "a.go", "package a"))
	if err := g.entry(t.Context(), f); err != nil || len(g.out) != 1 {
		t.Fatalf("%d files, %v", len(g.out), err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.entry(ended, f); !errors.Is(err, context.Canceled) || len(g.out) != 1 {
		t.Errorf("%d files, %v", len(g.out), err)
	}
}

// A damaged document is nobody's reason to compare nothing: it was not handed out.
func TestDamagedDocumentIsPassedOver(t *testing.T) {
	data := packed(t, "a.pdf", "%PDF-1.4 words")
	data[bytes.Index(data, []byte("words"))]++
	g := &giving{s: &Service{}, part: documentPart("file0"), room: mostGiven}
	if err := g.entry(t.Context(), only(t, data)); err != nil || len(g.out) != 0 {
		t.Errorf("%d files, %v", len(g.out), err)
	}
}
