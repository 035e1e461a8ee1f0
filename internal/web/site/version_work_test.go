package site_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

func init() {
	pages["GET "+aVersion+"/work"] = [4]int{303, 404, 404, 403} // nothing was handed in
}

// workOf is the page of a version, from 1, of the newest task.
func (w *world) workOf(version int) string {
	w.Helper()
	return w.path(aTask) + "/versions/" + w.versions()[version-1] + "/work"
}

// What a student handed in is shown file by file with the comments at their lines, which follow them into the next
// version; the conversation leads to each of them, and they lead back.
func TestTheWorkWithItsComments(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ids := w.twoVersions("\u202ea<b>.go")
		ann, tom, task := w.as("ann"), w.as("tom"), w.path(aTask)
		old, now := w.workOf(1), w.workOf(2)
		for _, who := range []*world{ann, tom} {
			page := who.do(now+"?file=0", nil).status(200).says("Submission, version 2").says("a_b_.go").
				says("return one(1, 2)").says(`id="f0-6"`).says("// &lt;b&gt;new&lt;/b&gt;").says("<strong>more</strong>").
				says("&lt;i&gt;5&lt;/i&gt;").says("Mark done").says("Send reply").says("/commented\"").says("3 open")
			who.sound("the document of the work", who.do(now, nil).status(200).says("Comments in the work"))
			at := page.Body.String()
			line, note := strings.Index(at, `id="f0-6"`), strings.Index(at, fmt.Sprintf(`id="note-%d"`, ids[0]))
			if next := strings.Index(at, `id="f0-7"`); line > note || note > next {
				t.Errorf("the comment on line 5 of version 1 stands at %d, not between lines 6 and 7 at %d and %d", note,
					line, next)
			}
			page.says(fmt.Sprintf(`href="%s#comment-%d"`, task, ids[0])) // and back to the conversation
			// What it was said of is gone: it is told in full, with the way to where it stood.
			page.says("a_b_.go, on version 1, line 8").says(fmt.Sprintf("%s?note=%d#note-%d", old, ids[1], ids[1]))
			who.sound("a file of the work", page)
			talk := who.do(task, nil).status(200)
			for _, id := range ids {
				talk.says(fmt.Sprintf(`href="%s?note=%d#note-%d"`, now, id, id))
			}
			who.sound("a conversation with comments that point", talk.hasNot("a_b_.go, line 5: "))
			who.do(fmt.Sprintf("%s?note=%d", old, ids[1]), nil).status(200).says(`class="ln said" id="f0-8"`)
		}
		tom.do(w.path(aDesk), nil).says(fmt.Sprintf(`#note-%d" data-note="%d"`, ids[0], ids[0]))
		ann.do(now, nil).hasNot(w.path("/units/{id}/desk"))
		tom.do(now, nil).says(w.path("/units/{id}/desk") + "?at=" + w.ids()[3])
		ann.do(task, nil).says(now + "?file=0").says(`href="` + now + `"`)
		for _, odd := range []string{"?file=99", "?file=x", "?note=4711", "?line=-1", "?from=99999999", "?note=-1"} {
			ann.do(now+odd, nil).status(200).says("Submission, version 2")
		}
		w.as("eve").do(now, nil).status(403)
		w.do(now, nil).status(303)
		ann.do(task+"/versions/2001-01-01T00:00:00Z/work", nil).status(404)
		w.exec(`UPDATE projects SET enrolled = FALSE`)
		ann.do(now+"?file=0", nil).status(200).hasNot("Mark done").hasNot("Send reply")
	})
}

// A student ticks a comment where it stands, in the conversation, and answers it under it; staff open it again.
func TestTickingInTheWork(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ids := w.twoVersions("a.go")
		ann, tom, task, now := w.as("ann"), w.as("tom"), w.path(aTask), w.workOf(2)
		at := fmt.Sprintf("%s?note=%d#note-%d", now, ids[0], ids[0])
		file := fmt.Sprintf("%s?note=%d", now, ids[0])
		ann.do(file, nil).says(`name="back" value="` + at + `"`)
		ann.do(task+"/done", url.Values{"comment_id": {fmt.Sprint(ids[0])}, "done": {"true"}, "back": {at}}).leadsTo(at)
		tom.do(file, nil).says("2 open").says("Reopen")
		ann.do(task, nil).says("Reopen").says(fmt.Sprintf(`name="back" value="%s#comment-%d"`, task, ids[0]))
		tom.do(task+"/done", url.Values{"comment_id": {fmt.Sprint(ids[0])}, "done": {"false"}, "back": {at}}).leadsTo(at)
		ann.do(file, nil).says("3 open").hasNot("Reopen")
		ann.do(task+"/comments", url.Values{"comment": {"I <i>moved</i> it"}, "reply_to_id": {fmt.Sprint(ids[0])},
			"back": {at}}).leadsTo(at)
		tom.do(file, nil).says("I &lt;i&gt;moved&lt;/i&gt; it")
		tom.do(w.path(aDesk)+"?file=0", nil).says("I &lt;i&gt;moved&lt;/i&gt; it")
	})
}

// What is long, or claims to be text, is shown within bounds.
func TestHostileFilesInTheWork(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	ann, path := w.as("ann"), w.path(aTask)
	name := strings.Repeat("long-", 40) + ".go"
	began := time.Now()
	for i, text := range []string{strings.Repeat("(", 600_000), strings.Repeat("x", 5<<20),
		strings.Repeat("\u202e<script>", 100_000), strings.Repeat("line\n", 60_000)} {
		ann.send(path+"/hand-in", fmt.Sprint(i), name, text).status(303)
		page := ann.do(w.workOf(i+1)+"?file=0", nil).status(200).hasNot("<script>(")
		_, lines, _ := strings.Cut(page.Body.String(), "data-source=")
		if lines, _, _ = strings.Cut(lines, "<aside"); strings.ContainsAny(lines, "\u202e\x00") || lines == "" {
			t.Errorf("file %d turns what stands beside it: %.200q", i, lines)
		}
		if n := page.Body.Len(); n > 2_000_000 {
			t.Errorf("file %d makes a page of %d bytes", i, n)
		}
	}
	ann.do(w.workOf(4)+"?file=0&from=59000", nil).status(200).says("Lines 55001 to 60000 of 60000")
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}
