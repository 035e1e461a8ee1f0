package demo

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
)

// Programs as students write them, in several languages of both kinds.
var programs = []struct{ name, text string }{
	{"Program.cs", "using System;\n\n// Χαιρετισμός: πες γεια στον κόσμο.\nclass Program\n{\n    static void " +
		"Main()\n    {\n        Console.Write(\"Name: \");\n        string name = Console.ReadLine();\n        for " +
		"(int i = 0; i < 3; i++)\n        {\n            Console.WriteLine($\"Hello, {name}! ✓\");\n        }\n    " +
		"}\n}\n"},
	{"loops.py", "# Сумма чисел от 1 до n, двумя способами.\ndef total(n: int) -> int:\n    \"\"\"Add the numbers " +
		"from 1 to n.\"\"\"\n    result = 0\n    for i in range(1, n + 1):\n        result += i\n    return " +
		"result\n\n\nassert total(100) == 100 * 101 // 2\nprint(\"∑ =\", total(100))\n"},
	{"Inventar.java", "/** Ein Inventar mit höchstens zehn Gegenständen. */\npublic class Inventar {\n    private " +
		"final java.util.List<String> gegenstände = new java.util.ArrayList<>();\n\n    public boolean füge(String " +
		"g) {\n        if (gegenstände.size() == 10) return false;\n        return gegenstände.add(g);\n    }\n}\n"},
	{"notes.md", "# What I learnt\n\n1. A loop **repeats**.\n2. A condition *chooses*.\n\n| n | n² |\n|---|----|\n| " +
		"2 | 4 |\n| 3 | 9 |\n\n```c\nfor (int i = 0; i < n; i++) sum += i;\n```\n"},
}

// handIn plans the handing in of a task, with files where it asks for them.
func (b *builder) handIn(u *unit, student string, d definition, when time.Time, luck int) {
	if d.upload == noUpload {
		b.move(u, student, student, d, when, string(status.ReadyForFeedback), nil)
		return
	}
	b.handInAs(u, student, d, when, luck, "")
}

// handInAs plans the handing in of files with what the student wants, such as help.
func (b *builder) handInAs(u *unit, student string, d definition, when time.Time, luck int, want status.Status) {
	b.plan(when, func(q db.Q) error {
		_, err := b.submit(q, u, student, d, luck, want)
		return b.story(err, u, student, d, student)
	})
}

// submit hands files in and gives the id of the submission.
func (b *builder) submit(q db.Q, u *unit, student string, d definition, luck int, want status.Status) (int64, error) {
	list, err := b.filesFor(d, luck)
	if err != nil {
		return 0, err
	}
	p := b.place(u, student, d)
	r, err := b.desk.HandIn(b.ctx, q, b.signer, submit.Request{By: work.Mover{UserID: b.id[student],
		As: status.Student}, ProjectID: p.ProjectID, DefinitionID: p.DefinitionID, Trigger: string(want), Files: list})
	if err != nil {
		return 0, err
	}
	return r.SubmissionID, nil
}

// filesFor puts what a definition asks for into the store.
func (b *builder) filesFor(d definition, luck int) ([]submit.File, error) {
	wanted, err := taskdef.ParseRequirements(d.upload)
	if err != nil {
		return nil, err
	}
	list := make([]submit.File, len(wanted))
	for i, r := range wanted {
		name, content := sample(r.Type, luck)
		info, err := b.put(content)
		if err != nil {
			return nil, err
		}
		list[i] = submit.File{Position: i, Key: r.Key, Title: r.Name, Kind: r.Type, Name: name, Hash: info.Hash,
			Size: info.Size, Checked: r.Checked()}
	}
	return list, nil
}

// put keeps a file; the same one is written once, since waiting for the disk would be
// most of the start.
func (b *builder) put(content []byte) (info files.Info, err error) {
	sum := sha256.Sum256(content)
	info, known := b.kept[sum]
	if !known {
		info, err = b.desk.Files.Put(b.ctx, bytes.NewReader(content))
		b.kept[sum] = info
	}
	return info, err
}

// sample gives a file of a kind.
func sample(kind taskdef.UploadKind, luck int) (string, []byte) {
	switch kind {
	case taskdef.Image:
		return "screenshot.png", screenshot(luck % 4)
	case taskdef.Document:
		return "report.pdf", report(luck % 10)
	}
	p := programs[luck%len(programs)]
	return p.name, []byte(p.text)
}

// screenshot draws a window with some bars in it.
func screenshot(luck int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 480, 270))
	for y := range 270 {
		for x := range 480 {
			c := color.RGBA{250, 250, 252, 255}
			switch bar := x / 48; {
			case y < 24:
				c = color.RGBA{60, 70, 90, 255}
			case x%48 > 8 && 270-y < 20+(bar*37+luck*23)%200:
				c = color.RGBA{0, 114, 178, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err) // into memory it cannot fail
	}
	return b.Bytes()
}

// report writes the smallest PDF with a page of text: its objects and the table
// of where they begin.
func report(luck int) []byte {
	text := fmt.Sprintf("BT /F1 20 Tf 72 760 Td (Report %d) Tj 0 -40 Td /F1 12 Tf (We measured, compared, and found "+
		"that it depends.) Tj ET", luck+1)
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> " +
			">>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(text), text), "<< /Type /Font /Subtype /Type1 " +
			"/BaseFont /Helvetica >>"}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var table bytes.Buffer
	for i, o := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n",
		len(objects)+1, table.String(), len(objects)+1, start)
	return b.Bytes()
}
