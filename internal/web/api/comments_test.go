package api

import (
	"bytes"
	"image"
	"image/png"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/teaching/work"
)

const (
	taskRoute  = "/api/projects/{project_id}/task_def_id/{task_definition_id}"
	memberTask = "/api/projects/{project:mate}/task_def_id/{defA1}"
	readers    = "student " + staffA // of student's tasks
)

var _ = rights(
	rightRow{"GET " + taskRoute + "/comments", ownTask + "/comments", readers, nil},
	rightRow{"POST " + taskRoute + "/comments", ownTask + "/comments", readers, `{"comment":"Hello"}`},
	rightRow{"GET " + taskRoute + "/comments/{id}", ownTask + "/comments/1", readers, nil},
	rightRow{"POST " + taskRoute + "/comments/{id}", ownTask + "/comments/1", readers, nil},
	rightRow{"DELETE " + taskRoute + "/comments/{id}", ownTask + "/comments/1", readers, nil},
	rightRow{"GET " + taskRoute + "/submissions/timestamps/{timestamp}/comments",
		ownTask + "/submissions/timestamps/1/comments", readers, nil},
	rightRow{"GET " + taskRoute + "/submissions/timestamps/{timestamp}/commented",
		ownTask + "/submissions/timestamps/1/commented", readers, nil},
	rightRow{"PUT " + taskRoute + "/comments/{id}/done", ownTask + "/comments/1/done", readers, `{"done":true}`},
)

var _ = lists(listRow{route: "GET " + taskRoute + "/comments", path: ownTask + "/comments", who: "tutor",
	fill: fill("task_comments", func(w *world, i int) row {
		return row{"task_id": w.id["task"], "unit_id": w.id["unitA"], "user_id": w.id["student"],
			"recipient_id": w.id["tutor"],
			"type":         "text", "comment": numbered("Comment", i), "created_at": clock.At(w.now)}
	})})

var _ = lists(listRow{route: "GET " + taskRoute + "/submissions/timestamps/{timestamp}/comments",
	path: ownTask + "/submissions/timestamps/{at}/comments", who: "tutor",
	fill: func(w *world, from, to int) {
		if from == 0 {
			w.asks("code")
			w.handIn("student", "defA1")
			w.id["at"] = w.at("student").Unix()
		}
		for i := from; i < to; i++ {
			id := w.add("", "task_comments", row{"task_id": w.id["task"], "unit_id": w.id["unitA"],
				"user_id": w.id["student"], "recipient_id": w.id["tutor"], "type": "text",
				"comment": numbered("hello.py, line 1: Comment", i), "created_at": clock.At(w.now)})
			w.put("comment_places", row{"task_comment_id": id, "submission_id": w.lastID("submissions"),
				"submitted_at": w.at("student"), "version": 1, "lead": "hello.py, line 1: ", "position": 0, "name": "hello.py",
				"line": 1, "end_line": 1})
		}
	}})

// comment says something and remembers its id by name.
func (w *world) comment(name, as, path, text string) *answered {
	w.Helper()
	a := w.do(as, "POST "+path+"/comments", form{"comment": text}).status(201)
	w.id[name] = int64(a.object()["id"].(float64))
	return a
}

// attach says something with a file.
func (w *world) attachment(as, path, text, name, content string) *answered {
	w.Helper()
	return w.do(as, "POST "+path+"/comments", upload{map[string]string{"comment": text},
		[]part{{"attachment", name, content}}})
}

// news lists what is new in a conversation, which reading it ends.
func (w *world) news(as, path string) string {
	w.Helper()
	var out []string
	for _, c := range w.do(as, "GET "+path+"/comments", nil).status(200).list() {
		if c["is_new"] == true {
			out = append(out, c["comment"].(string))
		}
	}
	return strings.Join(out, ", ")
}

// Samples of files, as small as their kinds allow.
var (
	pngFile = func() string {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
			panic(err)
		}
		return b.String()
	}()
	wavFile = "RIFF\x2c\x00\x00\x00WAVEfmt " +
		"\x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x08\x00\x00\x0012345678"
	gifFile  = "GIF89a\x01\x00\x01\x00\x00\x00\x00;"
	webmHead = "\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webmB\x87\x81\x04B\x85\x81\x02"
	mp4Film  = mp4("vide")
)

func mp4(handler string) string {
	hdlr := "\x00\x00\x00\x20hdlr\x00\x00\x00\x00\x00\x00\x00\x00" + handler + "\x00\x00\x00\x00\x00\x00\x00\x00"
	return "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp42\x00\x00\x00\x10mdat12345678\x00\x00\x00\x28moov" + hdlr
}

func TestComments(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := clock.At(w.now).String()
		person := func(name, first string) string {
			return `{"id":«` + name + `»,"first_name":"` + first + `","last_name":"Person","email":"` + name +
				`@example.edu"}`
		}
		first := func(isNew, read string) string {
			return `{"id":«c1»,"comment":"Is this right?","has_attachment":false,"type":"text","is_new":` + isNew +
				`,"reply_to_id":null,"author":` +
				person("student", "Student") + `,"recipient":` + person("tutor", "Tutor") + `,"created_at":"` + at +
				`","recipient_read_time":` + read + `}`
		}
		a := w.comment("c1", "student", ownTask, "  Is this right?\n")
		a.is(first("false", "null"))
		if got := a.Header().Get("Location"); got != w.path(ownTask+"/comments") {
			t.Errorf("Location %q", got)
		}
		w.do("convenor", "GET "+ownTask+"/comments", nil).status(200).is(`[` + first("true", "null") + `]`)
		w.do("convenor", "GET "+ownTask+"/comments", nil).status(200).is(`[` + first("false", "null") + `]`)
		w.do("tutor", "GET "+ownTask+"/comments", nil).status(200).is(`[` + first("true", "null") + `]`)
		w.do("student", "GET "+ownTask+"/comments", nil).status(200).is(`[` + first("false", `"`+at+`"`) + `]`)
		// The tutor of the student has read it for all the staff.
		if got := w.news("both", ownTask); got != "" {
			t.Errorf("new for other staff: %s", got)
		}
		w.later(time.Second)
		reply := w.do("tutor", "POST "+ownTask+"/comments",
			form{"comment": "Yes", "reply_to_id": w.path("{c1}")}).status(201).object()
		if reply["reply_to_id"] != float64(w.id["c1"]) ||
			reply["recipient"].(map[string]any)["id"] != float64(w.id["student"]) {
			t.Errorf("reply %v", reply)
		}
		if got := w.news("both", ownTask) + "|" + w.news("student", ownTask) + "|" + w.news("student",
			ownTask); got != "|Yes|" {
			t.Errorf("new: %s", got)
		}
		// The staff's other comments are the tutor's to read.
		w.comment("c3", "both", ownTask, "Indeed")
		if got := w.news("tutor", ownTask); got != "Indeed" {
			t.Errorf("new for the tutor: %s", got)
		}
		w.move("student", ownTask, "working_on_it")
		for _, c := range w.do("tutor", "GET "+ownTask+"/comments", nil).status(200).list() {
			if c["type"] == "status" && (c["status"] != "working_on_it" || c["date"] == nil || c["is_new"] != false ||
				c["recipient_read_time"] != nil || c["comment"] != "Working On It") {
				t.Errorf("status comment %v", c)
			}
		}
		w.do("student", "GET "+memberTask+"/comments", nil).status(403)
		w.do("mate", "GET "+memberTask+"/comments", nil).status(200).is(`[]`)
		if n := w.count("tasks WHERE project_id = $1", w.id["project:mate"]); n != 0 {
			t.Error("reading made a task")
		}
		w.comment("c4", "mate", memberTask, "Mine")
		if n := w.count("tasks WHERE project_id = $1 AND status = 'not_started'", w.id["project:mate"]); n != 1 {
			t.Error("commenting made no task")
		}
	})
}

// Whoever says something is answered with what a reading of the conversation gives.
func TestANewCommentIsAnsweredAsItIsRead(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for round := range 3 {
			if round == 2 { // from now on student and mate share what is said
				w.define(`group_set_id = $1`, w.id["set"])
			}
			for _, as := range []string{"student", "tutor", "convenor", "both"} {
				w.later(time.Second)
				said := form{"comment": numbered(as, round)}
				if round == 1 {
					said["reply_to_id"] = w.path("{before}")
				}
				answer := w.do(as, "POST "+ownTask+"/comments", said).status(201).object()
				list := w.do(as, "GET "+ownTask+"/comments", nil).status(200).list()
				if read := list[len(list)-1]; !reflect.DeepEqual(answer, read) {
					t.Errorf("%s is answered %v, and reads %v", as, answer, read)
				}
				w.id["before"] = int64(answer["id"].(float64))
			}
		}
	})
}

func TestAPageOfComments(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i := range 5 {
			w.comment("c", "student", ownTask, numbered("Comment", i))
		}
		a := w.do("tutor", "GET "+ownTask+"/comments?limit=2&offset=1", nil).status(200)
		if list := a.list(); len(list) != 2 || list[0]["comment"] != "Comment 1" ||
			a.Header().Get("X-Total-Count") != "5" {
			t.Errorf("%v %v", a.Header(), list)
		}
		// Only what was shown is read.
		if got := w.news("tutor", ownTask); got != "Comment 0, Comment 3, Comment 4" {
			t.Errorf("new: %s", got)
		}
		w.do("tutor", "GET "+ownTask+"/comments?limit=-1", nil).status(400)
	})
}

func TestNobodySaysTheSameTwice(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.comment("c", "student", ownTask, "Hello")
		w.do("student", "POST "+ownTask+"/comments", form{"comment": "Hello "}).status(409).says("already says exactly this")
		w.do("student", "POST "+ownTask+"/comments", form{"comment": "Hello", "reply_to_id": w.path("{c}")}).status(201)
		w.do("tutor", "POST "+ownTask+"/comments", form{"comment": "Hello"}).status(201)
		w.do("student", "POST "+ownTask+"/comments", form{"comment": "Hello"}).status(201)
		if got := w.together(8, func(int) (string, any) {
			return "POST " + memberTask + "/comments",
				form{"comment": "Now"}
		}); got[201] != 1 || got[409] != 7 {
			t.Errorf("at once: %v", got)
		}
	})
}

func TestBadComments(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.comment("elsewhere", "student", "/api/projects/{project:student}/task_def_id/{defA2}", "There")
		w.comment("mates", "mate", memberTask, "Mine")
		w.comment("B", "studentB", "/api/projects/{project:studentB}/task_def_id/{defB1}", "Far")
		before := w.count("task_comments")
		html, svg := "<!DOCTYPE html><html><script>alert(1)</script></html>",
			`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script/></svg>`
		for _, c := range []struct {
			about string
			body  any
			want  int
		}{
			{"nothing", form{}, 400},
			{"blank", form{"comment": " \n\t "}, 400},
			{"too long", form{"comment": strings.Repeat("é", work.MaxComment+1)}, 400},
			{"1 MB", form{"comment": strings.Repeat("a", 1<<20)}, 400},
			{"1 MB of JSON", `{"comment":"` + strings.Repeat("a", 1<<20) + `"}`, 400},
			{"text for a file", form{"attachment": "x"}, 400},
			{"empty file", upload{nil, []part{{"attachment", "a.png", ""}}}, 415},
			{"empty file with text", upload{map[string]string{"comment": "see"}, []part{{"attachment", "a.png", ""}}},
				415},
			{"HTML as png", upload{nil, []part{{"attachment", "a.png", html}}}, 415},
			{"SVG as png", upload{nil, []part{{"attachment", "a.png", svg}}}, 415},
			{"text", upload{nil, []part{{"attachment", "a.pdf", "just words"}}}, 415},
			{"zip", upload{nil, []part{{"attachment", "a.pdf", "PK\x03\x04" + strings.Repeat("\x00", 60)}}}, 415},
			{"program", upload{nil, []part{{"attachment", "a.png", "\x7fELF" + strings.Repeat("\x00", 60)}}}, 415},
			{"half a PDF", upload{nil, []part{{"attachment", "a.pdf", "%PDF-1.4\n"}}}, 415},
			{"file with a long text", upload{map[string]string{"comment": strings.Repeat("a", 5000)},
				[]part{{"attachment", "a.png", pngFile}}}, 400},
			{"two files", upload{nil, []part{{"attachment", "a.png", pngFile}, {"attachment", "b.png", pngFile}}}, 413},
			{"reply to nothing", form{"comment": "x", "reply_to_id": "999999"}, 404},
			{"reply to another task", form{"comment": "x", "reply_to_id": w.path("{elsewhere}")}, 404},
			{"reply to another student", form{"comment": "x", "reply_to_id": w.path("{mates}")}, 404},
			{"reply to another unit", form{"comment": "x", "reply_to_id": w.path("{B}")}, 404},
			{"reply to no number", form{"comment": "x", "reply_to_id": "abc"}, 400},
		} {
			if got := w.do("student", "POST "+ownTask+"/comments", c.body); got.Code != c.want {
				t.Errorf("%s: got %d, want %d: %.200s", c.about, got.Code, c.want, got.Body)
			}
		}
		for _, path := range []string{"{elsewhere}", "{mates}", "{B}", "999999"} {
			for _, method := range []string{"GET", "POST", "DELETE"} {
				w.do("tutor", method+" "+ownTask+"/comments/"+path, nil).status(404)
			}
		}
		if n := w.count("task_comments"); n != before {
			t.Errorf("%d comments were stored", n-before)
		}
		if n := w.count("blobs"); n != 0 {
			t.Errorf("%d files were kept", n)
		}
	})
}

func TestTooLargeAttachments(t *testing.T) {
	w := newWorld(t, "sqlite")
	just := gifFile + strings.Repeat("\x00", work.MaxMedia-len(gifFile))
	w.attachment("student", ownTask, "", "a.gif", just+"x").status(413)
	if n := w.count("task_comments"); n != 0 {
		t.Error("stored")
	}
	w.attachment("student", ownTask, "", "a.gif", just).status(201)
}

func TestAttachments(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, c := range []struct{ name, content, kind, mime, ext string }{
			{"a.png", pngFile, "image", "image/png", ".png"},
			{"a.png", gifFile, "image", "image/gif", ".gif"},
			{"../../etc/passwd", aPDF, "pdf", "application/pdf", ".pdf"},
			{"x.html", wavFile, "audio", "audio/wav", ".wav"},
			{`c:\a\"b.webm`, webmHead + "A_OPUS", "audio", "audio/webm", ".webm"},
			{"a.webm", webmHead + "V_VP9 A_OPUS", "video", "video/webm", ".webm"},
			{"a.mp4", mp4Film, "video", "video/mp4", ".mp4"},
			{"a.mp4", mp4("soun"), "audio", "audio/mp4", ".m4a"},
			{"a.flac", "fLaC\x00\x00\x00\x22" + strings.Repeat("\x00", 40), "audio", "audio/flac", ".flac"},
			{"a.mp3", "ID3\x03\x00\x00\x00\x00\x00\x0a" + strings.Repeat("\x00", 10), "audio", "audio/mpeg", ".mp3"},
		} {
			o := w.attachment("student", ownTask, "", c.name, c.content).status(201).object()
			if o["type"] != c.kind || o["has_attachment"] != true || o["comment"] == "" {
				t.Errorf("%s %s: %v", c.name, c.mime, o)
				continue
			}
			w.id["c"] = int64(o["id"].(float64))
			got := w.do("tutor", "GET "+ownTask+"/comments/{c}", nil).status(200)
			name := "comment-" + strconv.FormatInt(w.id["c"], 10) + c.ext
			if got.Body.String() != c.content || got.Header().Get("Content-Type") != c.mime ||
				got.Header().Get("Content-Disposition") != `inline; filename=`+name {
				t.Errorf("%s: %v", c.name, got.Header())
			}
			if d := w.do("student", "GET "+ownTask+"/comments/{c}?as_attachment=true",
				nil).status(200).Header().Get("Content-Disposition"); d != `attachment; filename=`+name {
				t.Errorf("%s: %s", c.name, d)
			}
		}
		// Words that come with a file stay.
		o := w.attachment("student", ownTask, " Look here ", "a.png", pngFile).status(201).object()
		if o["comment"] != "Look here" || o["type"] != "image" {
			t.Errorf("%v", o)
		}
		w.id["c"] = int64(o["id"].(float64))
		for ranges, want := range map[string]string{"bytes=0-3": pngFile[:4], "bytes=-4": pngFile[len(pngFile)-4:],
			"bytes=5-": pngFile[5:]} {
			got := w.do("tutor", "GET "+ownTask+"/comments/{c}", nil, "Range", ranges).status(206)
			if got.Body.String() != want || !strings.HasSuffix(got.Header().Get("Content-Range"),
				"/"+strconv.Itoa(len(pngFile))) {
				t.Errorf("%s: %q %v", ranges, got.Body, got.Header())
			}
		}
		beyond := w.do("tutor", "GET "+ownTask+"/comments/{c}", nil, "Range",
			"bytes=99999-").status(416).says("does not have the part")
		if got := beyond.Header().Get("Content-Range"); got != "bytes */"+strconv.Itoa(len(pngFile)) {
			t.Errorf("Content-Range %q", got)
		}
		w.comment("plain", "student", ownTask, "No file")
		w.do("tutor", "GET "+ownTask+"/comments/{plain}", nil).status(404).says("no attachment")
		w.do("student", "DELETE "+ownTask+"/comments/{c}", nil).status(204)
		w.do("student", "GET "+ownTask+"/comments/{c}", nil).status(404)
	})
}

func TestMarkUnread(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.comment("c", "student", ownTask, "Hello")
		w.news("tutor", ownTask)
		if a := w.do("tutor", "POST "+ownTask+"/comments/{c}",
			nil).status(201); !strings.HasPrefix(a.Header().Get("Content-Type"), "text/plain") {
			t.Errorf("%v %s", a.Header(), a.Body)
		}
		// It is new again for that reader alone.
		if got := w.news("convenor", ownTask) + "|" + w.news("both", ownTask) + "|" + w.news("tutor", ownTask) + "|" +
			w.news("tutor", ownTask); got != "||Hello|" {
			t.Errorf("new: %s", got)
		}
		o := w.do("convenor", "POST "+ownTask+"/comments/{c}", nil, "Accept", "application/json").status(201).object()
		if o["is_new"] != true || o["message"] == nil || o["id"] != float64(w.id["c"]) {
			t.Errorf("%v", o)
		}
		if got := w.news("tutor", ownTask) + "|" + w.news("convenor", ownTask); got != "|Hello" {
			t.Errorf("new: %s", got)
		}
		w.move("student", ownTask, "working_on_it")
		w.id["s"] = w.number("SELECT id FROM task_comments WHERE type = 'status'")
		w.do("tutor", "POST "+ownTask+"/comments/{s}", nil).status(409)
	})
}

func TestDeleteComments(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.comment("s", "student", ownTask, "Mine")
		w.comment("t", "tutor", ownTask, "Yours")
		w.do("tutor", "POST "+ownTask+"/comments", form{"comment": "Reply", "reply_to_id": w.path("{s}")}).status(201)
		w.do("student", "DELETE "+ownTask+"/comments/{t}", nil).status(403)
		w.do("student", "DELETE "+ownTask+"/comments/{s}", nil).status(204)
		w.do("convenor", "DELETE "+ownTask+"/comments/{t}", nil).status(204)
		list := w.do("student", "GET "+ownTask+"/comments", nil).status(200).list()
		if len(list) != 1 || list[0]["reply_to_id"] != nil {
			t.Errorf("left: %v", list)
		}
		if n := w.count("events WHERE kind = 'comment' AND body LIKE '%deleted%'"); n != 2 {
			t.Errorf("%d deletions were told", n)
		}
	})
}

func TestGroupsShareTheirComments(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define(`group_set_id = $1`, w.id["set"])
		w.comment("s", "student", ownTask, "For us all")
		if got := w.news("mate", memberTask); got != "For us all" {
			t.Errorf("new for the mate: %s", got)
		}
		w.do("mate", "POST "+memberTask+"/comments", form{"comment": "Good", "reply_to_id": w.path("{s}")}).status(201)
		o := w.attachment("mate", memberTask, "", "a.png", pngFile).status(201).object()
		w.id["file"] = int64(o["id"].(float64))
		w.do("student", "GET "+ownTask+"/comments/{file}", nil).status(200)
		if got := w.news("student", ownTask); got != "Good, Image" {
			t.Errorf("new for the student: %s", got)
		}
		w.do("student", "POST "+ownTask+"/comments/{file}", nil).status(201)
		w.do("student", "DELETE "+ownTask+"/comments/{file}", nil).status(403)
		w.do("mate", "DELETE "+memberTask+"/comments/{s}", nil).status(403)
		// Each member hears of it; the staff once.
		if n, m := w.count("events WHERE user_id = $1", w.id["student"]), w.count("events WHERE unit_id = $1",
			w.id["unitA"]); n != 3 || m != 3 {
			t.Errorf("%d for the student, %d for the staff", n, m)
		}
		// One without a group may still speak.
		w.comment("alone", "other", "/api/projects/{project:other}/task_def_id/{defA1}", "Alone")
	})
}

func TestWithdrawnAndOwnersWhoTeach(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		path := "/api/projects/{project:withdrawn}/task_def_id/{defA1}"
		o := w.attachment("tutor", path, "", "a.png", pngFile).status(201).object()
		w.id["file"] = int64(o["id"].(float64))
		w.do("withdrawn", "GET "+path+"/comments", nil).status(200)
		w.do("withdrawn", "GET "+path+"/comments/{file}", nil).status(200)
		w.do("withdrawn", "POST "+path+"/comments", form{"comment": "x"}).status(403)
		w.do("withdrawn", "POST "+path+"/comments/{file}", nil).status(403)
		w.do("withdrawn", "DELETE "+path+"/comments/{file}", nil).status(403)
		w.do("withdrawn", "POST "+path+"/request_extension", form{"comment": "x", "weeks_requested": "1"}).status(403)
		// On their own task a tutor is its student.
		own := "/api/projects/{project:both}/task_def_id/{defA1}"
		w.comment("c", "tutor", own, "Well done")
		w.do("both", "DELETE "+own+"/comments/{c}", nil).status(403)
		if c := w.comment("d", "both", own, "Thanks").object(); c["recipient"].(map[string]any)["id"] != float64(w.id["tutor"]) {
			t.Errorf("%v", c)
		}
	})
}
