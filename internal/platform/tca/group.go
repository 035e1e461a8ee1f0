package tca

import (
	"context"
	"io"
	"net/http"
	"net/url"
)

// User is a person as the service is told of them.
type User struct {
	ID         string `json:"id"`
	FamilyName string `json:"family_name,omitempty"`
	GivenName  string `json:"given_name,omitempty"`
}

// Context is what groups belong to: a course.
type Context struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Owners []User `json:"owners,omitempty"`
}

// Group is what submissions belong to: an assignment.
type Group struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Context *Context `json:"group_context,omitempty"`
	Due     string   `json:"due_date,omitempty"`
	Reports string   `json:"report_generation,omitempty"`
}

// PutGroup makes a group, or changes the one of that id.
func (c *Client) PutGroup(ctx context.Context, g *Group) error {
	return c.do(ctx, call{method: http.MethodPut, path: "/groups/" + url.PathEscape(g.ID), send: g})
}

// Attachment is a file of a group, whose text is not held against those who use it.
type Attachment struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Status    string `json:"status"` // CREATED, PROCESSING, COMPLETE, ERROR or DELETE
	ErrorCode string `json:"error_code"`
}

func attachments(group string) string { return "/groups/" + url.PathEscape(group) + "/attachments" }

func attachment(group, id string) string { return attachments(group) + "/" + url.PathEscape(id) }

// Attachments lists those of a group.
func (c *Client) Attachments(ctx context.Context, group string) ([]Attachment, error) {
	var out struct {
		Attachments []Attachment `json:"attachments"`
	}
	err := c.do(ctx, call{method: http.MethodGet, path: attachments(group), into: &out})
	return out.Attachments, err
}

// AddAttachment makes an attachment without a file and gives its id.
func (c *Client) AddAttachment(ctx context.Context, group, title string) (string, error) {
	in := call{method: http.MethodPost, path: attachments(group), send: struct {
		Title    string `json:"title"`
		Template bool   `json:"template"`
	}{title, false}}
	return c.made(ctx, in)
}

// made is a call whose answer holds the id of what it made.
func (c *Client) made(ctx context.Context, in call) (string, error) {
	var out struct {
		ID string `json:"id"`
	}
	in.into = &out
	err := c.do(ctx, in)
	if err == nil && out.ID == "" {
		err = in.rubbish(http.StatusOK, "it holds no id")
	}
	return out.ID, err
}

// UploadAttachment sends the file of an attachment.
func (c *Client) UploadAttachment(ctx context.Context, group, id, name string, r io.Reader, length int64) error {
	return c.do(ctx, call{method: http.MethodPut, path: attachment(group, id) + "/original", file: r, length: length,
		name: name, slow: true})
}

// Attachment tells how far an attachment is.
func (c *Client) Attachment(ctx context.Context, group, id string) (*Attachment, error) {
	var a Attachment
	err := c.do(ctx, call{method: http.MethodGet, path: attachment(group, id), into: &a})
	return &a, err
}

// DeleteAttachment removes one.
func (c *Client) DeleteAttachment(ctx context.Context, group, id string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: attachment(group, id)})
}
