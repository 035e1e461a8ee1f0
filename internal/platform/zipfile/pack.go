package zipfile

import (
	"archive/zip"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Pack is an archive written while it is sent: nothing of it is kept but the
// names. Close it, or the reader finds it damaged.
type Pack struct {
	z     *zip.Writer
	taken map[string]int
}

// NewPack begins an archive.
func NewPack(w io.Writer) *Pack { return &Pack{zip.NewWriter(w), map[string]int{}} }

// Add begins a file in folder, "" for none, and gives where to write it. The
// writer is good until the next Add. Two files of one name are told apart by a
// number. What is compressed already should be stored as it is.
func (p *Pack) Add(folder, name string, at time.Time, compressed bool) (io.Writer, error) {
	h := &zip.FileHeader{Name: p.unique(path.Join(folder, name)), Modified: at, Method: zip.Deflate}
	if compressed {
		h.Method = zip.Store
	}
	w, err := p.z.CreateHeader(h)
	if err != nil {
		return nil, fmt.Errorf("add %s to the archive: %w", h.Name, err)
	}
	return w, nil
}

// Close writes the directory of the archive.
func (p *Pack) Close() error { return p.z.Close() }

// unique gives name, or one like it that no file has yet. Some systems do not
// tell capitals from small letters.
func (p *Pack) unique(name string) string {
	free := name
	for {
		key := strings.ToLower(free)
		if p.taken[key] == 0 {
			p.taken[key] = 1
			return free
		}
		base := strings.ToLower(name)
		p.taken[base]++
		ext := path.Ext(name)
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), p.taken[base], ext)
	}
}

// longest is how many characters of a name are kept.
const longest = 100

// Folder makes a text fit to name a folder on any system: letters, digits and
// _ - ( ) stay, anything else becomes _.
func Folder(text string) string { return clean(text, "") }

// FileName is Folder for the name of a file, in which dots stay but for those
// at the beginning and the end. The extension stays whole.
func FileName(text string) string {
	name := clean(text, ".")
	ext := path.Ext(name)
	if utf8.RuneCountInString(ext) > 12 {
		ext = ""
	}
	return firstRunes(strings.TrimSuffix(name, ext), longest-len(ext)) + ext
}

func clean(text, extra string) string {
	out := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("_-()"+extra, r) {
			return r
		}
		return '_'
	}, strings.ToValidUTF8(text, "_"))
	out = strings.Trim(out, ".")
	if extra == "" {
		out = firstRunes(out, longest)
	}
	if out == "" {
		return "_"
	}
	return out
}

func firstRunes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}
