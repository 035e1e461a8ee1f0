package audit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

func TestMain(m *testing.M) {
	// The test server's pool of connections lives as long as the tests.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

// seal is a signer whose signature anybody can check, and nobody here forges.
type seal struct{}

func (seal) Sign(text []byte) (keyID, signature string) {
	sum := sha256.Sum256(append([]byte("secret"), text...))
	return "test", hex.EncodeToString(sum[:])
}

func check(keyID string, text []byte, signature string) error {
	if id, want := (seal{}).Sign(text); keyID != id || signature != want {
		return errors.New("the signature does not fit")
	}
	return nil
}

func add(t testing.TB, d *db.DB, by Origin, list ...Entry) {
	t.Helper()
	ctx := By(context.Background(), by)
	if err := d.Tx(ctx, func(q db.Q) error { return Add(ctx, q, list...) }); err != nil {
		t.Fatal(err)
	}
}

func relayed(t testing.TB, d *db.DB) {
	t.Helper()
	if _, err := Relay(context.Background(), d); err != nil {
		t.Fatal(err)
	}
}

func sealed(t testing.TB, d *db.DB) {
	t.Helper()
	if _, err := Seal(context.Background(), d, seal{}); err != nil {
		t.Fatal(err)
	}
}

func verdict(t testing.TB, d *db.DB, marks ...Mark) *Verdict {
	t.Helper()
	v, err := Verify(context.Background(), d, check, marks, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func exec(t testing.TB, d *db.DB, text string, args ...any) int64 {
	t.Helper()
	var n int64
	if err := d.Tx(context.Background(), func(q db.Q) (err error) {
		n, err = db.Exec(context.Background(), q, text, args...)
		return err
	}); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n
}

func TestEntriesAreKeptAsTheyWere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		by := Origin{ActorID: 7, Address: netip.MustParseAddr("192.0.2.1"), RequestID: "R1"}
		add(t, d, by, Entry{Kind: Role, Action: "tutor", UserID: 1, UnitID: 2, ProjectID: 3, TaskID: 4, RecordID: 5,
			Fields: []string{"role", "email"}}, Entry{Kind: SignIn, Action: Created, ActorID: 9, UserID: 9})
		add(t, d, Origin{}, Entry{Kind: Job, Action: "retried", RecordID: 8})
		if list, _, err := List(t.Context(), d.Pool(), Filter{}, db.Page{}); err != nil || len(list) != 0 {
			t.Fatalf("%d entries before the relay, %v", len(list), err)
		}
		relayed(t, d)
		list, total, err := List(t.Context(), d.Pool(), Filter{}, db.Page{})
		if err != nil || total != 3 {
			t.Fatalf("%d entries, %v", total, err)
		}
		got := list[2]
		if *got.Address != "192.0.2.1" || len(got.Hash) != 64 || got.At.IsZero() {
			t.Errorf("%+v", got)
		}
		got.Address, got.Hash, got.At = nil, "", list[0].At
		got.At.Time = time.Time{}
		if want := (Record{Seq: 1, Kind: Role, Action: "tutor", ActorID: 7, UserID: 1, UnitID: 2, ProjectID: 3,
			TaskID: 4, RecordID: 5, Fields: Names{"role", "email"}, RequestID: "R1"}); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if list[1].ActorID != 9 || list[0].ActorID != 0 || list[0].Address != nil {
			t.Errorf("%+v %+v", list[0], list[1])
		}
		if v := verdict(t, d); !v.Sound() || v.First != 1 || v.Last != 3 || v.Head != list[0].Hash || v.Sealed != 0 {
			t.Errorf("%+v", v)
		}
	})
}

func TestNothingIsKeptOfWhatWasRolledBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		failed := errors.New("no")
		err := d.Tx(t.Context(), func(q db.Q) error {
			return errors.Join(Add(t.Context(), q, Entry{Kind: Unit, Action: Created}), failed)
		})
		if !errors.Is(err, failed) {
			t.Fatal(err)
		}
		if n, err := Relay(t.Context(), d); n != 0 || err != nil {
			t.Fatal(n, err)
		}
	})
}

// Writers on many connections and several relays make one chain without gaps.
func TestConcurrentWritersMakeOneChain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const writers, each = 8, 25
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for i := range each {
					ctx := By(t.Context(), Origin{ActorID: int64(w + 1)})
					if err := d.Brief(ctx, func(q db.Q) error {
						return Add(ctx, q, Entry{Kind: Status, Action: "complete", TaskID: int64(i)},
							Entry{Kind: Grade})
					}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range 2 {
			wg.Go(func() {
				for range 20 {
					if _, err := Relay(t.Context(), d); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		relayed(t, d)
		if v := verdict(t, d); !v.Sound() || v.Last != 2*writers*each || v.Waiting != 0 {
			t.Errorf("%+v", v)
		}
	})
}

// A relay that dies at any of its steps, between the commit of an entry and its
// number, leaves a chain that the next one goes on with.
func TestARelayThatDiesLosesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for i := range 3 {
			add(t, d, Origin{}, Entry{Kind: Unit, Action: Created, UnitID: int64(i + 1)})
		}
		relayed(t, d)
		add(t, d, Origin{}, Entry{Kind: Unit, Action: Created, UnitID: 4}, Entry{Kind: Unit, Action: Created,
			UnitID: 5})
		for n := int64(1); ; n++ {
			ctx, counter := db.Failing(t.Context(), n)
			if _, err := Relay(ctx, d); err == nil {
				if n < 4 || counter.N() >= n {
					t.Fatalf("the relay took %d statements", counter.N())
				}
				break
			}
			v := verdict(t, d)
			if v.Last == 5 {
				break // it died when it looked for more
			}
			if !v.Sound() || v.Last != 3 || v.Waiting != 1 {
				t.Fatalf("after it died at statement %d: %+v", n, v)
			}
		}
		if v := verdict(t, d); !v.Sound() || v.Last != 5 || v.Waiting != 0 {
			t.Fatalf("%+v", v)
		}
	})
}

// tampering is a change of one thing that is stored, in the entry $1 of six.
var tampering = map[string][]string{
	"at":         {`UPDATE audit_entries SET at = '2026-01-01T00:00:00.000Z' WHERE seq = $1`},
	"kind":       {`UPDATE audit_entries SET kind = kind || 'x' WHERE seq = $1`},
	"action":     {`UPDATE audit_entries SET action = '' WHERE seq = $1`},
	"fields":     {`UPDATE audit_entries SET fields = fields || ',x' WHERE seq = $1`},
	"actor":      {`UPDATE audit_entries SET actor_id = actor_id + 1 WHERE seq = $1`},
	"user":       {`UPDATE audit_entries SET user_id = user_id + 1 WHERE seq = $1`},
	"unit":       {`UPDATE audit_entries SET unit_id = unit_id + 1 WHERE seq = $1`},
	"project":    {`UPDATE audit_entries SET project_id = project_id + 1 WHERE seq = $1`},
	"task":       {`UPDATE audit_entries SET task_id = task_id + 1 WHERE seq = $1`},
	"record":     {`UPDATE audit_entries SET record_id = record_id + 1 WHERE seq = $1`},
	"hash":       {`UPDATE audit_entries SET hash = 'f' || hash WHERE seq = $1`},
	"number":     {`UPDATE audit_entries SET seq = seq + 1000 WHERE seq = $1`},
	"removed":    {`DELETE FROM audit_entries WHERE seq = $1`},
	"cut off":    {`DELETE FROM audit_entries WHERE seq >= $1`},
	"checkpoint": {`UPDATE audit_checkpoints SET hash = 'f' || hash WHERE $1 > 0`},
	"signature":  {`UPDATE audit_checkpoints SET signature = signature || 'f' WHERE $1 > 0`},
	"inserted": {`UPDATE audit_entries SET seq = -seq - 1 WHERE seq > $1`, `INSERT INTO audit_entries
		SELECT seq + 1, at, kind, action, actor_id, user_id, unit_id, project_id, task_id, record_id, fields, hash,
			address, request_id FROM audit_entries WHERE seq = $1`,
		`UPDATE audit_entries SET seq = -seq WHERE seq < 0 AND $1 > 0`},
	"swapped": {`UPDATE audit_entries SET seq = -1 WHERE seq = $1`,
		`UPDATE audit_entries SET seq = $1 WHERE seq = $1 % 6 + 1`,
		`UPDATE audit_entries SET seq = $1 % 6 + 1 WHERE seq = -1`},
}

func TestAnyChangeOfTheChainIsFound(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for i := range 6 {
			add(t, d, Origin{ActorID: int64(i)}, Entry{Kind: Status, Action: "complete", TaskID: int64(i)})
		}
		relayed(t, d)
		sealed(t, d)
		exec(t, d, `UPDATE audit_entries SET address = NULL, request_id = 'x'`)
		if v := verdict(t, d); !v.Sound() {
			t.Fatalf("nothing of the chain was changed, but: %v", v.Problems)
		}
		rapid.Check(t, func(t *rapid.T) {
			how := rapid.SampledFrom(slices.Sorted(maps.Keys(tampering))).Draw(t, "how")
			seq := rapid.Int64Range(1, 6).Draw(t, "seq")
			undone := errors.New("undone")
			err := d.Tx(context.Background(), func(q db.Q) error {
				for _, text := range tampering[how] {
					if _, err := db.Exec(context.Background(), q, text, seq); err != nil {
						return err
					}
				}
				v := &verifier{Verdict: &Verdict{}, check: check, due: map[int64][]string{}}
				if err := v.run(context.Background(), q, func(int64) {}); err != nil {
					return err
				}
				if v.Sound() {
					t.Fatalf("%s in entry %d was not found", how, seq)
				}
				return undone
			})
			if !errors.Is(err, undone) {
				t.Fatal(err)
			}
		})
	})
}

// Whoever writes a part of the chain anew, hashes included, contradicts the
// checkpoint; and whoever cuts off the end is found also after new entries came.
func TestACheckpointHoldsTheEnd(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for i := range 4 {
			add(t, d, Origin{}, Entry{Kind: Unit, Action: Created, UnitID: int64(i + 1)})
		}
		relayed(t, d)
		before := verdict(t, d)
		sealed(t, d)
		add(t, d, Origin{}, Entry{Kind: Unit, Action: Created, UnitID: 5})
		relayed(t, d)
		exec(t, d, `DELETE FROM audit_entries WHERE seq = 5`)
		if v := verdict(t, d); !v.Sound() || v.Sealed != 4 {
			t.Fatalf("an end behind the last checkpoint cannot be missed: %+v", v)
		}
		exec(t, d, `DELETE FROM audit_entries WHERE seq >= 3`)
		if _, err := Seal(t.Context(), d, seal{}); !errors.Is(err, ErrShort) {
			t.Errorf("the end was cut off, but: %v", err)
		}
		for i := range 3 {
			add(t, d, Origin{}, Entry{Kind: Unit, Action: Created, UnitID: int64(i + 7)})
		}
		relayed(t, d)
		if v := verdict(t, d); v.Sound() || !strings.Contains(v.Problems[0], "written anew") {
			t.Errorf("%+v", v)
		}
		exec(t, d, `DELETE FROM audit_checkpoints`)
		if v := verdict(t, d); !v.Sound() {
			t.Errorf("without checkpoints nothing contradicts: %+v", v)
		}
		if v := verdict(t, d, Mark{before.Last, before.Head}); v.Sound() {
			t.Error("a mark that was noted elsewhere was not compared")
		}
	})
}

func TestOldEntriesGiveWayToACheckpoint(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			now := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
			d := dbtest.New(t, engine, func() time.Time { return now })
			from := Origin{Address: netip.MustParseAddr("192.0.2.1")}
			for i := range 5 {
				add(t, d, from, Entry{Kind: Unit, Action: Created, UnitID: int64(i + 1)})
				now = now.Add(24 * time.Hour)
			}
			relayed(t, d)
			sealed(t, d)
			if n, err := Forget(t.Context(), d, 60*time.Hour); err != nil || n != 3 {
				t.Fatalf("%d addresses forgotten, %v", n, err)
			}
			if n, err := Prune(t.Context(), d, seal{}, 60*time.Hour); err != nil || n != 3 {
				t.Fatalf("%d entries removed, %v", n, err)
			}
			relayed(t, d)
			v := verdict(t, d)
			if !v.Sound() || v.First != 4 || v.Last != 6 || v.Checkpoints != 2 {
				t.Errorf("%+v", v)
			}
			now = now.Add(1000 * time.Hour)
			if _, err := Prune(t.Context(), d, seal{}, time.Hour); err != nil {
				t.Fatal(err)
			}
			if v := verdict(t, d); !v.Sound() || v.First != 6 || v.Last != 6 {
				t.Errorf("the last entry must stay: %+v", v)
			}
			exec(t, d, `UPDATE audit_checkpoints SET seq = 4 WHERE start`)
			if v := verdict(t, d); v.Sound() {
				t.Error("a start that was moved was believed")
			}
		})
	}
}

func TestAKeeperChainsAndSeals(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		k := &Keeper{DB: d, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Signer: func(context.Context) (Signer, error) { return seal{}, nil }}
		k.Start(t.Context())
		add(t, d, Origin{}, Entry{Kind: Unit, Action: Created, UnitID: 1})
		waittest.Until(t, "the first entry is chained", func() bool { return verdict(t, d).Last == 1 })
		add(t, d, Origin{}, Entry{Kind: Unit, Action: Created, UnitID: 2})
		k.Stop()
		if v := verdict(t, d); !v.Sound() || v.Last != 2 || v.Sealed != 2 {
			t.Errorf("%+v", v)
		}
	})
}

func TestFieldsAreNamed(t *testing.T) {
	type inner struct{ CampusID *int64 }
	type change struct {
		inner
		FirstName  *string
		HTTPSOnly  bool
		unexported int
	}
	id := int64(1)
	c := change{inner: inner{&id}, HTTPSOnly: true, unexported: 1}
	if got := Given(c); !reflect.DeepEqual(got, []string{"campus_id", "https_only"}) {
		t.Error(got)
	}
	name := "x"
	if got := Diff(&c, &change{inner: inner{&id}, FirstName: &name}); !reflect.DeepEqual(got, []string{"first_name",
		"https_only"}) {
		t.Error(got)
	}
}
