package similarity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/pdf"
	"lectern/internal/teaching/similarity/engine"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
)

// Args ask for a submission to be compared with all earlier ones.
type Args struct {
	SubmissionID int64 `json:"submission_id"`
}

// Kind implements jobs.Args.
func (Args) Kind() string { return "similarity" }

// Received follows a submission, in its transaction: where one of its files is to be
// compared, a job does it right after. It is for submit.Service.
func Received(ctx context.Context, q db.Q, r submit.Received) error {
	if !slices.ContainsFunc(r.Files, func(f submit.File) bool { return f.Checked && partOf(f) != "" }) {
		return nil
	}
	_, err := jobs.Enqueue(ctx, q, Args{r.SubmissionID}, jobs.Options{For: jobs.For{Unit: r.UnitID,
		Person: r.UserID}})
	return err
}

// JobLimits are those of Args: units and people take turns.
var JobLimits = jobs.Limits{Timeout: 10 * time.Minute, Concurrency: 1, Fair: true}

// asked is a submission with what its task says of comparing.
type asked struct {
	ID           int64                `db:"id"`
	First        int64                `db:"first_id"`
	Requirements taskdef.Requirements `db:"upload_requirements"`
	WarnPct      int64                `db:"plagiarism_warn_pct"`
	Language     *string              `db:"moss_language"`
}

const selectAsked = `SELECT s.id, coalesce(d.first_id, d.id) AS first_id, d.upload_requirements, d.plagiarism_warn_pct,
	d.moss_language FROM submissions s JOIN tasks t ON t.id = s.task_id
	JOIN task_definitions d ON d.id = t.task_definition_id WHERE s.id `

// somebodys is the condition that submission s is the work of somebody who was not
// erased: what is the work of nobody else is not fingerprinted again.
const somebodys = ` EXISTS (SELECT 1 FROM submission_tasks l JOIN tasks k ON k.id = l.task_id
	JOIN projects x ON x.id = k.project_id JOIN users u ON u.id = x.user_id
	WHERE l.submission_id = s.id AND u.email_key NOT LIKE '%@erased.invalid')`

// Compare is the worker of Args. It reads the files of the submission once, keeps
// their fingerprints, and compares them with those of all earlier submissions, whose
// files it does not touch. It may run twice and leaves one result.
func (s *Service) Compare(ctx context.Context, job jobs.Job, a Args) error {
	sub, err := db.OneOf[asked](ctx, s.DB.Pool(), "submission", selectAsked+`= $1 AND `+somebodys,
		a.SubmissionID)
	if fault.Is(err, fault.Missing) {
		return nil // it was deleted meanwhile, or its student erased
	}
	if err != nil {
		return err
	}
	made, err := s.fingerprint(ctx, sub)
	if err != nil {
		return fmt.Errorf("fingerprints of submission %d: %w", a.SubmissionID, err)
	}
	if err := s.DB.Brief(ctx, func(q db.Q) error { return savePrints(ctx, q, made) }); err != nil {
		return err
	}
	var found []pair
	for _, m := range made {
		list, err := s.compareWith(ctx, classKey{sub.First, m.part}, a.SubmissionID)
		if err != nil {
			return fmt.Errorf("compare submission %d: %w", a.SubmissionID, err)
		}
		found = append(found, list...)
	}
	w, err := s.prepare(ctx, found)
	if err != nil {
		return err
	}
	return s.DB.Tx(ctx, func(q db.Q) error {
		if err := w.save(ctx, q); err != nil {
			return err
		}
		if len(made) > 0 {
			if err := askRefresh(ctx, q, sub.First); err != nil {
				return err
			}
		}
		return job.Done(ctx, q)
	})
}

// printed is a row of fingerprints.
type printed struct {
	submissionID int64
	part         string
	first        int64
	packed       []byte
}

// fingerprint reads the files of a submission that are to be compared.
func (s *Service) fingerprint(ctx context.Context, sub *asked) ([]printed, error) {
	all, err := submit.FilesOf(ctx, s.DB.Pool(), sub.ID)
	if err != nil {
		return nil, err
	}
	keys, byPart, parts := checked(sub.Requirements), map[string][]submit.File{}, []string{}
	for _, f := range all {
		if part := partOf(f); part != "" && keys[f.Key] {
			if byPart[part] == nil {
				parts = append(parts, part)
			}
			byPart[part] = append(byPart[part], f)
		}
	}
	language := ""
	if sub.Language != nil {
		language = *sub.Language
	}
	var out []printed
	for _, part := range parts {
		list, err := s.sources(ctx, byPart[part], language)
		if errors.Is(err, pdf.ErrNoText) {
			continue // the document itself tells what is wrong with the file
		}
		if err != nil {
			return nil, err
		}
		if p := engine.Fingerprint(list); p.Tokens() > 0 {
			out = append(out, printed{sub.ID, part, sub.First, p.Encode()})
		}
	}
	return out, nil
}

func savePrints(ctx context.Context, q db.Q, list []printed) error {
	rows := make([][]any, len(list))
	for i, p := range list {
		sum := sha256.Sum256(p.packed)
		rows[i] = []any{p.submissionID, p.part, p.first, hex.EncodeToString(sum[:]), p.packed, engine.PackVersion,
			q.Now()}
	}
	return db.Insert(ctx, q, `similarity_prints (submission_id, part, class_id, digest, packed, form, at)`,
		`ON CONFLICT (submission_id, part) DO UPDATE SET class_id = excluded.class_id, digest = excluded.digest,
			packed = excluded.packed, form = excluded.form`, rows)
}

const (
	// mostOthers is how many others a submission is compared with closely.
	mostOthers = 20
	// leastPct is the share below which a pair is far from being flagged.
	leastPct = 20
)

// compareWith finds the works of a class that are near to one of it.
func (s *Service) compareWith(ctx context.Context, key classKey, id int64) ([]pair, error) {
	c, err := s.open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer c.Unlock()
	return s.measure(ctx, c, c.nearest(id), leastPct)
}

// nearest gives the pairs of a work that are worth a close look: of each other owner
// the work that scores highest, and of those the first.
func (c *class) nearest(id int64) (out [][2]int64) {
	seen := map[int64]bool{}
	for _, n := range c.index.Near(id, engine.LargeScore) { // best first, then by id
		owner := c.index.Owner(n.ID)
		if seen[owner] {
			continue
		}
		seen[owner] = true
		if out = append(out, [2]int64{min(id, n.ID), max(id, n.ID)}); len(out) == mostOthers {
			break
		}
	}
	return out
}

// pair is two submissions and what they share.
type pair struct {
	classKey
	left, right           int64
	pct, score            int
	leftWords, rightWords string
	passages              []stored
}

// mostPassages is how many passages of a pair are kept, the longest.
const mostPassages = 200

// measure looks closely at pairs of a class, from their fingerprints, and gives those
// of at least a share.
func (s *Service) measure(ctx context.Context, c *class, pairs [][2]int64, least int) ([]pair, error) {
	var out []pair
	for part := range slices.Chunk(pairs, atOnce/2) {
		ids := make([]int64, 0, 2*len(part))
		for _, p := range part {
			ids = append(ids, p[0], p[1])
		}
		prints, err := s.prints(ctx, s.DB.Pool(), c.key.part, ids)
		if err != nil {
			return nil, err
		}
		for _, p := range part {
			left, right := prints[p[0]], prints[p[1]]
			if left == nil || right == nil {
				continue
			}
			if m := engine.Compare(left, right, c.template); m.Pct >= least {
				out = append(out, c.pair(p, left, right, m))
			}
		}
	}
	return out, nil
}

// score is that of a pair by the rarities of now.
func (c *class) score(left, right int64) int { return engine.Rounded(c.index.Score(left, right)) }

func (c *class) pair(ids [2]int64, left, right *engine.Prints, m engine.Match) pair {
	toLeft, toRight := c.index.ExplainBoth(left, right, m)
	p := pair{classKey: c.key, left: ids[0], right: ids[1], pct: m.Pct,
		score: c.score(ids[0], ids[1]), leftWords: toLeft.Kept, rightWords: toRight.Kept}
	for _, one := range m.Longest(mostPassages) {
		p.passages = append(p.passages, stored{one.Left, one.Right, one.Tokens})
	}
	return p
}
