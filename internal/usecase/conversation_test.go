package usecase

import (
	"testing"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/work"
)

func (k *desk) comment(text string) CommentOn {
	return CommentOn{NewComment: work.NewComment{Text: text}, At: k.at}
}

func (k *desk) say(text string) *work.Comment {
	k.Helper()
	c, err := k.Comment(k.Context(), k.tutor, k.comment(text))
	if err != nil {
		k.Fatal(err)
	}
	return c
}

// Reading a conversation marks it read for the reader alone.
func TestReadingMarksRead(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		k := newDesk(t, d)
		k.say("Look at page two.")
		for i, want := range []bool{true, false} {
			v, err := k.ReadComments(t.Context(), k.student, k.at, db.Page{})
			if err != nil || len(v.Comments) != 1 || v.Comments[0].IsNew != want {
				t.Fatalf("reading %d: %+v %v", i, v, err)
			}
		}
	})
}

// newTo counts the comments that somebody has yet to read.
func (k *desk) newTo(who *access.Caller) (n int) {
	k.Helper()
	v, err := work.Comments(k.Context(), k.DB.Pool(), Reader(who), k.at, db.Page{})
	if err != nil {
		k.Fatal(err)
	}
	for _, c := range v.Comments {
		if c.IsNew {
			n++
		}
	}
	return n
}

// Whoever answers has read what stood beside their answer, not what came since; where the
// answer is refused, they have read nothing by it.
func TestAnsweringMarksReadWhatStoodBesideIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		k := newDesk(t, d)
		for _, text := range []string{"Is this right?", "And this?", "I added a page."} {
			if _, err := k.Comment(t.Context(), k.student, k.comment(text)); err != nil {
				t.Fatal(err)
			}
		}
		answer := func(text string, seen int64) error {
			say := k.comment(text)
			say.Seen = seen
			_, err := k.Comment(t.Context(), k.tutor, say)
			return err
		}
		if err := answer(" ", 3); !fault.Is(err, fault.Invalid) || k.newTo(k.tutor) != 3 {
			t.Errorf("refused with %v, %d are new", err, k.newTo(k.tutor))
		}
		if err := answer("One moment.", 0); err != nil || k.newTo(k.tutor) != 3 {
			t.Errorf("seeing none: %v, %d are new", err, k.newTo(k.tutor))
		}
		if err := answer("Yes, and yes.", 2); err != nil || k.newTo(k.tutor) != 1 {
			t.Errorf("seeing two of three: %v, %d are new", err, k.newTo(k.tutor))
		}
		task, err := db.One[int64](t.Context(), d.Pool(), `SELECT id FROM tasks WHERE project_id = $1`, k.at.ProjectID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Comment(t.Context(), k.tutor, CommentOn{NewComment: work.NewComment{Text: "Good."}, TaskID: *task,
			Seen: 5}); err != nil || k.newTo(k.tutor) != 0 {
			t.Errorf("seeing all, by the task's number: %v, %d are new", err, k.newTo(k.tutor))
		}
		if _, err := k.Comment(t.Context(), k.tutor, CommentOn{TaskID: *task + 1}); !fault.Is(err, fault.Missing) {
			t.Errorf("on a task that there is not: %v", err)
		}
	})
}

// A student deletes what they said, never what staff said.
func TestOnlyTheRightPeopleDeleteComments(t *testing.T) {
	k := newDesk(t, dbtest.New(t, "sqlite", nil))
	hers, err := k.Comment(t.Context(), k.student, k.comment("Is this right?"))
	if err != nil {
		t.Fatal(err)
	}
	his := k.say("Nearly.")
	remove := func(id int64) error { return k.DeleteComment(t.Context(), k.student, k.at, id) }
	if err := remove(his.ID); !fault.Is(err, fault.Denied) {
		t.Errorf("the tutor's: %v", err)
	}
	if err := remove(hers.ID); err != nil {
		t.Errorf("her own: %v", err)
	}
	if err := remove(hers.ID); !fault.Is(err, fault.Missing) {
		t.Errorf("again: %v", err)
	}
}

// A discussion is asked and answered by sounds, and answered once.
func TestDiscussionsAreRecordings(t *testing.T) {
	k := newDesk(t, dbtest.New(t, "sqlite", nil))
	ctx, sound := t.Context(), "RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00"
	if _, err := k.StartDiscussion(ctx, k.tutor, k.at, []Upload{k.upload("q.wav", "no sound")}); err == nil {
		t.Error("a text was taken for a question")
	}
	c, err := k.StartDiscussion(ctx, k.tutor, k.at, []Upload{k.upload("q.wav", sound)})
	if err != nil {
		t.Fatal(err)
	}
	if !k.student.May(policy.ReplyDiscussion) {
		t.Fatal("the student may not answer")
	}
	_, f, err := k.HearPrompt(ctx, k.student, k.at, c.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := k.AnswerDiscussion(ctx, k.student, k.at, c.ID, k.upload("a.wav", sound+"1")); err != nil {
		t.Fatal(err)
	}
	_, err = k.AnswerDiscussion(ctx, k.student, k.at, c.ID, k.upload("a.wav", sound+"2"))
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("a second answer: %v", err)
	}
}
