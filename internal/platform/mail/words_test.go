package mail_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"lectern/internal/ground/words"
	"lectern/internal/ground/words/wordstest"
	"lectern/internal/platform/mail"
	"lectern/internal/platform/mail/mailtest"
)

// here is where the tables of emails stand.
var here = os.DirFS(".")

// Every language has words for what English has words for, with the same values, and the forms that its
// numbers need; what a text sets off ends again.
func TestLanguagesAreComplete(t *testing.T) {
	wordstest.Complete(t, here)
	for tag, table := range wordstest.Tables(t, here) {
		for key, text := range table.Some("") {
			text.Each(func(form string) string {
				if strings.Count(form, "**")%2 != 0 {
					t.Errorf("%s: %s sets off without an end: %q", tag, key, form)
				}
				return form
			})
		}
	}
}

func TestCountsHaveTheirForms(t *testing.T) { wordstest.Counted(t, here) }

var (
	action = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	style  = regexp.MustCompile(`(?s)<style>.*?</style>`)
	tag    = regexp.MustCompile(`(?s)<[^>]*>|&[a-z]+;`)
	read   = regexp.MustCompile(`(?:alt|title|aria-label|aria-description)="[^"]*\pL`)
	quoted = regexp.MustCompile(`"([^"]*)"`)
	known  = regexp.MustCompile(`\b(?:t|late|template|define|block) "[^"]*"|\banchor [^ "]+ "[^"]*"`)
)

// No template of an email has words of its own, neither as they stand nor in what it does.
func TestTemplatesHaveNoWordsOfTheirOwn(t *testing.T) {
	names, err := filepath.Glob("templates/*.[ht]*")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d templates: %v", len(names), err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rest := tag.ReplaceAllString(style.ReplaceAllString(action.ReplaceAllString(string(data), ""), ""), "")
		if at := strings.IndexFunc(rest, unicode.IsLetter); at >= 0 {
			t.Errorf("%s says %q", name, strings.TrimSpace(rest[at:min(len(rest), at+40)]))
		}
		if found := read.FindString(action.ReplaceAllString(string(data), "")); found != "" {
			t.Errorf("%s says %s", name, found)
		}
		for _, a := range action.FindAllString(string(data), -1) {
			for _, m := range quoted.FindAllStringSubmatch(known.ReplaceAllString(a, ""), -1) {
				if strings.ContainsFunc(m[1], unicode.IsLetter) {
					t.Errorf("%s says %q in %s", name, m[1], a)
				}
			}
		}
	}
}

// given are texts of the samples: what people are called and wrote, and words of the domain that the
// samples hold as they are.
var given = strings.NewReplacer("Lectern", "", "Ada", "", "ada", "", "COS10001", "", "Introduction to Programming", "",
	"1.1P", "", "Hello World", "", "2.3C", "", "Arrays & <lists>", "", "Grace Hopper", "", "Alan Turing", "",
	"Katherine Johnson", "", "Nice work.", "", "Could you say why the loop ends?", "", "Get well soon.", "",
	"The learning summary report is not a PDF.", "", "main.c is larger than 10 MB.", "",
	"Show only the part you wrote.", "", "the task", "", "The task", "", "the group Red", "", "The group Red", "",
	"Complete", "", "Fix and resubmit", "", "Discuss", "", "Working on it", "", "Need help", "", "Redo", "",
	"No lecture on Monday & <Tuesday>", "", "Hello, the lecture moves to Wednesday, 10:00, in <EN 101>. Grace", "",
	"Hello, > > the lecture moves to Wednesday, 10:00, in <EN 101>. > > Grace", "", "Grace Hopper", "",
	"Time exceeded", "", "Not started", "", "Credit", "", "Pass", "", "UTC", "", "Kolkata", "", "Melbourne", "",
	"https://lectern.example.edu/projects/7", "", "https://lectern.example.edu/profile", "",
	"https://lectern.example.edu/unsubscribe?token=7", "")

// shown is what people read of an email.
func shown(t *testing.T, text string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "style" {
			out.WriteString(n.Data + " ")
		}
		for _, a := range []string{"alt", "title", "aria-label"} {
			out.WriteString(attribute(n, a) + " ")
		}
	}
	return out.String()
}

// Another language is one file: subjects, what stands before an email in a list, both its forms, dates,
// counts and the foot come from the table, and nothing else does but what people wrote.
func TestEmailsInAnotherLanguage(t *testing.T) {
	table := wordstest.Marked(t, here)
	for name, c := range mailtest.SamplesIn(mail.NewLanguage(table)) {
		l := render(t, c)
		for part, text := range map[string]string{"subject": l.Subject, "text": l.Text, "HTML": shown(t, l.HTML)} {
			rest := given.Replace(strings.Join(strings.Fields(wordstest.Unmarked(text)), " "))
			if at := strings.IndexFunc(rest, unicode.IsLetter); at >= 0 {
				t.Errorf("%s: its %s says %q: %s", name, part, rest[at:], text)
			}
			if strings.Contains(text, "**") || strings.Contains(text, "%!") {
				t.Errorf("%s: its %s is not made whole: %s", name, part, text)
			}
		}
		if !strings.Contains(l.HTML, `<html lang="xx">`) {
			t.Errorf("%s has another tag of its language", name)
		}
	}
}

// What a text sets off is strong where an email is drawn, and values stay text, whatever they look like.
func TestWordsSetOffPartsOfThem(t *testing.T) {
	texts := wordstest.Tables(t, here)["en"].Some("")
	texts["portfolio-ready.body"] = words.Text{Plain: "<Ready> **for %s** & all"}
	l := render(t, mail.PortfolioReady{Frame: mail.Frame{Words: mail.NewLanguage(words.New("xx", texts))},
		Unit: "**1+<b>**"})
	if want := "<p>&lt;Ready&gt; <strong>for **1&#43;&lt;b&gt;**</strong> &amp; all</p>"; !strings.Contains(l.HTML, want) {
		t.Errorf("%s is not in %s", want, l.HTML)
	}
	if want := "\n<Ready> for **1+<b>** & all\n"; !strings.Contains(l.Text, want) {
		t.Errorf("%q is not in %s", want, l.Text)
	}
}
