package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// builtBefore builds the program of the release before.
func builtBefore(t *testing.T) string {
	t.Helper()
	commit, _, err := db.PreviousRelease()
	if err != nil {
		t.Fatal(err)
	}
	var tree bytes.Buffer
	archive := exec.CommandContext(t.Context(), "git", "-C", "../..", "archive", commit)
	archive.Stdout = &tree
	if err := archive.Run(); err != nil {
		t.Skipf("the release before, %s, is not in this copy of the repository: %v", commit, err)
	}
	dir := t.TempDir()
	unpack := exec.CommandContext(t.Context(), "tar", "-x", "-C", dir)
	unpack.Stdin = &tree
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	path := filepath.Join(t.TempDir(), "lectern-before")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "./cmd/lectern")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v %.2000s", err, out)
	}
	return path
}

// The release before runs on the schema of this one, on PostgreSQL beside this one: whatever people
// do, no answer is an error of the service. Where it cannot, it is refused, and CHANGELOG.md says
// that everything is stopped first.
func TestTheReleaseBeforeRunsOnThisSchema(t *testing.T) {
	dbtest.Long(t)
	before := builtBefore(t)
	_, schema, err := db.PreviousRelease()
	if err != nil {
		t.Fatal(err)
	}
	changes, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	dbtest.Engines(t, func(t *testing.T, engine string) {
		args := storage(t, engine)
		this := start(t, append([]string{"--demo"}, args...)...)
		d := openedAt(t, args)
		have, err := d.Schema(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if engine == "sqlite" { // which one program serves at a time
			this.stop()
		}
		if have.Oldest > schema {
			if !strings.Contains(string(changes), fmt.Sprintf("**Stop first**: a program of schema %d", schema)) {
				t.Error("CHANGELOG.md does not say to stop first")
			}
			refusesToServe(t, before, args)
			return
		}
		serve := []string{"serve", "--addr", "127.0.0.1:0", "--log-level", "error"}
		c := exec.CommandContext(t.Context(), before, append(serve, args...)...)
		c.Env = command(t).Env
		old := startAs(t, c)
		inUse(t, old, d)
		old.stop()
		if engine == "sqlite" {
			this = start(t, args...)
		}
		readsAll(t, this, d)
		this.stop()
	})
}

// openedAt opens the database that flags name.
func openedAt(t *testing.T, args []string) *db.DB {
	t.Helper()
	d, err := db.Open(addressOf(args), db.Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// refusesToServe sees that a program does not start.
func refusesToServe(t *testing.T, program string, args []string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	c.Env = command(t).Env
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "of a newer Lectern") {
		t.Errorf("%v %s", err, out)
	}
}

// inUse is a small load: people sign in, read all there is to read, hand in, write and mark.
func inUse(t *testing.T, i *instance, d *db.DB) {
	t.Helper()
	admin := i.signIn("aadmin", "password")
	definition, class := classroom(i, 5, `[{"key":"file0","name":"Code","type":"code"}]`)
	for _, p := range class {
		status, text, err := i.handIn(p, definition, "", sent{"file0", "a.py", "print(1)\n"})
		if err != nil || status != 201 {
			t.Errorf("hand in: %d %s %v", status, text, err)
		}
		task := fmt.Sprintf("/api/projects/%d/task_def_id/%d", p.project, definition)
		for _, c := range []struct{ path, who, token, body string }{
			{task + "/comments", p.name, p.token, `{"comment":"Is this right?"}`},
			{task + "/comments", "aadmin", admin, `{"comment":"It is."}`},
		} {
			if status, err := i.call("POST", c.path, c.who, c.token, c.body, nil); err != nil || status > 201 {
				t.Errorf("POST %s: %d %v", c.path, status, err)
			}
		}
	}
	for _, v := range i.verdictsFor(class, definition, 0, admin) {
		if status, err := i.call("POST", v.path, "aadmin", admin, v.body, nil); err != nil || status != 200 {
			t.Errorf("POST %s: %d %v", v.path, status, err)
		}
	}
	readsAll(t, i, d)
}

// readsAll has everybody read all there is to read.
func readsAll(t *testing.T, i *instance, d *db.DB) {
	t.Helper()
	tokens := map[string]string{}
	for _, who := range people {
		tokens[who] = i.signIn(who, "password")
	}
	all := looks(t, d, people, 2)
	for l, answer := range i.answers(all, tokens, time.Now()) {
		if strings.HasPrefix(answer, "5") {
			t.Errorf("GET %s as %s: %.200s", l.path, l.who, answer)
		}
	}
	t.Logf("%d answers were read", len(all))
}
