package files

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenDirectory(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for location, want := range map[string]string{
		"data":                               "data",
		"./a:b":                              "a:b",
		filepath.Join(dir, "x", "y"):         "x/y",
		"file://" + dir + "/with%20space":    "with space",
		"file://localhost" + dir + "/local/": "local",
	} {
		put(t, open(t, location), []byte("x"))
		if _, err := os.Stat(filepath.Join(dir, want, pathOf(hashOf([]byte("x"))))); err != nil {
			t.Errorf("%s: %v", location, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const s = "sEcReT"
	for _, location := range []string{
		"", file, filepath.Join(file, "below"), "file:data", "file://host/dir", "file:///dir?x=1",
		"ftp://KEY:" + s + "@host/bucket",
		"http://KEY:" + s + "@host/bucket",
		"s3:KEY:" + s + "@host/bucket",
		"s3://host/bucket",
		"s3://KEY@host/bucket",
		"s3://KEY:" + s + "@host",
		"s3://KEY:" + s + "@host/",
		"s3://KEY:" + s + "@/bucket",
		"s3://KEY:" + s + "@host/Bucket",
		"s3://KEY:" + s + "@host:port/bucket",
		"s3://KEY:" + s + "/x@host/bucket",
		"s3://KEY:1/" + s + "@host/bucket",
		"s3://KEY:1@2/" + s + "@host/bucket",
		"s3://KEY:1?" + s + "@host/bucket",
		"s3://KEY:1#" + s + "@host/bucket",
		"s3://KEY:%zz" + s + "@host/bucket",
		"s3://KEY:" + s + "@host/bucket?" + s + "=1",
		"s3://KEY:" + s + "@host/bucket?insecure=" + s,
		"s3://KEY:" + s + "@host/bucket?region=a&region=" + s,
		"s3://KEY:" + s + "@host/bucket?%zz" + s,
		"s3://KEY:" + s + "@ho st/bucket",
		"s3://KEY:" + s + "@ho_st:1:2/bucket",
	} {
		store, err := Open(t.Context(), location)
		if err == nil {
			t.Errorf("%s: opened as %T", location, store)
		} else if text := err.Error(); strings.Contains(text, s) || strings.Contains(text, "KEY:1") {
			t.Errorf("%s: the error shows the secret: %s", location, text)
		}
	}
}

// TestErrorsHideSecret lets requests fail in several ways.
func TestErrorsHideSecret(t *testing.T) {
	fake := startFake(t)
	for name, location := range map[string]string{
		"no bucket": strings.Replace(s3Location(fake, ""), testBucket, "other-bucket", 1),
		"no server": s3Location("127.0.0.1:1", ""),
		"no TLS":    strings.Replace(s3Location(fake, ""), "insecure=true", "insecure=false", 1),
	} {
		s := open(t, location)
		for what, do := range map[string]func() error{
			"put":   func() error { _, err := s.Put(t.Context(), strings.NewReader("x")); return err },
			"stat":  func() error { _, err := s.Stat(t.Context(), hashOf(nil)); return err },
			"check": func() error { return s.Check(t.Context()) },
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				testHidesSecret(t, do)
			})
		}
	}
}

func testHidesSecret(t *testing.T, do func() error) {
	err := do()
	if err == nil {
		t.Fatal("no error to look at")
	}
	for _, form := range []string{testSecret, url.QueryEscape(testSecret),
		url.UserPassword("", testSecret).String()[1:]} {
		if strings.Contains(err.Error(), form) {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
}
