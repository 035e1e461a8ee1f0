package sheet

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/xml"
	"hash/crc32"
	"io"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"lectern/internal/ground/fault"
)

func requireFault(t testing.TB, err error) {
	t.Helper()
	switch fault.KindOf(err) {
	case fault.Invalid, fault.TooLarge, fault.Unsupported:
	default:
		t.Fatalf("not the caller's error: %v", err)
	}
}

// book builds the smallest workbook, with some parts put in place of its own
// and those set to "-" left out.
func book(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	const ns = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	const rel = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	names := []string{"_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/sharedStrings.xml",
		"xl/styles.xml", "xl/worksheets/sheet1.xml"}
	whole := map[string]string{
		"_rels/.rels": `<Relationships><Relationship Id="r1" Type="` + rel +
			`/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml": `<workbook ` + ns + ` xmlns:r="` + rel +
			`"><sheets><sheet name="Chart" r:id="c"/><sheet name="S" sheetId="1" r:id="s"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="c" Type="` + rel +
			`/chartsheet" Target="charts/c.xml"/><Relationship Id="s" Type="` + rel +
			`/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="t" Type="` + rel +
			`/sharedStrings" Target="/xl/sharedStrings.xml"/><Relationship Id="y" Type="` + rel +
			`/styles" Target="styles.xml"/></Relationships>`,
		"xl/sharedStrings.xml": `<sst ` + ns + `><si><t>name</t></si><si><r><t>ri</t></r>` +
			`<r><t>ch</t></r><rPh><t>no</t></rPh></si></sst>`,
		"xl/styles.xml": `<styleSheet ` + ns +
			`><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml": `<worksheet ` + ns +
			`><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>day</t></is></c></row>` +
			`<row r="4"><c t="s"><v>1</v></c><c s="1"><v>46090</v></c></row></sheetData></worksheet>`,
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range parts {
		if _, known := whole[name]; !known {
			names = append(names, name)
		}
		whole[name] = text
	}
	for _, name := range names {
		if whole[name] == "-" {
			continue
		}
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, whole[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWorkbookFirstSheet(t *testing.T) {
	data := string(book(t, nil))
	if diff := cmp.Diff([][]string{{"name", "day"}, {"rich", "2026-03-09"}}, sheet(t, data, Options{})); diff != "" {
		t.Error(diff)
	}
	r, _ := read(data, Options{})
	for row := range r.Rows() {
		if row.Line() != 4 {
			t.Errorf("the row is on line 4, not %d", row.Line())
		}
	}
}

// What a spreadsheet library writes is read as a person sees it there.
func TestWorkbookValues(t *testing.T) {
	f := excelize.NewFile()
	defer f.Close()
	code := func(s string) *excelize.Style { return &excelize.Style{CustomNumFmt: &s} }
	when := time.Date(2026, 3, 9, 14, 30, 0, 0, time.UTC)
	cells := []struct {
		value any
		style *excelize.Style
		want  string
	}{
		{104552345, nil, "104552345"},
		{7.0, nil, "7"},
		{123456789012345, nil, "123456789012345"},
		{0.1 + 0.2, nil, "0.3"},
		{-2.5, nil, "-2.5"},
		{1e300, nil, "1e+300"},
		{true, nil, "TRUE"},
		{"007", nil, "007"},
		{"=1+1", nil, "=1+1"},
		{"'=1+1", nil, "=1+1"},
		{" two\nlines ", nil, " two\nlines "},
		{"a_x000D_", nil, "a\r"},
		{"_xD83D__xDE00_", nil, "😀"},
		{when, &excelize.Style{NumFmt: 14}, "2026-03-09"},
		{when, &excelize.Style{NumFmt: 22}, "2026-03-09 14:30"},
		{when, code(`[$-409]d/mmm/yy;@`), "2026-03-09"},
		{when, code(`yyyy"-day-"dd hh:mm:ss`), "2026-03-09 14:30"},
		{0.375, code("h:mm"), "09:00"},
		{1.5, code("[h]:mm"), "1.5"},
		{0.85, &excelize.Style{NumFmt: 9}, "85%"},
		{0.855, code("0.0%"), "85.5%"},
		{1234.5, code(`#,##0.00 "dollars"`), "1234.5"},
		{1234, code("00000000"), "00001234"},
		{12, code("General"), "12"},
		{12, code(`[Red]0;[Blue]-0`), "12"},
		{1, &excelize.Style{NumFmt: 14}, "1900-01-01"},
		{61, &excelize.Style{NumFmt: 14}, "1900-03-01"},
		{-1, &excelize.Style{NumFmt: 14}, "-1"},
	}
	f.SetCellStr("Sheet1", "A1", "value")
	for i, c := range cells {
		name, _ := excelize.CoordinatesToCellName(1, i+2)
		if err := f.SetCellValue("Sheet1", name, c.value); err != nil {
			t.Fatal(err)
		}
		if c.style != nil {
			id, err := f.NewStyle(c.style)
			if err != nil {
				t.Fatal(err)
			}
			f.SetCellStyle("Sheet1", name, name, id)
		}
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	for i, row := range sheet(t, b.String(), Options{})[1:] {
		if row[0] != cells[i].want {
			t.Errorf("%v reads %q, want %q", cells[i].value, row[0], cells[i].want)
		}
	}
}

func rowsXML(inner string) string {
	return `<worksheet><sheetData>` + inner + `</sheetData></worksheet>`
}

func TestWorkbookRefuses(t *testing.T) {
	const page = "xl/worksheets/sheet1.xml"
	heading := `<row><c t="inlineStr"><is><t>a</t></is></c></row>`
	tests := []struct {
		name  string
		parts map[string]string
		kind  fault.Kind
	}{
		{"no relations", map[string]string{"_rels/.rels": "-"}, fault.Unsupported},
		{"another document", map[string]string{"_rels/.rels": `<Relationships><Relationship Type="x/officeDocument" Target="word/document.xml"/></Relationships>`}, fault.Unsupported},
		{"no workbook", map[string]string{"xl/workbook.xml": "-"}, fault.Invalid},
		{"no sheet", map[string]string{page: "-"}, fault.Invalid},
		{"no rows", map[string]string{page: rowsXML("")}, fault.Invalid},
		{"cut short", map[string]string{page: `<worksheet><sheetData>` + heading + `<row>`}, fault.Invalid},
		{"no such text", map[string]string{page: rowsXML(`<row><c t="s"><v>7</v></c></row>`)}, fault.Invalid},
		{"negative text", map[string]string{page: rowsXML(`<row><c t="s"><v>-1</v></c></row>`)}, fault.Invalid},
		{"rows out of order", map[string]string{page: rowsXML(`<row r="2"/><row r="1"/>`)}, fault.Invalid},
		{"cells out of order", map[string]string{page: rowsXML(`<row><c r="B1"/><c r="A1"/></row>`)}, fault.Invalid},
		{"NUL", map[string]string{page: rowsXML(`<row><c t="str"><v>_x0000_</v></c></row>`)}, fault.Invalid},
		{"deep nesting", map[string]string{page: strings.Repeat("<a>", 100)}, fault.Invalid},
		{"far column", map[string]string{page: rowsXML(`<row><c r="XFD1"><v>1</v></c></row>`)}, fault.TooLarge},
		{"rows", map[string]string{page: rowsXML(heading + strings.Repeat(`<row><c><v>1</v></c></row>`, 6))},
			fault.TooLarge},
		{"long style list", map[string]string{"xl/styles.xml": "<styleSheet>" + strings.Repeat("<!--"+rowsXML("")+"-->",
			200_000)}, fault.TooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := read(string(book(t, tt.parts)), Options{MaxRows: 5}); !fault.Is(err, tt.kind) {
				t.Errorf("got %v, want kind %s", err, tt.kind.Slug())
			}
		})
	}
}

// bomb is a workbook with one part of n repetitions of unit, claiming claim
// bytes for it (the truth when 0).
func bomb(t testing.TB, part, unit string, n int, claim uint64) []byte {
	t.Helper()
	var packed bytes.Buffer
	fw, _ := flate.NewWriter(&packed, flate.BestSpeed)
	crc := crc32.NewIEEE()
	chunk := []byte(strings.Repeat(unit, 1000))
	for range n / 1000 {
		fw.Write(chunk)
		crc.Write(chunk)
	}
	fw.Close()
	h := &zip.FileHeader{Name: part, Method: zip.Deflate, CRC32: crc.Sum32(), CompressedSize64: uint64(packed.Len()),
		UncompressedSize64: uint64(n * len(unit))}
	if claim > 0 {
		h.UncompressedSize64 = claim
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	rest := book(t, map[string]string{part: "-"})
	clean, err := zip.NewReader(bytes.NewReader(rest), int64(len(rest)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range clean.File {
		if err := z.Copy(f); err != nil {
			t.Fatal(err)
		}
	}
	w, err := z.CreateRaw(h)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(packed.Bytes())
	z.Close()
	return b.Bytes()
}

// A bomb is refused quickly and within memory a small server has.
func TestZipBombs(t *testing.T) {
	const page, texts = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
	tests := []struct {
		name, part, unit string
		n                int
		claim            uint64
	}{
		{"zeros", page, "\x00", 30_000_000, 0},
		{"a sheet that hides its size", page, "<row>  ", 3_000_000, 5000},
		{"texts that hide their size", texts, "<si/>", 3_000_000, 5000},
		{"millions of texts", texts, "<si/>", 8_000_000, 0},
		{"an unused part", "xl/media/image1.png", "\x00", 30_000_000, 0},
		{"deep nesting", page, "<a>", 10_000_000, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := bomb(t, tt.part, tt.unit, tt.n, tt.claim)
			start := time.Now()
			held := peak(func() {
				_, err := Read(bytes.NewReader(data), int64(len(data)), Options{})
				if err == nil {
					t.Fatal("the bomb was read")
				}
				requireFault(t, err)
			})
			t.Logf("%d bytes packed: refused in %v holding at most %d KB", len(data), time.Since(start), held>>10)
			if held > 96<<20 {
				t.Errorf("held %d MB", held>>20)
			}
		})
	}
}

// counted counts what is read of a file.
type counted struct {
	io.ReaderAt
	n int
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.n += n
	return n, err
}

// A directory is held in memory as a whole before its entries can be counted.
func TestDirectoryOfMegabytesIsNotReadToItsEnd(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for range 200_000 {
		if _, err := z.CreateRaw(&zip.FileHeader{Name: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	r := &counted{ReaderAt: bytes.NewReader(b.Bytes())}
	if _, err := Read(r, int64(b.Len()), Options{}); !fault.Is(err, fault.TooLarge) || r.n > maxDirectory+64 {
		t.Errorf("%d bytes of %d were read: %v", r.n, b.Len(), err)
	}
}

func TestDirectoryIsCheckedByItsClaims(t *testing.T) {
	entry := func(packed, unpacked uint64) *zip.File {
		return &zip.File{FileHeader: zip.FileHeader{CompressedSize64: packed, UncompressedSize64: unpacked}}
	}
	tests := []struct {
		name  string
		files []*zip.File
		ok    bool
	}{
		{"ordinary", []*zip.File{entry(1<<20, 20<<20)}, true},
		{"small and dense", []*zip.File{entry(100, 1<<20)}, true},
		{"dense", []*zip.File{entry(10_000, 2_600_000)}, false},
		{"large together", slices.Repeat([]*zip.File{entry(1<<20, 20<<20)}, 13), false},
		{"one claims nearly everything there is", []*zip.File{entry(1<<60, 1<<63)}, false},
		{"many", slices.Repeat([]*zip.File{entry(1, 1)}, maxParts+1), false},
	}
	for _, tt := range tests {
		if err := checkDirectory(&zip.Reader{File: tt.files}); (err == nil) != tt.ok || !tt.ok &&
			!fault.Is(err, fault.TooLarge) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestBoundedCountsWhatItReads(t *testing.T) {
	for _, limit := range []int64{4, 5} {
		_, err := io.ReadAll(&bounded{io.NopCloser(strings.NewReader("12345")), limit})
		if want := limit < 5; fault.Is(err, fault.TooLarge) != want {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

// One long text that every cell refers to must not multiply.
func TestSharedTextBomb(t *testing.T) {
	data := book(t, map[string]string{
		"xl/sharedStrings.xml": "<sst><si><t>" + strings.Repeat("_x0041_ab", 100_000) + "</t></si></sst>",
		"xl/worksheets/sheet1.xml": rowsXML(strings.Repeat("<row>"+strings.Repeat(`<c t="s"><v>0</v></c>`, 200)+
			"</row>", 100)),
	})
	held := peak(func() {
		if _, err := Read(bytes.NewReader(data), int64(len(data)), Options{}); !fault.Is(err, fault.TooLarge) {
			t.Errorf("got %v", err)
		}
	})
	if held > 96<<20 {
		t.Errorf("held %d MB", held>>20)
	}
}

// peak gives the most bytes of heap in use while f runs, beyond those before.
func peak(f func()) uint64 {
	inUse := func() uint64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	runtime.GC()
	before, most := inUse(), inUse()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				most = max(most, inUse())
			}
		}
	}()
	f()
	last := inUse()
	close(stop)
	<-stopped
	return max(most, last) - before
}

// FuzzWorksheet reaches the reader of worksheets, which the checksums of an
// archive keep from FuzzRead.
func FuzzWorksheet(f *testing.F) {
	f.Add(rowsXML(`<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="3"><c r="AB3" s="1"><v>1.5</v></c></row>`),
		`yyyy-mm-dd`)
	f.Add(rowsXML(`<row><c t="inlineStr"><is><t>_x0041_</t></is></c><c t="b"><v>1</v></c></row>`), `0.00%;[Red]"x"`)
	f.Fuzz(func(t *testing.T, page, code string) {
		var style strings.Builder
		xml.EscapeText(&style, []byte(code))
		data := book(t, map[string]string{
			"xl/worksheets/sheet1.xml": page,
			"xl/styles.xml": `<s><numFmts><numFmt numFmtId="200" formatCode="` + style.String() +
				`"/></numFmts><cellXfs><xf/><xf numFmtId="200"/></cellXfs></s>`,
		})
		r, err := Read(bytes.NewReader(data), int64(len(data)), Options{})
		if err != nil {
			requireFault(t, err)
			return
		}
		for row, err := range r.Rows() {
			if err == nil && (row.Line() < 1 || !utf8.ValidString(strings.Join(row.cells, ""))) {
				t.Fatalf("%v: %q", row, row.cells)
			}
		}
	})
}
