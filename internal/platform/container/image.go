package container

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// tagged adds the tag latest to a reference without one: without any, engines
// pull all there are.
func tagged(ref string) string {
	last := ref[strings.LastIndexByte(ref, '/')+1:]
	if strings.ContainsAny(last, ":@") {
		return ref
	}
	return ref + ":latest"
}

// ErrNoImage says that the engine does not have an image: it has to be pulled.
var ErrNoImage = errors.New("the container engine does not have the image")

// ImageID gives what an image of the engine is, by its content; ErrNoImage when
// it was not pulled.
func (e *Engine) ImageID(ctx context.Context, ref string) (string, error) {
	if err := CheckReference(ref); err != nil {
		return "", fmt.Errorf("the image %q %w", ref, err)
	}
	var image struct{ ID string }
	err := e.call(ctx, http.MethodGet, "/images/"+url.PathEscape(tagged(ref))+"/json", nil, nil, &image)
	if r, ok := errors.AsType[*Refused](err); ok && r.Status == http.StatusNotFound {
		return "", fmt.Errorf("%w %s", ErrNoImage, ref)
	}
	return image.ID, err
}

// pullStep is a line of what an engine says while it pulls.
type pullStep struct {
	ID       string
	Status   string
	Progress string
	Error    string
	Detail   struct{ Message string } `json:"errorDetail"`
}

func (s pullStep) String() string {
	text := s.Status
	if s.ID != "" && s.ID != text {
		text = s.ID + ": " + text
	}
	if s.Progress != "" {
		text += " " + s.Progress
	}
	return strings.TrimSpace(text)
}

// Pull fetches an image and tells each step of it to progress. That the registry
// does not give it is a *Refused.
func (e *Engine) Pull(ctx context.Context, ref string, progress func(step string)) error {
	if err := CheckReference(ref); err != nil {
		return fmt.Errorf("the image %q %w", ref, err)
	}
	r, err := e.request(ctx, http.MethodPost, "/images/create", url.Values{"fromImage": {tagged(ref)}}, nil)
	if err != nil {
		return err
	}
	answer, err := e.http.Do(r)
	if err != nil {
		return unavailable(ctx, err)
	}
	defer answer.Body.Close()
	if err := refused(answer); err != nil {
		return err
	}
	for d := json.NewDecoder(answer.Body); ; {
		var s pullStep
		if err := d.Decode(&s); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return unavailable(ctx, err)
		}
		if s.Error != "" || s.Detail.Message != "" {
			return &Refused{http.StatusBadGateway, cmp.Or(s.Error, s.Detail.Message)}
		}
		if text := s.String(); text != "" {
			progress(text)
		}
	}
}
