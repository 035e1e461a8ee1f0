package app

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"unicode/utf8"

	"lectern/internal/platform/pdf"
	"lectern/internal/usecase"
)

// Statements are what the institution itself says to people, in its own pages of the help.
type Statements struct {
	PrivacyPage       string `placeholder:"FILE|URL" help:"Statement on privacy: a Markdown file or an address."`
	PlagiarismPage    string `placeholder:"FILE|URL" help:"Rules on plagiarism: a Markdown file or an address."`
	AccessibilityPage string `placeholder:"FILE|URL" help:"Statement on accessibility: likewise."`
}

// read reads them all, and tells of each that cannot be shown.
func (s *Statements) read() (map[usecase.Matter]usecase.Statement, error) {
	out, wrong := map[usecase.Matter]usecase.Statement{}, []error{}
	for _, one := range []struct {
		on         usecase.Matter
		flag, from string
	}{{usecase.OnPrivacy, "--privacy-page", s.PrivacyPage},
		{usecase.OnPlagiarism, "--plagiarism-page", s.PlagiarismPage},
		{usecase.OnAccessibility, "--accessibility-page", s.AccessibilityPage}} {
		st, err := readStatement(one.from)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", one.flag, err))
		}
		out[one.on] = st
	}
	return out, errors.Join(wrong...)
}

func (s *Statements) check() error {
	_, err := s.read()
	return err
}

// readStatement reads a statement from a file, unless it is the address of one.
func readStatement(from string) (st usecase.Statement, err error) {
	if from == "" {
		return st, nil
	}
	if scheme, _, ok := strings.Cut(from, "://"); ok {
		u, err := url.Parse(from)
		if err != nil || u.Host == "" || u.User != nil || scheme != "http" && scheme != "https" {
			return st, fmt.Errorf("%q is no address that begins with https://", from)
		}
		return usecase.Statement{Link: from}, nil
	}
	info, err := os.Stat(from)
	if err != nil {
		return st, err
	}
	if info.Size() > pdf.ProseLongest {
		return st, fmt.Errorf("%s has %d bytes, and a page takes at most %d: shorten it, or give an address", from,
			info.Size(), pdf.ProseLongest)
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return st, err
	}
	if !utf8.Valid(text) || strings.TrimSpace(string(text)) == "" {
		return st, fmt.Errorf("%s is no text in UTF-8", from)
	}
	return usecase.Statement{Text: string(text)}, nil
}
