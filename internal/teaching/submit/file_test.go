package submit

import (
	"strings"
	"testing"

	"lectern/internal/teaching/taskdef"
)

func TestStoredName(t *testing.T) {
	for _, c := range []struct {
		kind       taskdef.UploadKind
		name, want string
	}{
		{"code", "Hello.PY", "002-code.py"}, {"code", "Makefile", "002-code"}, {"code", "a.b c", "002-code"},
		{"code", "x.\u202egnp", "002-code"}, {"code", "..", "002-code"}, {"code", "a.tar.gz/../x", "002-code"},
		{"document", "report.exe", "002-document.pdf"}, {"image", "shot.exe", "002-image"},
		{"image", "shot.JPeG", "002-image.jpeg"},
	} {
		if got := (File{Position: 2, Kind: c.kind, Name: c.name}).StoredName(); got != c.want {
			t.Errorf("%s %q is stored as %s, want %s", c.kind, c.name, got, c.want)
		}
	}
}

func TestMatch(t *testing.T) {
	wanted := taskdef.Requirements{{Key: "file0", Name: "Code", Type: "code"}, {Key: "essay", Name: "Essay",
		Type: "document"}}
	if err := Match(wanted, []string{"essay", "file0"}); err != nil {
		t.Error(err)
	}
	err := Match(wanted, []string{"file1"})
	for _, want := range []string{"file0 is required: Code (code)", "essay is required", "file1 is not asked for"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if Match(nil, nil) != nil {
		t.Error("nothing asked, nothing sent, and refused")
	}
}

func FuzzVerify(f *testing.F) {
	_, keys := newSigner(f)
	f.Add([]byte(`{"body":{"type":"lectern-receipt-1"},"key_id":"x","signature":"AA=="}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := Verify(b, keys); err == nil {
			t.Errorf("%q passed", b)
		}
	})
}
