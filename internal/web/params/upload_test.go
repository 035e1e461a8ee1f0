package params_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/web/params"
)

// piece is one part of a multipart body, a file where name is set.
type piece struct{ field, file, text string }

const noName = "<none>" // a file input in which nothing was chosen

func upload(t testing.TB, pieces ...piece) *http.Request {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range pieces {
		h := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + p.field + `"`}}
		if p.file != "" {
			h["Content-Disposition"][0] += filename(p.file)
			h["Content-Type"] = []string{"application/pdf; x=y"}
		}
		part, err := w.CreatePart(h)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(part, p.text)
	}
	w.Close()
	r := httptest.NewRequest("POST", "/x", &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return r
}

func filename(name string) string {
	if strings.HasPrefix(name, "UTF-8''") {
		return "; filename*=" + name
	}
	return `; filename="` + strings.TrimSuffix(name, noName) + `"`
}

var small = params.Limits{File: bounds.MB, Files: 3}

type filesInput struct {
	Name  string                    `param:"name"`
	Sheet *params.Upload            `param:"file"`
	More  []*params.Upload          `param:"more"`
	All   map[string]*params.Upload `param:"*files"`
}

func TestUploads(t *testing.T) {
	spool := filepath.Join(t.TempDir(), "made", "on", "demand")
	r := upload(t, piece{"name", "", "n"}, piece{"file", "../../a b.pdf", "one"}, piece{"more[]", `C:\x\b.txt`, "two"},
		piece{"more[]", "c", ""})
	s, err := params.Read(nil, r, small, spool, nil)
	if err != nil {
		t.Fatal(err)
	}
	type input struct {
		Name  string           `param:"name"`
		Sheet *params.Upload   `param:"file,required"`
		More  []*params.Upload `param:"more"`
	}
	var in input
	if err := s.Decode(&in, nil); err != nil {
		t.Fatal(err)
	}
	if in.Sheet.Name != "a b.pdf" || in.Sheet.Type != "application/pdf" || in.Sheet.Size != 3 ||
		in.Sheet.Field != "file" ||
		len(in.More) != 2 || in.More[0].Name != "b.txt" || in.More[1].Size != 0 {
		t.Errorf("got %+v %+v", in, in.Sheet)
	}
	f, err := in.Sheet.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, err := io.ReadAll(f); err != nil || string(b) != "one" {
		t.Errorf("holds %q, %v", b, err)
	}
	info, err := f.Stat()
	if err != nil || info.Mode().Perm() != 0o600 || filepath.Dir(f.Name()) != spool || strings.Contains(f.Name(),
		"pdf") {
		t.Errorf("spooled as %s, %v", f.Name(), info.Mode())
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	mustBeEmpty(t, spool)
	if _, err := in.Sheet.Open(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("open after Close: %v", err)
	}
}

func TestAllFilesByName(t *testing.T) {
	s, err := params.Read(nil, upload(t, piece{"file0", "a", "1"}, piece{"file1", "b", "2"},
		piece{"file2", noName, ""}), small, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var in filesInput
	if err := s.Decode(&in, nil); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(in.All)); !slices.Equal(got, []string{"file0", "file1"}) {
		t.Errorf("got %v", got)
	}
}

func TestFilesWhereTheyDoNotBelong(t *testing.T) {
	tests := map[string]struct {
		r    *http.Request
		want map[string]string
	}{
		"file for text": {upload(t, piece{"name", "a", "1"}),
			map[string]string{"name": "must be a value, not a file"}},
		"text for file": {upload(t, piece{"file", "", "1"}), map[string]string{"file": "must be a file"}},
		"number for file": {request("", "application/json", `{"file":1,"more":["a"]}`),
			map[string]string{"file": "must be a file", "more": "must be one or more files"}},
		"two for one": {upload(t, piece{"file", "a", "1"}, piece{"file", "b", "1"}),
			map[string]string{"file": "must be a single file"}},
		"text among files": {upload(t, piece{"more[]", "a", "1"}, piece{"more[]", "", "1"}),
			map[string]string{"more": "must be one or more files"}},
	}
	for name, c := range tests {
		spool := t.TempDir()
		s, err := params.Read(nil, c.r, small, spool, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wantFields(t, s.Decode(new(filesInput), nil), c.want)
		s.Close()
		mustBeEmpty(t, spool)
	}
}

func TestNothingChosenIsNull(t *testing.T) {
	spool := t.TempDir()
	s, err := params.Read(nil, upload(t, piece{"file", noName, ""}, piece{"more[]", noName, ""}), small, spool, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustBeEmpty(t, spool)
	var in filesInput
	if err := s.Decode(&in, nil); err != nil || in.Sheet != nil || len(in.More) != 0 {
		t.Errorf("got %+v, %v", in, err)
	}
	var must struct {
		File *params.Upload `param:"file,required"`
	}
	wantFields(t, s.Decode(&must, nil), map[string]string{"file": "is required"})
}

func TestRefusedUploadsLeaveNothing(t *testing.T) {
	whole := upload(t, piece{"file", "a", strings.Repeat("x", 100)}, piece{"more", "b", strings.Repeat("y", 5000)})
	body, err := io.ReadAll(whole.Body)
	if err != nil {
		t.Fatal(err)
	}
	cut := func(in io.Reader) *http.Request {
		r := httptest.NewRequest("POST", "/x", in)
		r.Header = whole.Header
		return r
	}
	large := piece{"file", "a", strings.Repeat("x", bounds.MB+1)}
	tiny := piece{"more[]", "a", "x"}
	tests := map[string]struct {
		r    *http.Request
		lim  params.Limits
		want fault.Kind
		text string
	}{
		"too large": {upload(t, tiny, large), small, fault.TooLarge, "file is larger than 1 MB"},
		"too many":  {upload(t, tiny, tiny, tiny, tiny), small, fault.TooLarge, "more than 3 files"},
		"too much in all": {upload(t, tiny, large), params.Limits{File: 2 * bounds.MB, Total: bounds.MB}, fault.TooLarge,
			"the body is larger than 1 MB"},
		"too much, unforeseen": {chunked(upload(t, tiny, large)), params.Limits{File: 2 * bounds.MB, Total: bounds.MB},
			fault.TooLarge, "the body is larger than 1 MB"},
		"no files taken": {upload(t, tiny), params.Limits{}, fault.Invalid, "must not be a file"},
		"cut off":        {cut(bytes.NewReader(body[:len(body)-3000])), small, fault.Invalid, "ends in the middle"},
		"connection lost": {cut(io.MultiReader(bytes.NewReader(body[:3000]), broken{})), small, fault.Invalid,
			"ends in the middle"},
		"clash":      {upload(t, tiny, piece{"more", "", "x"}), small, fault.Invalid, "contradict"},
		"wrong name": {upload(t, tiny, piece{"more[", "f", "x"}), small, fault.Invalid, "valid parameter name"},
	}
	for name, c := range tests {
		spool := t.TempDir()
		_, err := params.Read(httptest.NewRecorder(), c.r, c.lim, spool, nil)
		if !fault.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v", name, err)
		}
		mustBeEmpty(t, spool)
	}
}

func chunked(r *http.Request) *http.Request {
	r.ContentLength = -1
	return r
}

// broken is a connection that was reset.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("connection reset by peer") }

func TestSpoolThatCannotBeWrittenIsNotTheSendersFault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := params.Read(nil, upload(t, piece{"file", "a", "1"}), small, filepath.Join(file, "spool"), nil)
	mustBeFault(t, err)
	if !fault.Is(err, fault.Internal) {
		t.Errorf("got %v", err)
	}
}

func TestBeforeFiles(t *testing.T) {
	type input struct {
		Name  string         `param:"name,required"`
		Later string         `param:"later,required"`
		ID    int            `param:"id"`
		File  *params.Upload `param:"file,required"`
	}
	r := func() *http.Request {
		r := upload(t, piece{"name", "", "n"}, piece{"file", "a", "1"}, piece{"more[]", "b", "2"},
			piece{"later", "", "l"})
		r.URL.RawQuery = "id=4&name=query"
		return r
	}
	spool, calls := t.TempDir(), 0
	s, err := params.Read(nil, r(), small, spool, func(s *params.Set) error {
		calls++
		mustBeEmpty(t, spool)
		var in input
		if err := s.Decode(&in, nil); err != nil || in.Name != "n" || in.ID != 4 || in.File != nil || s.Has("later") {
			t.Errorf("sees %+v, %v", in, err)
		}
		return nil
	})
	if err != nil || calls != 1 {
		t.Fatalf("called %d times, %v", calls, err)
	}
	defer s.Close()
	var in input
	if err := s.Decode(&in, nil); err != nil || in.Later != "l" || in.File == nil {
		t.Errorf("got %+v, %v", in, err)
	}
	denied := fault.New(fault.Denied, "no")
	if _, err := params.Read(nil, r(), small, spool, func(*params.Set) error { return denied }); !errors.Is(err,
		denied) {
		t.Errorf("got %v", err)
	}
	if _, err := params.Read(nil, request("a=1", "", ""), small, spool,
		func(*params.Set) error { return denied }); err != nil {
		t.Errorf("called although no file came: %v", err)
	}
}

func TestNothingOfAFileIsReadBeforeItIsAllowed(t *testing.T) {
	r := upload(t, piece{"name", "", "n"}, piece{"file", "a", strings.Repeat("x", bounds.MB)})
	counted := &counter{Reader: r.Body}
	r.Body = io.NopCloser(counted)
	denied := fault.New(fault.Denied, "no")
	if _, err := params.Read(nil, r, small, t.TempDir(), func(*params.Set) error { return denied }); !errors.Is(err,
		denied) {
		t.Fatal(err)
	}
	if counted.n > 16<<10 {
		t.Errorf("%d bytes were read ahead of the refusal", counted.n)
	}
}

type counter struct {
	io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

func TestPanicInBeforeFilesLeavesNothing(t *testing.T) {
	spool := t.TempDir()
	defer mustBeEmpty(t, spool)
	defer func() { recover() }()
	params.Read(nil, upload(t, piece{"file", "a", "1"}), small, spool, func(*params.Set) error { panic("x") })
}

func TestNamesAreNeverPaths(t *testing.T) {
	long := strings.Repeat("é", 300)
	for name, want := range map[string]string{
		"a.pdf": "a.pdf", "../../etc/passwd": "passwd", `..\..\x.exe`: "x.exe", "..": "file", "a/": "file", ".": "file",
		"   ":          "file",
		"Größe 日本.pdf": "Größe 日本.pdf", "a\u202efdp.exe": "afdp.exe", "UTF-8''..%2f%00a%01%7f%0d%0a.b": "a.b",
		"a<b>:c|d?e*.f": "a_b__c_d_e_.f", "\xff.pdf": "_.pdf",
		".htaccess": ".htaccess", long + ".pdf": strings.Repeat("é", 98) + ".pdf", long: strings.Repeat("é", 100),
	} {
		s, err := params.Read(nil, upload(t, piece{"file", strings.ReplaceAll(name, `\`, `\\`), "1"}), small,
			t.TempDir(), nil)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		var in filesInput
		if err := s.Decode(&in, nil); err != nil || in.Sheet.Name != want {
			t.Errorf("%q: got %q, want %q", name, in.Sheet.Name, want)
		}
		s.Close()
	}
}
