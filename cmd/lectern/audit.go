package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"lectern/internal/app"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/submit"
)

type auditCmd struct {
	Verify auditVerifyCmd `cmd:"" help:"Check that nobody changed, removed or added entries of the audit log."`
}

// auditVerifyCmd checks the audit log. It only reads, so it runs beside the
// service.
type auditVerifyCmd struct {
	app.Storage
	Key  string   `placeholder:"FILE" type:"existingfile" env:"-" help:"Public keys to trust, of /api/receipt_key or PEM."`
	Head []string `placeholder:"SEQ:HASH" env:"-" help:"End of the log as noted earlier."`
}

func (c *auditVerifyCmd) Run(ctx context.Context) error {
	marks, err := parseMarks(c.Head)
	if err != nil {
		return err
	}
	if err := c.There(false); err != nil {
		return err
	}
	d, err := app.OpenDatabase(ctx, &c.Storage)
	if err != nil {
		return err
	}
	defer d.Close()
	if s, err := d.Schema(ctx); err != nil || s.Applied == 0 {
		return errors.Join(err, errors.New("the database is empty: lectern serve has not used it yet"))
	}
	keys, err := c.keys(ctx, d)
	if err != nil {
		return err
	}
	v, err := audit.Verify(ctx, d, keys.Check, marks, func(n int64) {
		fmt.Fprintf(os.Stderr, "%d entries read …\n",
			n)
	})
	if err != nil {
		return err
	}
	return c.report(v)
}

func (c *auditVerifyCmd) keys(ctx context.Context, d *db.DB) (*submit.KeySet, error) {
	if c.Key == "" {
		return submit.PublicKeys(ctx, d.Pool())
	}
	text, err := os.ReadFile(c.Key)
	if err != nil {
		return nil, err
	}
	return submit.ParseKeys(text)
}

// report says what was found, and what could not be.
func (c *auditVerifyCmd) report(v *audit.Verdict) error {
	for _, p := range v.Problems {
		fmt.Println(p)
	}
	if v.More > 0 {
		fmt.Printf("… and %d more.\n", v.More)
	}
	if v.Waiting > 0 {
		fmt.Printf("%d changes wait to be chained; the service does so while it runs.\n", v.Waiting)
	}
	if !v.Sound() {
		return fmt.Errorf("the audit log was TAMPERED WITH: %d problems", int64(len(v.Problems))+v.More)
	}
	if v.Last == 0 {
		fmt.Println("The audit log is empty.")
		return nil
	}
	fmt.Printf("The audit log is sound: entries %d to %d, %s.\n", v.First, v.Last, signed(v.Checkpoints))
	fmt.Printf("Its end is %d:%s\nNote that down elsewhere; --head compares it later.\n", v.Last, v.Head)
	if v.Sealed < v.Last {
		fmt.Printf("Entries behind %d are not sealed yet: that some were cut off there would not show.\n", v.Sealed)
	}
	if c.Key == "" {
		fmt.Println("The keys are those of the database: whoever can write to it and has the signing key, which is " +
			"there too unless --receipt-key names a file, could have made all of it anew. --key and --head rule " +
			"that out.")
	}
	return nil
}

// signed counts checkpoints in words.
func signed(n int64) string {
	if n == 1 {
		return "1 signed checkpoint"
	}
	return fmt.Sprintf("%d signed checkpoints", n)
}

// parseMarks reads ends of the log such as 12:9f86d081….
func parseMarks(texts []string) ([]audit.Mark, error) {
	var out []audit.Mark
	for _, t := range texts {
		seq, hash, ok := strings.Cut(t, ":")
		n, err := strconv.ParseInt(seq, 10, 64)
		if !ok || err != nil || n < 1 || len(hash) != 64 {
			return nil, fmt.Errorf("--head %q is not a number and a hash such as 12:9f86d0…", t)
		}
		out = append(out, audit.Mark{Seq: n, Hash: strings.ToLower(hash)})
	}
	return out, nil
}
