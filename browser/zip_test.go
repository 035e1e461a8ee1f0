package browser

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// takesZips has the task that asks for one program take a zip of them.
func (s *service) takesZips(t *testing.T) {
	t.Helper()
	s.set(t, `UPDATE task_definitions SET upload_requirements = '[{"key":"file0","name":"Program","type":"code",
		"zip":true}]' WHERE abbreviation = '5.1P'`)
}

// zipOfCode is an archive of so many programs in two folders, of so many lines each.
func zipOfCode(t *testing.T, files, lines int) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := range files {
		f, err := z.Create(fmt.Sprintf("src/%s/Part%02d.cs", []string{"draw", "read"}[i%2], i))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(f, "class Part%02d\n{\n%s}\n", i, strings.Repeat("    int number = 1;\n", lines-3))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A student hands in a zip of twelve programs where the task takes one, and reads them as a tree; so does the tutor
// who marks them.
func TestAZipOfCodeIsReadAsATree(t *testing.T) {
	needed(t)
	s := serve(t)
	s.takesZips(t)
	r := s.handsInFile(t, phone, "work.zip", zipOfCode(t, 12, 5))
	b := r.student
	b.visit(r.page)
	b.awaitText("zip of up to 200")
	b.follow("main a[href$='/work']")
	b.opensInTree("Part07.cs")
	b.awaitText("class Part07")
	tutor := open(t, s, wide)
	tutor.signIn("atutor")
	tutor.desk(r.desk)
	tutor.opensInTree("Part08.cs")
	tutor.await("document.querySelector('.desk-source:not([hidden])')?.textContent.includes('class Part08')")
}

// opensInTree opens a file that stands in the folders of a tree of twelve.
func (b *tab) opensInTree(name string) {
	b.Helper()
	b.await("document.querySelectorAll('.src-tree a[data-file]').length === 12")
	b.press(".src-tree > summary")
	file := eval[string](b, `(() => {
		const link = [...document.querySelectorAll('.src-tree a[data-file]')].find((a) => a.textContent.includes(`+
		quote(name)+`));
		for (let at = link.closest('details'); at; at = at.parentElement.closest('details')) at.open = true;
		return link.dataset.file;
	})()`)
	b.press(".src-tree a[data-file='" + file + "']")
}
