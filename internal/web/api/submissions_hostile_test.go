package api

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// hugePNG claims side by side pixels in a few bytes.
func hugePNG(side uint32) string {
	var b bytes.Buffer
	b.WriteString("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		binary.Write(&b, binary.BigEndian, uint32(len(data)))
		body := append([]byte(kind), data...)
		b.Write(body)
		binary.Write(&b, binary.BigEndian, crc32.ChecksumIEEE(body))
	}
	head := binary.BigEndian.AppendUint32(nil, side)
	chunk("IHDR", append(binary.BigEndian.AppendUint32(head, side), 8, 0, 0, 0, 0))
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(make([]byte, 1<<20))
	w.Close()
	chunk("IDAT", z.Bytes())
	chunk("IEND", nil)
	return b.String()
}

// bombPDF has a stream that unpacks to much more than it says.
func bombPDF() string {
	var z bytes.Buffer
	w, _ := zlib.NewWriterLevel(&z, 9)
	zeros := make([]byte, 1<<20)
	for range 100 {
		w.Write(zeros)
	}
	w.Close()
	return fmt.Sprintf("%%PDF-1.5\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 "+
		"R]/Count 1>>\nendobj\n"+
		"3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>\nendobj\n4 0 obj\n<</Length "+
		"%d/Filter/FlateDecode>>\nstream\n%s\nendstream\nendobj\n"+
		"trailer\n<</Root 1 0 R/Size 5>>\n%%%%EOF\n", z.Len(), z.String())
}

func zipBomb() string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, _ := z.Create("zeros")
	zeros := make([]byte, 1<<20)
	for range 50 {
		w.Write(zeros)
	}
	z.Close()
	return b.String()
}

// tinyZip holds a file nobody asked for.
func tinyZip() string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, _ := z.Create("payload.sh")
	w.Write([]byte("#!/bin/sh\n"))
	z.Close()
	return b.String()
}

// TestHostileFiles sends what people send by mistake and on purpose. Each is
// refused in words, or taken; what is taken comes back byte for byte and becomes
// a document, whatever is inside.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite")
	cut := samplePDF()[:len(samplePDF())/2] + "\n%%EOF"
	var locked bytes.Buffer
	if err := api.Encrypt(strings.NewReader(samplePDF()), &locked, model.NewAESConfiguration("secret", "secret",
		256)); err != nil {
		t.Fatal(err)
	}
	cyclic := "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[2 0 R]/Count " +
		"1>>\nendobj\ntrailer<</Root 1 0 R/Size 3>>\n%%EOF\n"
	for _, c := range []struct {
		what, kind, name, content string
		status                    int
		remark                    bool // the document says what it does not show
	}{
		{"a zip bomb as code", "code", "a.py", zipBomb(), 415, false},
		{"a zip bomb as document", "document", "a.pdf", zipBomb(), 415, false},
		{"a program as code", "code", "a.py", "\x7fELF\x02\x01\x01" + strings.Repeat("\x00\x01\xfe", 100), 415, false},
		{"UTF-16", "code", "a.cs", "\xff\xfec\x00l\x00a\x00s\x00s\x00\n\x00", 201, false},
		{"one line of 5 MB", "code", "a.js", "x=" + strings.Repeat("1+", 5<<19) + "1", 201, false},
		{"a name from right to left", "code", "ab\u202egpj.py", "print(1)\n", 201, false},
		{"a name that climbs", "code", "../../../etc/passwd", "root\n", 201, false},
		{"a name with quotes and breaks", "code", "a\"b;\r\nX: y.py", "print(1)\n", 201, false},
		{"a page of HTML", "code", "a.html", "<script>alert(1)</script>\n", 201, false},
		{"a GIF that is JavaScript", "image", "a.gif", "GIF89a/*\x00\x00\x00\x00\x00*/=1;alert(1)", 201, true},
		{"a PDF that is a zip", "document", "a.pdf", samplePDF() + tinyZip(), 201, false},
		{"an image of 20,000 by 20,000", "image", "a.png", hugePNG(20_000), 201, true},
		{"an image cut short", "image", "a.png", smallPNG[:len(smallPNG)-30], 201, true},
		{"an encrypted PDF", "document", "a.pdf", locked.String(), 201, true},
		{"a PDF cut in the middle", "document", "a.pdf", cut, 201, true},
		{"a cyclic PDF", "document", "a.pdf", cyclic, 201, true},
		{"a PDF without an end", "document", "a.pdf", samplePDF()[:len(samplePDF())/2], 415, false},
		{"a bomb of a PDF", "document", "a.pdf", bombPDF(), 201, true},
		{"not quite a notebook", "code", "a.ipynb", `{"cells":[{"cell_type":"code","source":[[[]]]}]}`, 201, false},
	} {
		w.asks(c.kind)
		before := w.count("submissions")
		a := w.do("student", "POST "+submission, upload{nil, []part{{"file0", c.name, c.content}}}).status(c.status)
		if c.status != 201 {
			a.says("file0")
			if w.count("submissions") != before {
				t.Errorf("%s was refused and kept", c.what)
			}
			continue
		}
		for name, got := range unzip(t, w.do("student", "GET "+ownTask+"/submission_files",
			nil).status(200).Body.Bytes()) {
			if got != c.content {
				t.Errorf("%s came back changed", c.what)
			}
			if strings.Contains(name, "..") || strings.ContainsRune(name, '\u202e') || strings.Count(name, "/") != 1 {
				t.Errorf("%s is packed as %q", c.what, name)
			}
		}
		w.made()
		d := w.do("student", "GET "+ownTask+"/submission_details", nil).status(200).object()
		if d["state"] != "ready" || (d["reason"] != nil) != c.remark {
			t.Errorf("%s: %v, %v", c.what, d["state"], d["reason"])
		}
		checkPDF(t, c.what, w.do("student", "GET "+submission, nil).status(200).Body.Bytes())
	}
}

// checkPDF asks the usual programs, where they are installed, what they think.
func checkPDF(t *testing.T, what string, data []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.pdf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"qpdf", "--check", path}, {"pdftotext", path, "-"}} {
		if _, err := exec.LookPath(command[0]); err != nil {
			continue
		}
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%s: %s: %v %.300s", what, command[0], err, out)
		}
	}
}
