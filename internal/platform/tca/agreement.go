package tca

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"time"
	"unicode/utf8"
)

// Features are what the service offers to this integration.
type Features struct {
	Tenant struct {
		RequireEULA bool `json:"require_eula"`
	} `json:"tenant"`
	Similarity struct {
		Generation struct {
			Repositories []string `json:"search_repositories"`
		} `json:"generation_settings"`
	} `json:"similarity"`
	Product string `json:"product_name"`
}

// Features asks what the service offers.
func (c *Client) Features(ctx context.Context) (*Features, error) {
	var f Features
	err := c.do(ctx, call{method: http.MethodGet, path: "/features-enabled", into: &f})
	return &f, err
}

// EULA is a version of the agreement that people accept before work of theirs is
// sent.
type EULA struct {
	Version string `json:"version"`
	URL     string `json:"url"`
}

// LatestEULA asks for the version in force.
func (c *Client) LatestEULA(ctx context.Context) (*EULA, error) {
	var e EULA
	in := call{method: http.MethodGet, path: "/eula/latest", into: &e}
	err := c.do(ctx, in)
	if err == nil && e.Version == "" {
		err = in.rubbish(http.StatusOK, "it names no version")
	}
	return &e, err
}

// EULAText gives the text of a version, which is HTML.
func (c *Client) EULAText(ctx context.Context, version string) (string, error) {
	in := call{method: http.MethodGet, path: "/eula/" + url.PathEscape(version) + "/view"}
	answer, done, err := c.open(ctx, in)
	if err != nil {
		return "", err
	}
	defer done()
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostEULA+1))
	switch {
	case err != nil:
		return "", in.broken(err)
	case len(text) > mostEULA || len(text) == 0 || !utf8.Valid(text):
		return "", in.rubbish(answer.StatusCode, "it is empty, too long or not text")
	}
	return string(text), nil
}

// Acceptance is that somebody agreed, as the service is told of it.
type Acceptance struct {
	UserID   string `json:"user_id,omitempty"`
	Language string `json:"language"`
	At       string `json:"accepted_timestamp"`
	Version  string `json:"version"`
}

// NewAcceptance makes one of a moment.
func NewAcceptance(user, version string, at time.Time) *Acceptance {
	return &Acceptance{UserID: user, Language: "en-US", At: at.UTC().Format(time.RFC3339), Version: version}
}

// AcceptEULA tells the service that somebody agreed.
func (c *Client) AcceptEULA(ctx context.Context, a *Acceptance) error {
	return c.do(ctx, call{method: http.MethodPost, path: "/eula/" + url.PathEscape(a.Version) + "/accept", send: a})
}

// Event is a kind of notification.
type Event string

// The notifications that are asked for.
const (
	SimilarityComplete Event = "SIMILARITY_COMPLETE"
	SubmissionComplete Event = "SUBMISSION_COMPLETE"
	SimilarityUpdated  Event = "SIMILARITY_UPDATED"
	PDFStatusChanged   Event = "PDF_STATUS"
	AttachmentComplete Event = "GROUP_ATTACHMENT_COMPLETE"
)

// Webhook is an address that the service notifies.
type Webhook struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

// Webhooks lists the addresses that are registered.
func (c *Client) Webhooks(ctx context.Context) ([]Webhook, error) {
	var list []Webhook
	err := c.do(ctx, call{method: http.MethodGet, path: "/webhooks", into: &list})
	return list, err
}

// AddWebhook registers an address for all notifications. The service takes the
// secret in base64 and signs with what that stands for.
func (c *Client) AddWebhook(ctx context.Context, address, secret string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	return c.do(ctx, call{method: http.MethodPost, path: "/webhooks", send: struct {
		Secret      string  `json:"signing_secret"`
		Description string  `json:"description"`
		URL         string  `json:"url"`
		Events      []Event `json:"event_types"`
		Insecure    bool    `json:"allow_insecure,omitempty"`
	}{base64.StdEncoding.EncodeToString([]byte(secret)), "Lectern", address,
		[]Event{SimilarityComplete, SubmissionComplete, SimilarityUpdated, PDFStatusChanged, AttachmentComplete},
		u.Scheme == "http"}})
}

// DeleteWebhook removes a registered address.
func (c *Client) DeleteWebhook(ctx context.Context, id string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: "/webhooks/" + url.PathEscape(id)})
}
