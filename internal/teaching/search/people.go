package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// Person is somebody who was found, in one unit. An Admin finds those without a unit, too.
type Person struct {
	UserID    int64           `db:"user_id" json:"user_id"`
	Username  string          `db:"username" json:"username"`
	FirstName string          `db:"first_name" json:"first_name"`
	LastName  string          `db:"last_name" json:"last_name"`
	UnitID    *int64          `db:"unit_id" json:"unit_id"`
	UnitCode  *string         `db:"code" json:"unit_code"`
	Role      policy.RoleName `json:"role" enum:"" doc:"in the unit; in the system for one without a unit"`
	ProjectID *int64          `db:"project_id" json:"project_id" doc:"of a student of the unit"`
	RoleID    policy.Role     `db:"role" json:"-"`
}

// many is how many matches of a word make it cheaper to look through the people taught than
// through the matches.
const many = 2000

// peopleFor finds people: of the units in which the caller may list the students, or of all.
func peopleFor(ctx context.Context, q db.Q, who *access.Caller, mine []Unit, a query) ([]Person, error) {
	if !a.findsPeople() {
		return nil, nil
	}
	p := &peopleQuery{words: slices.Clone(a.words)}
	count, err := p.chooseFirst(ctx, q)
	if err != nil || count == 0 {
		return nil, err
	}
	var list []Person
	if who.May(policy.FindPeople) {
		list, err = p.everywhere(ctx, q)
	} else {
		taught := make([]int64, len(mine))
		for i, u := range mine {
			taught[i] = u.ID
		}
		taught, err = access.Holding(ctx, q, who, policy.ListStudents, taught)
		if err != nil || len(taught) == 0 {
			return nil, err
		}
		if list, err = p.within(ctx, q, taught, count > many); err != nil {
			return nil, err
		}
	}
	return withRoles(list), err
}

// peopleHere finds people of the unit of the record that a request is about, for whoever may
// list its students as they stand there.
func peopleHere(ctx context.Context, q db.Q, who *access.Caller, a query) ([]Person, error) {
	if !who.May(policy.ListStudents) || !a.findsPeople() {
		return nil, nil
	}
	p := &peopleQuery{words: slices.Clone(a.words)}
	count, err := p.chooseFirst(ctx, q)
	if err != nil || count == 0 {
		return nil, err
	}
	list, err := p.within(ctx, q, []int64{who.UnitID}, count > many)
	return withRoles(list), err
}

// findsPeople tells whether enough is asked for to find somebody by.
func (a query) findsPeople() bool { return len([]rune(strings.Join(a.words, ""))) >= personFirst }

// withRoles names the roles of people.
func withRoles(list []Person) []Person {
	for i := range list {
		list[i].Role = list[i].RoleID.Name()
	}
	return list
}

// peopleQuery finds people by words, the rarest first.
type peopleQuery struct {
	words []string
	args  []any
}

// chooseFirst puts the word first that the fewest people have, and tells how many matches
// it has, counted no further than is needed.
func (p *peopleQuery) chooseFirst(ctx context.Context, q db.Q) (int64, error) {
	counts := make([]string, len(p.words))
	var args []any
	for i, w := range p.words {
		from, to := ident.WordRange(w)
		args = append(args, from, to)
		counts[i] = fmt.Sprintf(`SELECT %d AS place, (SELECT count(*) FROM (SELECT 1 FROM person_words
			WHERE word >= $%d AND word < $%d LIMIT %d) x) AS matches`, i, len(args)-1, len(args), many+1)
	}
	first, err := db.One[struct {
		Place   int64 `db:"place"`
		Matches int64 `db:"matches"`
	}](ctx, q, `SELECT place, matches FROM (`+strings.Join(counts, " UNION ALL ")+`) c ORDER BY matches, place LIMIT 1`,
		args...)
	if err != nil {
		return 0, err
	}
	p.words[0], p.words[first.Place] = p.words[first.Place], p.words[0]
	return first.Matches, nil
}

// begins is the condition that a word of the index begins with w.
func (p *peopleQuery) begins(alias, w string) string {
	from, to := ident.WordRange(w)
	p.args = append(p.args, from, to)
	return fmt.Sprintf("%[1]s.word >= $%[2]d AND %[1]s.word < $%[3]d", alias, len(p.args)-1, len(p.args))
}

// all is the condition that each of some words begins a word of the person whose id is given.
func (p *peopleQuery) all(id string, words []string) string {
	out := "TRUE"
	for _, w := range words {
		out += ` AND EXISTS (SELECT 1 FROM person_words o WHERE o.user_id = ` + id + ` AND ` + p.begins("o", w) + `)`
	}
	return out
}

// source is where the people of a list come from.
type source struct {
	from, to string // what stands before and behind the table of members
	where    string
	order    string
}

// list gives the members of units, or of all, that a source has.
func (s source) list(table, role, project, where string) string {
	return `SELECT * FROM (SELECT s.id AS user_id, s.username, s.first_name, s.last_name, s.name_key, m.unit_id, u.code,
			` + role + ` AS role, ` + project + ` AS project_id
		FROM ` + s.from + table + ` m` + s.to + ` JOIN users s ON s.id = m.user_id JOIN units u ON u.id = m.unit_id
		WHERE ` + where + ` AND ` + s.where + s.order + ` LIMIT ` + fmt.Sprint(Most) + `) AS ` + table
}

// members lists students and staff alike.
func (s source) members(in string) string {
	if in != "" {
		in = " AND m.unit_id IN " + in
	}
	student := fmt.Sprintf("CAST(%d AS BIGINT)", policy.Student)
	return s.list("projects", student, "m.id", "m.enrolled"+in) + ` UNION ALL ` +
		s.list("unit_roles", "m.role", "CAST(NULL AS BIGINT)", "TRUE"+in)
}

const byName = ` ORDER BY name_key, first_name, last_name, user_id, code, unit_id, role`

// within finds people of units. Where the rarest word is common, the people of the units are
// looked through until enough are found; else the matches of that word are.
func (p *peopleQuery) within(ctx context.Context, q db.Q, units []int64, common bool) ([]Person, error) {
	with, s := "", source{where: "TRUE"}
	if common {
		s.where = p.all("m.user_id", p.words)
	} else {
		with = `WITH h AS MATERIALIZED (SELECT DISTINCT w.user_id FROM person_words w WHERE ` +
			p.begins("w", p.words[0]) + ` AND ` + p.all("w.user_id", p.words[1:]) + `) `
		s.from, s.to = "h JOIN ", " ON m.user_id = h.user_id"
		s.order = " ORDER BY s.name_key, s.id, u.code"
	}
	in, args := db.In(p.args, units)
	return db.All[Person](ctx, q, with+`SELECT user_id, username, first_name, last_name, unit_id, code, role, project_id
		FROM (`+s.members(in)+`) AS found`+byName+` LIMIT `+fmt.Sprint(Most), args...)
}

// looked is how many matches of the rarest word are looked at where people of all units are
// found: enough for those shown, whose other words match as well.
const looked = 3 * Most

// everywhere finds people of all units and of none, those first whose word is the shortest.
func (p *peopleQuery) everywhere(ctx context.Context, q db.Q) ([]Person, error) {
	with := `WITH h AS MATERIALIZED (SELECT DISTINCT user_id FROM (SELECT w.user_id FROM person_words w WHERE ` +
		p.begins("w", p.words[0]) + ` AND ` + p.all("w.user_id", p.words[1:]) + ` ORDER BY w.word, w.user_id LIMIT ` +
		fmt.Sprint(looked) + `) AS w) `
	s := source{from: "h JOIN ", to: " ON m.user_id = h.user_id", where: "TRUE",
		order: " ORDER BY s.name_key, s.id, u.code"}
	return db.All[Person](ctx, q, with+`SELECT user_id, username, first_name, last_name, unit_id, code, role, project_id
		FROM (`+s.members("")+` UNION ALL SELECT s.id, s.username, s.first_name, s.last_name, s.name_key,
			CAST(NULL AS BIGINT), CAST(NULL AS TEXT), s.role, CAST(NULL AS BIGINT) FROM h JOIN users s ON s.id = h.user_id
			WHERE NOT EXISTS (SELECT 1 FROM projects p WHERE p.user_id = s.id AND p.enrolled)
				AND NOT EXISTS (SELECT 1 FROM unit_roles r WHERE r.user_id = s.id)) AS found`+byName+
		` LIMIT `+fmt.Sprint(Most), p.args...)
}
