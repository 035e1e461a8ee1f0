package admin

import (
	"cmp"
	"context"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) auditRoutes() {
	page.Show(s.Site, links.AdminAudit, policy.ReadAudit, "Who did what", s.audit)
	page.Form(s.Site, links.AdminAudit+"/verification", policy.VerifyAudit, "Have the audit log verified", s.verifyAudit,
		endpoint.Audited(audit.Job))
	endpoint.Route(s.Server, "GET "+links.AdminAudit+"/sheet", http.StatusOK, policy.ReadAudit,
		"Who did what, as a sheet", s.auditSheet, endpoint.Audited(audit.Export), endpoint.Made("text/csv"))
}

// auditIn is what narrows the audit log, as it is typed.
type auditIn struct {
	Kind   audit.Kind `param:"kind"`
	Actor  string     `param:"actor"` // a user name
	User   string     `param:"user"`
	Unit   string     `param:"unit"` // a code
	From   string     `param:"from"`
	To     string     `param:"to"` // the last day
	Before int64      `param:"before"`
}

// auditPage is the audit log.
type auditPage struct {
	Typed    auditIn
	Wrong    map[string]string
	Kinds    []option
	Rows     template.HTML // what entryLines drew
	Older    string        // address of the entries before these; empty: there are none
	Newest   string        // address of the newest ones, where these are not
	Sheet    string
	Filtered bool
	Verified *usecase.Verification
}

// filter reads what narrows the list. What cannot be found is told at its field.
func (s *room) auditFilter(ctx context.Context, q db.Q, in *auditIn) (f audit.Filter, wrong map[string]string, err error) {
	wrong = map[string]string{}
	if slices.Contains(audit.Kinds(), in.Kind) {
		f.Kind = in.Kind
	}
	for name, one := range map[string]struct {
		typed string
		to    *int64
	}{"actor": {in.Actor, &f.ActorID}, "user": {in.User, &f.UserID}} { // two
		if one.typed = strings.TrimSpace(one.typed); one.typed == "" {
			continue
		}
		u, err := ident.ByUsername(ctx, q, one.typed)
		if fault.Is(err, fault.Missing) {
			wrong[name] = s.Word("audit.no-person")
			continue
		}
		if err != nil {
			return f, nil, err
		}
		*one.to = u.ID
	}
	if code := strings.TrimSpace(in.Unit); code != "" {
		if f.Units, err = course.UnitsWithCode(ctx, q, code, mostUnitsOfCode); err != nil {
			return f, nil, err
		}
		if len(f.Units) == 0 {
			wrong["unit"] = s.Word("audit.no-unit")
		}
	}
	f.From, f.To = s.auditDay(in.From, 0, "from", wrong), s.auditDay(in.To, 1, "to", wrong)
	f.Before = max(in.Before, 0)
	return f, wrong, nil
}

// mostUnitsOfCode bounds how many units of one code are looked for: one of every period of some years.
const mostUnitsOfCode = 50

// auditDay reads a day as the moment it begins, or one of the days after it does.
func (s *room) auditDay(text string, days int, name string, wrong map[string]string) *clock.Time {
	if text == "" {
		return nil
	}
	day, err := clock.ParseDate(text)
	if err != nil {
		wrong[name] = s.Word("audit.no-day")
		return nil
	}
	at := clock.At(day.AddDays(days).Time)
	return &at
}

func (in *auditIn) query() url.Values {
	return filled("kind", string(in.Kind), "actor", in.Actor, "user", in.User, "unit", in.Unit, "from", in.From, "to", in.To)
}

func (s *room) audit(ctx context.Context, who *access.Caller, in auditIn) (*page.Page, error) {
	v := &auditPage{Typed: in}
	err := s.DB.View(ctx, func(q db.Q) error {
		f, wrong, err := s.auditFilter(ctx, q, &in)
		if v.Wrong = wrong; err != nil {
			return err
		}
		if len(wrong) == 0 {
			list, err := audit.Newest(ctx, q, f, rowsAtOnce+1)
			if err != nil {
				return err
			}
			if len(list) > rowsAtOnce {
				list = list[:rowsAtOnce]
				v.Older = withBefore(in.query(), list[rowsAtOnce-1].Seq)
			}
			rows, err := s.entries(ctx, q, list)
			if err != nil {
				return err
			}
			v.Rows = s.entryLines(rows)
		}
		v.Verified, err = usecase.AuditVerification(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	query := in.query()
	v.Filtered = len(query) > 0
	v.Sheet = links.AdminAudit + "/sheet?" + query.Encode()
	if in.Before > 0 {
		v.Newest = links.AdminAudit + "?" + query.Encode()
	}
	v.Kinds = append(v.Kinds, option{"", s.Word("audit.all-kinds"), in.Kind == ""})
	for _, k := range audit.Kinds() {
		v.Kinds = append(v.Kinds, option{string(k), s.Word(auditKey(k)), k == in.Kind})
	}
	slices.SortFunc(v.Kinds[1:], func(a, b option) int { return strings.Compare(a.Text, b.Text) })
	return s.Titled(who, "audit", s.Word("audit.title"), v), nil
}

// withBefore is the address of the entries before a number.
func withBefore(query url.Values, seq int64) string {
	query.Set("before", strconv.FormatInt(seq, 10))
	return links.AdminAudit + "?" + query.Encode()
}

// auditSheet streams what the filters choose, all of it.
func (s *room) auditSheet(ctx context.Context, _ *access.Caller, in auditIn) (*endpoint.File, error) {
	f, wrong, err := s.auditFilter(ctx, s.DB.Pool(), &in)
	if err == nil && len(wrong) > 0 {
		err = fault.New(fault.Invalid, "No entry can match: check the filters.")
	}
	if err != nil {
		return nil, err
	}
	f.Before = 0
	return &endpoint.File{Name: "audit.csv", Type: "text/csv; charset=utf-8", Attachment: true,
			Write: func(w io.Writer) error { return audit.WriteSheet(w, audit.All(ctx, s.DB, f)) }},
		s.Usecases.Exported(ctx, "audit")
}

func (s *room) verifyAudit(ctx context.Context, _ *access.Caller, _ struct{}) (endpoint.Drawing, error) {
	if _, err := s.Usecases.VerifyAudit(ctx); err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: links.AdminAudit}, nil
}

// Verifying tells whether the log is being verified.
func (v *auditPage) Verifying() bool {
	return v.Verified.AskedAt != nil && v.Verified.FinishedAt == nil
}

// IsSound tells whether nothing was found wrong.
func (v *auditPage) IsSound() bool { return v.Verified.Sound != nil && *v.Verified.Sound }

// entryRow is an entry of the audit log in words.
type entryRow struct {
	audit.Record
	Actor string // who did it; empty: the service itself, or a visitor
	User  string // whom it concerns, where that is somebody else
	Unit  string
	Kind  string
	What  string
}

// entryLines draws entries as the rows of the table.
func (s *room) entryLines(rows []entryRow) template.HTML {
	var r page.Rows
	actor, kind, what := s.Word("audit.actor"), s.Word("audit.kind"), s.Word("audit.what")
	user, unit, address := s.Word("audit.user"), s.Word("audit.unit"), s.Word("audit.address")
	service := s.Word("health.the-service")
	for i := range rows {
		one := &rows[i]
		seq, from := strconv.FormatInt(one.Seq, 10), ""
		if one.Address != nil {
			from = *one.Address
		}
		r.Put(`<tr id="entry-%s"><th scope="row"><time datetime="%s" data-as="at"></time>`, seq, one.At.String())
		r.Put(` <small class="below">%s</small></th><td data-label="%s"><bdi>%s</bdi></td>`, seq, actor,
			cmp.Or(one.Actor, service))
		r.Put(`<td data-label="%s">%s</td><td data-label="%s"><span><bdi>%s</bdi>`, kind, one.Kind, what, one.What)
		if len(one.Fields) > 0 { // the names of those that changed
			r.Put(` <small class="below"><bdi>%s</bdi></small>`, strings.Join(one.Fields, ", "))
		}
		r.Put(`</span></td><td data-label="%s"><bdi>%s</bdi></td><td data-label="%s"><bdi>%s</bdi></td>`, user, one.User,
			unit, one.Unit)
		r.Put("<td data-label=\"%s\"><bdi>%s</bdi></td></tr>\n", address, from)
	}
	return r.HTML()
}

// auditKeys are the words for kinds of entries.
func auditKeys() (list []string) {
	for _, k := range audit.Kinds() {
		list = append(list, auditKey(k))
	}
	return list
}

func auditKey(k audit.Kind) string { return "audit.kind-" + strings.ReplaceAll(string(k), "_", "-") }

// entries puts entries into words, with the names of whom they are about.
func (s *room) entries(ctx context.Context, q db.Q, list []audit.Record) ([]entryRow, error) {
	var people, units []int64
	for i := range list {
		people, units = append(people, list[i].ActorID, list[i].UserID), append(units, list[i].UnitID)
	}
	names, err := usecase.NamesOf(ctx, q, people, units)
	if err != nil {
		return nil, err
	}
	rows := make([]entryRow, len(list))
	for i, r := range list {
		rows[i] = entryRow{Record: r, Actor: names.Person(r.ActorID), Unit: names.Unit(r.UnitID),
			Kind: s.Word(auditKey(r.Kind)), What: strings.ReplaceAll(r.Action, "_", " ")}
		if r.UserID != r.ActorID {
			rows[i].User = names.Person(r.UserID)
		}
	}
	return rows, nil
}
