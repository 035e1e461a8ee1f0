package ldap

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/go-ldap/ldap/v3"
)

// restFor is how long a server that failed is asked after the others.
const restFor = 15 * time.Second

// server is one server with the connections that wait for their next use. Every use
// begins with a bind, so that none inherits what another was allowed.
type server struct {
	name, address string
	encrypted     bool // from the first byte; else by StartTLS
	config        *tls.Config
	idle          chan *ldap.Conn
	until         atomic.Int64 // rests until then, in nanoseconds
}

// resting is 1 while the server rests, else 0.
func (s *server) resting() int {
	if time.Now().UnixNano() < s.until.Load() {
		return 1
	}
	return 0
}

// rest lets a server rest after a failure that is its own.
func (s *server) rest(err error) {
	if err != nil && !errors.Is(err, errWrong) {
		s.until.Store(time.Now().Add(restFor).UnixNano())
		return
	}
	s.until.Store(0)
}

// use runs f on a connection. One that waited may have been closed by the server
// meanwhile: then f runs once more, on a new one.
func (s *server) use(ctx context.Context, f func(*ldap.Conn) error) error {
	for {
		c, waited, err := s.take(ctx)
		if err != nil {
			return err
		}
		err = s.run(ctx, c, f)
		if !waited || !ldap.IsErrorWithCode(err, ldap.ErrorNetwork) || ctx.Err() != nil {
			return err
		}
	}
}

// run runs f on c until ctx ends, and keeps c for the next use if it is still good.
func (s *server) run(ctx context.Context, c *ldap.Conn, f func(*ldap.Conn) error) error {
	stop := context.AfterFunc(ctx, func() { c.Close() })
	err := f(c)
	if !stop() {
		return fmt.Errorf("%s took too long: %w", s.name, errors.Join(ctx.Err(), err))
	}
	if err != nil && !errors.Is(err, errWrong) {
		c.Close()
		return err
	}
	select {
	case s.idle <- c:
	default:
		c.Close()
	}
	return err
}

// take gives a connection that waited, or a new one.
func (s *server) take(ctx context.Context) (c *ldap.Conn, waited bool, err error) {
	for {
		select {
		case c := <-s.idle:
			if !c.IsClosing() {
				return c, true, nil
			}
			c.Close()
		default:
			c, err := s.dial(ctx)
			return c, false, err
		}
	}
}

// dial opens a connection, which is encrypted before anything is said on it.
func (s *server) dial(ctx context.Context) (*ldap.Conn, error) {
	raw, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return nil, err
	}
	if s.encrypted {
		t := tls.Client(raw, s.config)
		if err := t.HandshakeContext(ctx); err != nil {
			raw.Close()
			return nil, err
		}
		raw = t
	}
	c := ldap.NewConn(raw, s.encrypted)
	c.Start()
	if s.encrypted {
		return c, nil
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	err = c.StartTLS(s.config)
	if !stop() {
		err = errors.Join(ctx.Err(), err)
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("StartTLS: %w", err)
	}
	return c, nil
}

// drain closes what waits.
func (s *server) drain() {
	for {
		select {
		case c := <-s.idle:
			c.Close()
		default:
			return
		}
	}
}
