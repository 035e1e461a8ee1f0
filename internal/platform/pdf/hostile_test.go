package pdf

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// flateBomb is a zlib stream of about a thousandth of the zeros it unpacks to.
// One flushed stretch refers only to itself, so it can be repeated.
func flateBomb(size int64) []byte {
	const stretch = 1 << 20
	var part bytes.Buffer
	w, _ := zlib.NewWriterLevel(&part, zlib.BestCompression)
	_, _ = w.Write(make([]byte, stretch))
	_ = w.Flush()
	head, body := part.Bytes()[:2], part.Bytes()[2:]
	out := append([]byte(nil), head...)
	for range size / stretch {
		out = append(out, body...)
	}
	out = append(out, 1, 0, 0, 0xff, 0xff) // an empty last block
	return binary.BigEndian.AppendUint32(out, uint32(size%65521)<<16|1)
}

// onePage is a PDF of one page with the given contents and further objects.
func onePage(page, contents string, more ...string) []byte {
	return rawPDF(append([]string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R" + page + ">>", contents,
	}, more...)...)
}

func encryptedPDF(t testing.TB, user string) []byte {
	conf := model.NewAESConfiguration(user, "owner", 256)
	conf.Offline = true
	var out bytes.Buffer
	if err := api.Encrypt(bytes.NewReader(somePDF(2)), &out, conf); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// hugePNG says it is w by h pixels and holds almost nothing.
func hugePNG(w, h uint32) []byte {
	chunk := func(kind string, data []byte) []byte {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
		b = append(append(b, kind...), data...)
		return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	out := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, 8, 6, 0, 0, 0))...)
	return append(append(out, chunk("IDAT", flateBomb(4<<20))...), chunk("IEND", nil)...)
}

func zipFile() []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, _ := w.Create("../../evil.sh")
	_, _ = f.Write([]byte("echo evil"))
	_ = w.Close()
	return b.Bytes()
}

func utf16File(s string) []byte {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}

func hugeNotebook() []byte {
	b, _ := json.Marshal(map[string]any{"cells": []any{map[string]any{
		"cell_type": "code", "source": "print('x')",
		"outputs": []any{map[string]any{"output_type": "stream", "text": strings.Repeat("a line of output\n",
			300_000)}},
	}}})
	return b
}

type hostile struct {
	name   string
	file   *File
	failed bool   // nothing of it is shown
	note   string // in the note's text
	shows  string // in the document's text
}

func corpus(t testing.TB) []hostile {
	good := somePDF(5)
	bomb := rawStream("/Filter/FlateDecode", flateBomb(1<<30))
	return []hostile{
		{"flate bomb", bytesFile("bomb.pdf", PDF, onePage("", bomb)), true, "unpacks to far more", ""},
		{"bomb in a bomb", bytesFile("bomb2.pdf", PDF, onePage("",
			rawStream("/Filter[/FlateDecode/FlateDecode]", zipped(flateBomb(1<<28))))), true, "unpacks to far more",
			""},
		{"object stream bomb", bytesFile("bomb3.pdf", PDF, objectStreamBomb()), true, "", ""},
		{"encrypted", bytesFile("secret.pdf", PDF, encryptedPDF(t, "secret")), true, "password", ""},
		{"encrypted without a password", bytesFile("open.pdf", PDF, encryptedPDF(t, "")), false, "", "Foreign page 2"},
		{"truncated", bytesFile("cut.pdf", PDF, good[:len(good)/3]), true, "damaged", ""},
		{"empty", bytesFile("empty.pdf", PDF, nil), true, "empty", ""},
		{"cyclic pages", bytesFile("cycle.pdf", PDF, rawPDF("<</Type/Catalog/Pages 2 0 R>>",
			"<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Pages/Kids[2 0 R 3 0 R]/Count 1/Parent 2 0 R>>")), true,
			"circles", ""},
		{"self-containing form", bytesFile("form.pdf", PDF, onePage("/Resources<</XObject<</X 5 0 R>>>>",
			rawStream("", []byte("/X Do")), rawStream("/Type/XObject/Subtype/Form/BBox[0 0 9 "+
				"9]/Resources<</XObject<</X"+
				" 5 0 R>>>>", []byte("/X Do")))), false, "", ""},
		{"no pages", bytesFile("none.pdf", PDF, rawPDF("<</Type/Catalog/Pages 2 0 R>>",
			"<</Type/Pages/Kids[]/Count 99>>")), true, "", ""},
		{"polyglot PDF and zip", bytesFile("both.pdf", PDF, append(somePDF(1), zipFile()...)), false, "",
			"Foreign page 1"},
		{"huge PNG", bytesFile("huge.png", Image, hugePNG(20_000, 20_000)), true, "20000 by 20000", ""},
		{"lying PNG", bytesFile("lying.png", Image, hugePNG(5_000, 5_000)), true, "damaged", ""},
		{"zip as PNG", bytesFile("zip.png", Image, zipFile()), true, "not an image", ""},
		{"huge image in a PDF", bytesFile("image.pdf", PDF, onePage("/Resources<</XObject<</X 5 0 R>>>>",
			rawStream("", []byte("/X Do")), rawStream("/Type/XObject/Subtype/Image/Width 90000/Height 90000"+
				"/BitsPerComponent 8/ColorSpace/DeviceGray", []byte("x")))), true, "90000 by 90000", ""},
		{"one line of 5 MB", bytesFile("line.js", Code, bytes.Repeat([]byte("var a=1;"), 5<<17)), false,
			"first 20 pages", "var a=1;var a=1;"},
		{"UTF-16", bytesFile("utf16.cs", Code, utf16File("class Größe {}\r\n// Ω\r\n")), false, "", "class Größe {}"},
		{"Latin-1", bytesFile("latin.c", Code, []byte("// Gr\xf6\xdfe\n")), false, "Windows-1252", "// Größe"},
		{"binary named .py", bytesFile("program.py", Code, []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00")), true,
			"a program", ""},
		{"noise named .py", bytesFile("noise.py", Code, bytes.Repeat([]byte("\x00\x01\x02\x8f\xff"), 1000)), true,
			"binary", ""},
		{"PDF named .py", bytesFile("essay.py", Code, somePDF(1)), true, "a PDF", ""},
		{"override in a name", bytesFile("harmless\u202efdp.exe.py", Code, []byte("x = '\u202e\u2066'\n")), false, "",
			"harmless[U+202E]fdp.exe.py"},
		{"huge notebook output", bytesFile("huge.ipynb", Notebook, hugeNotebook()), false, "cut after",
			"299600 more lines"},
		{"broken notebook", bytesFile("broken.ipynb", Notebook, []byte(`{"cells": [`)), false, "plain text",
			`{"cells": [`},
		{"deep Markdown", bytesFile("deep.md", Markdown, deepMarkdown()), false, "", "bottom"},
		{"quotes of Markdown", bytesFile("quotes.md", Markdown,
			[]byte(strings.Repeat(">", 20_000)+" bottom\n"+strings.Repeat("[", 20_000))), false, "", ""},
		{"wide table", bytesFile("wide.md", Markdown, []byte(strings.Repeat("|cell", 3000)+"|\n"+strings.Repeat("|-",
			3000)+"|\n"+strings.Repeat("|text", 3000)+"|\n")), false, "", ""},
		{"entities of Markdown", bytesFile("mark.md", Markdown, []byte(strings.Repeat("*a **a ", 5_000))), false, "",
			""},
	}
}

func deepMarkdown() []byte {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "%s- level %d\n", strings.Repeat("  ", i), i)
	}
	b.WriteString("\nbottom\n")
	return []byte(b.String())
}

func zipped(data []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}

// objectStreamBomb hides its catalog in a stream that unpacks to a gigabyte.
func objectStreamBomb() []byte {
	body := rawStream("/Type/ObjStm/N 1/First 4/Filter/FlateDecode", flateBomb(1<<30))
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	at := b.Len()
	fmt.Fprintf(&b, "2 0 obj\n%s\nendobj\n", body)
	start := b.Len()
	xref := []byte{0, 0, 0, 0, 0, 2, 0, 0, 2, 0, 1, byte(at >> 16), byte(at >> 8), byte(at), 0, 1, byte(start >> 16),
		byte(start >> 8), byte(start), 0}
	fmt.Fprintf(&b, "3 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n",
		rawStream("/Type/XRef/Size 4/W[1 3 1]/Root 1 0 R", xref), start)
	return b.Bytes()
}

// Each hostile file alone costs its own pages only, in time, and the document
// around it stands and is sound.
func TestHostileFiles(t *testing.T) {
	if addressFactor > 1 {
		t.Skip("limits are not real ones under the race detector")
	}
	for _, h := range corpus(t) {
		t.Run(h.name, func(t *testing.T) {
			start := time.Now()
			out, res := render(t, testDocument(
				Section{Title: "Suspect", File: h.file},
				Section{Title: "Good", File: bytesFile("good.go", Code, []byte("package good\n"))},
			), Limits{SectionPages: 20})
			if took := time.Since(start); took > 6*time.Second {
				t.Errorf("took %v", took)
			}
			if res.MaxRSS > 400<<20 {
				t.Errorf("a child took %d MB", res.MaxRSS>>20)
			}
			checkNotes(t, h, res)
			if n := pageCount(t, out); n != res.Pages {
				t.Errorf("%d pages, told %d", n, res.Pages)
			}
			text := textOf(t, out)
			if !strings.Contains(text, "package good") || !strings.Contains(text, h.shows) {
				t.Errorf("text lacks %q or the good file:\n%.2000s", h.shows, text)
			}
			run(t, "qpdf", "--check", saved(t, out))
		})
	}
}

func checkNotes(t *testing.T, h hostile, res Result) {
	t.Helper()
	var all strings.Builder
	failed := false
	for _, n := range res.Notes {
		all.WriteString(n.Text + "\n")
		failed = failed || n.Failed
		if n.Failed && !n.Attached {
			t.Errorf("the original is not attached: %+v", n)
		}
	}
	if failed != h.failed || !strings.Contains(all.String(), h.note) {
		t.Errorf("failed %v, want %v; notes %q, want %q", failed, h.failed, all.String(), h.note)
	}
}

// The original comes back byte for byte.
func TestAttachedOriginal(t *testing.T) {
	data := encryptedPDF(t, "secret")
	out, _ := render(t, testDocument(Section{File: bytesFile("../a:b\u202e.pdf", PDF, data)}), Limits{})
	dir := t.TempDir()
	run(t, "pdfdetach", "-saveall", "-o", dir, saved(t, out))
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 || strings.ContainsAny(entries[0].Name(), "/:\u202e") {
		t.Fatalf("saved %v", entries)
	}
	got, _ := os.ReadFile(filepath.Join(dir, entries[0].Name()))
	if !bytes.Equal(got, data) {
		t.Error("the attachment differs from the original")
	}
}

// A child over its memory or its time dies, the file is told off, and the next
// file is read by a new child.
func TestChildLimits(t *testing.T) {
	if addressFactor > 1 {
		t.Skip("limits are not real ones under the race detector")
	}
	flat := testPNGFlat(5000, 5000)
	good := Section{Title: "Good", File: bytesFile("good.go", Code, []byte("package good\n"))}
	for _, c := range []struct {
		name   string
		limits Limits
		file   *File
		why    string
	}{
		{"memory", Limits{Memory: 80 << 20}, bytesFile("big.png", Image, flat), "memory"},
		{"time", Limits{FileTime: 60 * time.Millisecond}, bytesFile("big.png", Image, flat), "took longer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			_, res := render(t, testDocument(good, Section{File: c.file}, good), c.limits)
			if time.Since(start) > 5*time.Second {
				t.Errorf("took %v", time.Since(start))
			}
			var about []Note
			for _, n := range res.Notes {
				if n.Section == 1 {
					about = append(about, n)
				}
			}
			if len(about) != 1 || !about[0].Failed || !strings.Contains(about[0].Text, c.why) {
				t.Errorf("notes %+v", res.Notes)
			}
		})
	}
}

// A file that cannot be laid out within the limits is attached; the others are shown.
func TestLayoutBreaker(t *testing.T) {
	if addressFactor > 1 {
		t.Skip("limits are not real ones under the race detector")
	}
	endless := bytes.Repeat([]byte("var a=1;"), 5<<17)
	out, res := render(t, testDocument(
		Section{Title: "Good", File: bytesFile("good.go", Code, []byte("package good\n"))},
		Section{Title: "Endless", File: bytesFile("line.js", Code, endless)},
	), Limits{JobTime: 200 * time.Millisecond, SectionPages: 2000})
	if len(res.Notes) != 2 || res.Notes[0].Section != 1 || !res.Notes[0].Failed {
		t.Errorf("notes %+v", res.Notes)
	}
	if text := textOf(t, out); !strings.Contains(text, "package good") ||
		!strings.Contains(text, "could not be laid out") {
		t.Errorf("text %.3000s", text)
	}
}

// testPNGFlat is a valid image of one colour, small as a file and large in memory.
func testPNGFlat(w, h int) []byte {
	chunk := func(kind string, data []byte) []byte {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
		b = append(append(b, kind...), data...)
		return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	out := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, 8, 6, 0, 0, 0))...)
	return append(append(out, chunk("IDAT", zipped(make([]byte, (4*w+1)*h)))...), chunk("IEND", nil)...)
}

// What people are told of a file that cannot be read is in their words, and not in those of
// the program that tried.
func TestWhyAFileIsNotShownIsPlain(t *testing.T) {
	good := string(somePDF(5))
	at := strings.LastIndex(good, "xref")
	for name, data := range map[string]string{
		"cut.pdf": good[:len(good)/3], "long.pdf": good[:at/2] + strings.Repeat("0", 70_000) + "xref\n0 9\n",
		"no.pdf": "%PDF-1.4\nno\n%%EOF", "no.ipynb": `{"cells": 3`,
		"cut.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01", "text.py": "\x7fELF\x00",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		done := read(&readJob{Name: name, In: path, Out: path + ".out", Limits: Limits{}.orDefaults()})
		if !strings.HasPrefix(done.Why, "it ") && !strings.HasPrefix(done.Why, "the ") || len(done.Why) > 90 {
			t.Errorf("%s: %q", name, done.Why)
		}
		for _, of := range []string{"xref", "bufio", "json", "png:", "pdfcpu", "token", "%!", path} {
			if strings.Contains(done.Why, of) {
				t.Errorf("%s: %q speaks of %s", name, done.Why, of)
			}
		}
	}
	if why := plainReason(fmt.Errorf("open %s: %w", "/tmp/x", os.ErrNotExist)); why != errDamaged.Error() {
		t.Error(why)
	}
}
