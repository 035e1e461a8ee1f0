package taskdef

import (
	"bytes"
	"image"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"lectern/internal/ground/fault"
)

func realBMP() string {
	var b bytes.Buffer
	_ = bmp.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2)))
	return b.String()
}

func TestUploadKindsAreKnownByContent(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00"
	pdf := "%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer<<>>\n%%EOF\n"
	long := strings.Repeat("x = 1 # plain\n", 10_000)
	for _, c := range []struct {
		name, kind, content string
		ok                  bool
	}{
		{"PDF", "document", pdf, true},
		{"PDF with much after its end", "document", pdf + strings.Repeat(" ", 5000), false},
		{"cut PDF", "document", pdf[:30], false},
		{"text as PDF", "document", "%%EOF", false},
		{"PNG", "image", png, true},
		{"GIF", "image", "GIF89a\x01\x00\x01\x00\x00\x00\x00;", true},
		{"JPEG", "image", "\xff\xd8\xff\xe0\x00\x10JFIF\x00", true},
		{"BMP", "image", realBMP(), true},
		{"TIFF", "image", "II*\x00\x08\x00\x00\x00", true},
		{"SVG", "image", `<svg xmlns="http://www.w3.org/2000/svg"></svg>`, false},
		{"PDF as image", "image", pdf, false},
		{"code", "code", "int main() {}\n", true},
		{"JSON", "code", `{"cells":[]}`, true},
		{"XML", "code", `<?xml version="1.0"?><a/>`, true},
		{"HTML", "code", `<!DOCTYPE html><p>`, true},
		{"shell", "code", "#!/bin/sh\nrm -rf /\n", true},
		{"Latin-1", "code", "// Gr\xfc\xdfe\n", true},
		{"colours of a terminal", "code", "\x1b[31mred\x1b[0m\n", true},
		{"UTF-16", "code", "\xff\xfeh\x00i\x00\n\x00", true},
		{"UTF-16, the other way", "code", "\xfe\xff\x00h\x00i\x00\n", true},
		{"UTF-16 with a zero", "code", "\xff\xfeh\x00\x00\x00", false},
		{"UTF-16 cut", "code", "\xff\xfeh\x00i", false},
		{"UTF-16 without a mark", "code", "h\x00i\x00", false},
		{"UTF-16 of another script", "code", "\xff\xfe\x00\x04\x01\x04", true},
		{"program", "code", "\x7fELF\x02\x01\x01\x00\x00", false},
		{"zip", "code", "PK\x03\x04\x14\x00\x00\x00", false},
		{"PDF as code", "code", pdf, false},
		{"PNG as code", "code", png, false},
		{"long text", "code", long, true},
		{"a zero far inside", "code", long + "\x00", false},
		{"controls far inside", "code", long + strings.Repeat("\x01\x02\x03", 3000), false},
		{"empty", "code", "", false},
	} {
		err := UploadKind(c.kind).Check(bytes.NewReader([]byte(c.content)), int64(len(c.content)))
		if (err == nil) != c.ok || err != nil && !fault.Is(err, fault.Unsupported) {
			t.Errorf("%s as %s: %v", c.name, c.kind, err)
		}
	}
}

func FuzzUploadKind(f *testing.F) {
	f.Add("code", []byte("\xff\xfeh\x00"))
	f.Add("document", []byte("%PDF-1.4 %%EOF"))
	f.Add("image", []byte("GIF89a"))
	f.Fuzz(func(t *testing.T, kind string, b []byte) {
		if UploadKind(kind).row() == nil {
			return
		}
		if err := UploadKind(kind).Check(bytes.NewReader(b), int64(len(b))); err != nil &&
			!fault.Is(err, fault.Unsupported) {
			t.Errorf("%v", err)
		}
	})
}

func TestUnknownUploadKind(t *testing.T) {
	for _, word := range []string{"", "Document", "video", "notebook "} {
		if k, ok := ParseUploadKind(word); ok {
			t.Errorf("%q is %s", word, k)
		}
		if err := UploadKind(word).Check(strings.NewReader("x"), 1); err == nil {
			t.Errorf("a file was taken as %q", word)
		}
	}
	if k, ok := ParseUploadKind("notebook"); k != Code || !ok {
		t.Errorf("a notebook is %q", k)
	}
}
