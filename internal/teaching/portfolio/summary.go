package portfolio

import (
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// maxSummary is how many characters a learning summary that is typed in may have.
const maxSummary = 50_000

// Summary is the learning summary of a portfolio as far as it was typed in.
type Summary struct {
	Text string `json:"text"` // Markdown; empty where a file was sent, or nothing
}

// CheckSummary refuses a learning summary that says nothing or too much.
func CheckSummary(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return fault.Field(fault.Refused, "text", "is empty: write your learning summary, or upload it as a PDF")
	case utf8.RuneCountInString(text) > maxSummary:
		return fault.Field(fault.Refused, "text", "has more than %d characters: shorten it, or upload it as a PDF",
			maxSummary)
	}
	return nil
}

// SummaryOf gives the learning summary that a student typed in. It is empty where
// there is none, or another file is in its place.
func SummaryOf(ctx context.Context, q db.Q, store files.Store, projectID int64) (*Summary, error) {
	list, err := db.All[string](ctx, q, `SELECT hash FROM portfolio_files WHERE project_id = $1 AND idx = $2
		AND name = $3`, projectID, summaryIdx, summaryText)
	if err != nil || len(list) == 0 {
		return &Summary{}, err
	}
	f, err := store.Open(ctx, files.Hash(list[0]))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSummary*utf8.UTFMax))
	return &Summary{string(text)}, err
}
