package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"

	"lectern/internal/ground/fault"
)

// patience bounds one delivery from dialling to the server's last word.
const patience = 30 * time.Second

// SMTP sends messages through a server, one connection per message. It may be
// used by several goroutines at once.
type SMTP struct {
	host     string
	port     int
	user     string
	password string
	mode     string // starttls, always, never
	tls      *tls.Config
	patience time.Duration
}

// NewSMTP reads smtp://user:password@host:port?tls=starttls|always|never.
// Without tls the connection must become encrypted by STARTTLS, and smtps://
// stands for tls=always; the port defaults to 587, 465 or, for never, 25.
// With tls=never a password, if given, is sent in the clear: only sensible to
// a relay on the same machine.
func NewSMTP(address string) (*SMTP, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" {
		// err is not shown: it would hold the password
		return nil, fault.New(fault.Invalid, "the mail server is given as smtp://user:password@host:port?tls=starttls")
	}
	s := &SMTP{host: u.Hostname(), user: u.User.Username(), mode: "starttls", patience: patience,
		tls: &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}}
	s.password, _ = u.User.Password()
	if u.Scheme == "smtps" {
		s.mode = "always"
	}
	if mode := u.Query().Get("tls"); mode != "" {
		s.mode = mode
	}
	ports := map[string]int{"starttls": 587, "always": 465, "never": 25}
	if ports[s.mode] == 0 {
		return nil, fault.New(fault.Invalid, "tls=%s is not known to the mail server's address; it is starttls, "+
			"always or never", s.mode)
	}
	s.port = ports[s.mode]
	if u.Port() != "" {
		if s.port, err = strconv.Atoi(u.Port()); err != nil || s.port < 1 || s.port > 65535 {
			return nil, fault.New(fault.Invalid, "%s is not a port of a mail server", u.Port())
		}
	}
	return s, nil
}

// Send delivers m. Once the server has taken the message it is sent, whatever
// happens to the connection after that.
func (s *SMTP) Send(ctx context.Context, m Message) error {
	msg, err := m.build()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	client, err := s.client(ctx)
	if err != nil {
		return fmt.Errorf("set up mail client: %w", err)
	}
	err = client.DialAndSendWithContext(ctx, msg)
	if msg.IsDelivered() {
		return nil
	}
	if err == nil {
		err = errors.New("the server did not take the message")
	}
	return discreet{fmt.Errorf("send mail through %s: %w", s.host, errors.Join(err, ctx.Err()))}
}

// Look goes as far as Send does before the first word of a message: it connects, encrypts and
// signs in, and takes leave. Nothing is sent.
func (s *SMTP) Look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	client, err := s.client(ctx)
	if err != nil {
		return fmt.Errorf("set up mail client: %w", err)
	}
	if err := client.DialWithContext(ctx); err != nil {
		return discreet{errors.Join(err, ctx.Err())}
	}
	return client.Close()
}

// Server is the name and port of the server.
func (s *SMTP) Server() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// SignsIn tells whether a name and a password are sent.
func (s *SMTP) SignsIn() bool { return s.user != "" }

// client makes the client of one delivery: its connection ends with ctx, even
// in the middle of a command, which the library alone does not see to.
func (s *SMTP) client(ctx context.Context) (*gomail.Client, error) {
	dial := func(dialCtx context.Context, network, addr string) (net.Conn, error) {
		conn, err := s.dial(dialCtx, network, addr)
		if err == nil {
			context.AfterFunc(ctx, func() { conn.Close() })
		}
		return conn, err
	}
	options := []gomail.Option{
		gomail.WithPort(s.port), gomail.WithTimeout(s.patience), gomail.WithTLSConfig(s.tls),
		gomail.WithDialContextFunc(dial), gomail.WithoutNoop(), gomail.WithTLSPolicy(gomail.NoTLS),
	}
	if s.mode == "starttls" {
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if s.user != "" {
		options = append(options, gomail.WithUsername(s.user), gomail.WithPassword(s.password),
			gomail.WithOpportunisticSMTPAuth(s.methods()...))
	}
	return gomail.NewClient(s.host, options...)
}

func (s *SMTP) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if s.mode == "always" {
		return (&tls.Dialer{Config: s.tls}).DialContext(ctx, network, addr)
	}
	return new(net.Dialer).DialContext(ctx, network, addr)
}

// methods are the ways to sign in, best first. Those that show the password
// are only used on an encrypted connection, unless none was asked for.
func (s *SMTP) methods() []gomail.SMTPAuthType {
	methods := []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthCramMD5}
	if s.mode == "never" {
		return append(methods, gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc)
	}
	return append(methods, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin)
}

// Unsure tells whether an error of a Sender leaves open whether the message was taken: the
// connection ended after its last word, before the server's answer to it.
func Unsure(err error) bool {
	sent, ok := errors.AsType[*gomail.SendError](err)
	return ok && sent.Reason == gomail.ErrSMTPDataClose && sent.ErrorCode() == 0
}

// Permanent tells whether an error of a Sender is about the message, so that
// sending it again cannot help: the message itself is at fault, or the server
// refused it for good (5xx). Everything else may pass: a server that is away,
// busy or greylisting, and a wrong password or certificate, which somebody
// will put right without the mails of that time being lost.
func Permanent(err error) bool {
	if fault.Is(err, fault.Invalid) {
		return true
	}
	refused, ok := errors.AsType[*gomail.SendError](err)
	if !ok {
		return false
	}
	switch code := refused.ErrorCode(); code {
	case 530, 534, 535, 538: // about signing in
		return false
	default:
		return code >= 500 && code < 600
	}
}
