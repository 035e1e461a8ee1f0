package assess

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/container/enginetest"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/taskdef"
)

// bench is a runner with a store, on a real engine.
type bench struct {
	*Runner
	image string
}

func newBench(t testing.TB) *bench {
	t.Helper()
	engine := enginetest.New(t)
	store, err := files.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &bench{&Runner{Engine: engine.Open(t, t.Name()), Files: store, Spool: t.TempDir()}, engine.Box}
}

func (b *bench) put(t testing.TB, content string) files.Info {
	t.Helper()
	info, err := b.Files.Put(t.Context(), strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// zipped packs files; a name that begins with @ is a link.
func zipped(t testing.TB, content map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range content {
		h := &zip.FileHeader{Name: strings.TrimPrefix(name, "@"), Method: zip.Deflate}
		if strings.HasPrefix(name, "@") {
			h.SetMode(fs.ModeSymlink | 0o777)
			h.Method = zip.Store
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var tight = taskdef.Limits{Seconds: 2, MemoryMB: 64, CPUs: 1, Processes: 32, OpenFiles: 64, OutputKB: 50, FolderMB: 8}

// run runs a package over the files of a student.
func (b *bench) run(t *testing.T, l taskdef.Limits, pack, student map[string]string) *Outcome {
	t.Helper()
	w := Work{Image: b.image, Package: b.put(t, zipped(t, pack)).Hash, Limits: l}
	for name, text := range student {
		info := b.put(t, text)
		w.Files = append(w.Files, Submitted{Name: name, Hash: info.Hash, Size: info.Size})
	}
	o, err := b.Run(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// usual is a package that runs what the student handed in as program.sh.
var usual = map[string]string{
	"build.sh": "#!/bin/sh\necho \"build_message: built\" >\"$1\"\n",
	"run.sh":   "#!/bin/sh\nsh program.sh\ncode=$?\necho \"run_message: it gave $code\" >\"$1\"\nexit $code\n",
	"tests/a":  "expected\n",
}

func TestContract(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.run(t, tight, map[string]string{
		"build.sh": "#!/bin/sh\necho building; cp src.txt made; echo 'build_message: \"built: fine\"' >$1; echo err >&2",
		"run.sh": "#!/bin/sh\ncat made tests/a; rm made; echo new >tests/a; printf 'run_message: |\\n  two\\n  lines\\n" +
			"new_status: Fix and Resubmit\\n' >$1; exit 3",
		"tests/a": "expected\n",
	}, map[string]string{"src.txt": "from the student\n"})
	const out = "building\nerr\nbuild.sh: exit code 0\nfrom the student\nexpected\nrun.sh: exit code 3\n"
	if o.Output != out || o.BuildMessage != "built: fine" || o.RunMessage != "two\nlines\n" || *o.ExitCode != 3 ||
		o.BuildDiff != "A made" || o.RunDiff != "D made\nC tests/a" || o.Reason != "" {
		t.Errorf("%+v", o)
	}
	if o.verdict(false) != "" || o.verdict(true) != "fix_and_resubmit" {
		t.Errorf("verdicts %q and %q", o.verdict(false), o.verdict(true))
	}
	if o := b.run(t, tight, map[string]string{"build.sh": "exit 1", "run.sh": "echo never"}, nil); *o.ExitCode != 1 ||
		strings.Contains(o.Output, "never") {
		t.Errorf("run after a failed build: %+v", o)
	}
}

// Hostile programs end within their limits, are told of fairly, and harm neither
// the machine nor the run that follows at once.
func TestHostileSubmissions(t *testing.T) {
	b := newBench(t)
	secret := t.TempDir() + "/secret"
	if err := os.WriteFile(secret, []byte("the host's own"), 0o644); err != nil { //nolint:gosec // to be found
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, program string
		more          map[string]string // other files of the student
		reason        string            // what is told, a part of it; none when the run ends by itself
		output        string            // a part of it
		quick         bool              // part of every run of the tests; the others of long ones
	}{
		{name: "fork bomb", program: `f() { f | f & }; f; sleep 1; echo over`, output: "exit code"},
		{name: "memory bomb", quick: true, program: `tail /dev/zero`, reason: "memory"},
		{name: "endless output", quick: true, program: `yes`, reason: "it wrote more than 50 KB"},
		{name: "endless loop", program: `while :; do :; done`, reason: "it took longer than 2s"},
		{name: "ignores SIGTERM", program: `trap '' TERM INT HUP; sleep 100`, reason: "it took longer than 2s"},
		{name: "kills all", program: `kill -9 -1`, output: "run.sh: exit code 137", reason: "was killed"},
		{name: "stays behind", program: `sleep 1000 & (sleep 1000 &) & echo gone`, output: "gone\nrun.sh: exit code 0"},
		{name: "sparse file", program: `dd if=/dev/zero of=big bs=1 count=1 seek=10G; echo $?`, output: "exit code"},
		{name: "full folder", program: `yes >full; echo; wc -c <full`, output: "run.sh: exit code 0"},
		{name: "opens a socket", program: `nc -w 1 1.1.1.1 80 || echo no way; wget -O - http://127.0.0.1:1 || echo none`,
			output: "no way"},
		{name: "reads the host", program: `cat ` + secret + ` || echo not there`, output: "not there"},
		{name: "writes on the report", program: `for i in 1 2 3; do echo junk >/proc/1/fd/10; done; echo tried`,
			output: "tried", reason: "cannot be read"}, // the shell keeps it there while a script runs
		{name: "claims a huge file on the report", quick: true, program: `cat claim >/proc/1/fd/10; echo tried`,
			more: map[string]string{"claim": "run 0\n" + sparse["1.0"]}, output: "tried", reason: "cannot be read"},
		{name: "build.sh of its own", quick: true, program: `echo mine`,
			more: map[string]string{"build.sh": "echo FORGED", "run.sh": "echo FORGED"}, output: "build.sh: exit code 0\nmine"},
		{name: "leads out", quick: true, program: `ls / ; cat x`, more: map[string]string{"../x": "outside"},
			output: "outside"},
		{name: "takes the place of a folder", program: `cat tests/a`, more: map[string]string{"tests": "a file"},
			output: "expected"},
		{name: "links in an archive", program: `unzip -o links.zip; cat passwd root/` + secret,
			more:   map[string]string{"links.zip": zipped(t, map[string]string{"@passwd": "/etc/shadow", "@root": "/"})},
			output: "exit code"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !c.quick {
				dbtest.Long(t)
			}
			student := map[string]string{"program.sh": c.program}
			for name, text := range c.more {
				student[name] = text
			}
			begin := time.Now()
			o := b.run(t, tight, usual, student)
			took := time.Since(begin)
			if !strings.Contains(o.Reason, c.reason) || (c.reason == "") != (o.Reason == "") {
				t.Errorf("the reason is %q", o.Reason)
			}
			if !strings.Contains(o.Output, c.output) || strings.Contains(o.Output, "FORGED") ||
				strings.Contains(o.Output, "the host's own") || strings.Contains(o.Output, "root:") {
				t.Errorf("output %.1000q", o.Output)
			}
			if took > 9*time.Second || len(o.Output) > 60_000 {
				t.Errorf("%v, %d bytes", took, len(o.Output))
			}
			t.Logf("%v; %q; %.300q", took, o.Reason, o.Output)
		})
	}
	begin := time.Now()
	if o := b.run(t, tight, usual, map[string]string{"program.sh": "echo fine"}); o.Reason != "" ||
		!strings.Contains(o.Output, "fine\n") || time.Since(begin) > 5*time.Second {
		t.Errorf("the next run, after %v: %+v", time.Since(begin), o)
	}
}

// What the student's program does to the tests and the results does not count
// where a judge decides.
func TestForgery(t *testing.T) {
	b := newBench(t)
	forger := `for f in build run judge; do printf 'new_status: complete\nrun_message: forged\n' >/result/$f.yaml; done
		echo forged >tests/a; rm -f run.sh; echo 42 >answer; ls; (sleep 1; echo late >answer) &`
	pack := map[string]string{"build.sh": usual["build.sh"], "run.sh": "#!/bin/sh\nsh program.sh", "tests/a": "expected\n",
		"judge.sh": `#!/bin/sh
			cat tests/a judge/secret
			ls -l /evidence/after /evidence/submitted
			cp /evidence/after/program.sh /tmp; /evidence/after/tool && echo EXECUTED
			if [ "$(cat /evidence/after/answer)" = 41 ]; then s=complete; else s=fix_and_resubmit; fi
			printf 'run_message: judged\nnew_status: %s\n' $s >$1; cat /evidence/exit_code`,
		"judge/secret": "hidden\n", "tool": "#!/bin/sh\necho tool"}
	o := b.run(t, tight, pack, map[string]string{"program.sh": forger})
	if o.verdict(true) != "fix_and_resubmit" || o.verdict(false) != "fix_and_resubmit" || o.RunMessage != "judged" ||
		o.Claimed != "complete" {
		t.Errorf("verdict %q: %+v", o.verdict(true), o)
	}
	if strings.Contains(o.Output, "judge") || strings.Contains(o.JudgeOutput, "EXECUTED") ||
		!strings.HasPrefix(o.JudgeOutput, "expected\nhidden\n") {
		t.Errorf("%q and %q", o.Output, o.JudgeOutput)
	}
	o = b.run(t, tight, pack, map[string]string{"program.sh": "echo 41 >answer"})
	if o.verdict(false) != "complete" {
		t.Errorf("%+v", o)
	}
	t.Run("ended", func(t *testing.T) {
		dbtest.Long(t)
		o := b.run(t, tight, pack, map[string]string{"program.sh": "sleep 100"})
		if o.verdict(true) != "fix_and_resubmit" || !strings.HasSuffix(o.JudgeOutput, "ended\njudge.sh: exit code 0\n") {
			t.Errorf("%+v", o)
		}
	})
}

// What is wrong with a package is told, and nothing is run.
func TestBrokenPackages(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for want, pack := range map[string]map[string]string{
		"no run.sh at its root": {"tests/run.sh": "x", "tests/build.sh": "x"},
		"leads out of it":       {"../run.sh": "x", "run.sh": "x"},
		"is a link":             {"@passwd": "/etc/passwd", "run.sh": "x"},
		"more than 8 MB":        {"run.sh": "x", "big": strings.Repeat("0", 9_000_000)},
	} {
		if o := b.run(t, tight, pack, nil); !strings.Contains(o.Reason, want) || o.ExitCode != nil {
			t.Errorf("%+v, want %s", o, want)
		}
	}
	if o := b.run(t, tight, usual, map[string]string{"a": strings.Repeat("1", 8_000_000)}); !strings.Contains(o.Reason,
		"room for only 8 MB") {
		t.Errorf("%+v", o)
	}
}

// An image that cannot be pulled is trouble that may pass, and no result.
func TestAMissingImageIsNoResult(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o, err := b.Run(t.Context(), Work{Image: b.image + "missing", Package: b.put(t, zipped(t, usual)).Hash, Limits: tight})
	if text := troubleOf(err); o != nil || text == nil || !strings.Contains(*text, "manifest unknown") {
		t.Errorf("%+v: %v", o, err)
	}
}
