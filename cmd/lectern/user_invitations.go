package main

import (
	"context"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"lectern/internal/app"
	"lectern/internal/connect/notify"
	"lectern/internal/platform/db"
)

type userInvitationsCmd struct{ app.Storage }

// Run prints how many emails are how far, and whom somebody should look at.
func (c *userInvitationsCmd) Run(ctx context.Context) error {
	return withDatabase(ctx, &c.Storage, func(d *db.DB) error {
		got, err := notify.InvitationsSoFar(ctx, d.Pool())
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
		for _, line := range []struct {
			name  string
			n     int64
			about string
		}{
			{"waiting", got.Waiting, "for their turn"},
			{"sending", got.Sending, "at this moment"},
			{"sent", got.Sent, "the mail server has them"},
			{"unsure", got.Unsure, "broken off: import the sheet again with send_mail to send them again"},
			{"failed", got.Failed, "the mail server does not take them: correct the address, then import again"},
			{"needless", got.Needless, "the account was opened or disabled meanwhile"},
		} {
			fmt.Fprintf(w, "%s\t%d\t%s\n", line.name, line.n, line.about)
		}
		if got.LastAt != nil {
			fmt.Fprintf(w, "last begun\t%s\n", got.LastAt.Format(time.RFC3339))
		}
		for _, t := range got.Troubled {
			fmt.Fprintf(w, "%s\t%s\t%s\n", t.State, t.Username, t.Error)
		}
		return w.Flush()
	})
}
