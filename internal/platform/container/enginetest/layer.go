package enginetest

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/platform/db/dbtest"
)

// Layer packs programs of this machine, the libraries they need and other files,
// by name or as folders, over the static shell, as an image that a test offers.
// Names maps paths in the image to files elsewhere. What is not there skips the
// test.
func Layer(t testing.TB, programs, others []string, names map[string]string) []byte {
	t.Helper()
	base, err := busybox()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.Write(base[:len(base)-1024]) // without the end of the archive
	p := &layer{t, tar.NewWriter(&b), map[string]bool{"/bin": true, "/tmp": true}}
	for _, name := range programs {
		p.add(name, name)
		p.libraries(name)
	}
	for _, name := range others {
		p.folder(name)
	}
	for name, file := range names {
		p.add(name, file)
	}
	if err := p.w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type layer struct {
	t    testing.TB
	w    *tar.Writer
	have map[string]bool
}

// add packs the file behind a name, links followed.
func (p *layer) add(name, file string) {
	p.t.Helper()
	if p.have[name] {
		return
	}
	p.have[name] = true
	content, err := os.ReadFile(file)
	if err != nil {
		dbtest.Missing(p.t, "%s, which an image of the test is made of (Debian: apt-get install tcc python3): %v", file,
			err)
	}
	info, err := os.Stat(file)
	if err != nil {
		p.t.Fatal(err)
	}
	p.parents(name)
	err = p.w.WriteHeader(&tar.Header{Name: strings.TrimPrefix(name, "/"), Mode: int64(info.Mode().Perm()) | 0o444,
		Size: int64(len(content))})
	if err == nil {
		_, err = p.w.Write(content)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// parents packs the folders above a name: Docker lets only root into those that an
// archive does not tell of.
func (p *layer) parents(name string) {
	p.t.Helper()
	dir := path.Dir(name)
	if dir == "/" || p.have[dir] {
		return
	}
	p.parents(dir)
	p.have[dir] = true
	if err := p.w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir[1:] + "/", Mode: 0o755}); err != nil {
		p.t.Fatal(err)
	}
}

var library = regexp.MustCompile(`(/[^ ]+) \(0x`)

// libraries packs what a program is linked with.
func (p *layer) libraries(program string) {
	p.t.Helper()
	out, err := exec.Command("ldd", program).Output()
	if err != nil {
		dbtest.Missing(p.t, "%s: %v", program, err)
	}
	for _, m := range library.FindAllStringSubmatch(string(out), -1) {
		p.add(m[1], m[1])
	}
}

// folder packs all that is in a folder, but what only its makers need.
func (p *layer) folder(root string) {
	p.t.Helper()
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "__pycache__" || e.Name() == "test" || e.Name() == "dist-packages" ||
			strings.HasPrefix(e.Name(), "config-")) {
			return fs.SkipDir
		}
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			p.add(name, name)
		}
		return nil
	})
	if err != nil {
		dbtest.Missing(p.t, "%s: %v", root, err)
	}
}
