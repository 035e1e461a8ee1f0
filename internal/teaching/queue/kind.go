package queue

import (
	"fmt"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
)

// Kind says why a task is in the queue. Each is in one only: what is to mark is not to answer,
// whatever else was said on it. What a group handed in is one work, and is what any of its members
// makes it.
type Kind string

// The kinds. Waiting are the two that are counted; what is only pinned stands apart from them.
const (
	ToMark   Kind = "to_mark"   // ready for feedback
	ToAnswer Kind = "to_answer" // need help, unread comments of the student, a review that was asked for
	Pinned   Kind = "pinned"    // neither: the caller pinned it
	Waiting  Kind = "waiting"   // to mark or to answer: for a filter
)

// Enum lists the kinds a task can be of.
func (Kind) Enum() []string { return []string{string(ToMark), string(ToAnswer), string(Pinned)} }

// Scan implements sql.Scanner: in SQL the kinds are numbers, in the order of what they come before.
func (k *Kind) Scan(src any) error {
	n, ok := src.(int64)
	if !ok || n < 1 || int(n) > len(Kind("").Enum()) {
		return fmt.Errorf("read a kind from %T %v", src, src)
	}
	*k = Kind(Kind("").Enum()[n-1])
	return nil
}

var (
	isReady = `t.status = ` + db.Literals(status.ReadyForFeedback)
	// kindOfCalled is the kind of a task t that calls for the caller.
	kindOfCalled = `CASE WHEN ` + isReady + ` THEN 1 ELSE 2 END`
	// kindOfSome is that of its work, where all tasks that call are among those at hand.
	kindOfSome = `min(` + kindOfCalled + `) OVER (PARTITION BY coalesce(t.group_submission_id, -t.id))`
	// countReady counts those to mark.
	countReady = `count(CASE WHEN ` + isReady + ` THEN 1 END)`
	// kindOf is that of any task t, and kindOfWork that of the work it belongs to.
	kindOf     = `CASE WHEN ` + isReady + ` THEN 1 WHEN ` + called + ` THEN 2 ELSE 3 END`
	kindOfWork = `CASE WHEN t.group_submission_id IS NULL THEN ` + kindOf + ` ELSE (SELECT min(` + of("m", kindOf) + `) ` +
		together + ` AND mp.user_id <> $2` + withT + `) END`
	onlyReady = ` AND ` + atStatus + `IN ` + db.Literals(status.ReadyForFeedback)
)

// line is the condition of a kind on a task of the line, which is never only pinned.
func (k Kind) line() string {
	switch k {
	case ToMark:
		return onlyReady
	case ToAnswer:
		return ` AND ` + atStatus + `NOT IN ` + db.Literals(status.ReadyForFeedback)
	case Pinned:
		return ` AND FALSE`
	case Waiting:
	}
	return ``
}

// apart is the condition on a work that stands apart.
func (k Kind) apart() string {
	switch k {
	case ToMark:
		return ` AND t.kind = 1`
	case ToAnswer:
		return ` AND t.kind = 2`
	case Pinned:
		return ` AND t.kind = 3`
	case Waiting:
		return ` AND t.kind < 3`
	}
	return ``
}

// Tally is how much waits: the two numbers that every place shows.
type Tally struct {
	ToMark   int64 `db:"to_mark" json:"to_mark" doc:"tasks that are ready for feedback"`
	ToAnswer int64 `db:"to_answer" json:"to_answer" doc:"others: need help, new comments, a review asked for"`
}

// Waiting is how much waits in all.
func (t Tally) Waiting() int64 { return t.ToMark + t.ToAnswer }

// Of is the number of a kind; that of what waits where it is none.
func (t Tally) Of(k Kind) int64 {
	switch k {
	case ToMark:
		return t.ToMark
	case ToAnswer:
		return t.ToAnswer
	case Pinned:
		return 0
	case Waiting:
	}
	return t.Waiting()
}

func (t *Tally) add(k Kind, n int64) {
	switch k {
	case ToMark:
		t.ToMark += n
	case ToAnswer:
		t.ToAnswer += n
	case Pinned, Waiting:
	}
}
