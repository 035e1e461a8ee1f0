package zipfile

import (
	"archive/zip"
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestPackTellsEqualNamesApart(t *testing.T) {
	var b bytes.Buffer
	p := NewPack(&b)
	at := time.Date(2026, 3, 2, 4, 5, 6, 0, time.UTC)
	for _, name := range []string{"a.pdf", "A.PDF", "a-2.pdf", "a.pdf", "b"} {
		w, err := p.Add("x", name, at, name == "b")
		if err == nil {
			_, err = io.WriteString(w, name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	if want := []string{"x/a.pdf", "x/A-2.PDF", "x/a-2-2.pdf", "x/a-3.pdf", "x/b"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"fred": "fred", "../../etc/passwd": "_.._etc_passwd", "..": "_", "": "_",
		"Zoë Ångström (LA1).pdf": "Zoë_Ångström_(LA1).pdf",
		"a\x00b\u202egpj.exe":    "a_b_gpj.exe", `C:\x`: "C__x", "\xff": "_", ".hidden.": "hidden",
	} {
		if got := FileName(text); got != want {
			t.Errorf("FileName(%q) = %q, want %q", text, got, want)
		}
	}
	if got := Folder("1.1P a/b"); got != "1_1P_a_b" {
		t.Errorf("Folder gives %q", got)
	}
}

// Whatever a name is made of, it stays where it is unpacked and is not too long.
func TestNamesAreSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[./\\ a:]{0,300}`)).Draw(t, "text")
		for _, got := range []string{Folder(text), FileName(text)} {
			if got == "" || !local(got) || strings.ContainsAny(got, `/\:`) || utf8.RuneCountInString(got) > longest ||
				!utf8.ValidString(got) {
				t.Fatalf("%q becomes %q", text, got)
			}
		}
	})
}
