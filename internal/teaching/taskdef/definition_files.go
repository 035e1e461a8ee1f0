package taskdef

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/sheet"
	"lectern/internal/platform/zipfile"
)

// FileKind is one of the files a definition may have.
type FileKind uint8

// The kinds.
const (
	Sheet      FileKind = iota // what to do, a PDF
	Resources                  // what to do it with, a zip
	Assessment                 // what the automated assessment runs, a zip
	Template                   // what everybody was given to begin with, a zip: not taken for similar
)

// Bounds on the files of definitions, in bytes.
const (
	MaxSheet     = 30 * bounds.MB
	MaxResources = 100 * bounds.MB
	MaxBundle    = 500 * bounds.MB // an archive of sheets and resources of many tasks
)

var (
	fileColumns    = [...]string{"sheet_hash", "resources_hash", "assessment_hash", "template_hash"}
	fileNames      = [...]string{"task sheet", "resources", "assessment resources", "template"}
	resourceLimits = zipfile.Limits{Entries: 10_000, Entry: 1 << 30, Total: 2 << 30}
	bundleLimits   = zipfile.Limits{Entries: 1000, Entry: MaxResources, Total: 2 << 30}
)

// HandedOut tells whether students get files of the kind: what stands in them, and so
// in everybody's work, is not taken for similar.
func (k FileKind) HandedOut() bool { return k != Assessment }

// Most is the size a file of the kind may have.
func (k FileKind) Most() int64 {
	if k == Sheet {
		return MaxSheet
	}
	return MaxResources
}

// Check tells by its content whether a file is of the kind:
// fault.Unsupported when it is not, fault.TooLarge when it holds too much.
func (k FileKind) Check(r io.ReaderAt, length int64) error {
	if length > k.Most() {
		return fault.New(fault.TooLarge, "The file is larger than %s.", bounds.SizeText(k.Most()))
	}
	if k == Sheet {
		return files.CheckPDF(r, length)
	}
	_, err := zipfile.Open(r, length, resourceLimits)
	return err
}

// Put stores a file of the kind that was checked. A sheet is cleaned of all that
// could act in a student's hands, or refused with fault.Unsupported.
func (k FileKind) Put(ctx context.Context, store files.Store, r io.Reader) (files.Info, error) {
	if k == Sheet {
		return blob.PutPDF(ctx, store, r)
	}
	return store.Put(ctx, r)
}

// Attachment is a stored file that is to become one of a definition's.
type Attachment struct {
	DefinitionID int64
	Kind         FileKind
	File         files.Info
}

// Attach makes stored files those of their definitions, in place of the ones they had. Two of
// one kind for one definition are a mistake of the caller. It is for holders of
// policy.EditDefinitions; what a file may be is checked before it is stored.
func Attach(ctx context.Context, q db.Q, store files.Store, list ...Attachment) error {
	if len(list) == 0 {
		return nil
	}
	infos := make([]files.Info, len(list))
	rows := map[int64][]any{}
	for i, a := range list {
		infos[i] = a.File
		if rows[a.DefinitionID] == nil {
			rows[a.DefinitionID] = []any{a.DefinitionID, nil, nil, nil, nil}
		}
		rows[a.DefinitionID][1+a.Kind] = string(a.File.Hash)
	}
	if err := blob.Keep(ctx, q, store, infos...); err != nil {
		return err
	}
	var values [][]any
	for _, r := range rows {
		values = append(values, r)
	}
	from, args, err := db.Rows(q, nil, []string{"id BIGINT", "sheet TEXT", "resources TEXT", "assessment TEXT",
		"template TEXT"}, values)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE task_definitions SET sheet_hash = coalesce(v.sheet, sheet_hash),
		resources_hash = coalesce(v.resources, resources_hash), assessment_hash = coalesce(v.assessment,
		assessment_hash), template_hash = coalesce(v.template, template_hash)
		FROM `+from+` v WHERE task_definitions.id = v.id`, args...)
	if err != nil {
		return err
	}
	entries := make([]audit.Entry, len(list))
	for i, a := range list {
		entries[i] = a.Kind.entry("file_set", a.DefinitionID)
	}
	return audit.Add(ctx, q, entries...)
}

// Detach takes a file from a definition; that there was none is no error. It is for holders of
// policy.EditDefinitions.
func Detach(ctx context.Context, q db.Q, definitionID int64, k FileKind) error {
	if _, err := db.Exec(ctx, q, `UPDATE task_definitions SET `+fileColumns[k]+` = NULL WHERE id = $1`,
		definitionID); err != nil {
		return err
	}
	return audit.Add(ctx, q, k.entry("file_removed", definitionID))
}

// entry is what the audit log keeps of a change of a definition's file.
func (k FileKind) entry(action string, definitionID int64) audit.Entry {
	return audit.Entry{Kind: audit.Definition, Action: action, RecordID: definitionID, Fields: []string{fileColumns[k]}}
}

// File gives the hash of a definition's file, or fault.Missing.
func (d *Definition) File(k FileKind) (files.Hash, error) {
	hash := [...]*string{d.SheetHash, d.ResourcesHash, d.AssessmentHash, d.TemplateHash}[k]
	if hash == nil {
		return "", fault.New(fault.Missing, "The task %s has no %s.", d.Abbreviation, fileNames[k])
	}
	return files.Hash(*hash), nil
}

// ResourceHashes lists the files that WriteResources packs.
func ResourceHashes(list []Definition) (hashes []files.Hash) {
	for i := range list {
		for _, k := range []FileKind{Sheet, Resources} {
			if hash, err := list[i].File(k); err == nil {
				hashes = append(hashes, hash)
			}
		}
	}
	return hashes
}

// WriteResources writes an archive of all sheets and resources of the
// definitions, named by their abbreviations.
func WriteResources(ctx context.Context, store files.Store, list []Definition, w io.Writer) error {
	z := zip.NewWriter(w)
	for i := range list {
		d := &list[i]
		if err := addFile(ctx, store, z, d, Sheet, d.Abbreviation+".pdf"); err != nil {
			return err
		}
		if err := addFile(ctx, store, z, d, Resources, d.Abbreviation+".zip"); err != nil {
			return err
		}
	}
	return z.Close()
}

// addFile adds a file of a definition, if there is one. It is packed already.
func addFile(ctx context.Context, store files.Store, z *zip.Writer, d *Definition, k FileKind, name string) error {
	hash, err := d.File(k)
	if err != nil {
		return nil //nolint:nilerr // there is none
	}
	f, err := store.Open(ctx, hash)
	if err != nil {
		return fmt.Errorf("open %s: %w", name, err)
	}
	defer f.Close()
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err == nil {
		_, err = io.Copy(w, f)
	}
	return err
}

// Named gives the definition a file is named after: the one with the longest
// abbreviation the name begins with. 1.1 is no beginning of 1.10.
func Named(list []Definition, name string) *Definition {
	var best *Definition
	for i, d := range list {
		rest, ok := strings.CutPrefix(name, d.Abbreviation)
		if !ok || digitAt(rest, 0) && digitAt(d.Abbreviation, len(d.Abbreviation)-1) {
			continue
		}
		if best == nil || len(d.Abbreviation) > len(best.Abbreviation) {
			best = &list[i]
		}
	}
	return best
}

func digitAt(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }

// Unpack takes the sheets (.pdf) and resources (.zip) out of an archive and
// stores them, ready to Attach to the definitions their names begin with. The
// report tells of each file, for a plan what would become of it; spool is a directory to unpack in.
func Unpack(ctx context.Context, store files.Store, list []Definition, r io.ReaderAt, size int64,
	spool string, plan bool) ([]Attachment, sheet.Report, error) {
	var out []Attachment
	var report sheet.Report
	z, err := zipfile.Open(r, size, bundleLimits)
	if err != nil {
		return nil, report, err
	}
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		a, why, err := unpackOne(ctx, store, list, f, spool, plan)
		if err != nil {
			return nil, report, err
		}
		line := sheet.Line{Row: f.Name, Message: why}
		switch {
		case a == nil && why == ignoredFile:
			report.Ignored = append(report.Ignored, line)
		case a == nil:
			report.Errors = append(report.Errors, line)
		case taken(out, *a):
			line.Message = "Another file of this archive already took that place."
			report.Errors = append(report.Errors, line)
		default:
			report.Success = append(report.Success, line)
			out = append(out, *a)
		}
	}
	return out, report, nil
}

const ignoredFile = "Only .pdf and .zip files are taken."

func taken(list []Attachment, a Attachment) bool {
	for _, b := range list {
		if a.DefinitionID == b.DefinitionID && a.Kind == b.Kind {
			return true
		}
	}
	return false
}

// unpackOne stores one file of an archive. Where it gives none, the words say
// why; an error is trouble of our own.
func unpackOne(ctx context.Context, store files.Store, list []Definition, f *zip.File, spool string,
	plan bool) (*Attachment, string, error) {
	base := path.Base(strings.ReplaceAll(f.Name, `\`, "/"))
	kind, known := map[string]FileKind{".pdf": Sheet, ".zip": Resources}[strings.ToLower(path.Ext(base))]
	if !known || strings.HasPrefix(base, ".") || strings.HasPrefix(f.Name, "__MACOSX/") {
		return nil, ignoredFile, nil
	}
	d := Named(list, base)
	if d == nil {
		return nil, "No task of this unit has an abbreviation the name begins with.", nil
	}
	info, err := storeEntry(ctx, store, f, kind, spool)
	if why, ok := errors.AsType[*fault.Error](err); ok && (why.Kind == fault.Unsupported ||
		why.Kind == fault.TooLarge) {
		return nil, why.Text, nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("store %s: %w", base, err)
	}
	return &Attachment{d.ID, kind, info}, became(d, kind, plan), nil
}

// became says what a file became, or for a plan what it becomes and whether something goes for it.
func became(d *Definition, k FileKind, plan bool) string {
	if !plan {
		return fmt.Sprintf("Became the %s of %s.", fileNames[k], d.Abbreviation)
	}
	said := fmt.Sprintf("Becomes the %s of %s.", fileNames[k], d.Abbreviation)
	if _, err := d.File(k); err == nil {
		said += " Replaces the one it has."
	}
	return said
}

// storeEntry unpacks a file into the spool, looks at it and stores it.
func storeEntry(ctx context.Context, store files.Store, f *zip.File, k FileKind, spool string) (files.Info, error) {
	return storeUnpacked(ctx, f, k.Most(), spool, func(tmp *os.File, size int64) (files.Info, error) {
		if err := k.Check(tmp, size); err != nil {
			return files.Info{}, err
		}
		return k.Put(ctx, store, io.NewSectionReader(tmp, 0, size))
	})
}

// storeUnpacked unpacks a file of at most so many bytes into the spool, where keep finds it.
func storeUnpacked(ctx context.Context, f *zip.File, most int64, spool string,
	keep func(*os.File, int64) (files.Info, error)) (files.Info, error) {
	tmp, err := os.CreateTemp(spool, "unpack-*")
	if err != nil {
		return files.Info{}, err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	size, err := zipfile.Copy(ctx, tmp, f, most)
	if err != nil {
		return files.Info{}, err
	}
	return keep(tmp, size)
}
