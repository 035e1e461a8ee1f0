package privacy

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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
	self    int64
	byID    map[int64]string  // what each is called
	byName  map[string]string // by every name a text may have for them
	quoted  map[string]string // by user name and address
	pattern *regexp.Regexp    // of all names; nil when there are none
}

// readOthers reads who is meant by ids, and who else the person's records may
// name: those who study or teach the same units.
func readOthers(ctx context.Context, q db.Q, self int64, ids map[int64]bool) (*others, error) {
	o := &others{self: self, byID: map[int64]string{}, byName: map[string]string{}, quoted: map[string]string{}}
	const columns = `SELECT u.id, u.role, u.username, u.email, u.first_name, u.last_name, u.nickname
		FROM users u WHERE `
	near, err := db.All[other](ctx, q, columns+`u.id IN (SELECT r.user_id FROM unit_roles r JOIN projects p
			ON p.unit_id = r.unit_id WHERE p.user_id = $1)
		OR u.id IN (SELECT p.user_id FROM group_memberships m JOIN group_memberships n
			ON n.unit_group_id = m.unit_group_id JOIN projects p ON p.id = n.project_id
			JOIN projects mine ON mine.id = m.project_id WHERE mine.user_id = $1)`, self)
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

// shortest is the least length of a name that is looked for on its own: shorter
// ones are too often something else.
const shortest = 3

func (o *others) add(p *other) {
	word := p.word()
	o.byID[p.ID] = word
	o.quoted[p.Username], o.quoted[p.Email] = word, word
	names := []string{p.FirstName + " " + p.LastName, p.LastName + ", " + p.FirstName, p.Username, p.Email,
		p.FirstName, p.LastName}
	if p.Nickname != nil {
		names = append(names, *p.Nickname)
	}
	for _, n := range names {
		if utf8.RuneCountInString(n) >= shortest {
			o.byName[n] = word
		}
	}
}

// spare keeps the person's own names, and makes the pattern.
func (o *others) spare(own *other) {
	mine := []string{own.Username, own.Email, own.FirstName, own.LastName}
	if own.Nickname != nil {
		mine = append(mine, *own.Nickname)
	}
	for _, n := range mine {
		delete(o.byName, n)
	}
	// The longest comes first, so that a full name is not taken for a first one.
	names := slices.SortedFunc(maps.Keys(o.byName), func(a, b string) int {
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for i, n := range names {
		names[i] = regexp.QuoteMeta(n)
	}
	if len(names) > 0 {
		o.pattern = regexp.MustCompile(strings.Join(names, "|"))
	}
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
func (o *others) without(text string) string {
	if o.pattern == nil {
		return text
	}
	var b strings.Builder
	done := 0
	for _, at := range o.pattern.FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		after, _ := utf8.DecodeRuneInString(text[at[1]:])
		if wordly(before) || wordly(after) {
			continue // a part of another word
		}
		b.WriteString(text[done:at[0]])
		b.WriteString(o.byName[text[at[0]:at[1]]])
		done = at[1]
	}
	return b.String() + text[done:]
}

func wordly(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

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
