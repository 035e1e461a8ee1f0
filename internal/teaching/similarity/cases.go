package similarity

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// State is how far the staff are with a case.
type State string

// The states. A case whose sides were decided on one by one is undecided until the last of them is, and then
// what the graver decision says.
const (
	Undecided   State = "undecided"
	Harmless    State = "not_a_concern"
	Asked       State = "asked"    // both students were asked, or will be
	Reported    State = "reported" // to those who look after academic integrity
	KeptFlagged State = "flagged"  // somebody looked at it and left the flag, without saying more
)

// states are all of them by their rank, from 1: of two sides the higher one is the case's.
var states = []State{Harmless, KeptFlagged, Asked, Reported, Undecided}

// Enum gives all states, for the documentation of the API.
func (State) Enum() []string {
	return []string{string(Undecided), string(Harmless), string(Asked), string(Reported), string(KeptFlagged)}
}

// stateRank is the rank of record s, 0 of one that only the figures cleared.
const stateRank = `CASE WHEN s.decided_at IS NULL AND s.flagged THEN 5 WHEN s.decided_at IS NULL THEN 0
	WHEN s.decision = 'reported' THEN 4 WHEN s.decision = 'asked' THEN 3 WHEN s.flagged THEN 2 ELSE 1 END`

// Case is work of a unit that is alike, seen once: the records of both sides, and of all members of a group,
// are one. ID is the number of one of them, at the task TaskID.
type Case struct {
	ID           int64       `json:"id"`
	TaskID       int64       `json:"task_id"`
	DefinitionID int64       `json:"task_definition_id"`
	Abbreviation string      `json:"abbreviation"` // of the task
	Type         Type        `json:"type"`
	File         string      `json:"file"`  // code, or the key of the document that is alike
	Pct          int         `json:"pct"`   // 0 until an outside report is there
	Score        *int        `json:"score"` // null of an outside report
	State        State       `json:"state"`
	Students     []Student   `json:"students"` // of the task; a group's members
	SubmittedAt  clock.Time  `json:"submitted_at"`
	Other        *Other      `json:"other"`   // null of an outside report
	Cluster      int64       `json:"cluster"` // the same number for all cases that hang together
	Size         int         `json:"cluster_size"`
	Reason       *string     `json:"reason"`     // of the decision; null: none was given
	DecidedAt    *clock.Time `json:"decided_at"` // of the latest decision; null: nobody has decided
	DecidedBy    *int64      `json:"decided_by"`
	Decider      *string     `json:"decided_by_name"`

	record Record
}

// OtherTitle names those whose work is alike, or only its unit and term.
func (c *Case) OtherTitle() string { return c.record.OtherTitle() }

// Filter picks cases of a unit.
type Filter struct {
	State        State // empty: all
	DefinitionID int64 // 0: all tasks
	TutorialID   int64 // 0: all; else those with a student of it on either side
	Type         Type  // empty: both
	Least        int   // percent
	Cluster      int64 // 0: all; else what hangs together with this case
	Page         db.Page
}

// Counts are how many cases of a unit there are, and how many of them nobody decided on.
type Counts struct {
	All       int64 `json:"all"`
	Undecided int64 `json:"undecided"`
}

// UnitCases are the cases of a unit as a caller may see them, read at once: they are counted, narrowed and tied
// together without asking for them again.
type UnitCases struct {
	who    *access.Caller
	unitID int64
	all    []brief // those that nobody decided on first, of these the most similar
	ties   *ties
}

// brief is a case with what it is found and ordered by.
type brief struct {
	ID           int64       `db:"id"`
	Rank         int         `db:"rank"`
	Latest       *clock.Time `db:"latest"` // the latest decision on either side
	Type         Type        `db:"type"`
	Part         string      `db:"part"`
	Pct          int         `db:"pct"`
	PairID       *int64      `db:"pair_id"`
	OutsideID    *string     `db:"outside_id"`
	SubmissionID int64       `db:"submission_id"`
	OtherID      *int64      `db:"other_id"`
	DefinitionID int64       `db:"task_definition_id"`
	Abbreviation string      `db:"abbreviation"`
	Own          int64       `db:"own"` // the work: a task, or below zero what a group handed in
	Other        *int64      `db:"other"`
}

// CasesIn reads the cases of a unit for a holder of policy.SeeClusters. Whoever does not hold policy.SeeSimilarities
// has none. Withdrawn students have left the lists of the staff; whoever studies the unit sees nothing that leads to
// their own work.
func CasesIn(ctx context.Context, q db.Q, who *access.Caller, unitID int64) (*UnitCases, error) {
	return casesIn(ctx, q, who, unitID, 0)
}

// ownWorks are the submissions that caller $2 has a part in.
const ownWorks = `SELECT l.submission_id FROM projects x JOIN tasks t ON t.project_id = x.id
	JOIN submission_tasks l ON l.task_id = t.id WHERE x.user_id = $2`

// casesIn reads the cases of a unit, or of one of its tasks.
func casesIn(ctx context.Context, q db.Q, who *access.Caller, unitID, definitionID int64) (*UnitCases, error) {
	if !who.May(policy.SeeSimilarities) {
		return &UnitCases{who: who, unitID: unitID, ties: tiesOf(nil)}, nil
	}
	// All versions of a group's work are one work, whoever of them handed it in.
	list, err := db.All[brief](ctx, q, `SELECT s.id, c.rank, c.latest, s.type, s.part, s.pair_id, s.outside_id,
			coalesce(p.pct, s.outside_pct, 0) AS pct, s.submission_id, o.id AS other_id, k.task_definition_id,
			d.abbreviation, coalesce(-mt.group_submission_id, mt.id) AS own,
			coalesce(-ot.group_submission_id, ot.id) AS other
		FROM (SELECT min(s.id) AS id, max(`+stateRank+`) AS rank, max(s.decided_at) AS latest
			FROM projects x JOIN task_similarities s ON s.project_id = x.id
			WHERE x.unit_id = $1 AND x.enrolled AND (s.flagged OR s.decided_at IS NOT NULL)
			GROUP BY s.pair_id, s.outside_id) c
		JOIN task_similarities s ON s.id = c.id JOIN submissions m ON m.id = s.submission_id
		JOIN tasks k ON k.id = s.task_id JOIN task_definitions d ON d.id = k.task_definition_id
		JOIN tasks mt ON mt.id = m.task_id LEFT JOIN similarity_pairs p ON p.id = s.pair_id
		LEFT JOIN submissions o ON o.id = CASE WHEN p.left_id = s.submission_id THEN p.right_id ELSE p.left_id END
		LEFT JOIN tasks ot ON ot.id = o.task_id
		WHERE (d.id = $3 OR $3 = 0) AND m.id NOT IN (`+ownWorks+`) AND (o.id IS NULL OR o.id NOT IN (`+ownWorks+`))
		ORDER BY s.id`, unitID, who.ID, definitionID)
	if err != nil {
		return nil, err
	}
	u := &UnitCases{who: who, unitID: unitID, all: list, ties: tiesOf(list)}
	slices.SortStableFunc(u.all, func(a, b brief) int { return cmp.Or(b.open()-a.open(), b.Pct-a.Pct) })
	return u, nil
}

// open is 1 of a case that nobody decided on.
func (b *brief) open() int {
	if b.Rank == len(states) {
		return 1
	}
	return 0
}

// Counts counts them.
func (u *UnitCases) Counts() Counts {
	c := Counts{All: int64(len(u.all))}
	for i := range u.all {
		c.Undecided += int64(u.all[i].open())
	}
	return c
}

// Has tells whether there is a case of a task.
func (u *UnitCases) Has(definitionID int64) bool {
	return slices.ContainsFunc(u.all, func(b brief) bool { return b.DefinitionID == definitionID })
}

// List gives a part of those that a filter picks, those that nobody decided on first, of these the most similar. It
// tells how many there are in all.
func (u *UnitCases) List(ctx context.Context, q db.Q, f Filter) ([]Case, int64, error) {
	in, err := tutorialWorks(ctx, q, f.TutorialID)
	if err != nil {
		return nil, 0, err
	}
	rank, found := slices.Index(states, f.State)+1, []brief{}
	for _, b := range u.all {
		if (rank == 0 || b.Rank == rank) && (f.DefinitionID == 0 || b.DefinitionID == f.DefinitionID) &&
			(f.Type == "" || b.Type == f.Type) && b.Pct >= f.Least &&
			(f.Cluster == 0 || u.ties.cluster(b.ID) == u.ties.cluster(f.Cluster)) &&
			(f.TutorialID == 0 || in[b.SubmissionID] || b.OtherID != nil && in[*b.OtherID]) {
			found = append(found, b)
		}
	}
	out, err := u.cases(ctx, q, cut(found, f.Page))
	return out, int64(len(found)), err
}

// tutorialWorks are the submissions of the students of a tutorial, of 0 none.
func tutorialWorks(ctx context.Context, q db.Q, tutorialID int64) (map[int64]bool, error) {
	out := map[int64]bool{}
	if tutorialID == 0 {
		return out, nil
	}
	list, err := db.All[int64](ctx, q, `SELECT DISTINCT l.submission_id FROM tutorial_enrolments e
		JOIN tasks t ON t.project_id = e.project_id JOIN submission_tasks l ON l.task_id = t.id
		WHERE e.tutorial_id = $1`, tutorialID)
	for _, id := range list {
		out[id] = true
	}
	return out, err
}

// caseColumns leave out what the works share: a list of many would read megabytes of it.
var caseColumns = strings.Replace(recordColumns, "p.passages", "'[]' AS passages", 1)

// cases completes some with those whose work it is and with what was decided, in their order.
func (u *UnitCases) cases(ctx context.Context, q db.Q, of []brief) ([]Case, error) {
	ids := make([]int64, len(of))
	for i := range of {
		ids[i] = of[i].ID
	}
	in, args := db.In(nil, ids)
	rows, err := db.All[row](ctx, q, `SELECT `+caseColumns+joinedRecords+` WHERE s.id IN `+in, args...)
	if err != nil {
		return nil, err
	}
	list, err := records(ctx, q, u.who, rows)
	if err != nil {
		return nil, err
	}
	said, err := u.decisions(ctx, q, of)
	if err != nil {
		return nil, err
	}
	byID := map[int64]Record{}
	for _, r := range list {
		byID[r.ID] = r
	}
	out := make([]Case, len(of))
	for i, b := range of {
		r, d := byID[b.ID], said[b.key()]
		out[i] = Case{ID: b.ID, TaskID: r.TaskID, DefinitionID: b.DefinitionID, Abbreviation: b.Abbreviation, Type: b.Type,
			File: r.File, Pct: b.Pct, Score: r.Score, State: states[max(b.Rank, 1)-1],
			Students: append([]Student{}, r.row.students[b.SubmissionID]...), SubmittedAt: r.SubmittedAt, Other: r.Other,
			Cluster: u.ties.cluster(b.ID), Size: u.ties.size(b.ID), Reason: d.Reason, DecidedAt: b.Latest, DecidedBy: d.By,
			Decider: d.Decider, record: r}
	}
	return out, nil
}

// caseKey is what the records of one case have in common.
type caseKey struct {
	pair    int64
	outside string
}

func keyOf(pair *int64, outside *string) (k caseKey) {
	if pair != nil {
		k.pair = *pair
	}
	if outside != nil {
		k.outside = *outside
	}
	return k
}

func (b *brief) key() caseKey { return keyOf(b.PairID, b.OutsideID) }

// decision is what was decided last on a case.
type decision struct {
	PairID  *int64  `db:"pair_id"`
	Outside *string `db:"outside_id"`
	By      *int64  `db:"decided_by"`
	Reason  *string `db:"reason"`
	Decider *string `db:"decider"`
}

// decisions reads what was decided last on cases, of both sides and of all members of a group.
func (u *UnitCases) decisions(ctx context.Context, q db.Q, of []brief) (map[caseKey]decision, error) {
	pairs, outside := keysOf(of)
	inPairs, args := db.In([]any{u.unitID}, pairs)
	inOutside, args := db.In(args, outside)
	out := map[caseKey]decision{}
	for d, err := range db.Each[decision](ctx, q, `SELECT s.pair_id, s.outside_id, s.decided_by, s.reason,
			w.first_name || ' ' || w.last_name AS decider
		FROM task_similarities s JOIN projects x ON x.id = s.project_id LEFT JOIN users w ON w.id = s.decided_by
		WHERE x.unit_id = $1 AND x.enrolled AND s.decided_at IS NOT NULL
			AND (s.pair_id IN `+inPairs+` OR s.outside_id IN `+inOutside+`)
		ORDER BY s.decided_at, `+stateRank, args...) {
		if err != nil {
			return nil, err
		}
		out[keyOf(d.PairID, d.Outside)] = d
	}
	return out, nil
}

func keysOf(of []brief) (pairs []int64, outside []string) {
	for _, b := range of {
		if b.PairID != nil {
			pairs = append(pairs, *b.PairID)
		} else {
			outside = append(outside, *b.OutsideID)
		}
	}
	return pairs, outside
}

// CaseOf gives the case of a unit that a record of a task is part of, or fault.Missing. It is for holders of
// policy.SeeClusters.
func CaseOf(ctx context.Context, q db.Q, who *access.Caller, unitID, recordID int64) (*Case, error) {
	type place struct {
		DefinitionID int64   `db:"task_definition_id"`
		PairID       *int64  `db:"pair_id"`
		OutsideID    *string `db:"outside_id"`
	}
	at, err := db.OneOf[place](ctx, q, "similarity", `SELECT k.task_definition_id, s.pair_id, s.outside_id
		FROM task_similarities s JOIN tasks k ON k.id = s.task_id WHERE s.id = $1`, recordID)
	if err != nil {
		return nil, err
	}
	u, err := casesIn(ctx, q, who, unitID, at.DefinitionID)
	if err != nil {
		return nil, err
	}
	for _, b := range u.all {
		if b.key() == keyOf(at.PairID, at.OutsideID) {
			list, err := u.cases(ctx, q, []brief{b})
			if err != nil {
				return nil, err
			}
			return &list[0], nil
		}
	}
	return nil, fault.New(fault.Missing, "There is no such similarity case.")
}
