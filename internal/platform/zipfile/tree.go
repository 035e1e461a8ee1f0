package zipfile

import (
	"archive/zip"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lectern/internal/ground/fault"
)

// Entry is a file of an archive under the path at which it is unpacked.
type Entry struct {
	Name string // with slashes, such as src/Main.java
	File *zip.File
}

// Bounds of a path in a tree.
const (
	longestPath = 255 // characters
	deepestPath = 20  // folders
)

// Folders and files that programs leave in a folder, and that nobody means to send.
var (
	leftFolders = []string{"__macosx", ".git", ".svn", ".hg", ".idea", ".vs", ".gradle", "__pycache__", "node_modules"}
	leftFiles   = []string{".ds_store", "thumbs.db", "desktop.ini"}
)

// encrypted is the bit by which an entry says that a password protects it.
const encrypted = 1

// Tree gives the files of an archive that Open opened, by their paths, without folders and without what programs leave
// in them. Every path can be unpacked on every system, beside the others. It fails with fault.Unsupported where one
// cannot, and where an entry is a link, or protected by a password, and names it.
func Tree(z *zip.Reader) ([]Entry, error) {
	var list []Entry
	for _, f := range z.File {
		slashed := strings.ReplaceAll(f.Name, `\`, "/")
		name := path.Clean(slashed)
		if left(name) || strings.HasSuffix(slashed, "/") || f.Mode().IsDir() {
			continue
		}
		if why := flaw(f, name); why != "" {
			return nil, fault.New(fault.Unsupported, "%.100q in the zip %s", name, why)
		}
		list = append(list, Entry{name, f})
	}
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return list, apart(list)
}

// left tells of what programs leave in a folder.
func left(name string) bool {
	parts := strings.Split(strings.ToLower(name), "/")
	base := parts[len(parts)-1]
	return slices.Contains(leftFiles, base) || strings.HasPrefix(base, "._") ||
		slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(leftFolders, p) })
}

// flaw tells why a file cannot be taken, and what to do; "" where it can.
func flaw(f *zip.File, name string) string {
	switch {
	case !f.Mode().IsRegular():
		return "is a link or a device. Put the file itself there and make the zip again."
	case f.Flags&encrypted != 0:
		return "is protected by a password. Make the zip again without one."
	case !utf8.ValidString(name) || strings.ContainsRune(name, utf8.RuneError):
		return "has a name that is not UTF-8. Rename the file in plain letters and make the zip again."
	case utf8.RuneCountInString(name) > longestPath || strings.Count(name, "/") > deepestPath:
		return "lies too deep: a path has at most 255 characters and 20 folders. Move the file up and make the zip again."
	case !portable(name):
		return "has a name that some systems cannot hold. Rename the file and make the zip again."
	}
	return ""
}

var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

// portable tells whether every system can hold a path, and shows it as it is.
func portable(name string) bool {
	for _, part := range strings.Split(name, "/") {
		if part == "" || part == "." || strings.HasSuffix(part, ".") || strings.TrimSpace(part) != part ||
			device.MatchString(part) {
			return false
		}
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return strings.ContainsRune(`<>:"|?*`, r) || unicode.IsControl(r) ||
			unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
	})
}

// apart refuses files of which one would take the place of another. Some systems do not tell capitals from small
// letters.
func apart(list []Entry) error {
	taken := map[string]string{}
	for _, e := range list {
		key := strings.ToLower(e.Name)
		if other, there := taken[key]; there {
			return collision(other, e.Name)
		}
		taken[key] = e.Name
	}
	for _, e := range list {
		for folder := path.Dir(strings.ToLower(e.Name)); folder != "."; folder = path.Dir(folder) {
			if other, there := taken[folder]; there {
				return collision(other, e.Name)
			}
		}
	}
	return nil
}

func collision(one, other string) error {
	return fault.New(fault.Unsupported, "%.100q and %.100q in the zip cannot lie beside each other on every system. Rename "+
		"one of them and make the zip again.", one, other)
}
