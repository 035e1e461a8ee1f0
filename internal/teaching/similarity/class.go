package similarity

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/similarity/engine"
)

// DefaultMemory bounds the indexes of a process, in fingerprints.
const DefaultMemory = 8_000_000

// BytesEach is what a fingerprint takes of the memory, about.
const BytesEach = 50

// classKey names what is compared with each other: a part of what is handed in for a
// task, in all terms.
type classKey struct {
	first int64 // definition
	part  string
}

// classes holds the indexes that were used last.
type classes struct {
	mu   sync.Mutex
	held map[classKey]*class
	uses int
}

// class is an index that follows the rows of the database. Whoever uses it holds its
// lock, so that nobody else changes it meanwhile.
type class struct {
	sync.Mutex
	key      classKey
	index    *engine.Index
	template *engine.Template
	given    string // what the template was made of
	oldest   int64  // submissions before this one did not fit
	size     int    // fingerprints, as of the last use
	used     int
}

// open gives the class with its index up to date, locked.
func (s *Service) open(ctx context.Context, key classKey) (*class, error) {
	s.classes.mu.Lock()
	if s.classes.held == nil {
		s.classes.held = map[classKey]*class{}
	}
	c := s.classes.held[key]
	if c == nil {
		c = &class{key: key}
		s.classes.held[key] = c
	}
	s.classes.uses++
	c.used = s.classes.uses
	s.classes.mu.Unlock()
	c.Lock()
	if err := s.bring(ctx, c); err != nil {
		c.index = nil // half of it may be there
		c.Unlock()
		return nil, err
	}
	return c, nil
}

// bring makes the index what the database says: other instances add to it, too, and
// what expired or was erased goes.
func (s *Service) bring(ctx context.Context, c *class) error {
	q := s.DB.Pool()
	if err := s.bringTemplate(ctx, q, c); err != nil {
		return err
	}
	ids, err := db.All[int64](ctx, q, `SELECT submission_id FROM similarity_prints WHERE class_id = $1 AND part = $2
		ORDER BY submission_id DESC`, c.key.first, c.key.part)
	if err != nil {
		return err
	}
	there := make(map[int64]bool, len(ids))
	var missing []int64
	for _, id := range ids {
		there[id] = true
		if id >= c.oldest && !c.index.Has(id) {
			missing = append(missing, id)
		}
	}
	for _, id := range c.index.IDs() {
		if !there[id] {
			c.index.Remove(id)
		}
	}
	return s.load(ctx, q, c, missing)
}

// atOnce is how many rows are unpacked at a time.
const atOnce = 64

// load adds works to the index, the newest first, as far as there is room.
func (s *Service) load(ctx context.Context, q db.Q, c *class, ids []int64) error {
	room := cmp.Or(s.Memory, DefaultMemory)
	for part := range slices.Chunk(ids, atOnce) {
		if c.index.Fingerprints() >= room {
			c.oldest = part[0] + 1
			s.Log.WarnContext(ctx, "a task has more work than --similarity-memory-mb has room for: the oldest is not "+
				"compared", "task_definition_id", c.key.first, "works", c.index.Len())
			break
		}
		works, err := s.works(ctx, q, c.key.part, part)
		if err != nil {
			return err
		}
		for _, w := range works {
			if err := c.index.Add(w); err != nil {
				return err
			}
		}
	}
	s.makeRoom(c, room)
	return nil
}

// makeRoom gives up the indexes that were not used for longest.
func (s *Service) makeRoom(c *class, room int) {
	s.classes.mu.Lock()
	defer s.classes.mu.Unlock()
	c.size = c.index.Fingerprints()
	all := 0
	var list []*class
	for _, other := range s.classes.held {
		all += other.size
		list = append(list, other)
	}
	slices.SortFunc(list, func(a, b *class) int { return a.used - b.used })
	for _, other := range list {
		if all <= room || other == c {
			return
		}
		delete(s.classes.held, other.key) // whoever still uses it has it to the end
		all -= other.size
	}
}

// works reads the works of submissions: fingerprints and whose they are.
func (s *Service) works(ctx context.Context, q db.Q, part string, ids []int64) ([]engine.Work, error) {
	prints, err := s.prints(ctx, q, part, ids)
	if err != nil {
		return nil, err
	}
	owners, err := ownersOf(ctx, q, ids)
	if err != nil {
		return nil, err
	}
	out := make([]engine.Work, 0, len(prints))
	for _, id := range ids {
		if p := prints[id]; p != nil && len(owners[id]) > 0 {
			out = append(out, engine.Work{ID: id, Owners: owners[id], Prints: p})
		}
	}
	return out, nil
}

// prints unpacks fingerprints. Rows that another version of the program made in
// another form are passed over, until Remake has made them anew.
func (s *Service) prints(ctx context.Context, q db.Q, part string, ids []int64) (map[int64]*engine.Prints, error) {
	type packed struct {
		ID     int64  `db:"submission_id"`
		Packed []byte `db:"packed"`
	}
	in, args := db.In([]any{part}, ids)
	out := map[int64]*engine.Prints{}
	for r, err := range db.Each[packed](ctx, q, `SELECT submission_id, packed FROM similarity_prints WHERE part = $1
		AND submission_id IN `+in, args...) {
		if err != nil {
			return nil, err
		}
		p, err := engine.Decode(r.Packed)
		if errors.Is(err, engine.ErrVersion) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out[r.ID] = p
	}
	return out, nil
}

// ownersOf gives the keys of those whose work submissions are. Works that share one
// are never matched: a person's versions and earlier attempts, in whatever unit, and
// the works of a group. A group counts as one owner, under its own key below zero.
func ownersOf(ctx context.Context, q db.Q, ids []int64) (map[int64][]int64, error) {
	type owner struct {
		ID      int64  `db:"submission_id"`
		UserID  int64  `db:"user_id"`
		GroupID *int64 `db:"unit_group_id"`
	}
	in, args := db.In(nil, ids)
	out := map[int64][]int64{}
	for o, err := range db.Each[owner](ctx, q, `SELECT l.submission_id, x.user_id, g.unit_group_id
		FROM submission_tasks l JOIN tasks t ON t.id = l.task_id JOIN projects x ON x.id = t.project_id
		LEFT JOIN group_submissions g ON g.id = t.group_submission_id
		WHERE l.submission_id IN `+in+` ORDER BY l.submission_id, x.user_id`, args...) {
		if err != nil {
			return nil, err
		}
		list := out[o.ID]
		if o.GroupID != nil && !slices.Contains(list, -*o.GroupID) {
			list = append([]int64{-*o.GroupID}, list...)
		}
		out[o.ID] = append(list, o.UserID)
	}
	return out, nil
}
