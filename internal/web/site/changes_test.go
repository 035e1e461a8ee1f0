package site_test

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/work"
)

func init() {
	pages["GET "+aVersion+"/changes"] = [4]int{303, 404, 404, 403} // nothing was handed in
	pages["POST "+aTask+"/done"] = [4]int{401, 404, 404, 403}      // it names no comment
}

const (
	versionOne = "package a\n\n// first\nfunc first() int {\n\treturn one(1)\n}\n\nfunc gone() {}\n\nfunc last() {}\n"
	versionTwo = "// <b>new</b>\npackage a\n\n// first\nfunc first() int {\n\treturn one(1, 2)\n}\n\nfunc last() {}\n"
)

// ref is the newest task.
func (w *world) ref() work.TaskRef {
	w.Helper()
	ids := w.ids()
	project, _ := strconv.ParseInt(ids[0], 10, 64)
	definition, _ := strconv.ParseInt(ids[1], 10, 64)
	return work.TaskRef{ProjectID: project, DefinitionID: definition}
}

// versions are those of the newest task, the oldest first, as addresses have them.
func (w *world) versions() (at []string) {
	w.Helper()
	list, err := submit.Versions(w.Context(), w.db.Pool(), w.ref().ProjectID, w.ref().DefinitionID)
	if err != nil {
		w.Fatal(err)
	}
	for i := range list {
		at = append(at, list[len(list)-1-i].At.String())
	}
	return at
}

// points lets somebody say something at a line of a version of the first file, and gives the comment.
func (w *world) points(name string, version, line int, text string) (id int64) {
	w.Helper()
	at := w.ref()
	list, err := submit.Versions(w.Context(), w.db.Pool(), at.ProjectID, at.DefinitionID)
	if err != nil {
		w.Fatal(err)
	}
	v := list[len(list)-version]
	files, err := submit.FilesOf(w.Context(), w.db.Pool(), v.ID)
	if err != nil {
		w.Fatal(err)
	}
	w.tx(func(ctx context.Context, q db.Q) error {
		u, err := ident.ByUsername(ctx, q, name)
		if err != nil {
			return err
		}
		c, err := work.Say(ctx, q, w.files, work.Reader{UserID: u.ID, Staff: name == "tom"}, at, work.NewComment{Text: text,
			Place: &work.Place{SubmissionID: v.ID, SubmittedAt: v.At, Version: version, Position: new(0), Name: &files[0].Name,
				Line: &line, EndLine: &line}})
		if err == nil {
			id = c.ID
		}
		return err
	})
	return id
}

// twoVersions has Ann hand in two versions, of which Tom comments on the first one.
func (w *world) twoVersions(name string) (ids [3]int64) {
	w.Helper()
	ann, path := w.as("ann"), w.path(aTask)
	ann.send(path+"/hand-in", "one", name, versionOne).status(303)
	for i, line := range []int{5, 8, 10} {
		ids[i] = w.points("tom", 1, line, "Say **more** <i>"+strconv.Itoa(line)+"</i>")
	}
	ann.send(path+"/hand-in", "two", name, versionTwo).status(303)
	return ids
}

// changesOf is the page of what changed in the newest version.
func (w *world) changesOf() string {
	at := w.versions()
	return w.path(aTask) + "/versions/" + at[len(at)-1] + "/changes"
}

// hasNot tells of a text that must not be there.
func (a *answer) hasNot(text string) *answer {
	a.Helper()
	if strings.Contains(a.Body.String(), text) {
		a.Errorf("it says %q:\n%s", text, a.text())
	}
	return a
}

func TestWhatChangedOnAPage(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ids := w.twoVersions("\u202ea<b>.go")
		ann, tom, path := w.as("ann"), w.as("tom"), w.changesOf()
		for _, who := range []*world{ann, tom} {
			page := who.do(path, nil).status(200).says("Changes in version 2").says("a_b_.go").
				says(`<span class="plus">+2</span>`).says(`<span class="minus">−3</span>`).
				says(`return one(1<mark>, 2</mark>)`).says("Line changed").says("Line removed").says("Not changed").
				says("on version 1, line 5").says("// &lt;b&gt;new&lt;/b&gt;").says("<strong>more</strong>").
				says("&lt;i&gt;5&lt;/i&gt;").says("0 of 3 done")
			who.sound("what changed", page)
			who.sound("in two columns", who.do(path+"?columns=two", nil).status(200).says(`class="code diff two"`).
				says("Not changed"))
		}
		ann.do(path, nil).says("Mark done").says(fmt.Sprintf("note-%d", ids[0]))
		tom.do(path, nil).says("Resolved").says(w.path("/units/{id}/desk") + "?at=" + w.ids()[3])
		tom.do(w.path(aDesk), nil).says(path + `">Changes since version 1</a>`)
		first := strings.Replace(path, w.versions()[1], w.versions()[0], 1)
		ann.sound("the first version", ann.do(first, nil).status(200).says("This is the first version").
			says("This file is new"))
		ann.do(first+"?against="+url.QueryEscape(w.versions()[1]), nil).status(200).says("Changes in version 1")
		for _, wrong := range []string{"?against=1", "?against=yesterday"} {
			ann.do(path+wrong, nil).status(404)
		}
		for _, odd := range []string{"?file=99", "?file=x", "?columns=three", "?open=1.x.99999999999999999999", "?from=-1",
			"?whole=true"} {
			ann.do(path+odd, nil).status(200).says("return one(1")
		}
		ann.do(path+"?from=9999999999999", nil).status(200).says("Earlier lines")
		w.as("eve").do(path, nil).status(403)
		w.do(path, nil).status(303)
		ann.do(w.path(aTask), nil).says(`/changes">Changes</a>`)
		w.exec(`UPDATE projects SET enrolled = FALSE`)
		ann.do(path, nil).status(200).hasNot("Mark done").hasNot("Send reply")
		ann.do(w.path(aTask)+"/done", url.Values{"comment_id": {fmt.Sprint(ids[0])}, "done": {"true"}}).status(403)
	})
}

// A comment is said to be done where it stands, taken back, and answered; that makes nothing new to anybody.
func TestTickingWhereCommentsStand(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ids := w.twoVersions("a.go")
		ann, tom, path, task := w.as("ann"), w.as("tom"), w.changesOf(), w.path(aTask)
		note := fmt.Sprintf("%s#note-%d", path, ids[1])
		done := func(who *world, id int64, value, back string) *answer {
			return who.do(task+"/done", url.Values{"comment_id": {fmt.Sprint(id)}, "done": {value}, "back": {back}})
		}
		const all = `SELECT CAST(count(*) AS TEXT) || ' ' || CAST(max(t.version) AS TEXT) || ' ' ||
			(SELECT CAST(count(*) AS TEXT) FROM comment_reads) FROM task_comments c JOIN tasks t ON t.id = c.task_id`
		before := w.one(all)
		done(ann, ids[1], "true", note).leadsTo(note)
		ann.do(path, nil).says("Done, by you").says("1 of 3 done").says("Not done yet")
		tom.do(path, nil).says("Still open")
		done(tom, ids[1], "false", note).leadsTo(note)
		ann.do(path, nil).says("0 of 3 done")
		done(tom, ids[1], "true", note).leadsTo(note)
		tom.do(path, nil).says("Resolved by you")
		if now := w.one(all); now != before {
			t.Errorf("ticking made %q of %q", now, before)
		}
		for _, back := range []string{"https://evil.test/", "//evil.test", `\\evil.test`, "javascript:alert(1)", "/home",
			task + "/../../../home", "/units/9999/desk", task + "x", ""} {
			done(ann, ids[0], "true", back).leadsTo(task + "#talk")
		}
		desk := w.path("/units/{id}/desk") + "?at=" + w.ids()[3] + "&view=changes"
		done(tom, ids[0], "false", desk).leadsTo(desk)
		done(ann, 4711, "true", note).status(404)
		done(ann, ids[0], "perhaps", note).status(400) // no truth
		done(w.as("eve"), ids[0], "true", note).status(403)
		ann.do(task+"/comments", url.Values{"comment": {"I moved it"}, "reply_to_id": {fmt.Sprint(ids[0])}, "back": {note}}).
			leadsTo(note)
		tom.do(path, nil).says("I moved it")
	})
}

// What is long or is no text is shown within bounds, and the rest of it on further pages.
func TestHostileFilesInChanges(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	ann, path := w.as("ann"), w.path(aTask)
	numbered := func(word string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s %d\n", word, i)
		}
		return b.String()
	}
	name := strings.Repeat("long-", 40) + ".go"
	ann.send(path+"/hand-in", "1", name, numbered("same", 40)+strings.Repeat("(", 600_000)).status(303)
	ann.send(path+"/hand-in", "2", name, numbered("same", 40)+strings.Repeat(")", 600_000)).status(303)
	began := time.Now()
	page := ann.do(w.changesOf(), nil).status(200).says("… 598000 more").says("37 lines unchanged")
	if n := page.Body.Len(); n > 200_000 {
		t.Errorf("a page of %d bytes", n)
	}
	ann.do(w.changesOf()+"?open=1", nil).says("same 20").hasNot("lines unchanged")
	ann.send(path+"/hand-in", "3", name, numbered("old", 50_000)).status(303)
	ann.send(path+"/hand-in", "4", name, numbered("new", 50_000)).status(303)
	page = ann.do(w.changesOf(), nil).status(200).says("Later lines").says("old 0")
	if n := page.Body.Len(); n > 1_000_000 {
		t.Errorf("a page of %d bytes", n)
	}
	ann.do(w.changesOf()+"?from=99000", nil).status(200).says("new 49999").says("Earlier lines").hasNot("Later lines")
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}
