package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"lectern/internal/teaching/similarity/engine"
	"lectern/internal/teaching/similarity/engine/bench"
	"lectern/internal/teaching/similarity/engine/corpus"
)

// similarityBenchCmd measures the comparison on a corpus it makes itself.
type similarityBenchCmd struct {
	Seed  uint64 `default:"1" help:"The corpus is made from this number, the same one from the same."`
	Dolos string `placeholder:"DIR" type:"existingdir" default:"." help:"Where node finds @dodona/dolos-lib."`
}

//go:embed dolos.mjs
var dolosScript string

func (c *similarityBenchCmd) Run(ctx context.Context) error {
	th := engine.Thresholds{Pct: engine.DefaultPct, Score: engine.DefaultScore}
	for _, part := range []struct {
		name   string
		o      corpus.Options
		source bool
	}{
		{"sheets of seven to ten exercises", corpus.Default, false},
		{"single exercises, one of them copied fifty times", corpus.Tiny, true},
		{"sheets, copies restructured", corpus.Restructured, false},
		{"single exercises, one of them restructured 48 times", corpus.TinyRestructured, true},
	} {
		part.o.Seed = c.Seed
		classes := corpus.Make(part.o)
		r, err := bench.Run(ctx, classes, th)
		if err != nil {
			return err
		}
		fmt.Printf("%s: seed %d, %d classes, %d pairs\n", part.name, c.Seed, len(classes), len(r.Pairs))
		out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(out, "\tprecision\trecall\twrongly flagged\tAUC\ttime")
		line(out, "lectern", r, part.source)
		c.dolos(ctx, out, classes, part.source)
		_ = out.Flush()
		switch {
		case part.o.Levels:
			byLevel(classes, r.Pairs, part.source)
		case !part.source:
			byDisguise(r.Pairs)
		}
		fmt.Println()
	}
	return nil
}

func line(w io.Writer, name string, r *bench.Result, source bool) {
	pairs := r.Pairs
	if source {
		pairs = bench.OfSource(pairs)
	}
	n := bench.Tally(pairs)
	fmt.Fprintf(w, "%s\t%.3f\t%.3f\t%d of %d\t%.4f\t%v\n", name, n.Precision(), n.Recall(), n.Wrong, n.Wrong+n.Innocent,
		bench.Area(pairs), r.Time.Round(time.Millisecond))
}

func byDisguise(pairs []bench.Rated) {
	by := map[string][]bench.Rated{}
	for _, p := range pairs {
		by[p.How] = append(by[p.How], p)
	}
	for _, how := range corpus.Disguises {
		n := bench.Tally(by[how])
		fmt.Printf("  %-24s %d of %d found\n", how, n.Found, n.Found+n.Missed)
	}
}

// byLevel tells for each level, and each language, how many copies were found, and how
// far their scores stand above those of independent works.
func byLevel(classes []corpus.Class, pairs []bench.Rated, source bool) {
	if source {
		pairs = bench.OfSource(pairs)
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "  \tall\tAUC\t%s\n", strings.Join(corpus.Languages, "\t"))
	for _, level := range corpus.Levels {
		all := bench.OfDisguise(pairs, level)
		fmt.Fprintf(out, "  %s\t%.3f\t%.3f", level, bench.Tally(all).Recall(), bench.Area(all))
		for _, lang := range corpus.Languages {
			fmt.Fprintf(out, "\t%.3f", bench.Tally(slices.DeleteFunc(slices.Clone(all), func(p bench.Rated) bool {
				return classes[p.Class].Language != lang
			})).Recall())
		}
		fmt.Fprintln(out)
	}
	_ = out.Flush()
}

// dolos measures Dolos on the same classes, where node finds it.
func (c *similarityBenchCmd) dolos(ctx context.Context, out io.Writer, classes []corpus.Class, source bool) {
	r := &bench.Result{}
	for n, class := range classes {
		pairs, took, err := c.dolosClass(ctx, n, class)
		if err != nil {
			fmt.Fprintf(out, "dolos\tnot measured: %v\n", err)
			return
		}
		r.Pairs = append(r.Pairs, pairs...)
		r.Time += took
	}
	line(out, "dolos (from 50 %)", r, source)
}

var dolosLanguages = map[string]string{".java": "java", ".py": "python", ".c": "c",
	".cs": "c-sharp", ".js": "javascript"}

func (c *similarityBenchCmd) dolosClass(ctx context.Context, n int, class corpus.Class) (
	[]bench.Rated, time.Duration, error,
) {
	dir, err := os.MkdirTemp("", "lectern-bench-")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	number := map[string]int{}
	for i, w := range class.Works {
		path := filepath.Join(dir, w.Name)
		number[path] = i
		if err := os.WriteFile(path, []byte(w.Text), 0o600); err != nil {
			return nil, 0, err
		}
	}
	given := ""
	if class.Template != "" {
		given = filepath.Join(dir, "template"+class.Language)
		if err := os.WriteFile(given, []byte(class.Template), 0o600); err != nil {
			return nil, 0, err
		}
	}
	found, took, err := c.node(ctx, dir, dolosLanguages[class.Language], given)
	if err != nil {
		return nil, 0, err
	}
	return dolosRated(n, class, found, number), took, nil
}

// node runs the script and reads its pairs: left, right, similarity.
func (c *similarityBenchCmd) node(ctx context.Context, dir, language, given string) ([][3]any, time.Duration, error) {
	cmd := exec.CommandContext(ctx, "node", "--input-type=module", "-", dir, language, given)
	cmd.Dir, cmd.Stdin = c.Dolos, strings.NewReader(dolosScript)
	var errs strings.Builder
	cmd.Stderr = &errs
	start := time.Now()
	text, err := cmd.Output()
	if err != nil {
		return nil, 0, fmt.Errorf("node found no @dodona/dolos-lib that works (npm install it, and name the folder "+
			"by --dolos): %w: %s", err, reason(errs.String()))
	}
	var found [][3]any
	return found, time.Since(start), json.Unmarshal(text, &found)
}

// reason picks the line of node's complaint that names the error.
func reason(complaint string) string {
	for l := range strings.Lines(complaint) {
		if strings.HasPrefix(l, "Error") {
			return strings.TrimSpace(l)
		}
	}
	return strings.TrimSpace(complaint)
}

func dolosRated(n int, class corpus.Class, found [][3]any, number map[string]int) []bench.Rated {
	scores := map[[2]int]float64{}
	for _, f := range found {
		left, _ := f[0].(string)
		right, _ := f[1].(string)
		score, _ := f[2].(float64)
		i, j := number[left], number[right]
		scores[[2]int{min(i, j), max(i, j)}] = 100 * score
	}
	var out []bench.Rated
	for i := range class.Works {
		for j := i + 1; j < len(class.Works); j++ {
			s := scores[[2]int{i, j}]
			out = append(out, bench.Rated{Class: n, Left: i, Right: j, How: class.Relation(i, j),
				Copy: class.Copy(i, j),
				Pct:  int(s), Score: s, Flagged: s >= engine.DefaultPct})
		}
	}
	return out
}
