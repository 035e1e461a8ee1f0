// Package mailtest runs a real SMTP server for tests, which keeps what it is sent, and holds one
// email of every kind to look at.
package mailtest

import (
	"bytes"
	"encoding/base64"
	"errors"
	"html"
	"io"
	"mime"
	"mime/multipart"
	"net"
	netmail "net/mail"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
)

// Server is a real SMTP server that keeps what it is sent.
type Server struct {
	Addr   string
	mu     sync.Mutex
	got    []delivery
	refuse error
	taken  func()
}

type delivery struct {
	to   []string
	data []byte
}

// Listen runs a server for the test.
func Listen(t *testing.T) *Server {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Addr: l.Addr().String()}
	srv := smtp.NewServer(s)
	srv.Domain, srv.ErrorLog = "localhost", quiet{}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	t.Cleanup(func() { srv.Close(); l.Close(); <-done })
	return s
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

// NewSession implements smtp.Backend.
func (s *Server) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }

// Answer sets what the server refuses emails with, nil for none, and what runs after it took one.
func (s *Server) Answer(refuse error, taken func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse, s.taken = refuse, taken
}

// Emails gives what arrived since the last time, sorted by whom it is for.
func (s *Server) Emails(t *testing.T) []Arrived {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []Arrived{}
	for _, d := range s.got {
		out = append(out, read(t, d))
	}
	s.got = nil
	slices.SortFunc(out, func(a, b Arrived) int { return strings.Compare(a.To, b.To) })
	return out
}

type session struct {
	server *Server
	to     []string
}

func (*session) Mail(string, *smtp.MailOptions) error { return nil }
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}
func (s *session) Reset()      { s.to = nil }
func (*session) Logout() error { return nil }
func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.server.refuse != nil {
		return s.server.refuse
	}
	s.server.got = append(s.server.got, delivery{s.to, data})
	if s.server.taken != nil {
		s.server.taken()
	}
	return nil
}

// Arrived is an email as a mail program sees it.
type Arrived struct {
	To      string // without its host
	Subject string
	Text    string
	HTML    string
	Picture []byte // what the HTML shows by its id
	Header  netmail.Header
}

func read(t *testing.T, d delivery) Arrived {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(d.data))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.to) != 1 {
		t.Errorf("the email goes to %v", d.to)
	}
	to, _, _ := strings.Cut(d.to[0], "@")
	a := Arrived{To: to, Header: m.Header}
	if a.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		t.Error(err)
	}
	a.parts(t, m.Header.Get("Content-Type"), m.Body)
	if a.Text == "" || a.HTML == "" {
		t.Error("the email lacks a part")
	}
	return a
}

// parts reads the parts of a message, and the parts of those.
func (a *Arrived) parts(t *testing.T, kind string, body io.Reader) {
	t.Helper()
	_, params, err := mime.ParseMediaType(kind)
	if err != nil {
		t.Fatal(err)
	}
	for parts := multipart.NewReader(body, params["boundary"]); ; {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		kind := p.Header.Get("Content-Type")
		if strings.HasPrefix(kind, "multipart/") {
			a.parts(t, kind, p)
			continue
		}
		data, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		a.keep(t, kind, p.Header.Get("Content-Id"), data)
	}
}

func (a *Arrived) keep(t *testing.T, kind, id string, data []byte) {
	t.Helper()
	switch kind, _, _ := strings.Cut(kind, ";"); kind {
	case "text/plain":
		a.Text = string(data)
	case "text/html":
		a.HTML = string(data)
	case "image/png":
		picture, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(data)))
		if err != nil || !strings.Contains(a.HTML, `src="cid:`+strings.Trim(id, "<>")+`"`) {
			t.Errorf("the picture %s is not shown: %v", id, err)
		}
		a.Picture = picture
	default:
		t.Errorf("the email has a part of the type %s", kind)
	}
}

var button = regexp.MustCompile(`<td class="btn"[^>]*><a href="([^"]+)">`)

// Button is where the one button of the email leads; it fails the test where there is not one, or
// where the text does not lead there, too.
func (a Arrived) Button(t *testing.T) string {
	t.Helper()
	found := button.FindAllStringSubmatch(a.HTML, -1)
	if len(found) != 1 {
		t.Errorf("the email %q has %d buttons", a.Subject, len(found))
		return ""
	}
	to := html.UnescapeString(found[0][1])
	if !strings.Contains(a.Text, to) {
		t.Errorf("the text of %q does not lead to %q:\n%s", a.Subject, to, a.Text)
	}
	return to
}
