package similarity

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
)

// RefreshArgs ask for the scores of a task to be brought up to date, in all terms.
type RefreshArgs struct {
	First int64 `json:"task_definition_id"`
}

// Kind implements jobs.Args.
func (RefreshArgs) Kind() string { return "similarity scores" }

// Scores follow the class within these: submissions of a stretch are dealt with
// together, once it is over and all of its transactions are likely to be, too.
const (
	stretch = 4 * time.Second
	settle  = time.Second
)

// askRefresh has the scores of a task brought up to date soon. Many submissions of
// the same moment ask for it once.
func askRefresh(ctx context.Context, q db.Q, first int64) error {
	end := q.Now().Truncate(stretch).Add(stretch)
	_, err := jobs.Enqueue(ctx, q, RefreshArgs{first}, jobs.Options{RunAt: end.Add(settle),
		Unique: fmt.Sprintf("similarity scores:%d:%d", first, end.Unix())})
	return err
}

// known is a pair as it is kept.
type known struct {
	Left  int64 `db:"left_id"`
	Right int64 `db:"right_id"`
	Pct   int   `db:"pct"`
	Score int   `db:"score"`
}

func (s *Service) known(ctx context.Context, key classKey) ([]known, error) {
	return db.All[known](ctx, s.DB.Pool(), `SELECT left_id, right_id, pct, score FROM similarity_pairs WHERE class_id = $1
		AND part = $2 ORDER BY id`, key.first, key.part)
}

// Refresh is the worker of RefreshArgs: it rates the pairs of a task anew, from the
// index alone, since what is rare changes as a class hands in; looks again at those
// whose score changed; and finds what most of the class shares.
func (s *Service) Refresh(ctx context.Context, _ jobs.Job, a RefreshArgs) error {
	return s.eachPart(ctx, a.First, s.refresh)
}

// eachPart calls f for each part of what is handed in for a task.
func (s *Service) eachPart(ctx context.Context, first int64, f func(context.Context, classKey) error) error {
	parts, err := db.All[string](ctx, s.DB.Pool(), `SELECT DISTINCT part FROM similarity_prints WHERE class_id = $1`,
		first)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err := f(ctx, classKey{first, part}); err != nil {
			return fmt.Errorf("task definition %d: %w", first, err)
		}
	}
	return nil
}

func (s *Service) refresh(ctx context.Context, key classKey) error {
	c, err := s.open(ctx, key)
	if err != nil {
		return err
	}
	defer c.Unlock()
	list, err := s.known(ctx, key)
	if err != nil {
		return err
	}
	var moved [][2]int64
	for _, p := range list {
		if !c.index.Has(p.Left) || !c.index.Has(p.Right) {
			continue // one of them expired: what was found stays as it was
		}
		if c.score(p.Left, p.Right) != p.Score {
			moved = append(moved, [2]int64{p.Left, p.Right})
		}
	}
	if err := s.again(ctx, c, moved, 0); err != nil {
		return err
	}
	return s.saveCore(ctx, c)
}

// again measures pairs and keeps those of at least a share, a few in each transaction.
func (s *Service) again(ctx context.Context, c *class, pairs [][2]int64, least int) error {
	for part := range slices.Chunk(pairs, atOnce/2) {
		found, err := s.measure(ctx, c, part, least)
		if err != nil {
			return err
		}
		for few := range slices.Chunk(found, mostOthers) {
			w, err := s.prepare(ctx, few)
			if err != nil {
				return err
			}
			if err := s.DB.Tx(ctx, func(q db.Q) error { return w.save(ctx, q) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// saveCore notes which works are for the most part what half of the class has.
func (s *Service) saveCore(ctx context.Context, c *class) error {
	var in []int64
	if core := c.index.Core(); core != nil {
		in = core.Members
	}
	was, err := db.All[int64](ctx, s.DB.Pool(), `SELECT submission_id FROM similarity_prints WHERE class_id = $1
		AND part = $2 AND core`, c.key.first, c.key.part)
	if err != nil {
		return err
	}
	for _, change := range []struct {
		to  bool
		ids []int64
	}{{true, without(in, was)}, {false, without(was, in)}} {
		for ids := range slices.Chunk(change.ids, 500) {
			list, args := db.In([]any{change.to, c.key.part}, ids)
			err := s.DB.Tx(ctx, func(q db.Q) error {
				_, err := db.Exec(ctx, q, `UPDATE similarity_prints SET core = $1 WHERE part = $2
					AND submission_id IN `+list, args...)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// without gives the ids of a list that are not in another.
func without(list, other []int64) (out []int64) {
	in := make(map[int64]bool, len(other))
	for _, id := range other {
		in[id] = true
	}
	for _, id := range list {
		if !in[id] {
			out = append(out, id)
		}
	}
	return out
}
