package api

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"lectern/internal/ground/bounds"
	"lectern/internal/platform/db"
)

// endless gives a multipart body whose last part, a file, never ends: whoever
// answers has not waited for the file.
func endless(w *world, as, request string, parts ...string) *answered {
	w.Helper()
	in, out := io.Pipe()
	w.Cleanup(func() { in.Close() })
	go func() {
		for _, p := range parts {
			_, _ = io.WriteString(out, "--x\r\nContent-Disposition: form-data; "+p)
		}
		for {
			if _, err := io.WriteString(out, strings.Repeat("x", 4096)); err != nil {
				return
			}
		}
	}()
	r := w.request(as, request, nil)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	r.Body, r.ContentLength = in, -1
	return w.send(r, as+" "+request)
}

func TestWhatNobodyAskedForIsRefusedBeforeItIsStored(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.exec(`UPDATE task_definitions SET upload_requirements = $1`, `[{"key":"file0","name":"Code","type":"code"}]`)
		const again = "name=\"file0\"; filename=\"b.py\"\r\n\r\n"
		const first = again + "print(1)\r\n"
		endless(w, "student", "POST "+submission, "name=\"file1\"; filename=\"a\"\r\n\r\n").status(400).
			says("file1 is not asked for by this task")
		endless(w, "student", "POST "+submission, first, again).status(400).says("file0 must be a single file")
		endless(w, "admin", "POST /api/csv/users", "name=\"sheet\"; filename=\"a\"\r\n\r\n").status(400).
			says("sheet is not a file that is asked for here")
		endless(w, "student", "POST /api/csv/users", "name=\"file\"; filename=\"a\"\r\n\r\n").status(403)
	})
}

// aPart is the beginning of a part of a multipart body, which inPieces ends.
func aPart(name, value string) string {
	return "--x\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
}

// theFile is a part that holds a file.
func theFile(content string) string {
	return "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n" + content + "\r\n"
}

// inPieces sends a multipart body of these parts in their order, and looks around
// between them: each func runs once the server has read what comes before it.
func inPieces(w *world, as, request string, pieces ...any) *answered {
	w.Helper()
	in, out := io.Pipe()
	w.Cleanup(func() { in.Close() })
	go func() {
		defer out.Close()
		for _, p := range append(pieces, "--x--\r\n") {
			switch p := p.(type) {
			case string:
				if _, err := io.WriteString(out, p); err != nil {
					return
				}
			case func():
				p()
			}
		}
	}()
	r := w.request(as, request, nil)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	r.Body, r.ContentLength = in, -1
	return w.send(r, as+" "+request)
}

// spooled gives how many bytes uploads on their way hold of the disk.
func (w *world) spooled() (sum int64) {
	entries, _ := os.ReadDir(w.api.Spool) // there is none before the first upload
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

func TestWhatDecidesARightMayComeAfterTheFile(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const assess = "POST /api/submission/assess"
		unitA := aPart("unit_id", w.path("{unitA}"))
		inPieces(w, "convenor", assess, theFile(noMarks), unitA).status(201)
		inPieces(w, "tutor", assess, theFile(noMarks), aPart("dry_run", "true"), unitA).status(201)
		for _, who := range []string{"outsider", "student", "tutorB", "convenorB"} {
			inPieces(w, who, assess, theFile(noMarks), unitA).status(403)
		}
		inPieces(w, "convenor", assess, theFile(noMarks), aPart("unit_id", "999999")).status(404)
		inPieces(w, "convenor", assess, theFile(noMarks)).status(400).says("unit_id is required")
		inPieces(w, "", assess, theFile(noMarks), unitA).status(401)
		const tasks = "Name,Abbreviation,Description,Weighting,Target Grade\r\n"
		inPieces(w, "tutor", "POST /api/csv/task_definitions", theFile(tasks), unitA).status(403)
		inPieces(w, "convenor", "POST /api/csv/task_definitions", theFile(tasks), unitA).status(400).
			says("Missing headings")
		const aligned = "POST /api/units/{unitA}/learning_alignments/csv"
		own := aPart("project_id", w.path("{project:student}"))
		const alignments = "unit_code,learning_outcome,task_abbr,rating,description\r\nSIT10A,ILO1,1.1P,3,So it is\r\n"
		inPieces(w, "student", aligned, theFile(alignments), own).status(201)
		inPieces(w, "mate", aligned, theFile(alignments), own).status(403)
		if n := w.spooled(); n != 0 {
			t.Errorf("%d bytes are left in the spool", n)
		}
	})
}

func TestUntilTheirRightIsKnownStrangersSpoolOneMegabyte(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		unitA := aPart("unit_id", w.path("{unitA}"))
		large := theFile(strings.Repeat("x", 3*bounds.MB))
		for who, most := range map[string]int64{"outsider": bounds.MB, "student": bounds.MB, "tutorB": 4 * bounds.MB} {
			var held int64
			inPieces(w, who, "POST /api/submission/assess", large, func() { held = w.spooled() }, unitA).status(403)
			if held > most || most > bounds.MB && held < 2*bounds.MB {
				t.Errorf("%s held %d bytes of the disk, not at most %d", who, held, most)
			}
		}
		own := aPart("project_id", w.path("{project:student}"))
		const aligned = "POST /api/units/{unitA}/learning_alignments/csv"
		inPieces(w, "student", aligned, large, own).status(413).says("larger than 1 MB must come after project_id")
		endless(w, "outsider", "POST /api/csv/task_definitions", "name=\"file\"; filename=\"a\"\r\n\r\n").status(413)
		endless(w, "outsider", "POST /api/submission/assess", "name=\"unit_id\"\r\n\r\n"+w.path("{unitA}")+"\r\n",
			"name=\"file\"; filename=\"a\"\r\n\r\n").status(403)
		if n := w.count("blobs") + w.spooled(); n != 0 {
			t.Errorf("%d files or bytes are left of what was refused", n)
		}
	})
}

// exec runs a statement that a test needs and no endpoint has.
func (w *world) exec(text string, args ...any) {
	w.Helper()
	ctx := context.Background()
	if err := w.db.Tx(ctx, func(q db.Q) error {
		_, err := db.Exec(ctx, q, text, args...)
		return err
	}); err != nil {
		w.Fatal(err)
	}
}
