package httpserver

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestWhatIsNoRequestIsRefusedInPlainText shows the answers that net/http gives
// itself, before there is a request that could be handed to anybody: it has no hook
// for them, and they are in plain text. Each says its status, and the connection
// ends. What is a request gets JSON from us.
func TestWhatIsNoRequestIsRefusedInPlainText(t *testing.T) {
	_, _, addr := listening(t, Pace{}, func(w http.ResponseWriter, _ *http.Request) { JSON(w, 200, true) })
	for _, c := range []struct {
		what, text string
		status     int
		body       string
	}{
		{"no host", "GET /api/x HTTP/1.1\r\n\r\n", 400, "400 Bad Request: missing required Host header"},
		{"two hosts", "GET /api/x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "400 Bad Request"},
		{"long headers", "GET /api/x HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 80<<10) + "\r\n\r\n", 431,
			"431 Request Header Fields Too Large"},
		{"an unknown encoding", "POST /api/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501,
			"Unsupported transfer encoding"},
		{"HTTP 3", "GET /api/x HTTP/3.0\r\nHost: a\r\n\r\n", 505, "505 HTTP Version Not Supported: unsupported protocol"},
		{"no HTTP", "hello\r\n\r\n", 400, "400 Bad Request"},
	} {
		conn := dial(t, addr, "")
		go io.WriteString(conn, c.text) // the server may hang up before it has all
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		got, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		body, _ := io.ReadAll(got.Body)
		got.Body.Close()
		if got.StatusCode != c.status || !strings.HasPrefix(string(body), c.body) || !got.Close ||
			got.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: %s %v %s", c.what, got.Status, got.Header, body)
		}
	}
}
