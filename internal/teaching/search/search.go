// Package search finds units, tasks and people by the beginnings of words. It shows nothing
// that its caller could not find by leafing through the pages: students find their own units
// and tasks; staff, besides, the people of the units they teach, once for each of these units,
// so that nobody learns what else somebody studies; an Admin finds all units and people.
package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// Most is how many of each kind are found at most.
const Most = 20

// Bounds on what is asked for. A person is found by at least two letters.
const (
	MaxText     = 200 // bytes
	maxWords    = 5
	personFirst = 2
)

// Found is what was found, the best first.
type Found struct {
	Units  []Unit   `json:"units"`
	Tasks  []Task   `json:"tasks"`
	People []Person `json:"people"`
}

// Unit is a unit that was found.
type Unit struct {
	ID        int64           `db:"id" json:"id"`
	Code      string          `db:"code" json:"code"`
	Name      string          `db:"name" json:"name"`
	Active    bool            `db:"active" json:"active"`
	MyRole    policy.RoleName `json:"my_role" enum:"" doc:"Admin where only the system role opens it"`
	ProjectID *int64          `db:"project_id" json:"project_id" doc:"the caller's own, of one who studies it"`
	Role      policy.Role     `db:"role" json:"-"`
}

// Task is a task definition that was found.
type Task struct {
	ID           int64  `db:"id" json:"task_definition_id"`
	Abbreviation string `db:"abbreviation" json:"abbreviation"`
	Name         string `db:"name" json:"name"`
	UnitID       int64  `db:"unit_id" json:"unit_id"`
	UnitCode     string `json:"unit_code"`
	ProjectID    *int64 `json:"project_id" doc:"the caller's own, of one who studies the unit"`
}

// Do finds what a text names. Each of its words must begin a word of what is found; words
// after the fifth are not looked at.
func Do(ctx context.Context, q db.Q, who *access.Caller, text string) (*Found, error) {
	asked := newQuery(text)
	if len(asked.words) == 0 {
		return nothing(), nil
	}
	mine, err := UnitsOf(ctx, q, who)
	if err != nil {
		return nil, err
	}
	all := mine
	if who.May(policy.FindPeople) {
		if all, err = allUnits(ctx, q, mine); err != nil {
			return nil, err
		}
	}
	f, err := named(ctx, q, all, mine, asked)
	if err != nil {
		return nil, err
	}
	people, err := peopleFor(ctx, q, who, mine, asked)
	f.People = append(f.People, people...)
	return f, err
}

// InUnit finds what a text names in the unit of the record that a request is about, as the
// caller stands there. Whoever looks at a project as its student does finds what is the
// student's in that unit: what else somebody studies is not told this way either.
func InUnit(ctx context.Context, q db.Q, who *access.Caller, text string) (*Found, error) {
	asked := newQuery(text)
	if len(asked.words) == 0 {
		return nothing(), nil
	}
	here, err := UnitsOf(ctx, q, who)
	if err != nil {
		return nil, err
	}
	here = slices.DeleteFunc(here, func(u Unit) bool { return u.ID != who.UnitID })
	for i := range here {
		if who.OwnerID == who.ID { // one who teaches it, too, stands here as the student
			here[i].Role, here[i].MyRole = policy.Student, policy.Student.Name()
		}
	}
	f, err := named(ctx, q, here, here, asked)
	if err != nil {
		return nil, err
	}
	people, err := peopleHere(ctx, q, who, asked)
	f.People = append(f.People, people...)
	return f, err
}

func nothing() *Found { return &Found{Units: []Unit{}, Tasks: []Task{}, People: []Person{}} }

// named finds units, and tasks of some of them, by their names.
func named(ctx context.Context, q db.Q, units, withTasks []Unit, asked query) (*Found, error) {
	f := nothing()
	f.Units = append(f.Units, best(units, asked, func(u Unit) (string, string, string) { return u.Code, u.Name, "" })...)
	tasks, err := tasksOf(ctx, q, withTasks)
	f.Tasks = append(f.Tasks, best(tasks, asked, func(t Task) (string, string, string) {
		return t.Abbreviation, t.Name, t.UnitCode
	})...)
	return f, err
}

// Called gives those of a list that a text names, by what they are called: a short name, a
// long one and the place where they stand. A text without words names them all.
func Called[T any](list []T, text string, called func(T) (short, long, place string)) []T {
	asked := newQuery(text)
	if len(asked.words) == 0 {
		return list
	}
	return best(list, asked, called)
}

// query is what is looked for.
type query struct {
	text  string // plain
	words []string
}

func newQuery(text string) query {
	fields := strings.Fields(text[:min(len(text), MaxText)])
	for i, w := range fields {
		fields[i], _, _ = strings.Cut(w, "@") // as of an address, see ident.Words
	}
	words := ident.Words(fields...)
	return query{ident.Plain(strings.Join(fields, " ")), words[:min(len(words), maxWords)]}
}

// match tells whether every word of the query begins a word of a name or of the place where
// it stands, and at least one of them a word of the name.
func (a query) match(name, place string) bool {
	own, around := ident.Words(name), ident.Words(place)
	some := false
	for _, w := range a.words {
		begins := func(h string) bool { return strings.HasPrefix(h, w) }
		named := slices.ContainsFunc(own, begins)
		if !named && !slices.ContainsFunc(around, begins) {
			return false
		}
		some = some || named
	}
	return some
}

// best gives the first of a list that match, by what they are called: a short name, which a
// text that begins it means most of all, a long one, and the place where they stand.
func best[T any](list []T, a query, called func(T) (short, long, place string)) []T {
	type hit struct {
		item T
		rank int
		key  string
	}
	var hits []hit
	for _, item := range list {
		short, long, place := called(item)
		if !a.match(short+" "+long, place) {
			continue
		}
		h := hit{item, 2, ident.Plain(short + " " + long)}
		if strings.HasPrefix(ident.Plain(short), a.text) {
			h.rank = 0
		} else if strings.Contains(h.key, a.text) {
			h.rank = 1
		}
		hits = append(hits, h)
	}
	slices.SortStableFunc(hits, func(x, y hit) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), strings.Compare(x.key, y.key))
	})
	var out []T
	for _, h := range hits[:min(len(hits), Most)] {
		out = append(out, h.item)
	}
	return out
}

// UnitsOf lists the units in which the caller teaches or studies, those under way first.
// Somebody who does both stands there as staff, with their project.
func UnitsOf(ctx context.Context, q db.Q, who *access.Caller) ([]Unit, error) {
	list, err := db.All[Unit](ctx, q, `SELECT u.id, u.code, u.name, u.active, p.id AS project_id,
			coalesce(r.role, $2) AS role
		FROM units u LEFT JOIN unit_roles r ON r.unit_id = u.id AND r.user_id = $1
		LEFT JOIN projects p ON p.unit_id = u.id AND p.user_id = $1 AND p.enrolled
		WHERE u.id IN (SELECT unit_id FROM unit_roles WHERE user_id = $1
			UNION SELECT unit_id FROM projects WHERE user_id = $1 AND enrolled)
		ORDER BY u.active DESC, u.start_date DESC, u.id`, who.ID, int64(policy.Student))
	for i := range list {
		list[i].MyRole = list[i].Role.Name()
	}
	return list, err
}

// allUnits adds those in which the caller is nothing but an Admin.
func allUnits(ctx context.Context, q db.Q, mine []Unit) ([]Unit, error) {
	all, err := db.All[Unit](ctx, q, `SELECT id, code, name, active, CAST(NULL AS BIGINT) AS project_id,
		CAST($1 AS BIGINT) AS role FROM units ORDER BY active DESC, start_date DESC, id`, int64(policy.Admin))
	if err != nil {
		return nil, err
	}
	known := map[int64]bool{}
	for _, u := range mine {
		known[u.ID] = true
	}
	out := slices.Clone(mine)
	for _, u := range all {
		if !known[u.ID] {
			u.MyRole = u.Role.Name()
			out = append(out, u)
		}
	}
	return out, nil
}

// tasksOf lists what the units ask for, in their order.
func tasksOf(ctx context.Context, q db.Q, units []Unit) ([]Task, error) {
	if len(units) == 0 {
		return nil, nil
	}
	ids, by := make([]int64, len(units)), map[int64]int{}
	for i, u := range units {
		ids[i], by[u.ID] = u.ID, i
	}
	in, args := db.In(nil, ids)
	list, err := db.All[Task](ctx, q, `SELECT id, abbreviation, name, unit_id FROM task_definitions
		WHERE unit_id IN `+in+` ORDER BY target_date, abbreviation, id`, args...)
	for i := range list {
		u := units[by[list[i].UnitID]]
		list[i].UnitCode, list[i].ProjectID = u.Code, u.ProjectID
	}
	slices.SortStableFunc(list, func(a, b Task) int { return cmp.Compare(by[a.UnitID], by[b.UnitID]) })
	return list, err
}
