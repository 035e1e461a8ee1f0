package sheet

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"lectern/internal/ground/fault"
)

// Bounds of a workbook beyond those of Options. A part is never read past its
// bound, whatever the archive claims about it; parts that are not needed are
// never unpacked.
const (
	maxParts       = 2_000     // entries in the archive
	maxDirectory   = 4 << 20   // read to find out what they are; it is held in memory
	maxUnpacked    = 256 << 20 // claimed by all entries together
	maxPart        = 64 << 20  // unpacked, one part
	maxSmallPart   = 8 << 20   // unpacked: relations, styles, list of sheets
	maxRatio       = 250       // unpacked to packed, where it matters:
	ratioMatters   = 1 << 20   // from this size on; sheets compress about 20 times
	maxSharedTexts = 1 << 19   // entries in the table of texts
	maxTextTotal   = 64 << 20  // bytes in all cells, a shared text counted each time
	maxDepth       = 32        // of XML elements
)

// workbook is an Excel file (.xlsx). It is read here, part by part with hard
// bounds, rather than by a spreadsheet library, because those load whole
// parts, expand shared texts without limit and take a broken part for its end.
type workbook struct {
	parts   map[string]*zip.File // by lower-case name
	opts    Options
	texts   []string // shared among cells
	formats []format // by style number of a cell
	since04 bool     // days are counted from 1904
}

func openWorkbook(r io.ReaderAt, size int64, opts Options) ([]string, records, error) {
	z, err := readDirectory(r, size)
	if err != nil {
		return nil, nil, err
	}
	w := &workbook{parts: make(map[string]*zip.File, len(z.File)), opts: opts}
	for _, f := range z.File {
		w.parts[strings.ToLower(f.Name)] = f
	}
	sheet, err := w.load()
	if err != nil {
		return nil, nil, err
	}
	rows, err := w.rows(sheet)
	if err != nil {
		return nil, nil, err
	}
	if len(rows) == 0 {
		return nil, nil, fault.New(fault.Invalid, "the first sheet has no headings")
	}
	return rows[0].cells, w.rest(rows[1:]), nil
}

func (w *workbook) rest(rows []record) records {
	return func(yield func(int, []string) bool) {
		for _, r := range rows {
			if !yield(r.line, append([]string(nil), r.cells...)) {
				return
			}
		}
	}
}

// metered lets a directory be read, but no more than maxDirectory of a file.
type metered struct {
	r    io.ReaderAt
	left int64
	open bool // the directory is read: what follows has bounds of its own
}

func (m *metered) ReadAt(p []byte, off int64) (int, error) {
	if m.left -= int64(len(p)); !m.open && m.left < 0 {
		return 0, tooBig()
	}
	return m.r.ReadAt(p, off)
}

// readDirectory reads what is in an archive, and refuses what is too much.
func readDirectory(r io.ReaderAt, size int64) (*zip.Reader, error) {
	m := &metered{r: r, left: maxDirectory}
	z, err := zip.NewReader(m, size)
	if fault.Is(err, fault.TooLarge) {
		return nil, err
	}
	if err != nil {
		return nil, fault.New(fault.Unsupported, "this is a damaged zip archive; %s", accepted)
	}
	m.open = true
	return z, checkDirectory(z)
}

// checkDirectory refuses an archive by what it claims, before unpacking.
func checkDirectory(z *zip.Reader) error {
	if len(z.File) > maxParts {
		return fault.New(fault.TooLarge, "the workbook has %d parts; at most %d are accepted", len(z.File), maxParts)
	}
	var total uint64
	for _, f := range z.File {
		if f.UncompressedSize64 > maxUnpacked {
			return tooBig()
		}
		total += f.UncompressedSize64
		if f.UncompressedSize64 > ratioMatters && f.UncompressedSize64/max(f.CompressedSize64, 1) > maxRatio {
			return tooBig()
		}
	}
	if total > maxUnpacked {
		return tooBig()
	}
	return nil
}

func tooBig() error {
	return fault.New(fault.TooLarge, "the workbook unpacks to more than is accepted; copy the rows into a new "+
		"workbook, or save the sheet as CSV UTF-8")
}

func damaged(cause error) error {
	if _, ok := errors.AsType[*fault.Error](cause); ok {
		return cause
	}
	return &fault.Error{Kind: fault.Invalid, Text: "the workbook is damaged; open it in a spreadsheet program and " +
		"save it again, or save the sheet as CSV UTF-8", Err: cause}
}

// load reads everything but the first sheet, whose part it names.
func (w *workbook) load() (string, error) {
	root, err := w.relations("")
	if err != nil {
		return "", err
	}
	main := root.ofType("officeDocument")
	if !strings.HasPrefix(main, "xl/") || !strings.HasSuffix(main, ".xml") {
		return "", fault.New(fault.Unsupported, "this is not an Excel workbook (.xlsx); %s", accepted)
	}
	links, err := w.relations(main)
	if err != nil {
		return "", err
	}
	sheet, err := w.firstSheet(main, links)
	if err != nil {
		return "", err
	}
	if name := links.ofType("styles"); w.has(name) {
		if err := w.readStyles(name); err != nil {
			return "", err
		}
	}
	if name := links.ofType("sharedStrings"); w.has(name) {
		if err := w.readTexts(name); err != nil {
			return "", err
		}
	}
	return sheet, nil
}

// relation is how one part of a workbook names another.
type relation struct {
	ID     string `xml:"Id,attr"`
	Type   string `xml:"Type,attr"`
	Target string `xml:"Target,attr"`
}

type relations []relation

// ofType gives the first target of a type, or "". Only the last word of the
// type is compared, because strict workbooks use another prefix.
func (rs relations) ofType(word string) string {
	for _, r := range rs {
		if path.Base(r.Type) == word {
			return r.Target
		}
	}
	return ""
}

// relations reads what part points to; "" is the archive itself. An archive
// without relations is no workbook at all.
func (w *workbook) relations(part string) (relations, error) {
	dir, base := path.Split(part)
	name := dir + "_rels/" + base + ".rels"
	if !w.has(name) {
		return nil, fault.New(fault.Unsupported, "this is a zip archive, not an Excel workbook (.xlsx); %s", accepted)
	}
	var doc struct {
		List relations `xml:"Relationship"`
	}
	if err := w.decode(name, &doc); err != nil {
		return nil, err
	}
	for i, r := range doc.List {
		if !strings.HasPrefix(r.Target, "/") {
			r.Target = dir + r.Target
		}
		doc.List[i].Target = strings.TrimPrefix(path.Clean(r.Target), "/")
	}
	return doc.List, nil
}

// firstSheet finds the part of the first worksheet, passing over charts.
func (w *workbook) firstSheet(main string, links relations) (string, error) {
	var doc struct {
		Properties struct {
			Since04 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Attrs []xml.Attr `xml:",any,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := w.decode(main, &doc); err != nil {
		return "", err
	}
	w.since04 = doc.Properties.Since04 == "1" || doc.Properties.Since04 == "true"
	for _, sheet := range doc.Sheets {
		for _, a := range sheet.Attrs {
			if a.Name.Local != "id" {
				continue
			}
			for _, r := range links {
				if r.ID == a.Value && path.Base(r.Type) == "worksheet" && w.has(r.Target) {
					return r.Target, nil
				}
			}
		}
	}
	return "", fault.New(fault.Invalid, "the workbook has no worksheet")
}

func (w *workbook) readStyles(name string) error {
	var doc struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := w.decode(name, &doc); err != nil {
		return err
	}
	own := make(map[int]format, len(doc.Formats))
	for _, f := range doc.Formats {
		own[f.ID] = parseFormat(f.Code)
	}
	for _, c := range doc.Cells {
		f, ok := own[c.Format]
		if !ok {
			f = builtinFormat(c.Format)
		}
		w.formats = append(w.formats, f)
	}
	return nil
}

func (w *workbook) has(name string) bool { return w.parts[strings.ToLower(name)] != nil }

// open unpacks a part up to limit bytes really produced. A part that the
// workbook points to and does not hold is damage.
func (w *workbook) open(name string, limit int64) (io.ReadCloser, error) {
	f := w.parts[strings.ToLower(name)]
	if f == nil {
		return nil, damaged(fmt.Errorf("part %q is missing", name))
	}
	if f.UncompressedSize64 > uint64(limit) {
		return nil, tooBig()
	}
	rc, err := f.Open()
	if err != nil {
		return nil, damaged(err)
	}
	return &bounded{rc, limit}, nil
}

func (w *workbook) decode(name string, doc any) error {
	part, err := w.open(name, maxSmallPart)
	if err != nil {
		return err
	}
	defer part.Close()
	if err := xml.NewDecoder(part).Decode(doc); err != nil {
		return damaged(err)
	}
	return nil
}

// bounded fails, rather than ends, once more than left bytes were read.
type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, tooBig()
	}
	return n, err
}
