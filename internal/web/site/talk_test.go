package site_test

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
)

// sound is a short recording, picture a small one.
const (
	sound = "RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00" +
		"\x02\x00\x10\x00data\x00\x00\x00\x00"
	picture = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
)

// discuss lets Tom ask Ann two recorded questions.
func (w *world) discuss() (id int64) {
	w.Helper()
	info, err := w.files.Put(w.Context(), strings.NewReader(sound))
	if err != nil {
		w.Fatal(err)
	}
	question := work.Media{File: info, Kind: "audio", Type: "audio/wav"}
	at := w.ids()
	project, _ := strconv.ParseInt(at[0], 10, 64)
	definition, _ := strconv.ParseInt(at[1], 10, 64)
	w.tx(func(ctx context.Context, q db.Q) error {
		tom, err := ident.ByUsername(ctx, q, "tom")
		if err != nil {
			return err
		}
		c, err := work.Discuss(ctx, q, w.files, work.Reader{UserID: tom.ID, Staff: true},
			work.TaskRef{ProjectID: project, DefinitionID: definition}, []work.Media{question, question})
		if err == nil {
			id = c.ID
		}
		return err
	})
	return id
}

// A discussion begins when the student says so, not because something was fetched, and
// is answered once.
func TestADiscussionOnItsPage(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, tom := w.as("ann"), w.as("tom")
		path := fmt.Sprintf("%s/discussions/%d", w.path(aTask), w.discuss())
		ann.do(w.path(aTask), nil).status(200).says(`href="` + path).says("Discussion: 2 questions").says("Not started")
		tom.do(path+"/prompts/0", nil).status(200)
		for range 2 { // looking begins nothing
			ann.do(path, nil).status(200).says("Start discussion").says("Not started")
			ann.do(path+"/prompts/0", nil).status(409).says("Start the discussion")
		}
		ann.sound("a discussion", ann.do(path, nil))
		ann.do(path+"/begin", url.Values{}).leadsTo(path)
		begun := ann.do(path, nil).status(200).says(path + "/prompts/1").says("Send answer")
		begun.says("Started")
		if got := ann.do(path+"/prompts/1", nil).status(200); got.Body.String() != sound {
			t.Errorf("%q", got.Body)
		}
		ann.do(path+"/prompts/2", nil).status(404)
		ann.do(path+"/answer", url.Values{}).status(400).says("record your answer").says("Send answer")
		ann.upload(path+"/answer", "text/html", nil, "attachment", "a.png", picture).status(415).says(`role="alert"`)
		tom.upload(path+"/answer", "text/html", nil, "attachment", "a.wav", sound).status(403)
		ann.upload(path+"/answer", "text/html", nil, "attachment", "a.wav", sound).leadsTo(path)
		ann.upload(path+"/answer", "text/html", nil, "attachment", "a.wav", sound).status(409)
		tom.do(path, nil).status(200).says(path + "/response").says("Answered")
		tom.do(path+"/response", nil).status(200)
		tom.sound("an answered discussion", tom.do(path, nil))
		w.as("eve").do(path+"/prompts/0", nil).status(403)
	})
}

// Pictures, sounds and files stand in the conversation as what they are; a request for
// more time says what became of it.
func TestWhatIsSaidOnAPage(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, path := w.as("ann"), w.path(aTask)
		for _, one := range []struct{ name, content, shown string }{{"<p>.png", picture, `<img class="thumb" src="` + path},
			{"a.wav", sound, `<audio controls preload="none" src="` + path}} {
			ann.upload(path+"/comments", "text/html", url.Values{"comment": {"see " + one.name}}, "attachment", one.name,
				one.content).leadsTo(path + "#talk")
			ann.do(path, nil).status(200).says(one.shown)
		}
		ann.sound("a conversation", ann.do(path, nil))
		said := url.Values{"comment": {"hello"}}
		if to := ann.do(path+"/comments", said, "Accept", "application/json").to(); to != path+"#talk" {
			t.Error(to)
		}
		ann.do(path+"/comments", said, "Accept", "application/json").status(409).says(`"error"`)
		ann.do(path+"/extension", url.Values{"weeks": {"1"}, "reason": {"  "}}).status(400).says(`role="alert"`)
		ann.do(path+"/extension", url.Values{"weeks": {"-1"}, "reason": {"flu"}}).status(400).says(">flu</textarea>")
		ann.do(path+"/extension", url.Values{"weeks": {"1"}, "reason": {"flu"}}).status(303)
		ann.do(path, nil).says("You requested an extension").says("Granted").says("Due ")
		w.exec(`UPDATE task_comments SET extension_granted = NULL, extension_assessed_at = NULL WHERE type = 'extension'`)
		ann.do(path, nil).says("Waiting for a decision")
		w.exec(`UPDATE task_comments SET extension_granted = FALSE, extension_assessed_at = created_at,
			extension_response = 'No <b>proof</b>.' WHERE type = 'extension'`)
		ann.do(path, nil).says("Declined").says("No &lt;b&gt;proof&lt;/b&gt;.")
	})
}

// What is said is shown with its Markdown, by the rules of documents, on the task's page and at
// the desk: no HTML of anybody, and links say where they lead.
func TestCommentsAreMarkdown(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, tom, path := w.as("ann"), w.as("tom"), w.path(aTask)
		ann.send(path+"/hand-in", "k", "a.go", "package a\n").status(303)
		tom.do(path+"/comments", url.Values{"comment": {"See **line 4** of `a.go`:\n\n- one\n- two\n\n" +
			"[why](https://e.org/x) [no](javascript:alert(1)) <script>alert(2)</script>"}}).status(303)
		for _, page := range []*answer{ann.do(path, nil), tom.do(w.path(aDesk), nil)} {
			page.status(200).says("See <strong>line 4</strong> of <code>a.go</code>:").
				says("<ul><li><bdi>one</bdi></li><li><bdi>two</bdi></li></ul>").
				says(`<a rel="noopener nofollow" href="https://e.org/x" class="outside">why<span class="unseen"> (opens e.org)`).
				says("no &lt;script&gt;alert(2)&lt;/script&gt;")
			_, talk, _ := strings.Cut(page.text(), `class="talk"`)
			talk, _, _ = strings.Cut(talk, "</ol>")
			if strings.Contains(talk, "javascript:") || strings.Contains(talk, "**line") {
				t.Error("a link runs a script, or Markdown is shown raw")
			}
		}
	})
}

// A comment can be answered without script, and the answer shows what it is to; own words and
// those of the staff are told apart, and every comment has an address.
func TestAnsweringAComment(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, tom, path := w.as("ann"), w.as("tom"), w.path(aTask)
		tom.do(path+"/comments", url.Values{"comment": {"Which *loop* do you mean?"}}).status(303)
		asked := w.one(`SELECT max(id) FROM task_comments`)
		shown := ann.do(path, nil).status(200).says(`<li id="comment-` + asked + `" class="said staff new">`).
			says(`href="#comment-` + asked + `"`).says(`href="` + path + "?reply=" + asked + `#say"`)
		if strings.Contains(shown.text(), `name="reply_to_id"`) {
			t.Error("the form answers what nobody chose")
		}
		ann.do(path+"?reply="+asked, nil).status(200).says(`name="reply_to_id" value="` + asked + `"`).
			says("<bdi>Which loop do you mean?</bdi>").says("Cancel reply")
		ann.sound(path, ann.do(path+"?reply="+asked, nil))
		if strings.Contains(ann.do(path+"?reply=999999", nil).status(200).text(), `name="reply_to_id"`) {
			t.Error("what is not there can be answered")
		}
		long := strings.Repeat("x", 5000)
		ann.do(path+"/comments", url.Values{"comment": {long}, "reply_to_id": {asked}}).status(400).
			says(`name="reply_to_id" value="` + asked + `"`).says(long)
		ann.do(path+"/comments", url.Values{"comment": {"The first."}, "reply_to_id": {asked}}).leadsTo(path + "#talk")
		if got := w.one(`SELECT reply_to_id FROM task_comments WHERE comment = 'The first.'`); got != asked {
			t.Errorf("it answers %s", got)
		}
		ann.do(path+"/comments", url.Values{"comment": {"x"}, "reply_to_id": {"999999"}}).status(404)
		for _, one := range []struct {
			who   *world
			class string
		}{{ann, "said own"}, {tom, "said new"}} {
			text := one.who.do(path, nil).status(200).text()
			_, answer, _ := strings.Cut(text, `class="`+one.class+`"`)
			if !strings.Contains(answer, "Reply to <bdi>") || !strings.Contains(answer, "<bdi>The first.</bdi>") ||
				!strings.Contains(answer, `<a href="#comment-`+asked+`">Reply to`) {
				t.Error(one.class, " does not show what it answers")
			}
		}
	})
}

// What happens to a task stands in the conversation as lines between what was said, each once:
// versions, also those that change no status, and changes of the status.
func TestHappeningsInTheConversation(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, tom, path := w.as("ann"), w.as("tom"), w.path(aTask)
		ann.send(path+"/hand-in", "k", "a.go", "package a\n").status(303)
		ann.send(path+"/hand-in", "l", "a.go", "package b\n").status(303)
		tom.do(path+"/status", url.Values{"status": {"fix_and_resubmit"}}).status(303)
		ann.do(path+"/comments", url.Values{"comment": {"Hello"}}).status(303)
		text := ann.do(path, nil).status(200).text()
		_, talk, _ := strings.Cut(text, `id="talk-list"`)
		talk, _, _ = strings.Cut(talk, `id="say"`)
		for part, want := range map[string]int{`class="event"`: 3, `class="said`: 1, "submitted version 1.": 1,
			"submitted version 2.": 1, "changed the status to": 1, "Fix and resubmit</span>": 1} {
			if n := strings.Count(talk, part); n != want {
				t.Errorf("%q is there %d times, want %d: %s", part, n, want, talk)
			}
		}
		if strings.Index(talk, "version 1") > strings.Index(talk, "version 2") ||
			strings.Index(talk, "version 2") > strings.Index(talk, "Fix and resubmit") {
			t.Error("they do not stand in the order they happened")
		}
	})
}

// A request for more time that a second click or a reload sends again is one: as long as
// it waits, and for a minute where it was decided at once. Other words or weeks are another, which
// is refused as long as one waits.
func TestAskingTwiceForMoreTimeIsAskingOnce(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, path := w.as("ann"), w.path(aTask)
		asks := func(weeks, reason, want string) {
			t.Helper()
			ann.do(path+"/extension", url.Values{"weeks": {weeks}, "reason": {reason}}).leadsTo(path + "#talk")
			if got := w.one(`SELECT count(*) FROM task_comments WHERE type = 'extension'`); got != want {
				t.Errorf("%s requests after one for %s because of %s, want %s", got, weeks, reason, want)
			}
		}
		w.exec(`UPDATE task_definitions SET target_date = '2199-01-01', due_date = '2199-12-31'`)
		asks("1", "flu", "1")
		asks("1", " flu", "1")
		if got := w.one(`SELECT sum(extensions) FROM tasks`); got != "1" {
			t.Errorf("%s weeks are granted, want 1", got)
		}
		asks("1", "a cold", "2")
		asks("2", "flu", "3")
		w.exec(`UPDATE task_comments SET created_at = '2020-01-01T00:00:00.000000Z'`)
		asks("1", "flu", "4")
		w.exec(`UPDATE units SET auto_apply_extension_before_deadline = FALSE`)
		asks("1", "a funeral", "5")
		w.exec(`UPDATE task_comments SET created_at = '2020-01-01T00:00:00.000000Z'`)
		asks("1", "a funeral", "5")
		ann.do(path+"/extension", url.Values{"weeks": {"1"}, "reason": {"a wedding"}}).status(409).
			says("still waiting for a decision")
		w.exec(`UPDATE task_comments SET extension_assessed_at = created_at, extension_granted = FALSE,
			extension_response = 'No' WHERE extension_assessed_at IS NULL`)
		w.exec(`UPDATE task_definitions SET due_date = '2199-02-12'`) // one week is left
		asks("3", "a wedding", "6")
		asks("3", "a wedding", "6")
	})
}

// Of a long conversation the end is shown, and what is new is never folded away.
func TestALongConversation(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	ann, tom, path := w.as("ann"), w.as("tom"), w.path(aTask)
	for i := range 60 {
		ann.do(path+"/comments", url.Values{"comment": {fmt.Sprintf("remark %d.", i)}}).status(303)
	}
	page := ann.do(path, nil).status(200).says("Show 20 earlier comments").dense()
	before, after, _ := strings.Cut(page, "</details><ol class=\"talk\">")
	if !strings.Contains(before, "remark 19.") || !strings.Contains(after, "remark 20.") {
		t.Error("it is folded elsewhere")
	}
	if strings.Contains(tom.do(path, nil).status(200).Body.String(), "earlier comments") {
		t.Error("new comments are folded")
	}
	tom.do(path+"/read", url.Values{}).leadsTo(path + "#talk")
	tom.do(path, nil).says("Show 20 earlier comments")
}
