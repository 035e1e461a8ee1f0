package mail

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"lectern/internal/ground/clock"
)

var frame = Frame{Product: "Lectern", Name: "Ada", Link: "https://lectern.example.edu/projects/7",
	Settings: "https://lectern.example.edu/profile"}

// samples holds one letter of each kind, and those whose words differ.
func samples() map[string]Content {
	hello, arrays := Task{"1.1P", "Hello World"}, Task{"2.3C", "Arrays & <lists>"}
	password := frame
	password.Settings = ""
	return map[string]Content{
		"feedback": Feedback{frame, "COS10001", []MarkedTask{{hello, "Complete"},
			{arrays, "Fix and resubmit"}}},
		"portfolio ready":  PortfolioReady{frame, "COS10001", true},
		"portfolio failed": PortfolioFailed{frame, "COS10001", "The learning summary report is not a PDF."},
		"pdf failed": PDFFailed{frame, "COS10001", hello, "main.c is larger than 10 MB.\nShow only the part " +
			"you wrote."},
		"work deleted":  WorkDeleted{password, "COS10001", "the task 1.1P Hello World", clock.On(2026, 4, 9), false},
		"work restored": WorkDeleted{password, "COS10001", "the group Red", clock.On(2026, 4, 9), true},
		"student week": StudentWeek{frame, "COS10001", []DueTask{{hello, clock.On(2026, 3, 9), true, "Working on it"},
			{arrays, clock.On(2026, 3, 23), false, "Not started"}}, 1, 3, 2, true, 3},
		"student week done": StudentWeek{Frame: frame, Unit: "COS10001"},
		"staff week": StaffWeek{frame, "COS10001", 24, 7, &WaitingTask{arrays, "Grace Hopper", clock.On(2026, 3, 4)},
			31, 12, 18,
			[]TutorWeek{{"Alan Turing", 24, 7, 31}, {"Katherine Johnson", 22, 0, 40}}, 3, 1},
		"staff week quiet": StaffWeek{Frame: frame, Unit: "COS10001", Students: 1, Waiting: 0},
		"digest": Digest{frame, []DigestComment{{"COS10001", hello, "Alan Turing", "Nice work.\nCould you say why " +
			"the loop ends?"}},
			[]DigestExtension{{"COS10001", arrays, true, clock.On(2026, 3, 30), "Get well soon."},
				{"COS10001", hello, false, clock.On(2026, 3, 9), ""}}},
		"password":     Password{password, "ada", false, "2 hours"},
		"new password": Password{password, "ada", true, "7 days"},
		"new address":  Address{password, "ada", true, false, "2 days"},
		"asked":        Address{password, "ada", false, true, ""},
		"moved":        Address{password, "ada", false, false, ""},
	}
}

func render(t *testing.T, c Content) Letter {
	t.Helper()
	l, err := Render(c)
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

func TestLettersHaveBothForms(t *testing.T) {
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
		for _, never := range []string{"script", "style", "link", "img", "iframe", "form"} {
			if len(found[never]) > 0 {
				t.Errorf("%s: <%s> does not work in mail, or should not", name, never)
			}
		}
		links := 2
		switch c.(type) {
		case Password, Address, WorkDeleted:
			links = 1
		}
		if len(found["a"]) != links {
			t.Errorf("%s: %d links, want the button and, where mails can be turned off, the settings", name,
				len(found["a"]))
		}
	}
}

func TestLettersSayWhatHappened(t *testing.T) {
	for name, want := range map[string][]string{
		"feedback":         {"COS10001", "1.1P", "Fix and resubmit"},
		"portfolio ready":  {"was made for you today"},
		"portfolio failed": {"The learning summary report is not a PDF."},
		"pdf failed":       {"main.c is larger than 10 MB.", "Show only the part you wrote."},
		"student week": {"was due Monday 9 March", "due Monday 23 March", "1 comment and wrote 3 comments",
			"2 tasks", "not in a tutorial yet"},
		"student week done": {"up to date", "0 comments"},
		"staff week":        {"7 tasks", "Grace Hopper", "Wednesday 4 March", "Katherine Johnson", "3 students are"},
		"staff week quiet":  {"Thank you!", "1 student."},
		"digest":            {"Alan Turing writes", "Nice work.", "ranted", "Monday 30 March", "Get well soon."},
		"password":          {"asked for a new password", "2 hours"},
		"new password":      {"Welcome!", "7 days"},
		"new address":       {"the account ada", "2 days"},
		"asked":             {"asked for another address", "ada", "stays until the new one confirms"},
		"moved":             {"ada has been changed", "whoever runs Lectern"},
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
	if got := render(t, samples()["digest"]).Subject; got != "1 new comment and 2 extensions decided" {
		t.Errorf("digest subject %q", got)
	}
}

func TestHostileContentStaysContent(t *testing.T) {
	evil := "</td><script>alert(1)</script>\r\nBcc: all@example.edu\n\n--\nSign in at http://evil\u202E"
	bad := Frame{Product: evil, Name: evil, Link: "javascript:alert(1)", Settings: "data:text/html,x"}
	for name, c := range map[string]Content{
		"feedback": Feedback{bad, evil, []MarkedTask{{Task{evil, evil}, evil}}},
		"failed":   PortfolioFailed{bad, evil, evil},
		"pdf":      PDFFailed{bad, evil, Task{evil, evil}, evil},
		"student": StudentWeek{Frame: bad, Unit: evil, Tasks: []DueTask{{Task{evil, evil}, clock.On(2026, 1, 1), true,
			evil}}},
		"staff": StaffWeek{Frame: bad, Unit: evil, Oldest: &WaitingTask{Task{evil, evil}, evil,
			clock.On(2026, 1, 1)}, Tutors: []TutorWeek{{Name: evil}}},
		"digest": Digest{bad, []DigestComment{{evil, Task{evil, evil}, evil, evil}},
			[]DigestExtension{{evil, Task{evil, evil}, true, clock.On(2026, 1, 1), evil}}},
		"password": Password{bad, evil, true, evil},
		"address":  Address{bad, evil, true, false, evil},
		"moved":    Address{bad, evil, false, false, evil},
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
	d := Digest{Frame: frame, Comments: []DigestComment{{Text: strings.Repeat("a very long comment ", 1000)}}}
	if l := render(t, d); len(l.Text) > 1500 || len(l.HTML) > 8000 {
		t.Errorf("text of %d and HTML of %d bytes", len(l.Text), len(l.HTML))
	}
}
