package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"lectern/internal/platform/tca/fake"
)

type fakeSimilarityCmd struct {
	Addr    string        `default:"127.0.0.1:3900" help:"Address to listen on."`
	APIKey  string        `name:"key" env:"-" default:"demo-key" help:"Key that callers must present."`
	Percent int64         `default:"42" help:"What reports find."`
	After   time.Duration `default:"2s" help:"How long processing takes."`
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
