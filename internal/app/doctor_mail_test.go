package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// postOffice is a mail server that takes one password, and counts emails.
type postOffice struct{ emails atomic.Int64 }

func (p *postOffice) NewSession(*smtp.Conn) (smtp.Session, error) { return &counter{p}, nil }

type counter struct{ office *postOffice }

func (c *counter) AuthMechanisms() []string { return []string{sasl.Plain} }
func (c *counter) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, _, password string) error {
		if password != "right" {
			return &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "not you"}
		}
		return nil
	}), nil
}
func (c *counter) Mail(string, *smtp.MailOptions) error { c.office.emails.Add(1); return nil }
func (c *counter) Rcpt(string, *smtp.RcptOptions) error { c.office.emails.Add(1); return nil }
func (c *counter) Data(io.Reader) error                 { c.office.emails.Add(1); return nil }
func (c *counter) Reset()                               {}
func (c *counter) Logout() error                        { return nil }

func TestDoctorAsksTheMailServerAndSendsNothing(t *testing.T) {
	office := &postOffice{}
	srv := smtp.NewServer(office)
	srv.AllowInsecureAuth, srv.ErrorLog = true, slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go srv.Serve(l)
	t.Cleanup(func() { srv.Close() })
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for _, c := range []struct{ url, want, advice string }{
		{"smtp://lectern:right@" + l.Addr().String() + "?tls=never", "ok   mail       " + l.Addr().String(), ""},
		{"smtp://" + l.Addr().String() + "?tls=never", "ok   mail       " + l.Addr().String(), ""},
		{"smtp://lectern:wr0ng@" + l.Addr().String() + "?tls=never", "FIX  mail", "The name or the password is wrong"},
		{"smtp://lectern:right@" + l.Addr().String(), "FIX  mail", "It offers no encryption there"},
		{"smtps://lectern:right@" + l.Addr().String(), "FIX  mail", "smtp:// against smtps://"},
		{"smtp://" + closed.Addr().String(), "FIX  mail", "Nobody listens there"},
	} {
		var out bytes.Buffer
		err := Doctor(t.Context(), Settings{Addr: "127.0.0.1:3000", Storage: Storage{Data: t.TempDir()},
			SMTPURL: c.url, MailFrom: "lectern@example.edu", PublicURL: "https://learn.example.edu"}, &out)
		if (err == nil) != (c.advice == "") || !strings.Contains(out.String(), c.want) ||
			!strings.Contains(out.String(), c.advice) || strings.Contains(out.String(), "wr0ng") {
			t.Errorf("%s: %v\n%s", c.url, err, out.String())
		}
	}
	if n := office.emails.Load(); n != 0 {
		t.Errorf("the server was asked %d times to take an email", n)
	}
}

func TestTheLogTellsNoMailAddress(t *testing.T) {
	for _, form := range []string{"text", "json"} {
		var out bytes.Buffer
		s := Settings{LogFormat: form}
		log := s.logTo(&out)
		log.Error("a job is dead", "err", fmt.Errorf("550 5.1.1 <ada.l@mail.example.edu>: %w", errors.New("unknown")),
			"why", "the NameID jo@example.edu changes", "stack", "modernc.org/sqlite@v1.52.0/lib.go:1", "job", 7)
		log.With("to", "eve@localhost").Info("x")
		got := out.String()
		if strings.Contains(got, "example.edu") || strings.Contains(got, "eve@") || !strings.Contains(got, "unknown") ||
			!strings.Contains(got, "sqlite@v1.52.0/lib.go:1") || strings.Count(got, "[address]") != 3 {
			t.Errorf("%s: %s", form, got)
		}
	}
}
