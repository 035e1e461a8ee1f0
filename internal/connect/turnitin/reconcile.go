package turnitin

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/tca"
	"lectern/internal/platform/zipfile"
)

// reconcile is the worker of reconcileArgs: it compares what is here with what the service was
// told, and has the difference made up. Whatever changed it, and whoever, is found.
func (s *Service) reconcile(ctx context.Context, _ jobs.Job, _ reconcileArgs) error {
	return errors.Join(s.refresh(ctx), s.reconcileGroups(ctx), s.reconcileResources(ctx), s.deleteLost(ctx),
		s.restart(ctx))
}

// atOnce bounds what one look deals with; the next goes on.
const atOnce = 200

// What is known of the service itself is asked for anew after a day; what could not be
// had, after an hour.
const (
	stale   = 24 * time.Hour
	tryAnew = time.Hour
)

// refresh has the features and the agreement fetched, and the address for
// notifications registered, where that is due.
func (s *Service) refresh(ctx context.Context) error {
	type known struct {
		FeaturesAt *clock.Time `db:"features_at"`
		EULAAt     *clock.Time `db:"eula_at"`
		Hook       *string     `db:"hook"`
	}
	return s.DB.Tx(ctx, func(q db.Q) error {
		if err := ensure(ctx, q); err != nil {
			return err
		}
		if _, err := db.Exec(ctx, q, `UPDATE tii_service SET stopped_at = NULL, stopped_key = NULL WHERE stopped_key <> $1`,
			fingerprint(s.Key)); err != nil {
			return err
		}
		k, err := db.One[known](ctx, q, `SELECT features_at, eula_at, hook FROM tii_service WHERE id = 1`)
		if err != nil {
			return err
		}
		old := func(at *clock.Time) bool { return at == nil || q.Now().Sub(at.Time) > stale }
		due := map[Type]bool{FetchFeatures: old(k.FeaturesAt), FetchEULA: old(k.EULAAt),
			RegisterWebhook: k.Hook == nil || *k.Hook != s.hook()}
		busy, err := db.All[Type](ctx, q, `SELECT type FROM tii_actions WHERE type IN ($1, $2, $3) AND (retry OR
			NOT complete AND last_run > $4)`, FetchFeatures, FetchEULA, RegisterWebhook,
			clock.At(q.Now().Add(-tryAnew)))
		if err != nil {
			return err
		}
		for _, t := range busy {
			due[t] = false
		}
		for _, t := range []Type{FetchFeatures, FetchEULA, RegisterWebhook} {
			if !due[t] {
				continue
			}
			if err := want(ctx, q, t, subject{}); err != nil {
				return err
			}
		}
		return nil
	})
}

// reconcileGroups has the service told of tasks it knows and that changed.
func (s *Service) reconcileGroups(ctx context.Context) error {
	list, err := db.All[task](ctx, s.DB.Pool(), selectTasks+` WHERE g.sent IS NOT NULL AND u.end_date >= $1`,
		clock.Day(s.DB.Now().AddDate(0, 0, -60)))
	if err != nil {
		return err
	}
	return s.DB.Tx(ctx, func(q db.Q) error {
		n := 0
		for i := range list {
			t := &list[i]
			if *t.Sent == digest(s.group(t)) {
				continue
			}
			if n++; n > atOnce {
				return nil
			}
			if err := want(ctx, q, UpdateGroup, subject{unitID: t.UnitID, definitionID: t.ID}); err != nil {
				return err
			}
		}
		return nil
	})
}

// changed is a task whose resources were not looked at yet.
type changed struct {
	ID        int64       `db:"id"`
	UnitID    int64       `db:"unit_id"`
	Resources *files.Hash `db:"resources_hash"`
}

// reconcileResources makes attachments of the documents in the resources of tasks that have
// work checked.
func (s *Service) reconcileResources(ctx context.Context) error {
	list, err := db.All[changed](ctx, s.DB.Pool(), `SELECT d.id, d.unit_id, d.resources_hash FROM task_definitions d
		LEFT JOIN tii_groups g ON g.task_definition_id = d.id
		WHERE d.upload_requirements LIKE '%"tii_check":true%' AND d.resources_hash IS DISTINCT FROM g.resources_hash
		ORDER BY d.id LIMIT $1`, atOnce)
	if err != nil {
		return err
	}
	var errs []error
	for _, c := range list {
		found := map[string]string{}
		if c.Resources != nil {
			if found, err = s.documentsIn(ctx, *c.Resources); err != nil {
				errs = append(errs, fmt.Errorf("read the resources of task definition %d: %w", c.ID, err))
				continue
			}
		}
		errs = append(errs, s.DB.Tx(ctx, func(q db.Q) error { return s.attach(ctx, q, c, found) }))
	}
	return errors.Join(errs...)
}

var resourceLimits = zipfile.Limits{Entries: 10_000, Entry: 1 << 30, Total: 2 << 30}

// Bounds on the documents of one task's resources.
const (
	leastDocument = 50
	mostDocuments = 50
)

// documentsIn gives the digests of the documents in an archive, by name.
func (s *Service) documentsIn(ctx context.Context, hash files.Hash) (map[string]string, error) {
	f, err := s.Files.Open(ctx, hash)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := zipfile.Open(f, f.Size(), resourceLimits)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, entry := range z.File {
		if !isDocument(entry) || len(found) >= mostDocuments {
			continue
		}
		h := sha256.New()
		if _, err := zipfile.Copy(ctx, h, entry, tca.MostFile); ctx.Err() != nil {
			return nil, ctx.Err()
		} else if err != nil {
			s.Log.InfoContext(ctx, "a document in the resources of a task cannot be sent", "name", entry.Name, "err", err)
			continue
		}
		found[entry.Name] = hex.EncodeToString(h.Sum(nil))
	}
	return found, nil
}

func isDocument(f *zip.File) bool {
	ext := strings.ToLower(path.Ext(f.Name))
	return (ext == ".doc" || ext == ".docx") && f.UncompressedSize64 >= leastDocument &&
		f.UncompressedSize64 <= tca.MostFile && !strings.HasPrefix(f.Name, "__MACOSX/") &&
		!strings.HasPrefix(path.Base(f.Name), ".")
}

// attach makes the attachments of a task those that were found.
func (s *Service) attach(ctx context.Context, q db.Q, c changed, found map[string]string) error {
	list, err := db.All[Attachment](ctx, q, selectAttachments+` WHERE task_definition_id = $1`, c.ID)
	if err != nil {
		return err
	}
	for i := range list {
		a := &list[i]
		if found[a.Filename] == a.Digest {
			delete(found, a.Filename)
			continue
		}
		if err := a.forget(ctx, q); err != nil {
			return err
		}
		if _, err := db.Exec(ctx, q, `DELETE FROM tii_group_attachments WHERE id = $1`, a.ID); err != nil {
			return err
		}
	}
	for name, digest := range found {
		id, err := db.One[int64](ctx, q, `INSERT INTO tii_group_attachments (task_definition_id, group_id, filename,
			digest, status, created_at) VALUES ($1, $2, $3, $4, 'pending', $5) RETURNING id`, c.ID,
			s.remoteID("task definition", c.ID), name, digest, q.Now())
		if err != nil {
			return err
		}
		if err := want(ctx, q, UploadResources, subject{unitID: c.UnitID, attachmentID: *id}); err != nil {
			return err
		}
	}
	_, err = db.Exec(ctx, q, `INSERT INTO tii_groups (task_definition_id, resources_hash) VALUES ($1, $2)
		ON CONFLICT (task_definition_id) DO UPDATE SET resources_hash = excluded.resources_hash`, c.ID, c.Resources)
	return err
}

// lost is something at the service whose counterpart here is gone, or is to be
// forgotten.
type lost struct {
	ID       int64   `db:"id"`
	RemoteID *string `db:"remote_id"`
	GroupID  string  `db:"group_id"`
}

// deleteLost has deleted at the service what is deleted here, with its task, its unit
// or its person. A document whose action runs is left to the next look: its place at the
// service may be known only when the run has ended.
func (s *Service) deleteLost(ctx context.Context) error {
	return s.DB.Tx(ctx, func(q db.Q) error {
		list, err := db.All[lost](ctx, q, `SELECT d.id, d.remote_id, '' AS group_id FROM tii_submissions d
			WHERE (d.submission_id IS NULL OR d.forget) AND NOT EXISTS (SELECT 1 FROM tii_actions a
				JOIN jobs j ON j.unique_key = 'tii action ' || a.id
				WHERE a.tii_submission_id = d.id AND j.state = 'running')
			ORDER BY d.id LIMIT $1`, atOnce)
		if err != nil {
			return err
		}
		for _, l := range list {
			if l.RemoteID == nil {
				continue
			}
			if err := want(ctx, q, DeleteSubmission, subject{params: *l.RemoteID}); err != nil {
				return err
			}
		}
		if err := forgetDocuments(ctx, q, list); err != nil {
			return err
		}
		return deleteLostAttachments(ctx, q)
	})
}

// forgetDocuments lets documents go that are being deleted at the service. Those whose
// submission is still here stay on record without their place there.
func forgetDocuments(ctx context.Context, q db.Q, list []lost) error {
	in, args := db.In(nil, idsOf(list))
	for _, text := range []string{
		`DELETE FROM tii_submissions WHERE submission_id IS NULL AND id IN ` + in,
		`DELETE FROM tii_actions WHERE tii_submission_id IN ` + in,
		`UPDATE tii_submissions SET forget = FALSE, status = 'deleted', remote_id = NULL, pdf_id = NULL
			WHERE id IN ` + in,
	} {
		if _, err := db.Exec(ctx, q, text, args...); err != nil {
			return err
		}
	}
	return nil
}

func idsOf(list []lost) []int64 {
	ids := make([]int64, len(list))
	for i, l := range list {
		ids[i] = l.ID
	}
	return ids
}

func deleteLostAttachments(ctx context.Context, q db.Q) error {
	list, err := db.All[lost](ctx, q, `SELECT id, remote_id, group_id FROM tii_group_attachments
		WHERE task_definition_id IS NULL ORDER BY id LIMIT $1`, atOnce)
	if err != nil {
		return err
	}
	for _, l := range list {
		a := Attachment{RemoteID: l.RemoteID, GroupID: l.GroupID}
		if err := a.forget(ctx, q); err != nil {
			return err
		}
	}
	in, args := db.In(nil, idsOf(list))
	_, err = db.Exec(ctx, q, `DELETE FROM tii_group_attachments WHERE id IN `+in, args...)
	return err
}

// restart gives every action that waits its job, should one have been lost.
func (s *Service) restart(ctx context.Context) error {
	ids, err := db.All[int64](ctx, s.DB.Pool(), `SELECT a.id FROM tii_actions a WHERE a.retry AND NOT a.complete
		AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.unique_key = 'tii action ' || a.id
			AND j.state IN ('available', 'running')) ORDER BY a.id LIMIT $1`, atOnce)
	if err != nil || len(ids) == 0 {
		return err
	}
	return s.DB.Tx(ctx, func(q db.Q) error {
		for _, id := range ids {
			if err := enqueue(ctx, q, id); err != nil {
				return err
			}
		}
		return nil
	})
}
