package demo

import (
	"io/fs"
	"os"
	"testing"
)

// The demo's package is the one of the documentation.
func TestPackageOfTheDocumentation(t *testing.T) {
	docs := os.DirFS("../../docs/assessment")
	count := func(from fs.FS) (n int) {
		_ = fs.WalkDir(from, "text-diff", func(_ string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				n++
			}
			return err
		})
		return n
	}
	if a, b := count(diffPackage), count(docs); a == 0 || a != b {
		t.Fatalf("%d files, and %d in the documentation", a, b)
	}
	err := fs.WalkDir(diffPackage, "text-diff", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		ours, err := fs.ReadFile(diffPackage, path)
		if err != nil {
			return err
		}
		theirs, err := fs.ReadFile(docs, path)
		if string(ours) != string(theirs) {
			t.Errorf("%s differs from docs/assessment", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
