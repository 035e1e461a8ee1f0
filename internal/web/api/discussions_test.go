package api

import (
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
)

const aDiscussion = taskRoute + "/comments/{task_comment_id}/discussion_comment"

var _ = rights(
	rightRow{"POST " + taskRoute + "/discussion_comments", ownTask + "/discussion_comments", staffA,
		upload{nil, []part{{"attachments[]", "q.wav", wavFile}}}},
	rightRow{"GET " + aDiscussion + "/prompt_number/{prompt_number}",
		ownTask + "/comments/1/discussion_comment/prompt_number/0", readers, nil},
	rightRow{"POST " + aDiscussion + "/reply", ownTask + "/comments/1/discussion_comment/reply", "student",
		upload{nil, []part{{"attachment", "a.wav", wavFile}}}},
	rightRow{"GET " + aDiscussion + "/response", ownTask + "/comments/1/discussion_comment/response", readers, nil},
)

func TestDiscussion(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		one, two := wavFile, wavFile+"second"
		a := w.do("tutor", "POST "+ownTask+"/discussion_comments", upload{nil, []part{{"attachments[]", "../q1", one},
			{"attachments[]", "q2", two}}}).status(201)
		o := a.object()
		w.id["d"] = int64(o["id"].(float64))
		has(t, "started", o, map[string]any{"type": "discussion", "status": "not started", "number_of_prompts": 2.0,
			"time_discussion_started":   nil,
			"time_discussion_completed": nil, "has_attachment": false, "is_new": false})
		d := ownTask + "/comments/{d}/discussion_comment"
		if got := w.news("student", ownTask) + "|" + w.news("student", ownTask) + "|" + w.news("convenor",
			ownTask); got != "Discussion|Discussion|" {
			t.Errorf("new: %s", got)
		}
		w.do("tutor", "GET "+d+"/response", nil).status(404)
		w.do("tutor", "GET "+d+"/prompt_number/0", nil).status(200)
		w.do("tutor", "GET "+d+"/prompt_number/1", nil).status(200)
		stage := func() map[string]any {
			t.Helper()
			return w.do("tutor", "GET "+ownTask+"/comments", nil).status(200).list()[0]
		}
		has(t, "heard by staff only", stage(), map[string]any{"status": "not started"})
		began := clock.At(w.now).String()
		if got := w.do("student", "GET "+d+"/prompt_number/0?as_attachment=1", nil, "Range",
			"bytes=0-3").status(206); got.Body.String() != "RIFF" ||
			got.Header().Get("Content-Type") != "audio/wav" ||
			!strings.HasPrefix(got.Header().Get("Content-Disposition"), `attachment; filename=discussion-`) {
			t.Errorf("%q %v", got.Body, got.Header())
		}
		w.later(time.Minute)
		w.do("student", "GET "+d+"/prompt_number/0", nil).status(200)
		has(t, "begun", stage(), map[string]any{"status": "opened", "time_discussion_started": began})
		w.do("student", "GET "+d+"/prompt_number/2", nil).status(404)
		w.do("student", "GET "+d+"/prompt_number/-1", nil).status(404)
		reply := func(content string) upload { return upload{nil, []part{{"attachment", "r", content}}} }
		w.do("student", "POST "+d+"/reply", reply(pngFile)).status(415)
		w.do("student", "POST "+d+"/reply", reply("")).status(415)
		w.do("student", "POST "+d+"/reply", nil).status(400)
		w.do("tutor", "POST "+d+"/reply", reply(wavFile)).status(403)
		has(t, "answered", w.do("student", "POST "+d+"/reply", reply(wavFile+"answer")).status(201).object(),
			map[string]any{"id": float64(w.id["d"]), "status": "complete", "is_new": false,
				"time_discussion_started": began, "time_discussion_completed": clock.At(w.now).String()})
		w.do("student", "POST "+d+"/reply", reply(wavFile)).status(409)
		if got := w.do("tutor", "GET "+d+"/response", nil).status(200).Body.String(); got != wavFile+"answer" {
			t.Errorf("answer %q", got)
		}
		if n := w.count("events WHERE kind = 'comment'"); n != 2 {
			t.Errorf("%d events", n)
		}
		w.comment("text", "student", ownTask, "No discussion")
		for _, c := range []string{"{text}", "999999"} {
			w.do("student", "GET "+ownTask+"/comments/"+c+"/discussion_comment/prompt_number/0", nil).status(404)
			w.do("student", "GET "+ownTask+"/comments/"+c+"/discussion_comment/response", nil).status(404)
			w.do("student", "POST "+ownTask+"/comments/"+c+"/discussion_comment/reply", reply(wavFile)).status(404)
		}
		w.do("mate", "GET "+memberTask+"/comments/{d}/discussion_comment/prompt_number/0", nil).status(404)
		w.do("tutor", "DELETE "+ownTask+"/comments/{d}", nil).status(204)
		if n := w.count("discussion_files"); n != 0 {
			t.Errorf("%d recordings are left", n)
		}
	})
}

func TestBadDiscussions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		many := upload{}
		for range 11 {
			many.files = append(many.files, part{"attachments[]", "q.wav", wavFile})
		}
		for _, c := range []struct {
			body any
			want int
		}{
			{nil, 400}, {form{"attachments[]": "x"}, 400}, {many, 413},
			{upload{nil, []part{{"attachments[]", "q.wav", ""}}}, 415},
			{upload{nil, []part{{"attachments[]", "q.wav", wavFile}, {"attachments[]", "q.wav", pngFile}}}, 415},
			{upload{nil, []part{{"attachments[]", "q.wav", mp4Film}}}, 415},
		} {
			w.do("tutor", "POST "+ownTask+"/discussion_comments", c.body).status(c.want)
		}
		if n := w.count("task_comments"); n != 0 {
			t.Errorf("%d were stored", n)
		}
	})
}

func TestDiscussionsInAGroupAreWithOne(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define(`group_set_id = $1`, w.id["set"])
		o := w.do("tutor", "POST "+ownTask+"/discussion_comments",
			upload{nil, []part{{"attachments[]", "q", wavFile}}}).status(201).object()
		w.id["d"] = int64(o["id"].(float64))
		w.do("mate", "GET "+memberTask+"/comments/{d}/discussion_comment/prompt_number/0", nil).status(200)
		w.do("mate", "POST "+memberTask+"/comments/{d}/discussion_comment/reply",
			upload{nil, []part{{"attachment", "r", wavFile}}}).status(403).says("another member")
		if n := w.count("task_comments WHERE discussion_started_at IS NULL AND discussion_completed_at IS NULL"); n != 1 {
			t.Error("a mate began it")
		}
		w.do("student", "POST "+ownTask+"/comments/{d}/discussion_comment/reply",
			upload{nil, []part{{"attachment", "r", wavFile}}}).status(201)
	})
}
