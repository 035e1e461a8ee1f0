package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"lectern/internal/platform/tca/fake"
)

type fakeSimilarityCmd struct {
	Addr    string        `default:"127.0.0.1:3900" help:"Address to listen on, which is --tii-url of lectern serve."`
	APIKey  string        `name:"key" env:"-" default:"demo-key" help:"Key that callers must present, which is --tii-api-key."`
	Percent int64         `default:"42" help:"How many percent of every document its report finds elsewhere."`
	After   time.Duration `default:"2s" help:"How long it takes from a document to its report."`
}

// Help says what the command is for.
func (*fakeSimilarityCmd) Help() string {
	return "It answers as the outside similarity service (Turnitin's TCA) does, keeps documents in memory, and " +
		"finds the same in each. When it listens it prints the settings by which lectern serve finds it."
}

// Run serves until the program is stopped.
func (c *fakeSimilarityCmd) Run(ctx context.Context) error {
	s := fake.New(fake.Options{Key: c.APIKey, Percent: c.Percent, After: c.After})
	srv := &http.Server{Addr: c.Addr, Handler: s, ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = srv.Close() })()
	fmt.Printf("A stand-in of the similarity service listens at http://%s. To try it:\n"+
		"  LECTERN_TII_URL=http://%[1]s LECTERN_TII_API_KEY=%s LECTERN_TII_SIGNING_KEY=demo-secret "+
		"lectern serve --demo\n", c.Addr, c.APIKey)
	err := srv.ListenAndServe()
	s.Close()
	if ctx.Err() != nil {
		return nil
	}
	return err
}
