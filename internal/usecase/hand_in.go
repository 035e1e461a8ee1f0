package usecase

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
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
	list, err := s.takeAll(ctx, asked, sent)
	return asked, list, err
}

// takeAll puts the files for some requirements into the store, in their order. A zip is as many files as it holds.
func (s *Service) takeAll(ctx context.Context, asked taskdef.Requirements, sent map[string]Upload) ([]submit.File,
	error) {
	var list []submit.File
	room := taskdef.MostZipped
	for _, r := range asked {
		u := sent[r.Key]
		found, apart, err := s.take(ctx, r, u, room)
		if err != nil {
			return nil, about(r, u, apart, err)
		}
		for _, f := range found {
			if f.Zipped {
				room--
			}
			f.Position, f.Key, f.Title, f.Kind, f.Checked = len(list), r.Key, r.Name, r.Type, r.Checked()
			list = append(list, f)
		}
	}
	return list, nil
}

// take stores the file for a requirement or, of a zip where that may be one, the files in it, and tells which.
func (s *Service) take(ctx context.Context, r taskdef.Requirement, u Upload, room int) (list []submit.File, apart bool,
	err error) {
	f, err := u.Open()
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if apart, err = r.TakesApart(f, u.Size); err != nil {
		return nil, false, err
	}
	if apart {
		list, err = s.takeZip(ctx, f, u.Size, room)
		return list, true, err
	}
	if err := r.Type.Check(f, u.Size); err != nil {
		return nil, false, err
	}
	info, err := put(ctx, s.Files, f)
	return []submit.File{{Name: u.Name, Hash: info.Hash, Size: info.Size}}, false, err
}

// takeZip stores the files of a zip, one after the other: no more than one lies unpacked at any time.
func (s *Service) takeZip(ctx context.Context, f *os.File, size int64, room int) ([]submit.File, error) {
	entries, err := taskdef.OpenZip(f, size, room, s.MostFile)
	if err != nil {
		return nil, err
	}
	list := make([]submit.File, len(entries))
	for i, e := range entries {
		info, err := taskdef.StoreZipped(ctx, s.Files, e, s.MostFile, filepath.Dir(f.Name()))
		if err != nil {
			return nil, err
		}
		list[i] = submit.File{Name: e.Name, Hash: info.Hash, Size: info.Size, Zipped: true}
	}
	return list, nil
}

// RefusedFile is the cause of a refusal that is about one of the files, for a face that says so
// where the file was chosen.
type RefusedFile struct {
	Asked taskdef.Requirement
	Name  string // as the sender calls it
	Size  int64
	Apart bool   // it is a zip that was taken apart: what is wrong may be a file in it
	Why   string // in a sentence
}

func (f *RefusedFile) Error() string { return f.Why }

// about says which file a refusal is about.
func about(r taskdef.Requirement, u Upload, apart bool, err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind != fault.Internal {
		return &fault.Error{Kind: f.Kind, Text: fmt.Sprintf("%s (%s, %q): %s", r.Key, r.Name, u.Name, f.Text),
			Err: &RefusedFile{r, u.Name, u.Size, apart, f.Text}}
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
