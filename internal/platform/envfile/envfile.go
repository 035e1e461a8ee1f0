// Package envfile reads and writes a file of settings, a line NAME=value each, as systemd and shells
// read it: values with spaces or signs stand between quotes, comments begin with a #.
package envfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a file may hold: it is read at every start, and nobody has more settings than that.
const (
	MostValue = 4096
	mostFile  = 1 << 20
)

// Line is one setting of a file.
type Line struct {
	Number      int // from 1
	Name, Value string
}

// Mistake is a line that cannot be read. It never holds the value, which may be a secret.
type Mistake struct {
	Line int
	Text string
}

// Error implements error.
func (m *Mistake) Error() string { return fmt.Sprintf("line %d: %s", m.Line, m.Text) }

var name = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)

// Parse reads the lines of a file, each once: where two lines have a name, the last counts, as for
// systemd and for a shell. What is no setting, no comment and not blank is a *Mistake.
func Parse(text []byte) ([]Line, error) {
	if len(text) > mostFile {
		return nil, fmt.Errorf("it is larger than %d bytes", mostFile)
	}
	var all []Line
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(strings.TrimSuffix(line, "\r"))
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		one, err := parseLine(line)
		if err != nil {
			return nil, &Mistake{i + 1, err.Error()}
		}
		one.Number = i + 1
		all = slices.DeleteFunc(all, func(l Line) bool { return l.Name == one.Name })
		all = append(all, one)
	}
	return all, nil
}

func parseLine(line string) (Line, error) {
	left, right, found := strings.Cut(line, "=")
	left = strings.TrimSpace(left)
	if !found {
		return Line{}, errors.New("a setting is written as NAME=value")
	}
	if !name.MatchString(left) {
		return Line{}, errors.New("a name has capital letters, digits and _ only")
	}
	value, err := unquote(strings.TrimSpace(right))
	if err == nil {
		err = checkValue(value)
	}
	return Line{Name: left, Value: value}, err
}

// unquote gives what a value means: between single quotes everything stands for itself, between
// double quotes a backslash stands before signs that a shell would take otherwise.
func unquote(v string) (string, error) {
	if v == "" || v[0] != '\'' && v[0] != '"' {
		return v, nil
	}
	end := closing(v)
	switch {
	case end < 0:
		return "", errors.New("the quote is not closed on the same line")
	case end != len(v)-1:
		return "", errors.New("something stands behind the closing quote")
	case v[0] == '\'':
		return v[1:end], nil
	}
	return escaped.ReplaceAllString(v[1:end], "$1"), nil
}

var escaped = regexp.MustCompile("\\\\([\"\\\\$`])")

// closing is where the quote ends that v begins with; -1: nowhere.
func closing(v string) int {
	for i := 1; i < len(v); i++ {
		switch {
		case v[0] == '"' && v[i] == '\\':
			i++
		case v[i] == v[0]:
			return i
		}
	}
	return -1
}

// checkValue refuses what would not stay one value on one line, wherever it is read or shown.
func checkValue(v string) error {
	switch {
	case len(v) > MostValue:
		return fmt.Errorf("a value has at most %d bytes", MostValue)
	case !utf8.ValidString(v):
		return errors.New("a value is text in UTF-8")
	case strings.ContainsFunc(v, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }):
		return errors.New("a value is one line without signs that cannot be seen")
	}
	return nil
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,=-]*$`)

// Format writes a setting as one line, which Parse, systemd and shells read as that value. It refuses
// a name that is none, and a value that does not fit on a line.
func Format(key, value string) (string, error) {
	if !name.MatchString(key) {
		return "", fmt.Errorf("%q is no name of a setting", key)
	}
	if err := checkValue(value); err != nil {
		return "", err
	}
	switch {
	case plain.MatchString(value):
		return key + "=" + value, nil
	case !strings.Contains(value, "'"):
		return key + "='" + value + "'", nil
	}
	return key + `="` + strings.NewReplacer(`"`, `\"`, `\`, `\\`, `$`, `\$`, "`", "\\`").Replace(value) + `"`, nil
}

// Read gives the lines of a file; none where there is no file.
func Read(path string) ([]Line, error) {
	text, err := read(path)
	if err != nil {
		return nil, err
	}
	lines, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return lines, nil
}

func read(path string) ([]byte, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the operator's choice
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// Change is what to do with a setting of a file: keep a value, or forget it.
type Change struct {
	Name, Value string
	Forget      bool
}

// Write changes settings of a file, all of them or none, and leaves every other line as it stands.
// The file is for its owner only.
func Write(path string, changes []Change) error {
	text, err := read(path)
	if err != nil {
		return err
	}
	if _, err := Parse(text); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	fresh, err := edit(text, changes)
	if err != nil {
		return err
	}
	return replace(path, fresh)
}

// edit gives the text with the changes: a new value stands where the old one stood.
func edit(text []byte, changes []Change) ([]byte, error) {
	var lines []string
	if len(text) > 0 {
		lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	for _, c := range changes {
		line, err := Format(c.Name, c.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		at := slices.IndexFunc(lines, func(l string) bool { return names(l, c.Name) })
		switch {
		case at >= 0 && !c.Forget:
			lines[at] = line
			at++
		case at < 0 && !c.Forget:
			lines = append(lines, line)
			at = len(lines)
		case at < 0:
			continue
		}
		rest := slices.DeleteFunc(lines[at:], func(l string) bool { return names(l, c.Name) })
		lines = lines[:at+len(rest)]
	}
	var b bytes.Buffer
	for _, l := range lines {
		b.WriteString(l)
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// names tells whether a line sets the name.
func names(line, key string) bool {
	left, _, found := strings.Cut(strings.TrimSpace(line), "=")
	return found && strings.TrimSpace(left) == key
}

// replace writes a file so that whoever reads it gets the old text or the new, whatever happens.
func replace(path string, text []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".settings-*") // for the owner only
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
