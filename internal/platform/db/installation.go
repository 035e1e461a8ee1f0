package db

import (
	"context"
	"crypto/rand"
	"fmt"
)

// InstallationKey gives a secret key of the installation by its name, making it the
// first time. However many instances do so at once, all get the same.
func InstallationKey(ctx context.Context, d *DB, name string) ([]byte, error) {
	var text *string
	err := d.Tx(ctx, func(q Q) (err error) {
		if _, err := Exec(ctx, q, `INSERT INTO installation (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
			name, rand.Text()+rand.Text()); err != nil {
			return err
		}
		text, err = One[string](ctx, q, `SELECT value FROM installation WHERE name = $1`, name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the %s: %w", name, err)
	}
	return []byte(*text), nil
}

// SetInstallation keeps a value of the installation under a name, in place of an earlier one.
func SetInstallation(ctx context.Context, q Q, name, value string) error {
	_, err := Exec(ctx, q, `INSERT INTO installation (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
	return err
}
