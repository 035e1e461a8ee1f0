package turnitin

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"lectern/internal/platform/files"
)

// interrupting is a store that ends a context once a file is open.
type interrupting struct {
	files.Store
	end context.CancelFunc
}

func (i interrupting) Open(ctx context.Context, h files.Hash) (files.File, error) {
	defer i.end()
	return i.Store.Open(ctx, h)
}

// A job that is to stop does not unpack all documents of a task first, and takes
// none of them for damaged.
func TestUnpackingResourcesEndsWithItsContext(t *testing.T) {
	store, err := files.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("a.docx")
	if err == nil {
		_, err = w.Write(make([]byte, leastDocument))
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	info, err := store.Put(t.Context(), &b)
	if err != nil {
		t.Fatal(err)
	}
	s := &Service{Files: store, Log: slog.New(slog.DiscardHandler)}
	if found, err := s.documentsIn(t.Context(), info.Hash); len(found) != 1 || err != nil {
		t.Fatalf("%v, %v", found, err)
	}
	ctx, end := context.WithCancel(t.Context())
	s.Files = interrupting{store, end}
	if found, err := s.documentsIn(ctx, info.Hash); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", found, err)
	}
	tmp, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer tmp.Close()
	ctx, end = context.WithCancel(t.Context())
	s.Files = interrupting{store, end}
	if _, err := s.unpack(ctx, info.Hash, &Attachment{Filename: "a.docx"}, tmp); !errors.Is(err, context.Canceled) {
		t.Errorf("unpacked with %v", err)
	}
}
