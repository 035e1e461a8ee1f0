package usecase

import (
	"context"
	"io"
	"strings"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/work"
)

// ReadComments lists the comments on a task for who, and marks those read that
// were new to them.
func (s *Service) ReadComments(ctx context.Context, who *access.Caller, at work.TaskRef,
	p db.Page) (*work.Conversation, error) {
	v, err := view(ctx, s.DB, func(q db.Q) (*work.Conversation, error) {
		return work.Comments(ctx, q, Reader(who), at, p)
	})
	if err != nil || v.Unread.None() {
		return v, err
	}
	// Who was shown it has read it, whatever they may do by now. Where that cannot be noted at
	// the moment, the conversation is read all the same, and stays new.
	err = s.DB.Brief(db.Unguarded(ctx), func(q db.Q) error { return work.MarkRead(ctx, q, Reader(who), v.Unread) })
	if db.Unavailable(err) {
		err = nil
	}
	return v, err
}

// CommentOn is a comment that somebody makes on a task, and what they had before them when
// they did.
type CommentOn struct {
	work.NewComment
	At         work.TaskRef // the task
	TaskID     int64        // in place of At, its number
	Attachment *Upload      // nil: none
	PointsAt   *PlaceOn     // where in the work it points; nil: nowhere
	Seen       int64        // how many comments, from the first, stood beside it and count as read; 0: none
}

// Comment says something on a task, with an attachment or without, for whoever holds
// policy.Comment on it. Its author has read what they saw of the conversation, in the same
// transaction; what came since stays new. It refuses an attachment whose content is of no
// accepted type before it stores it, and a place that is not in the work.
func (s *Service) Comment(ctx context.Context, who *access.Caller, say CommentOn) (_ *work.Comment, err error) {
	if say.Attachment != nil {
		if say.Media, err = s.storeMedia(ctx, *say.Attachment, work.LookAtMedia, say.Text); err != nil {
			return nil, err
		}
	}
	if say.PointsAt != nil {
		at, err := placeOf(ctx, s.DB.Pool(), say.At, say.TaskID)
		if err != nil {
			return nil, err
		}
		places, err := s.pointAt(ctx, at, []*namedPlace{{*say.PointsAt, "place"}})
		if err != nil {
			return nil, err
		}
		say.Place = places[0]
	}
	return change(ctx, s.DB, func(q db.Q) (*work.Comment, error) {
		at, err := placeOf(ctx, q, say.At, say.TaskID)
		if err != nil {
			return nil, err
		}
		unread, err := newAmong(ctx, q, who, at, say.Seen)
		if err != nil {
			return nil, err
		}
		said, err := work.Say(ctx, q, s.Files, Reader(who), at, say.NewComment)
		if err != nil {
			return nil, err
		}
		return said, work.MarkRead(ctx, q, Reader(who), unread)
	})
}

// CommentsOn are comments that one of the staff makes on a task at once: those that point at the work, in their
// order, and words behind them.
type CommentsOn struct {
	TaskID   int64
	PointsAt []PointedOn
	Words    string // empty: none
	Seen     int64  // as in CommentOn
}

// Comments says several things on a task, all or nothing, for whoever holds policy.Comment and policy.GradeTask on
// it: each as Comment does, but people are told once. What was just said, all of it, is fault.Conflict.
func (s *Service) Comments(ctx context.Context, who *access.Caller, say CommentsOn) error {
	if err := mayMark(who, true); err != nil {
		return err
	}
	list, err := s.pointed(ctx, work.TaskRef{}, say.TaskID, say.PointsAt)
	if err != nil {
		return err
	}
	if strings.TrimSpace(say.Words) != "" || len(list) == 0 {
		list = append(list, work.NewComment{Text: say.Words})
	}
	return s.DB.Tx(ctx, func(q db.Q) error {
		at, err := placeOf(ctx, q, work.TaskRef{}, say.TaskID)
		if err != nil {
			return err
		}
		unread, err := newAmong(ctx, q, who, at, say.Seen)
		if err != nil {
			return err
		}
		if err := work.SayPointed(ctx, q, s.Files, Reader(who), at, list); err != nil {
			return err
		}
		return work.MarkRead(ctx, q, Reader(who), unread)
	})
}

// placeOf is where a task stands that is named by its place, or by its number where that is
// not 0.
func placeOf(ctx context.Context, q db.Q, at work.TaskRef, taskID int64) (work.TaskRef, error) {
	if taskID == 0 {
		return at, nil
	}
	return work.RefOf(ctx, q, taskID)
}

// newAmong gives what is new to the caller among the first comments on a task, without asking
// where these are none.
func newAmong(ctx context.Context, q db.Q, who *access.Caller, at work.TaskRef, first int64) (work.Unread, error) {
	if first <= 0 {
		return work.Unread{}, nil
	}
	return work.NewAmong(ctx, q, Reader(who), at, first)
}

// storeMedia puts an upload into the store once its content, and the text that
// comes with it, are found right.
func (s *Service) storeMedia(ctx context.Context, u Upload, look func(io.ReaderAt, int64) (work.Media, error),
	text string) (*work.Media, error) {
	var m work.Media
	info, err := s.store(ctx, u, func(r io.ReaderAt, size int64) (err error) {
		if m, err = look(r, size); err == nil {
			err = (&work.NewComment{Text: text, Media: &m}).Check()
		}
		return err
	}, m.Put)
	m.File = info
	return &m, err
}

// MarkUnread makes a comment new again for the caller, who holds policy.Comment on the task,
// and for nobody else. It refuses with fault.Conflict a change of status, which is never
// unread.
func (s *Service) MarkUnread(ctx context.Context, who *access.Caller, at work.TaskRef, id int64) (*work.Comment,
	error) {
	return change(ctx, s.DB, func(q db.Q) (*work.Comment, error) {
		return work.MarkUnread(ctx, q, Reader(who), at, id)
	})
}

// DeleteComment deletes a comment on a task, for whoever holds policy.Comment there: their own,
// and somebody else's with policy.DeleteComments. It is written to the audit log. What is no
// comment there is fault.Missing.
func (s *Service) DeleteComment(ctx context.Context, who *access.Caller, at work.TaskRef, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return deleteComment(ctx, q, who, at, id) })
}

func deleteComment(ctx context.Context, q db.Q, who *access.Caller, at work.TaskRef, id int64) error {
	c, err := work.FindComment(ctx, q, Reader(who), at, id)
	if err != nil {
		return err
	}
	if c.Author.ID != who.ID {
		if err := who.Must(policy.DeleteComments); err != nil {
			return err
		}
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Comment, Action: audit.Deleted, UserID: c.Author.ID,
		ProjectID: at.ProjectID, RecordID: id}); err != nil {
		return err
	}
	return work.DeleteComment(ctx, q, Reader(who), at, who.UnitID, id)
}

// StartDiscussion asks questions on a task by recordings. It refuses what is no
// sound.
func (s *Service) StartDiscussion(ctx context.Context, who *access.Caller, at work.TaskRef,
	questions []Upload) (*work.Comment, error) {
	prompts := make([]work.Media, len(questions))
	for i, u := range questions {
		m, err := s.storeMedia(ctx, u, work.LookAtSound, "")
		if err != nil {
			return nil, err
		}
		prompts[i] = *m
	}
	return change(ctx, s.DB, func(q db.Q) (*work.Comment, error) {
		return work.Discuss(ctx, q, s.Files, Reader(who), at, prompts)
	})
}

// HearPrompt opens a question of a discussion. That the student it is with has
// begun to listen is noted as a receipt is.
func (s *Service) HearPrompt(ctx context.Context, who *access.Caller, at work.TaskRef, id,
	number int64) (*work.Recording, files.File, error) {
	r, err := view(ctx, s.DB, func(q db.Q) (*work.Recording, error) {
		return work.Prompt(ctx, q, Reader(who), at, id, number)
	})
	if err != nil {
		return nil, nil, err
	}
	f, err := s.Files.Open(ctx, r.File.Hash)
	if err != nil || !r.Begins || !who.May(policy.ReplyDiscussion) {
		return r, f, err
	}
	if err := s.DB.Brief(ctx, func(q db.Q) error { return work.BeginDiscussion(ctx, q, id) }); err != nil {
		f.Close()
		return nil, nil, err
	}
	return r, f, nil
}

// AnswerDiscussion answers a discussion by a recording. It refuses what is no
// sound, and a second answer.
func (s *Service) AnswerDiscussion(ctx context.Context, who *access.Caller, at work.TaskRef, id int64,
	answer Upload) (*work.Comment, error) {
	m, err := s.storeMedia(ctx, answer, work.LookAtSound, "")
	if err != nil {
		return nil, err
	}
	return change(ctx, s.DB, func(q db.Q) (*work.Comment, error) {
		return work.Answer(ctx, q, s.Files, Reader(who), at, id, *m)
	})
}
