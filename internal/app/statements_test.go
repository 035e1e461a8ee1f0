package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lectern/internal/platform/pdf"
	"lectern/internal/usecase"
)

// A statement is a file or an address; one that could not be shown stops the start, and says why.
func TestStatementsAreReadOrRefused(t *testing.T) {
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "statement.md")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	good := Statements{PrivacyPage: file("# Privacy"), PlagiarismPage: file(strings.Repeat("a", pdf.ProseLongest)),
		AccessibilityPage: "https://uni.example/a11y"}
	got, err := good.read()
	if err != nil || got[usecase.OnPrivacy].Text != "# Privacy" ||
		len(got[usecase.OnPlagiarism].Text) != pdf.ProseLongest ||
		got[usecase.OnAccessibility].Link != "https://uni.example/a11y" {
		t.Errorf("%.200v %v", got, err)
	}
	for from, want := range map[string]string{
		file(strings.Repeat("a", pdf.ProseLongest+1)): "has 65537 bytes, and a page takes at most 65536",
		file("caf\xe9"): "no text in UTF-8", file(" \n"): "no text in UTF-8", t.TempDir() + "/none.md": "no such file",
		t.TempDir():                  "is a directory",
		"javascript://x/%0aalert(1)": "begins with https://", "https://": "begins with https://",
		"https://me:secret@uni.example/": "begins with https://"} {
		s := Settings{Addr: "127.0.0.1:0", Statements: Statements{AccessibilityPage: from}}
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), "--accessibility-page: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", from, err, want)
		}
	}
}
