package tca

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
)

// Permission sets of people at the service.
const (
	Learner    = "LEARNER"
	Instructor = "INSTRUCTOR"
)

// Submission is a document as the service is told of it, before its file.
type Submission struct {
	Owner               string      `json:"owner"`
	OwnerPermissions    string      `json:"owner_default_permission_set"`
	Title               string      `json:"title"`
	Submitter           string      `json:"submitter"`
	SubmitterPermission string      `json:"submitter_default_permission_set"`
	EULA                *Acceptance `json:"eula,omitempty"`
	Metadata            *Metadata   `json:"metadata,omitempty"`
}

// Metadata says what a submission belongs to.
type Metadata struct {
	Submitter *User    `json:"submitter,omitempty"`
	Owners    []User   `json:"owners,omitempty"`
	Group     *Group   `json:"group,omitempty"`
	Context   *Context `json:"group_context,omitempty"`
}

func submission(id string) string { return "/submissions/" + url.PathEscape(id) }

// AddSubmission makes a submission without a file and gives its id.
func (c *Client) AddSubmission(ctx context.Context, s *Submission) (string, error) {
	return c.made(ctx, call{method: http.MethodPost, path: "/submissions", send: s})
}

// UploadSubmission sends the file of a submission.
func (c *Client) UploadSubmission(ctx context.Context, id, name string, r io.Reader, length int64) error {
	return c.do(ctx, call{method: http.MethodPut, path: submission(id) + "/original", file: r, length: length,
		name: name, slow: true})
}

// Processed is how far the service is with a file.
type Processed struct {
	Status    string `json:"status"` // CREATED, PROCESSING, COMPLETE, DELETED or ERROR
	ErrorCode string `json:"error_code"`
}

// Submission tells how far a submission is.
func (c *Client) Submission(ctx context.Context, id string) (*Processed, error) {
	var p Processed
	err := c.do(ctx, call{method: http.MethodGet, path: submission(id), into: &p})
	return &p, err
}

// DeleteSubmission removes one with its file and its report.
func (c *Client) DeleteSubmission(ctx context.Context, id string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: submission(id)})
}

// ReportRequest says what a report is to compare with, and whether others will be
// compared with the work.
type ReportRequest struct {
	Index        bool
	Repositories []string
}

// RequestReport asks for the report of a submission.
func (c *Client) RequestReport(ctx context.Context, id string, w ReportRequest) error {
	type indexing struct {
		Add bool `json:"add_to_index"`
	}
	type generation struct {
		Repositories []string `json:"search_repositories"`
		Exclude      string   `json:"auto_exclude_self_matching_scope"`
		Priority     string   `json:"priority"`
	}
	return c.do(ctx, call{method: http.MethodPut, path: submission(id) + "/similarity", send: struct {
		Indexing   indexing   `json:"indexing_settings"`
		Generation generation `json:"generation_settings"`
	}{indexing{w.Index}, generation{w.Repositories, "GROUP_CONTEXT", "LOW"}}})
}

// Report is what a report found.
type Report struct {
	Status string `json:"status"` // PROCESSING or COMPLETE
	Pct    *int64 `json:"overall_match_percentage"`
}

// Report tells how far the report of a submission is.
func (c *Client) Report(ctx context.Context, id string) (*Report, error) {
	var r Report
	in := call{method: http.MethodGet, path: submission(id) + "/similarity", into: &r}
	err := c.do(ctx, in)
	if err == nil && r.Status == "COMPLETE" && (r.Pct == nil || *r.Pct < 0 || *r.Pct > 100) {
		err = in.rubbish(http.StatusOK, "it holds no percentage")
	}
	return &r, err
}

// RequestPDF asks for the report as a PDF and gives the id of that.
func (c *Client) RequestPDF(ctx context.Context, id string) (string, error) {
	return c.made(ctx, call{method: http.MethodPost, path: submission(id) + "/similarity/pdf",
		send: map[string]string{"locale": "en-US"}})
}

func pdf(id, pdfID string) string { return submission(id) + "/similarity/pdf/" + url.PathEscape(pdfID) }

// PDFStatus tells how far a PDF is: SUCCESS, PENDING or FAILED.
func (c *Client) PDFStatus(ctx context.Context, id, pdfID string) (string, error) {
	var out struct {
		Status string `json:"status"`
	}
	err := c.do(ctx, call{method: http.MethodGet, path: pdf(id, pdfID) + "/status", into: &out})
	return out.Status, err
}

// DownloadPDF hands the PDF to take, which sees at most MostPDF bytes that begin as
// a PDF does. It fails with the error of take.
func (c *Client) DownloadPDF(ctx context.Context, id, pdfID string, take func(io.Reader) error) error {
	in := call{method: http.MethodGet, path: pdf(id, pdfID), slow: true}
	answer, done, err := c.open(ctx, in)
	if err != nil {
		return err
	}
	defer done()
	r := bufio.NewReader(io.LimitReader(answer.Body, MostPDF))
	start, err := r.Peek(5)
	if err != nil && len(start) < 5 && err != io.EOF { //nolint:errorlint // as io.Reader gives it
		return in.broken(err)
	}
	if answer.StatusCode != http.StatusOK || !isPDF(start) {
		return in.rubbish(answer.StatusCode, errNoPDF.Error())
	}
	source := &watched{r: r}
	err = take(source)
	if source.err != nil {
		return in.broken(source.err)
	}
	return err
}

// watched remembers the error of what it reads, to tell it from the reader's own.
type watched struct {
	r   io.Reader
	err error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // as io.Reader gives it
		w.err = err
	}
	return n, err
}

// Viewer is somebody who wants to look at a report.
type Viewer struct {
	UserID      string      `json:"viewer_user_id"`
	Locale      string      `json:"locale"`
	Permissions string      `json:"viewer_default_permission_set"`
	EULA        *Acceptance `json:"eula,omitempty"`
}

// ViewerURL gives an address at which somebody can look at a report for a while.
func (c *Client) ViewerURL(ctx context.Context, id string, v *Viewer) (string, error) {
	var out struct {
		URL string `json:"viewer_url"`
	}
	in := call{method: http.MethodPost, path: submission(id) + "/viewer-url", send: v, into: &out}
	if err := c.do(ctx, in); err != nil {
		return "", err
	}
	u, err := url.Parse(out.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return "", in.rubbish(http.StatusOK, "it holds no address")
	}
	return out.URL, nil
}
