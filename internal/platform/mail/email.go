package mail

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Email is what a Message says.
type Email struct {
	Subject string
	Text    string
	HTML    string
}

// Content is the data of an email; each kind of email has a type of its own.
// Strings in it come from people: the HTML escapes them and the text keeps
// them to their line.
type Content interface {
	template() string // the name of its templates
	subject(l *Language) string
	language() *Language
}

// Frame is what every email has around its content.
type Frame struct {
	Product     string         // what the service calls itself
	Name        string         // whom the email greets
	About       string         // the unit it is about, by code and name; may be empty
	Link        string         // where its button leads
	Settings    string         // where emails can be chosen; none when empty
	Unsubscribe string         // where emails of this kind can be turned off; none when empty
	Now         time.Time      // when it is written
	Zone        *time.Location // whose clock its times are on; nil where nobody knows it
	Words       *Language      // what it speaks; nil is what the service does
}

// language is what the email speaks.
func (f Frame) language() *Language { return cmp.Or(f.Words, Spoken) }

// contents are an email of each kind.
var contents = []Content{Feedback{}, PortfolioReady{}, PortfolioFailed{}, PDFFailed{}, StudentWeek{}, StaffWeek{},
	Digest{}, Password{}, Address{}, WorkDeleted{}, Announcement{}, FinalGrade{}, Trial{}}

// Render writes the email of c.
func Render(c Content) (Email, error) {
	var text, html bytes.Buffer
	l := c.language()
	if err := l.text[c.template()].Execute(&text, c); err != nil {
		return Email{}, fmt.Errorf("write the text of the email %s: %w", c.template(), err)
	}
	if err := l.html[c.template()].Execute(&html, c); err != nil {
		return Email{}, fmt.Errorf("write the HTML of the email %s: %w", c.template(), err)
	}
	return Email{Subject: line(c.subject(l), 200), Text: tidy(text.String()), HTML: html.String()}, nil
}

// tidy takes out the empty lines that template actions leave behind.
func tidy(s string) string {
	var kept []string
	for l := range strings.Lines(s) {
		l = strings.TrimRight(l, " \t\r\n")
		if l == "" && (len(kept) == 0 || kept[len(kept)-1] == "") {
			continue
		}
		kept = append(kept, l)
	}
	return strings.TrimRight(strings.Join(kept, "\n"), "\n") + "\n"
}

func oneLine(s string) string { return line(s, 200) }

// cut bounds a longer text, such as a comment, keeping its lines.
func cut(s string) string {
	s = whole(s)
	if runes := []rune(s); len(runes) > 600 {
		return string(runes[:599]) + "…"
	}
	return s
}

// whole is a longer text with its lines, not bounded.
func whole(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n"))
}

// quote sets a longer text off, so that none of it can pass for the email's
// own words.
func quote(s string) string { return setOffLines(cut(s), 600) }

// quoteWhole is quote for a text that an email is there to tell, and so is not cut.
func quoteWhole(s string) string { return setOffLines(whole(s), utf8.RuneCountInString(s)+1) }

func setOffLines(s string, limit int) string {
	var b strings.Builder
	for l := range strings.Lines(s) {
		b.WriteString("    > " + line(l, limit) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// sentence lets a text begin as sentences do.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// webLink lets only web addresses into the text: a mail program would offer
// any other kind for clicking as well.
func webLink(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return u.String()
}
