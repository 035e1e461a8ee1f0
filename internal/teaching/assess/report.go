package assess

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/bounds"
)

// driver is what a container runs: it unpacks what it is given, runs the scripts
// named by its arguments until one fails, and after each ends whatever is still
// running and tells the exit code and what is in the folders. It is the first
// process of its container, which nothing inside can kill.
const driver = `tar -xf - -C / || exit 120
exec 3>&2 2>&1 </dev/null
cd /work || exit 121
for step; do
	if [ -f "$step.sh" ]; then
		"./$step.sh" "/result/$step.yaml" 3>&-
		code=$?
	else
		code=127
		echo "$step.sh is gone"
	fi
	kill -9 -1 2>/dev/null
	echo "$step.sh: exit code $code"
	printf '%s %s\n' "$step" "$code" >&3
	shift
	[ $# = 0 ] || [ "$code" != 0 ] && exec tar -cf - -C / result work >&3 2>/dev/null 3>&-
	tar -cf - -C / result work >&3 2>/dev/null 3>&-
done`

// The folders of a container.
const (
	workFolder     = "work"     // the scripts run here, and build and run share it
	resultFolder   = "result"   // where scripts write their YAML
	tempFolder     = "tmp"      // for whatever needs one
	evidenceFolder = "evidence" // in the judge's container: what the student's program left
)

// keeper is given the plain files of the work folder.
type keeper func(h *tar.Header, name string, r io.Reader) error

func nothing(*tar.Header, string, io.Reader) error { return nil }

// tree is what is in a folder: what each file holds, by its name.
type tree map[string]string

// step is what the driver told after a script.
type step struct {
	name  string
	code  int
	files tree
	names int    // bytes of the names of the files
	yaml  []byte // what the script said
}

const (
	mostSteps  = 2
	mostResult = 4 << 20 // what the folder of the results holds
	mostYAML   = 64 << 10
	mostFiles  = 20_000
	mostNames  = 16 << 20 // bytes of the names of all files, with where links lead
)

// mostReport is how long a report may be: two steps, each with room to spare for files
// that have more bytes than they take up.
func mostReport(room int64) int64 { return 4*room + 16*bounds.MB }

var (
	errReport = errors.New("the report of the container cannot be read")
	errSparse = errors.New("a sparse file, which the driver never packs")
	errLonger = errors.New("more than there can be")
)

// reading gives at most so many bytes, and none after ctx has ended.
type reading struct {
	ctx  context.Context
	r    io.Reader
	left int64
}

func (r *reading) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(p)
	if r.left -= int64(n); r.left < 0 {
		return 0, errLonger
	}
	return n, err
}

// readReport reads what the driver told of folders that hold so much. The student's
// program could write there, too: whatever is found must be borne. An incomplete report
// gives the steps that are whole.
func readReport(ctx context.Context, r io.Reader, room int64) ([]step, error) {
	var steps []step
	in := bufio.NewReader(&reading{ctx, r, mostReport(room)})
	for {
		s, err := readHead(in)
		if errors.Is(err, io.EOF) {
			return steps, nil
		}
		if err == nil {
			err = s.read(ctx, tar.NewReader(in), room, nothing)
		}
		if err == nil && len(steps) == mostSteps {
			err = errors.New("more steps than there are scripts")
		}
		if err != nil {
			return steps, errors.Join(errReport, err)
		}
		steps = append(steps, *s)
	}
}

// readHead reads the line before an archive. Zeros fill the end of the one before.
func readHead(in *bufio.Reader) (*step, error) {
	for {
		b, err := in.ReadByte()
		if err != nil {
			return nil, err
		}
		if b != 0 {
			_ = in.UnreadByte()
			break
		}
	}
	line, err := in.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	name, code, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	s := &step{name: name, files: tree{}}
	if s.code, err = strconv.Atoi(code); err != nil || len(name) > 10 {
		return nil, fmt.Errorf("a line %.50q", line)
	}
	return s, nil
}

// read reads an archive of the folders.
func (s *step) read(ctx context.Context, t *tar.Reader, room int64, file keeper) error {
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		folder, name, _ := strings.Cut(path.Clean(h.Name), "/")
		if err := fits(h, folder, room); err != nil {
			return err
		}
		content := &reading{ctx, t, h.Size}
		switch {
		case name == "" || !filepath.IsLocal(name) || h.Typeflag == tar.TypeDir:
		case folder == workFolder:
			if err := s.note(h, name, content, file); err != nil {
				return err
			}
		case folder == resultFolder && h.Typeflag == tar.TypeReg && name == s.name+".yaml":
			if s.yaml, err = io.ReadAll(io.LimitReader(content, mostYAML)); err != nil {
				return err
			}
		}
	}
}

// fits refuses what cannot have been in a folder. A few bytes can claim a sparse file of
// any size, whose holes would be read here as zeros: the driver packs files as they are,
// so it is the student's program that writes one.
func fits(h *tar.Header, folder string, room int64) error {
	if h.Typeflag == tar.TypeGNUSparse {
		return errSparse
	}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return errSparse
		}
	}
	if folder == resultFolder {
		room = mostResult
	}
	if h.Size > room {
		return fmt.Errorf("a file of %d bytes where %d have room", h.Size, room)
	}
	return nil
}

// note notes what a file of the work folder is.
func (s *step) note(h *tar.Header, name string, t io.Reader, file keeper) error {
	if s.names += len(name) + len(h.Linkname); len(s.files) == mostFiles || s.names > mostNames {
		return fmt.Errorf("more than %d files, or names of more than %d bytes", mostFiles, mostNames)
	}
	if h.Typeflag != tar.TypeReg {
		s.files[name] = "a link or device " + h.Linkname
		return nil
	}
	sum := sha256.New()
	if err := file(h, name, io.TeeReader(t, sum)); err != nil {
		return err
	}
	if _, err := io.Copy(sum, t); err != nil {
		return err
	}
	s.files[name] = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// pass writes the plain files of the work folder after the last whole step to p.
func pass(ctx context.Context, report io.ReadSeeker, room int64, steps int, p *packer, folder string) error {
	return lastStep(ctx, report, room, steps, func(h *tar.Header, name string, r io.Reader) error {
		return p.one(folder, entry{name: name, size: h.Size, copy: func(w io.Writer) error {
			_, err := io.Copy(w, r)
			return err
		}})
	})
}

// lastStep reads a report again and gives the files of its last whole step.
func lastStep(ctx context.Context, report io.ReadSeeker, room int64, steps int, file keeper) error {
	if _, err := report.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReader(&reading{ctx, report, mostReport(room)})
	for i := range steps {
		s, err := readHead(in)
		if err != nil {
			return err
		}
		take := keeper(nothing)
		if i == steps-1 {
			take = file
		}
		if err := s.read(ctx, tar.NewReader(in), room, take); err != nil {
			return err
		}
	}
	return nil
}

const mostChanges = 1000

// changes lists what became of the files of a folder: added, changed, deleted.
func (before tree) changes(after tree) string {
	var lines []string
	for name, sum := range after {
		if was, there := before[name]; !there {
			lines = append(lines, "A "+name)
		} else if was != sum {
			lines = append(lines, "C "+name)
		}
	}
	for name := range before {
		if _, there := after[name]; !there {
			lines = append(lines, "D "+name)
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[2:], b[2:]) })
	if n := len(lines); n > mostChanges {
		lines = append(lines[:mostChanges], fmt.Sprintf("and %d more", n-mostChanges))
	}
	return strings.ToValidUTF8(strings.Join(lines, "\n"), "\uFFFD")
}
