package endpoint

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/web/httpserver"
)

// Polled is for an endpoint that clients ask again and again: its answer has an
// ETag, and 304 is said to who has it already. The tag is made of the answer
// itself, so it changes with everything that is shown; while nothing at all was
// written since it was made, the answer is not even put together.
func Polled() Option {
	return func(i *Info) {
		i.polled = true
		Also(http.StatusNotModified, "the answer is the one that If-None-Match names")(i)
	}
}

// Shown tells which answer a request would get: whoever gets the same Key and Version
// gets the same answer, byte for byte.
type Shown struct {
	Key     string // the record, and as whom the caller sees it
	Version string // of all that is shown
}

// PolledBy is Polled for an endpoint whose answers tell by themselves whether they
// still hold: the last ones are kept, and sent to whoever is shown the same, but for
// those who ask with Cache-Control: no-cache.
func PolledBy[In any](shown func(ctx context.Context, who *access.Caller, in In) (Shown, error)) Option {
	return func(i *Info) {
		Polled()(i)
		i.shown = func(ctx context.Context, who *access.Caller, in any) (Shown, error) {
			return shown(ctx, who, *in.(*In))
		}
	}
}

// errNotModified ends a request whose answer the client has, errKept one whose answer
// is kept here.
var (
	errNotModified = errors.New("not modified")
	errKept        = errors.New("kept")
)

// polls remember the tags of answers, by caller and address.
type polls struct {
	db   *db.DB
	mu   sync.Mutex
	tags map[string]poll
	kept keptAnswers
}

// poll is the tag of an answer in a state of the database.
type poll struct {
	version, tag string
}

// mostPolls bounds the memory: beyond, all is forgotten and learnt again.
const mostPolls = 10_000

func (p *polls) known(key string) poll {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tags[key]
}

func (p *polls) remember(key string, one poll) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tags == nil || len(p.tags) >= mostPolls {
		p.tags = map[string]poll{}
	}
	p.tags[key] = one
}

// conditional is one request to an endpoint that is polled; nil to another.
type conditional struct {
	polls   *polls
	shown   func(context.Context, *access.Caller, any) (Shown, error)
	asked   tagList // If-None-Match
	anew    bool    // the client does not want an answer that was kept
	uri     string
	whose   string // whom the answer is for, so that nobody has another's by chance
	key     string
	version string // of the database, or of what is shown, before the answer was read; empty: unknown
	tag     string // of the answer as it is before it is compressed
	had     string // the one of its tags that the client has
	answer  held
	kept    *keptAnswer
}

func (s *Server) conditional(i *Info, r *http.Request) *conditional {
	if !i.polled {
		return nil
	}
	return &conditional{polls: &s.polls, shown: i.shown, asked: tagsOf(r, "If-None-Match"),
		anew: strings.Contains(r.Header.Get("Cache-Control"), "no-cache"), uri: r.URL.RequestURI()}
}

// begin is called when the caller has shown their right, with what they ask. It fails
// with errNotModified when they have the answer and nothing was written since, and
// with errKept when the answer is here already.
func (c *conditional) begin(ctx context.Context, who *access.Caller, in any) error {
	if c == nil {
		return nil
	}
	if c.shown != nil {
		return c.look(ctx, who, in)
	}
	c.whose = strconv.FormatInt(who.ID, 10)
	c.key = c.whose + " " + c.uri
	if !c.asked.given {
		return nil
	}
	v, err := c.polls.db.Version(ctx)
	if err != nil {
		return err
	}
	c.version = v
	if k := c.polls.known(c.key); k.version == v && !c.asked.any && c.has(k.tag) {
		return errNotModified
	}
	return nil
}

// look finds the answer that is kept of what is shown.
func (c *conditional) look(ctx context.Context, who *access.Caller, in any) error {
	s, err := c.shown(ctx, who, in)
	if err != nil {
		return err
	}
	c.whose, c.key, c.version = s.Key, s.Key, s.Version
	if c.anew {
		return nil
	}
	if c.kept = c.polls.kept.of(c.key, c.version); c.kept == nil {
		return nil
	}
	if c.tag = c.kept.tag; !c.asked.any && c.has(c.tag) {
		return errNotModified
	}
	return errKept
}

// has tells whether the client has the answer with a tag, however it was compressed.
func (c *conditional) has(tag string) bool {
	c.had = c.asked.names(tag, false)
	return c.had != ""
}

// finish sends what was answered, or that the client has it.
func (c *conditional) finish(w http.ResponseWriter, r *http.Request) {
	if status := c.answer.status; status != 0 && status != http.StatusOK {
		c.answer.send(w)
		return
	}
	c.tag = c.answer.tag(c.whose)
	switch {
	case c.shown != nil:
		c.kept = c.polls.kept.keep(c.key, c.version, c.tag, c.answer.header.Get("Content-Type"), c.answer.Bytes())
	case c.version != "":
		c.polls.remember(c.key, poll{c.version, c.tag})
	}
	if c.has(c.tag) {
		if c.asked.any {
			c.had = codedTag(c.tag, r, c.answer.Len())
		}
		c.notModified(w)
		return
	}
	if c.kept != nil {
		c.sendKept(w, r)
		return
	}
	c.label(w, codedTag(c.tag, r, c.answer.Len()))
	w, done := httpserver.Compress(w, r)
	c.answer.send(w)
	done()
}

// sendKept sends an answer that is kept.
func (c *conditional) sendKept(w http.ResponseWriter, r *http.Request) {
	if c.asked.any {
		c.had = codedTag(c.tag, r, len(c.kept.body.Plain))
		c.notModified(w)
		return
	}
	c.label(w, codedTag(c.tag, r, len(c.kept.body.Plain)))
	w.Header().Set("Content-Type", c.kept.contentType)
	_ = httpserver.Send(w, r, &c.kept.body) // the client left
}

func (c *conditional) label(w http.ResponseWriter, tag string) {
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
}

func (c *conditional) notModified(w http.ResponseWriter) {
	c.label(w, c.had)
	for _, name := range []string{"Content-Type", "X-Total-Count"} {
		w.Header().Del(name)
	}
	w.WriteHeader(http.StatusNotModified)
}

// held is an answer that is kept until its tag is known.
type held struct {
	bytes.Buffer
	header http.Header
	status int
}

func (h *held) Header() http.Header { return h.header }

func (h *held) WriteHeader(status int) {
	if h.status == 0 {
		h.status = status
	}
}

// tag is that of an answer for somebody, as it is before it is compressed.
func (h *held) tag(whose string) string {
	sum := sha256.New()
	sum.Write([]byte(whose + " "))
	// A page of a list can stay as it is while there is more of the list.
	sum.Write([]byte(h.header.Get("X-Total-Count")))
	sum.Write(h.Bytes())
	return `"` + base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:16]) + `"`
}

func (h *held) send(w http.ResponseWriter) {
	if h.status != 0 {
		w.WriteHeader(h.status)
	}
	_ = httpserver.Write(w, h.Bytes()) // the client left
}
