package mail

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// delivery is a message as the server got it.
type delivery struct {
	from, to string
	data     []byte
	user     string // who had signed in
	secure   bool
}

// server is a real SMTP server that keeps what it is sent, and refuses what
// it is told to.
type server struct {
	*smtp.Server
	addr  string
	roots *x509.CertPool

	mu       sync.Mutex
	got      []delivery
	mailErr  error
	rcptErr  error
	dataErr  error
	sessions int
}

func (s *server) deliveries() []delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got
}

// refuse sets what the server answers to MAIL, RCPT and DATA.
func (s *server) refuse(mail, rcpt, data error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mailErr, s.rcptErr, s.dataErr = mail, rcpt, data
}

func (s *server) NewSession(c *smtp.Conn) (smtp.Session, error) {
	_, secure := c.TLSConnectionState()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions++
	return &session{server: s, delivery: delivery{secure: secure}}, nil
}

type session struct {
	server *server
	delivery
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "lectern" || password != "s3cret/:@" {
			return &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "wrong password"}
		}
		s.user = user
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.from = from
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	return s.server.mailErr
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	return s.server.rcptErr
}

func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	s.data = data
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if err = errors.Join(err, s.server.dataErr); err != nil {
		return s.server.dataErr
	}
	s.server.got = append(s.server.got, s.delivery)
	return nil
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

// start runs a server for the test in one of the modes of an SMTP address.
func start(t *testing.T, mode string) *server {
	t.Helper()
	s := &server{}
	s.Server = smtp.NewServer(s)
	s.Domain = "test"
	s.AllowInsecureAuth = mode == "never"
	s.ErrorLog = quiet{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if mode != "never" {
		s.TLSConfig, s.roots = certificate(t)
	}
	s.addr = l.Addr().String()
	if mode == "always" {
		l = tls.NewListener(l, s.TLSConfig)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		l.Close() // the server knows nothing of it yet when it was stopped before it began
		<-done
	})
	return s
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

// certificate makes one for 127.0.0.1, and the pool that trusts it.
func certificate(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, pool
}

// sender makes an SMTP for an address, its password as in a real one escaped.
func sender(t *testing.T, addr, mode, password string) *SMTP {
	t.Helper()
	who := ""
	if password != "" {
		who = "lectern:" + password + "@"
	}
	s, err := NewSMTP(fmt.Sprintf("smtp://%s%s?tls=%s", who, addr, mode))
	if err != nil {
		t.Fatal(err)
	}
	s.patience = 10 * time.Second
	return s
}

const rightPassword = "s3cret%2F%3A%40"
