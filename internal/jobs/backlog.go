package jobs

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/clock"
	"lectern/internal/db"
)

// Place is where a job stands.
type Place struct {
	State State `json:"state"`
	Ahead int   `json:"ahead"` // jobs of a fair kind that are begun first as things stand, at most MostAhead
}

// MostAhead is as far as Position counts: so many, or more.
const MostAhead = 100

// Position tells where a job stands, and nil when it is gone. It costs a bounded
// number of steps however many jobs wait.
func Position(ctx context.Context, q db.Q, id int64) (*Place, error) {
	type row struct {
		Kind   string `db:"kind"`
		State  State  `db:"state"`
		Unit   int64  `db:"unit_key"`
		Turn   *int64 `db:"turn"`
		Served *int64 `db:"served"`
	}
	list, err := db.All[row](ctx, q, `SELECT j.kind, j.state, j.unit_key, j.turn, u.served FROM jobs j
		LEFT JOIN job_units u ON u.kind = j.kind AND u.unit_key = j.unit_key WHERE j.id = $1`, id)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	r := list[0]
	p := &Place{State: r.State}
	if r.State != Available || r.Turn == nil || r.Served == nil {
		return p, nil
	}
	before, err := db.One[int64](ctx, q, `SELECT count(*) FROM (SELECT 1 FROM jobs WHERE state = 'available'
		AND turn IS NOT NULL AND kind = $1 AND unit_key = $2 AND (turn, id) < ($3, $4) LIMIT $5) AS before`, r.Kind,
		r.Unit, *r.Turn, id, MostAhead)
	if err != nil {
		return nil, err
	}
	others, err := aheadElsewhere(ctx, q, r.Kind, r.Unit, *r.Served, *before)
	p.Ahead = int(min(*before+others, MostAhead))
	return p, err
}

// aheadElsewhere counts the jobs of other units that are begun before the one with
// so many before it in its own unit: each unit has a turn for each of those, and
// another where it was served earlier. More units than MostAhead need not be
// looked at: each has at least one.
func aheadElsewhere(ctx context.Context, q db.Q, kind string, unit, served, before int64) (int64, error) {
	type other struct {
		Earlier bool  `db:"earlier"`
		N       int64 `db:"n"`
	}
	list, err := db.All[other](ctx, q, `SELECT u.served < $3 AS earlier, (SELECT count(*) FROM (SELECT 1 FROM jobs
			WHERE state = 'available' AND turn IS NOT NULL AND jobs.kind = u.kind AND jobs.unit_key = u.unit_key
			LIMIT $4) AS few) AS n
		FROM (SELECT kind, unit_key, served FROM job_units WHERE kind = $1 AND unit_key <> $2
			ORDER BY served, unit_key LIMIT $5) AS u`, kind, unit, served, before+1, MostAhead)
	sum := int64(0)
	for _, o := range list {
		if o.Earlier {
			sum += o.N
		} else {
			sum += min(o.N, before)
		}
	}
	return sum, err
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
