package site_test

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"lectern/internal/people/policy"
)

var _ = morePages(map[string][4]int{
	"GET /search":               {303, 200, 200, 200},
	"GET /search/found":         {303, 200, 200, 200},
	"GET /projects/{id}/search": {303, 200, 200, 403},
})

// foundOn gives what a page found, by kinds: the words of each line, and where it leads.
func (a *answer) foundOn() (words, paths map[string][]string) {
	a.Helper()
	doc, err := html.Parse(strings.NewReader(a.Body.String()))
	if err != nil {
		a.Fatal(err)
	}
	words, paths = map[string][]string{}, map[string][]string{}
	kind := ""
	for n := range doc.Descendants() {
		switch {
		case n.Data == "h2":
			kind = textOf(n)
		case strings.Contains(" "+attributes(n)["class"]+" ", " res "):
			for c := range n.Descendants() { // the letters of a person stand before the name
				if attributes(c)["aria-hidden"] == "true" {
					c.Parent.RemoveChild(c)
					break
				}
			}
			at := attributes(n)["href"]
			if n.Parent.Data == "form" {
				at = "POST " + attributes(n.Parent)["action"]
			}
			words[kind] = append(words[kind], strings.Join(strings.Fields(textOf(n)), " "))
			paths[kind] = append(paths[kind], at)
		}
	}
	return words, paths
}

func textOf(n *html.Node) (text string) {
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			text += c.Data
		}
	}
	return text
}

// twoUnits are two units: Ann studies both, Tom, Cora and Beth teach the first, and Beth studies
// it, too; Bob teaches the other. Max studies the first, Wim has left it.
func (w *world) twoUnits() {
	w.Helper()
	w.hostile()
	w.run(`UPDATE units SET code = 'COS1', name = 'First'`)
	for name, role := range map[string]policy.Role{"cora": policy.Convenor, "beth": policy.Tutor, "bob": policy.Tutor,
		"max": policy.Student, "wim": policy.Student, "ada": policy.Admin} {
		w.person(name, role)
	}
	w.run(`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at) SELECT n.id, u.id,
		CASE u.username WHEN 'cora' THEN 3 ELSE 2 END, n.created_at, n.created_at FROM units n, users u
		WHERE u.username IN ('cora', 'beth')`)
	w.run(`INSERT INTO projects (unit_id, user_id, enrolled, created_at, updated_at) SELECT n.id, u.id,
		u.username <> 'wim', n.created_at, n.created_at FROM units n, users u WHERE u.username IN ('beth', 'max', 'wim')`)
	w.run(`INSERT INTO units (code, name, description, start_date, end_date, active, created_at, updated_at)
		SELECT 'COS2', 'Second', '', start_date, end_date, TRUE, created_at, created_at FROM units`)
	w.run(`INSERT INTO projects (unit_id, user_id, created_at, updated_at)
		SELECT n.id, u.id, n.created_at, n.created_at FROM units n, users u WHERE n.code = 'COS2' AND u.username = 'ann'`)
	w.run(`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at)
		SELECT n.id, u.id, 2, n.created_at, n.created_at FROM units n, users u WHERE n.code = 'COS2' AND u.username = 'bob'`)
}

// One student is in two units. Students find nobody; staff find the people of the units they teach,
// once for each of these, and learn nothing of others; an Admin finds everybody. The page and the
// palette tell the same.
func TestWhoFindsWhomOnThePage(t *testing.T) {
	each(t, func(w *world) {
		w.twoUnits()
		const in1, in2 = "ann <b>Person</b> ann · Student · COS1", "ann <b>Person</b> ann · Student · COS2"
		for who, want := range map[string]string{"ann": "", "max": "", "wim": "", "eve": "", "tom": in1, "cora": in1,
			"beth": in1, "bob": in2, "ada": in1 + "; " + in2} {
			as := w.as(who)
			for _, path := range []string{"/search?text=ann", "/search/found?text=ann"} {
				words, paths := as.do(path, nil).status(200).foundOn()
				if got := strings.Join(words["People"], "; "); got != want {
					t.Errorf("%s finds at %s: %q, want %q", who, path, got, want)
				}
				for _, to := range paths["People"] {
					as.do(to, nil).status(200)
				}
			}
		}
		w.do("/search?text=ann", nil).status(303)
		words, paths := w.as("tom").do("/search?text=beth", nil).foundOn() // there is no page of staff
		if got := strings.Join(words["People"], "; "); got != "beth <b>Person</b> beth · Student · COS1; "+
			"beth <b>Person</b> beth · Tutor · COS1" || paths["People"][1] != "" {
			t.Errorf("%q at %q", got, paths["People"])
		}
		words, _ = w.as("ada").do("/search?text=wim", nil).foundOn()
		if got := strings.Join(words["People"], "; "); got != "wim <b>Person</b> wim · Student" {
			t.Errorf("an Admin finds %q", got)
		}
	})
}

// Units and tasks lead to the pages of those who find them, and the pages and actions that are
// offered are those that the caller may open.
func TestWhatIsFoundCanBeOpened(t *testing.T) {
	each(t, func(w *world) {
		w.twoUnits()
		for _, who := range []string{"ann", "max", "wim", "eve", "tom", "cora", "beth", "bob", "ada"} {
			as := w.as(who)
			for _, text := range []string{"", "co", "fir", "script", "in", "ta", "s", "mark", "cos1 inb"} {
				_, paths := as.do("/search?text="+url.QueryEscape(text), nil).status(200).foundOn()
				for kind, list := range paths {
					for _, to := range list {
						if to, _, _ = strings.Cut(to, "#"); to != "" && !strings.HasPrefix(to, "POST ") {
							if got := as.do(to, nil); got.Code != 200 {
								t.Errorf("%s is led to %s of %s: %d", who, to, kind, got.Code)
							}
						}
					}
				}
			}
		}
		say := func(who, text, kind, want string) {
			t.Helper()
			words, _ := w.as(who).do("/search?text="+url.QueryEscape(text), nil).foundOn()
			if got := strings.Join(words[kind], "; "); got != want {
				t.Errorf("%s finds by %q of %s: %q, want %q", who, text, kind, got, want)
			}
		}
		say("ann", "", "Pages", "Home; Calendar; Notifications; Account; Help; Tasks COS1 First; Tasks COS2 Second")
		say("ann", "", "Actions", "Change theme; Keyboard shortcuts; Sign out")
		say("ann", "plan cos1", "Pages", "Plan COS1 First")
		say("ann", "cos", "Units", "COS1 First; COS2 Second")
		say("tom", "inbox", "Pages", "Inbox COS1 First")
		say("tom", "mark", "Actions", "Mark the next task COS1")
		say("tom", "ann", "Actions", "View COS1 as ann <b>Person</b>")
		say("beth", "beth", "Actions", "") // not as oneself
		say("ann", "inbox", "Pages", "")
		say("ann", "mark", "Actions", "")
		say("eve", "", "Pages", "Home; Calendar; Notifications; Account; Help")
		say("ada", "cos", "Units", "COS1 First; COS2 Second")
		w.as("eve").do("/search?text=nobody", nil).says("Nothing found")
		_, paths := w.as("tom").do("/search?text=ann", nil).foundOn()
		post, ok := strings.CutPrefix(paths["Actions"][0], "POST ")
		if to := w.as("tom").do(post, url.Values{}).status(303).Header().Get("Location"); !ok ||
			!strings.HasPrefix(to, "/views/") {
			t.Errorf("to view as a student leads to %s", to)
		}
	})
}

// In a view as a student, the search finds what the student would find in the unit of the view:
// not the other units, no people, and nothing that leads out of the view.
func TestSearchInAView(t *testing.T) {
	each(t, func(w *world) {
		w.twoUnits()
		tom := w.as("tom")
		words, paths := tom.do("/search?text=beth", nil).foundOn()
		student := paths["People"][0] // who teaches the unit as well
		if len(words["People"]) != 2 {
			t.Fatalf("%v", words)
		}
		project := "/projects/" + student[strings.LastIndex(student, "/")+1:]
		prefix := tom.look(student, project)
		at := tom.do(prefix+project+"/search?text=", nil).status(200).says(`action="` + prefix + project + `/search"`).
			says(`<a class="find" href="` + prefix + project + `/search" aria-current="page">`).says("Viewing as")
		words, paths = at.foundOn()
		if len(words["Pages"]) != 6 || words["Pages"][0] != "Tasks" {
			t.Errorf("the pages are %q", words["Pages"])
		}
		for text, want := range map[string]string{"ann": "", "be": "", "cos": "COS1 First", "second": ""} {
			words, more := tom.do(prefix+project+"/search?text="+text, nil).status(200).foundOn()
			if got := strings.Join(words["Units"], "; "); got != want || len(words["People"]) > 0 || len(words["Actions"]) > 0 {
				t.Errorf("a view finds by %q: %v", text, words)
			}
			paths["Units"] = append(paths["Units"], more["Units"]...)
		}
		for _, list := range paths {
			for _, to := range list {
				if !strings.HasPrefix(to, prefix) {
					t.Errorf("%s leads out of the view", to)
				}
				tom.do(to, nil).status(200)
			}
		}
		tom.do(prefix+"/search?text=ann", nil).status(404)
		own, _ := w.as("beth").do(project+"/search?text=cos", nil).foundOn()
		if strings.Join(own["Units"], "") != "COS1 First" {
			t.Errorf("the student finds %v", own)
		}
		staff, _ := tom.do(project+"/search?text=beth", nil).foundOn() // as himself, without a view
		if len(staff["People"]) != 2 {
			t.Errorf("%v", staff)
		}
	})
}

// What somebody looks for stands in no log.
func TestWhatIsLookedForOnAPageIsNotLogged(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.twoUnits()
	tom := w.as("tom")
	for _, path := range []string{"/search", "/search/found", w.path("/projects/{id}/search")} {
		tom.do(path+"?text=quokkaseeker", nil)
		w.do(path+"?text=quokkaseeker", nil).status(303) // and back to it after the sign-in
		tom.do("/search?text=quokkaseeker", url.Values{"text": {"quokkaseeker"}})
	}
	if log := w.log.String(); !strings.Contains(log, "/search/found") || strings.Contains(log, "quokka") {
		t.Errorf("the log says: %s", log)
	}
}
