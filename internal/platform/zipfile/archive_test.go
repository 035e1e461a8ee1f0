package zipfile

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"lectern/internal/ground/fault"
)

type entry struct{ name, content string }

func pack(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		w, err := z.Create(e.name)
		if err == nil {
			_, err = io.WriteString(w, e.content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func many(n int, name string) (out []entry) {
	for i := range n {
		out = append(out, entry{fmt.Sprint(name, i), ""})
	}
	return out
}

var small = Limits{Entries: 3, Entry: 100, Total: 150}

func TestOpen(t *testing.T) {
	for _, c := range []struct {
		what string
		data []byte
		kind fault.Kind // Internal: it opens
	}{
		{"nothing", nil, fault.Unsupported},
		{"an empty archive", pack(t), fault.Internal},
		{"text", []byte("hello"), fault.Unsupported},
		{"an archive cut short", pack(t, entry{"a", "b"})[:40], fault.Unsupported},
		{"files and folders", pack(t, entry{"d/", ""}, entry{"d/a b.txt", "x"}, entry{"ä:.txt", "x"}), fault.Internal},
		{"too many", pack(t, many(4, "a")...), fault.TooLarge},
		{"one too large", pack(t, entry{"a", strings.Repeat("x", 101)}), fault.TooLarge},
		{"too large together", pack(t, entry{"a", strings.Repeat("x", 100)}, entry{"b", strings.Repeat("x", 51)}),
			fault.TooLarge},
		{"a directory of megabytes", pack(t, many(9000, strings.Repeat("n", 500))...), fault.TooLarge},
		{"up and out", pack(t, entry{"a/../../b", "x"}), fault.Unsupported},
		{"up and out with backslashes", pack(t, entry{`..\b`, "x"}), fault.Unsupported},
		{"from the root", pack(t, entry{"/b", "x"}), fault.Unsupported},
		{"from a drive", pack(t, entry{`c:\b`, "x"}), fault.Unsupported},
		{"no name", pack(t, entry{"", "x"}), fault.Unsupported},
	} {
		_, err := Open(bytes.NewReader(c.data), int64(len(c.data)), small)
		if (err == nil) != (c.kind == fault.Internal) || err != nil && !fault.Is(err, c.kind) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

func TestCopy(t *testing.T) {
	data := pack(t, entry{"a", strings.Repeat("x", 60)})
	z, err := Open(bytes.NewReader(data), int64(len(data)), small)
	if err != nil {
		t.Fatal(err)
	}
	f := z.File[0]
	if n, err := Copy(t.Context(), io.Discard, f, 60); n != 60 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := Copy(t.Context(), io.Discard, f, 59); !fault.Is(err, fault.TooLarge) {
		t.Errorf("past the limit: %v", err)
	}
	if _, err := Copy(t.Context(), broken{}, f, 60); err == nil || fault.KindOf(err) != fault.Internal {
		t.Errorf("a full disk: %v", err)
	}
	f.CRC32++
	if _, err := Copy(t.Context(), io.Discard, f, 60); !fault.Is(err, fault.Unsupported) {
		t.Errorf("a wrong sum: %v", err)
	}
	f.CRC32--
	// The directory claims less than there is.
	f.UncompressedSize64 = 10
	if _, err := Copy(t.Context(), io.Discard, f, 20); !fault.Is(err, fault.Unsupported) {
		t.Errorf("a lie: %v", err)
	}
}

// lying is an archive of entries that each hold many zeros and claim only ten.
func lying(t testing.TB, entries, zeros int) []byte {
	t.Helper()
	var packed, b bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(make([]byte, zeros))
	w.Close()
	z := zip.NewWriter(&b)
	for i := range entries {
		raw, err := z.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(i), Method: zip.Deflate,
			CompressedSize64: uint64(packed.Len()), UncompressedSize64: 10, CRC32: 1})
		if err != nil {
			t.Fatal(err)
		}
		raw.Write(packed.Bytes())
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error) { c.n += len(p); return len(p), nil }

// The directory is within the limits, so what is unpacked must be, whatever the
// entries hold: there may be thousands, each below the limit of one.
func TestEntriesUnpackToNoMoreThanTheyClaim(t *testing.T) {
	const entries = 100
	data := lying(t, entries, 1<<20)
	z, err := Open(bytes.NewReader(data), int64(len(data)), Limits{Entries: entries, Entry: 2 << 20, Total: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	var got counter
	for _, f := range z.File {
		if _, err := Copy(t.Context(), &got, f, 2<<20); !fault.Is(err, fault.Unsupported) {
			t.Fatalf("a lie: %v", err)
		}
	}
	if got.n > entries*10 {
		t.Errorf("%d bytes were unpacked where %d are claimed", got.n, entries*10)
	}
}

func TestUnpackingEndsWithItsContext(t *testing.T) {
	data := pack(t, entry{"a", strings.Repeat("x", 10<<20)})
	z, err := Open(bytes.NewReader(data), int64(len(data)), Limits{Entries: 1, Entry: 10 << 20, Total: 10 << 20})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n, err := Copy(ctx, cancelling(cancel), z.File[0], 10<<20)
	if !errors.Is(err, context.Canceled) || n > 1<<20 {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// cancelling is a writer whose first bytes are one too many.
type cancelling context.CancelFunc

func (c cancelling) Write(p []byte) (int, error) { c(); return len(p), nil }

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func FuzzOpen(f *testing.F) {
	f.Add(pack(f, entry{"a", "b"}))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, data []byte) {
		z, err := Open(bytes.NewReader(data), int64(len(data)), small)
		if err != nil {
			if fault.KindOf(err) == fault.Internal {
				t.Fatal(err)
			}
			return
		}
		for _, e := range z.File {
			if n, err := Copy(t.Context(), io.Discard, e, 100); err == nil && n > 100 {
				t.Fatal(n)
			}
		}
	})
}
