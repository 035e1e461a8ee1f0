package dbtest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"lectern/internal/ground/waittest"
)

// cleaner empties one database again and again over a connection that stays open,
// so that its plans are made once. Deleting the few rows of a test costs a tenth of
// truncating its tables, for which the server makes every file of theirs anew.
type cleaner struct {
	conn *pgx.Conn
	dead int64 // rows deleted, which lie about until their tables are truncated
}

// mostDead rows may lie about before they slow the next tests down.
const mostDead = 5000

// clean sends everybody else away, removes all rows and starts the ids from 1. A nil
// cleaner connects first; the one it gives serves the next time.
func (c *cleaner) clean(address string) (*cleaner, error) {
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	if c == nil {
		made, err := newCleaner(ctx, address)
		if err != nil {
			return nil, err
		}
		c = made
	}
	if err := c.empty(ctx); err != nil {
		return nil, errors.Join(err, c.conn.Close(ctx))
	}
	return c, nil
}

func newCleaner(ctx context.Context, address string) (*cleaner, error) {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return nil, err
	}
	// References are not looked at: everything goes.
	if _, err = conn.Exec(ctx, "SET session_replication_role = replica"); err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return &cleaner{conn: conn}, nil
}

func (c *cleaner) empty(ctx context.Context) error {
	if err := c.alone(ctx); err != nil {
		return err
	}
	tables, err := c.names(ctx, "r") // tests make some of their own
	if err != nil {
		return err
	}
	ids, err := c.names(ctx, "S")
	if err != nil {
		return err
	}
	if err := c.delete(ctx, tables, ids); err != nil || c.dead <= mostDead {
		return err
	}
	c.dead = 0
	_, err = c.conn.Exec(ctx, "TRUNCATE "+strings.Join(tables, ", "))
	return err
}

// names gives the tables ("r") or the sequences ("S") of the schema.
func (c *cleaner) names(ctx context.Context, kind string) ([]string, error) {
	rows, err := c.conn.Query(ctx, `SELECT quote_ident(relname) FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind = $1::"char" AND relname NOT LIKE 'goose%'
			AND relname <> 'schema_programs'`, kind)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// alone sends everybody else away and waits until they have gone.
func (c *cleaner) alone(ctx context.Context) error {
	var err error
	gone := waittest.Within(waittest.Patience, func() bool { // the server itself would look again after 100 ms only
		var others int
		err = c.conn.QueryRow(ctx, `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`).Scan(&others)
		return err != nil || others == 0
	})
	if !gone {
		return errors.New("others stay connected")
	}
	return err
}

func (c *cleaner) delete(ctx context.Context, tables, ids []string) error {
	var all pgx.Batch
	for _, t := range tables {
		all.Queue("DELETE FROM " + t)
	}
	for _, s := range ids {
		all.Queue("SELECT setval($1, 1, FALSE)", s)
	}
	sent := c.conn.SendBatch(ctx, &all)
	for range all.Len() {
		done, err := sent.Exec()
		if err != nil {
			return errors.Join(err, sent.Close())
		}
		if done.Delete() {
			c.dead += done.RowsAffected()
		}
	}
	return sent.Close()
}
