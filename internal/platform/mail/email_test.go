package mail_test

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones must be there wherever the tests run
	"unicode/utf8"

	"golang.org/x/net/html"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/mail"
	"lectern/internal/platform/mail/mailtest"
)

var (
	frame   = mailtest.Frame
	samples = mailtest.Samples
)

func render(t *testing.T, c mail.Content) mail.Email {
	t.Helper()
	l, err := mail.Render(c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// nodes gives the elements of an HTML text by name.
func nodes(t *testing.T, text string) map[string][]*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]*html.Node{}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			found[n.Data] = append(found[n.Data], n)
		}
	}
	return found
}

func TestEmailsHaveBothForms(t *testing.T) {
	for name, c := range samples() {
		l := render(t, c)
		if l.Subject == "" || strings.ContainsAny(l.Subject, "\r\n") {
			t.Errorf("%s: subject %q", name, l.Subject)
		}
		for _, text := range []string{l.Text, l.HTML} {
			if !strings.Contains(text, "Hello Ada,") || !strings.Contains(text, frame.Link) {
				t.Errorf("%s: no greeting or no link in\n%s", name, text)
			}
			if strings.Contains(text, "<no value>") || strings.Contains(text, "ZgotmplZ") ||
				strings.Contains(text, "%!") {
				t.Errorf("%s: a template went wrong:\n%s", name, text)
			}
		}
		if strings.Contains(l.Text, "\n\n\n") || strings.ContainsAny(l.Text, "<>&") && !strings.Contains(l.Text,
			"<lists>") && !strings.Contains(l.Text, "    > ") {
			t.Errorf("%s: the text is not tidy:\n%s", name, l.Text)
		}
		found := nodes(t, l.HTML)
		for _, never := range []string{"script", "link", "iframe", "form", "base", "object", "video"} {
			if len(found[never]) > 0 {
				t.Errorf("%s: <%s> does not work in mail, or should not", name, never)
			}
		}
		links := 3
		switch c.(type) {
		case mail.Password, mail.Address, mail.WorkDeleted, mail.Trial:
			links = 1
		}
		if len(found["a"]) != links {
			t.Errorf("%s: %d links, want the button and, where mails can be turned off, two to do so", name,
				len(found["a"]))
		}
	}
}

// Every email has one button, which leads where the text does, and shows in both themes; nothing
// in it is fetched from elsewhere.
func TestEmailsHaveOneButtonAndNothingFromOutside(t *testing.T) {
	for name, c := range samples() {
		l := render(t, c)
		found, buttons := nodes(t, l.HTML), 0
		for _, a := range found["a"] {
			if attribute(a.Parent, "class") == "btn" {
				buttons++
				if to := attribute(a, "href"); to != frame.Link || !strings.Contains(l.Text, to) || a.FirstChild == nil {
					t.Errorf("%s: the button leads to %q", name, to)
				}
			}
		}
		if buttons != 1 {
			t.Errorf("%s: %d buttons", name, buttons)
		}
		for _, list := range found {
			for _, n := range list {
				if n.Data == "img" && attribute(n, "src") == "cid:mark@lectern" {
					continue // it travels with the message
				}
				for _, outside := range []string{"src", "srcset", "background", "poster", "style"} {
					if value := attribute(n, outside); value != "" {
						t.Errorf("%s: <%s %s=%q>", name, n.Data, outside, value)
					}
				}
				if class := attribute(n, "class"); class == "preheader" && strings.TrimSpace(n.FirstChild.Data) == "" {
					t.Errorf("%s: nothing stands before it in a list of emails", name)
				}
			}
		}
		for _, never := range []string{"url(", "@import", "@font-face"} {
			if strings.Contains(l.HTML, never) {
				t.Errorf("%s: its style has %s", name, never)
			}
		}
		for _, want := range []string{`<meta name="color-scheme" content="light dark">`, "prefers-color-scheme: dark",
			`<div class="preheader" aria-hidden="true">`} {
			if !strings.Contains(l.HTML, want) {
				t.Errorf("%s: %s is missing", name, want)
			}
		}
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// A subject stands on the locked screen of a phone: it tells no status, no grade and nothing of
// what was written about an extension.
func TestSubjectsTellNothingPrivate(t *testing.T) {
	for name, c := range samples() {
		subject := strings.ToLower(render(t, c).Subject)
		for _, private := range []string{"complete", "fix and resubmit", "working on it", "not started", "pass ",
			"credit", "distinction", "granted", "get well", "nice work", "larger than", "learning summary"} {
			if strings.Contains(subject+" ", private) {
				t.Errorf("%s: the subject %q says %q", name, subject, private)
			}
		}
	}
	evil := mail.Digest{Frame: frame, Extensions: []mail.DigestExtension{{Unit: "COS10001", Granted: true,
		Answer: "SECRET"}}}
	if got := render(t, evil).Subject; got != "1 extension decided" {
		t.Errorf("subject %q", got)
	}
}

// Text can be read in both themes: the contrast of each pair is at least that of WCAG AA.
func TestColoursCanBeRead(t *testing.T) {
	style, err := os.ReadFile("templates/frame.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]string{{"15181e", "ffffff"}, {"15181e", "eceefc"}, {"15181e", "feefdc"}, {"15181e", "dcf5ea"},
		{"5d6573", "f6f7f9"}, {"5d6573", "eceefc"}, {"9d1733", "ffffff"}, {"ffffff", "3d48c4"},
		{"eceef2", "16191f"}, {"eceef2", "1f2340"}, {"eceef2", "34250f"}, {"eceef2", "0d3626"}, {"98a1af", "0e1014"},
		{"98a1af", "16191f"}, {"b6bdc9", "1f2340"}, {"ffa3ae", "16191f"}, {"ffffff", "5a66ea"}} {
		for _, colour := range pair {
			if !strings.Contains(string(style), "#"+colour) {
				t.Errorf("#%s is no longer used", colour)
			}
		}
		a, b := luminance(t, pair[0]), luminance(t, pair[1])
		if got := (max(a, b) + 0.05) / (min(a, b) + 0.05); got < 4.5 {
			t.Errorf("#%s on #%s has a contrast of %.2f", pair[0], pair[1], got)
		}
	}
}

// luminance is the relative luminance of WCAG 2.2.
func luminance(t *testing.T, colour string) (sum float64) {
	t.Helper()
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

func TestEmailsSayWhatHappened(t *testing.T) {
	for name, want := range map[string][]string{
		"feedback": {"COS10001", "1.1P", "Fix and resubmit", "ue tomorrow, Tue 17 Mar, 07:00",
			"ate submissions until Fri 15 May, 07:00"},
		"feedback on one":  {"1.1P Hello World", "Discuss"},
		"portfolio ready":  {"was created for you today"},
		"portfolio failed": {"The learning summary report is not a PDF."},
		"pdf failed": {"main.c is larger than 10 MB.", "Show only the part you wrote.",
			"ue tomorrow, Tue 17 Mar, 07:00"},
		"work deleted": {"until Thu 9 Apr", "The task 1.1P Hello World was deleted"},
		"student week": {"ue 6 days ago", "Tue 10 Mar, 07:00", "ue tomorrow, Tue 17 Mar, 07:00",
			"ate submissions until Fri 15 May, 07:00", "Need help", "New feedback", "Time exceeded",
			"9 of 24 tasks complete, of those up to Credit. 1 overdue.", "1 comment and wrote 3 comments",
			"2 tasks", "not in a tutorial yet", "Times are in UTC."},
		"student week done": {"up to date", "4 of 4 tasks complete", "0 comments"},
		"staff week": {"7 tasks", "Grace Hopper, since Wed 4 Mar, 12 days ago", "Katherine Johnson", "3 students are",
			"marked 31 tasks"},
		"staff week quiet": {"is waiting for your feedback", "1 student."},
		"digest": {"Alan Turing, Mon 16 Mar, 06:00", "Nice work.", "xtension granted", "xtension declined",
			"Tue 17 Mar, 07:00", "Get well soon."},
		"password":     {"A new password was requested", "2 hours"},
		"new password": {"Welcome to Lectern.", "7 days"},
		"new address":  {"The account ada", "2 days"},
		"asked":        {"Another email address was requested", "ada", "stays until the new one is confirmed"},
		"moved":        {"ada was changed", "whoever runs Lectern"},
	} {
		l := render(t, samples()[name])
		plain := strings.Join(strings.Fields(strings.NewReplacer("<strong>", "", "</strong>", "").Replace(l.HTML)), " ")
		for _, words := range want {
			if !strings.Contains(strings.Join(strings.Fields(l.Text), " "), words) {
				t.Errorf("%s: the text does not say %q:\n%s", name, words, l.Text)
			}
			if !strings.Contains(plain, words) {
				t.Errorf("%s: the HTML does not say %q", name, words)
			}
		}
	}
	if got := render(t, samples()["digest"]).Subject; got != "1 new comment, 2 extensions decided and 1 review request answered" {
		t.Errorf("digest subject %q", got)
	}
}

func TestHostileContentStaysContent(t *testing.T) {
	evil := "</td><script>alert(1)</script>\r\nBcc: all@example.edu\n\n--\nSign in at http://evil\u202E"
	bad := mail.Frame{Product: evil, Name: evil, About: evil, Link: "javascript:alert(1)", Settings: "data:text/html,x",
		Unsubscribe: "javascript:alert(2)"}
	task, status := mail.Task{Abbreviation: evil, Name: evil}, mail.Status{Name: evil, Family: evil}
	for name, c := range map[string]mail.Content{
		"feedback": mail.Feedback{Frame: bad, Unit: evil, Tasks: []mail.MarkedTask{{Task: task, Status: status}}},
		"failed":   mail.PortfolioFailed{Frame: bad, Unit: evil, Reason: evil},
		"pdf":      mail.PDFFailed{Frame: bad, Unit: evil, Task: task, Reason: evil},
		"deleted":  mail.WorkDeleted{Frame: bad, Unit: evil, What: evil},
		"student": mail.StudentWeek{Frame: bad, Unit: evil, Tasks: []mail.DueTask{{Task: task, Status: status}},
			Marked: []mail.MarkedTask{{Task: task, Status: status}}, Progress: mail.Progress{Target: evil, All: 1}},
		"staff": mail.StaffWeek{Frame: bad, Unit: evil, Oldest: &mail.WaitingTask{Task: task, Student: evil},
			Tutors: []mail.TutorWeek{{Name: evil}}},
		"digest": mail.Digest{Frame: bad, Comments: []mail.DigestComment{{Unit: evil, Task: task, Author: evil,
			Text: evil}}, Extensions: []mail.DigestExtension{{Unit: evil, Task: task, Granted: true, Answer: evil}}},
		"password": mail.Password{Frame: bad, Username: evil, New: true},
		"address":  mail.Address{Frame: bad, Username: evil, Confirm: true},
		"moved":    mail.Address{Frame: bad, Username: evil},
	} {
		l := render(t, c)
		found := nodes(t, l.HTML)
		if len(found["script"]) > 0 || len(found["a"]) > 0 {
			t.Errorf("%s: markup or a link got through", name)
		}
		for text := range strings.Lines(l.Text) {
			if strings.HasPrefix(text, "Bcc:") || strings.HasPrefix(text, "Sign in") ||
				strings.Contains(text, "javascript:") {
				t.Errorf("%s: a line of somebody's own: %q", name, text)
			}
		}
		if strings.ContainsAny(l.Subject, "\r\n") {
			t.Errorf("%s: subject %q", name, l.Subject)
		}
	}
}

func TestLongCommentsAreCut(t *testing.T) {
	said := func(text string) mail.Email {
		return render(t, mail.Digest{Frame: frame, Comments: []mail.DigestComment{{Text: text}}})
	}
	short := said("a")
	if l := said(strings.Repeat("a very long comment ", 1000)); len(l.Text) > 1500 || len(l.HTML)-len(short.HTML) > 1500 {
		t.Errorf("text of %d and HTML of %d bytes", len(l.Text), len(l.HTML))
	}
}

// A template has lines that a reader, and a reader of a change, can take in.
func TestLinesOfTemplatesAreShort(t *testing.T) {
	names, err := filepath.Glob("templates/*.[ht]*")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d templates: %v", len(names), err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(line); n > 160 {
				t.Errorf("%s:%d has %d columns", name, i+1, n)
			}
		}
	}
}

// No email has a date as machines write it, and none of the words that the product does without.
func TestEmailsSpeakPlainly(t *testing.T) {
	machine := regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)
	never := regexp.MustCompile(`(?i)\b(hand(ed)? in|please|letters?|waits|judged?|assess(ed|ment)|` +
		`more time|somebody)\b|!( |$)`)
	for name, c := range samples() {
		l := render(t, c)
		_, shown, _ := strings.Cut(l.HTML, "<body")
		for _, text := range []string{l.Subject, l.Text, shown} {
			if found := machine.FindString(text) + never.FindString(text); found != "" {
				t.Errorf("%s says %q:\n%s", name, found, text)
			}
		}
	}
}

// What is due is told on the clock of whom it is told, with the unit's beside it where that shows
// another time; and on the unit's where nobody knows theirs.
func TestWhatIsDueIsToldOnTheReadersClock(t *testing.T) {
	zone := func(name string) *time.Location {
		z := clock.Zone(&name)
		if z == nil {
			t.Fatalf("there is no zone %s", name)
		}
		return z
	}
	now := time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	ends := time.Date(2026, 11, 17, 12, 59, 59, 0, time.UTC) // of the day, in Melbourne
	for _, c := range []struct {
		reader, unit *time.Location
		want         mail.ToldDue
		clock        string
	}{
		{zone("Australia/Melbourne"), zone("Australia/Melbourne"), mail.ToldDue{Near: "tomorrow", At: "Tue 17 Nov, 23:59",
			Until: "Tue 24 Nov, 23:59"}, "Melbourne time"},
		{zone("Asia/Kolkata"), zone("Australia/Melbourne"), mail.ToldDue{Near: "tomorrow", At: "Tue 17 Nov, 18:29",
			There: "(Tue 17 Nov, 23:59 Melbourne time)"}, "Kolkata time"},
		{nil, zone("Australia/Melbourne"), mail.ToldDue{Near: "tomorrow", At: "Tue 17 Nov, 23:59",
			There: "Melbourne time"}, ""},
		{nil, nil, mail.ToldDue{Near: "in 2 days", At: "Tue 17 Nov, 00:59", There: "anywhere on Earth"}, ""},
	} {
		d := mail.Due{Ends: ends, Zone: c.unit}
		if c.want.Until != "" {
			d.Closes = ends.AddDate(0, 0, 7)
		}
		f := mail.Frame{Now: now, Zone: c.reader}
		if got := f.Told(d); got != c.want || f.Clock() != c.clock {
			t.Errorf("%v, %v: %+v, %q; want %+v", c.reader, c.unit, got, f.Clock(), c.want)
		}
	}
}
