package events

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

func TestMain(m *testing.M) {
	// The test server's pool of connections lives as long as the tests.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func start(t *testing.T, d *db.DB) *Hub {
	t.Helper()
	h := NewHub(d, quiet, 2*time.Millisecond)
	h.Start(t.Context())
	t.Cleanup(h.Stop)
	return h
}

func add(t *testing.T, d *db.DB, list ...Event) {
	t.Helper()
	err := d.Tx(t.Context(), func(q db.Q) error {
		for _, e := range list {
			if err := Add(t.Context(), q, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// body gives the whole number that the tests keep in the body.
func body(t *testing.T, e Event) int {
	t.Helper()
	var n int
	if err := json.Unmarshal(e.Body.(json.RawMessage), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestRoundTrip(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		in := Event{Kind: "comment", ActorID: 1, UserID: 2, UnitID: 3, ProjectID: 4, TaskID: 5,
			Body: map[string]string{"text": "a\x00b"}}
		add(t, d, in, Event{Kind: "bare"})
		if list, err := Since(t.Context(), d.Pool(), Filter{All: true}, 0, 10); err != nil || len(list) != 0 {
			t.Fatalf("%d events before the relay, %v", len(list), err)
		}
		if err := Relay(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		list, err := Since(t.Context(), d.Pool(), Filter{All: true}, 0, 10)
		if err != nil || len(list) != 2 {
			t.Fatalf("%d events, %v", len(list), err)
		}
		out := list[0]
		if raw := string(out.Body.(json.RawMessage)); raw != `{"text":"a\u0000b"}` {
			t.Error(raw)
		}
		in.Seq, in.At, in.Body, out.Body = 1, out.At, nil, nil
		if in != out || out.At.IsZero() {
			t.Errorf("wrote %+v, read %+v", in, out)
		}
		if last, err := Last(t.Context(), d.Pool()); last != 2 || err != nil {
			t.Errorf("last is %d, %v", last, err)
		}
	})
}

func TestFilterInMemoryAndInTheDatabaseAgree(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var list []Event
		for i := range 200 {
			list = append(list, Event{Kind: "x", UserID: rand.Int64N(4), UnitID: rand.Int64N(5), Body: i})
		}
		add(t, d, list...)
		if err := Relay(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		for _, f := range []Filter{{}, {All: true}, {UserID: 2}, {UnitIDs: []int64{1, 3}},
			{UserID: 1, UnitIDs: []int64{0, 2, 4}}} {
			var want []int
			for i := range list {
				if f.Matches(&list[i]) && i+1 > 20 && len(want) < 30 {
					want = append(want, i)
				}
			}
			var got []int
			events, err := Since(t.Context(), d.Pool(), f, 20, 30)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				got = append(got, body(t, e))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v: got %v, want %v", f, got, want)
			}
		}
	})
}

// TestEveryCommittedEventOnceInOrder lets a thousand transactions write and fail
// at once, with two relays, and readers of each sort.
func TestEveryCommittedEventOnceInOrder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const writers = 1000
		one, two := start(t, d), start(t, d)
		all := Filter{All: true}
		slow := one.Subscribe(all, 0)
		defer slow.Close()
		var mu sync.Mutex
		committed := map[int]bool{}
		var writing, reading sync.WaitGroup
		for i := range writers {
			writing.Go(func() {
				if write(t, d, i) {
					mu.Lock()
					defer mu.Unlock()
					committed[i] = true
				}
			})
		}
		got := make([][]Event, 4)
		reading.Go(func() { got[0] = pollAll(t, d) })
		reading.Go(func() { got[1] = follow(t, two, false) })
		reading.Go(func() { got[2] = follow(t, one, true) })
		writing.Wait()
		add(t, d, Event{Kind: "end", UserID: 1})
		reading.Wait()
		for !ended(got[3]) {
			got[3] = append(got[3], drain(t, slow, 1)...)
		}
		for i, list := range got {
			check(t, []string{"poll", "follow", "reconnect", "slow"}[i], list, committed)
		}
		t.Logf("%d of %d transactions were committed", len(committed), writers)
	})
}

// write writes an event and commits it, or not.
func write(t *testing.T, d *db.DB, n int) bool {
	undone := errors.New("undone")
	fails := rand.IntN(3) == 0
	err := d.Tx(t.Context(), func(q db.Q) error {
		if err := Add(t.Context(), q, Event{Kind: "x", UserID: 1, UnitID: 1, Body: n}); err != nil {
			return err
		}
		if q.Postgres() { // so that commits overtake each other
			time.Sleep(rand.N(3 * time.Millisecond))
		}
		if fails {
			return undone
		}
		return nil
	})
	if err != nil && !errors.Is(err, undone) {
		t.Error(err)
	}
	return err == nil
}

// ended tells whether the last event has come.
func ended(list []Event) bool { return len(list) > 0 && list[len(list)-1].Kind == "end" }

// pollAll reads as a client without a connection does.
func pollAll(t *testing.T, d *db.DB) (got []Event) {
	after := int64(0)
	for !ended(got) {
		list, err := Since(t.Context(), d.Pool(), Filter{UserID: 1, UnitIDs: []int64{1}}, after, 1+rand.IntN(20))
		if err != nil {
			t.Error(err)
			return got
		}
		for _, e := range list {
			got = append(got, e)
			after = e.Seq
		}
	}
	return got
}

// follow reads from a hub; with reconnects it leaves now and then and comes
// back with the number it saw last.
func follow(t *testing.T, h *Hub, reconnects bool) (got []Event) {
	sub := h.Subscribe(Filter{UserID: 1}, 0)
	defer func() { sub.Close() }()
	for !ended(got) {
		list, err := sub.Next(t.Context())
		if err != nil {
			t.Error(err)
			return got
		}
		got = append(got, list...)
		if reconnects && rand.IntN(4) == 0 {
			sub.Close()
			sub = h.Subscribe(Filter{UserID: 1}, got[len(got)-1].Seq)
		}
	}
	return got
}

func drain(t *testing.T, sub *Subscription, n int) (got []Event) {
	for len(got) < n {
		list, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, list...)
	}
	return got
}

func check(t *testing.T, who string, got []Event, committed map[int]bool) {
	t.Helper()
	if !ended(got) {
		t.Errorf("%s: never saw the end", who)
		return
	}
	seen := map[int]bool{}
	last := int64(0)
	for _, e := range got[:len(got)-1] { // without the end
		n := body(t, e)
		if seen[n] || !committed[n] {
			t.Errorf("%s: event %d came twice or was never committed", who, n)
		}
		if e.Seq <= last {
			t.Errorf("%s: %d after %d", who, e.Seq, last)
		}
		seen[n], last = true, e.Seq
	}
	if len(seen) != len(committed) {
		t.Errorf("%s: saw %d of %d events", who, len(seen), len(committed))
	}
}

// TestATransactionThatCommitsLastIsNumberedLast has a transaction that wrote first commit last.
func TestATransactionThatCommitsLastIsNumberedLast(t *testing.T) {
	d := dbtest.New(t, "postgres", nil) // SQLite has one writer at a time
	after := int64(0)
	next := func() int {
		t.Helper()
		if err := Relay(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		list, err := Since(t.Context(), d.Pool(), Filter{All: true}, after, 10)
		if err != nil || len(list) != 1 {
			t.Fatalf("%d events, %v", len(list), err)
		}
		after = list[0].Seq
		return body(t, list[0])
	}
	err := d.Tx(t.Context(), func(q db.Q) error {
		if err := Add(t.Context(), q, Event{Kind: "x", Body: 1}); err != nil {
			return err
		}
		add(t, d, Event{Kind: "x", Body: 2})
		if n := next(); n != 2 {
			t.Errorf("first %d", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := next(); n != 1 {
		t.Errorf("then %d", n)
	}
}

// TestRelaysTakeTurns has an event with a smaller id appear between the work of
// one relay and its commit: a second relay must not number it ahead.
func TestRelaysTakeTurns(t *testing.T) {
	d := dbtest.New(t, "postgres", nil)
	wrote, commit := make(chan bool), make(chan bool)
	var late, second sync.WaitGroup
	late.Go(func() {
		err := d.Tx(t.Context(), func(q db.Q) error {
			err := Add(t.Context(), q, Event{Kind: "x", Body: 2})
			close(wrote)
			<-commit
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-wrote
	add(t, d, Event{Kind: "x", Body: 1})
	err := d.Tx(t.Context(), func(q db.Q) error {
		if err := number(t.Context(), q); err != nil {
			return err
		}
		close(commit)
		late.Wait()
		second.Go(func() {
			if err := Relay(t.Context(), d); err != nil {
				t.Error(err)
			}
		})
		return untilOneWaits(t.Context(), d)
	})
	if err != nil {
		t.Fatal(err)
	}
	second.Wait()
	list, err := Since(t.Context(), d.Pool(), Filter{All: true}, 0, 10)
	if err != nil || len(list) != 2 || body(t, list[0]) != 1 || body(t, list[1]) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
}

// untilOneWaits waits until a transaction waits for another.
func untilOneWaits(ctx context.Context, d *db.DB) error {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	for {
		n, err := db.One[int64](ctx, d.Pool(), `SELECT count(*) FROM pg_locks WHERE NOT granted`)
		if err != nil || *n > 0 {
			return err
		}
	}
}

func TestSubscriberFromBeforeTheStart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := NewHub(d, quiet, time.Hour)
		sub := h.Subscribe(Filter{All: true}, 0)
		defer sub.Close()
		sub.take()
		if list, err := sub.catchUp(t.Context()); len(list) != 0 || err != nil {
			t.Fatalf("%d events out of nothing, %v", len(list), err)
		}
		add(t, d, Event{Kind: "x", Body: 1})
		if err := Relay(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		h.Start(t.Context())
		defer h.Stop()
		if got := drain(t, sub, 1); body(t, got[0]) != 1 {
			t.Errorf("got %+v", got)
		}
		add(t, d, Event{Kind: "x", Body: 2}) // heard of without a poll
		if got := drain(t, sub, 1); body(t, got[0]) != 2 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestPruneKeepsTheNumbers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for range 3 {
			add(t, d, Event{Kind: "x"})
		}
		if err := Relay(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		err := d.Tx(t.Context(), func(q db.Q) error {
			_, err := db.Exec(t.Context(), q, `UPDATE events SET at = $1`, clock.At(d.Now().Add(-Keep-time.Second)))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := Prune(t.Context(), d); n != 2 || err != nil {
			t.Errorf("pruned %d, %v", n, err)
		}
		add(t, d, Event{Kind: "x"})
		if err := Relay(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		if last, err := Last(t.Context(), d.Pool()); last != 4 || err != nil {
			t.Errorf("the next number was %d, %v", last, err)
		}
	})
}

func TestSinceUsesTheIndexes(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	type step struct {
		ID     int    `db:"id"`
		Parent int    `db:"parent"`
		Unused int    `db:"notused"`
		Detail string `db:"detail"`
	}
	text, args := Filter{UserID: 1, UnitIDs: []int64{1, 2}}.query([]any{0, 10})
	steps, err := db.All[step](t.Context(), d.Pool(), "EXPLAIN QUERY PLAN "+text, args...)
	if err != nil {
		t.Fatal(err)
	}
	var plan strings.Builder
	for _, s := range steps {
		plan.WriteString(s.Detail + "\n")
	}
	for _, want := range []string{"events_of_user (user_id=? AND seq>?)", "events_of_unit (unit_id=? AND seq>?)"} {
		if !strings.Contains(plan.String(), want) {
			t.Errorf("no %s in\n%s", want, plan.String())
		}
	}
}

// What is not kept reaches who listens to its unit at that moment: not who follows
// all that is kept, nor whom it is hidden from, nor who listens to nothing of it.
func TestWhatIsNotKeptPassesBy(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := NewHub(d, quiet, 2*time.Millisecond)
		told := false
		h.Also(func(context.Context) ([]Event, error) {
			if told {
				return nil, nil
			}
			told = true
			return []Event{{Kind: "passing", UnitID: 1, HiddenFrom: 7, Body: 0}}, nil
		})
		unit, all := h.Subscribe(Filter{UserID: 6, UnitIDs: []int64{1}}, 0), h.Subscribe(Filter{All: true}, 0)
		hidden := h.Subscribe(Filter{UserID: 7, UnitIDs: []int64{1}}, 0)
		other := h.Subscribe(Filter{UserID: 8, UnitIDs: []int64{2}}, 0)
		h.Start(t.Context())
		t.Cleanup(h.Stop)
		if list := drain(t, unit, 1); list[0].Kind != "passing" || list[0].Seq != 0 {
			t.Errorf("heard %+v", list)
		}
		add(t, d, Event{Kind: "kept", UnitID: 1}, Event{Kind: "kept", UnitID: 2})
		for name, s := range map[string]*Subscription{"unit": unit, "all": all, "hidden": hidden, "other": other} {
			for _, e := range drain(t, s, 1) {
				if e.Kind != "kept" {
					t.Errorf("%s heard %+v", name, e)
				}
			}
		}
	})
}
