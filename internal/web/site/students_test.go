package site_test

import (
	"strings"
	"testing"
)

// Pages of a unit say in their titles which unit they are of: a browser shows nothing else of them.
func TestTitlesNameTheUnit(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	ann := w.as("ann")
	code := w.one(`SELECT code FROM units`)
	for _, path := range []string{"", "/plan", "/portfolio", "/outcomes", "/tutorials", "/groups", "/receipts"} {
		text := ann.do(w.path("/projects/{id}")+path, nil).status(200).Body.String()
		_, title, _ := strings.Cut(text, "<title>")
		if title, _, _ = strings.Cut(title, "</title>"); !strings.Contains(title, "· "+escaped(code)+" –") {
			t.Errorf("%s: the title is %q", path, title)
		}
	}
}

func escaped(text string) string { return strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(text) }

// The menu of the account names the person, not the user name they sign in with.
func TestTheMenuNamesThePerson(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.exec(`UPDATE users SET first_name = 'Annika', last_name = 'Lund' WHERE username = 'ann'`)
	_, menu, _ := strings.Cut(w.as("ann").do("/home", nil).status(200).Body.String(), `id="account"`)
	if menu, _, _ = strings.Cut(menu, "</div>"); !strings.Contains(menu, "Annika Lund") {
		t.Errorf("the menu says %q", menu)
	}
}

// That work came late is nobody's words: the conversation does not tell it as the tutor's.
func TestLatenessIsNotTheTutorsWords(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, path := w.as("ann"), w.path(aTask)
		w.dated(-9, -3)
		ann.send(path+"/hand-in", "k", "a.go", "package a\n").status(303)
		_, talk, _ := strings.Cut(ann.do(path, nil).status(200).text(), `id="talk-list"`)
		talk, _, _ = strings.Cut(talk, `id="say"`)
		if !strings.Contains(talk, "Time exceeded") || strings.Contains(talk, "tom") ||
			strings.Contains(talk, `class="said`) {
			t.Errorf("the conversation says %q", talk)
		}
		_, history, _ := strings.Cut(ann.do(path+"?tab=history", nil).status(200).text(), "Full history")
		history, _, _ = strings.Cut(history, "</ol>")
		if !strings.Contains(history, "Time exceeded") || strings.Contains(history, "tom") {
			t.Errorf("the history says %q", history)
		}
	})
}
