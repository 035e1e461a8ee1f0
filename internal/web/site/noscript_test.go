package site_test

import (
	"context"
	"fmt"
	"html"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/ground/totp"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
)

// Every action of the pages for everybody, for students and for the staff is done by
// somebody whose browser runs no script. A form that nobody sends here fails the test.
func TestEveryActionWithoutScript(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	w.outcome()
	w.classes()
	r := w.reader("")
	r.opensAnAccount()
	r.keepsTheAccount()
	r.readsNewsAndCalendar()
	r.worksOnATask()
	r.hearsAndIsTested()
	r.choosesClasses()
	r.changesTheTargetGrade()
	r.searches()
	r.putsAPortfolioTogether()
	r.open("/receipts/check").does(act{form: "/receipts/check", fill: map[string]string{"receipt": r.receipt()}}).
		sees("The receipt is valid")
	r.does(act{form: "/receipts/check", fill: map[string]string{"receipt": ""},
		files: map[string]string{"file": r.receipt()}}).sees("The receipt is valid")
	r.open("/home").does(act{form: "/sign-out"}).sees("<h1>Sign in</h1>")
	if r.at != "/sign-in" || r.cookie != "" {
		t.Errorf("signed out, and at %s with %q", r.at, r.cookie)
	}
	r.looksEverywhere("ann")
	r.marks(newWorld(t, "sqlite", "http://lectern.test"))
	r.administers(newWorld(t, "sqlite", "http://lectern.test"))
	r.startsTheService(newWorld(t, "sqlite", "http://lectern.test"))
	r.unsubscribes(newWorld(t, "sqlite", "http://lectern.test"))
	r.setsUpTheService(newWorld(t, "sqlite", "http://lectern.test"))
	r.nothingLeft()
}

// searches finds a task by the page that all pages lead to, and by that of the project.
func (r *reader) searches() {
	r.Helper()
	for _, path := range []string{"/search", r.path("/projects/{id}/search")} {
		r.open(path).does(act{form: path, fill: map[string]string{"text": "alert"}}).sees(`href="` + r.path(aTask) + `"`)
	}
}

// unsubscribes goes by the link in the foot of an email.
func (r *reader) unsubscribes(w *world) {
	r.Helper()
	for _, e := range w.mailed(nil) {
		if found := foot.FindStringSubmatch(e.HTML); found != nil {
			who := w.reader("")
			who.open(html.UnescapeString(found[1])).does(act{form: "/unsubscribe"}).sees("no more emails of this kind")
			maps.Copy(r.seen, who.seen)
			maps.Copy(r.done, who.done)
			return
		}
	}
	r.Error("no email can be unsubscribed from")
}

// looksEverywhere notes the forms of all pages that somebody can open.
func (r *reader) looksEverywhere(name string) {
	r.Helper()
	who := r.reader(name)
	for page := range pages {
		path, found := strings.CutPrefix(r.path(page), "GET ")
		if !found {
			continue
		}
		if a := who.do(path, nil); a.Code == 200 && a.page() {
			maps.Copy(r.seen, who.open(path).seen)
		}
	}
}

// forScripts are what only a script sends, and why nobody misses it without one.
var forScripts = map[string]string{
	"POST " + onDesk + "/presence": "who looks at a task is told while they do",
}

// nothingLeft fails for every form that nobody sent, and for everything that a form could
// go to and none does. On a page that answers a form, one of another page may stand again.
func (r *reader) nothingLeft() {
	r.Helper()
	sent := func(to string) bool {
		for key := range r.done {
			if strings.HasSuffix(key, to) {
				return true
			}
		}
		return false
	}
	for _, i := range r.site.Routes() {
		if to := i.Method + " " + i.Path; i.Method == "POST" && forScripts[to] == "" && !sent(to) {
			r.Errorf("nobody sends a form to %s", i.Path)
		}
	}
	for key := range r.seen {
		on, to, _ := strings.Cut(key, " | ")
		if !r.done[key] && (strings.HasPrefix(on, "GET ") || !sent(" | "+to)) {
			r.Errorf("nobody sent the form %s", key)
		}
	}
}

// link makes a link that an email would hold.
func (r *reader) link(make func(ctx context.Context, q db.Q, user int64) (string, error)) (token string) {
	r.Helper()
	r.tx(func(ctx context.Context, q db.Q) error {
		u, err := ident.ByUsername(ctx, q, "ann")
		if err == nil {
			token, err = make(ctx, q, u.ID)
		}
		return err
	})
	return token
}

// opensAnAccount begins with an email and ends at home.
func (r *reader) opensAnAccount() {
	r.Helper()
	r.open("/forgot").does(act{form: "/forgot", fill: map[string]string{"username": "ann"}}).
		sees("If the account exists")
	token := r.link(func(ctx context.Context, q db.Q, user int64) (string, error) {
		token, _, err := ident.NewLink(ctx, q, user)
		return token, err
	})
	const next = "a new wooden lectern"
	r.open("/password?token=" + token).does(act{form: "/password",
		fill: map[string]string{"password": next, "again": next}}).sees("Password set.")
	r.open("/sign-in").does(act{form: "/sign-in", fill: map[string]string{"username": "ann", "password": next}}).
		sees("<h1>Home</h1>")
	r.open("/profile/security").does(act{form: "/profile/password", fill: map[string]string{
		"old_password": next, "password": secret, "again": secret}}).sees("Password changed.")
}

// changesWhoTheyAre fills in names, research and another address, which an email confirms.
func (r *reader) changesWhoTheyAre() {
	r.Helper()
	r.open("/profile").does(act{form: "/names", fill: map[string]string{"nickname": "Annie", "pronouns": "she/her"}}).
		sees(`value="Annie"`).sees(`value="she/her"`)
	r.does(act{form: "/research", fill: map[string]string{"research": "true"}}).sees(`value="true" required checked`)
	r.open("/profile/email").does(act{form: "/profile/address", fill: map[string]string{"email": "new@example.edu"}}).
		sees("Waiting for confirmation: <bdi>new@example.edu</bdi>")
	token := r.link(func(ctx context.Context, q db.Q, user int64) (string, error) {
		return ident.AddAddressLink(ctx, q, user, "new@example.edu")
	})
	r.open("/confirm-address?token=" + token).does(act{form: "/confirm-address"}).sees("<p role=\"status\">")
	if r.open("/profile/email").sees(`value="new@example.edu"`); strings.Contains(r.text, "Waiting for confirmation") {
		r.Error("the address still waits")
	}
}

// keepsTheAccount changes what the profile holds, with a second factor on and off.
func (r *reader) keepsTheAccount() {
	r.Helper()
	r.open("/sign-in").does(act{form: "/sign-in", fill: map[string]string{"username": "ann", "password": secret}})
	r.as("ann") // on another device
	r.open("/profile/appearance").does(act{form: "/preferences", fill: map[string]string{"theme": "dark", "shortcuts": ""}}).
		sees(`data-theme="dark" data-shortcuts="off"`)
	r.open("/profile").does(act{form: "/zone", fill: map[string]string{"time_zone": "Asia/Kolkata"}}).
		sees("<option selected>Asia/Kolkata")
	r.does(act{form: "/zone", fill: map[string]string{"time_zone": ""}})
	r.open("/profile/email").does(act{form: "/letters", fill: map[string]string{"tasks": ""}}).sees(`name="tasks" type="checkbox" value="true">`)
	r.open("/profile/data").does(act{form: "/data"}).sees("being put together")
	r.archived("ann")
	if r.open("/profile/data").does(act{form: "/link"}); !strings.HasPrefix(r.text, "PK") {
		r.Errorf("no archive: %.20q", r.text)
	}
	r.changesWhoTheyAre()
	before := strings.Count(r.open("/profile/security").text, "/profile/sessions/")
	if r.does(act{form: "/end"}); strings.Count(r.text, "/profile/sessions/") != before-1 {
		r.Error("the session is still there")
	}
	r.as("ann")
	if r.open("/profile/security").does(act{form: "/other-sessions"}); strings.Contains(r.text, "/profile/sessions/") {
		r.Error("another device is still signed in")
	}
	r.open("/second-factor").does(act{form: "/second-factor", fill: map[string]string{"password": secret}})
	seed := regexp.MustCompile(`name="secret" value="(\w+)"`).FindStringSubmatch(r.text)[1]
	code, err := totp.Code(seed, totp.Step(r.db.Now().Time))
	if err != nil {
		r.Fatal(err)
	}
	r.does(act{form: "/confirm", fill: map[string]string{"otp": code}}).sees("recovery codes")
	codes := regexp.MustCompile(`<li><code>([^<]+)`).FindAllStringSubmatch(r.text, -1)
	r.open("/sign-in").does(act{form: "/sign-in", fill: map[string]string{"username": "ann", "password": secret}}).
		does(act{form: "/sign-in", fill: map[string]string{"password": secret, "otp": codes[0][1]}}).sees("<h1>Home</h1>")
	r.open("/second-factor").does(act{form: "/off", fill: map[string]string{"password": secret, "otp": codes[1][1]}}).
		sees("<h1>Account</h1>")
	r.open("/second-factor").sees(`action="/second-factor"`)
}

func (r *reader) readsNewsAndCalendar() {
	r.Helper()
	r.as("tom").do(r.path(aTask+"/comments"), url.Values{"comment": {"Look at it."}}).status(303)
	r.relay()
	r.open("/news").sees("New comment").does(act{form: "/news/read"})
	if strings.Contains(r.text, "/news/read") {
		r.Error("the news is still new")
	}
	r.open("/calendar").follows("Calendar feed").does(act{form: "/feed"}).sees("/api/webcal/")
	r.does(act{form: "/settings", fill: map[string]string{"time": "3", "unit": "d", "start_dates": "true"}}).
		sees(`<option value="d" selected>`)
	r.does(act{form: "/feed", press: "renew"}).does(act{form: "/feed", press: "close"}).sees(`value="open"`)
}

// worksOnATask talks, asks for time, hands in and has the document made again.
func (r *reader) worksOnATask() {
	r.Helper()
	task := r.path(aTask)
	r.open(task).does(act{form: "/read"})
	if strings.Contains(r.text, `id="mark-read"`) {
		r.Error("the conversation is still new")
	}
	r.does(act{form: "/status", press: "working_on_it"}).sees("Working on it</span>")
	r.does(act{form: "/comments", fill: map[string]string{"comment": "How?"}}).sees("<bdi>How?</bdi>")
	r.does(act{form: "/comments", files: map[string]string{"attachment": picture}}).sees(`<img class="thumb"`)
	r.open(task + "?tab=extend").does(act{form: "/extension", fill: map[string]string{"weeks": "1", "reason": "I was ill."}}).sees("You requested an extension")
	r.does(act{form: "/hand-in", files: map[string]string{"file0": "package a\n"}}).sees("Submitted. Your signed receipt")
	received := r.at
	r.points("tom", 1, 1, "Why?")
	r.as("ann").send(task+"/hand-in", "next", "a.go", "package b\n").status(303)
	r.open(r.changesOf()).does(act{form: "/done", press: "true"}).sees("1 of 1 done").
		does(act{form: "/comments", fill: map[string]string{"comment": "I know now."}}).sees("I know now.")
	r.open(task).does(act{form: "/done", press: "false"}).does(act{form: "/done", press: "true"})
	for _, page := range []string{task, received} {
		r.exec(`UPDATE submissions SET state = 'failed', reason = 'It is odd.'`)
		r.open(page).does(act{form: "/rebuild"}).sees("PDF is being prepared")
	}
}

// hearsAndIsTested answers a discussion and has automated tests run again.
func (r *reader) hearsAndIsTested() {
	r.Helper()
	r.open(fmt.Sprintf("%s/discussions/%d", r.path(aTask), r.discuss())).does(act{form: "/begin"}).
		sees("Started")
	r.does(act{form: "/answer", files: map[string]string{"attachment": sound}}).sees("Answered")
	r.assessed("done", "", "{}")
	for _, text := range []string{`INSERT INTO overseer_images (name, tag) VALUES ('a', 'a/b:1')`,
		`UPDATE units SET assessment_enabled = TRUE, overseer_image_id = (SELECT max(id) FROM overseer_images)`,
		`UPDATE task_definitions SET assessment_enabled = TRUE, assessment_hash = (SELECT min(hash) FROM blobs)`} {
		r.exec(text)
	}
	r.open(r.path(aTask) + "?tab=tests")
	r.open(regexp.MustCompile(r.path(aTask) + `/versions/[^"]+/tests`).FindString(r.text)).does(act{form: "/tests"}).
		sees("Queued")
}

func (r *reader) choosesClasses() {
	r.Helper()
	r.open(r.path("/projects/{id}/tutorials")).does(act{form: "/join", words: "Two"}).does(act{form: "/leave"}).
		sees("You are not in a tutorial yet.").does(act{form: "/join", words: "Two"}).sees("Leave<span")
	groups, set := r.path("/projects/{id}/groups"), "/groups/"+r.one(`SELECT max(id) FROM group_sets`)
	r.open(groups).does(act{form: set, fill: map[string]string{"name": "Ours"}}).sees("<bdi>Ours</bdi>")
	r.does(act{form: "/rename", fill: map[string]string{"name": "Still ours"}}).sees("<bdi>Still ours</bdi>")
	r.follows("Leave group").sees("Leave your group?").does(act{form: "/leave"}).sees("You are not in a group").does(act{form: "/join", words: "Red"}).
		sees("Leave group")
}

// changesTheTargetGrade looks at the tasks by filters that are links, and aims higher.
func (r *reader) changesTheTargetGrade() {
	r.Helper()
	term := r.path("/projects/{id}")
	r.open(term).sees(`href="?show=todo"`).sees(term + `/plan">Change target</a>`)
	r.open(term + "?show=todo").sees(`<a class="chip" href="?show=todo" aria-current="true">To do`)
	r.open(term + "/plan?target_grade=2").does(act{form: "/plan"}).sees("Your target is Distinction")
}

func (r *reader) putsAPortfolioTogether() {
	r.Helper()
	path := r.path(aPortfolio)
	r.open(path).does(act{form: "/grade", fill: map[string]string{"submitted_grade": "1"}}).sees("Your report")
	r.does(act{form: "/summary/file", files: map[string]string{"file0": pdf}}).sees("No other files.")
	r.open(path + "?step=summary").sees("You uploaded a PDF.").does(act{form: "/files/remove"})
	r.does(act{form: "/summary", fill: map[string]string{"text": "I learned."}})
	for _, name := range []string{"one.go", "two.go"} {
		r.does(act{form: "/files", fill: map[string]string{"name": name},
			files: map[string]string{"file0": "package a\n"}})
	}
	r.does(act{form: "/files/move", words: "Move down"}).does(act{form: "/files/move", words: "Move up"})
	r.does(act{form: "/files/remove", words: "one.go"})
	if names := r.names(); names != "LearningSummaryReport.md two.go" {
		r.Errorf("the files are %s", names)
	}
	r.open(path + "?step=tasks").does(act{form: "/tasks", fill: map[string]string{"included": ""}})
	r.open(path + "?step=tasks").sees(`type="checkbox" value="` + r.ids()[1] + `">`)
	r.open(path + "?step=outcomes").does(act{form: "/outcomes", fill: map[string]string{"rating": "5",
		"description": "I showed it."}}).sees("I showed it.")
	r.open(r.path("/projects/{id}/outcomes?outcome=1&task=") + r.ids()[1]).
		does(act{form: "/outcomes", fill: map[string]string{"rating": "4"}}).sees("4 of 5")
	r.open(path + "?step=compile").does(act{form: "/compile"}).sees("Waiting to be created")
	r.follows("Withdraw portfolio").sees("Withdraw the portfolio?").does(act{form: "/withdraw"}).sees("Check all parts")
}

// receipt is that of Ann's work.
func (r *reader) receipt() string {
	r.Helper()
	return r.do(r.path(aTask)+"/receipt", nil).status(200).Body.String()
}
