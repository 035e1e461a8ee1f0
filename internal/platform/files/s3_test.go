package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7"

	"lectern/internal/platform/files/s3test"
)

const testSecret, testBucket = s3test.Secret, s3test.Bucket

// s3At is the location of a store of its own on the server at host.
func s3At(host string) func(*testing.T) string {
	var places atomic.Int32
	return func(t *testing.T) string { return s3Location(host, fmt.Sprintf("/place %d/", places.Add(1))) }
}

func s3Location(host, prefix string) string { return s3test.Location(host, prefix) }

// startFake runs an S3 server inside the test. It checks no signatures.
func startFake(t *testing.T) (host string) {
	backend := s3mem.New()
	if err := backend.CreateBucket(testBucket); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func startGateway(t *testing.T) (host string) { return s3test.Start(t) }

func TestS3(t *testing.T) {
	for name, start := range map[string]func(*testing.T) string{"gofakes3": startFake, "versitygw": startGateway} {
		t.Run(name, func(t *testing.T) {
			host := start(t)
			place := s3At(host)
			testStore(t, place)
			t.Run("parts", func(t *testing.T) { testParts(t, place(t)) })
			t.Run("sweep", func(t *testing.T) { testS3Sweep(t, place(t)) })
			t.Run("no bucket", func(t *testing.T) { testNoBucket(t, host) })
		})
	}
}

// testParts puts files about the size of a part and above, and reads across
// the seams.
func testParts(t *testing.T, location string) {
	s := open(t, location)
	for _, n := range []int{partSize, partSize + 1, 20 << 20} {
		content := noise(9, n)
		info := put(t, s, content)
		if info.Size != int64(n) || info.Hash != hashOf(content) {
			t.Errorf("Put of %d bytes: %+v", n, info)
		}
		if got := read(t, s, info.Hash); !bytes.Equal(got, content) {
			t.Errorf("Put of %d bytes: read back %d others", n, len(got))
		}
		f, err := s.Open(t.Context(), info.Hash)
		if err != nil {
			t.Fatal(err)
		}
		p := make([]byte, 100)
		if k, err := f.ReadAt(p, partSize-50); !bytes.Equal(p[:k], content[partSize-50:min(partSize+50, n)]) {
			t.Errorf("across the seam: %d bytes that differ, %v", k, err)
		}
		f.Close()
	}
}

func testS3Sweep(t *testing.T, location string) {
	s := open(t, location)
	b := s.(*bucket)
	h := put(t, s, []byte("stays")).Hash
	for _, key := range []string{b.key(h), b.key(hashOf(nil)), b.prefix + "a stranger's"} {
		if _, err := b.api.NewMultipartUpload(t.Context(), b.name, key, minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		age  time.Duration
		want int
	}{{time.Hour, 0}, {-time.Minute, 2}, {-time.Minute, 0}} {
		if n, err := s.Sweep(t.Context(), c.age); n != c.want || err != nil {
			t.Errorf("Sweep of what is older than %v: %d, %v, want %d", c.age, n, err, c.want)
		}
	}
	if all := list(t, s); len(all) != 1 || all[0].Hash != h {
		t.Errorf("afterwards there is %v", all)
	}
}

func testNoBucket(t *testing.T, host string) {
	s := open(t, strings.Replace(s3Location(host, ""), testBucket, "no-such-bucket", 1))
	if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "bucket") {
		t.Errorf("Check without a bucket: %v", err)
	}
	if _, err := s.Put(t.Context(), strings.NewReader("x")); err == nil {
		t.Error("Put without a bucket succeeds")
	}
}

// between stands between a store and its server and may spoil what passes.
func between(t *testing.T, host string, request func(*http.Request),
	response func(*http.Response) error) (proxy string) {
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: host})
			r.Out.Host = r.In.Host // it is signed
			request(r.Out)
		},
		ModifyResponse: response,
		ErrorLog:       log.New(io.Discard, "", 0), // a test cuts connections on purpose
	})
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// flip spoils one byte of what it reads.
type flip struct {
	io.ReadCloser
	done bool
}

func (f *flip) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if n > 0 && !f.done {
		p[0] ^= 1
		f.done = true
	}
	return n, err
}

// TestS3DamagedOnTheWay has the server refuse content spoiled on its way up.
func TestS3DamagedOnTheWay(t *testing.T) {
	host := startGateway(t)
	proxy := between(t, host, func(r *http.Request) {
		if r.Method == http.MethodPut && r.ContentLength > 0 {
			r.Body = &flip{ReadCloser: r.Body}
		}
	}, nil)
	for _, n := range []int{1000, partSize + 1} {
		if info, err := open(t, s3Location(proxy, "/way/")).Put(t.Context(),
			bytes.NewReader(noise(10, n))); err == nil {
			t.Errorf("spoiled content of %d bytes was stored as %v", n, info)
		}
	}
	s := open(t, s3Location(host, "/way/"))
	if all := list(t, s); len(all) != 0 {
		t.Errorf("stored %v", all)
	}
	if n, err := s.Sweep(t.Context(), -time.Minute); n != 0 || err != nil {
		t.Errorf("%d uploads were left open, %v", n, err)
	}
}

// TestS3CutShort has the reader notice a download that ends early, or that
// is not the range asked for.
func TestS3CutShort(t *testing.T) {
	host := startFake(t)
	h := put(t, open(t, s3Location(host, "")), noise(11, 100_000)).Hash
	for name, spoil := range map[string]func(*http.Response) error{
		"cut": func(r *http.Response) error {
			r.Body = struct {
				io.Reader
				io.Closer
			}{io.LimitReader(r.Body, 100), r.Body}
			return nil
		},
		"wrong length": func(r *http.Response) error {
			if r.Request.Method == http.MethodGet {
				r.Header.Set("Content-Length", "100")
				r.ContentLength = 100
				r.Body = struct {
					io.Reader
					io.Closer
				}{io.LimitReader(r.Body, 100), r.Body}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			proxy := between(t, host, func(*http.Request) {}, spoil)
			f, err := open(t, s3Location(proxy, "")).Open(t.Context(), h)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if got, err := io.ReadAll(f); err == nil {
				t.Errorf("%d of 100000 bytes passed for all", len(got))
			}
			if n, err := f.ReadAt(make([]byte, 5000), 10); err == nil {
				t.Errorf("ReadAt: %d of 5000 bytes passed for all", n)
			}
		})
	}
}

// TestS3RangeIgnored has the reader notice a server that sends the whole file
// whatever part of it was asked for.
func TestS3RangeIgnored(t *testing.T) {
	proxy := between(t, startFake(t), func(r *http.Request) { r.Header.Del("Range") }, nil)
	s := open(t, s3Location(proxy, ""))
	f, err := s.Open(t.Context(), put(t, s, noise(13, 1000)).Hash)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := make([]byte, 10)
	if n, err := f.ReadAt(p, 10); err == nil {
		t.Errorf("ReadAt gives %d bytes from elsewhere", n)
	}
	f.Seek(10, io.SeekStart)
	if n, err := f.Read(p); err == nil {
		t.Errorf("Read gives %d bytes from elsewhere", n)
	}
}

// TestS3CancelledPut gives up an upload in the midst of its parts.
func TestS3CancelledPut(t *testing.T) {
	host := startFake(t)
	ctx, cancel := context.WithCancel(t.Context())
	proxy := between(t, host, func(r *http.Request) {
		if r.URL.Query().Get("partNumber") == "2" {
			cancel()
		}
	}, nil)
	_, err := open(t, s3Location(proxy, "")).Put(ctx, bytes.NewReader(noise(12, 2*partSize)))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Put: %v", err)
	}
	s := open(t, s3Location(host, ""))
	if n, err := s.Sweep(t.Context(), -time.Minute); n != 0 || err != nil || len(list(t, s)) != 0 {
		t.Errorf("it left %d uploads, %v", n, err)
	}
}
