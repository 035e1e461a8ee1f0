package main

import (
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"lectern/internal/ground/waittest"
)

// TestStandInAsAProgram runs the stand-in of the outside service as people who try things
// out do: the doctor finds it, calls fail as asked for, and what is not as published is
// refused and told.
func TestStandInAsAProgram(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	c := command(t, "fake-similarity-service", "--addr", at, "--key", "k")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	call := func(method, path, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+at+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Authorization": "Bearer k", "Content-Type": "application/json",
			"X-Turnitin-Integration-Name": "test", "X-Turnitin-Integration-Version": "1"} {
			r.Header.Set(name, value)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(text)
	}
	waittest.Until(t, "the stand-in to listen", func() bool {
		status, _ := call("GET", "/control/calls", "")
		return status == 200
	})
	said, _ := run(t, "doctor", "--data", t.TempDir(), "--tii-url", "http://"+at, "--tii-api-key", "k",
		"--tii-signing-key", "s", "--public-url", "http://127.0.0.1:3000")
	if !strings.Contains(said, "similarity the service at "+at+" answers") {
		t.Errorf("the doctor says: %s", said)
	}
	fault := `{"path":"/features-enabled$","times":1,"status":503}`
	if status, text := call("POST", "/control/faults", fault); status != 204 {
		t.Errorf("%d %s", status, text)
	}
	for _, want := range []int{503, 200} {
		if status, text := call("GET", "/api/v1/features-enabled", ""); status != want {
			t.Errorf("%d %s, want %d", status, text, want)
		}
	}
	for _, wrong := range []string{`{"owner":"x"}`, `{"owner":"x","title":"t","submitter":"x","mark":1}`, `[]`} {
		if status, text := call("POST", "/api/v1/submissions", wrong); status != 400 {
			t.Errorf("%s: %d %s", wrong, status, text)
		}
	}
	if _, text := call("GET", "/control/calls", ""); !strings.Contains(text, "mark is not known") {
		t.Errorf("nobody is told: %s", text)
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("stopped badly: %v", err)
	}
}
