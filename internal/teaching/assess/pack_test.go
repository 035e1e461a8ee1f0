package assess

import "testing"

// A zip is a folder in the container, named as what was asked for; no path of it leads out of that.
func TestFilesOfAZipLieInAFolder(t *testing.T) {
	want := []string{"notes.txt", "Program/src/a.py", "Program/b.py", "_Program", "More/passwd", "_notes.txt/x"}
	got := handedIn(t.Context(), nil, []Submitted{{Name: "notes.txt"}, {Name: "Program", Path: "src/a.py"},
		{Name: "Program", Path: "b.py"}, {Name: "Program"}, {Name: "More", Path: "../../etc/passwd"},
		{Name: "notes.txt", Path: "x"}})
	for i, e := range got {
		if e.name != want[i] {
			t.Errorf("%q, want %q", e.name, want[i])
		}
	}
}
