package jobs

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Waiting is a job of a fair kind that stands in line.
type Waiting struct {
	ID    int64           `json:"id"`
	Kind  string          `json:"kind"`
	Args  json.RawMessage `json:"args"`
	Ahead int             `json:"ahead"` // jobs that are begun first as things stand, at most MostAhead
}

const (
	// MostAhead is as far as positions are counted: so many, or more.
	MostAhead = 100
	// mostWaiting is how many jobs of a person are told of.
	mostWaiting = 20
)

// WaitingOf gives the jobs of a person that stand in line, the next ones first, with
// their positions. It costs a bounded number of steps however many jobs wait.
func WaitingOf(ctx context.Context, q db.Q, person int64) ([]Waiting, error) {
	return waitingWhere(ctx, q, `j.person_key = $1`, person)
}

// Position tells how many jobs are begun before one that stands in line; ok is
// false when it does not.
func Position(ctx context.Context, q db.Q, id int64) (ahead int, ok bool, err error) {
	list, err := waitingWhere(ctx, q, `j.id = $1`, id)
	if err != nil || len(list) == 0 {
		return 0, false, err
	}
	return list[0].Ahead, true, nil
}

// waitingWhere gives the jobs in line that a condition holds of, with their positions.
func waitingWhere(ctx context.Context, q db.Q, which string, arg int64) ([]Waiting, error) {
	type row struct {
		ID     int64  `db:"id"`
		Kind   string `db:"kind"`
		Args   string `db:"args"`
		Unit   int64  `db:"unit_key"`
		Served int64  `db:"served"`
		Before int64  `db:"ahead"` // in the unit
	}
	rows, err := db.All[row](ctx, q, `SELECT j.id, j.kind, j.args, j.unit_key, u.served, (SELECT count(*) FROM (
			SELECT 1 FROM jobs b WHERE b.state = 'available' AND b.turn IS NOT NULL AND b.kind = j.kind
				AND b.unit_key = j.unit_key AND (b.turn, b.id) < (j.turn, j.id) LIMIT $2) AS x) AS ahead
		FROM jobs j JOIN job_units u ON u.kind = j.kind AND u.unit_key = j.unit_key
		WHERE j.state = 'available' AND j.turn IS NOT NULL AND `+which+` ORDER BY j.turn, j.id LIMIT $3`, arg, MostAhead,
		mostWaiting)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	units, err := unitsInLine(ctx, q)
	list := make([]Waiting, len(rows))
	for i, r := range rows {
		ahead := r.Before
		for _, u := range units[r.Kind] {
			ahead += u.before(r.Unit, r.Served, r.Before)
		}
		list[i] = Waiting{r.ID, r.Kind, json.RawMessage(r.Args), int(min(ahead, MostAhead))}
	}
	return list, err
}

// unitInLine is a unit with how many jobs it has in line, as far as that is counted.
type unitInLine struct {
	Kind   string `db:"kind"`
	Unit   int64  `db:"unit_key"`
	Served int64  `db:"served"`
	N      int64  `db:"n"`
}

// unitsInLine gives the units that are served next, by kind. More of a kind than
// MostAhead need not be known: each has a job.
func unitsInLine(ctx context.Context, q db.Q) (map[string][]unitInLine, error) {
	list, err := db.All[unitInLine](ctx, q, `SELECT u.kind, u.unit_key, u.served, (SELECT count(*) FROM (
			SELECT 1 FROM jobs WHERE state = 'available' AND turn IS NOT NULL AND jobs.kind = u.kind
				AND jobs.unit_key = u.unit_key LIMIT $1) AS few) AS n
		FROM (SELECT kind, unit_key, served, row_number() OVER (PARTITION BY kind ORDER BY served, unit_key) AS place
			FROM job_units) AS u WHERE u.place <= $1`, MostAhead+1)
	out := map[string][]unitInLine{}
	for _, u := range list {
		out[u.Kind] = append(out[u.Kind], u)
	}
	return out, err
}

// before counts the unit's jobs that are begun before one of another unit that has
// so many before it there: a turn for each of those, and another where it was
// served earlier.
func (u *unitInLine) before(unit, served, ahead int64) int64 {
	switch {
	case u.Unit == unit:
		return 0
	case u.Served < served:
		return min(u.N, ahead+1)
	}
	return min(u.N, ahead)
}

// Figures tell how the jobs of a kind are doing.
type Figures struct {
	Kind    string   `json:"kind"`
	Waiting int64    `json:"waiting"`
	Running int64    `json:"running"`
	Begun   int      `json:"begun"`    // the jobs that the waits below were measured on: the latest thousand at most
	WaitP50 *float64 `json:"wait_p50"` // seconds from enqueueing to the first try, of half of them at most
	WaitP95 *float64 `json:"wait_p95"`
}

// measured is how many jobs waits are measured on.
const measured = 1000

// Backlog tells how the jobs of a unit are doing, kind by kind; of everybody
// when unit is 0. Call it in a View so that its figures agree.
func Backlog(ctx context.Context, q db.Q, unit int64) ([]Figures, error) {
	type state struct {
		Kind    string `db:"kind"`
		Waiting int64  `db:"waiting"`
		Running int64  `db:"running"`
	}
	where, args := "", []any{}
	if unit != 0 {
		where, args = "AND unit_key <> 0 AND unit_key = $1", append(args, unit)
	}
	states, err := db.All[state](ctx, q, `SELECT kind, sum(CASE WHEN state = 'available' THEN 1 ELSE 0 END) AS waiting,
			sum(CASE WHEN state = 'running' THEN 1 ELSE 0 END) AS running
		FROM jobs WHERE state IN ('available', 'running') `+where+` GROUP BY kind`, args...)
	if err != nil {
		return nil, err
	}
	all, err := waits(ctx, q, where, args)
	if err != nil {
		return nil, err
	}
	list := map[string]*Figures{}
	for kind, w := range all {
		list[kind] = &Figures{Kind: kind, Begun: len(w), WaitP50: quantile(w, 0.5), WaitP95: quantile(w, 0.95)}
	}
	for _, s := range states {
		if list[s.Kind] == nil {
			list[s.Kind] = &Figures{Kind: s.Kind}
		}
		list[s.Kind].Waiting, list[s.Kind].Running = s.Waiting, s.Running
	}
	return sortedFigures(list), nil
}

func sortedFigures(list map[string]*Figures) []Figures {
	out := []Figures{}
	for _, f := range list {
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b Figures) int { return strings.Compare(a.Kind, b.Kind) })
	return out
}

// waits gives how many seconds the latest jobs waited, by kind, sorted.
func waits(ctx context.Context, q db.Q, where string, args []any) (map[string][]float64, error) {
	type begun struct {
		Kind  string     `db:"kind"`
		Asked clock.Time `db:"created_at"`
		Begun clock.Time `db:"started_at"`
	}
	out := map[string][]float64{}
	for b, err := range db.Each[begun](ctx, q, `SELECT kind, created_at, started_at FROM jobs
		WHERE started_at IS NOT NULL `+where+` ORDER BY id DESC LIMIT `+strconv.Itoa(measured), args...) {
		if err != nil {
			return nil, err
		}
		out[b.Kind] = append(out[b.Kind], b.Begun.Sub(b.Asked.Time).Seconds())
	}
	for _, w := range out {
		slices.Sort(w)
	}
	return out, nil
}

// quantile is the smallest value that a share p of the sorted values do not exceed.
func quantile(sorted []float64, p float64) *float64 {
	if len(sorted) == 0 {
		return nil
	}
	return &sorted[max(int(math.Ceil(p*float64(len(sorted))))-1, 0)]
}
