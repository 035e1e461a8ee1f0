package work

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/files"
)

// MaxMedia is the size an attachment or a recording may have, in bytes, unless
// the settings say otherwise. Whoever takes uploads holds them to it.
const MaxMedia = 30 * bounds.MB

// Media is a stored file that people look at or listen to, as its content
// tells: neither its name nor the type its sender claims counts.
type Media struct {
	File files.Info
	Kind string // image, audio, pdf or video: the type of its comment
	Type string // the media type it is served with
}

// Put stores what was looked at. A PDF is cleaned of all that could act in a
// reader's hands, or refused with fault.Unsupported.
func (m *Media) Put(ctx context.Context, store files.Store, r io.Reader) (files.Info, error) {
	if m.Type == "application/pdf" {
		return blob.PutPDF(ctx, store, r)
	}
	return store.Put(ctx, r)
}

// mediaTypes are the accepted types as they are found, with the type each is
// served as.
var mediaTypes = map[string]struct{ kind, as string }{
	"image/png":       {"image", "image/png"},
	"image/jpeg":      {"image", "image/jpeg"},
	"image/gif":       {"image", "image/gif"},
	"image/webp":      {"image", "image/webp"},
	"image/bmp":       {"image", "image/bmp"},
	"image/tiff":      {"image", "image/tiff"},
	"audio/wav":       {"audio", "audio/wav"},
	"audio/mpeg":      {"audio", "audio/mpeg"},
	"audio/ogg":       {"audio", "audio/ogg"},
	"audio/aac":       {"audio", "audio/aac"},
	"audio/flac":      {"audio", "audio/flac"},
	"audio/mp4":       {"audio", "audio/mp4"},
	"audio/x-m4a":     {"audio", "audio/mp4"},
	"application/pdf": {"pdf", "application/pdf"},
	"video/mp4":       {"video", "video/mp4"},
	"video/webm":      {"video", "video/webm"},
	"video/quicktime": {"video", "video/quicktime"},
}

var mediaExtensions = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/bmp": ".bmp",
	"image/tiff": ".tiff",
	"audio/wav":  ".wav", "audio/mpeg": ".mp3", "audio/ogg": ".ogg", "audio/aac": ".aac", "audio/flac": ".flac",
	"audio/mp4":  ".m4a",
	"audio/webm": ".webm", "application/pdf": ".pdf", "video/mp4": ".mp4", "video/webm": ".webm",
	"video/quicktime": ".mov",
}

// MediaTypes gives the types of content that attachments are handed out with, of
// those that begin so.
func MediaTypes(prefix string) []string {
	var out []string
	for t := range mediaExtensions {
		if strings.HasPrefix(t, prefix) {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out
}

// LookAtMedia tells by its content what a file is: fault.Invalid when it is
// empty, fault.Unsupported when it is none of what people may attach.
func LookAtMedia(r io.ReaderAt, size int64) (Media, error) {
	if size == 0 {
		return Media{}, fault.New(fault.Unsupported, "The file is empty. Choose the one you recorded or saved, and "+
			"send it again.")
	}
	found, err := mimetype.DetectReader(io.NewSectionReader(r, 0, size))
	if err != nil {
		return Media{}, fmt.Errorf("look at an attachment: %w", err)
	}
	as, known := mediaTypes[found.String()]
	if !known {
		return Media{}, fault.New(fault.Unsupported, "The file is not an image, a sound, a PDF or a video, so it "+
			"cannot be attached (its content is %s).", found)
	}
	m := Media{Kind: as.kind, Type: as.as}
	if m.Type == "application/pdf" {
		err = files.CheckPDF(r, size)
	}
	if err == nil {
		err = m.listen(r, size)
	}
	return m, err
}

// LookAtSound is LookAtMedia for recordings: it refuses all that is not sound.
func LookAtSound(r io.ReaderAt, size int64) (Media, error) {
	m, err := LookAtMedia(r, size)
	if err == nil && m.Kind != "audio" {
		err = fault.New(fault.Unsupported, "The file is not a sound recording (its content is %s).", m.Type)
	}
	return m, err
}

// listen finds out whether a container that may hold a film holds only sound:
// browsers record speech into the same containers.
func (m *Media) listen(r io.ReaderAt, size int64) error {
	var film bool
	var err error
	switch m.Type {
	case "video/webm":
		film, err = filmInWebM(r, size)
	case "video/mp4":
		film, err = filmInMP4(r, size)
	default:
		return nil
	}
	if err == nil && !film {
		m.Kind, m.Type = "audio", "audio"+m.Type[len("video"):]
	}
	return err
}

// filmInWebM looks for the codec of a video track, which stands near the start.
func filmInWebM(r io.ReaderAt, size int64) (bool, error) {
	head, err := files.Window(r, 0, min(size, 64<<10))
	return bytes.Contains(head, []byte("V_VP")) || bytes.Contains(head, []byte("V_AV1")) ||
		bytes.Contains(head, []byte("V_MPEG")), err
}

// Bounds on looking through an MP4, whose index may stand anywhere.
const (
	mostBoxes = 1000
	mostIndex = 4 << 20
)

// filmInMP4 looks for the handler of a video track in the index of the file,
// the box moov. Where there is none it takes the file for a film.
func filmInMP4(r io.ReaderAt, size int64) (bool, error) {
	at := int64(0)
	for range mostBoxes {
		if at+16 > size {
			break
		}
		head, err := files.Window(r, at, at+16)
		if err != nil {
			return false, err
		}
		length := int64(binary.BigEndian.Uint32(head))
		if length == 1 {
			length = int64(binary.BigEndian.Uint64(head[8:]) & (1<<62 - 1))
		}
		if length < 8 || length > size-at {
			length = size - at
		}
		if string(head[4:8]) == "moov" {
			index, err := files.Window(r, at, at+min(length, mostIndex))
			return hasFilmTrack(index), err
		}
		at += length
	}
	return true, nil
}

// hasFilmTrack looks for a box hdlr that names the handler vide, after its
// version, flags and four bytes of nothing.
func hasFilmTrack(index []byte) bool {
	for {
		_, rest, found := bytes.Cut(index, []byte("hdlr"))
		if !found {
			return false
		}
		if len(rest) >= 12 && string(rest[8:12]) == "vide" {
			return true
		}
		index = rest
	}
}
