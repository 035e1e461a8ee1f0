package enginetest

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// registry answers the part of the OCI distribution protocol by which images are
// pulled.
type registry struct {
	mu     sync.Mutex
	byName map[string][]byte // manifests by /v2/name/manifests/tag or digest
	blobs  map[string][]byte // by digest
	gate   chan struct{}     // closed while layers are given whole
}

func newRegistry() *registry {
	open := make(chan struct{})
	close(open)
	return &registry{byName: map[string][]byte{}, blobs: map[string][]byte{}, gate: open}
}

// listen serves the registry as long as the process lives.
func (g *registry) listen() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() { _ = http.Serve(l, g) }() //nolint:gosec // for one test, on the loopback address
	return l.Addr().String(), nil
}

func (g *registry) stall() func() {
	g.mu.Lock()
	defer g.mu.Unlock()
	gate := make(chan struct{})
	g.gate = gate
	return sync.OnceFunc(func() { close(gate) })
}

const (
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar"
)

// put adds an image of one layer.
func (g *registry) put(name string, layer []byte) {
	config := encode(map[string]any{"architecture": runtime.GOARCH, "os": "linux", "config": map[string]any{
		"Env": []string{"PATH=/usr/local/bin:/usr/bin:/bin"}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{digest(layer)}}})
	manifest := encode(map[string]any{"schemaVersion": 2, "mediaType": manifestType,
		"config": descriptor(configType, config), "layers": []any{descriptor(layerType, layer)}})
	g.mu.Lock()
	defer g.mu.Unlock()
	g.blobs[digest(layer)], g.blobs[digest(config)] = layer, config
	g.byName["/v2/"+name+"/manifests/1"] = manifest
	g.byName["/v2/"+name+"/manifests/"+digest(manifest)] = manifest
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func descriptor(kind string, content []byte) map[string]any {
	return map[string]any{"mediaType": kind, "size": len(content), "digest": digest(content)}
}

func (g *registry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	manifest := g.byName[r.URL.Path]
	blob := g.blobs[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]
	gate := g.gate
	g.mu.Unlock()
	switch {
	case r.URL.Path == "/v2/":
	case manifest != nil:
		w.Header().Set("Content-Type", manifestType)
		w.Header().Set("Docker-Content-Digest", digest(manifest))
		_, _ = w.Write(manifest)
	case blob != nil:
		give(w, r, blob, gate)
	default:
		http.Error(w, `{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}`, http.StatusNotFound)
	}
}

// give sends a blob; of one as long as a layer the second half waits for the gate.
func give(w http.ResponseWriter, r *http.Request, blob []byte, gate <-chan struct{}) {
	w.Header().Set("Content-Length", strconv.Itoa(len(blob)))
	half := 0
	if len(blob) > 100_000 {
		half = len(blob) / 2
		_, _ = w.Write(blob[:half])
		_ = http.NewResponseController(w).Flush()
		select {
		case <-gate:
		case <-r.Context().Done():
			return
		}
	}
	_, _ = w.Write(blob[half:])
}

// busybox packs the static shell with a name for each of its tools.
func busybox() ([]byte, error) {
	path, err := exec.LookPath("busybox")
	if err != nil {
		return nil, err
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	names, err := exec.Command(path, "--list").Output() //nolint:gosec // found on this machine
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for dir, mode := range map[string]int64{"bin/": 0o755, "tmp/": 0o1777} {
		_ = w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir, Mode: mode})
	}
	_ = w.WriteHeader(&tar.Header{Name: "bin/busybox", Mode: 0o755, Size: int64(len(program))})
	_, _ = w.Write(program)
	for _, n := range strings.Fields(string(names)) {
		if n != "busybox" {
			_ = w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: "bin/" + n, Linkname: "busybox"})
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack the static shell: %w", err)
	}
	return b.Bytes(), nil
}
