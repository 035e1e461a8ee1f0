package container_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"lectern/internal/platform/container"
	"lectern/internal/platform/container/enginetest"
)

// Docker is given the text of the profile: it takes no name of a file.
func TestDockerIsGivenTheTextOfTheProfile(t *testing.T) {
	var body struct {
		HostConfig struct{ SecurityOpt []string }
	}
	host := enginetest.Fake(t, map[string]http.HandlerFunc{
		"POST /containers/create": func(w http.ResponseWriter, r *http.Request) {
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			enginetest.Says(500, "not now")(w, r)
		}})
	e, err := container.Open(host, "", t.Name())
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Run(t.Context(), container.Run{Image: "box:1", Command: []string{"/bin/sh"}, User: 12345, Limits: small,
		Output: io.Discard, Report: io.Discard})
	if err == nil || len(body.HostConfig.SecurityOpt) != 2 {
		t.Fatalf("%v: %v", err, body)
	}
	var given struct {
		DefaultAction string
		Syscalls      []struct{ Names []string }
	}
	text, found := strings.CutPrefix(body.HostConfig.SecurityOpt[1], "seccomp=")
	if err := json.Unmarshal([]byte(text), &given); !found || err != nil || given.DefaultAction != "SCMP_ACT_ERRNO" ||
		len(given.Syscalls) == 0 {
		t.Errorf("%v: %.200s", err, text)
	}
}
