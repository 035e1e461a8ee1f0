package container

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// streams are those of a container, on a connection of their own.
type streams struct {
	net.Conn
	r *bufio.Reader
}

// attach connects to the three streams of a container before it starts, so that
// nothing of them is missed.
func (e *Engine) attach(ctx context.Context, id string) (*streams, error) {
	c, err := e.dial(ctx)
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	query := url.Values{"stream": {"1"}, "stdin": {"1"}, "stdout": {"1"}, "stderr": {"1"}}
	r, err := e.request(ctx, http.MethodPost, "/containers/"+id+"/attach", query, nil)
	if err == nil {
		r.Header.Set("Connection", "Upgrade")
		r.Header.Set("Upgrade", "tcp")
		stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
		defer stop()
		err = r.Write(c)
	}
	s := &streams{c, bufio.NewReaderSize(c, 64<<10)}
	if err != nil {
		return nil, errors.Join(unavailable(ctx, err), c.Close())
	}
	answer, err := http.ReadResponse(s.r, r) //nolint:bodyclose // what follows is the stream, closed with its connection
	if err != nil {
		return nil, errors.Join(unavailable(ctx, err), c.Close())
	}
	if err := refused(answer); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if answer.StatusCode != http.StatusSwitchingProtocols && answer.StatusCode != http.StatusOK {
		return nil, errors.Join(&Refused{answer.StatusCode, "it does not attach"}, c.Close())
	}
	return s, nil
}

// carry feeds the input and takes what the program writes until it ends, its time
// is up or it has written too much.
func (s *streams) carry(ctx context.Context, r Run) (Cause, error) {
	limited, stop := context.WithTimeout(ctx, r.Limits.Time)
	defer stop()
	// What waits for the connection gives up when the time is up.
	unwatch := context.AfterFunc(limited, func() { _ = s.SetDeadline(time.Unix(1, 0)) })
	defer unwatch()
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		s.feed(r.Input)
	}()
	cause, err := s.demultiplex(r)
	_ = s.SetDeadline(time.Unix(1, 0)) // the input may still be on its way to nobody
	<-fed
	switch {
	case ctx.Err() != nil:
		return cancelled, ctx.Err()
	case cause != Exited && cause != broken:
		return cause, nil
	case limited.Err() != nil:
		return TimeUp, nil
	}
	return cause, err
}

// feed writes the input and says that there is no more. A program that does not
// read it to the end is its own affair.
func (s *streams) feed(input io.Reader) {
	if input != nil {
		if _, err := io.Copy(s.Conn, input); err != nil {
			return
		}
	}
	if c, ok := s.Conn.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
}

// demultiplex takes the frames of a connection apart: each begins with the number
// of its stream and its length.
func (s *streams) demultiplex(r Run) (Cause, error) {
	out := &bounded{w: r.Output, left: r.Limits.Output}
	report := &bounded{w: r.Report, left: r.MostReport}
	for {
		var head [8]byte
		if _, err := io.ReadFull(s.r, head[:]); errors.Is(err, io.EOF) {
			return Exited, nil
		} else if err != nil {
			return broken, err
		}
		to, beyond := out, TooMuch
		switch head[0] {
		case 1:
		case 2:
			to, beyond = report, TooLarge
		default:
			return broken, fmt.Errorf("a frame of the stream %d", head[0])
		}
		_, err := io.CopyN(to, s.r, int64(binary.BigEndian.Uint32(head[4:])))
		if errors.Is(err, errFull) {
			return beyond, nil
		}
		if err != nil {
			return broken, err
		}
	}
}

var errFull = errors.New("no more fits")

// bounded passes on what fits and fails with errFull after that.
type bounded struct {
	w    io.Writer
	left int64
}

func (b *bounded) Write(p []byte) (int, error) {
	fits := p[:min(int64(len(p)), b.left)]
	b.left -= int64(len(fits))
	n, err := b.w.Write(fits)
	if err == nil && len(fits) < len(p) {
		err = errFull
	}
	return n, err
}
