package mail

import (
	"bytes"
	"embed"
	"fmt"
	htmltemplate "html/template"
	"net/url"
	"strings"
	"text/template"
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
	subject() string
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
}

//go:embed templates
var files embed.FS

// emails are the templates, parsed once: a mistake in them shows at the
// start of any program and test that uses this package.
var (
	htmlTemplates = map[string]*htmltemplate.Template{}
	textTemplates = map[string]*template.Template{}
)

func init() {
	helpers := map[string]any{"line": oneLine, "quote": quote, "cut": cut, "sentence": sentence,
		"count": count, "link": webLink}
	for _, c := range []Content{Feedback{}, PortfolioReady{}, PortfolioFailed{}, PDFFailed{}, StudentWeek{},
		StaffWeek{}, Digest{}, Password{}, Address{}, WorkDeleted{}} {
		name := c.template()
		htmlTemplates[name] = htmltemplate.Must(htmltemplate.New("frame.html").Funcs(helpers).
			ParseFS(files, "templates/frame.html", "templates/"+name+".html"))
		textTemplates[name] = template.Must(template.New("frame.txt").Funcs(helpers).
			ParseFS(files, "templates/frame.txt", "templates/"+name+".txt"))
	}
}

// Render writes the email of c.
func Render(c Content) (Email, error) {
	var text, html bytes.Buffer
	if err := textTemplates[c.template()].Execute(&text, c); err != nil {
		return Email{}, fmt.Errorf("write the text of the email %s: %w", c.template(), err)
	}
	if err := htmlTemplates[c.template()].Execute(&html, c); err != nil {
		return Email{}, fmt.Errorf("write the HTML of the email %s: %w", c.template(), err)
	}
	return Email{Subject: line(c.subject(), 200), Text: tidy(text.String()), HTML: html.String()}, nil
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
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	if runes := []rune(strings.TrimSpace(s)); len(runes) > 600 {
		return string(runes[:599]) + "…"
	}
	return strings.TrimSpace(s)
}

// quote sets a longer text off, so that none of it can pass for the email's
// own words.
func quote(s string) string {
	var b strings.Builder
	for l := range strings.Lines(cut(s)) {
		b.WriteString("    > " + line(l, 600) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// sentence lets a text begin as sentences do.
func sentence(s string) string {
	s = oneLine(s)
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// count writes "1 task" and "3 tasks".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
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
