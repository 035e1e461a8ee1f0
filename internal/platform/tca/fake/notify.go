package fake

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// hook is an address that is notified.
type hook struct {
	id, url string
	secret  []byte
}

// Notified is a notification that was sent.
type Notified struct {
	Event  string
	Status int // as the receiver answered; 0: it was not reached
}

func (s *Service) listHooks(*request) (int, any) {
	list := []map[string]any{}
	for _, h := range s.hooks {
		list = append(list, map[string]any{"id": h.id, "url": h.url, "created_time": "2024-01-01T00:00:00Z"})
	}
	return http.StatusOK, list
}

func (s *Service) addHook(in *request) (int, any) {
	secret, err := base64.StdEncoding.DecodeString(in.json["signing_secret"].(string))
	if err != nil {
		return problem(http.StatusBadRequest, "The signing_secret is not in base64")
	}
	h := &hook{newID(), in.json["url"].(string), secret}
	for _, other := range s.hooks {
		if other.url == h.url {
			return problem(http.StatusConflict, "There is a webhook with this url")
		}
	}
	s.hooks = append(s.hooks, h)
	return http.StatusCreated, map[string]any{"id": h.id, "url": h.url}
}

func (s *Service) deleteHook(in *request) (int, any) {
	for i, h := range s.hooks {
		if h.id == in.PathValue("id") {
			s.hooks = append(s.hooks[:i:i], s.hooks[i+1:]...)
			return http.StatusNoContent, nil
		}
	}
	return problem(http.StatusNotFound, "No such webhook")
}

var poster = &http.Client{Timeout: 10 * time.Second}

// tell notifies all registered addresses, each in a goroutine of its own. The caller
// holds the lock.
func (s *Service) tell(event string, body map[string]any) {
	body["metadata"] = map[string]any{}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // bodies of plain values always encode
	}
	for _, h := range s.hooks {
		s.posts.Go(func() {
			status := h.post(event, text)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.events = append(s.events, Notified{event, status})
		})
	}
}

func (h *hook) post(event string, body []byte) int {
	mac := hmac.New(sha256.New, h.secret)
	mac.Write(body)
	r, err := http.NewRequest(http.MethodPost, h.url, bytes.NewReader(body)) //nolint:noctx // the client's limit ends it
	if err != nil {
		return 0
	}
	for _, family := range []string{"Similarity", "Turnitin"} {
		r.Header.Set("X-"+family+"-Signature", hex.EncodeToString(mac.Sum(nil)))
		r.Header.Set("X-"+family+"-EventType", event)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := poster.Do(r)
	if err != nil {
		return 0
	}
	answer.Body.Close()
	return answer.StatusCode
}

// PDF makes a small report that any reader opens.
func PDF(title string, percent int64) []byte {
	text := fmt.Sprintf("BT /F1 12 Tf 40 780 Td (%s: %d percent) Tj ET", plainText(title), percent)
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R " +
			"/Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(text), text),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var places []int
	for i, o := range objects {
		places = append(places, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

// plainText keeps what may stand in a string of a PDF.
func plainText(s string) string {
	var b bytes.Buffer
	for _, r := range s {
		if r < ' ' || r > '~' || r == '(' || r == ')' || r == '\\' {
			r = '.'
		}
		b.WriteRune(r)
	}
	return b.String()
}
