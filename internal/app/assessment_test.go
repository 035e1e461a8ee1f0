package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"lectern/internal/platform/container/enginetest"
)

// The doctor says of an engine behind TLS whose certificate is not taken, and what to do.
func TestDoctorLooksAtTheEngine(t *testing.T) {
	ours, theirs := enginetest.NewAuthority(t), enginetest.NewAuthority(t)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"ApiVersion":"1.41"}`)
	}))
	s.TLS = ours.Server(t)
	s.StartTLS()
	defer s.Close()
	host := strings.Replace(s.URL, "https:", "tcp:", 1)
	look := func(host, certs string) string {
		return doctored(t, Settings{Assessment: Assessment{ContainerHost: host, ContainerCerts: certs, AssessmentSeconds: 9,
			AssessmentMemoryMB: 64, AssessmentCPUs: 1, AssessmentProcesses: 9, AssessmentOpenFiles: 9,
			AssessmentOutputKB: 9, AssessmentFolderMB: 9}})
	}
	says(t, look(host, ours.Client(t, ours)), "ok   engine     answers at "+host)
	says(t, look(host, theirs.Client(t, ours)), "FIX  engine", "--container-certs")
	says(t, look(host, ours.Client(t, theirs)), "FIX  engine", "another authority than that in ca.pem")
	says(t, look(host, ""), "whoever reaches it without them rules its machine")
	says(t, look("unix:///nowhere/engine.sock", ""), "FIX  engine", "podman system service")
	s.Close()
	says(t, look(host, ours.Client(t, ours)), "FIX  engine", "Nobody listens there", "--tlsverify")
}
