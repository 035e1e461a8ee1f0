package similarity

import (
	"context"
	"encoding/json"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/similarity/engine"
)

// write is pairs with all that is needed to keep them, gathered before the
// transaction so that this is brief.
type write struct {
	pairs    []pair
	asked    map[int64]asked
	students map[int64][]Student
	least    float64 // score
}

// prepare gathers what belongs to pairs, in two statements.
func (s *Service) prepare(ctx context.Context, pairs []pair) (*write, error) {
	w := &write{pairs: pairs, asked: map[int64]asked{}, least: s.minScore()}
	if len(pairs) == 0 {
		return w, nil
	}
	var ids []int64
	for _, p := range pairs {
		ids = append(ids, p.left, p.right)
	}
	in, args := db.In(nil, ids)
	for a, err := range db.Each[asked](ctx, s.DB.Pool(), selectAsked+`IN `+in, args...) {
		if err != nil {
			return nil, err
		}
		w.asked[a.ID] = a
	}
	var err error
	w.students, err = studentsOf(ctx, s.DB.Pool(), ids)
	return w, err
}

// flagged tells whether a pair is to be looked at, by what the task of one side says.
func (w *write) flagged(p pair, side int64) bool {
	a := w.asked[side]
	th := engine.Thresholds{Pct: thresholdPct(p.part, a.Requirements, a.WarnPct), Score: w.least}
	return th.Flagged(p.pct, float64(p.score))
}

// save keeps the pairs, and makes or changes the records at the tasks of both sides.
func (w *write) save(ctx context.Context, q db.Q) error {
	if len(w.pairs) == 0 {
		return nil
	}
	if err := w.savePairs(ctx, q); err != nil {
		return fmt.Errorf("keep what is alike: %w", err)
	}
	if err := w.saveRecords(ctx, q); err != nil {
		return fmt.Errorf("keep the records of what is alike: %w", err)
	}
	return nil
}

func (w *write) savePairs(ctx context.Context, q db.Q) error {
	rows := make([][]any, len(w.pairs))
	for i, p := range w.pairs {
		passages, err := json.Marshal(p.passages)
		if err != nil {
			return err
		}
		rows[i] = []any{p.first, p.part, p.left, p.right, p.pct, p.score, p.leftWords, p.rightWords, string(passages),
			q.Now()}
	}
	return db.Insert(ctx, q, `similarity_pairs (class_id, part, left_id, right_id, pct, score, left_words, right_words,
			passages, created_at)`,
		`ON CONFLICT (left_id, right_id, part) DO UPDATE SET class_id = excluded.class_id, pct = excluded.pct,
			score = excluded.score, left_words = excluded.left_words, right_words = excluded.right_words,
			passages = excluded.passages`, rows)
}

// side is one of a pair, at one task.
type side struct {
	pairID, submissionID int64
	part                 string
	student              Student
	flagged              bool
	by                   *int64 // who decided, on the same work before
	at                   *clock.Time
	decision, reason     *string // what they said
}

// saveRecords makes the records of what is to be looked at, and takes the flag from
// those that no longer are. What a person decided stands.
func (w *write) saveRecords(ctx context.Context, q db.Q) error {
	sides, err := w.sides(ctx, q)
	if err != nil {
		return err
	}
	if err := decided(ctx, q, sides); err != nil {
		return err
	}
	var flags, rest [][]any
	for _, s := range sides {
		if s.flagged || s.at != nil {
			flags = append(flags, []any{Ours, s.student.ProjectID, s.student.TaskID, s.submissionID, s.part, s.pairID,
				s.flagged, s.by, s.at, s.decision, s.reason, q.Now()})
		} else {
			rest = append(rest, []any{s.pairID, s.student.TaskID})
		}
	}
	if err := db.Insert(ctx, q, `task_similarities (type, project_id, task_id, submission_id, part, pair_id, flagged,
		decided_by, decided_at, decision, reason, created_at)`, `ON CONFLICT (pair_id, task_id) DO UPDATE SET
		flagged = CASE WHEN task_similarities.decided_at IS NULL THEN excluded.flagged
			ELSE task_similarities.flagged END`, flags); err != nil || len(rest) == 0 {
		return err
	}
	from, args, err := db.Rows(q, nil, []string{"pair_id BIGINT", "task_id BIGINT"}, rest)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE task_similarities SET flagged = FALSE FROM `+from+` v
		WHERE task_similarities.pair_id = v.pair_id AND task_similarities.task_id = v.task_id
		AND task_similarities.flagged AND task_similarities.decided_at IS NULL`, args...)
	return err
}

// sides lists both sides of all pairs, once for each student.
func (w *write) sides(ctx context.Context, q db.Q) ([]side, error) {
	rows := make([][]any, len(w.pairs))
	by := map[string]pair{}
	key := func(left, right int64, part string) string { return fmt.Sprint(left, right, part) }
	for i, p := range w.pairs {
		rows[i] = []any{p.left, p.right, p.part}
		by[key(p.left, p.right, p.part)] = p
	}
	from, args, err := db.Rows(q, nil, []string{"l BIGINT", "r BIGINT", "part TEXT"}, rows)
	if err != nil {
		return nil, err
	}
	type found struct {
		ID    int64  `db:"id"`
		Left  int64  `db:"left_id"`
		Right int64  `db:"right_id"`
		Part  string `db:"part"`
	}
	var out []side
	for f, err := range db.Each[found](ctx, q, `SELECT p.id, p.left_id, p.right_id, p.part FROM similarity_pairs p
		JOIN `+from+` v ON p.left_id = v.l AND p.right_id = v.r AND p.part = v.part`, args...) {
		if err != nil {
			return nil, err
		}
		p := by[key(f.Left, f.Right, f.Part)]
		for _, id := range []int64{f.Left, f.Right} {
			for _, s := range w.students[id] {
				out = append(out, side{pairID: f.ID, submissionID: id, part: f.Part, student: s,
					flagged: w.flagged(p, id)})
			}
		}
	}
	return out, nil
}

// decided lets a person's decision stand where the work has not changed: who hands
// in the same files again is not accused again, nor cleared.
func decided(ctx context.Context, q db.Q, sides []side) error {
	pairs, tasks := make([]int64, len(sides)), make([]int64, len(sides))
	for i, s := range sides {
		pairs[i], tasks[i] = s.pairID, s.student.TaskID
	}
	if len(sides) == 0 {
		return nil
	}
	type decision struct {
		PairID   int64      `db:"id"`
		TaskID   int64      `db:"task_id"`
		Flagged  bool       `db:"flagged"`
		By       int64      `db:"decided_by"`
		At       clock.Time `db:"decided_at"`
		Decision *string    `db:"decision"`
		Reason   *string    `db:"reason"`
	}
	inTasks, args := db.In(nil, tasks)
	inPairs, args := db.In(args, pairs)
	latest := map[[2]int64]decision{}
	for d, err := range db.Each[decision](ctx, q, `SELECT n.id, s.task_id, s.flagged, s.decided_by, s.decided_at,
			s.decision, s.reason
		FROM task_similarities s JOIN similarity_pairs o ON o.id = s.pair_id
		JOIN similarity_prints ol ON ol.submission_id = o.left_id AND ol.part = o.part
		JOIN similarity_prints oright ON oright.submission_id = o.right_id AND oright.part = o.part
		JOIN similarity_pairs n ON n.id IN `+inPairs+` AND n.part = o.part AND n.id <> o.id
		JOIN similarity_prints nl ON nl.submission_id = n.left_id AND nl.part = n.part
		JOIN similarity_prints nr ON nr.submission_id = n.right_id AND nr.part = n.part
		JOIN submission_tasks l ON l.task_id = s.task_id AND l.submission_id IN (n.left_id, n.right_id)
		WHERE s.task_id IN `+inTasks+` AND s.decided_at IS NOT NULL
			AND CASE WHEN o.left_id = s.submission_id THEN ol.digest ELSE oright.digest END
				= CASE WHEN n.left_id = l.submission_id THEN nl.digest ELSE nr.digest END
			AND CASE WHEN o.left_id = s.submission_id THEN oright.digest ELSE ol.digest END
				= CASE WHEN n.left_id = l.submission_id THEN nr.digest ELSE nl.digest END
		ORDER BY s.decided_at`, args...) {
		if err != nil {
			return err
		}
		latest[[2]int64{d.PairID, d.TaskID}] = d
	}
	for i := range sides {
		if d, ok := latest[[2]int64{sides[i].pairID, sides[i].student.TaskID}]; ok {
			sides[i].flagged, sides[i].by, sides[i].at = d.Flagged, &d.By, &d.At
			sides[i].decision, sides[i].reason = d.Decision, d.Reason
		}
	}
	return nil
}
