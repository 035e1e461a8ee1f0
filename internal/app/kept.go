package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lectern/internal/platform/envfile"
)

// Kept is settings.env of the data directory as it was at the start, with what wins over it: the flags
// of the command line and the variables of the environment.
type Kept struct {
	Path  string
	lines []envfile.Line
	given map[string]bool // variables that the environment has, and does not have from the file
	flags map[string]bool // variables whose flag stands on the command line
}

// ReadKept reads settings.env of the data directory that the command line or the environment names. A
// line that cannot be read is told with its number. No file is no mistake.
func ReadKept(args, environ []string) (*Kept, error) {
	k := &Kept{Path: filepath.Join(dataOf(args, environ), settingsFile), given: map[string]bool{},
		flags: map[string]bool{}}
	var err error
	if k.lines, err = envfile.Read(k.Path); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		// A service manager may have read the same file: what it handed on is the file's.
		if line := k.line(name); strings.HasPrefix(name, prefix) && (line == nil || line.Value != value) {
			k.given[name] = true
		}
	}
	return k, nil
}

// dataOf finds --data before anything else is read.
func dataOf(args, environ []string) string {
	dir := "data"
	for _, pair := range environ {
		if value, ok := strings.CutPrefix(pair, prefix+"DATA="); ok && value != "" {
			dir = value
		}
	}
	for i, arg := range args {
		value, ok := strings.CutPrefix(arg, "--data=")
		switch {
		case arg == "--":
			return dir
		case ok:
			dir = value
		case arg == "--data" && i+1 < len(args):
			dir = args[i+1]
		}
	}
	return dir
}

// line is the one that sets a variable; nil: none does.
func (k *Kept) line(name string) *envfile.Line {
	i := slices.IndexFunc(k.lines, func(l envfile.Line) bool { return l.Name == name })
	if i < 0 {
		return nil
	}
	return &k.lines[i]
}

// Check refuses lines that set none of the known variables, or another data directory than the one the
// file stands in, and names each with its number.
func (k *Kept) Check(known []string) error {
	var errs []error
	for _, l := range k.lines {
		switch {
		case !slices.Contains(known, l.Name):
			errs = append(errs, fmt.Errorf("%s, line %d: %s is no setting; did you mean %s?", k.Path, l.Number, l.Name,
				nearest(l.Name, known)))
		case l.Name == prefix+"DATA" && !samePlace(l.Value, filepath.Dir(k.Path)):
			errs = append(errs, fmt.Errorf("%s, line %d: %s names another directory than the one the file stands in; take "+
				"the line out", k.Path, l.Number, l.Name))
		}
	}
	return errors.Join(errs...)
}

func samePlace(a, b string) bool {
	one, err := os.Stat(a)
	two, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(one, two)
}

// Apply puts what the file says into the environment, where nothing there wins over it: neither the
// variable itself nor, of a secret, the other of its two forms.
func (k *Kept) Apply() error {
	for _, l := range k.lines {
		if _, has := os.LookupEnv(l.Name); has || k.given[otherForm(l.Name)] {
			continue
		}
		if err := os.Setenv(l.Name, l.Value); err != nil {
			return fmt.Errorf("%s, line %d: %w", k.Path, l.Number, err)
		}
	}
	return nil
}

// otherForm is the variable that stands for the same secret: the value, or the file it is in.
func otherForm(name string) string {
	if value, ok := strings.CutSuffix(name, fileForm); ok {
		return value
	}
	return name + fileForm
}

const fileForm = "_FILE"

// Flags tells which flags the command line has, by their variables.
func (k *Kept) Flags(variables []string) {
	for _, name := range variables {
		k.flags[name] = true
	}
}

var flagInText = regexp.MustCompile(`--[a-z][a-z0-9-]*`)

// Explain adds to an error about flags the lines of the file that they are set in.
func (k *Kept) Explain(err error) error {
	var where []string
	for _, flag := range flagInText.FindAllString(err.Error(), -1) {
		name := prefix + strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(flag, "--"), "-", "_"))
		for _, l := range k.lines {
			about := l.Name == name || l.Name == name+fileForm || strings.HasSuffix(name, "_") && strings.HasPrefix(l.Name, name)
			if text := fmt.Sprintf("%s is set in line %d of %s.", l.Name, l.Number, k.Path); about && !k.given[l.Name] &&
				!k.flags[l.Name] && !slices.Contains(where, text) {
				where = append(where, text)
			}
		}
	}
	if where == nil {
		return err
	}
	return fmt.Errorf("%w\n%s", err, strings.Join(where, "\n"))
}
