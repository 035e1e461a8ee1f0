package pdf

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"
)

// The parsers walk maps in any order, which looks like new coverage each time:
// run these with -fuzzminimizetime=5x, or most of the time goes into minimising.

func FuzzCleanPDF(f *testing.F) {
	f.Add(armed())
	f.Add(annotated())
	f.Add(somePDF(2))
	f.Add(onePage("", rawStream("/Filter/FlateDecode", zipped([]byte("BT ET")))))
	f.Add([]byte("%PDF-1.4"))
	l := Limits{Pages: 50}.orDefaults()
	f.Fuzz(func(t *testing.T, data []byte) {
		out := filepath.Join(t.TempDir(), "x")
		for _, ours := range []bool{false, true} {
			j := &readJob{Out: out, Limits: l, Ours: ours, Alone: !ours}
			if done, err := cleanPDF(bytes.NewReader(data), j); err == nil &&
				(done.Pages < 1 || done.Pages > 50) {
				t.Errorf("%d pages", done.Pages)
			}
		}
	})
}

func FuzzImage(f *testing.F) {
	f.Add(testPNG(20, 10))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00" +
		"\x02\x02D\x01\x00;"))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00MM\x00\x2a\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fig, err := readImage(data, filepath.Join(t.TempDir(), "x"), 100_000)
		if err == nil && (fig.Width < 1 || fig.Height < 1 || fig.Width*fig.Height > 100_000) {
			t.Errorf("%+v", fig)
		}
		_ = orientation(data)
	})
}

func FuzzNotebook(f *testing.F) {
	f.Add(testNotebook())
	f.Add([]byte(`{"worksheets":[{"cells":[{"cell_type":"code","input":["a"],"outputs":[{"output_type":"pyout","text":["1"]}]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		j := &readJob{Name: "a.ipynb", Out: filepath.Join(t.TempDir(), "x"),
			Limits: Limits{Pixels: 100_000}.orDefaults()}
		if blocks, _, err := readNotebook(j, data); err == nil {
			drawAll(t, blocks)
		}
	})
}

func FuzzMarkdown(f *testing.F) {
	f.Add([]byte(report))
	f.Add([]byte("1) a\n   > b\n\n| a |\n|--|\n|`\u202e`|\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		j := &readJob{Name: "a.md", Out: filepath.Join(t.TempDir(), "x"), Limits: Limits{Pixels: 100_000}.orDefaults()}
		if blocks, _, err := readMarkdown(j, data); err == nil {
			drawAll(t, blocks)
		}
	})
}

// drawAll lays blocks out; whatever was read must be drawable.
func drawAll(t *testing.T, blocks []Block) {
	t.Helper()
	fs, _ := newFonts(nil)
	s := newPageWriter(fs)
	s.left = 20
	s.newPage()
	s.blocks(blocks)
	c := &composer{pageWriter: s, job: &composeJob{}, total: len(s.pages)}
	c.chunks = []chunk{{to: len(s.pages)}}
	if err := c.assemble(io.Discard); err != nil {
		t.Fatal(err)
	}
}
