package pdf

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// allFaces are the faces a document may use, in a fixed order.
func (fs *fonts) allFaces() []*face {
	own := []*face{fs.sans, fs.bold, fs.italic, fs.boldItalic, fs.monoBold, fs.monoItalic, fs.serif, fs.serifItalic,
		fs.wideBold}
	return append(own, fs.fallback...)
}

// fontList is the object that lists the fonts our pages use; it is written last,
// when all glyphs are known.
func (a *assembly) fontList() int {
	if a.fontsNum == 0 {
		a.fontsNum = a.out.alloc()
	}
	return a.fontsNum
}

// resources writes what our pages are drawn with: fonts and pictures.
func (a *assembly) resources() error {
	list := types.Dict{}
	for _, f := range a.fonts.allFaces() {
		if len(f.used) > 0 {
			list[f.name] = a.writeFont(f)
		}
	}
	a.out.object(a.fontList(), list)
	pictures := types.Dict{}
	for i, f := range a.images {
		image, err := a.writePicture(f)
		if err != nil {
			return err
		}
		pictures[fmt.Sprintf("I%d", i)] = image
	}
	a.out.object(a.res, types.Dict{"Font": ref(a.fontList()), "XObject": pictures})
	return nil
}

// writeFont embeds the glyphs of a face that are in use, each under the number
// it has in the text.
func (a *assembly) writeFont(f *face) types.IndirectRef {
	glyphs := make([]uint16, len(f.used))
	widths := make(types.Array, len(f.used))
	scale := 1000 / f.font.em
	for i, u := range f.used {
		glyphs[i] = u.glyph
		if u.ghost {
			widths[i] = types.Integer(0)
			continue
		}
		widths[i] = types.Float(float64(int(float64(f.font.advance(u.glyph))*scale*10+0.5)) / 10)
	}
	data := f.font.subset(glyphs)
	file := a.add(flateStream(types.Dict{"Length1": types.Integer(len(data))}, data))
	head, hhea := f.font.tables["head"], f.font.tables["hhea"]
	unit := func(v int) types.Object { return types.Integer(int(float64(v) * scale)) }
	name := types.Name("LECTRN+" + f.name)
	descriptor := a.add(types.Dict{
		"Type": types.Name("FontDescriptor"), "FontName": name, "Flags": types.Integer(4), "FontFile2": file,
		"FontBBox": types.Array{unit(head.i16(36)), unit(head.i16(38)), unit(head.i16(40)), unit(head.i16(42))},
		"Ascent":   unit(hhea.i16(4)), "Descent": unit(hhea.i16(6)), "CapHeight": unit(hhea.i16(4)),
		"ItalicAngle": types.Integer(0), "StemV": types.Integer(80),
	})
	system := types.Dict{"Registry": bytesString("Adobe"), "Ordering": bytesString("Identity"),
		"Supplement": types.Integer(0)}
	kid := a.add(types.Dict{
		"Type": types.Name("Font"), "Subtype": types.Name("CIDFontType2"), "BaseFont": name, "CIDSystemInfo": system,
		"FontDescriptor": descriptor, "CIDToGIDMap": types.Name("Identity"), "W": types.Array{types.Integer(0), widths},
	})
	return a.add(types.Dict{
		"Type": types.Name("Font"), "Subtype": types.Name("Type0"), "BaseFont": name,
		"Encoding":        types.Name("Identity-H"),
		"DescendantFonts": types.Array{kid}, "ToUnicode": a.add(flateStream(types.Dict{}, toUnicode(f.used))),
	})
}

// toUnicode tells viewers which text each glyph stands for.
func toUnicode(used []glyphUse) []byte {
	var b bytes.Buffer
	b.WriteString("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n" +
		"/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n" +
		"1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n")
	for from := 1; from < len(used); from += 100 {
		to := min(from+100, len(used))
		fmt.Fprintf(&b, "%d beginbfchar\n", to-from)
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "<%04X> <%s>\n", i, utf16Hex(used[i].text)[4:])
		}
		b.WriteString("endbfchar\n")
	}
	b.WriteString("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n")
	return b.Bytes()
}

// writePicture embeds an image file of our own making: a JPEG as it is, of a PNG
// its packed rows, which PDF reads the same way.
func (a *assembly) writePicture(f *Figure) (types.IndirectRef, error) {
	data, err := os.ReadFile(f.Path)
	if err != nil {
		return types.IndirectRef{}, err
	}
	d := types.Dict{
		"Type": types.Name("XObject"), "Subtype": types.Name("Image"), "Width": types.Integer(f.Width),
		"Height": types.Integer(f.Height), "ColorSpace": types.Name("DeviceRGB"), "BitsPerComponent": types.Integer(8),
	}
	if strings.HasSuffix(f.Path, ".jpg") {
		d["Filter"] = types.Name("DCTDecode")
		return a.add(types.StreamDict{Dict: d, Raw: data}), nil
	}
	rows, err := pngRows(data)
	d["Filter"] = types.Name("FlateDecode")
	d["DecodeParms"] = types.Dict{"Predictor": types.Integer(15), "Colors": types.Integer(3),
		"BitsPerComponent": types.Integer(8), "Columns": types.Integer(f.Width)}
	return a.add(types.StreamDict{Dict: d, Raw: rows}), err
}

// pngRows takes the packed rows out of an opaque PNG.
func pngRows(data []byte) ([]byte, error) {
	var rows []byte
	file := table(data)
	for at := 8; at+12 <= len(data); {
		size := file.u32(at)
		body := file.part(at+8, at+8+size)
		if body == nil {
			return nil, png.FormatError("cut short")
		}
		if string(data[at+4:at+8]) == "IDAT" {
			rows = append(rows, body...)
		}
		at += 12 + size
	}
	return rows, nil
}
