package browser

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

const newPassword = "seven green lecterns"

// A new student opens the account by the link in the email, hands in for the first
// time, gets the receipt and the document, and sees the feedback: live where script
// runs, at the next look where it does not.
func TestNewStudent(t *testing.T) {
	needed(t)
	s := serve(t)
	for i, on := range []screen{wide, phone, wide.withoutScript(), phone.withoutScript()} {
		t.Run(on.name, func(t *testing.T) {
			name := "newcomer" + strconv.Itoa(i)
			link := s.newStudent(t, name)
			b := open(t, s, on)
			b.choosePassword(link, name)
			task := b.firstTask("6.1P")
			b.handInFiles(map[string]string{
				"#file0": b.file("Program.cs", []byte("class Program { static void Main() { } }\n")),
				"#file1": b.file("screen.png", aPicture()),
			})
			b.await(atReceipt)
			b.document()
			b.visitLive(task)
			b.feedback(s, task, "Nicely done, "+name+".")
		})
	}
}

// newStudent makes an account in the first unit and gives the path of its link.
func (s *service) newStudent(t *testing.T, name string) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(path, "user", "add", name, "--data", s.data, "--email", name+"@example.edu", "--first-name", "New",
		"--last-name", "Comer")
	c.Env = []string{"HOME=" + s.data}
	out, err := c.CombinedOutput()
	m := regexp.MustCompile(`/password\?token=[\w-]+`).FindString(string(out))
	if err != nil || m == "" {
		t.Fatalf("no link: %v %s", err, out)
	}
	s.call(t, "aconvenor", "POST", "/api/projects", url.Values{"unit_id": {"1"}, "student_num": {name},
		"campus_id": {"-1"}}, nil)
	return m
}

// call asks the API as somebody of the demo, who signs in once: a password is meant to
// take its time.
func (s *service) call(t *testing.T, who, method, path string, form url.Values, into any) {
	t.Helper()
	if s.tokens[who] == "" {
		var auth struct {
			Token string `json:"auth_token"`
		}
		s.send(t, "POST", "/api/auth", url.Values{"username": {who}, "password": {"password"}}, nil, &auth)
		if s.tokens == nil {
			s.tokens = map[string]string{}
		}
		s.tokens[who] = auth.Token
	}
	s.send(t, method, path, form, http.Header{"Username": {who}, "Auth-Token": {s.tokens[who]}}, into)
}

func (s *service) send(t *testing.T, method, path string, form url.Values, head http.Header, into any) {
	t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if head != nil {
		r.Header = head
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		t.Fatalf("%s %s: %s %s %v", method, path, res.Status, text, err)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
	}
}

// choosePassword opens an account by its link and signs in.
func (b *tab) choosePassword(link, name string) {
	b.Helper()
	b.visit(link)
	b.awaitText("New Comer") // whose password it is, and the name to sign in with
	b.awaitText(name)
	b.fill("#password", newPassword)
	b.fill("#again", newPassword)
	b.follow("main form button")
	b.follow("main a.btn")
	b.fill("#username", name)
	b.fill("#password", newPassword)
	b.follow("main form button")
	b.await("location.pathname === '/home'")
	b.await("document.querySelector('.account .me').textContent.includes('New Comer')")
}

// firstTask goes from home to a task of the first unit and gives its path.
func (b *tab) firstTask(abbreviation string) string {
	b.Helper()
	b.follow("main .unit-card a")
	eval[bool](b, `document.querySelectorAll('details').forEach((d) => { d.open = true }), true`)
	eval[bool](b, `(() => {
		const link = [...document.querySelectorAll("main a[href*='/tasks/']")]
			.find((a) => a.innerText.startsWith(`+quote(abbreviation)+`));
		link.id = 'wanted';
		return true;
	})()`)
	b.follow("#wanted")
	return eval[string](b, "location.pathname")
}

// handInFiles hands files in by the form of a task, by selector.
func (b *tab) handInFiles(files map[string]string) {
	b.Helper()
	for field, path := range files {
		b.choose(field, path)
	}
	b.press("form[action$='/hand-in'] p > button")
}

// document waits for the document of the work that was just handed in, and reads it.
func (b *tab) document() {
	b.Helper()
	ready := "document.querySelector(\"main a.btn[href$='/document']\")"
	if b.on.noScript {
		b.reloadUntil(ready)
	}
	b.await(ready)
	path := eval[string](b, ready+".getAttribute('href')")
	if kind, body := b.get(path); kind != "application/pdf" || !strings.HasPrefix(body, "%PDF") {
		b.Errorf("%s: the document is %s: %.40q", b.on.name, kind, body)
	}
}

// reloadUntil looks again and again, as somebody without script does.
func (b *tab) reloadUntil(js string) {
	b.Helper()
	for range 200 {
		if eval[bool](b, "!!("+js+")") {
			return
		}
		b.run(chromedp.Reload())
	}
}

// get reads a file with the session of the tab.
func (b *tab) get(path string) (kind, body string) {
	b.Helper()
	jar, err := chromedp.Call(b.ctx, network.GetCookies, network.GetCookiesParams{})
	if err != nil {
		b.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodGet, b.at.url+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range jar.Cookies {
		r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	return res.Header.Get("Content-Type"), string(text)
}

// visitLive opens a page and waits until it hears what happens, where script runs.
func (b *tab) visitLive(path string) {
	b.Helper()
	heard := chromedp.Events(b.ctx, network.EventSourceMessageReceived)
	b.visit(path)
	if b.on.noScript {
		return
	}
	for e, err := range heard {
		if err != nil {
			b.Fatal(err)
		}
		if e.EventName == "ready" {
			return
		}
	}
}

// feedback is given by a tutor and seen by the student.
func (b *tab) feedback(s *service, task, text string) {
	b.Helper()
	m := regexp.MustCompile(`^/projects/(\d+)/tasks/(\d+)$`).FindStringSubmatch(task)
	at := "/api/projects/" + m[1] + "/task_def_id/" + m[2]
	s.call(b.T, "atutor", "POST", at+"/comments", url.Values{"comment": {text}}, nil)
	s.call(b.T, "atutor", "PUT", at, url.Values{"trigger": {"discuss"}}, nil)
	if b.on.noScript {
		b.run(chromedp.Reload())
	}
	b.awaitText(text)
	b.awaitText("Discuss")
}
