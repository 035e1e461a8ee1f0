package site_test

import (
	"fmt"
	"strings"
	"testing"
)

// codeZip packs so many programs into a folder, and what a system leaves beside them.
func codeZip(t *testing.T, programs int, more ...string) string {
	t.Helper()
	list := append([]string{"__MACOSX/src/._part0.go", "\x00"}, more...)
	for i := range programs {
		list = append(list, fmt.Sprintf("src/part%d.go", i), fmt.Sprintf("package part%d\n", i))
	}
	return zipOf(t, list...)
}

// A convenor ticks that a file may be a zip; it stays so, and goes with the kind.
func TestATaskSaysThatAFileMayBeAZip(t *testing.T) {
	each(t, func(w *world) {
		tom, at := w.convening(), w.setUp("min")
		id := at[strings.LastIndex(at, "/")+1:]
		asked := func(want string) {
			w.Helper()
			if got := w.one(`SELECT upload_requirements FROM task_definitions WHERE id = ` + id); got != want {
				t.Errorf("it asks for %s", got)
			}
		}
		w.exec(`UPDATE task_definitions SET upload_requirements = '[{"key":"file0","name":"One","type":"code"}]'`)
		tom.open(at).does(act{form: at, press: "Save changes", tick: []string{"May be a zip of text files"}}).sees("Saved.")
		asked(`[{"key":"file0","name":"One","type":"code","zip":true}]`)
		tom.does(act{form: at, press: "Save changes", fill: map[string]string{"task[files][0][name]": "Two"}}).sees("Saved.")
		asked(`[{"key":"file0","name":"Two","type":"code","zip":true}]`)
		tom.does(act{form: at, press: "Save changes", fill: map[string]string{"task[files][0][type]": "document"}}).sees("Saved.")
		asked(`[{"key":"file0","name":"Two","type":"document"}]`)
	})
}

// The page says that a zip may be sent, tells at its row which file of one is wrong, and takes one that is right.
func TestAZipIsHandedInByThePage(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, path := w.as("ann"), w.path(aTask)
		const asks = `UPDATE task_definitions SET upload_requirements = '[{"key":"file0","name":"Program","type":"code"%s}]'`
		w.exec(fmt.Sprintf(asks, ""))
		if text := ann.do(path, nil).status(200).text(); strings.Contains(text, " or a zip of") {
			t.Error("a zip is offered where none is taken")
		}
		ann.upload(path+"/hand-in", "text/html", nil, "file0", "a.zip", codeZip(t, 2)).status(415).
			says("a.zip is not a text file.")
		w.exec(fmt.Sprintf(asks, `,"zip":true`))
		ann.do(path, nil).status(200).says("or a zip of up to 200 text files")
		for content, want := range map[string]string{
			codeZip(t, 2, "out/a.exe", "MZ\x00"): "&#34;out/a.exe&#34; in the zip: The file must be text",
			codeZip(t, 201):                      "The zip holds 201 files; at most 200 are accepted.",
			"\x7fELF\x02\x01":                    "a.zip is neither a text file nor a zip of text files.",
		} {
			shown := ann.upload(path+"/hand-in", "text/html", nil, "file0", "a.zip", content)
			shown.says("Not submitted. Fix the files").says(want)
			if shown.Code != 415 && shown.Code != 413 {
				t.Errorf("%d", shown.Code)
			}
		}
		to := ann.upload(path+"/hand-in", "application/json", nil, "file0", "a.zip", codeZip(t, 12)).to()
		ann.do(to, nil).status(200).says("src/part11.go")
	})
}
