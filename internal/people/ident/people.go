package ident

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// AccountState is how an account stands, for administrators.
type AccountState string

// The states of accounts. Of several that fit, the first in this order is told.
const (
	AccountErased   AccountState = "erased"   // nobody is known by it any more
	AccountDisabled AccountState = "disabled" // it cannot be signed in to
	AccountLocked   AccountState = "locked"   // too many tries failed: some must wait
	AccountInvited  AccountState = "invited"  // nobody has opened it yet
	AccountActive   AccountState = "active"
)

// Enum gives all states, for the documentation of the API.
func (AccountState) Enum() []string {
	return []string{string(AccountActive), string(AccountInvited), string(AccountLocked), string(AccountDisabled),
		string(AccountErased)}
}

// Person is an account as a list of all people shows it to administrators.
type Person struct {
	ID         int64           `db:"id" json:"id"`
	Username   string          `db:"username" json:"username"`
	FirstName  string          `db:"first_name" json:"first_name"`
	LastName   string          `db:"last_name" json:"last_name"`
	Email      string          `db:"email" json:"email"`
	StudentID  *string         `db:"student_id" json:"student_id"`
	Role       policy.RoleName `json:"system_role" enum:""`
	State      AccountState    `json:"state" doc:"how the account stands"`
	Factor     bool            `db:"factor" json:"second_factor" doc:"whether a second factor is on"`
	Units      int64           `db:"units" json:"units" doc:"in which the person teaches or studies"`
	SignedInAt *clock.Time     `db:"signed_in_at" json:"last_sign_in_at" doc:"null: never"`
	ErasureAt  *clock.Time     `db:"erasure_at" json:"erasure_due_at" doc:"when the person is erased; null: no erasure waits"`

	RoleID   policy.Role `db:"role" json:"-"`
	Disabled bool        `db:"disabled" json:"-"`
	Erased   bool        `db:"erased" json:"-"`
	Locked   bool        `db:"locked" json:"-"`
	Opened   bool        `db:"opened" json:"-"`
}

// tell puts in what follows from the columns.
func (p *Person) tell() {
	p.Role = p.RoleID.Name()
	switch {
	case p.Erased:
		p.State = AccountErased
	case p.Disabled:
		p.State = AccountDisabled
	case p.Locked:
		p.State = AccountLocked
	case !p.Opened:
		p.State = AccountInvited
	default:
		p.State = AccountActive
	}
}

// PeopleSearch says which people are looked for, and in which order.
type PeopleSearch struct {
	Text     string       // each word of it begins a word of the name, a number or the address
	Role     policy.Role  // 0: any
	State    AccountState // empty: all but erased ones
	UnitID   int64        // teaches or studies there; 0: anywhere or nowhere
	NoFactor bool         // may teach or more, and has no second factor
	Erasing  bool         // an erasure waits
	Order    PeopleOrder  // by name where it is none of PeopleOrders
	Page     db.Page
}

// PeopleOrder is what a list of people is in the order of, with a minus the other way round.
type PeopleOrder string

// PeopleOrders are all of them, the usual first. State and number of units are none: no index could
// have them, and a list of 100,000 would be read whole for a page.
func PeopleOrders() []PeopleOrder {
	return []PeopleOrder{"name", "-name", "email", "-email", "role", "-role", "sign_in", "-sign_in"}
}

// Enum gives all orders, for the documentation of the API.
func (PeopleOrder) Enum() (out []string) {
	for _, o := range PeopleOrders() {
		out = append(out, string(o))
	}
	return out
}

// columns are what an order sorts by.
func (o PeopleOrder) columns() string {
	by, down := strings.CutPrefix(string(o), "-")
	list, ok := map[string][]string{"email": {"u.email_key", "u.id"}, "role": {"u.role", "u.name_key", "u.id"},
		"sign_in": {"(CASE WHEN u.signed_in_at IS NULL THEN 0 ELSE 1 END)", "u.signed_in_at", "u.id"}}[by]
	if !ok {
		list = []string{"u.name_key", "u.id"}
	}
	if !down {
		return strings.Join(list, ", ")
	}
	return strings.Join(list, " DESC, ") + " DESC"
}

// reversed is the order the other way round.
func (o PeopleOrder) reversed() PeopleOrder {
	if by, down := strings.CutPrefix(string(o), "-"); down {
		return PeopleOrder(by)
	}
	return "-" + cmp.Or(o, PeopleOrders()[0])
}

// Bounds on what is looked for by words, and on what is counted of it.
const (
	mostSought = 5    // words
	manyFound  = 2000 // matches of a word from which on it is cheaper to go through the people in their order
	// mostCrossed is how many matches of a word are tried for the other words, and manyCrossed how many people that
	// all words find are too many to be put in order: going through all in their order finds so many soon enough.
	mostCrossed, manyCrossed = 25_000, 6000
	// MostCounted is how far people are counted where not all are listed: to count 100,000 takes longer than
	// to list the first of them.
	MostCounted = 1000
)

// peopleQuery is the statement that a search becomes.
type peopleQuery struct {
	args  []any
	with  string   // whom is looked at; empty: all
	where []string // what must hold
}

func (p *peopleQuery) arg(v any) string {
	p.args = append(p.args, v)
	return fmt.Sprintf("$%d", len(p.args))
}

// begins is the condition that a word of the index begins with w, be it of a name, a number or what
// stands behind the @ of an address.
func (p *peopleQuery) begins(w string) string {
	var either []string
	for _, one := range beginnings(w) {
		either = append(either, p.within(one))
	}
	return "(" + strings.Join(either, " OR ") + ")"
}

// matches gives the people whom a word finds, some twice. Each beginning is a range of an index by itself: what an OR
// finds, SQLite also reads from the table.
func (p *peopleQuery) matches(w string) string {
	var all []string
	for _, one := range beginnings(w) {
		all = append(all, `SELECT w.user_id FROM person_words w WHERE `+p.within(one))
	}
	return strings.Join(all, " UNION ALL ")
}

// beginnings are what a word of the index may begin with.
func beginnings(w string) []string {
	if strings.HasPrefix(w, "@") {
		return []string{w}
	}
	return []string{w, "@" + w}
}

func (p *peopleQuery) within(w string) string {
	from, to := WordRange(w)
	return "(w.word >= " + p.arg(from) + " AND w.word < " + p.arg(to) + ")"
}

// soughtWords are those of a text, what stands behind an @ marked with one.
func soughtWords(text string) (out []string) {
	for _, field := range strings.Fields(text) {
		before, behind, _ := strings.Cut(field, "@")
		out = append(out, Words(before)...)
		for _, w := range Words(behind) {
			out = append(out, "@"+w)
		}
	}
	return out[:min(len(out), mostSought)]
}

// query makes the statement. Whom the fewest conditions can be told from, an index finds first: those of
// a unit, those who must wait, those whose erasure waits, those with a rare word.
func (s PeopleSearch) query(ctx context.Context, q db.Q) (*peopleQuery, error) {
	p := &peopleQuery{}
	switch {
	case s.UnitID != 0:
		unit := p.arg(s.UnitID)
		p.with = `SELECT user_id AS id FROM projects WHERE enrolled AND unit_id = ` + unit +
			` UNION SELECT user_id FROM unit_roles WHERE unit_id = ` + unit
	case s.State == AccountLocked:
		p.with = `SELECT DISTINCT user_id AS id FROM throttles WHERE user_id IS NOT NULL AND blocked_until > ` + p.arg(q.Now())
	case s.Erasing:
		p.with = `SELECT user_id AS id FROM erasures`
	}
	p.hold(s, q.Now())
	return p, p.sought(ctx, q, soughtWords(s.Text))
}

// hold adds the conditions but for the words.
func (p *peopleQuery) hold(s PeopleSearch, now clock.Time) {
	p.where = append(p.where, p.stands(s.State, now))
	if s.Role != 0 {
		p.where = append(p.where, "u.role = "+p.arg(int64(s.Role)))
	}
	if s.NoFactor {
		p.where = append(p.where, withoutFactor)
	}
	if s.Erasing {
		p.where = append(p.where, "EXISTS (SELECT 1 FROM erasures e WHERE e.user_id = u.id)")
	}
}

// stands is the condition that an account is in a state; empty: it was not erased.
func (p *peopleQuery) stands(state AccountState, now clock.Time) string {
	const there, open = "u.erased_at IS NULL", "u.erased_at IS NULL AND u.disabled_at IS NULL AND "
	switch state {
	case AccountErased:
		return "u.erased_at IS NOT NULL AND NOT " + Pseudonymous
	case AccountDisabled:
		return there + " AND u.disabled_at IS NOT NULL"
	case AccountInvited:
		return open + "u.opened_at IS NULL AND u.password_hash IS NULL AND NOT " + p.locked(now)
	case AccountLocked:
		return open + p.locked(now)
	case AccountActive:
		return open + "(u.opened_at IS NOT NULL OR u.password_hash IS NOT NULL) AND NOT " + p.locked(now)
	}
	return there
}

// withoutFactor is the condition that somebody on the staff has no second factor.
var withoutFactor = fmt.Sprintf(`u.role >= %d AND u.disabled_at IS NULL AND NOT EXISTS (SELECT 1 FROM second_factors f
	WHERE f.user_id = u.id AND f.confirmed_at IS NOT NULL)`, policy.Tutor)

// locked is the condition that somebody who tries to sign in to an account must wait.
func (p *peopleQuery) locked(now clock.Time) string {
	return "EXISTS (SELECT 1 FROM throttles b WHERE b.user_id = u.id AND b.blocked_until > " + p.arg(now) + ")"
}

// sought adds the words: the rarest finds the people, where it is rare enough and nothing else does, or all of them
// together.
func (p *peopleQuery) sought(ctx context.Context, q db.Q, words []string) error {
	rare := -1
	if len(words) > 0 && p.with == "" {
		matches, place, err := rarest(ctx, q, words)
		if err != nil {
			return err
		}
		if matches <= manyFound {
			rare = place
		} else if len(words) > 1 && matches <= mostCrossed {
			if done, err := p.cross(ctx, q, words, place); done || err != nil {
				return err
			}
		}
	}
	for i, w := range words {
		if i == rare {
			p.with = `SELECT DISTINCT w.user_id AS id FROM person_words w WHERE ` + p.begins(w)
			continue
		}
		p.where = append(p.where, `EXISTS (SELECT 1 FROM person_words w WHERE w.user_id = u.id AND `+p.begins(w)+`)`)
	}
	return nil
}

// cross finds those whom several words find that many people have each: two names that are common meet in few
// people, and to go through all for those few takes longest. It does nothing where they meet in many.
func (p *peopleQuery) cross(ctx context.Context, q db.Q, words []string, first int) (done bool, err error) {
	c := &peopleQuery{}
	text, others := c.matches(words[first]), []string{}
	for i, w := range words {
		var either []string
		for _, one := range beginnings(w) {
			if i != first {
				either = append(either, `EXISTS (SELECT 1 FROM person_words w WHERE w.user_id = f.user_id AND `+c.within(one)+`)`)
			}
		}
		if i != first {
			others = append(others, "("+strings.Join(either, " OR ")+")")
		}
	}
	text = `SELECT DISTINCT f.user_id FROM (` + text + `) f WHERE ` + strings.Join(others, " AND ")
	ids, err := db.All[int64](ctx, q, fmt.Sprintf(`%s LIMIT %d`, text, manyCrossed+1), c.args...)
	if err != nil || len(ids) > manyCrossed {
		return false, err
	}
	rows := make([][]any, len(ids))
	for i, id := range ids {
		rows[i] = []any{id}
	}
	var found string
	found, p.args, err = db.Rows(q, p.args, []string{"id BIGINT"}, rows)
	p.with = `SELECT f.id FROM ` + found + ` f`
	return err == nil, err
}

// rarest tells which of some words the fewest people have, and how many matches it has, counted no further
// than is needed.
func rarest(ctx context.Context, q db.Q, words []string) (matches int64, place int, err error) {
	most := manyFound
	if len(words) > 1 {
		most = mostCrossed
	}
	p := &peopleQuery{}
	counts := make([]string, len(words))
	for i, w := range words {
		counts[i] = fmt.Sprintf(`SELECT %d AS place, (SELECT count(*) FROM (SELECT 1 FROM (%s) m LIMIT %d) x) AS matches`,
			i, p.matches(w), most+1)
	}
	first, err := db.One[struct {
		Place   int   `db:"place"`
		Matches int64 `db:"matches"`
	}](ctx, q, `SELECT place, matches FROM (`+strings.Join(counts, " UNION ALL ")+`) c ORDER BY matches, place LIMIT 1`,
		p.args...)
	if err != nil {
		return 0, 0, err
	}
	return first.Matches, first.Place, nil
}

// from is what stands behind the columns. The CROSS JOIN keeps SQLite from going through everybody.
func (p *peopleQuery) from() string {
	if p.with == "" {
		return " FROM users u WHERE " + strings.Join(p.where, " AND ")
	}
	return " FROM h CROSS JOIN users u WHERE u.id = h.id AND " + strings.Join(p.where, " AND ")
}

func (p *peopleQuery) prefix() string {
	if p.with == "" {
		return ""
	}
	return "WITH h AS MATERIALIZED (" + p.with + ") "
}

// personColumns are those of a Person but for what they need of now.
const personColumns = `u.id, u.username, u.first_name, u.last_name, u.email, u.student_id, u.role, u.signed_in_at,
	u.disabled_at IS NOT NULL AS disabled, u.erased_at IS NOT NULL AS erased,
	(u.opened_at IS NOT NULL OR u.password_hash IS NOT NULL) AS opened,
	EXISTS (SELECT 1 FROM second_factors f WHERE f.user_id = u.id AND f.confirmed_at IS NOT NULL) AS factor,
	(SELECT e.due_at FROM erasures e WHERE e.user_id = u.id) AS erasure_at,
	(SELECT count(*) FROM projects p WHERE p.user_id = u.id AND p.enrolled)
		+ (SELECT count(*) FROM unit_roles r WHERE r.user_id = u.id AND NOT EXISTS (SELECT 1 FROM projects p
			WHERE p.user_id = r.user_id AND p.unit_id = r.unit_id AND p.enrolled)) AS units`

// People lists the people that are looked for and tells how many there are: of all the number, of some up to
// MostCounted. It takes four statements at most, whatever their number. It is for holders of
// policy.SeeAccounts.
func People(ctx context.Context, q db.Q, s PeopleSearch) ([]Person, int64, error) {
	p, err := s.query(ctx, q)
	if err != nil {
		return nil, 0, fmt.Errorf("look for people: %w", err)
	}
	first := ""
	if s.State == AccountActive && p.with == "" {
		first = " ORDER BY u.name_key, u.id" // or SQLite goes through all who never signed in before
	}
	count := fmt.Sprintf(`%sSELECT count(*) FROM (SELECT 1%s%s LIMIT %d) x`, p.prefix(), p.from(), first, MostCounted)
	if s.all() {
		count = `SELECT ` + countAccounts
	}
	total, err := db.One[int64](ctx, q, count, p.args...)
	if err != nil {
		return nil, 0, fmt.Errorf("count people: %w", err)
	}
	order, limit, offset := s.Order, s.Page.Limit(), s.Page.Offset()
	if s.all() && offset > *total/2 { // the end is nearer: it is read backwards
		limit = min(limit, max(*total-offset, 0))
		order, offset = order.reversed(), max(*total-offset-limit, 0)
	}
	text := fmt.Sprintf(`%sSELECT u.id%s ORDER BY %s LIMIT %s OFFSET %s`, p.prefix(), p.from(), order.columns(),
		p.arg(limit), p.arg(offset))
	list, err := db.All[Person](ctx, q, `SELECT `+personColumns+`, `+p.locked(q.Now())+` AS locked FROM (`+text+`) AS o
		JOIN users u ON u.id = o.id ORDER BY `+s.Order.columns(), p.args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list people: %w", err)
	}
	for i := range list {
		list[i].tell()
	}
	return list, *total, nil
}

// all tells whether nobody is left out but those who were erased.
func (s PeopleSearch) all() bool {
	return s.Role == 0 && s.State == "" && s.UnitID == 0 && !s.NoFactor && !s.Erasing && len(soughtWords(s.Text)) == 0
}

// countAccounts counts all accounts but erased ones: the engines count a whole table faster than a part.
const countAccounts = `(SELECT count(*) FROM users) - (SELECT count(*) FROM users WHERE erased_at IS NOT NULL)`

// PersonByID reads one of them, erased or not. It fails with fault.Missing where there is none.
func PersonByID(ctx context.Context, q db.Q, id int64) (*Person, error) {
	one, err := db.OneOf[Person](ctx, q, "user", `SELECT `+personColumns+`, EXISTS (SELECT 1 FROM throttles b
		WHERE b.user_id = u.id AND b.blocked_until > $2) AS locked FROM users u WHERE u.id = $1`, id, q.Now())
	if err != nil {
		return nil, err
	}
	one.tell()
	return one, nil
}

// PeopleCounts are the accounts of the service by how they stand, those of a kind counted up to MostCounted.
type PeopleCounts struct {
	Accounts int64 `db:"accounts" json:"accounts" doc:"that were not erased"`
	Invited  int64 `db:"invited" json:"invited" doc:"that nobody has opened yet"`
	Locked   int64 `db:"locked" json:"locked" doc:"at which so many tries failed that some must wait"`
	Disabled int64 `db:"disabled" json:"disabled"`
	NoFactor int64 `db:"no_factor" json:"without_second_factor" doc:"of those who may teach or more"`
	Erasures int64 `db:"erasures" json:"erasures" doc:"that wait"`
}

// CountPeople counts the accounts, for holders of policy.SeeAccounts.
func CountPeople(ctx context.Context, q db.Q) (*PeopleCounts, error) {
	return db.One[PeopleCounts](ctx, q, `SELECT
		`+countAccounts+` AS accounts,
		(SELECT count(*) FROM (SELECT 1 FROM users u WHERE u.erased_at IS NULL AND u.disabled_at IS NULL
			AND u.opened_at IS NULL AND u.password_hash IS NULL LIMIT $2) x) AS invited,
		(SELECT count(DISTINCT b.user_id) FROM throttles b JOIN users u ON u.id = b.user_id
			WHERE b.user_id IS NOT NULL AND b.blocked_until > $1 AND u.disabled_at IS NULL) AS locked,
		(SELECT count(*) FROM (SELECT 1 FROM users u WHERE u.erased_at IS NULL AND u.disabled_at IS NOT NULL LIMIT $2) x)
			AS disabled,
		(SELECT count(*) FROM (SELECT 1 FROM users u WHERE u.erased_at IS NULL AND `+withoutFactor+` LIMIT $2) x)
			AS no_factor,
		(SELECT count(*) FROM erasures) AS erasures`, q.Now(), MostCounted)
}
