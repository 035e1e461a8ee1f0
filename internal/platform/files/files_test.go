package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"lectern/internal/ground/fault"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		putForever(dir)
	}
	os.Exit(m.Run())
}

// testStore is what every store must do. place gives the location of a store
// of its own to each test.
func testStore(t *testing.T, place func(*testing.T) string) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, string)
	}{
		{"put and read", testPutAndRead},
		{"seek", testSeek},
		{"serve ranges", testServeRanges},
		{"read at, concurrently", testReadAt},
		{"delete", testDelete},
		{"list a thousand", testList},
		{"same content at once", testSameContent},
		{"put and delete at once", testPutAndDelete},
		{"failing reader", testFailingReader},
		{"cancelled", testCancelled},
		{"bad hashes", testBadHashes},
		{"check", testCheck},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, place(t)) })
	}
}

func open(t testing.TB, location string) Store {
	t.Helper()
	s, err := Open(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func put(t testing.TB, s Store, content []byte) Info {
	t.Helper()
	info, err := s.Put(t.Context(), bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func read(t testing.TB, s Store, h Hash) []byte {
	t.Helper()
	f, err := s.Open(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func list(t testing.TB, s Store) []Info {
	t.Helper()
	var all []Info
	err := s.List(t.Context(), func(i Info) error { all = append(all, i); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func hashOf(content []byte) Hash {
	sum := sha256.Sum256(content)
	return Hash(hex.EncodeToString(sum[:]))
}

// noise gives n bytes that are the same for the same seed.
func noise(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

func testPutAndRead(t *testing.T, location string) {
	s := open(t, location)
	for _, n := range []int{0, 1, 1000, 128<<10 - 1, 128 << 10, 3_000_000} {
		content := noise(1, n)
		start := time.Now()
		info := put(t, s, content)
		if info.Hash != hashOf(content) || info.Size != int64(n) {
			t.Errorf("Put of %d bytes gives %+v", n, info)
		}
		if d := info.Modified.Sub(start); d.Abs() > 5*time.Second || info.Modified.Location() != time.UTC {
			t.Errorf("Put of %d bytes at %v: modified %v", n, start, info.Modified)
		}
		if got := read(t, s, info.Hash); !bytes.Equal(got, content) {
			t.Errorf("Put of %d bytes: read back %d others", n, len(got))
		}
		stat, err := s.Stat(t.Context(), info.Hash)
		if err != nil || stat.Size != info.Size || stat.Hash != info.Hash ||
			stat.Modified.Sub(info.Modified).Abs() > time.Second {
			t.Errorf("Stat gives %+v, %v after Put gave %+v", stat, err, info)
		}
	}
	// Another process, or the same one tomorrow, finds the same files.
	if got := read(t, open(t, location), hashOf(noise(1, 1000))); !bytes.Equal(got, noise(1, 1000)) {
		t.Error("a second Store of the place reads something else")
	}
}

func testSeek(t *testing.T, location string) {
	s := open(t, location)
	content := noise(2, 10_000)
	f, err := s.Open(t.Context(), put(t, s, content).Hash)
	if err != nil {
		t.Fatal(err)
	}
	if f.Size() != 10_000 {
		t.Errorf("size %d", f.Size())
	}
	for _, c := range []struct {
		offset int64
		whence int
		want   int64 // -1: refused
	}{
		{0, io.SeekEnd, 10_000}, {0, io.SeekStart, 0}, {9_999, io.SeekStart, 9_999}, {-3, io.SeekEnd, 9_997},
		{-1, io.SeekStart, -1}, {-10_001, io.SeekEnd, -1}, {10, io.SeekEnd, 10_010}, {5, io.SeekCurrent, 10_015},
		{1 << 40, io.SeekStart, 1 << 40}, {500, io.SeekStart, 500}, {0, 7, -1}, {20, io.SeekStart, 20},
	} {
		before, _ := f.Seek(0, io.SeekCurrent)
		at, err := f.Seek(c.offset, c.whence)
		if c.want < 0 {
			if now, _ := f.Seek(0, io.SeekCurrent); err == nil || now != before {
				t.Errorf("Seek(%d, %d): %d, %v, now at %d", c.offset, c.whence, at, err, now)
			}
			continue
		}
		if err != nil || at != c.want {
			t.Errorf("Seek(%d, %d) = %d, %v, want %d", c.offset, c.whence, at, err, c.want)
		}
		got := make([]byte, 7)
		n, err := io.ReadFull(f, got)
		want := content[min(at, 10_000):min(at+7, 10_000)]
		if !bytes.Equal(got[:n], want) || (n == 0) != errors.Is(err, io.EOF) {
			t.Errorf("at %d: read %x, %v, want %x", at, got[:n], err, want)
		}
		f.Seek(at, io.SeekStart)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if n, err := f.Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrClosed) {
		t.Errorf("Read after Close: %d, %v", n, err)
	}
}

func testServeRanges(t *testing.T, location string) {
	s := open(t, location)
	content := noise(3, 100_000)
	h := put(t, s, content).Hash
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, err := s.Open(r.Context(), h)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", time.Time{}, f)
	}))
	defer server.Close()
	for _, c := range []struct {
		asked    string
		status   int
		from, to int
	}{
		{"", 200, 0, 100_000}, {"bytes=0-0", 206, 0, 1}, {"bytes=500-70000", 206, 500, 70_001},
		{"bytes=-10", 206, 99_990, 100_000}, {"bytes=99999-", 206, 99_999, 100_000},
		{"bytes=99000-200000", 206, 99_000, 100_000}, {"bytes=100000-", 416, 0, 0},
	} {
		req, _ := http.NewRequestWithContext(t.Context(), "GET", server.URL, nil)
		if c.asked != "" {
			req.Header.Set("Range", c.asked)
		}
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.status {
			t.Errorf("range %q: status %d, %v", c.asked, resp.StatusCode, err)
		}
		if c.status != 416 && !bytes.Equal(got, content[c.from:c.to]) {
			t.Errorf("range %q: %d bytes that differ", c.asked, len(got))
		}
	}
}

func testReadAt(t *testing.T, location string) {
	s := open(t, location)
	content := noise(4, 50_000)
	f, err := s.Open(t.Context(), put(t, s, content).Hash)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var group sync.WaitGroup
	for _, c := range []struct{ off, n, want int }{
		{0, 10, 10}, {49_990, 10, 10}, {49_990, 20, 10}, {50_000, 1, 0}, {70_000, 1, 0}, {0, 50_000, 50_000},
		{7, 30_000, 30_000},
	} {
		group.Go(func() {
			p := make([]byte, c.n)
			n, err := f.ReadAt(p, int64(c.off))
			if n != c.want || (n < c.n) != errors.Is(err, io.EOF) || (err != nil && !errors.Is(err, io.EOF)) {
				t.Errorf("ReadAt %d bytes at %d: %d, %v", c.n, c.off, n, err)
			}
			if n > 0 && !bytes.Equal(p[:n], content[c.off:c.off+n]) {
				t.Errorf("ReadAt %d bytes at %d: they differ", c.n, c.off)
			}
		})
	}
	group.Wait()
	if n, err := f.ReadAt(make([]byte, 1), -1); n != 0 || err == nil {
		t.Errorf("ReadAt before the start: %d, %v", n, err)
	}
}

func testDelete(t *testing.T, location string) {
	s := open(t, location)
	gone, stays := put(t, s, []byte("gone")), put(t, s, []byte("stays"))
	for range 2 { // the second time it is absent, which is no error
		if err := s.Delete(t.Context(), gone.Hash); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Open(t.Context(), gone.Hash); !fault.Is(err, fault.Missing) {
		t.Errorf("Open after Delete: %v", err)
	}
	if _, err := s.Stat(t.Context(), gone.Hash); !fault.Is(err, fault.Missing) {
		t.Errorf("Stat after Delete: %v", err)
	}
	if all := list(t, s); len(all) != 1 || all[0].Hash != stays.Hash {
		t.Errorf("List after Delete: %v", all)
	}
	if put(t, s, []byte("gone")); string(read(t, s, gone.Hash)) != "gone" {
		t.Error("cannot be put again")
	}
}

func testList(t *testing.T, location string) {
	s := open(t, location)
	const count = 1000
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := worker; i < count; i += 8 {
				if _, err := s.Put(t.Context(), strings.NewReader(fmt.Sprint("file ", i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	want := make(map[Hash]int64)
	for i := range count {
		text := fmt.Sprint("file ", i)
		want[hashOf([]byte(text))] = int64(len(text))
	}
	all := list(t, s)
	if !slices.IsSortedFunc(all, func(a, b Info) int { return strings.Compare(string(a.Hash), string(b.Hash)) }) {
		t.Error("not in the order of the hashes")
	}
	for _, i := range all {
		if size, ok := want[i.Hash]; !ok || size != i.Size || time.Since(i.Modified).Abs() > 5*time.Minute {
			t.Errorf("listed %+v", i)
		}
		delete(want, i.Hash)
	}
	if len(all) != count || len(want) != 0 {
		t.Errorf("listed %d, and %d are missing", len(all), len(want))
	}
	testListEnds(t, s)
}

func testListEnds(t *testing.T, s Store) {
	stop, seen := errors.New("enough"), 0
	err := s.List(t.Context(), func(Info) error {
		if seen++; seen == 3 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || seen != 3 {
		t.Errorf("List goes on after an error: %d, %v", seen, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	seen = 0
	err = s.List(ctx, func(Info) error { seen++; cancel(); return nil })
	if !errors.Is(err, context.Canceled) || seen != 1 {
		t.Errorf("List goes on when cancelled: %d, %v", seen, err)
	}
}

// testSameContent has fifty writers in two stores put the same content.
func testSameContent(t *testing.T, location string) {
	stores := []Store{open(t, location), open(t, location)}
	content := noise(5, 200_000)
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			info, err := stores[i%2].Put(t.Context(), iotest.HalfReader(bytes.NewReader(content)))
			if err != nil || info.Hash != hashOf(content) || info.Size != 200_000 {
				t.Errorf("writer %d: %+v, %v", i, info, err)
				return
			}
			if got := read(t, stores[(i+1)%2], info.Hash); !bytes.Equal(got, content) {
				t.Errorf("reader %d: %d bytes that differ", i, len(got))
			}
		})
	}
	group.Wait()
	if all := list(t, stores[0]); len(all) != 1 || all[0].Size != 200_000 {
		t.Errorf("listed %v", all)
	}
}

// testPutAndDelete has readers see all of a file or none, whatever happens.
func testPutAndDelete(t *testing.T, location string) {
	s := open(t, location)
	content := noise(6, 50_000)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 10 {
				if _, err := s.Put(t.Context(), bytes.NewReader(content)); err != nil && !errors.Is(err, errVanished) {
					t.Error(err)
				}
				if err := s.Delete(t.Context(), hashOf(content)); err != nil {
					t.Error(err)
				}
			}
		})
		group.Go(func() {
			for range 20 {
				if err := readIfThere(t.Context(), s, content); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

func readIfThere(ctx context.Context, s Store, want []byte) error {
	f, err := s.Open(ctx, hashOf(want))
	if fault.Is(err, fault.Missing) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	got, err := io.ReadAll(f)
	if err == nil && !bytes.Equal(got, want) {
		return fmt.Errorf("read %d bytes that differ", len(got))
	}
	if fault.Is(err, fault.Missing) {
		return nil
	}
	return err
}

func testFailingReader(t *testing.T, location string) {
	s := open(t, location)
	tooLarge := fault.New(fault.TooLarge, "the file exceeds 10 MB")
	half := io.MultiReader(bytes.NewReader(noise(7, 300_000)), iotest.ErrReader(tooLarge))
	if _, err := s.Put(t.Context(), half); !errors.Is(err, tooLarge) || !fault.Is(err, fault.TooLarge) {
		t.Errorf("Put of a failing reader: %v", err)
	}
	if all := list(t, s); len(all) != 0 {
		t.Errorf("it left %v", all)
	}
}

// cancelling cancels a context when it is first read from.
type cancelling struct {
	io.Reader
	cancel context.CancelFunc
}

func (c cancelling) Read(p []byte) (int, error) {
	c.cancel()
	return c.Reader.Read(p)
}

func testCancelled(t *testing.T, location string) {
	s := open(t, location)
	h := put(t, s, []byte("here")).Hash
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Put(ctx, cancelling{bytes.NewReader(noise(8, 300_000)), cancel})
	errs := map[string]error{"Put": err}
	_, errs["Open"] = s.Open(ctx, h)
	_, errs["Stat"] = s.Stat(ctx, h)
	errs["Delete"] = s.Delete(ctx, h)
	errs["List"] = s.List(ctx, func(Info) error { t.Error("listed"); return nil })
	errs["Check"] = s.Check(ctx)
	for what, err := range errs {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if all := list(t, s); len(all) != 1 || all[0].Hash != h {
		t.Errorf("afterwards there is %v", all)
	}
}

func testBadHashes(t *testing.T, location string) {
	s := open(t, location)
	good := string(put(t, s, []byte("good")).Hash)
	for _, bad := range []string{
		"", ".", "..", "../x", "tmp", "check", "/etc/passwd", good[:63], good + "0", good + "\x00",
		strings.ToUpper(good),
		"g" + good[1:], "../" + good[:61], good[:2] + "/" + good[2:4] + "/" + good, strings.Repeat("../", 21) + "x",
		strings.Repeat("é", 32),
	} {
		h := Hash(bad)
		if f, err := s.Open(t.Context(), h); !fault.Is(err, fault.Missing) {
			t.Errorf("Open(%q): %v, %v", bad, f, err)
		}
		if info, err := s.Stat(t.Context(), h); !fault.Is(err, fault.Missing) {
			t.Errorf("Stat(%q): %v, %v", bad, info, err)
		}
		if err := s.Delete(t.Context(), h); !fault.Is(err, fault.Missing) {
			t.Errorf("Delete(%q): %v", bad, err)
		}
	}
}

func testCheck(t *testing.T, location string) {
	s := open(t, location)
	for range 2 {
		if err := s.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if all := list(t, s); len(all) != 0 {
		t.Errorf("Check left %v", all)
	}
	there, err := Existing(t.Context(), location)
	if err == nil {
		err = there.Try(t.Context())
	}
	if err != nil {
		t.Errorf("Try: %v", err)
	}
}
