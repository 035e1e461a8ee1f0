package usecase

import (
	"context"
	"io"

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
	// Who was shown it has read it, whatever they may do by now.
	return v, s.DB.Brief(db.Unguarded(ctx), func(q db.Q) error { return work.MarkRead(ctx, q, Reader(who), v.Unread) })
}

// Comment says something on a task, with an attachment or without. It refuses an
// attachment whose content is of no accepted type before it stores it.
func (s *Service) Comment(ctx context.Context, who *access.Caller, at work.TaskRef, say work.NewComment,
	attachment *Upload) (_ *work.Comment, err error) {
	if attachment != nil {
		if say.Media, err = s.storeMedia(ctx, *attachment, work.LookAtMedia, say.Text); err != nil {
			return nil, err
		}
	}
	return change(ctx, s.DB, func(q db.Q) (*work.Comment, error) {
		return work.Say(ctx, q, s.Files, Reader(who), at, say)
	})
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

// DeleteComment deletes a comment on a task; someone else's only with the right
// to it.
func DeleteComment(ctx context.Context, q db.Q, who *access.Caller, at work.TaskRef, id int64) error {
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
