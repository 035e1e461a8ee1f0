package site_test

import (
	"fmt"
	"net/url"
	"regexp"
	"testing"
)

// A comment is answered at the desk as on the page of the task: the form names it, and the
// conversation shows which words were answered. A reply that is refused is there to be mended.
func TestAnsweringACommentAtTheDesk(t *testing.T) {
	each(t, func(w *world) {
		ids := w.waiting()
		tom, at := w.as("tom"), fmt.Sprintf("%s?at=%d", w.path(aDesk), ids[0])
		task := regexp.MustCompile(`/projects/\d+/tasks/\d+`).FindString(tom.do(at, nil).Body.String())
		w.as("ann").do(task+"/comments", url.Values{"comment": {"When <is> it due?"}}).status(303)
		link := regexp.MustCompile(`desk\?at=\d+&amp;reply=(\d+)#say`).FindAllStringSubmatch(tom.do(at, nil).Body.String(), -1)
		if len(link) == 0 {
			t.Fatal("nothing can be answered")
		}
		id := link[len(link)-1][1]
		tom.do(at, nil).lacks(`id="desk-reply"`)
		tom.do(at+"&reply="+id, nil).says(`id="desk-reply"`).says("When &lt;is&gt; it due?").
			says(`name="reply_to_id" value="` + id + `"`)
		tom.do(at+"&reply=4711", nil).status(200).lacks(`id="desk-reply"`)
		say := func(to, words string) *answer {
			return tom.do(w.onTask(ids[0], "comment"), url.Values{"comment": {words}, "reply_to_id": {to}})
		}
		say(id, " ").status(400).says(`id="desk-reply"`)
		say("4711", "Words of mine.").status(404)
		say(id, "On Friday.").leadsTo(at)
		for _, who := range []*world{tom, w.as("ann")} {
			page := at
			if who != tom {
				page = task
			}
			who.do(page, nil).status(200).says("On Friday.").says(`<a href="#comment-` + id + `">Reply to`)
		}
		w.as("ann").do(at+"&reply="+id, nil).status(403)
	})
}
