package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"os"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/usecase"
)

// MostSheet is how large a sheet may be that is looked at before it is imported: the plan carries it.
const MostSheet = 2 * bounds.MB

// PackSheet writes a sheet as one line that a form carries.
func PackSheet(u usecase.Upload) (string, error) {
	f, err := u.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.Copy(z, f); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b.Bytes()), nil
}

// UnpackSheet gives the sheet that PackSheet wrote, on disk until done is called.
func (s *Site) UnpackSheet(text string) (u usecase.Upload, done func(), err error) {
	broken := fault.New(fault.Invalid, "%s", s.Word("sheet-import.broken"))
	packed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return u, nil, broken
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return u, nil, broken
	}
	f, err := os.CreateTemp(s.Spool, "sheet-*")
	if err != nil {
		return u, nil, err
	}
	done = func() { os.Remove(f.Name()) } //nolint:errcheck // the spool is swept
	size, err := io.Copy(f, io.LimitReader(z, MostSheet+1))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil || size > MostSheet {
		done()
		return u, nil, broken
	}
	name := f.Name()
	return usecase.Upload{Name: "sheet", Size: size, Open: func() (*os.File, error) {
		return os.Open(name) //nolint:gosec // a file of the spool, made above
	}}, done, nil
}
