package marking

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/sheet"
	"lectern/internal/platform/zipfile"
)

// Bounds on what comes back.
const (
	MaxUpload    = 500 * bounds.MB // bytes of an archive
	maxDocument  = 100 * bounds.MB // bytes of an annotated document
	maxManifest  = 8 * bounds.MB
	maxInArchive = 5000
)

var limits = zipfile.Limits{Entries: maxInArchive, Entry: maxDocument, Total: 2 << 30}

// bundle is what an upload holds.
type bundle struct {
	marks     *sheet.Reader
	manifest  *zip.File
	documents []*zip.File
}

// open finds the sheet in an upload: an archive that holds one, or the upload
// itself, which may also be a workbook.
func open(ctx context.Context, r io.ReaderAt, size int64) (*bundle, error) {
	var mark [4]byte
	if _, err := r.ReadAt(mark[:], 0); err != nil && size >= int64(len(mark)) {
		return nil, fmt.Errorf("look at the upload: %w", err)
	}
	if string(mark[:]) != "PK\x03\x04" && string(mark[:]) != "PK\x05\x06" {
		return alone(r, size)
	}
	z, err := zipfile.Open(r, size, limits)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == "[Content_Types].xml" }) {
		return alone(r, size)
	}
	return sort(ctx, z)
}

func alone(r io.ReaderAt, size int64) (*bundle, error) {
	marks, err := sheet.Read(r, size, Sheet)
	return &bundle{marks: marks}, err
}

// sort takes an archive apart. What systems add to archives is passed over.
func sort(ctx context.Context, z *zip.Reader) (*bundle, error) {
	b := &bundle{}
	var sheets []*zip.File
	for _, f := range z.File {
		base := baseName(f)
		switch {
		case strings.HasSuffix(f.Name, "/"), strings.HasPrefix(base, "."), strings.HasPrefix(f.Name, "__MACOSX/"),
			base == readmeName:
		case strings.EqualFold(base, sheetName):
			sheets = append(sheets, f)
		case base == manifestName && b.manifest == nil:
			b.manifest = f
		default:
			b.documents = append(b.documents, f)
		}
	}
	if len(sheets) != 1 {
		return nil, fault.New(fault.Refused, "The archive must hold one %s; it holds %d.", sheetName, len(sheets))
	}
	text, err := unpack(ctx, sheets[0], sheet.DefaultMaxBytes)
	if err != nil {
		return nil, err
	}
	b.marks, err = sheet.Read(bytes.NewReader(text), int64(len(text)), Sheet)
	return b, err
}

func baseName(f *zip.File) string { return path.Base(strings.ReplaceAll(f.Name, `\`, "/")) }

// fit refuses entries that are not plain files in the clear.
func fit(f *zip.File) error {
	switch {
	case f.Flags&1 != 0:
		return fault.New(fault.Unsupported, "%.100s is encrypted. Pack the archive without a password.", f.Name)
	case f.Mode()&^fs.ModePerm != 0:
		return fault.New(fault.Unsupported, "%.100s is a link or a device, not a file.", f.Name)
	}
	return nil
}

// unpack gives a small entry as a whole.
func unpack(ctx context.Context, f *zip.File, most int64) ([]byte, error) {
	if err := fit(f); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err := zipfile.Copy(ctx, &b, f, most)
	return b.Bytes(), err
}

// index is a manifest by what it is asked for; all empty without one.
type index struct {
	manifest
	byRow  map[string]listed
	byTask map[int64]listed
}

func rowKey(username, task string) string { return strings.ToLower(username) + "\n" + task }

// readManifest gives the manifest of an archive. One that cannot be read is
// reported and passed over: the sheet has the versions too.
func (b *bundle) readManifest(ctx context.Context, report *sheet.Report) (x index) {
	if b.manifest == nil {
		return x
	}
	text, err := unpack(ctx, b.manifest, maxManifest)
	if err == nil {
		err = json.Unmarshal(text, &x.manifest)
	}
	if err != nil || x.Format != manifestFormat {
		report.Ignored = append(report.Ignored, sheet.Line{Row: b.manifest.Name,
			Message: "The manifest cannot be read."})
		return index{}
	}
	x.byRow, x.byTask = map[string]listed{}, map[int64]listed{}
	for _, t := range x.Tasks {
		x.byRow[rowKey(t.Username, t.Task)], x.byTask[t.TaskID] = t, t
	}
	return x
}

var numbered = regexp.MustCompile(`(?i)-(\d{1,18})\.pdf$`)

// taskOf is the number of the task a document is named after; 0 for none.
func taskOf(f *zip.File) int64 {
	parts := numbered.FindStringSubmatch(baseName(f))
	if parts == nil {
		return 0
	}
	id, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return 0
	}
	return id
}
