package api

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lectern/internal/platform/container/enginetest"
	"lectern/internal/platform/db/dbtest"
)

// packedFrom reads a package of the documentation.
func packedFrom(t *testing.T, name string) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..", "..", "docs", "assessment", name)
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		out[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// pythonLayer and compilerLayer are images made of this machine's programs.
func pythonLayer(t *testing.T) []byte {
	t.Helper()
	found, _ := filepath.Glob("/usr/bin/python3.[0-9]*[0-9]")
	if len(found) == 0 {
		found = []string{"/usr/bin/python3"}
	}
	lib := strings.Replace(found[0], "/bin/", "/lib/", 1)
	return enginetest.Layer(t, found[:1], []string{lib}, map[string]string{"/usr/bin/python3": found[0]})
}

func compilerLayer(t *testing.T) []byte {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/*-linux-gnu/crt1.o")
	if len(found) == 0 {
		found = []string{"/usr/lib/crt1.o"}
	}
	lib := filepath.Dir(found[0])
	files := map[string]string{"/usr/bin/cc": "/usr/bin/tcc"}
	for _, name := range []string{"crt1.o", "crti.o", "crtn.o", "libc.so", "libc_nonshared.a", "libc.so.6"} {
		files[lib+"/"+name] = lib + "/" + name
	}
	loaders, _ := filepath.Glob(lib + "/ld-linux*.so*")
	for _, l := range loaders {
		files[l] = l
	}
	headers, _ := filepath.Glob("/usr/include/*.h")
	for _, h := range headers {
		files[h] = h
	}
	include := filepath.Join("/usr/include", filepath.Base(lib))
	return enginetest.Layer(t, []string{"/usr/bin/tcc"}, []string{lib + "/tcc", include + "/bits", include + "/gnu",
		include + "/sys"}, files)
}

// The packages of the documentation, from the upload to the comment.
func TestPackagesToStartFrom(t *testing.T) {
	for _, c := range []struct {
		name, file  string
		layer       func(*testing.T) []byte // nil: the static shell
		right, said string
		wrong, told string
		trusted     bool
	}{
		{name: "text-diff", file: "answer.txt", right: "one \r\ntwo\nthree\n", said: "Every line is as it should be.",
			wrong: "one\nthree\nfour\n", told: "1 lines are missing, and 1 should not be there."},
		{name: "c-program", file: "program.c", layer: compilerLayer,
			right: "#include <stdio.h>\nint main(void) { int a, b; scanf(\"%d %d\", &a, &b); printf(\"%d\\n\", a + " +
				"b); return 0; }\n",
			said: "It compiles.\n\n2 of 2 cases are right.", wrong: "int main(void) { return 5; }\n",
			told: "It compiles.\n\n0 of 2 cases are right."},
		{name: "python-unittest", file: "solution.py", layer: pythonLayer, trusted: true,
			right: "def add(a, b):\n    return a + b\n", said: "All tests pass.",
			wrong: "def add(a, b):\n    return abs(a) + b\n", told: "Some tests fail; see the output."},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.layer != nil {
				dbtest.Long(t)
			}
			w := newWorld(t, "sqlite")
			a := newAssessor(t, w, packedFrom(t, c.name))
			if c.layer != nil {
				w.set(`UPDATE overseer_images SET tag = $1`, a.engine.Add(t, c.name, c.layer(t)))
			}
			w.define(`assessment_trusted = $1, upload_requirements = $2`, c.trusted,
				`[{"key":"file0","name":"`+c.file+`","type":"code"}]`)
			for _, try := range []struct{ work, comment, status string }{{c.wrong, c.told, "fix_and_resubmit"},
				{c.right, c.said, "complete"}} {
				a.handsIn("student", try.work)
				a.work()
				if got := a.comment("student")["comment"]; got != try.comment || a.status() != try.status {
					t.Errorf("the task is %s: %q, want %q\n%s", a.status(), got, try.comment,
						w.do("tutor", "GET "+ownTask+"/submissions/timestamps/{at}/assessment", nil).Body)
				}
			}
		})
	}
}
