package assess

import (
	"archive/tar"
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/files"
	"lectern/internal/platform/zipfile"
)

// Submitted is a file of a student, under the name the package knows it by.
type Submitted struct {
	Name string     `db:"name"`
	Path string     `db:"path"` // of one that came in a zip: where it stood there, below the name
	Hash files.Hash `db:"hash"`
	Size int64      `db:"size"`
}

// entry is a file that goes into a container.
type entry struct {
	name string // with slashes, inside the folder it goes to
	size int64
	exec bool
	copy func(w io.Writer) error
}

// tests are the files of a package.
type tests struct {
	entries []entry
	closer  io.Closer
}

// mostEntries is how many files a package may hold.
const mostEntries = 10_000

// openTests reads the directory of a package. What is wrong with it is a fault,
// told to the staff.
func openTests(ctx context.Context, store files.Store, hash files.Hash, room int64) (*tests, error) {
	f, err := store.Open(ctx, hash)
	if err != nil {
		return nil, err
	}
	t := &tests{closer: f}
	z, err := zipfile.Open(f, f.Size(), zipfile.Limits{Entries: mostEntries, Entry: uint64(room), Total: uint64(room)})
	if err == nil {
		err = t.read(ctx, z)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return t, nil
}

func (t *tests) read(ctx context.Context, z *zip.Reader) error {
	for _, f := range z.File {
		name := path.Clean(strings.ReplaceAll(f.Name, `\`, "/"))
		switch mode := f.Mode(); {
		case mode.IsDir() || strings.HasSuffix(f.Name, "/") || strings.HasPrefix(name, "__MACOSX/"):
			continue
		case !mode.IsRegular():
			return fault.New(fault.Unsupported, "The package holds %.100q, which is a link or a device. Pack plain "+
				"files only.", name)
		default:
			t.entries = append(t.entries, entry{name: name, size: int64(f.UncompressedSize64),
				exec: mode&0o111 != 0 || strings.HasSuffix(name, ".sh"),
				copy: func(w io.Writer) error {
					_, err := zipfile.Copy(ctx, w, f, int64(f.UncompressedSize64))
					return err
				}})
		}
	}
	if !t.has(runScript) {
		return fault.New(fault.Unsupported, "The package has no %s at its root. Pack the files, not the folder they "+
			"are in.", runScript)
	}
	return nil
}

// The scripts of a package, at its root.
const (
	buildScript = "build.sh"
	runScript   = "run.sh"
	judgeScript = "judge.sh"
	judgeFolder = "judge/"
)

func (t *tests) has(name string) bool {
	return slices.ContainsFunc(t.entries, func(e entry) bool { return e.name == name })
}

// shown are the files that the student's program may see: where a judge decides,
// all but what is the judge's.
func (t *tests) shown() []entry {
	if !t.has(judgeScript) {
		return t.entries
	}
	return slices.DeleteFunc(slices.Clone(t.entries), func(e entry) bool {
		return e.name == judgeScript || strings.HasPrefix(e.name, judgeFolder)
	})
}

// submittedColumns are what Submitted reads of a submission's files.
const submittedColumns = `title AS name, CASE WHEN zipped THEN name ELSE '' END AS path, hash, size`

// handedIn are the files of a submission under plain names, each its own: what a
// requirement is called may not be fit to be one. A zip is a folder of that name.
func handedIn(ctx context.Context, store files.Store, list []Submitted) []entry {
	taken, folders := map[string]bool{}, map[string]string{}
	out := make([]entry, len(list))
	for i, s := range list {
		name, there := folders[s.Name]
		if s.Path == "" || !there {
			name = plain(s.Name)
			for taken[name] {
				name = "_" + name
			}
			taken[name] = true
		}
		if s.Path != "" {
			folders[s.Name] = name
			name += "/" + inside(s.Path)
		}
		out[i] = entry{name: name, size: s.Size, copy: func(w io.Writer) error {
			f, err := store.Open(ctx, s.Hash)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.Copy(w, f)
			return err
		}}
	}
	return out
}

// inside is a path that stays in its folder; they are checked when they come in.
func inside(text string) string {
	if name := path.Clean(text); filepath.IsLocal(name) && name != "." {
		return name
	}
	return plain(text)
}

// plain makes a name that stays in its folder, whatever the text.
func plain(text string) string {
	name := path.Base(strings.ReplaceAll(text, `\`, "/"))
	if name == "." || name == ".." || name == "/" || strings.ContainsRune(name, 0) {
		return "file"
	}
	return name
}

// over gives the entries of a folder into which first one list is unpacked and
// then another, which wins.
func over(first, second []entry) []entry {
	taken := map[string]bool{}
	for _, e := range second {
		for name := e.name; name != "."; name = path.Dir(name) {
			taken[name] = true
		}
	}
	out := slices.DeleteFunc(slices.Clone(first), func(e entry) bool { return taken[e.name] })
	return append(out, second...)
}

func total(list []entry) (n int64) {
	for _, e := range list {
		n += e.size
	}
	return n
}

// checkRoom refuses what cannot fit, before anything is started.
func checkRoom(list []entry, room int64) error {
	if n := total(list); n > room {
		return fault.New(fault.TooLarge, "The files have %s together, but the working folder has room for only %s.",
			bounds.SizeText(n), bounds.SizeText(room))
	}
	return nil
}

// packer writes entries to a container and notes what each file was.
type packer struct {
	w    *tar.Writer
	made map[string]bool // folders
	sums tree            // by name, of those in the folder work
}

func newPacker(w io.Writer) *packer { return &packer{tar.NewWriter(w), map[string]bool{}, tree{}} }

// add writes entries into a folder.
func (p *packer) add(folder string, list []entry) error {
	for _, e := range list {
		if err := p.one(folder, e); err != nil {
			return fmt.Errorf("pack %s: %w", e.name, err)
		}
	}
	return nil
}

func (p *packer) one(folder string, e entry) error {
	name := folder + "/" + e.name
	if err := p.parents(path.Dir(name)); err != nil {
		return err
	}
	mode := int64(0o644)
	if e.exec {
		mode = 0o755
	}
	if err := p.w.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: e.size}); err != nil {
		return err
	}
	sum := sha256.New()
	if err := e.copy(io.MultiWriter(p.w, sum)); err != nil {
		return err
	}
	if folder == workFolder {
		p.sums[e.name] = hex.EncodeToString(sum.Sum(nil))
	}
	return nil
}

// parents makes the folders of a file, but for the outermost, which is there.
func (p *packer) parents(dir string) error {
	if !strings.Contains(dir, "/") || p.made[dir] {
		return nil
	}
	if err := p.parents(path.Dir(dir)); err != nil {
		return err
	}
	p.made[dir] = true
	return p.w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755})
}

// text is an entry of a few words.
func text(name, content string) entry {
	return entry{name: name, size: int64(len(content)), copy: func(w io.Writer) error {
		_, err := io.WriteString(w, content)
		return err
	}}
}

// spooled is a temporary file that is gone when it is closed.
type spooled struct{ *os.File }

func newSpooled(dir string) (*spooled, error) {
	f, err := os.CreateTemp(dir, "assess-*")
	if err != nil {
		return nil, err
	}
	return &spooled{f}, os.Remove(f.Name())
}
