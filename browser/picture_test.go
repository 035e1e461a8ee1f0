package browser

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "take the pictures of the README anew, put what components measure on record")

// mostOfAPicture is how many bytes a picture of the documentation may have.
const mostOfAPicture = 80_000

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
	b.follow("main .unit-card a")
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

// fewColours gives a picture in 256 colours, a third of the size: pages have few, and what smooths their
// letters is told from its neighbours by nobody.
func fewColours(from image.Image) *image.Paletted {
	count := map[color.RGBA]int{}
	at := from.Bounds()
	pixel := func(x, y int) color.RGBA { return color.RGBAModel.Convert(from.At(x, y)).(color.RGBA) }
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			count[pixel(x, y)]++
		}
	}
	chosen, nearest := palette(count)
	out := image.NewPaletted(at, chosen)
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			out.SetColorIndex(x, y, nearest[pixel(x, y)])
		}
	}
	return out
}

// palette chooses 256 of the colours of a picture, and which of them stands for each. The next one chosen
// is always the one that those before stand for worst; by the square root of how often it is there, so that
// a small mark in an accent counts beside large areas and the many shades of their letters.
func palette(count map[color.RGBA]int) (chosen color.Palette, nearest map[color.RGBA]uint8) {
	all := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	nearest = map[color.RGBA]uint8{}
	off := make([]float64, len(all)) // how far each is from what stands for it
	for i := range off {
		off[i] = math.Inf(1)
	}
	for next := 0; len(chosen) < min(256, len(all)); {
		is := all[next]
		chosen = append(chosen, is)
		worst := -1.0
		for i, c := range all {
			if d := distance(c, is); d < off[i] {
				off[i], nearest[c] = d, uint8(len(chosen)-1) //nolint:gosec // there are 256
			}
			if bad := off[i] * math.Sqrt(float64(count[c])); bad > worst {
				worst, next = bad, i
			}
		}
	}
	return chosen, nearest
}

func distance(a, b color.RGBA) float64 {
	r, g, l := float64(a.R)-float64(b.R), float64(a.G)-float64(b.G), float64(a.B)-float64(b.B)
	return r*r + g*g + l*l
}

// A small mark keeps its colour beside more shades of grey than there is room for.
func TestPicturesKeepSmallMarks(t *testing.T) {
	drawn := image.NewRGBA(image.Rect(0, 0, 800, 300))
	for i := range 800 * 300 {
		shade := uint8(i % 256)                                                             //nolint:gosec // it is
		drawn.SetRGBA(i%800, i/800, color.RGBA{shade, shade, shade ^ uint8(i/256%16), 255}) //nolint:gosec // it is
	}
	red := color.RGBA{229, 72, 77, 255}
	for x := range 12 {
		drawn.SetRGBA(400+x, 150, red)
	}
	few := fewColours(drawn)
	if len(few.Palette) > 256 || few.At(405, 150) != red {
		t.Errorf("in %d colours the mark is %v", len(few.Palette), few.At(405, 150))
	}
	worst := 0.0
	for i := range 800 * 300 {
		worst = max(worst, distance(drawn.RGBAAt(i%800, i/800), few.At(i%800, i/800).(color.RGBA)))
	}
	if worst > 150 {
		t.Errorf("a colour is off by %.0f", math.Sqrt(worst))
	}
}
