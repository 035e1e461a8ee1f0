package pdf

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif" // formats are registered for image.Decode
	"image/jpeg"
	"image/png"
	"os"

	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// longSide is the most pixels kept of an image's longer side: over 200 to the
// inch on a full page.
const longSide = 2200

// maxDecoded bounds what an image may take in memory, in bytes.
const maxDecoded = 120 << 20

var errNoImage error = told("it is not an image that can be read (PNG, JPEG, GIF, BMP, TIFF and WebP are)")

// readImage decodes an image, scales it down to what a page can show and
// writes it anew, without anything that was hidden in the file. out lacks the
// ending, which tells the format. Decoded data is bounded by pixels before
// anything is unpacked.
func readImage(data []byte, out string, pixels int) (*Figure, error) {
	conf, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, errNoImage
	}
	if conf.Width < 1 || conf.Height < 1 {
		return nil, errNoImage
	}
	if allowed := min(pixels, int(maxDecoded/pixelBytes(conf, format, data))); conf.Width > allowed/conf.Height {
		return nil, tell("it is an image of %d by %d pixels; at most %d million can be shown in its format",
			conf.Width, conf.Height, allowed/1_000_000)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, told("the image is damaged")
	}
	flat := shrink(img, longSide)
	if format == "jpeg" {
		flat = turn(flat, orientation(data))
	}
	return writeImage(flat, out, format == "jpeg" || format == "webp")
}

// pixelBytes is what a decoder will hold for each pixel. A progressive JPEG is
// kept whole as coefficients before any pixel of it is known.
func pixelBytes(conf image.Config, format string, data []byte) float64 {
	if format == "jpeg" {
		return jpegBytes(data)
	}
	switch conf.ColorModel {
	case color.GrayModel:
		return 1
	case color.Gray16Model:
		return 2
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	}
	if _, ok := conf.ColorModel.(color.Palette); ok {
		return 1
	}
	return 4
}

// jpegBytes reads the frame header: how many samples a pixel has, and whether
// the file is progressive.
func jpegBytes(data []byte) float64 {
	const worst = 15
	for at := 2; at+10 < len(data) && data[at] == 0xff; {
		kind, size := data[at+1], int(data[at+2])<<8|int(data[at+3])
		if kind < 0xc0 || kind > 0xc2 {
			at += 2 + size
			continue
		}
		n := int(data[at+9])
		if at+10+3*n > len(data) {
			return worst
		}
		sum, most := 0, 1
		for i := range n {
			factors := data[at+11+3*i]
			samples := int(factors>>4) * int(factors&15)
			sum, most = sum+samples, max(most, samples)
		}
		per := max(1, float64(sum)/float64(most))
		if kind == 0xc2 {
			per *= 5
		}
		return per
	}
	return worst
}

func writeImage(img *image.RGBA, out string, photo bool) (*Figure, error) {
	var buf bytes.Buffer
	var err error
	if photo {
		out += ".jpg"
		err = jpeg.Encode(&buf, img, &jpeg.Options{Quality: 85})
	} else {
		out += ".png"
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&buf, img)
	}
	if err != nil {
		return nil, err
	}
	b := img.Bounds()
	return &Figure{Path: out, Width: b.Dx(), Height: b.Dy()}, os.WriteFile(out, buf.Bytes(), 0o600)
}

// shrink lays an image on white and averages it down row by row, so that only
// the result and one row are held beside the source.
func shrink(src image.Image, limit int) *image.RGBA {
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	dw, dh := w, h
	if long := max(w, h); long > limit {
		dw, dh = max(1, w*limit/long), max(1, h*limit/long)
	}
	dst := image.NewRGBA(image.Rect(0, 0, dw, dh))
	row := image.NewRGBA(image.Rect(0, 0, w, 1))
	sums, counts := make([]uint32, 3*dw), make([]uint32, dw)
	for y := range h {
		draw.Draw(row, row.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.Draw(row, row.Rect, src, image.Pt(b.Min.X, b.Min.Y+y), draw.Over)
		for x := range w {
			d := x * dw / w
			sums[3*d] += uint32(row.Pix[4*x])
			sums[3*d+1] += uint32(row.Pix[4*x+1])
			sums[3*d+2] += uint32(row.Pix[4*x+2])
			counts[d]++
		}
		if dy := y * dh / h; y+1 == h || (y+1)*dh/h != dy {
			flushRow(dst.Pix[dy*dst.Stride:], sums, counts)
		}
	}
	return dst
}

func flushRow(pix []byte, sums, counts []uint32) {
	for d, n := range counts {
		if n == 0 {
			n = 1
		}
		for k := range 3 {
			pix[4*d+k] = byte(sums[3*d+k] / n)
		}
		pix[4*d+3] = 255
	}
	clear(sums)
	clear(counts)
}

// orientation reads how a camera was held from a JPEG's Exif data: 1 to 8, 1
// when unknown.
func orientation(data []byte) int {
	at := bytes.Index(data[:min(len(data), 64<<10)], []byte("Exif\x00\x00"))
	if at < 0 || len(data) < at+14 {
		return 1
	}
	tiff := data[at+6:]
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	ifd := int64(order.Uint32(tiff[4:]))
	if ifd+2 > int64(len(tiff)) {
		return 1
	}
	n := int64(order.Uint16(tiff[ifd:]))
	for i := range n {
		entry := ifd + 2 + 12*i
		if entry+12 > int64(len(tiff)) {
			return 1
		}
		if order.Uint16(tiff[entry:]) == 0x0112 {
			if v := int(order.Uint16(tiff[entry+8:])); v >= 1 && v <= 8 {
				return v
			}
		}
	}
	return 1
}

// turn sets an image upright.
func turn(src *image.RGBA, how int) *image.RGBA {
	if how <= 1 {
		return src
	}
	w, h := src.Rect.Dx(), src.Rect.Dy()
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	if how >= 5 {
		dst = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			dx, dy := turned(x, y, w, h, how)
			copy(dst.Pix[dst.PixOffset(dx, dy):][:4], src.Pix[src.PixOffset(x, y):][:4])
		}
	}
	return dst
}

func turned(x, y, w, h, how int) (int, int) {
	switch how {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return h - 1 - y, x
	case 7:
		return h - 1 - y, w - 1 - x
	case 8:
		return y, w - 1 - x
	}
	return x, y
}
