package usecase

import (
	"testing"

	"lectern/internal/ground/fault"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/work"
)

func (k *desk) say(text string) *work.Comment {
	k.Helper()
	c, err := k.Comment(k.Context(), k.tutor, k.at, work.NewComment{Text: text}, nil)
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

// A student deletes what they said, never what staff said.
func TestOnlyTheRightPeopleDeleteComments(t *testing.T) {
	k := newDesk(t, dbtest.New(t, "sqlite", nil))
	hers, err := k.Comment(t.Context(), k.student, k.at, work.NewComment{Text: "Is this right?"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	his := k.say("Nearly.")
	remove := func(id int64) error {
		return k.DB.Tx(t.Context(), func(q db.Q) error { return DeleteComment(t.Context(), q, k.student, k.at, id) })
	}
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
