package main

import (
	"regexp"
	"strings"
	"testing"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// verifyAudit runs lectern audit verify, which must find nothing wrong.
func verifyAudit(t *testing.T, place ...string) string {
	t.Helper()
	out, err := run(t, append([]string{"audit", "verify"}, place...)...)
	if err != nil || !strings.Contains(out, "is sound") && !strings.Contains(out, "is empty") {
		t.Errorf("the audit log: %v: %s", err, out)
	}
	return out
}

// awaitEntries waits until the audit log holds at least n new campuses.
func (i *instance) awaitEntries(n int) {
	i.t.Helper()
	token := i.signIn("aadmin", "password")
	found := 0
	if !waittest.Within(waittest.Patience, func() bool {
		var list []struct{ Action string }
		if _, err := i.call("GET", "/api/admin/audit?kind=setting&limit=10000", "aadmin", token, "",
			&list); err != nil {
			i.t.Fatal(err)
		}
		found = 0
		for _, e := range list {
			if e.Action == "campus_created" {
				found++
			}
		}
		return found >= n
	}) {
		i.t.Fatalf("%d campuses were acknowledged, the audit log has %d", n, found)
	}
}

// The command works beside the service, and finds what was changed behind its back.
func TestAuditVerify(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			if engine == "postgres" {
				dbtest.Long(t)
			}
			place := storage(t, engine)
			i := start(t, append([]string{"--demo"}, place...)...)
			for range 3 {
				i.signIn("aadmin", "password")
			}
			verifyAudit(t, place...)
			i.stop()
			out := verifyAudit(t, place...)
			head := regexp.MustCompile(`[0-9]+:[0-9a-f]{64}`).FindString(out)
			verifyAudit(t, append([]string{"--head", head}, place...)...)
			d, err := db.Open(addressOf(place), db.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if err := d.Tx(t.Context(), func(q db.Q) error {
				_, err := db.Exec(t.Context(), q, `UPDATE audit_entries SET actor_id = actor_id + 1 WHERE seq = 3`)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if out, err := run(t, append([]string{"audit", "verify"}, place...)...); err == nil ||
				!strings.Contains(out, "Entry 3") || !strings.Contains(out, "TAMPERED") {
				t.Errorf("%v: %s", err, out)
			}
			if out, err := run(t, append([]string{"audit", "verify", "--head", "x"}, place...)...); err == nil {
				t.Errorf("--head x: %s", out)
			}
		})
	}
}

// addressOf gives the database that the arguments of a command name.
func addressOf(place []string) string {
	if len(place) == 4 {
		return place[3]
	}
	return place[1] + "/lectern.db"
}

func TestCheckpointsAreCountedInWords(t *testing.T) {
	for n, want := range map[int64]string{0: "0 signed checkpoints", 1: "1 signed checkpoint",
		2: "2 signed checkpoints"} {
		if got := signed(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
