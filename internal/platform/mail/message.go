// Package mail sends e-mail: through an SMTP server, or into a directory to be
// looked at. It also writes the service's emails from embedded templates. It
// knows nothing of why an email is sent or to whom it may be.
package mail

import (
	"bytes"
	"context"
	_ "embed" // the mark
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"

	"lectern/internal/ground/fault"
)

// Message is one email to one person.
type Message struct {
	To, ToName     string // address and display name
	From, FromName string
	ReplyTo        string // where answers go; the sender's address when empty
	Subject        string
	Text           string
	HTML           string // the same for programs that show it; may be empty

	// ID is the Message-ID without its angle brackets. It must be the same
	// when an email is sent again because nobody knows whether the first try
	// arrived: that is how the receiving side can tell that it did.
	ID string

	// Unsubscribe is an address that takes one POST to end emails of this
	// kind (RFC 8058); none for emails one cannot do without.
	Unsubscribe string
}

// Sender delivers messages. A nil error means that the message has been taken
// over; Permanent tells whether trying again after an error can help.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// mark is the service's sign, which the HTML of a message shows by its id.
//
//go:embed templates/mark.png
var mark []byte

const markID = "mark@lectern"

// build checks the message and puts it together. Line breaks and control
// characters in names and the subject become spaces, so no header can be
// smuggled in; an address or id that cannot be used is an Invalid fault.
func (m Message) build() (*gomail.Msg, error) {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	from, err := address("sender", m.FromName, m.From)
	if err != nil {
		return nil, err
	}
	to, err := address("recipient", m.ToName, m.To)
	if err != nil {
		return nil, err
	}
	msg.FromMailAddress(from)
	msg.ToMailAddress(to)
	if m.ReplyTo != "" {
		reply, err := address("reply address", "", m.ReplyTo)
		if err != nil {
			return nil, err
		}
		msg.ReplyToMailAddress(reply)
	}
	if err := m.setHeaders(msg); err != nil {
		return nil, err
	}
	if strings.TrimSpace(m.Text) == "" {
		return nil, fault.New(fault.Invalid, "the email has no text")
	}
	msg.SetBodyString(gomail.TypeTextPlain, body(m.Text))
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, body(m.HTML))
	}
	if strings.Contains(m.HTML, "cid:"+markID) { // several mail programs draw no SVG, and fetch nothing
		msg.EmbedReadSeeker("mark.png", bytes.NewReader(mark), gomail.WithFileContentID("<"+markID+">"))
	}
	return msg, nil
}

func (m Message) setHeaders(msg *gomail.Msg) error {
	if len(m.ID) > 200 || !messageID.MatchString(m.ID) {
		return fault.New(fault.Invalid, "%q is not a Message-ID: it has the form name@host", m.ID)
	}
	msg.SetMessageIDWithValue(m.ID)
	msg.Subject(line(m.Subject, 200))
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // no out-of-office answers, please
	if m.Unsubscribe == "" {
		return nil
	}
	link, err := url.Parse(m.Unsubscribe)
	if err != nil || link.Host == "" || link.Scheme != "https" && link.Scheme != "http" ||
		strings.ContainsAny(m.Unsubscribe, "<> ,") {
		return fault.New(fault.Invalid, "the address to unsubscribe at is not a web address")
	}
	msg.SetListUnsubscribe(link.String())
	if link.Scheme == "https" { // one click is only promised over a safe connection
		msg.SetListUnsubscribePost()
	}
	return nil
}

var messageID = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$")

// address checks a bare address, and cleans the name that goes with it.
func address(what, name, addr string) (*mail.Address, error) {
	a, err := mail.ParseAddress(addr)
	odd := strings.ContainsFunc(addr, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`<>()[]\,;:"`, r)
	})
	if err != nil || odd || a.Address != addr || len(addr) > 254 || !utf8.ValidString(addr) {
		return nil, fault.New(fault.Invalid, "the %s is not an email address", what) // which the log is not told
	}
	// net/mail leaves a backslash bare in an encoded word, where parsers, its
	// own included, take it for a quote and lose the address.
	name = strings.ReplaceAll(line(name, 100), `\`, "/")
	return &mail.Address{Name: name, Address: addr}, nil
}

// line makes text from people one line of at most limit characters, without
// controls and without what turns the direction of the text after it.
func line(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	runes := []rune(strings.Join(strings.Fields(s), " "))
	if len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return string(runes)
}

// body makes text fit for a part of a message: valid, NUL-free, and with the
// line ends of mail.
func body(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
	return strings.ReplaceAll(s, "\n", "\r\n")
}
