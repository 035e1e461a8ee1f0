package app

import (
	"context"
	"errors"
	"fmt"
)

// Work works background jobs until ctx ends, and serves no requests: for machines
// beside the web servers that share their database and their files. Then it lets
// running jobs finish.
func (a *App) Work(ctx context.Context) error {
	if a.Workers == 0 {
		return errors.Join(errors.New("a worker with --workers 0 has nothing to do"), a.close())
	}
	a.events.Start(a.live)
	a.audit.Start(a.live)
	go a.sweepHourly(a.live)
	err := a.startJobs(ctx)
	if err != nil {
		return errors.Join(err, a.close())
	}
	if err = errors.Join(a.serveMetrics(ctx), a.populate(ctx)); err == nil {
		fmt.Fprintln(a.out, "Lectern works jobs; it serves no requests.")
		<-ctx.Done()
	}
	a.log.Info("stopping; running jobs may finish", "at_most", a.StopAfter)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.StopAfter)
	defer cancel()
	err = errors.Join(err, a.stopJobs(ctx))
	a.events.Stop()
	a.audit.Stop()
	return errors.Join(err, a.close())
}
