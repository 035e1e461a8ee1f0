package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"lectern/internal/connect/turnitin"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/tca"
)

// OutsideSimilarity names the outside similarity service. It is used where the first
// three are set.
type OutsideSimilarity struct {
	TiiURL        string `name:"tii-url" placeholder:"URL" help:"Address of the outside similarity service."`
	TiiAPIKey     string `secret:"" name:"tii-api-key" placeholder:"KEY" help:"Key for its interface."`
	TiiSigningKey string `secret:"" name:"tii-signing-key" placeholder:"KEY" help:"Secret that signs what it sends."`
	TiiIndex      bool   `name:"tii-index" help:"Let it compare the work of others with work sent to it."`
}

// missing names the settings that lack where some are set.
func (o *OutsideSimilarity) missing() (list []string) {
	for _, s := range []struct{ value, name string }{{o.TiiURL, "LECTERN_TII_URL"},
		{o.TiiAPIKey, "LECTERN_TII_API_KEY"}, {o.TiiSigningKey, "LECTERN_TII_SIGNING_KEY"}} {
		if s.value == "" {
			list = append(list, s.name)
		}
	}
	if len(list) == 3 && !o.TiiIndex {
		return nil
	}
	return list
}

// set tells whether all that is needed is there.
func (o *OutsideSimilarity) set() bool {
	return o.TiiURL != "" && o.TiiAPIKey != "" && o.TiiSigningKey != ""
}

func (o *OutsideSimilarity) check() error {
	if o.TiiURL == "" {
		return nil
	}
	if _, err := tca.Base(o.TiiURL); err != nil {
		return fmt.Errorf("--tii-url: %w", err)
	}
	return nil
}

// client calls the service where may lets it.
func (o *OutsideSimilarity) client(may func(context.Context) error) *tca.Client {
	c, err := tca.New(tca.Config{URL: o.TiiURL, Key: o.TiiAPIKey, Name: "Lectern", Version: Version, May: may})
	if err != nil {
		return nil // checked already
	}
	return c
}

// openOutside makes what works at the outside similarity service, and a queue of its
// own for it. Where settings are missing it does nothing but check signatures.
func (a *App) openOutside() {
	c := turnitin.Config{Key: a.TiiAPIKey, SigningKey: a.TiiSigningKey, PublicURL: a.Public(), Index: a.TiiIndex}
	if a.set() {
		c.Client = a.client(a.notPaused)
	} else if list := a.missing(); list != nil {
		a.log.Warn("the outside similarity service is not used: settings are missing", "missing",
			strings.Join(list, ", "))
	}
	a.outside = turnitin.New(a.db, a.files, a.log, c)
	a.outsideJobs = jobs.New(a.db, a.log, jobs.Config{Workers: turnitin.Workers})
	a.outside.Register(a.outsideJobs)
}

// checkOutside looks at the settings of the outside similarity service, and whether it
// answers to the key.
func checkOutside(ctx context.Context, s *Settings) []finding {
	f := finding{What: "similarity", Saw: "no outside service"}
	if list := s.missing(); list != nil {
		f.Bad, f.Saw = true, "the outside service is not used: "+strings.Join(list, " and ")+" missing"
		f.Advice = "Set all of LECTERN_TII_URL, LECTERN_TII_API_KEY and LECTERN_TII_SIGNING_KEY, or none."
		return []finding{f}
	}
	if !s.set() || s.OutsideSimilarity.check() != nil {
		return nil
	}
	client := s.client(nil)
	defer client.Close()
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	f.Saw = "the service at " + client.Host() + " answers"
	if _, err := client.Features(ctx); err != nil {
		f.Bad, f.Saw = true, err.Error()
		f.Advice = "Check the address and the key, and that this machine may call the service."
		if tca.StatusOf(err) == tca.KeyRefused {
			f.Advice = "The service refuses the key: make a new one there and set LECTERN_TII_API_KEY."
		}
	}
	return []finding{f}
}
