package container

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// profile is what a program in a container may ask of the kernel: what engines let through for
// programs without rights, without namespaces, mounts and keys. Podman's own lets programs make
// user namespaces, in which they have rights over parts of the kernel that nobody else reaches.
//
//go:embed seccomp.json
var profile []byte

// seccomp gives the security option by which the engine applies the profile. Docker takes its
// text. Podman takes the name of a file on its machine, wherever that is, so the profile is put
// there, by way of a volume and of a container of the image that is never started.
func (e *Engine) seccomp(ctx context.Context, image string) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.option != "" {
		return e.option, nil
	}
	var v struct{ Components []struct{ Name string } }
	if err := e.call(ctx, http.MethodGet, "/version", nil, nil, &v); err != nil {
		return "", err
	}
	if len(v.Components) == 0 || !strings.HasPrefix(v.Components[0].Name, "Podman") {
		var text bytes.Buffer
		if err := json.Compact(&text, profile); err != nil {
			return "", err
		}
		e.option = "seccomp=" + text.String()
		return e.option, nil
	}
	dir, err := e.placeProfile(ctx, image)
	if err == nil {
		e.option = "seccomp=" + dir + "/" + profileFile
	}
	return e.option, err
}

// forgetSeccomp has the profile put in place again, as when somebody removed unused volumes. It
// tells whether a refusal is for the want of it.
func (e *Engine) forgetSeccomp(err error) bool {
	no, ok := errors.AsType[*Refused](err)
	if !ok || !strings.Contains(no.Text, "seccomp profile") {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.option = ""
	return true
}

const (
	profileFile = "seccomp.json"
	carried     = "/lectern" // where the volume is in the container that carries the profile
)

// placeProfile puts the profile into a volume that is named after its content, and tells where
// that is on the engine's machine.
func (e *Engine) placeProfile(ctx context.Context, image string) (string, error) {
	sum := sha256.Sum256(profile)
	name := "lectern-seccomp-" + hex.EncodeToString(sum[:8])
	var volume struct{ Mountpoint string }
	if err := e.call(ctx, http.MethodPost, "/volumes/create", nil, struct{ Name string }{name}, &volume); err != nil {
		return "", err
	}
	body := createBody{Image: tagged(image), Entrypoint: []string{"/bin/sh"}, Labels: map[string]string{ownLabel: e.service},
		HostConfig: hostConfig{NetworkMode: "none", Binds: []string{name + ":" + carried}}}
	id, err := e.createAs(ctx, body)
	if err != nil {
		return "", err
	}
	defer e.removeLater(ctx, id)
	return volume.Mountpoint, e.putArchive(ctx, id)
}

// putArchive puts the profile into the folder of a container where the volume is.
func (e *Engine) putArchive(ctx context.Context, id string) error {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := w.WriteHeader(&tar.Header{Name: profileFile, Mode: 0o644, Size: int64(len(profile))})
	if err == nil {
		_, err = w.Write(profile)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	r, err := e.request(ctx, http.MethodPut, "/containers/"+id+"/archive", url.Values{"path": {carried}}, nil)
	if err != nil {
		return err
	}
	r.Body, r.ContentLength = io.NopCloser(&b), int64(b.Len())
	r.Header.Set("Content-Type", "application/x-tar")
	answer, err := e.http.Do(r)
	if err != nil {
		return unavailable(ctx, err)
	}
	defer answer.Body.Close()
	if err := refused(answer); err != nil {
		return fmt.Errorf("put the seccomp profile in place: %w", err)
	}
	return nil
}
