package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"golang.org/x/term"

	"lectern/internal/teaching/similarity/engine"
)

// similarityCmd compares a folder of old work, without the service.
type similarityCmd struct {
	Dir      string  `arg:"" help:"The submissions: a file or a folder for each."`
	Template string  `placeholder:"DIR" help:"What everyone was given, a folder or a file; it is taken out of both sides."`
	Language string  `placeholder:"NAME" help:"Read every file as java, python, words and so on: see docs/similarity.md."`
	Format   string  `enum:"table,json,csv,html" default:"table" help:"table, json, csv or html."`
	WarnPct  int     `default:"50" help:"Flag from this share of the shorter work, in percent."`
	MinScore float64 `default:"45" help:"Flag from this score, 0 to 100."`
}

// submission is one entry of the folder.
type submission struct {
	path   string
	files  []engine.File
	prints *engine.Prints
}

// similarPair is a line of the answer.
type similarPair struct {
	Left    string  `json:"left"`
	Right   string  `json:"right"`
	Pct     int     `json:"pct"`
	Score   float64 `json:"score"`
	Flagged bool    `json:"flagged"`
	pair    engine.Pair
}

// closely is the work, in tokens times works, up to which every pair is looked at.
const closely = 60_000_000

func (c *similarityCmd) Run(ctx context.Context) error {
	started := time.Now()
	works, err := c.read(c.Dir)
	if err != nil {
		return err
	}
	if len(works) < 2 {
		return fmt.Errorf("%s holds %d submissions, and comparing takes two: put a file or a folder for each into it",
			c.Dir, len(works))
	}
	x, err := c.index(works)
	if err != nil {
		return err
	}
	o := engine.Options{Progress: progress(started)}
	if size(works)*len(works) > closely {
		o.MinScore = engine.LargeScore
	}
	pairs, err := engine.AllPairs(ctx, x, func(id int64) *engine.Prints { return works[id].prints }, o)
	if err != nil {
		return err
	}
	if o.MinScore > 0 {
		fmt.Fprintf(os.Stderr, "lectern: the class is large: pairs that score less than %v are not listed\n",
			o.MinScore)
	} else {
		pairs = append(pairs, unlike(len(works), pairs)...)
	}
	return c.write(os.Stdout, x, works, c.rated(works, pairs))
}

// unlike lists the pairs that share nothing at all.
func unlike(works int, found []engine.Pair) []engine.Pair {
	have := map[[2]int64]bool{}
	for _, p := range found {
		have[[2]int64{p.Left, p.Right}] = true
	}
	var out []engine.Pair
	for i := range int64(works) {
		for j := i + 1; j < int64(works); j++ {
			if !have[[2]int64{i, j}] {
				out = append(out, engine.Pair{Left: i, Right: j})
			}
		}
	}
	return out
}

func size(works []submission) int {
	n := 0
	for _, w := range works {
		n += w.prints.Tokens()
	}
	return n
}

func (c *similarityCmd) index(works []submission) (*engine.Index, error) {
	var given *engine.Template
	if c.Template != "" {
		files, err := c.files(c.Template)
		if err != nil {
			return nil, fmt.Errorf("the template cannot be read: %w", err)
		}
		given = engine.NewTemplate(engine.Fingerprint(files))
	}
	x := engine.NewIndex(given)
	for i := range works {
		works[i].prints = engine.Fingerprint(works[i].files)
		if works[i].prints.Cut {
			fmt.Fprintf(os.Stderr, "lectern: %s is very large: only its first part is compared\n", works[i].path)
		}
		if err := x.Add(engine.Work{ID: int64(i), Owners: []int64{int64(i)}, Prints: works[i].prints}); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// read lists the submissions of a folder. What is hidden or no text is left out.
func (c *similarityCmd) read(dir string) ([]submission, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("the folder with the submissions cannot be read: %w", err)
	}
	var out []submission
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		files, err := c.files(path)
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			fmt.Fprintf(os.Stderr, "lectern: %s holds no text and is left out\n", path)
			continue
		}
		out = append(out, submission{path: path, files: files})
	}
	return out, nil
}

// files reads a file, or all text files below a folder.
func (c *similarityCmd) files(root string) ([]engine.File, error) {
	var out []engine.File
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != root && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") || len(out) >= engine.MaxFiles:
			return nil
		}
		f, err := c.file(root, path)
		if err == nil && f.Text != nil {
			out = append(out, f)
		}
		return err
	})
	return out, err
}

// file reads one file; its text is nil where it is none.
func (c *similarityCmd) file(root, path string) (engine.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return engine.File{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, engine.MaxFileBytes+1))
	if err != nil || bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
		return engine.File{}, err
	}
	name, err := filepath.Rel(root, path)
	if err != nil || name == "." {
		name = filepath.Base(path)
	}
	l := engine.LanguageOf(path)
	if c.Language != "" {
		var ok bool
		if l, ok = engine.ParseLanguage(c.Language); !ok {
			return engine.File{}, fmt.Errorf("--language %s is not known: take java, python, c, cpp, csharp, "+
				"javascript, "+
				"typescript, generic or words", c.Language)
		}
	}
	return engine.File{Name: filepath.ToSlash(name), Language: l, Text: text}, nil
}

func (c *similarityCmd) rated(works []submission, pairs []engine.Pair) []similarPair {
	th := engine.Thresholds{Pct: c.WarnPct, Score: c.MinScore}
	out := make([]similarPair, 0, len(pairs))
	for _, p := range pairs {
		out = append(out, similarPair{Left: works[p.Left].path, Right: works[p.Right].path, Pct: p.Match.Pct,
			Score: float64(int(p.Score*10)) / 10, Flagged: th.Flagged(p.Match.Pct, p.Score), pair: p})
	}
	return out
}

func (c *similarityCmd) write(w io.Writer, x *engine.Index, works []submission, pairs []similarPair) error {
	switch c.Format {
	case "json":
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(pairs)
	case "csv":
		return writeCSV(w, pairs)
	case "html":
		return writeReport(w, x, works, pairs)
	}
	return writeTable(w, x, works, pairs)
}

func (p similarPair) cells() []string {
	return []string{p.Left, p.Right, strconv.Itoa(p.Pct), strconv.FormatFloat(p.Score, 'f', 1, 64),
		strconv.FormatBool(p.Flagged)}
}

var similarHeader = []string{"left", "right", "pct", "score", "flagged"}

func writeCSV(w io.Writer, pairs []similarPair) error {
	out := csv.NewWriter(w)
	err := out.Write(similarHeader)
	for _, p := range pairs {
		err = errors.Join(err, out.Write(p.cells()))
	}
	out.Flush()
	return errors.Join(err, out.Error())
}

// tableRows is how many pairs people are shown at most, and shownPairs how many
// of them a report compares side by side.
const (
	tableRows  = 50
	shownPairs = 20
)

func writeTable(w io.Writer, x *engine.Index, works []submission, pairs []similarPair) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "PCT\tSCORE\tTO LOOK AT\tLEFT\tRIGHT")
	flagged := 0
	var tied [][2]int64
	for i, p := range pairs {
		mark := ""
		if p.Flagged {
			mark = "yes"
			flagged++
			tied = append(tied, [2]int64{p.pair.Left, p.pair.Right})
		}
		if i < tableRows || p.Flagged {
			fmt.Fprintf(out, "%d\t%.0f\t%s\t%s\t%s\n", p.Pct, p.Score, mark, p.Left, p.Right)
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d works, %d pairs, %d to look at.\n", len(works), len(pairs), flagged)
	writeClusters(w, x, works, tied)
	return nil
}

func writeClusters(w io.Writer, x *engine.Index, works []submission, tied [][2]int64) {
	for _, c := range engine.Clusters(tied) {
		if len(c.Members) > 2 {
			fmt.Fprintf(w, "These belong together: %s\n", names(works, c.Members))
		}
	}
	if core := x.Core(); core != nil {
		fmt.Fprintf(w, "Most of the class shares code that is not in the template: the exercise may lead there, "+
			"a template may be missing, or a solution may have gone round: %s\n", names(works, core.Members))
	}
}

func names(works []submission, ids []int64) string {
	var out []string
	for _, id := range ids {
		out = append(out, filepath.Base(works[id].path))
	}
	return strings.Join(out, ", ")
}

func writeReport(w io.Writer, x *engine.Index, works []submission, pairs []similarPair) error {
	var rows [][]string
	var shown []engine.Comparison
	for i, p := range pairs[:min(len(pairs), 1000)] {
		rows = append(rows, p.cells())
		if i >= shownPairs {
			continue
		}
		left, right := works[p.pair.Left], works[p.pair.Right]
		shown = append(shown, engine.Comparison{
			Left:  engine.Side{Title: left.path, Files: engine.Sources(left.files)},
			Right: engine.Side{Title: right.path, Files: engine.Sources(right.files)},
			Match: p.pair.Match, Score: p.Score, Words: x.Explain(left.prints, right.prints, p.pair.Match).Words,
		})
	}
	return engine.Report(w, "Similarity", similarHeader, rows, shown)
}

// progress tells how far a long run is, on a terminal from the start and
// elsewhere after five seconds.
func progress(started time.Time) func(done, of int) {
	var mu sync.Mutex
	told := started
	terminal := term.IsTerminal(int(os.Stderr.Fd()))
	return func(done, of int) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		switch {
		case terminal && (now.Sub(told) > 100*time.Millisecond || done == of):
			fmt.Fprintf(os.Stderr, "\r%d of %d works compared", done, of)
			if done == of {
				fmt.Fprintln(os.Stderr)
			}
		case !terminal && now.Sub(told) > 5*time.Second:
			fmt.Fprintf(os.Stderr, "lectern: %d of %d works compared\n", done, of)
		default:
			return
		}
		told = now
	}
}
