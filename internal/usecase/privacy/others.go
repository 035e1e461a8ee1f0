package privacy

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/redact"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// other is somebody else who is met in a person's records.
type other struct {
	ID        int64       `db:"id"`
	Role      policy.Role `db:"role"`
	Username  string      `db:"username"`
	Email     string      `db:"email"`
	FirstName string      `db:"first_name"`
	LastName  string      `db:"last_name"`
	Nickname  *string     `db:"nickname"`
}

// word is what an other is called.
func (o *other) word() string {
	return map[policy.Role]string{policy.Student: "another student", policy.Tutor: "a tutor",
		policy.Convenor: "a convenor", policy.Admin: "an administrator"}[o.Role]
}

// others are the people whose names are taken out.
type others struct {
	self   int64
	byID   map[int64]string  // what each is called
	byName map[string]string // by every name a text may have for them
	quoted map[string]string // by user name and address
	names  *redact.Words
}

// alikeWork picks those whose work was found to be like that of the person $1, or was decided on together with it: the
// reason of a decision may name them.
const alikeWork = `SELECT p.user_id FROM projects mine JOIN task_similarities m ON m.project_id = mine.id
		JOIN task_similarities n ON n.pair_id = m.pair_id JOIN projects p ON p.id = n.project_id WHERE mine.user_id = $1
	UNION SELECT p.user_id FROM projects mine JOIN task_similarities m ON m.project_id = mine.id
		JOIN projects p ON p.unit_id = mine.unit_id JOIN task_similarities n ON n.project_id = p.id
			AND n.decided_at = m.decided_at AND n.decided_by = m.decided_by WHERE mine.user_id = $1`

// readOthers reads who is meant by ids, and who else the person's records may
// name: those who are in the same groups or teach the same units, or whose work is like theirs.
func readOthers(ctx context.Context, q db.Q, self int64, ids map[int64]bool) (*others, error) {
	o := &others{self: self, byID: map[int64]string{}, byName: map[string]string{}, quoted: map[string]string{}}
	const columns = `SELECT u.id, u.role, u.username, u.email, u.first_name, u.last_name, u.nickname
		FROM users u WHERE `
	near, err := db.All[other](ctx, q, columns+`u.id IN (SELECT r.user_id FROM unit_roles r JOIN projects p
			ON p.unit_id = r.unit_id WHERE p.user_id = $1)
		OR u.id IN (SELECT p.user_id FROM group_memberships m JOIN group_memberships n
			ON n.unit_group_id = m.unit_group_id JOIN projects p ON p.id = n.project_id
			JOIN projects mine ON mine.id = m.project_id WHERE mine.user_id = $1)
		OR u.id IN (`+alikeWork+`)`, self)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(slices.Collect(maps.Keys(ids)), 256) {
		in, args := db.In(nil, some)
		more, err := db.All[other](ctx, q, columns+`u.id IN `+in, args...)
		if err != nil {
			return nil, err
		}
		near = append(near, more...)
	}
	own, err := db.One[other](ctx, q, columns+`u.id = $1`, self)
	if err != nil {
		return nil, err
	}
	for i := range near {
		if near[i].ID != self {
			o.add(&near[i])
		}
	}
	o.spare(own)
	return o, nil
}

func (o *others) add(p *other) {
	word := p.word()
	o.byID[p.ID] = word
	o.quoted[p.Username], o.quoted[p.Email] = word, word
	for _, n := range p.person().Names() {
		o.byName[n] = word
	}
}

func (o *other) person() redact.Person {
	return redact.Person{First: o.FirstName, Last: o.LastName, Username: o.Username, Email: o.Email, Nickname: o.Nickname}
}

// spare keeps the person's own names, and makes the words said for all others.
func (o *others) spare(own *other) {
	mine := []string{own.Username, own.Email, own.FirstName, own.LastName}
	if own.Nickname != nil {
		mine = append(mine, *own.Nickname)
	}
	for _, n := range mine {
		delete(o.byName, n)
	}
	o.names = redact.New(o.byName)
}

// called says who an id is to the person.
func (o *others) called(id int64) any {
	switch {
	case id == 0:
		return nil
	case id == o.self:
		return "you"
	case o.byID[id] != "":
		return o.byID[id]
	}
	return "somebody"
}

// without gives a text in which other people are called by what they are.
func (o *others) without(text string) string { return o.names.Without(text) }

// jsonString is a string of JSON, with the colon behind it where it is a key.
var jsonString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"(?:\s*:)?`)

// inJSON gives JSON in which the whole values that name others are replaced, so
// that what is signed stays as it is unless it names one.
func (o *others) inJSON(text string) string {
	return jsonString.ReplaceAllStringFunc(text, func(s string) string {
		if word := o.quoted[strings.Trim(s, `"`)]; word != "" && !strings.HasSuffix(s, ":") {
			return `"` + word + `"`
		}
		return s
	})
}

// inside gives JSON in which the ids of people are what those are to the person.
func (o *others) inside(text string, members []string) string {
	ids := regexp.MustCompile(`"(` + strings.Join(members, "|") + `)":([0-9]+)`)
	return ids.ReplaceAllStringFunc(text, func(s string) string {
		name, number, _ := strings.Cut(s, ":")
		id, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return s
		}
		return fmt.Sprintf("%s:%q", name, o.called(id))
	})
}
