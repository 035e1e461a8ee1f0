package assess

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/bounds"
	"lectern/internal/platform/container"
)

const someRoom = 8 * bounds.MB

// block is the head of a file in an archive, as a program can write it by hand.
func block(name string, kind byte, length int64) []byte {
	b := make([]byte, 512)
	copy(b, name)
	copy(b[100:], "0000644\x000000000\x000000000\x00")
	copy(b[124:], fmt.Sprintf("%011o\x0000000000000\x00", length))
	copy(b[148:], "        ")
	b[156] = kind
	copy(b[257:], "ustar\x0000")
	return checksummed(b)
}

func checksummed(b []byte) []byte {
	sum := 0
	copy(b[148:], "        ")
	for _, c := range b {
		sum += int(c)
	}
	copy(b[148:], fmt.Sprintf("%06o\x00 ", sum))
	return b
}

// padded fills the last block of a file.
func padded(s string) string { return s + strings.Repeat("\x00", (512-len(s)%512)%512) }

// extended is a file with records before it that say more of it than its head.
func extended(content string, records ...string) string {
	text := ""
	for _, r := range records {
		n := len(r) + 3
		for len(fmt.Sprintf("%d %s\n", n, r)) != n {
			n++
		}
		text += fmt.Sprintf("%d %s\n", n, r)
	}
	return string(block("x", tar.TypeXHeader, int64(len(text)))) + padded(text) +
		string(block("work/big", tar.TypeReg, int64(len(content)))) + padded(content)
}

// oldSparse is a sparse file without data as GNU tar wrote it before it had records.
func oldSparse() string {
	b := block("work/big", tar.TypeGNUSparse, 0)
	copy(b[257:], "ustar  \x00")
	copy(b[386:], "00000000000\x0000000000000\x00")
	copy(b[483:], "\x80\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00") // 2^60
	return string(checksummed(b))
}

const huge = "1152921504606846976" // 2^60

// sparse are small files that claim to be huge, in all forms there are.
var sparse = map[string]string{
	"old": oldSparse(),
	"0.0": extended("", "GNU.sparse.size="+huge, "GNU.sparse.numblocks=1", "GNU.sparse.offset="+huge,
		"GNU.sparse.numbytes=0"),
	"0.1": extended("", "GNU.sparse.size="+huge, "GNU.sparse.numblocks=1", "GNU.sparse.map="+huge+",0"),
	"1.0": extended(padded("1\n"+huge+"\n0\n"), "GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.realsize="+huge),
}

// A few bytes that claim to be a file of 2^60 zeros are not unpacked here, where
// everybody's assessments wait.
func TestSparseFilesInAReportAreRefused(t *testing.T) {
	for form, text := range sparse {
		t.Run(form, func(t *testing.T) {
			if h, err := tar.NewReader(strings.NewReader(text)).Next(); err != nil || h.Size != 1<<60 {
				t.Fatalf("no sparse file: %+v, %v", h, err)
			}
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
			defer stop()
			steps, err := readReport(ctx, strings.NewReader("run 0\n"+text), someRoom)
			if !errors.Is(err, errSparse) || len(steps) != 0 {
				t.Errorf("%d steps, %v", len(steps), err)
			}
			if err := lastStep(ctx, strings.NewReader("run 0\n"+text), someRoom, 1, nothing); !errors.Is(err, errSparse) {
				t.Errorf("for the judge: %v", err)
			}
		})
	}
}

func TestFilesBeyondTheRoomOfTheirFolderAreRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		size int64
		ok   bool
	}{
		{"work/a", 100, true}, {"work/a", someRoom + 1, false}, {"work/a", 1 << 32, false},
		{"result/run.yaml", 100, true}, {"result/run.yaml", mostResult + 1, false}, {"elsewhere", someRoom + 1, false},
	} {
		text := "run 0\n" + string(block(c.name, tar.TypeReg, c.size)) + strings.Repeat("\x00", 2048)
		steps, err := readReport(t.Context(), strings.NewReader(text), someRoom)
		if (err == nil) != c.ok || (len(steps) == 1) != c.ok || !c.ok && !strings.Contains(err.Error(), "have room") {
			t.Errorf("%s of %d: %d steps, %v", c.name, c.size, len(steps), err)
		}
	}
}

// zeros are without end, and are counted.
type zeros struct {
	read int64
	then func()
}

func (z *zeros) Read(p []byte) (int, error) {
	clear(p)
	if z.read += int64(len(p)); z.then != nil {
		z.then()
	}
	return len(p), nil
}

func TestAReportIsReadNoFurtherThanItCanBeLong(t *testing.T) {
	var rest zeros
	_, err := readReport(t.Context(), io.MultiReader(strings.NewReader("run 0\n"), &rest), someRoom)
	if !errors.Is(err, errLonger) || rest.read > mostReport(someRoom)+bounds.MB {
		t.Errorf("%d bytes, %v", rest.read, err)
	}
}

func TestReadingAReportEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	rest := zeros{then: cancel}
	head := "run 0\n" + string(block("work/a", tar.TypeReg, someRoom))
	_, err := readReport(ctx, io.MultiReader(strings.NewReader(head), &rest), someRoom)
	if !errors.Is(err, context.Canceled) || rest.read > bounds.MB {
		t.Errorf("%d bytes, %v", rest.read, err)
	}
	// The judge is given what was left.
	report := strings.NewReader(head + strings.Repeat("\x00", int(someRoom)))
	ctx, cancel = context.WithCancel(t.Context())
	var packed bytes.Buffer
	p := newPacker(io.MultiWriter(&packed, ending(cancel)))
	err = pass(ctx, report, someRoom, 1, p, evidenceFolder)
	if !errors.Is(err, context.Canceled) || packed.Len() > int(bounds.MB) {
		t.Errorf("%d bytes, %v", packed.Len(), err)
	}
}

// ending is a writer whose first bytes are one too many.
type ending context.CancelFunc

func (e ending) Write(p []byte) (int, error) { e(); return len(p), nil }

// A run that is to stop has no outcome: it is not the program that left a report
// which cannot be read.
func TestAnInterruptedRunHasNoOutcome(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var o Outcome
	_, err := o.take(ended, tree{}, container.Ended{Cause: container.Exited}, strings.NewReader("run 0\n"), tight)
	if !errors.Is(err, context.Canceled) || o.Reason != "" {
		t.Errorf("%v, %q", err, o.Reason)
	}
}

func TestNamesInAReportAreBounded(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("run 0\n")
	w := tar.NewWriter(&b)
	for i := range 40 {
		h := &tar.Header{Name: fmt.Sprint("work/", i), Size: 0, Typeflag: tar.TypeSymlink,
			Linkname: strings.Repeat("n", 500_000), Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	steps, err := readReport(t.Context(), &b, someRoom)
	if err == nil || !strings.Contains(err.Error(), "names of more than") {
		t.Errorf("%d steps, %v", len(steps), err)
	}
}

// FuzzReport reads what may stand in a report: it never takes more than there is room
// for, whatever is claimed.
func FuzzReport(f *testing.F) {
	for _, text := range sparse {
		f.Add([]byte("run 0\n" + text))
	}
	f.Add([]byte("build 0\n" + string(block("work/a", tar.TypeReg, 3)) + padded("abc") + strings.Repeat("\x00", 1024) +
		"run 1\n" + string(block("result/run.yaml", tar.TypeReg, 3)) + padded("a: ")))
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		steps, err := readReport(ctx, bytes.NewReader(data), bounds.MB)
		if ctx.Err() != nil || len(steps) > mostSteps {
			t.Fatalf("%d steps, %v", len(steps), err)
		}
		n := int64(0)
		_ = lastStep(ctx, bytes.NewReader(data), bounds.MB, len(steps), func(_ *tar.Header, _ string, r io.Reader) error {
			k, err := io.Copy(io.Discard, r)
			n += k
			return err
		})
		if n > int64(len(data)) {
			t.Fatalf("%d bytes out of %d", n, len(data))
		}
	})
}
