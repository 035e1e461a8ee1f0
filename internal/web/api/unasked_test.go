package api

import (
	"context"
	"io"
	"strings"
	"testing"

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

// The right to send marks depends on the unit: a file ahead of it is not taken,
// of whoever it is.
func TestAFileAheadOfWhatItsRightDependsOnIsRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, who := range []string{"outsider", "convenor"} {
			endless(w, who, "POST /api/submission/assess", "name=\"file\"; filename=\"a\"\r\n\r\n").status(400).
				says("Send unit_id before the file")
		}
		endless(w, "outsider", "POST /api/submission/assess", "name=\"unit_id\"\r\n\r\n"+w.path("{unitA}")+"\r\n",
			"name=\"file\"; filename=\"a\"\r\n\r\n").status(403)
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
