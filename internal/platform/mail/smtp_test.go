package mail

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"pgregory.net/rapid"

	"lectern/internal/ground/fault"
)

func sample() Message {
	return Message{
		To: "ada@example.edu", ToName: "Ada Lovelace", From: "noreply@lectern.example.edu",
		FromName: "Müller, Jörg (COS10001)",
		ReplyTo:  "tutor@example.edu", Subject: "COS10001: Rückmeldung ist da 🎓", Text: "Hello Ada,\n.\nfrom a line " +
			"with a dot\n",
		HTML: "<p>Hello Ada, caf\u00e9</p>", ID: "feedback-7-42@lectern.example.edu",
		Unsubscribe: "https://lectern.example.edu/api/unsubscribe/abc?x=1",
	}
}

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

// open reads a message as the receiving side does: its headers and parts.
func open(t failer, data []byte) (mail.Header, map[string]string) {
	t.Helper()
	m, err := mail.ReadMessage(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("not a message: %v\n%s", err, data)
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatalf("content type: %v", err)
	}
	parts := map[string]string{}
	if !strings.HasPrefix(kind, "multipart/") {
		parts[kind] = unquote(t, m.Header.Get("Content-Transfer-Encoding"), m.Body)
		return m.Header, parts
	}
	r := multipart.NewReader(m.Body, params["boundary"])
	for {
		p, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return m.Header, parts
		}
		if err != nil {
			t.Fatalf("part: %v", err)
		}
		kind, _, _ := mime.ParseMediaType(p.Header.Get("Content-Type"))
		parts[kind] = unquote(t, p.Header.Get("Content-Transfer-Encoding"), p)
	}
}

func unquote(t failer, encoding string, r io.Reader) string {
	t.Helper()
	if encoding != "quoted-printable" {
		t.Fatalf("encoding %q", encoding)
	}
	text, err := io.ReadAll(quotedprintable.NewReader(r))
	if err != nil {
		t.Fatalf("part: %v", err)
	}
	return string(text)
}

func decoded(t failer, s string) string {
	t.Helper()
	out, err := new(mime.WordDecoder).DecodeHeader(s)
	if err != nil {
		t.Fatalf("header %q: %v", s, err)
	}
	return out
}

func TestDelivery(t *testing.T) {
	for _, mode := range []string{"starttls", "always", "never"} {
		for _, password := range []string{"", rightPassword} {
			t.Run(mode+" "+password, func(t *testing.T) {
				srv := start(t, mode)
				s := sender(t, srv.addr, mode, password)
				s.tls.RootCAs = srv.roots
				if err := s.Send(t.Context(), sample()); err != nil {
					t.Fatal(err)
				}
				got := srv.deliveries()
				if len(got) != 1 || got[0].from != "noreply@lectern.example.edu" || got[0].to != "ada@example.edu" {
					t.Fatalf("delivered %+v", got)
				}
				if got[0].secure != (mode != "never") || (got[0].user == "lectern") != (password != "") {
					t.Errorf("secure %v, signed in as %q", got[0].secure, got[0].user)
				}
				checkSample(t, got[0].data)
			})
		}
	}
}

func checkSample(t *testing.T, data []byte) {
	t.Helper()
	h, parts := open(t, data)
	for name, want := range map[string]string{
		"Message-Id": "<feedback-7-42@lectern.example.edu>", "Auto-Submitted": "auto-generated",
		"List-Unsubscribe":      "<https://lectern.example.edu/api/unsubscribe/abc?x=1>",
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
		"Reply-To":              "<tutor@example.edu>",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := decoded(t, h.Get("Subject")); got != sample().Subject {
		t.Errorf("subject %q", got)
	}
	from, err := h.AddressList("From")
	if err != nil || len(from) != 1 || *from[0] != (mail.Address{Name: "Müller, Jörg (COS10001)",
		Address: "noreply@lectern.example.edu"}) {
		t.Errorf("from %v, %v", from, err)
	}
	if date, err := h.Date(); err != nil || time.Since(date) > time.Minute {
		t.Errorf("date %v, %v", date, err)
	}
	if h.Get("User-Agent") != "" || h.Get("X-Mailer") != "" {
		t.Error("the message tells what library made it")
	}
	if got := strings.ReplaceAll(parts["text/plain"], "\r\n", "\n"); strings.TrimRight(got,
		"\n") != strings.TrimRight(sample().Text, "\n") {
		t.Errorf("text %q", got)
	}
	if got := parts["text/html"]; strings.TrimSpace(got) != sample().HTML {
		t.Errorf("HTML %q", got)
	}
	for l := range bytes.SplitSeq(data, []byte("\r\n")) {
		if len(l) > 998 || bytes.ContainsAny(l, "\r\n\x00") {
			t.Errorf("a line no mail may have: %.80q", l)
		}
	}
}

func TestRefusals(t *testing.T) {
	no := func(code int) error {
		return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 0, 0}, Message: "no"}
	}
	srv := start(t, "never")
	for _, c := range []struct {
		name             string
		mail, rcpt, data error
		permanent        bool
	}{
		{"sender refused", no(550), nil, nil, true},
		{"sender not yet", no(451), nil, nil, false},
		{"sign in first", no(530), nil, nil, false},
		{"no such recipient", nil, no(550), nil, true},
		{"greylisted", nil, no(450), nil, false},
		{"content refused", nil, nil, no(554), true},
		{"disk full", nil, nil, no(452), false},
		{"server closing", nil, no(421), nil, false},
	} {
		srv.refuse(c.mail, c.rcpt, c.data)
		err := sender(t, srv.addr, "never", "").Send(t.Context(), sample())
		if err == nil {
			t.Errorf("%s: no error", c.name)
		} else if Permanent(err) != c.permanent {
			t.Errorf("%s: permanent is %v for %v", c.name, Permanent(err), err)
		}
	}
	if got := srv.deliveries(); len(got) != 0 {
		t.Errorf("delivered %d messages", len(got))
	}
}

// What is logged, and kept of a job that failed, names nobody.
func TestARefusedEmailTellsNoAddress(t *testing.T) {
	srv := start(t, "never")
	refusal := &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1},
		Message: "<ada@example.edu>: no mailbox Ada@Example.edu here"}
	for name, at := range map[string]int{"sender": 0, "recipient": 1, "content": 2} {
		answers := [3]error{}
		answers[at] = refusal
		srv.refuse(answers[0], answers[1], answers[2])
		err := sender(t, srv.addr, "never", "").Send(t.Context(), sample())
		if err == nil || !Permanent(err) || !strings.Contains(err.Error(), "no mailbox") {
			t.Fatalf("%s: %v", name, err)
		}
		if text := strings.ToLower(err.Error()); strings.Contains(text, "ada") || strings.Contains(text, "@") {
			t.Errorf("%s: %v", name, err)
		}
	}
	m := sample()
	m.To = "ada at example.edu"
	if err := sender(t, srv.addr, "never", "").Send(t.Context(), m); err == nil || strings.Contains(err.Error(), "ada") {
		t.Errorf("an address that is none: %v", err)
	}
}

func TestLookSignsInAndSendsNothing(t *testing.T) {
	for _, mode := range []string{"starttls", "always", "never"} {
		srv := start(t, mode)
		s := sender(t, srv.addr, mode, rightPassword)
		s.tls.RootCAs = srv.roots
		if err := s.Look(t.Context()); err != nil {
			t.Errorf("%s: %v", mode, err)
		}
		bad := sender(t, srv.addr, mode, "guess")
		bad.tls.RootCAs = srv.roots
		if err := bad.Look(t.Context()); err == nil || strings.Contains(err.Error(), "guess") {
			t.Errorf("%s, a wrong password: %v", mode, err)
		}
		if mode != "never" {
			if err := sender(t, srv.addr, mode, rightPassword).Look(t.Context()); err == nil {
				t.Errorf("%s: an unknown certificate is taken", mode)
			}
		}
		if n := len(srv.deliveries()); n != 0 {
			t.Errorf("%s: %d emails", mode, n)
		}
	}
}

func TestTroubleThatMayPass(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	plain, secure := start(t, "never"), start(t, "starttls")
	for name, s := range map[string]*SMTP{
		"nobody listens":       sender(t, closed.Addr().String(), "never", ""),
		"no STARTTLS on offer": sender(t, plain.addr, "starttls", rightPassword),
		"no TLS at all":        sender(t, plain.addr, "always", rightPassword),
		"unknown certificate":  sender(t, secure.addr, "starttls", rightPassword),
		"wrong password":       sender(t, plain.addr, "never", "guess"),
	} {
		err := s.Send(t.Context(), sample())
		if err == nil || Permanent(err) {
			t.Errorf("%s: %v, want an error that may pass", name, err)
		} else if strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "guess") {
			t.Errorf("%s: the error tells the password: %v", name, err)
		}
	}
	if n := len(plain.deliveries()) + len(secure.deliveries()); n != 0 {
		t.Errorf("delivered %d messages", n)
	}
}

// script answers one connection line by line as told, and then closes it.
func script(t *testing.T, answers ...string) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		r := bufio.NewReader(conn)
		for i, a := range answers {
			if i > 0 {
				waitLine(r, strings.HasPrefix(answers[i-1], "354"))
			}
			fmt.Fprintf(conn, "%s\r\n", a)
		}
		if len(answers) == 0 {
			io.Copy(io.Discard, conn) // says nothing until the other side gives up
		}
	}()
	return l.Addr().String()
}

// waitLine reads a command, or after 354 a whole message.
func waitLine(r *bufio.Reader, message bool) {
	for {
		s, err := r.ReadString('\n')
		if err != nil || !message || s == ".\r\n" {
			return
		}
	}
}

func TestTakenIsSent(t *testing.T) {
	addr := script(t, "220 hi", "250 test", "250 ok", "250 ok", "354 go on", "250 taken")
	if err := sender(t, addr, "never", "").Send(t.Context(), sample()); err != nil {
		t.Errorf("a connection lost after the message was taken makes it be sent again: %v", err)
	}
}

func TestLostBeforeTakenIsNotSent(t *testing.T) {
	addr := script(t, "220 hi", "250 test", "250 ok", "250 ok", "354 go on")
	if err := sender(t, addr, "never", "").Send(t.Context(), sample()); err == nil || Permanent(err) {
		t.Errorf("%v, want an error that may pass", err)
	}
}

// Whether a message was taken is open only between its last word and the server's answer.
func TestLostAfterTheLastWordLeavesOpenWhetherItWasTaken(t *testing.T) {
	for says, answers := range map[string][]string{
		"before":        {"220 hi", "250 test", "250 ok", "250 ok"},
		"refused":       {"220 hi", "250 test", "250 ok", "250 ok", "354 go on", "451 later"},
		"refused early": {"220 hi", "250 test", "550 no"},
	} {
		if err := sender(t, script(t, answers...), "never", "").Send(t.Context(), sample()); err == nil || Unsure(err) {
			t.Errorf("%s: %v, want an error that leaves nothing open", says, err)
		}
	}
	addr := script(t, "220 hi", "250 test", "250 ok", "250 ok", "354 go on")
	if err := sender(t, addr, "never", "").Send(t.Context(), sample()); !Unsure(err) {
		t.Errorf("%v, want one that leaves it open", err)
	}
}

func TestSilentServer(t *testing.T) {
	s := sender(t, script(t), "never", "")
	s.patience = 50 * time.Millisecond
	begun := time.Now()
	err := s.Send(t.Context(), sample())
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) || Permanent(err) {
		t.Errorf("%v, want a time-out that may pass", err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("gave up after %v", took)
	}
}

// TestCancelled stops a delivery whose server has gone silent in the middle.
func TestCancelled(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, "220 hi\r\n")
		waitLine(bufio.NewReader(conn), false)
		cancel()
		io.Copy(io.Discard, conn)
	}()
	s := sender(t, l.Addr().String(), "never", "")
	s.patience = time.Minute
	begun := time.Now()
	if err := s.Send(ctx, sample()); !errors.Is(err, context.Canceled) || Permanent(err) {
		t.Errorf("%v, want a cancellation", err)
	}
	<-gone // the connection has been closed
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("stopped after %v", took)
	}
}

func TestBadMessages(t *testing.T) {
	srv := start(t, "never")
	s := sender(t, srv.addr, "never", "")
	for name, change := range map[string]func(*Message){
		"no recipient":           func(m *Message) { m.To = "" },
		"name in the address":    func(m *Message) { m.To = "Ada <ada@example.edu>" },
		"two recipients":         func(m *Message) { m.To = "a@example.edu, b@example.edu" },
		"command in the address": func(m *Message) { m.To = "a@example.edu>\r\nRCPT TO:<b@example.edu" },
		"quoted local part":      func(m *Message) { m.To = "\"a\r\nb\"@example.edu" },
		"NUL in the address":     func(m *Message) { m.To = "a\x00@example.edu" },
		"long address":           func(m *Message) { m.To = strings.Repeat("a", 250) + "@example.edu" },
		"bad sender":             func(m *Message) { m.From = "noreply" },
		"bad reply address":      func(m *Message) { m.ReplyTo = "x\ny@example.edu" },
		"no text":                func(m *Message) { m.Text = " \n" },
		"no id":                  func(m *Message) { m.ID = "" },
		"header in the id":       func(m *Message) { m.ID = "a@b>\r\nBcc: c@example.edu" },
		"header in the link":     func(m *Message) { m.Unsubscribe = "https://x/\r\nBcc: c@example.edu" },
		"second link":            func(m *Message) { m.Unsubscribe = "https://x/>, <mailto:all@example.edu" },
		"no web link":            func(m *Message) { m.Unsubscribe = "javascript:alert(1)" },
	} {
		m := sample()
		change(&m)
		if err := s.Send(t.Context(), m); !fault.Is(err, fault.Invalid) || !Permanent(err) {
			t.Errorf("%s: %v, want it refused for good", name, err)
		}
	}
	if srv.sessions != 0 {
		t.Errorf("the server was asked %d times", srv.sessions)
	}
}

// TestNoHeaderCanBeSmuggledIn sends any names and subjects: the headers are
// always the same ones, and hold what was meant.
func TestNoHeaderCanBeSmuggledIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SampledFrom([]string{"\r\n", "\n", "\r", "\x00", "Bcc: all@example.edu", "\r\n\r\n<script>",
			"=?utf-8?q?=0ABcc:_x?=", "\"", "\\", "<a@b>", ", ", "é", "🎓", "\u2028", "\x85", "\xff", "\u202E"})
		words := rapid.Map(rapid.SliceOfN(rapid.OneOf(pieces, rapid.String()), 0, 8),
			func(s []string) string { return strings.Join(s, "") })
		m := sample()
		m.ToName, m.FromName, m.Subject = words.Draw(t, "to"), words.Draw(t, "from"), words.Draw(t, "subject")
		m.Text, m.HTML = "x"+words.Draw(t, "text"), words.Draw(t, "html")
		msg, err := m.build()
		if err != nil {
			t.Fatalf("refused: %v", err)
		}
		var b bytes.Buffer
		if _, err := msg.WriteTo(&b); err != nil {
			t.Fatalf("write: %v", err)
		}
		h, parts := open(t, b.Bytes())
		allowed := map[string]bool{"Auto-Submitted": true, "Date": true, "From": true, "To": true, "Reply-To": true,
			"Subject": true, "Message-Id": true,
			"Mime-Version": true, "Content-Type": true, "Content-Transfer-Encoding": true, "List-Unsubscribe": true,
			"List-Unsubscribe-Post": true}
		for name, values := range h {
			if !allowed[name] || len(values) != 1 {
				t.Fatalf("header %s: %q", name, values)
			}
		}
		if got := decoded(t, h.Get("Subject")); got != line(m.Subject, 200) && !strings.Contains(m.Subject, "=?") {
			t.Fatalf("subject %q came back as %q", m.Subject, got)
		}
		to, err := h.AddressList("To")
		if err != nil || len(to) != 1 || to[0].Address != m.To {
			t.Fatalf("to %q: %v, %v", h.Get("To"), to, err)
		}
		if len(parts) > 2 || parts["text/plain"] == "" {
			t.Fatalf("parts %q", parts)
		}
	})
}

func TestAddressesOfServers(t *testing.T) {
	for address, want := range map[string]SMTP{
		"smtp://mail.example.edu": {host: "mail.example.edu", port: 587, mode: "starttls"},
		"smtps://u:p%40w@mail.example.edu": {host: "mail.example.edu", port: 465, mode: "always", user: "u",
			password: "p@w"},
		"smtp://mail.example.edu:2525?tls=always": {host: "mail.example.edu", port: 2525, mode: "always"},
		"smtp://localhost?tls=never":              {host: "localhost", port: 25, mode: "never"},
		"smtp://u@[::1]:25?tls=starttls":          {host: "::1", port: 25, mode: "starttls", user: "u"},
	} {
		s, err := NewSMTP(address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if s.host != want.host || s.port != want.port || s.mode != want.mode || s.user != want.user ||
			s.password != want.password {
			t.Errorf("%s: %+v", address, s)
		}
	}
	for _, address := range []string{"", "mail.example.edu:25", "http://x", "smtp://", "smtp://u:topsecret@x:99999",
		"smtp://u:topsecret@x?tls=maybe", "smtp://u:topsecret%@x"} {
		_, err := NewSMTP(address)
		if !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%q: %v, want it refused without telling the password", address, err)
		}
	}
}

func TestDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "outbox")
	d, err := NewDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	var s Sender = d
	other := sample()
	other.ID, other.HTML, other.Unsubscribe = "../../a/b@lectern.example.edu", "", "http://localhost:3000/u"
	for _, m := range []Message{sample(), sample(), other} {
		if err := s.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.eml"))
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v, %v; a message sent again should replace its file", files, err)
	}
	all, _ := os.ReadDir(dir)
	if len(all) != 2 {
		t.Errorf("%d files, something temporary is left", len(all))
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(f, "feedback") {
			checkSample(t, data)
			continue
		}
		h, parts := open(t, data)
		if len(parts) != 1 || h.Get("List-Unsubscribe") == "" || h.Get("List-Unsubscribe-Post") != "" {
			t.Errorf("one part and no one-click over http expected: %v, %v", h, parts)
		}
	}
	if err := s.Send(t.Context(), Message{}); !Permanent(err) {
		t.Errorf("an empty message: %v", err)
	}
}
