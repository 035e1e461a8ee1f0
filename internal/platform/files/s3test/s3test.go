// Package s3test runs versitygw for tests: an S3 server for production, over a directory of its own.
package s3test

import (
	"bytes"
	"cmp"
	"context"
	"net"
	"net/url"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// What the server knows its only user by, and the bucket that it has.
const (
	Key    = "TESTKEY"
	Secret = "test/secret+with@signs"
	Bucket = "lectern-files"
)

// Start runs a server until the test ends and gives its address. Its directory must be on a file
// system with extended attributes.
func Start(t testing.TB) (host string) {
	t.Helper()
	program, err := exec.LookPath(cmp.Or(os.Getenv("LECTERN_TEST_VERSITYGW"), "versitygw"))
	if err != nil {
		const why = "no versitygw on the PATH or in LECTERN_TEST_VERSITYGW (go install " +
			"github.com/versity/versitygw/cmd/versitygw@v1.8.0)"
		if os.Getenv("LECTERN_TEST_REQUIRE") == "1" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host = free.Addr().String()
	free.Close()
	var said bytes.Buffer
	ctx, stop := context.WithCancel(context.Background())
	gateway := exec.CommandContext(ctx, program, "--quiet", "--keep-alive", "--port", //nolint:gosec // of this machine
		host, "posix", t.TempDir())
	gateway.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+Key, "ROOT_SECRET_KEY="+Secret)
	gateway.Stdout, gateway.Stderr = &said, &said
	if err := gateway.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = gateway.Wait()
		if t.Failed() {
			t.Logf("versitygw said: %s", &said)
		}
	})
	makeBucket(t, host)
	return host
}

// makeBucket waits for the server to answer; the client tries again meanwhile.
func makeBucket(t testing.TB, host string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := minio.New(host, &minio.Options{Creds: credentials.NewStaticV4(Key, Secret, ""), Region: "us-east-1"})
	if err != nil {
		t.Fatal(err)
	}
	for {
		err := client.MakeBucket(ctx, Bucket, minio.MakeBucketOptions{})
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("the S3 server does not come up: %v", err)
		}
	}
}

// Location is the URL of a part of the bucket: prefix is empty, or begins and ends with a stroke.
func Location(host, prefix string) string {
	u := url.URL{Scheme: "s3", User: url.UserPassword(Key, Secret), Host: host, Path: "/" + Bucket + prefix,
		RawQuery: "insecure=true&region=us-east-1"}
	return u.String()
}
