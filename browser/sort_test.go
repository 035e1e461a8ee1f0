package browser

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"lectern/internal/teaching/taskdef"
)

// dropped drops or pastes files onto what a selector finds, in the order they are given: a name
// and what is in it.
const dropped = `((kind, target, ...files) => {
	const data = new DataTransfer();
	const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
	for (const [name, text] of files) data.items.add(new File([bytes(text)], name));
	const init = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
	const e = kind === 'paste' ? new ClipboardEvent(kind, init) : new DragEvent(kind, init);
	return !document.querySelector(target).dispatchEvent(e);
})`

// drop drops files onto what a selector finds.
func (b *tab) drop(target string, files ...[2]string) {
	b.Helper()
	list := []any{"drop", target}
	for _, f := range files {
		list = append(list, []any{f[0], []byte(f[1])})
	}
	text, err := json.Marshal(list)
	if err != nil {
		b.Fatal(err)
	}
	if !eval[bool](b, dropped+"(..."+string(text)+")") {
		b.Errorf("%s lets the browser open what is dropped there", target)
	}
}

// holds waits until the rows of the form hold files of these names, and what is wrong with each.
func (b *tab) holds(want ...string) {
	b.Helper()
	for i, name := range want {
		b.await(`((row) => (row.querySelector('input').files[0]?.name ?? '') +
			row.querySelector('.flaw').textContent)(document.querySelectorAll('.drop')[` + string(rune('0'+i)) + `]) === ` +
			quote(name))
	}
}

// A PDF and two programs are dropped at once, in any order: each goes to the row that asks for it,
// by what it is and by its name. A second drop replaces what is there, a refused file can be
// replaced and removed, and all of it is submitted as the rows show it.
func TestFilesDroppedAtOnceFindTheirRows(t *testing.T) {
	needed(t)
	s := serve(t)
	b := open(t, s, wide)
	b.signIn("student_2")
	s.set(t, `UPDATE task_definitions SET upload_requirements = '[{"key":"file0","name":"Program","type":"code"},
		{"key":"file1","name":"Unit tests","type":"code"},{"key":"file2","name":"Report","type":"document"}]'
		WHERE abbreviation = '6.1P'`)
	b.firstTask("6.1P")
	report := [2]string{"real.pdf", "%PDF-1.4\n1 0 obj\n<<>>\nendobj\n%%EOF\n"}
	program, tests := [2]string{"Main.cs", "class Main { }\n"}, [2]string{"DrawingTests.cs", "class DrawingTests { }\n"}
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	all := [][2]string{report, program, tests}
	for _, order := range orders {
		b.visit(eval[string](b, "location.pathname"))
		b.drop("#hand-in", all[order[0]], all[order[1]], all[order[2]])
		b.holds("Main.cs", "DrawingTests.cs", "real.pdf")
	}
	second := [2]string{"Main.cs", "class Main { int second; }\n"}
	b.drop("#hand-in", [2]string{"other.pdf", report[1]}, second)
	b.holds("Main.cs", "DrawingTests.cs", "other.pdf")
	if text := eval[string](b, "document.querySelector('#file0').files[0].text()"); text != second[1] {
		t.Errorf("the first row still holds %q", text)
	}
	// A PDF never goes into a row for code, not even where it is dropped there.
	b.drop(".drop:has(#file0)", report)
	b.holds("Main.cs", "DrawingTests.cs", "real.pdf")
	// What fits nowhere is refused at the row, which then does not count as taken.
	b.drop(".drop:has(#file0)", [2]string{"program.exe", "MZ\x00\x01\x02"})
	b.holds("program.exeprogram.exe is not a text file. Choose the source file, not the built program.",
		"DrawingTests.cs", "real.pdf")
	b.drop("#hand-in", [2]string{"Another.cs", "class Another { }\n"})
	b.holds("Another.cs", "DrawingTests.cs", "real.pdf")
	b.press(".drop:has(#file1) .held button")
	b.holds("Another.cs", "", "real.pdf")
	b.drop("#hand-in", program, tests, [2]string{"Third.cs", "class Third { }\n"})
	b.holds("Main.cs", "DrawingTests.cs", "real.pdf")
	b.awaitText("Not added: Third.cs. Each row takes one file.")
	b.press("#hand-in button.primary")
	b.await(atReceipt)
	b.awaitText("DrawingTests.cs")
	b.awaitText("real.pdf")
}

// The page refuses what the service would, by the same rules: no file is sent to be refused, and
// none is held back that would be taken.
func TestFilesAreCheckedAsTheServiceChecksThem(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), wide)
	b.signIn("student_2")
	b.firstTask("6.1P")
	module := eval[string](b, `new URL('./hand-in-check.js', document.querySelector("script[src*='hand-in']").src).href`)
	const whole = "%PDF-1.7\nx\n%%EOF\n"
	long := strings.Repeat("int main() { return 0; }\n", 400)
	for name, data := range map[string]string{"pdf": whole, "pdf after a line": "\n\n" + whole, "cut pdf": "%PDF-1.7\nxx",
		"a late pdf": strings.Repeat(" ", 1100) + whole, "code": "package a\n", "json": `{"cells": []}`,
		"html": "<p>Hello</p>", "utf-8": "\ufeffa = 1\n", "utf-16": "\xff\xfea\x00=\x00", "latin": "a = '\xe9'\n",
		"zero": "a\x00b", "late zero": long + "\x00", "controls": strings.Repeat("\x01", 20),
		"few controls": long + "\x01\x02", "escape": "\x1b[1m\n", "form feed": "a\fb\n",
		"png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "jpeg": "\xff\xd8\xff\xe0\x00\x10JFIF", "gif": "GIF89a\x01\x00\x01\x00",
		"bmp": "BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00\x01", "a short bmp": "BM\x46\x00",
		"text like a bmp": "BM = 4 # and so on and on\n", "text like music": "ID3 = 1\nRIFF\n",
		"text like a program": "MZ = 4\n", "tiff": "II*\x00\x08\x00\x00\x00", "zip": "PK\x03\x04\x14\x00" + whole,
		"exe": "MZ\x90\x00\x03", "elf": "\x7fELF\x02\x01\x01\x00", "gzip": "\x1f\x8b\x08\x00",
		"postscript": "%!PS-Adobe-3.0\n", "svg": "<svg></svg>",
		"wav": "RIFF\x24\x00\x00\x00WAVEfmt ", "rtf": `{\rtf1 a}`, "shell": "#!/bin/sh\n", "empty": ""} {
		for _, kind := range (taskdef.UploadKind("")).Enum() {
			err := taskdef.UploadKind(kind).Check(bytes.NewReader([]byte(data)), int64(len(data)))
			text, _ := json.Marshal([]byte(data)) // bytes are always written
			flaw := eval[string](b, `import(`+quote(module)+`).then((m) => m.check(new File([Uint8Array.from(atob(`+
				string(text)+`), (c) => c.charCodeAt(0))], 'x'), `+quote(kind)+`, 1e7)).then((f) => f?.[0] ?? '')`)
			if (err == nil) != (flaw == "") {
				t.Errorf("%s as %s: the service says %v, the page %q", name, kind, err, flaw)
			}
		}
	}
}
