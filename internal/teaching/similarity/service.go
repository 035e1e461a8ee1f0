package similarity

import (
	"context"
	"fmt"
	"log/slog"

	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/pdf"
	"lectern/internal/teaching/similarity/engine"
)

// Service compares work and shows what was found. One serves the whole process: it
// keeps the indexes of the tasks that were handed in last.
type Service struct {
	DB     *db.DB
	Files  files.Store
	Log    *slog.Logger
	Limits pdf.Limits // of reading documents
	// MinScore is the score from which a pair is flagged; similar.DefaultScore when 0.
	MinScore int
	// Days is how long fingerprints are kept; 0: for ever.
	Days int
	// Memory bounds the indexes, in fingerprints; DefaultMemory when 0. What no
	// longer fits is read again when it is needed.
	Memory int

	classes classes
}

// minScore is the threshold of the score.
func (s *Service) minScore() float64 {
	if s.MinScore == 0 {
		return engine.DefaultScore
	}
	return float64(s.MinScore)
}

// documentText takes the words out of a document.
func (s *Service) documentText(ctx context.Context, hash files.Hash, most int64) ([]byte, error) {
	in, err := s.Files.Open(ctx, hash)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := pdf.TextOf(ctx, in, most, s.Limits)
	if err != nil {
		return nil, fmt.Errorf("take the text out of a document: %w", err)
	}
	return text, nil
}
