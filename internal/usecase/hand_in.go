package usecase

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"lectern/internal/connect/turnitin"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/similarity"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
)

// HandIn hands work in for a task: it takes the files, known by the keys of the
// task's upload requirements, and records the submission with all that follows
// from it. Who hands in and what is stored is filled into h here. It refuses
// files that are missing, not asked for or not of their kind before it stores
// any, and gives a repeated request with the same key the answer of the first.
func (s *Service) HandIn(ctx context.Context, who *access.Caller, h submit.Request,
	sent map[string]Upload) (*submit.Result, error) {
	if err := submit.CheckKey(h.Key); err != nil {
		return nil, err
	}
	if _, err := status.OnUpload(h.Trigger, Mover(who).As); err != nil {
		return nil, err
	}
	requirements, list, err := s.takeFiles(ctx, who, h.DefinitionID, sent)
	if err != nil {
		return nil, err
	}
	signer, err := s.Keys.Signer(ctx)
	if err != nil {
		return nil, err
	}
	h.By, h.Files = Mover(who), list
	desk := submit.Service{Files: s.Files, Service: s.Name, Received: similarity.Received}
	return change(ctx, s.DB, func(q db.Q) (*submit.Result, error) {
		out, err := desk.HandIn(ctx, q, signer, h)
		if err == nil && s.Assess {
			err = assess.Enqueue(ctx, q, out.SubmissionID)
		}
		if err != nil {
			return nil, err
		}
		return out, s.Outside.HandedIn(ctx, q, turnitin.HandIn{SubmissionID: out.SubmissionID, SenderID: who.ID,
			Accepted: h.Accepts, Requirements: requirements, Files: list})
	})
}

// asked gives what has to be uploaded for a task, and refuses who has handed in too
// often within an hour.
func (s *Service) asked(ctx context.Context, who *access.Caller, definitionID int64) (taskdef.Requirements, error) {
	return submit.Asked(ctx, s.DB.Pool(), definitionID, who.ID, s.MostUploads)
}

// takeFiles checks the files against what the task asks for, first all names and
// then each content, and puts them into the store.
func (s *Service) takeFiles(ctx context.Context, who *access.Caller, definitionID int64, sent map[string]Upload) (
	taskdef.Requirements, []submit.File, error) {
	asked, err := s.asked(ctx, who, definitionID)
	if err != nil {
		return nil, nil, err
	}
	if err := submit.Match(asked, slices.Sorted(maps.Keys(sent))); err != nil {
		return nil, nil, err
	}
	list := make([]submit.File, len(asked))
	for i, r := range asked {
		u := sent[r.Key]
		info, err := s.store(ctx, u, r.Type.Check, put)
		if err != nil {
			return nil, nil, about(r, u, err)
		}
		list[i] = submit.File{Position: i, Key: r.Key, Title: r.Name, Kind: r.Type, Name: u.Name, Hash: info.Hash,
			Size: info.Size, Checked: r.Checked()}
	}
	return asked, list, nil
}

// RefusedFile is the cause of a refusal that is about one of the files, for a face that says so
// where the file was chosen.
type RefusedFile struct {
	Asked taskdef.Requirement
	Name  string // as the sender calls it
	Size  int64
	Why   string // in a sentence
}

func (f *RefusedFile) Error() string { return f.Why }

// about says which file a refusal is about.
func about(r taskdef.Requirement, u Upload, err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind != fault.Internal {
		return &fault.Error{Kind: f.Kind, Text: fmt.Sprintf("%s (%s, %q): %s", r.Key, r.Name, u.Name, f.Text),
			Err: &RefusedFile{r, u.Name, u.Size, f.Text}}
	}
	return fmt.Errorf("take %s: %w", r.Key, err)
}

// RebuildDocument asks for the document of the latest submission for a task to be made anew,
// for whoever holds policy.Submit on it, and tells whether anything was handed in. Until the
// new one is ready the old one stays.
func (s *Service) RebuildDocument(ctx context.Context, at work.TaskRef) (bool, error) {
	return change(ctx, s.DB, func(q db.Q) (bool, error) {
		return submit.Rebuild(ctx, q, at.ProjectID, at.DefinitionID)
	})
}
