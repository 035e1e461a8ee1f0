package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"lectern/internal/platform/db/dbtest"
)

// TestAGeneratedClientTellsAStory generates a typed client from the document that
// the program prints, compiles it, and drives the program with it on both databases:
// see tools/story. The generator gets the whole document and no hint about it.
func TestAGeneratedClientTellsAStory(t *testing.T) {
	dbtest.Long(t)
	story := buildStory(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			place := storage(t, engine)
			i := start(t, place...)
			out, err := exec.Command(story, i.url, "aadmin", administrator(t, place...)).CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
			i.stop()
		})
	}
}

// buildStory gives the path of the compiled story. The generated package lies in a
// temporary directory and is laid over the tree, which stays as it is.
func buildStory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	document, err := command(t, "openapi").Output()
	if err != nil {
		t.Fatal(err)
	}
	spec, generated := filepath.Join(dir, "openapi.json"), filepath.Join(dir, "client")
	if err := os.WriteFile(spec, document, 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "tool", "ogen", "--config", "story/ogen.yml", "--target", generated, "--package", "client", spec)
	program := filepath.Join(dir, "story")
	tool(t, "build", "-overlay", overlay(t, dir, generated), "-tags", "story", "-o", program, "./story")
	return program
}

// tool runs go in the module of the tools.
func tool(t *testing.T, args ...string) {
	t.Helper()
	c := exec.Command("go", args...)
	c.Dir = "../../tools"
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%.4000s", args[0], err, out)
	}
}

// overlay writes where the compiler finds the files of the package client.
func overlay(t *testing.T, dir, generated string) string {
	t.Helper()
	at, err := filepath.Abs("../../tools/story/client")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(generated, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("nothing was generated: %v", err)
	}
	replace := map[string]string{}
	for _, f := range files {
		replace[filepath.Join(at, filepath.Base(f))] = f
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
