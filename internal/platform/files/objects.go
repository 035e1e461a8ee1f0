package files

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// Objects are things in a bucket under names that are chosen, where a Store has files under their
// hashes.
type Objects struct {
	*bucket
	host string
}

// OpenObjects opens the place that a URL names as it names a Store:
//
//	s3://KEY:SECRET@host:port/bucket/prefix?region=eu-west-1&insecure=true
func OpenObjects(location string) (*Objects, error) {
	u, err := url.Parse(location)
	if err != nil || u.Scheme != "s3" { // the error quotes the URL, secret and all
		return nil, errS3Form
	}
	b, err := openS3(u)
	if err != nil {
		return nil, err
	}
	return &Objects{bucket: b, host: u.Host}, nil
}

// String tells where they are, without the secret.
func (o *Objects) String() string {
	return strings.TrimSuffix("s3://"+o.host+"/"+o.name+"/"+o.prefix, "/")
}

// Put makes an object of all that a file holds.
func (o *Objects) Put(ctx context.Context, name string, f *os.File) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, size)); err != nil {
		return err
	}
	if err := o.upload(ctx, o.prefix+name, hex.EncodeToString(sum.Sum(nil)), f, size); err != nil {
		return fmt.Errorf("write %s to the bucket: %w", name, cmp.Or(ctx.Err(), err))
	}
	return nil
}

// Get reads an object, or gives fs.ErrNotExist.
func (o *Objects) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	body, _, _, err := o.api.GetObject(ctx, o.bucket.name, o.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, o.failed(ctx, "read "+name+" from the bucket", err)
	}
	return body, nil
}

// Each lists the objects whose names begin so, in their order.
func (o *Objects) Each(ctx context.Context, begin string, fn func(name string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i := range o.api.ListObjectsIter(ctx, o.bucket.name, minio.ListObjectsOptions{Prefix: o.prefix + begin,
		Recursive: true}) {
		if err := cmp.Or(ctx.Err(), i.Err); err != nil {
			return o.failed(ctx, "list the bucket", err)
		}
		if err := fn(strings.TrimPrefix(i.Key, o.prefix)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Remove removes an object; one that is not there is no error.
func (o *Objects) Remove(ctx context.Context, name string) error {
	err := o.api.RemoveObject(ctx, o.bucket.name, o.prefix+name, minio.RemoveObjectOptions{})
	if err == nil || isMissing(err) {
		return nil
	}
	return o.failed(ctx, "remove "+name+" from the bucket", err)
}

// GiveUp removes what was sent of large objects that were begun before a moment and never
// completed.
func (o *Objects) GiveUp(ctx context.Context, before time.Time) error {
	ctx, cancel := context.WithCancel(ctx)
	uploads := o.api.ListIncompleteUploads(ctx, o.bucket.name, o.prefix, true)
	defer func() { // when we leave early, let the lister end too
		cancel()
		for range uploads {
		}
	}()
	for up := range uploads {
		if up.Err != nil {
			return o.failed(ctx, "list uploads to the bucket", up.Err)
		}
		if up.Initiated.After(before) {
			continue
		}
		if err := o.api.AbortMultipartUpload(ctx, o.bucket.name, up.Key, up.UploadID); err != nil {
			return o.failed(ctx, "give up an upload to the bucket", err)
		}
	}
	return ctx.Err()
}

func (o *Objects) failed(ctx context.Context, doing string, err error) error {
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case isMissing(err):
		err = fs.ErrNotExist
	}
	return fmt.Errorf("%s: %w", doing, err)
}
