package notify_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lectern/internal/connect/notify"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/words"
	"lectern/internal/ground/words/wordstest"
	"lectern/internal/platform/mail"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/trash"
	"lectern/internal/web/site/page"
)

// Emails say and colour a status as pages do.
func TestEmailsShowStatusesAsPagesDo(t *testing.T) {
	for _, st := range status.All {
		got := notify.StatusOf(mail.Spoken, st)
		if got.Name != page.English.Status(st) || got.Family != page.LookOf(st).Family {
			t.Errorf("%s: %+v; pages say %q in %s", st, got, page.English.Status(st), page.LookOf(st).Family)
		}
	}
}

// Where the tables of emails and of pages stand.
var ofEmails, ofPages = os.DirFS("../../platform/mail"), os.DirFS("../../web/site/page")

// Emails speak the languages that pages do, and say the same where both say it.
func TestEmailsSpeakAsPagesDo(t *testing.T) {
	if e, p := words.Tags(ofEmails), words.Tags(ofPages); !slices.Equal(e, p) {
		t.Errorf("emails speak %v, pages %v", e, p)
	}
	pages, both := wordstest.Tables(t, ofPages), 0
	for tag, emails := range wordstest.Tables(t, ofEmails) {
		if pages[tag] == nil {
			continue
		}
		said := pages[tag].Some("")
		for key, text := range emails.Some("") {
			if theirs, ok := said[onPages(key)]; ok {
				if both++; theirs != text {
					t.Errorf("%s: emails say %+v for %s, pages %+v", tag, text, key, theirs)
				}
			}
		}
	}
	if both < 50 {
		t.Errorf("only %d texts are said by both", both)
	}
}

// shared are what the keys of texts begin with that pages have under the same key.
var shared = []string{"when", "date", "status", "grade", "month-short", "weekday-short"}

// onPages is the key by which pages know a text of emails; empty for what emails alone say.
func onPages(key string) string {
	if as, ok := map[string]string{"when.place": "when.js.place", "when.anywhere": "due.anywhere", "foot.clock": "when.js.note",
		"date.moment": "date.js.moment", "date.moment-year": "date.js.moment-year", "comment.extension": "talk.extension",
		"comment.discussion": "talk.discussion"}[key]; ok {
		return as
	}
	if begin, _, _ := strings.Cut(key, "."); slices.Contains(shared, begin) {
		return key
	}
	return ""
}

// asked is a key in a template or in a program, dated a form of dates.
var (
	asked = regexp.MustCompile(`(?:\b(?:t|late)|\banchor [^ "]+|\b(?:Word|say)\() ?"([^"]+)"(?:[,)}]| [^+])`)
	dated = regexp.MustCompile(`\bDate\("([^"]+)"`)
)

// Every key that emails ask for has words, and no words are left over.
func TestWordsAndEmailsAgree(t *testing.T) {
	table, used := wordstest.Tables(t, ofEmails)["en"].Some(""), map[string]bool{}
	use := func(at, key string) {
		if used[key] = true; table[key] == (words.Text{}) {
			t.Errorf("%s: there are no words for %s", at, key)
		}
	}
	for _, pattern := range []string{"*.go", "../../platform/mail/*.go", "../../platform/mail/templates/*.[ht]*"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range asked.FindAllStringSubmatch(string(text), -1) {
				if !strings.HasSuffix(name, "_test.go") {
					use(name, m[1])
				}
			}
			for _, m := range dated.FindAllStringSubmatch(string(text), -1) {
				use(name, "date."+m[1])
			}
		}
	}
	for _, st := range status.All {
		use("a status", "status."+string(st))
	}
	for g := grade.Pass; g <= grade.Highest; g++ {
		use("a grade", fmt.Sprint("grade.", int(g)))
	}
	for _, kind := range trash.Kind("").Enum() {
		use("what was deleted", "thing."+kind)
	}
	for _, kind := range notify.Attached {
		use("an attachment", "comment."+kind)
	}
	for _, unit := range []string{"minute", "hour", "day", "week", "month", "year"} {
		use("a time", "when.in-"+unit)
		use("a time", "when.ago-"+unit)
	}
	for n := 1; n <= 12; n++ {
		use("a month", fmt.Sprint("month-short.", n))
		if n <= 7 {
			use("a day", fmt.Sprint("weekday-short.", n))
		}
	}
	for key := range table {
		if !used[key] {
			t.Errorf("no email says %s", key)
		}
	}
}
