package app

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"lectern/internal/platform/backup"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/submit"
	"lectern/internal/usecase/demo"
)

// filled gives a database with the demo university in it, and the store of its files.
func filled(t *testing.T, engine string) backup.Installation {
	t.Helper()
	ctx := t.Context()
	d := dbtest.New(t, engine, nil)
	store, err := files.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	signer, err := submit.NewKeys(d, nil).Signer(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Tx(ctx, func(q db.Q) error {
		_, err := demo.Fill(ctx, q, "seal", &submit.Service{Files: store, Service: "Test"}, signer)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return backup.Installation{DB: d, Files: store, Program: "test"}
}

// rowsOf gives the records of a backup, each table's in an order of their own.
func rowsOf(t *testing.T, dir, set string) []string {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "sets", set, "records"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	in, table := bufio.NewScanner(z), ""
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		if name, found := strings.CutPrefix(in.Text(), `{"table":"`); found {
			table, _, _ = strings.Cut(name, `"`)
		}
		if table == "installation" {
			continue // what is its own, such as being paused
		}
		out = append(out, table+" "+in.Text())
	}
	slices.Sort(out)
	return out
}

// backedUp makes a backup of an installation and gives its directory and its name.
func backedUp(t *testing.T, from backup.Installation, key age.Recipient) (dir, name string) {
	t.Helper()
	m := backup.Maker{Dir: t.TempDir(), Key: key}
	name, _, err := m.Make(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	return m.Dir, name
}

// place is an empty one of an engine.
func place(t *testing.T, engine string) backup.Installation {
	t.Helper()
	store, err := files.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return backup.Installation{DB: dbtest.New(t, engine, nil), Files: store}
}

func silent(backup.Progress) {}

// A backup of either database is restored into the other and is the same there, to the last
// value of the last row, with every file.
func TestABackupIsTheSameInTheOtherDatabase(t *testing.T) {
	dbtest.Long(t)
	for from, to := range map[string]string{"sqlite": "postgres", "postgres": "sqlite"} {
		t.Run("from "+from, func(t *testing.T) {
			dir, name := backedUp(t, filled(t, from), nil)
			b, err := backup.Open(t.Context(), dir, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			into := place(t, to)
			if err := b.Restore(t.Context(), into, silent); err != nil {
				t.Fatal(err)
			}
			again, other := backedUp(t, into, nil)
			before, after := rowsOf(t, dir, name), rowsOf(t, again, other)
			for i := range min(len(before), len(after)) {
				if before[i] != after[i] {
					t.Fatalf("line %d of %d: %.300s\nis %.300s", i, len(before), before[i], after[i])
				}
			}
			if len(before) != len(after) || len(before) < 5000 {
				t.Errorf("%d lines are %d", len(before), len(after))
			}
			if why, err := db.Paused(t.Context(), into.DB.Pool()); err != nil || why == "" {
				t.Errorf("what was restored is not paused: %v", err)
			}
		})
	}
}

// An installation that nobody has used yet has given no number at all in some tables, which SQLite
// and PostgreSQL note differently.
func TestABackupOfANewInstallationIsRestored(t *testing.T) {
	for from, to := range map[string]string{"sqlite": "postgres", "postgres": "sqlite"} {
		t.Run("from "+from, func(t *testing.T) {
			fresh := place(t, from)
			if err := fresh.DB.Tx(t.Context(), func(q db.Q) error { // gives a number, and takes it back
				_, err := db.Exec(t.Context(), q, `INSERT INTO unit_changes (unit_id) SELECT id FROM units`)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			dir, _ := backedUp(t, fresh, nil)
			b, err := backup.Open(t.Context(), dir, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Restore(t.Context(), place(t, to), silent); err != nil {
				t.Error(err)
			}
		})
	}
}

// allFiles lists what a directory holds.
func allFiles(t *testing.T, dir string) (paths []string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return paths
}

// whole tells what is wrong with a backup.
func whole(t *testing.T, dir string, key age.Identity) error {
	t.Helper()
	b, err := backup.Open(t.Context(), dir, "", key)
	if err != nil {
		return err
	}
	return b.Check(t.Context(), silent)
}

// verified tells what lectern restore --verify finds wrong with a backup.
func verified(t *testing.T, dir string, key age.Identity) error {
	t.Helper()
	b, err := backup.Open(t.Context(), dir, "", key)
	if err == nil {
		_, err = Prove(t.Context(), b, silent)
	}
	return err
}

// One byte that is not as it was is noticed, wherever it stands, with a key and without.
func TestAFlippedByteInABackupIsNoticed(t *testing.T) {
	identity := newKey(t)
	from := filled(t, "sqlite")
	for _, c := range []struct {
		name string
		to   age.Recipient
		key  age.Identity
	}{{"encrypted", identity.Recipient(), identity}, {"unencrypted", nil, nil}} {
		t.Run(c.name, func(t *testing.T) {
			dir, name := backedUp(t, from, c.to)
			if err := verified(t, dir, c.key); err != nil {
				t.Fatal(err)
			}
			seed := uint64(time.Now().UnixNano())
			random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a choice of places
			paths := allFiles(t, dir)
			set := allFiles(t, filepath.Join(dir, "sets", name))
			places := 20
			if dbtest.Full() {
				places = 100
			}
			for n := range places {
				path := paths[random.IntN(len(paths))]
				if n%2 == 0 { // half of them in the few files that say what the others are
					path = append(set, filepath.Join(dir, "lectern-backups.json"))[random.IntN(len(set)+1)]
				}
				flip(t, path, random, func(at int) {
					if err := verified(t, dir, c.key); err == nil {
						t.Errorf("byte %d of %s was changed and nothing noticed it (seed %d)", at, path, seed)
					}
				})
			}
		})
	}
}

// flip changes a byte of a file, runs f, and changes it back.
func flip(t *testing.T, path string, random *rand.Rand, f func(at int)) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || len(data) == 0 {
		t.Fatal(path, err)
	}
	at, by := random.IntN(len(data)), byte(1+random.IntN(255))
	write := func() {
		data[at] ^= by
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write()
	f(at)
	write()
}

// What must not happen is refused in words, and leaves everything as it was.
func TestARestoreThatMustNotBeIsRefused(t *testing.T) {
	identity, other := newKey(t), newKey(t)
	from := filled(t, "sqlite")
	dir, name := backedUp(t, from, identity.Recipient())
	elsewhere, foreign := backedUp(t, filled(t, "sqlite"), identity.Recipient())
	dbtest.Engines(t, func(t *testing.T, engine string) {
		for what, c := range map[string]struct {
			into  backup.Installation
			key   age.Identity
			spoil func(b *backup.Backup)
			want  string
		}{
			"over a live place":    {into: filled(t, engine), key: identity, want: "the database is not empty"},
			"into a half-full one": {into: halfFull(t, engine), key: identity, want: "the file store is not empty"},
			"with the wrong key":   {into: place(t, engine), key: other, want: "encrypted for another key"},
			"without a key":        {into: place(t, engine), want: "give their key"},
			"of a newer release": {into: place(t, engine), key: identity, want: "of a newer Lectern",
				spoil: func(b *backup.Backup) { b.Manifest.Schema = 1 << 30 }},
		} {
			t.Run(what, func(t *testing.T) {
				before := held(t, c.into)
				b, err := backup.Open(t.Context(), dir, name, c.key)
				if err == nil {
					if c.spoil != nil {
						c.spoil(b)
					}
					err = b.Restore(t.Context(), c.into, silent)
				}
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("it says %v, not %q", err, c.want)
				}
				if after := held(t, c.into); after != before {
					t.Errorf("the place held %s and holds %s", before, after)
				}
			})
		}
	})
	newest := filepath.Join(dir, "sets", "20300101T000000Z")
	if err := os.Rename(filepath.Join(elsewhere, "sets", foreign), newest); err != nil {
		t.Fatal(err)
	}
	// It is refused before any place is named that could be touched.
	if _, err := backup.Open(t.Context(), dir, "", identity); err == nil ||
		!strings.Contains(err.Error(), "of another installation") {
		t.Errorf("a manifest of another installation: %v", err)
	}
}

func newKey(t *testing.T) *age.X25519Identity {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// halfFull is a place whose store holds a file of somebody else.
func halfFull(t *testing.T, engine string) backup.Installation {
	t.Helper()
	p := place(t, engine)
	if _, err := p.Files.Put(t.Context(), strings.NewReader("somebody else's")); err != nil {
		t.Fatal(err)
	}
	return p
}

// held tells how much a place holds.
func held(t *testing.T, p backup.Installation) string {
	t.Helper()
	people, err := db.One[int64](t.Context(), p.DB.Pool(), `SELECT count(*) FROM users`)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := p.Files.List(t.Context(), func(files.Info) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d people and %d files", *people, n)
}

// The first receipt of each unit after a restore says so; those after it follow it as ever, and
// all of them are found to be sound.
func TestReceiptsTellOfARestore(t *testing.T) {
	dbtest.Long(t)
	dbtest.Engines(t, func(t *testing.T, engine string) {
		ctx := t.Context()
		dir, _ := backedUp(t, filled(t, engine), nil)
		b, err := backup.Open(t.Context(), dir, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		into := place(t, engine)
		if err := b.Restore(ctx, into, silent); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time there is nothing to tell
			if err := submit.TellRestart(ctx, into.DB); err != nil {
				t.Fatal(err)
			}
		}
		keys, err := submit.PublicKeys(ctx, into.DB.Pool())
		if err != nil {
			t.Fatal(err)
		}
		before, err := submit.VerifyAll(ctx, into.DB.Pool(), keys)
		if err != nil || before < 50 {
			t.Fatalf("%d receipts are sound: %v", before, err)
		}
		told, err := db.One[int64](ctx, into.DB.Pool(), `SELECT count(*) FROM receipt_chains WHERE restored_from = $1`,
			b.Manifest.Made)
		if err != nil || int(*told) != len(b.Manifest.Receipts) || *told == 0 {
			t.Errorf("%d of %d units tell of the restore: %v", *told, len(b.Manifest.Receipts), err)
		}
		if _, err := db.One[string](ctx, into.DB.Pool(), `SELECT id FROM signing_keys WHERE seed IS NOT NULL`); err == nil {
			t.Error("a backup that is not encrypted holds the key of receipts")
		}
	})
}
