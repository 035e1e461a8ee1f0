package site_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
)

// oddNames are names that files may have from before names were cleaned, each of which would be more than a name
// somewhere: in a tag, in an address, in a script, or beside what stands next to it.
var oddNames = []string{`"><img src=x onerror=alert(1)>.go`, "\u202eog.exe\u2066.go", `' onmouseover='alert(1).go`,
	"javascript:alert(1)//.go", "a/../../%2e%2e/&amp;<b>.go"}

// Whatever a file is called, pages of the work, of what changed and of the desk show its name as text.
func TestHostileNamesOfFiles(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.twoVersions("a.go")
		ann, tom := w.as("ann"), w.as("tom")
		for _, name := range oddNames {
			w.exec(`UPDATE submission_files SET name = $1`, name)
			for path, who := range map[string]*world{w.workOf(2) + "?file=0": ann, w.workOf(2): ann, w.changesOf(): ann,
				w.changesOf() + "?columns=two": tom, w.path(aDesk) + "?file=0": tom, w.path(aDesk) + "?file=0&line=3": tom} {
				page := who.do(path, nil).status(200)
				for _, bad := range []string{"<img src=x", " onmouseover='", `href="javascript:`, "<b>.go"} {
					page.hasNot(bad)
				}
				who.sound(fmt.Sprintf("%s with %q", path, name), page)
			}
		}
	})
}

// What is long, turns what stands beside it, or claims to be text and is none, is shown on the desk within bounds.
func TestHostileFilesOnTheDesk(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	ann, tom, path := w.as("ann"), w.as("tom"), w.path(aTask)
	began := time.Now()
	for i, c := range []struct{ text, says string }{
		{strings.Repeat("(", 600_000), "595000 more characters"},
		{strings.Repeat("x", 5_000_000), "more characters"},
		{strings.Repeat("\u202e<script>alert(1)</script>\n", 50_000), "&lt;script&gt;"},
		{strings.Repeat("\u2066\u200b\x7f", 100_000), "U+2066"},
		{strings.Repeat("line\n", 60_000), "Lines 1 to 5000 of 60000"},
	} {
		ann.send(path+"/hand-in", fmt.Sprint(i), "a.go", c.text).status(303)
		page := tom.do(w.path(aDesk)+"?file=0", nil).status(200).says(c.says).hasNot("<script>alert(1)")
		_, lines, _ := strings.Cut(page.Body.String(), "data-source=")
		if lines, _, _ = strings.Cut(lines, "<aside"); strings.ContainsAny(lines, "\u202e\u2066\u200b\x7f") || lines == "" {
			t.Errorf("file %d turns what stands beside it: %.200q", i, lines)
		}
		if n := page.Body.Len(); n > 2_000_000 {
			t.Errorf("file %d makes a page of %d bytes", i, n)
		}
	}
	w.exec(`UPDATE submission_files SET hash = $1`, w.binary())
	for _, page := range []*answer{tom.do(w.path(aDesk)+"?file=0", nil), ann.do(w.workOf(5)+"?file=0", nil)} {
		page.status(200).says("not text").hasNot("MZ\x00").hasNot("data-line=")
	}
	ann.do(w.changesOf(), nil).status(200).hasNot("MZ\x00")
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

// binary stores what is no text, and gives its hash.
func (w *world) binary() string {
	w.Helper()
	info, err := w.files.Put(w.Context(), strings.NewReader("MZ\x00\x01\x02"))
	if err != nil {
		w.Fatal(err)
	}
	w.tx(func(ctx context.Context, q db.Q) error { return blob.Keep(ctx, q, w.files, info) })
	return string(info.Hash)
}
