package app

import (
	"os"
	"testing"

	"lectern/internal/platform/pdf"
)

// TestMain lets the program be the one that makes documents, too.
func TestMain(m *testing.M) {
	pdf.MaybeChild()
	os.Exit(m.Run())
}
