package main

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db/dbtest"
)

// post is a mail server that keeps whom it took emails for, and can be told to keep one
// waiting for its answer.
type post struct {
	addr string

	mu      sync.Mutex
	got     []string
	began   int
	holdAt  int  // the email that is kept waiting, 0 for none
	takes   bool // that email is taken before it is kept waiting
	holding chan struct{}
	goOn    chan struct{}
}

func listenForMail(t *testing.T) *post {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &post{addr: l.Addr().String()}
	srv := smtp.NewServer(p)
	srv.Domain, srv.ErrorLog = "localhost", silent{}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	t.Cleanup(func() { srv.Close(); l.Close(); <-done })
	return p
}

type silent struct{}

func (silent) Printf(string, ...any) {}
func (silent) Println(...any)        {}

// hold keeps the n-th email from now on waiting, after it was taken or before.
func (p *post) hold(n int, taken bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holdAt, p.takes = p.began+n, taken
	p.holding, p.goOn = make(chan struct{}), make(chan struct{})
}

func (p *post) emails() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.got)
}

func (p *post) NewSession(*smtp.Conn) (smtp.Session, error) { return &emailIn{post: p}, nil }

type emailIn struct {
	post *post
	to   string
}

func (*emailIn) Mail(string, *smtp.MailOptions) error        { return nil }
func (l *emailIn) Rcpt(to string, _ *smtp.RcptOptions) error { l.to = to; return nil }
func (*emailIn) Reset()                                      {}
func (*emailIn) Logout() error                               { return nil }
func (l *emailIn) Data(r io.Reader) error {
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	p := l.post
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began++
	held := p.began == p.holdAt
	if !held || p.takes {
		p.got = append(p.got, l.to)
	}
	if !held {
		return nil
	}
	close(p.holding)
	goOn := p.goOn
	p.mu.Unlock()
	<-goOn
	p.mu.Lock()
	return &smtp.SMTPError{Code: 451, Message: "nobody hears this"}
}

// importSheet sends a sheet of people with a field that says what to do with it, such as
// send_mail, and gives the answer.
func (i *instance) importSheet(token, csv, field string) string {
	i.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "people.csv")
	if err == nil {
		_, err = io.WriteString(part, csv)
	}
	if err == nil {
		err = form.WriteField(field, "true")
	}
	if err != nil || form.Close() != nil {
		i.t.Fatal(err)
	}
	r, err := http.NewRequest("POST", i.url+"/api/csv/users", &body)
	if err != nil {
		i.t.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Username", "aadmin")
	r.Header.Set("Auth_Token", token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		i.t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusCreated {
		i.t.Fatalf("import: %d %s %v", res.StatusCode, out, err)
	}
	return string(out)
}

// awaitInvitations waits until nobody waits, and gives how many went and are unsure.
func (i *instance) awaitInvitations(token string) (sent, unsure int) {
	i.t.Helper()
	var got struct{ Waiting, Sending, Sent, Unsure int }
	waittest.Until(i.t, "nobody waits for an invitation", func() bool {
		status, err := i.call("GET", "/api/users/invitations", "aadmin", token, "", &got)
		return err == nil && status == 200 && got.Waiting+got.Sending == 0
	})
	return got.Sent, got.Unsure
}

// The service is killed twice while it invites the people of a sheet: once before the mail
// server took the email on its way, once after. It goes on by itself each time.
func TestKilledInTheMiddleOfInvitationsNobodyIsInvitedTwice(t *testing.T) {
	dbtest.Long(t) // twice, what a killed service had begun is waited for
	const people = 12
	var csv strings.Builder
	csv.WriteString("username,email,first_name,last_name,role\n")
	for n := range people {
		fmt.Fprintf(&csv, "p%02d,p%02[1]d@example.edu,P,Q,Student\n", n)
	}
	dbtest.Engines(t, func(t *testing.T, engine string) {
		mail := listenForMail(t)
		place := storage(t, engine)
		args := append([]string{"--smtp-url", "smtp://" + mail.addr + "?tls=never", "--mail-from",
			"lectern@example.edu", "--invitations-per-minute", "600"}, place...)
		i := start(t, args...)
		token := i.signIn("aadmin", administrator(t, place...))
		mail.hold(3, false)
		i.importSheet(token, csv.String(), "send_mail")
		for _, next := range []func(){func() { mail.hold(4, true) }, func() { mail.hold(1000, false) }} {
			<-mail.holding
			goOn := mail.goOn
			if err := i.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-i.done
			next()
			close(goOn)
			i = start(t, args...)
		}
		if sent, unsure := i.awaitInvitations(token); sent != people-2 || unsure != 2 {
			t.Errorf("%d are sent and %d unsure", sent, unsure)
		}
		got := mail.emails()
		slices.Sort(got)
		if len(got) != people-1 || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("emails to %v", got)
		}
		out, err := run(t, append([]string{"user", "invitations"}, place...)...)
		for _, line := range []string{"sent 10 ", "unsure 2 broken off", "unsure p02 it was", "unsure p06 it was"} {
			if err != nil || !strings.Contains(strings.Join(strings.Fields(out), " "), line) {
				t.Errorf("no %q in the command's answer: %v %s", line, err, out)
			}
		}
		if again := i.importSheet(token, csv.String(), "send_mail"); strings.Count(again, "they are invited") != 2 {
			t.Errorf("asked again: %s", again)
		}
		if sent, unsure := i.awaitInvitations(token); sent != people || unsure != 0 {
			t.Errorf("asked again: %d are sent and %d unsure", sent, unsure)
		}
		i.stop()
	})
}
