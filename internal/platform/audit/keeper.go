package audit

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"lectern/internal/platform/db"
)

// Keeper chains new entries while the service runs, and seals the end of the
// chain now and then.
type Keeper struct {
	DB     *db.DB
	Log    *slog.Logger
	Signer func(context.Context) (Signer, error)

	stop context.CancelFunc
	over sync.WaitGroup
}

const (
	poll      = time.Second // for entries of other processes; its own it hears of at once
	sealAfter = 1000        // entries
	sealEvery = time.Hour
	patience  = 30 * time.Second // how long one round may take
)

// Start begins to chain, until Stop.
func (k *Keeper) Start(ctx context.Context) {
	ctx, k.stop = context.WithCancel(context.WithoutCancel(ctx))
	k.over.Go(func() { k.run(ctx) })
}

// Stop ends the work, after one last round.
func (k *Keeper) Stop() {
	k.stop()
	k.over.Wait()
	k.chain(context.Background())
	k.seal(context.Background())
}

func (k *Keeper) run(ctx context.Context) {
	signals, stopListening := k.DB.Listen(topic)
	defer stopListening()
	tick, hour := time.NewTicker(poll), time.NewTicker(sealEvery)
	defer tick.Stop()
	defer hour.Stop()
	open := int64(sealAfter) // entries since the last seal; the first round seals what a crash left
	for {
		open += k.chain(ctx)
		if open >= sealAfter && k.seal(ctx) {
			open = 0
		}
		select {
		case <-ctx.Done():
			return
		case <-signals:
		case <-tick.C:
		case <-hour.C:
			open += sealAfter
		}
	}
}

func (k *Keeper) chain(ctx context.Context) int64 {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	n, err := Relay(ctx, k.DB)
	if err != nil && !errors.Is(ctx.Err(), context.Canceled) {
		k.Log.ErrorContext(ctx, "cannot chain audit entries; will try again", "err", err)
	}
	return n
}

// seal writes the end of the chain to the log, too: where logs are kept elsewhere,
// they prove what the database held.
func (k *Keeper) seal(ctx context.Context) bool {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	s, err := k.Signer(ctx)
	var c *Checkpoint
	if err == nil {
		c, err = Seal(ctx, k.DB, s)
	}
	if err != nil {
		if !errors.Is(ctx.Err(), context.Canceled) {
			k.Log.ErrorContext(ctx, "cannot seal the audit log", "err", err)
		}
		return errors.Is(err, ErrShort) // which does not pass by itself: say it once an hour
	}
	if c != nil {
		k.Log.InfoContext(ctx, "audit log sealed", "seq", c.Seq, "hash", c.Hash)
	}
	return true
}
