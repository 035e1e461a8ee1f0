package files

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"lectern/internal/ground/fault"
)

// partSize is the most that is sent in one request. A larger file goes up in
// parts, so that a broken connection costs one part and not all. At 10,000
// parts, the most S3 takes, it bounds a file to 160 GB.
const partSize = 16 << 20

// bucket keeps the file abcd... as the object prefix/abcd... in a bucket.
//
// Every request that carries content names its SHA-256 in a signed header, so
// the service refuses content that was damaged on the way; for a file of one
// part that is the very hash it is stored under. This needs none of the newer
// checksum extensions, which not every S3-compatible service has.
type bucket struct {
	api    minio.Core
	name   string
	prefix string // empty, or ends in "/"
}

var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// errS3Form says how a bucket is named.
var errS3Form = errors.New("the location of a bucket must read s3://KEY:SECRET@host:port/bucket/prefix" +
	" (percent-encode special characters in key and secret, such as / as %2F)")

// openS3 reads the URL. Its errors quote nothing of it: in a URL written wrong
// any part may be a part of the secret.
func openS3(u *url.URL) (*bucket, error) {
	secret, _ := u.User.Password()
	name, prefix, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	switch {
	case u.User.Username() == "" || secret == "" || u.Host == "" || u.Fragment != "":
		return nil, errS3Form
	case !bucketName.MatchString(name):
		return nil, fmt.Errorf("%w: the name of the bucket is missing or not allowed", errS3Form)
	}
	region, insecure, err := s3Options(u.RawQuery)
	if err != nil {
		return nil, err
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds:      credentials.NewStaticV4(u.User.Username(), secret, ""),
		Secure:     !insecure,
		Region:     region,
		MaxRetries: 5,
	})
	if err != nil {
		return nil, fmt.Errorf("set up the file store: %w", err)
	}
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	return &bucket{api: minio.Core{Client: client}, name: name, prefix: prefix}, nil
}

func s3Options(query string) (region string, insecure bool, err error) {
	q, err := url.ParseQuery(query)
	if err != nil {
		return "", false, errors.New("the options after ? in the location of the file store cannot be read")
	}
	for name, values := range q {
		switch {
		case name == "region" && len(values) == 1:
			region = values[0]
		case name == "insecure" && len(values) == 1 && (values[0] == "true" || values[0] == "false"):
			insecure = values[0] == "true"
		default:
			return "", false, errors.New("the location of the file store takes two options, each once: " +
				"region=NAME and insecure=true or false")
		}
	}
	return region, insecure, nil
}

func (b *bucket) key(h Hash) string { return b.prefix + string(h) }

// hashOf is the inverse of key; not ok for an object that is no stored file.
func (b *bucket) hashOf(key string) (h Hash, ok bool) {
	rest, ok := strings.CutPrefix(key, b.prefix)
	return Hash(rest), ok && Hash(rest).valid()
}

// Put spools to the machine's temporary directory, under no name from the
// first moment on where the system allows that, so a crash leaves nothing.
func (b *bucket) Put(ctx context.Context, r io.Reader) (Info, error) {
	f, err := os.CreateTemp("", "lectern-upload-")
	if err != nil {
		return Info{}, fmt.Errorf("create a temporary file for the file store: %w", err)
	}
	os.Remove(f.Name())
	defer f.Close()
	h, size, err := spool(ctx, f, r)
	if err != nil {
		return Info{}, err
	}
	if err := b.upload(ctx, b.key(h), string(h), f, size); err != nil {
		return Info{}, s3Error(ctx, "put a file into the store", err)
	}
	info, err := b.Stat(ctx, h)
	switch {
	case fault.Is(err, fault.Missing):
		return Info{}, errVanished
	case err == nil && info.Size != size:
		return Info{}, fmt.Errorf("the file store took %d bytes as %d: it cannot be trusted", size, info.Size)
	}
	return info, err
}

// errVanished is no fault.Missing: to whoever puts a file it is not a thing
// that does not exist.
var errVanished = errors.New("a file was deleted while it was put into the store")

// upload makes an object of a file with that SHA-256.
func (b *bucket) upload(ctx context.Context, key, sum string, f io.ReaderAt, size int64) error {
	if size > partSize {
		return b.uploadParts(ctx, key, f, size)
	}
	_, err := b.api.PutObject(ctx, b.name, key, io.NewSectionReader(f, 0, size), size, "", sum, signedWhole)
	return err
}

// signedWhole has content signed by its hash and not piece by piece.
var signedWhole = minio.PutObjectOptions{DisableContentSha256: true}

func (b *bucket) uploadParts(ctx context.Context, key string, f io.ReaderAt, size int64) (err error) {
	id, err := b.api.NewMultipartUpload(ctx, b.name, key, minio.PutObjectOptions{})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil { // what this cannot remove, Sweep will
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			defer cancel()
			_ = b.api.AbortMultipartUpload(ctx, b.name, key, id)
		}
	}()
	var parts []minio.CompletePart
	for at := int64(0); at < size; at += partSize {
		section := io.NewSectionReader(f, at, min(partSize, size-at))
		part, err := b.uploadPart(ctx, key, id, len(parts)+1, section)
		if err != nil {
			return err
		}
		parts = append(parts, minio.CompletePart{PartNumber: part.PartNumber, ETag: part.ETag})
	}
	_, err = b.api.CompleteMultipartUpload(ctx, b.name, key, id, parts, minio.PutObjectOptions{})
	return err
}

func (b *bucket) uploadPart(ctx context.Context, key, id string, number int, r *io.SectionReader) (minio.ObjectPart,
	error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return minio.ObjectPart{}, err
	}
	return b.api.PutObjectPart(ctx, b.name, key, id, number, r, r.Size(), minio.PutObjectPartOptions{
		Sha256Hex:            hex.EncodeToString(sum.Sum(nil)),
		DisableContentSha256: true,
	})
}

// s3Error tells what failed, and that a file is missing where it is.
func s3Error(ctx context.Context, doing string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	}
	if isMissing(err) {
		return missing(err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func isMissing(err error) bool { return minio.ToErrorResponse(err).Code == minio.NoSuchKey }

func (b *bucket) Open(ctx context.Context, h Hash) (File, error) {
	info, err := b.Stat(ctx, h)
	if err != nil {
		return nil, err
	}
	return &object{ctx: ctx, bucket: b, hash: h, size: info.Size}, nil
}

func (b *bucket) Stat(ctx context.Context, h Hash) (Info, error) {
	if err := cmp.Or(ctx.Err(), h.check()); err != nil {
		return Info{}, err
	}
	o, err := b.api.StatObject(ctx, b.name, b.key(h), minio.StatObjectOptions{})
	if err != nil {
		return Info{}, s3Error(ctx, "look at a stored file", err)
	}
	return Info{h, o.Size, o.LastModified.UTC()}, nil
}

func (b *bucket) Delete(ctx context.Context, h Hash) error {
	if err := cmp.Or(ctx.Err(), h.check()); err != nil {
		return err
	}
	err := b.api.RemoveObject(ctx, b.name, b.key(h), minio.RemoveObjectOptions{})
	if err == nil || isMissing(err) {
		return nil
	}
	return s3Error(ctx, "delete a stored file", err)
}

func (b *bucket) List(ctx context.Context, fn func(Info) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for o := range b.api.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix}) {
		if err := cmp.Or(ctx.Err(), o.Err); err != nil {
			return s3Error(ctx, "list the file store", err)
		}
		h, ok := b.hashOf(o.Key)
		if !ok {
			continue
		}
		if err := fn(Info{h, o.Size, o.LastModified.UTC()}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Sweep gives up uploads in parts that were never completed: S3 keeps, and
// charges for, their parts for ever.
func (b *bucket) Sweep(ctx context.Context, olderThan time.Duration) (swept int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	uploads := b.api.ListIncompleteUploads(ctx, b.name, b.prefix, true)
	defer func() { // when we leave early, let the lister end too
		cancel()
		for range uploads {
		}
	}()
	limit := time.Now().Add(-olderThan)
	for up := range uploads {
		if up.Err != nil {
			return swept, s3Error(ctx, "sweep the file store", up.Err)
		}
		if _, ours := b.hashOf(up.Key); !ours || up.Initiated.After(limit) {
			continue
		}
		if err := b.api.AbortMultipartUpload(ctx, b.name, up.Key, up.UploadID); err != nil {
			return swept, s3Error(ctx, "sweep the file store", err)
		}
		swept++
	}
	return swept, ctx.Err()
}

// Check writes and reads an object that List does not show. It stays, since
// several instances check at once and must not delete it under each other.
func (b *bucket) Check(ctx context.Context) error { return b.try(ctx, b.prefix+"check") }

// Try does the same with an object of its own, and deletes it.
func (b *bucket) Try(ctx context.Context) error {
	key := b.prefix + "check-" + rand.Text()
	if err := b.try(ctx, key); err != nil {
		return err
	}
	if err := b.api.RemoveObject(ctx, b.name, key, minio.RemoveObjectOptions{}); err != nil {
		return fmt.Errorf("the file store does not let files be deleted: %w", cmp.Or(ctx.Err(), err))
	}
	return nil
}

func (b *bucket) try(ctx context.Context, key string) error {
	sum := sha256.Sum256(probe)
	_, err := b.api.PutObject(ctx, b.name, key, bytes.NewReader(probe), int64(len(probe)), "",
		hex.EncodeToString(sum[:]), signedWhole)
	if err != nil {
		return fmt.Errorf("the file store cannot be written to: %w", cmp.Or(ctx.Err(), err))
	}
	body, _, _, err := b.api.GetObject(ctx, b.name, key, minio.GetObjectOptions{})
	if err != nil {
		return fmt.Errorf("the file store cannot be read from: %w", cmp.Or(ctx.Err(), err))
	}
	defer body.Close()
	got, err := io.ReadAll(io.LimitReader(body, int64(len(probe))+1))
	if err != nil {
		return fmt.Errorf("the file store cannot be read from: %w", err)
	}
	if !bytes.Equal(got, probe) {
		return errors.New("the file store does not give back what was written to it")
	}
	return nil
}

// object reads a stored object. Reading on and on is one request; a Seek
// elsewhere starts another at the next Read, and every ReadAt is one.
type object struct {
	ctx    context.Context // of Open: readers have no place to pass their own
	bucket *bucket
	hash   Hash
	size   int64

	at     int64
	body   io.ReadCloser // nil until the first Read, and after a Seek
	closed bool
}

func (o *object) Size() int64 { return o.size }

func (o *object) Read(p []byte) (int, error) {
	switch {
	case o.closed:
		return 0, os.ErrClosed
	case len(p) == 0:
		return 0, nil
	case o.at >= o.size:
		return 0, io.EOF
	}
	if o.body == nil {
		body, err := o.get(o.at, o.size)
		if err != nil {
			return 0, err
		}
		o.body = body
	}
	n, err := o.body.Read(p)
	o.at += int64(n)
	if err == io.EOF && o.at < o.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// get asks for the bytes from start up to, not including, end.
func (o *object) get(start, end int64) (io.ReadCloser, error) {
	var opts minio.GetObjectOptions
	if err := opts.SetRange(start, end-1); err != nil {
		return nil, err
	}
	body, info, header, err := o.bucket.api.GetObject(o.ctx, o.bucket.name, o.bucket.key(o.hash), opts)
	if err != nil {
		return nil, s3Error(o.ctx, "read a stored file", err)
	}
	if info.Size != end-start {
		body.Close()
		return nil, fmt.Errorf("read a stored file: asked for bytes %d to %d, was given %q of %d bytes",
			start, end-1, header.Get("Content-Range"), info.Size)
	}
	return body, nil
}

func (o *object) Seek(offset int64, whence int) (int64, error) {
	if o.closed {
		return 0, os.ErrClosed
	}
	at, err := seek(o.at, o.size, offset, whence)
	if err == nil && at != o.at {
		o.at = at
		o.drop()
	}
	return at, err
}

// seek gives the offset that Seek(offset, whence) means in a file of size bytes
// read up to now. Past the end is allowed: reading there gives io.EOF.
func seek(now, size, offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += now
	case io.SeekEnd:
		offset += size
	case io.SeekStart:
	default:
		return now, fmt.Errorf("seek: %w", fs.ErrInvalid)
	}
	if offset < 0 {
		return now, fmt.Errorf("seek before the start: %w", fs.ErrInvalid)
	}
	return offset, nil
}

func (o *object) ReadAt(p []byte, off int64) (int, error) {
	end := min(off+int64(len(p)), o.size)
	switch {
	case off < 0:
		return 0, errors.New("read a stored file: negative offset")
	case len(p) == 0:
		return 0, nil
	case off >= o.size:
		return 0, io.EOF
	}
	body, err := o.get(off, end)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	n, err := io.ReadFull(body, p[:end-off])
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// drop ends the request under way, if any.
func (o *object) drop() {
	if o.body != nil {
		o.body.Close()
		o.body = nil
	}
}

func (o *object) Close() error {
	if o.closed {
		return os.ErrClosed
	}
	o.closed = true
	o.drop()
	return nil
}
