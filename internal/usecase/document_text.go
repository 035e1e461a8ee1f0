package usecase

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/files"
	"lectern/internal/platform/pdf"
)

const (
	mostText     = 200_000   // bytes of the text of one document
	mostTexts    = 4_000_000 // bytes of the texts that are kept
	textReadings = 2         // documents that are read at the same time
)

// Text is what can be read in a document.
type Text struct {
	Text string `json:"text" doc:"the words of its pages, one page after the other"`
	Cut  bool   `json:"cut" doc:"whether there is more of it than is given, which is at most 200 kB"`
}

// DocumentText takes the words out of a stored document. They are bounded, and those
// read last are kept. It is fault.Refused where none can be taken out.
func (s *Service) DocumentText(ctx context.Context, hash files.Hash) (*Text, error) {
	if t := s.texts.get(hash); t != nil {
		return t, nil
	}
	if err := s.texts.turn(ctx); err != nil {
		return nil, err
	}
	defer s.texts.done()
	if t := s.texts.get(hash); t != nil { // read while this one waited
		return t, nil
	}
	in, err := s.Files.Open(ctx, hash)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	words, err := pdf.TextOf(ctx, in, mostText+1, pdf.Limits{})
	if errors.Is(err, pdf.ErrNoText) {
		return nil, &fault.Error{Kind: fault.Refused, Code: "no_text", Err: err,
			Text: "This PDF has no readable text. Open the PDF instead."}
	}
	if err != nil {
		return nil, err
	}
	t := &Text{Cut: len(words) > mostText}
	t.Text = strings.TrimSpace(strings.ToValidUTF8(string(words[:min(len(words), mostText)]), ""))
	s.texts.keep(hash, t)
	return t, nil
}

// texts are the texts of the documents that were read last.
type texts struct {
	mu    sync.Mutex
	order []files.Hash // the latest last
	kept  map[files.Hash]*Text
	size  int
	turns chan struct{}
}

// turn waits until few enough documents are read.
func (t *texts) turn(ctx context.Context) error {
	t.mu.Lock()
	if t.turns == nil {
		t.turns = make(chan struct{}, textReadings)
	}
	turns := t.turns
	t.mu.Unlock()
	select {
	case turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *texts) done() { <-t.turns }

func (t *texts) get(hash files.Hash) *Text {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept[hash]
}

// keep adds a text and lets the oldest go that no longer fit.
func (t *texts) keep(hash files.Hash, one *Text) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept == nil {
		t.kept = map[files.Hash]*Text{}
	}
	t.kept[hash], t.size = one, t.size+len(one.Text)
	t.order = append(t.order, hash)
	for t.size > mostTexts {
		oldest := t.order[0]
		t.size -= len(t.kept[oldest].Text)
		delete(t.kept, oldest)
		t.order = slices.Delete(t.order, 0, 1)
	}
}
