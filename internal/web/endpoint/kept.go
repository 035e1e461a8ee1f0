package endpoint

import (
	"sync"
	"time"

	"lectern/internal/web/httpserver"
)

// Answers are kept up to mostKept bytes in all: beyond, all are forgotten and made
// again. keptFor bounds how long, as versions may come again after a day.
const (
	mostKept = 16 << 20
	keptFor  = time.Hour
)

// keptAnswers are the answers of endpoints that are PolledBy.
type keptAnswers struct {
	mu    sync.Mutex
	by    map[string]*keptAnswer
	bytes int
}

// keptAnswer is an answer in one state of what it shows.
type keptAnswer struct {
	version, tag, contentType string
	body                      httpserver.Body
	until                     time.Time
}

// of gives the answer under a key if it is of that version, else nil.
func (k *keptAnswers) of(key, version string) *keptAnswer {
	k.mu.Lock()
	defer k.mu.Unlock()
	if a := k.by[key]; a != nil && a.version == version && time.Now().Before(a.until) {
		return a
	}
	return nil
}

// keep remembers an answer, whose bytes it copies, and gives it.
func (k *keptAnswers) keep(key, version, tag, contentType string, body []byte) *keptAnswer {
	a := &keptAnswer{version: version, tag: tag, contentType: contentType, until: time.Now().Add(keptFor)}
	a.body.Plain = append(a.body.Plain, body...)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.bytes += len(body)
	if old := k.by[key]; old != nil {
		k.bytes -= len(old.body.Plain)
	}
	if k.by == nil || k.bytes > mostKept {
		k.by, k.bytes = map[string]*keptAnswer{}, len(body)
	}
	k.by[key] = a
	return a
}
