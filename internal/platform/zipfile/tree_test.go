package zipfile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"lectern/internal/ground/fault"
)

var roomy = Limits{Entries: 1000, Entry: 1 << 20, Total: 1 << 24}

func tree(t testing.TB, data []byte) ([]Entry, error) {
	t.Helper()
	z, err := Open(bytes.NewReader(data), int64(len(data)), roomy)
	if err != nil {
		return nil, err
	}
	return Tree(z)
}

func TestTree(t *testing.T) {
	var all []entry
	for _, name := range []string{"src/b.py", "src/", "README", `win\dir\a.cs`, "__MACOSX/src/._b.py", ".git/HEAD",
		"lib/.git/config", "src/.DS_Store", "._README", "src/__pycache__/b.pyc", "web/node_modules/x/y.js", "Thumbs.db",
		".gitignore", ".eslintrc", "src/__init__.py", "ä ö.txt", "src/./c.py", "gitlab/.github/w.yml"} {
		all = append(all, entry{name, ""})
	}
	list, err := tree(t, pack(t, all...))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, e.Name)
	}
	want := []string{".eslintrc", ".gitignore", "README", "gitlab/.github/w.yml", "src/__init__.py", "src/b.py", "src/c.py",
		"win/dir/a.cs", "ä ö.txt"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTreeRefuses(t *testing.T) {
	deep := strings.Repeat("d/", 21) + "a"
	for what, names := range map[string][]string{
		"a name on two systems": {"src/Main.java", "src/main.java"}, "the same name twice": {"a", "a"},
		"the same name said otherwise": {"a/b", `a\b`}, "a file and a folder": {"a", "A/b"},
		"a deep folder": {deep}, "a long name": {strings.Repeat("n", 256)}, "a device": {"src/con.txt"},
		"a dot at the end": {"a./b"}, "a blank at the end": {"a /b"}, "a colon": {"ab:c"}, "a turn": {"a\u202egnp.exe"},
		"a line feed": {"a\nb"}, "no UTF-8": {"a\xff.py"},
	} {
		var all []entry
		for _, n := range names {
			all = append(all, entry{n, "x"})
		}
		_, err := tree(t, pack(t, all...))
		if !fault.Is(err, fault.Unsupported) || !strings.Contains(err.Error(), "make the zip again") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// header is an archive of one file with a mode and flags.
func header(t testing.TB, h zip.FileHeader) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateRaw(&h)
	if err == nil {
		_, err = fmt.Fprint(w, "")
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTreeRefusesWhatIsNoPlainFile(t *testing.T) {
	link := zip.FileHeader{Name: "a"}
	link.SetMode(fs.ModeSymlink | 0o777)
	for what, h := range map[string]zip.FileHeader{"link": link, "password": {Name: "a", Flags: 1}} {
		if _, err := tree(t, header(t, h)); !fault.Is(err, fault.Unsupported) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// FuzzTree holds that what a tree names can be unpacked into one folder, on any system, whatever the archive.
func FuzzTree(f *testing.F) {
	f.Add(pack(f, entry{"a/b", "x"}, entry{"A", ""}, entry{`c\d`, "y"}))
	f.Add(pack(f, entry{"__MACOSX/._a", "x"}, entry{"a/../b", ""}))
	f.Add(header(f, zip.FileHeader{Name: "a", Flags: 1}))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := tree(t, data)
		if err != nil {
			if !fault.Is(err, fault.Unsupported) && !fault.Is(err, fault.TooLarge) {
				t.Fatal(err)
			}
			return
		}
		taken := map[string]bool{}
		for _, e := range list {
			key := strings.ToLower(e.Name)
			if taken[key] || !filepath.IsLocal(e.Name) || strings.ContainsAny(e.Name, "\\\x00:") || !utf8.ValidString(e.Name) {
				t.Fatalf("%q", e.Name)
			}
			taken[key] = true
		}
		for name := range taken {
			for i, r := range name {
				if r == '/' && taken[name[:i]] {
					t.Fatalf("%q is a file and a folder", name[:i])
				}
			}
		}
	})
}
