package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestLookingAtAStoreMakesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "files")
	for _, location := range []string{dir, "file://" + dir} {
		if _, err := Existing(t.Context(), location); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", location, err)
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := Existing(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Try(t.Context()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
