package site_test

import (
	"os"
	"testing"

	documents "lectern/internal/platform/pdf"
)

// TestMain lets the tests' own program read files for documents, as the service's
// does.
func TestMain(m *testing.M) {
	documents.MaybeChild()
	os.Exit(m.Run())
}
