package turnitin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/tca/fake"
)

// calls are those that a document makes on its way.
var calls = []struct{ method, path string }{
	{"PUT", `^/groups/[^/]+$`}, {"POST", `^/submissions$`}, {"PUT", `/original$`}, {"GET", `^/submissions/[^/]+$`},
	{"PUT", `/similarity$`}, {"GET", `/similarity$`}, {"POST", `/pdf$`}, {"GET", `/status$`}, {"GET", `/pdf/[^/]+$`},
}

// troubles are ways in which a call fails once and another try succeeds.
var troubles = []fake.Fault{
	{Status: 500}, {Status: 503}, {Status: 504}, {Status: 429}, {How: "reset"}, {How: "rubbish"}, {How: "slow"},
	{Status: 500, After: true}, {How: "reset", After: true}, {How: "rubbish", After: true},
}

// completed tells whether the last document handed in got its report.
func (p *place) completed() bool {
	list := p.statuses()
	return p.settled() && list[len(list)-1] == PDFDownloaded && list[len(list)-2] == PDFDownloaded
}

// TestTroubleLosesAndDoublesNothing lets each call of the way fail once in some ways.
func TestTroubleLosesAndDoublesNothing(t *testing.T) { troubled(t, 9) }

// TestNoTroubleLosesOrDoublesAnything lets each call fail in every way.
func TestNoTroubleLosesOrDoublesAnything(t *testing.T) {
	dbtest.Long(t)
	troubled(t, 1)
}

// troubled tries every n-th of the combinations of a call and a way to fail.
func troubled(t *testing.T, n int) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPlace(t, d, fake.Options{Percent: 80})
		p.terms()
		p.start()
		for i, c := range calls {
			for k, f := range troubles {
				if (i+k)%n != 0 {
					continue
				}
				f.Method, f.Path, f.Times = c.method, c.path, 1
				p.set(`UPDATE tii_groups SET sent = ''`)
				p.far.Inject(f)
				p.handIn(1, yes())
				p.until(fmt.Sprintf("a report after %+v", f), p.completed)
				if left := get[int](p, `SELECT count(*) FROM tii_actions WHERE NOT complete`); left != 0 {
					t.Fatalf("%+v: %d actions are left", f, left)
				}
			}
		}
		p.sound()
	})
}

// TestRefusalsAreToldAndCanBeRetried lets each call be refused once: the action is
// given up in words, or the refusal does no harm; a retry gets it through.
func TestRefusalsAreToldAndCanBeRetried(t *testing.T) { refused(t, 5) }

// TestEveryRefusalIsToldAndCanBeRetried does so with every call and every status.
func TestEveryRefusalIsToldAndCanBeRetried(t *testing.T) {
	dbtest.Long(t)
	refused(t, 1)
}

// refused tries every n-th of the combinations of a call and a status.
func refused(t *testing.T, n int) {
	p := newPlace(t, dbtest.New(t, "sqlite", nil), fake.Options{Percent: 80})
	p.terms()
	p.start()
	for i, c := range calls {
		for k, status := range []int{400, 401, 403, 404, 409, 413, 422, 451} {
			if (i+k)%n != 0 {
				continue
			}
			f := fake.Fault{Method: c.method, Path: c.path, Times: 1, Status: status}
			p.set(`UPDATE tii_groups SET sent = ''`)
			p.far.Inject(f)
			p.handIn(1, yes())
			p.until(fmt.Sprintf("an end after %+v", f), func() bool {
				return p.settled() || p.givenUp() > 0 &&
					get[int](p, `SELECT count(*) FROM tii_service WHERE stopped_at IS NOT NULL`) > 0
			})
			for _, a := range p.actions() {
				if a.Complete || a.Retry {
					continue
				}
				if a.ErrorCode == nil || a.ErrorText == nil || !strings.Contains(a.NextStep, "retry it") ||
					!strings.Contains(a.Log[len(a.Log)-1].Message, "given up") {
					t.Fatalf("%+v: %+v", f, a)
				}
				p.tx(func(q db.Q) error {
					_, err := p.Again(t.Context(), q, a.ID, 0, true)
					return err
				})
			}
			p.until(fmt.Sprintf("a report after %+v", f), func() bool {
				p.hasten()
				return p.completed()
			})
		}
	}
	// What the service says it does not have is sent anew, so some of it twice.
	if list := p.far.Complaints(); len(list) > 0 {
		t.Errorf("not as published: %v", list)
	}
}

// hasten lets all that waits run now.
func (p *place) hasten() { p.set(`UPDATE jobs SET run_at = $1 WHERE state = 'available'`, p.DB.Now()) }

// TestAServiceThatIsDownLosesNothing starts the service long after work was handed in.
func TestAServiceThatIsDownLosesNothing(t *testing.T) {
	p := newPlace(t, dbtest.New(t, "sqlite", nil), fake.Options{Percent: 80})
	p.terms()
	address := p.server.Listener.Addr().String()
	p.server.Close()
	p.handIn(1, yes())
	p.start()
	p.until("it was tried", func() bool {
		a := p.actions()[0]
		return a.Retries > 2 && a.ErrorCode != nil && *a.ErrorCode == NotAvailable && a.Retry &&
			strings.Contains(*a.ErrorText, "refused the connection") && strings.Contains(a.NextStep, "again")
	})
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	again := httptest.NewUnstartedServer(p.far)
	again.Listener.Close()
	again.Listener = l
	again.Start()
	defer again.Close()
	p.until("a report", p.completed)
	p.sound()
}

// TestARefusedKeyStopsAllCalls until somebody has seen to it.
func TestARefusedKeyStopsAllCalls(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPlace(t, d, fake.Options{Percent: 80})
		p.terms()
		p.far.Inject(fake.Fault{Status: 403, Times: 1})
		p.handIn(1, yes())
		p.start()
		p.until("an action is given up", func() bool { return p.givenUp() == 1 })
		resting := func() bool {
			waiting := get[int](p, `SELECT count(*) FROM tii_actions WHERE retry`)
			return waiting == get[int](p, `SELECT count(*) FROM jobs WHERE kind = 'tii_action' AND state = 'available'
				AND run_at > $1`, clock.At(p.DB.Now().Add(time.Minute)))
		}
		p.until("the others rest", resting)
		if n := len(p.far.Calls()); n > Workers {
			t.Errorf("%d calls were made", n)
		}
		made := len(p.far.Calls())
		for _, a := range p.actions() {
			if a.Retry && !strings.Contains(a.NextStep, "administrator") {
				t.Errorf("%+v", a)
			}
		}
		p.hasten()
		p.until("they rest again", resting)
		if n := len(p.far.Calls()); n != made {
			t.Errorf("%d calls were made while all is stopped", n-made)
		}
		p.tx(func(q db.Q) error {
			id := get[int64](p, `SELECT id FROM tii_actions WHERE NOT retry AND NOT complete`)
			_, err := p.Again(t.Context(), q, id, 0, true)
			return err
		})
		p.until("a report", func() bool {
			p.hasten()
			return p.completed()
		})
	})
}

func (p *place) givenUp() int {
	return get[int](p, `SELECT count(*) FROM tii_actions WHERE NOT retry AND NOT complete`)
}

// TestAnotherKeyLiftsTheStop without anybody's doing.
func TestAnotherKeyLiftsTheStop(t *testing.T) {
	p := newPlace(t, dbtest.New(t, "sqlite", nil), fake.Options{})
	p.tx(func(q db.Q) error { return ensure(t.Context(), q) })
	p.set(`UPDATE tii_service SET stopped_at = $1, stopped_key = $2`, p.DB.Now(), fingerprint("a former key"))
	if err := p.turn(t.Context()); err != nil {
		t.Error(err)
	}
	p.set(`UPDATE tii_service SET stopped_key = $1`, fingerprint(key))
	if err := p.turn(t.Context()); err == nil {
		t.Error("a call was let through")
	}
}

// TestTheServiceIsGivenTheTimeItAsksFor, and calls keep their pace.
func TestTheServiceIsGivenTheTimeItAsksFor(t *testing.T) {
	p := newPlace(t, dbtest.New(t, "sqlite", nil), fake.Options{})
	p.Pace = time.Second
	paused := func() time.Duration {
		return get[clock.Time](p, `SELECT paused_until FROM tii_service`).Sub(p.DB.Now().Time).Round(time.Second)
	}
	ask := func() error {
		return p.call(t.Context(), func(ctx context.Context) error {
			_, err := p.Client.Features(ctx)
			return err
		})
	}
	p.far.Inject(fake.Fault{Status: http.StatusTooManyRequests, Times: 1})
	if err := ask(); failureOf(err).code != RateLimited || paused() != time.Minute {
		t.Errorf("%v, paused for %v", err, paused())
	}
	if err := ask(); err == nil || len(p.far.Calls()) != 1 {
		t.Errorf("a call was made while paused: %v", p.far.Calls())
	}
	p.set(`UPDATE tii_service SET paused_until = NULL`)
	p.far.Inject(fake.Fault{Status: 503, Times: 2})
	for _, want := range []time.Duration{5 * time.Second, 10 * time.Second} {
		if err := ask(); failureOf(err).code != NotAvailable || paused() != want {
			t.Errorf("%v, paused for %v", err, paused())
		}
		p.set(`UPDATE tii_service SET paused_until = NULL`)
	}
	if err := ask(); err != nil || get[int](p, `SELECT failures FROM tii_service`) != 0 {
		t.Errorf("%v, and the failures are not forgotten", err)
	}
	p.set(`UPDATE tii_service SET free_at = $1`, clock.At(p.DB.Now().Add((burst+6)*p.Pace)))
	if c, ok := errors.AsType[*closed](p.turn(t.Context())); !ok || c.why != whyBusy || c.until < 5*time.Second {
		t.Errorf("a call more than the pace allows got %v", c)
	}
}

// TestNinetyCallsAMinute counts what the pace lets through.
func TestNinetyCallsAMinute(t *testing.T) {
	start, made := clock.Real(), 0
	var free *clock.Time
	for now := start; now.Sub(start) < time.Minute; now = now.Add(10 * time.Millisecond) {
		for {
			in, next := reserve(free, now, pace)
			if in > 0 {
				break
			}
			made++
			free = &next
		}
	}
	if made < 80 || made > 90 {
		t.Errorf("%d calls in a minute", made)
	}
}

// TestAnActionIsGivenUpAfterADay of tries that came to nothing, not before.
func TestAnActionIsGivenUpAfterADay(t *testing.T) {
	p := newPlace(t, dbtest.New(t, "sqlite", nil), fake.Options{})
	p.terms()
	p.far.Inject(fake.Fault{Status: 503, Times: -1})
	p.handIn(1, yes())
	p.start()
	p.until("more tries than count", func() bool {
		return get[int](p,
			`SELECT max(retries) FROM tii_actions`) > mostTries+5
	})
	if p.givenUp() != 0 {
		t.Fatal("given up within a day")
	}
	p.set(`UPDATE tii_actions SET progress_at = $1`, clock.At(p.DB.Now().Add(-25*time.Hour)))
	p.until("all are given up", p.settled)
	for _, a := range p.actions() {
		if *a.ErrorCode != ExcessiveRetries || !strings.Contains(*a.ErrorText, "503") || len(a.Log) > mostLines {
			t.Errorf("%s %v, %d lines", *a.ErrorCode, *a.ErrorText, len(a.Log))
		}
	}
}

// TestAFileTheServiceCannotUse ends in words.
func TestAFileTheServiceCannotUse(t *testing.T) {
	for code, words := range map[string]string{"TOO_LITTLE_TEXT": "too little text", "SOMETHING": "error something"} {
		p := newPlace(t, dbtest.New(t, "sqlite", nil), fake.Options{After: -1})
		p.terms()
		p.far.Refuse(code)
		p.handIn(1, yes())
		p.start()
		p.until("both are given up", func() bool {
			p.far.Finish()
			return p.settled()
		})
		list, err := Documents(t.Context(), p.DB.Pool(), 1)
		if err != nil || !strings.Contains(list[0].Message, words) {
			t.Errorf("%+v, %v", list, err)
		}
		p.stop()
	}
}

// TestRetryIsForWhatIsGivenUp and nothing else.
func TestRetryIsForWhatIsGivenUp(t *testing.T) {
	p := newPlace(t, dbtest.New(t, "sqlite", nil), fake.Options{})
	p.terms()
	p.handIn(1, yes())
	p.start()
	p.until("done", p.settled)
	for _, text := range []string{`UPDATE tii_actions SET retry = FALSE`,
		`UPDATE tii_actions SET complete = FALSE, retry = TRUE`} {
		p.stop()
		p.set(text)
		err := p.DB.Tx(t.Context(), func(q db.Q) error {
			_, err := p.Again(t.Context(), q, p.actions()[0].ID, 0, false)
			return err
		})
		if !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: got %v", text, err)
		}
	}
	if slices.Contains(p.statuses(), Created) {
		t.Error("nothing was sent")
	}
}
