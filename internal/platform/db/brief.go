package db

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"
)

// A commit on SQLite waits for the disk, which takes as long for one comment as
// for fifty. So small writers that meet share one: each runs in a savepoint of
// its own inside a common transaction, and all are told only when that is on the
// disk. A writer never waits for others to come; it shares with those who wait
// for their turn already.

const (
	// mostShare and sharedFor bound a shared transaction, and with it how long
	// the first of its writers waits for the last.
	mostShare = 64
	sharedFor = 10 * time.Millisecond
)

// Brief is Tx for a small writer, one that takes a few milliseconds: on SQLite
// it shares its commit with others of the kind. A large one would keep them all
// waiting; it belongs into Tx. Once begun, a statement of f is not interrupted
// when ctx ends; the next one fails, and nothing of f remains.
func (d *DB) Brief(ctx context.Context, f func(Q) error) error {
	if d.postgres {
		return d.Tx(ctx, f)
	}
	if err := d.turns.take(ctx); err != nil {
		return err
	}
	c, after, err := d.join(ctx, f)
	if err != nil {
		return err
	}
	<-c.over
	tellHeld(ctx, c.ended.Sub(c.begun))
	if c.err != nil {
		return c.err
	}
	for _, g := range after {
		g()
	}
	return nil
}

// turns lets one writer at a time at SQLite's writing connection, in the order
// they came, and knows whether more are waiting.
type turns struct {
	free    chan struct{} // holds the turn when nobody has it
	waiting atomic.Int32
	open    *commit // what the writers before left to be committed; of who has the turn
}

func newTurns() *turns {
	t := &turns{free: make(chan struct{}, 1)}
	t.free <- struct{}{}
	return t
}

// take waits for the turn. Who gives up may be the one for whom a commit was put
// off, and sees to it.
func (t *turns) take(ctx context.Context) error {
	t.waiting.Add(1)
	select {
	case <-t.free:
		t.waiting.Add(-1)
		return nil
	case <-ctx.Done():
		t.waiting.Add(-1)
		go func() {
			<-t.free
			t.give()
		}()
		return fmt.Errorf("wait to write: %w", ctx.Err())
	}
}

// give passes the turn on. What is open is committed first, unless somebody
// waits who may share it.
func (t *turns) give() {
	if t.open != nil && (t.waiting.Load() == 0 || t.open.full()) {
		t.finish()
	}
	t.free <- struct{}{}
}

// finish commits what is open, if anything.
func (t *turns) finish() {
	if t.open != nil {
		t.open.finish()
		t.open = nil
	}
}

// commit is a transaction that several writers share.
type commit struct {
	conn    *sql.Conn
	begun   time.Time
	ended   time.Time // before over is closed
	writers int
	broken  error         // the engine gave the whole transaction up
	over    chan struct{} // closed when it is committed, or has failed with err
	err     error
}

func (d *DB) beginShared() (*commit, error) {
	ctx := context.Background()
	conn, err := d.write.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin writing: %w", markUnavailable(err))
	}
	c := &commit{conn: conn, begun: time.Now(), over: make(chan struct{})}
	if err := c.exec("BEGIN IMMEDIATE"); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("begin writing: %w", markUnavailable(err))
	}
	return c, nil
}

func (c *commit) full() bool {
	return c.broken != nil || c.writers >= mostShare || time.Since(c.begun) >= sharedFor
}

// finish commits, or tells everybody why it cannot.
func (c *commit) finish() {
	if c.broken == nil {
		c.err = explain(c.exec("COMMIT"))
	} else {
		c.err = c.broken
	}
	if c.err != nil {
		_ = c.exec("ROLLBACK") // fails where the engine did it by itself
	}
	c.ended = time.Now()
	_ = c.conn.Close() // gives the connection back
	close(c.over)
}

// join runs f in the open transaction, or begins one, and passes the turn on.
func (d *DB) join(ctx context.Context, f func(Q) error) (*commit, []func(), error) {
	defer d.turns.give()
	if d.turns.open == nil {
		c, err := d.beginShared()
		if err != nil {
			return nil, nil, err
		}
		d.turns.open = c
	}
	c := d.turns.open
	c.writers++
	s := &session{run: viaSQL{c.conn}, db: d, now: d.Now(), tx: true, steady: true}
	err := c.run(ctx, s, f)
	return c, s.after, err
}

// run keeps what f writes, or none of it: also when f panics.
func (c *commit) run(ctx context.Context, s *session, f func(Q) error) error {
	if err := c.exec("SAVEPOINT writer"); err != nil {
		return err
	}
	kept := false
	defer func() {
		if !kept {
			_ = c.exec("ROLLBACK TO writer")
		}
		_ = c.exec("RELEASE writer")
	}()
	if err := guarded(ctx, s, f); err != nil {
		return err
	}
	kept = ctx.Err() == nil
	return ctx.Err()
}

// exec runs a statement of the shared transaction itself. When that fails the
// transaction is no more, and with it everybody's part.
func (c *commit) exec(text string) error {
	_, err := c.conn.ExecContext(context.Background(), text)
	if err = markUnavailable(err); err != nil && c.broken == nil {
		c.broken = fmt.Errorf("a shared transaction broke off: %w", err)
	}
	return err
}
