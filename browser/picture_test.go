package browser

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "take the pictures of the README anew, put what components measure on record")

// mostOfAPicture is how many bytes a picture of the documentation may have.
const mostOfAPicture = 150_000

// TestPictures takes the pictures of the README's tour:
//
//	LECTERN_TEST_BROWSER=1 go test ./browser -run Pictures -update
func TestPictures(t *testing.T) {
	if !*update {
		t.Skip("pictures are taken with -update")
	}
	needed(t)
	s := serve(t)
	large := screen{name: "picture", width: 1280, height: 800}
	b := open(t, s, large)
	b.signIn("student_5")
	b.follow("main a[href^='/projects/']")
	b.documented("term.png")
	term := eval[string](b, "location.pathname")
	b.visit("/home")
	task := b.firstTask("6.1P")
	b.document()
	b.visit(task)
	b.await("document.querySelector('document-view .text-layer span')")
	b.documented("task.png")
	b.signOut()
	b.signIn("atutor")
	b.turn(large.inTheDark())
	b.visit("/home")
	b.documented("home-dark.png")
	b.turn(large)
	b.desk("/units/1/desk?who=all")
	b.ahead()
	b.await("document.querySelector('document-view .text-layer span')")
	b.documented("desk.png")

	small := open(t, s, phone)
	small.signIn("student_5")
	small.turn(screen{width: 390, height: 844, touch: true})
	small.visit(term)
	small.documented("phone.png")
}

// documented draws the page into a picture of the documentation.
func (b *tab) documented(name string) {
	b.Helper()
	eval[bool](b, "document.activeElement?.blur(), document.fonts.ready.then(() => true)")
	shot, err := give(b, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	drawn, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		b.Fatal(err)
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, fewColours(drawn)); err != nil {
		b.Fatal(err)
	}
	if out.Len() > mostOfAPicture {
		b.Errorf("%s has %d bytes", name, out.Len())
	}
	if err := os.WriteFile(filepath.Join("..", "docs", "pictures", name), out.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
}

// fewColours gives a picture in the 256 colours that are most of it, a third of the size: pages have
// few, and what smooths their letters is told from its neighbours by nobody.
func fewColours(from image.Image) *image.Paletted {
	count := map[color.Color]int{}
	at := from.Bounds()
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			count[from.At(x, y)]++
		}
	}
	most := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int { return cmp.Compare(count[b], count[a]) })
	out := image.NewPaletted(at, most[:min(256, len(most))])
	nearest := map[color.Color]uint8{}
	for _, c := range most {
		nearest[c] = uint8(out.Palette.Index(c)) //nolint:gosec // there are 256
	}
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			out.SetColorIndex(x, y, nearest[from.At(x, y)])
		}
	}
	return out
}
