package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"lectern/internal/connect/notify"
	"lectern/internal/ground/clock"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/people/sso/saml"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/events"
	"lectern/internal/platform/files"
	"lectern/internal/platform/mail"
	"lectern/internal/teaching/similarity"
	"lectern/internal/usecase"
	"lectern/internal/usecase/settingstest"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
	"lectern/internal/web/live"
	"lectern/internal/web/signin"
)

// A world is a small university with a server in front of it. Its people:
//
//	admin                            Admin, employed nowhere
//	convenor, tutor                  staff of unit A
//	student, mate, other             enrolled in A; student and mate share a group
//	withdrawn                        withdrawn from A
//	both                             a Tutor who teaches A and studies it
//	convenorB, tutorB, studentB      the same in unit B
//	outsider                         a Student in no unit
//
// The names double as user names. Records are known by names too: w.id["unitA"].
type world struct {
	testing.TB
	api    *Server
	db     *db.DB
	now    time.Time // what the server takes for the present
	id     map[string]int64
	tokens map[string]string
	// resting is the clock of allowances. People rest for an hour between any two
	// requests, unless a test is about allowances: it sets another.
	resting  func() time.Time
	settings settingstest.Keeper
	// allTables is the statement of allRows, made when it is first asked for.
	allTables string
}

// each runs f on a fresh world over each engine, on both at once.
func each(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	dbtest.Engines(t, func(t *testing.T, engine string) { f(t, newWorld(t, engine)) })
}

// eachAlone is each for what is measured: one engine after the other.
func eachAlone(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { f(t, newWorld(t, engine)) })
	}
}

func newWorld(t testing.TB, engine string) *world {
	t.Helper()
	return newWorldAt(t, dbtest.Address(t, engine), t.TempDir())
}

// newWorldAt makes a world with its database at an address and its files in dir.
func newWorldAt(t testing.TB, address, dir string) *world {
	t.Helper()
	w := &world{TB: t, now: clock.Real(), id: map[string]int64{}, tokens: map[string]string{}}
	var hours atomic.Int64
	w.resting = func() time.Time { return time.Unix(3600*hours.Add(1), 0) }
	var err error
	w.db, err = db.Open(address, db.Options{Clock: func() time.Time { return w.now }, Readers: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.db.Close() })
	store, err := files.Open(t.Context(), filepath.Join(dir, "files"))
	if err != nil {
		t.Fatal(err)
	}
	provider, err := saml.New(t.Context(), w.db, saml.Config{EntityID: "https://learn.example.edu/saml",
		Consumer: "https://learn.example.edu/api/auth/jwt", Log: slog.New(slog.DiscardHandler)}) // not reached yet
	if err != nil {
		t.Fatal(err)
	}
	over, end := context.WithCancel(t.Context())
	end() // no request to this server goes on for ever
	w.settings.Path = filepath.Join(dir, "settings.env")
	uses := usecase.New(usecase.Config{DB: w.db, Files: store, PublicURL: "https://learn.example.edu/",
		Passwords:  ident.NewPasswords(w.db, ident.Limits{Patience: 2 * time.Minute}), // the machine may be busy
		Mailer:     w.mailer(t.TempDir()),
		Keeper:     &w.settings,
		Similarity: &similarity.Service{DB: w.db, Files: store, Log: slog.New(slog.DiscardHandler)}})
	w.api = New(Config{
		Config: endpoint.Config{DB: w.db, HTTP: quiet(), Spool: filepath.Join(dir, "spool"), Version: "test",
			Asked: w.declared, Now: func() time.Time { return w.resting() }},
		Usecases: uses, SignIn: signin.New(signin.Config{Usecases: uses, SAML: provider}),
		Events: live.New(live.Config{DB: w.db, Hub: events.NewHub(w.db, slog.New(slog.DiscardHandler), 0), Until: over}),
	})
	if err := w.db.Tx(t.Context(), func(q db.Q) error { return w.seed(t.Context(), q) }); err != nil {
		t.Fatal(err)
	}
	return w
}

// quiet is a server that logs nowhere.
func quiet() *httpserver.Server {
	return httpserver.New(httpserver.Config{Log: slog.New(slog.DiscardHandler)})
}

// mailer writes emails to files in dir.
func (w *world) mailer(dir string) *notify.Mailer {
	w.Helper()
	sender, err := mail.NewDirectory(dir)
	if err != nil {
		w.Fatal(err)
	}
	m, err := notify.NewMailer(context.Background(), w.db, slog.New(slog.DiscardHandler),
		notify.Config{Sender: sender, Product: "Lectern", PublicURL: "https://learn.example.edu",
			From: "lectern@example.edu"})
	if err != nil {
		w.Fatal(err)
	}
	return m
}

var people = map[string]policy.Role{
	"admin": policy.Admin, "convenor": policy.Convenor, "tutor": policy.Tutor, "student": policy.Student,
	"mate": policy.Student, "other": policy.Student, "withdrawn": policy.Student, "both": policy.Tutor,
	"convenorB": policy.Convenor, "tutorB": policy.Tutor, "studentB": policy.Student, "outsider": policy.Student,
}

// seed fills the university. Unit A runs from eight weeks ago to six weeks from
// now in the period T1, whose break is still to come; unit B stands beside it.
func (w *world) seed(ctx context.Context, q db.Q) error {
	for _, name := range sortedKeys(people) {
		if err := w.person(ctx, q, name, people[name]); err != nil {
			return err
		}
	}
	start := w.monday().AddDays(-56)
	end := start.AddDays(14*7 - 3)
	w.insert(ctx, q, "burwood", "campuses", row{"name": "Burwood", "mode": "automatic", "abbreviation": "B",
		"active": true})
	w.insert(ctx, q, "geelong", "campuses", row{"name": "Geelong", "mode": "manual", "abbreviation": "G",
		"active": true})
	w.insert(ctx, q, "prac", "activity_types", row{"name": "Practical", "abbreviation": "prac"})
	w.insert(ctx, q, "T1", "teaching_periods", row{"period": "T1", "year": w.now.Year(),
		"start_date": clock.At(start.Time),
		"end_date":   clock.At(end.Time), "active_until": clock.At(end.AddDays(14).Time)})
	w.insert(ctx, q, "break", "breaks", row{"teaching_period_id": w.id["T1"], "start_date": start.AddDays(70),
		"number_of_weeks": 1})
	for _, u := range []string{"A", "B"} {
		w.unit(ctx, q, u, start, end)
	}
	w.insert(ctx, q, "alignA", "learning_outcome_links", row{"task_definition_id": w.id["defA2"],
		"learning_outcome_id": w.id["outcomeA"], "rating": 2, "description": "It fits"})
	w.insert(ctx, q, "task", "tasks", row{"project_id": w.id["project:student"], "task_definition_id": w.id["defA1"],
		"unit_id":    w.id["unitA"],
		"created_at": q.Now(), "updated_at": q.Now()})
	w.insert(ctx, q, "set", "group_sets", row{"unit_id": w.id["unitA"], "name": "Teams", "capacity": 3})
	w.insert(ctx, q, "group", "unit_groups", row{"group_set_id": w.id["set"], "tutorial_id": w.id["tutorialA"],
		"name": "Red"})
	for _, name := range []string{"student", "mate"} {
		w.insert(ctx, q, "", "group_memberships", row{"group_set_id": w.id["set"], "unit_group_id": w.id["group"],
			"project_id": w.id["project:"+name]})
	}
	w.insert(ctx, q, "snippet", "snippets", row{"user_id": w.id["tutor"], "unit_id": w.id["unitA"],
		"text": "Quokka again", "text_key": "quokka again", "created_at": q.Now(), "updated_at": q.Now()})
	w.insert(ctx, q, "note", "staff_notes", row{"user_id": w.id["tutor"], "project_id": w.id["project:student"],
		"text": "Quokka note", "created_at": q.Now(), "updated_at": q.Now()})
	w.insert(ctx, q, "verdict", "verdicts", row{"task_id": w.id["task"], "user_id": w.id["tutor"], "at": q.Now(),
		"request_hash": ""})
	w.insert(ctx, q, "batch", "verdict_batches", row{"unit_id": w.id["unitA"], "user_id": w.id["tutor"], "at": q.Now(),
		"request_hash": ""})
	return nil
}

// unit makes unitA or unitB with staff, students, a stream, a tutorial, an
// outcome and two task definitions.
func (w *world) unit(ctx context.Context, q db.Q, u string, start, end clock.Date) {
	suffix := strings.TrimPrefix(u, "A")
	unit := w.insert(ctx, q, "unit"+u, "units", row{"code": "SIT10" + u, "name": "Unit " + u, "description": "About " +
		u,
		"teaching_period_id": w.id["T1"], "start_date": start, "end_date": end, "created_at": q.Now(),
		"updated_at": q.Now()})
	role := func(name string, r policy.Role, main bool) {
		w.insert(ctx, q, "role:"+name, "unit_roles", row{"unit_id": unit, "user_id": w.id[name], "role": int64(r),
			"is_main": main, "created_at": q.Now(), "updated_at": q.Now()})
	}
	role("convenor"+suffix, policy.Convenor, true)
	role("tutor"+suffix, policy.Tutor, false)
	w.insert(ctx, q, "stream"+u, "tutorial_streams", row{"unit_id": unit, "name": "Practical 1",
		"abbreviation": "prac-1", "activity_type_id": w.id["prac"]})
	w.insert(ctx, q, "tutorial"+u, "tutorials", row{"unit_id": unit, "unit_role_id": w.id["role:tutor"+suffix],
		"campus_id":          w.id["burwood"],
		"tutorial_stream_id": w.id["stream"+u], "abbreviation": "LA1", "meeting_day": "Monday", "meeting_time": "10:00",
		"meeting_location": "ATC101", "capacity": 20})
	w.insert(ctx, q, "outcome"+u, "learning_outcomes", row{"unit_id": unit, "ilo_number": 1, "abbreviation": "ILO1",
		"name": "Think", "description": "Think well"})
	for i, abbr := range []string{"1.1P", "1.2C"} {
		w.insert(ctx, q, "def"+u+strconv.Itoa(i+1), "task_definitions", row{"unit_id": unit, "name": "Task " + abbr,
			"abbreviation": abbr, "description": "Do " + abbr,
			"weighting": 4, "target_grade": i, "start_date": start, "target_date": start.AddDays(63 + 7*i),
			"due_date": start.AddDays(84 + 7*i), "tutorial_stream_id": w.id["stream"+u]})
	}
	students := []string{"student" + suffix}
	if u == "A" {
		students = append(students, "mate", "other", "withdrawn", "both")
		role("both", policy.Tutor, false)
	}
	for _, name := range students {
		p := w.insert(ctx, q, "project:"+name, "projects", row{"unit_id": unit, "user_id": w.id[name],
			"campus_id": w.id["burwood"],
			"enrolled":  name != "withdrawn", "target_grade": 1, "created_at": q.Now(), "updated_at": q.Now()})
		w.insert(ctx, q, "", "tutorial_enrolments", row{"project_id": p, "tutorial_id": w.id["tutorial"+u],
			"tutorial_stream_id": w.id["stream"+u]})
	}
}

// monday is the first day of the present week.
func (w *world) monday() clock.Date {
	d := clock.Day(w.now)
	return d.AddDays(-(int(d.Weekday()) + 6) % 7)
}

func (w *world) person(ctx context.Context, q db.Q, name string, r policy.Role) error {
	key := strings.ToLower(name)
	id := w.insert(ctx, q, name, "users", row{"username": name, "username_key": key, "email": key + "@example.edu",
		"email_key":  key + "@example.edu",
		"first_name": strings.ToUpper(key[:1]) + key[1:], "last_name": "Person", "nickname": key, "role": int64(r),
		"created_at": q.Now(), "updated_at": q.Now()})
	token, err := ident.Start(ctx, q, &ident.User{ID: id, Role: r}, true)
	w.tokens[name] = token
	return err
}

type row map[string]any

// insert writes a record and remembers its id by name.
func (w *world) insert(ctx context.Context, q db.Q, name, table string, r row) int64 {
	w.Helper()
	cols := sortedKeys(r)
	args := make([]any, len(cols))
	for i, c := range cols {
		args[i] = r[c]
	}
	list, args := db.List(nil, args)
	id, err := db.One[int64](ctx, q, "INSERT INTO "+table+" ("+strings.Join(cols, ", ")+") VALUES "+list+
		" RETURNING id", args...)
	if err != nil {
		w.Fatalf("insert into %s: %v", table, err)
	}
	if name != "" {
		w.id[name] = *id
	}
	return *id
}

// add is insert in a transaction of its own.
func (w *world) add(name, table string, r row) (id int64) {
	w.Helper()
	if err := w.db.Tx(context.Background(), func(q db.Q) error {
		id = w.insert(context.Background(), q, name, table,
			r)
		return nil
	}); err != nil {
		w.Fatal(err)
	}
	return id
}

// count gives the number of rows that meet a condition.
func (w *world) count(from string, args ...any) int64 {
	w.Helper()
	n, err := db.One[int64](context.Background(), w.db.Pool(), "SELECT count(*) FROM "+from, args...)
	if err != nil {
		w.Fatal(err)
	}
	return *n
}

// path replaces {name} by the id known under it.
func (w *world) path(p string) string {
	for {
		head, rest, ok := strings.Cut(p, "{")
		if !ok {
			return p
		}
		name, tail, _ := strings.Cut(rest, "}")
		id, known := w.id[name]
		if !known {
			w.Fatalf("no record is known as %q", name)
		}
		p = head + strconv.FormatInt(id, 10) + tail
	}
}

// answered is an answer with what tests ask of it.
type answered struct {
	*httptest.ResponseRecorder
	w    *world
	what string
}

// form is a body sent urlencoded, upload one sent as multipart.
type (
	form   map[string]string
	upload struct {
		fields map[string]string
		files  []part
	}
	part struct{ field, name, content string }
)

// do sends "METHOD /path" as a person ("" for a visitor). A body may be nil, a
// form, an upload, text (sent as JSON) or anything that encodes as JSON.
func (w *world) do(as, request string, body any, headers ...string) *answered {
	w.Helper()
	return w.send(w.request(as, request, body, headers...), as+" "+request)
}

// request makes what do sends.
func (w *world) request(as, request string, body any, headers ...string) *http.Request {
	w.Helper()
	method, path, _ := strings.Cut(request, " ")
	content, kind := encode(w, body)
	r := httptest.NewRequest(method, w.path(path), content)
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if as != "" {
		r.Header.Set("Username", as)
		r.Header.Set("Auth_Token", w.tokens[as])
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func (w *world) send(r *http.Request, what string) *answered {
	rec := httptest.NewRecorder()
	w.api.ServeHTTP(rec, r)
	guarded(w, what, rec.Header())
	sentence(w, what, rec)
	w.checkAudit(r, rec)
	w.checkAnswer(r, rec)
	return &answered{rec, w, what}
}

// guarded fails the test where an answer lacks the security headers of its kind:
// no endpoint is left out, as every test sends its requests through here.
func guarded(t testing.TB, what string, h http.Header) {
	t.Helper()
	frame, csp := "DENY", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	if h.Get("Content-Disposition") != "" || strings.HasPrefix(h.Get("Content-Type"), "image/") {
		frame, csp = "SAMEORIGIN", "sandbox; default-src 'none'; style-src 'unsafe-inline'"
	}
	if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" ||
		h.Get("Cross-Origin-Resource-Policy") != "same-origin" || h.Get("X-Frame-Options") != frame ||
		!strings.HasPrefix(h.Get("Content-Security-Policy"), csp) || h.Get("Cache-Control") == "" {
		t.Errorf("%s is not guarded as its kind is: %v", what, h)
	}
}

// sentence fails the test where the text of an error is none: no endpoint is left
// out, as every test sends its requests through here.
func sentence(t testing.TB, what string, rec *httptest.ResponseRecorder) {
	t.Helper()
	if rec.Code < 400 || rec.Header().Get("Content-Type") != "application/json" {
		return
	}
	var e struct {
		Error  string
		Fields map[string]string
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &e); err != nil {
		t.Errorf("%s: %v in %s", what, err, rec.Body)
	}
	first, _ := utf8.DecodeRuneInString(e.Error)
	word, _, _ := strings.Cut(e.Error, " ")
	_, field := e.Fields[word]
	fragment := unicode.IsLower(first) && !field && !strings.ContainsAny(word, "0123456789_[].")
	if fragment || strings.Contains(e.Error, "; ") && len(e.Fields) > 1 || !strings.HasSuffix(e.Error, ".") {
		t.Errorf("%s: %q is no sentence", what, e.Error)
	}
	if told := machineDate.FindString(asSent.ReplaceAllString(e.Error, "")); told != "" {
		t.Errorf("%s: %q tells the date %s as machines do", what, e.Error, told)
	}
}

// machineDate is a date as programs write it, and asSent where a refusal may have one: in an example of
// what to send, or as the caller sent it.
var (
	machineDate = regexp.MustCompile(`\d{4}-\d\d-\d\d`)
	asSent      = regexp.MustCompile(`such as [0-9T:.Z-]+|"[^"]*"`)
)

func encode(w *world, body any) (io.Reader, string) {
	switch b := body.(type) {
	case nil:
		return http.NoBody, ""
	case string:
		return strings.NewReader(b), "application/json"
	case form:
		v := url.Values{}
		for k, s := range b {
			v.Add(k, s)
		}
		return strings.NewReader(v.Encode()), "application/x-www-form-urlencoded"
	case upload:
		return b.encode(w)
	}
	text, err := json.Marshal(body)
	if err != nil {
		w.Fatal(err)
	}
	return bytes.NewReader(text), "application/json"
}

func (u upload) encode(w *world) (io.Reader, string) {
	var buf bytes.Buffer
	m := multipart.NewWriter(&buf)
	for k, v := range u.fields {
		if err := m.WriteField(k, v); err != nil {
			w.Fatal(err)
		}
	}
	for _, p := range u.files {
		f, err := m.CreateFormFile(p.field, p.name)
		if err == nil {
			_, err = io.WriteString(f, p.content)
		}
		if err != nil {
			w.Fatal(err)
		}
	}
	m.Close()
	return &buf, m.FormDataContentType()
}

// status fails the test unless the answer has one of these statuses.
func (a *answered) status(want ...int) *answered {
	a.w.Helper()
	for _, s := range want {
		if a.Code == s {
			return a
		}
	}
	a.w.Fatalf("%s: got %d, want %v: %s", a.what, a.Code, want, a.Body)
	return nil
}

// into decodes the answer.
func (a *answered) into(v any) *answered {
	a.w.Helper()
	if err := json.Unmarshal(a.Body.Bytes(), v); err != nil {
		a.w.Fatalf("%s: %v in %s", a.what, err, a.Body)
	}
	return a
}

// object gives the answer as an object; list as a list of them.
func (a *answered) object() (v map[string]any) { a.w.Helper(); a.into(&v); return v }
func (a *answered) list() (v []map[string]any) { a.w.Helper(); a.into(&v); return v }

// is compares the whole answer with JSON in which «name» stands for an id.
func (a *answered) is(want string) *answered {
	a.w.Helper()
	var got, exp any
	a.into(&got)
	if err := json.Unmarshal([]byte(named(a.w, want)), &exp); err != nil {
		a.w.Fatalf("bad expectation %s: %v", want, err)
	}
	if d := cmp.Diff(exp, got); d != "" {
		a.w.Errorf("%s: (-want +got)\n%s", a.what, d)
	}
	return a
}

// named replaces «name» by the id known under it.
func named(w *world, s string) string {
	for {
		head, rest, ok := strings.Cut(s, "«")
		if !ok {
			return s
		}
		name, tail, _ := strings.Cut(rest, "»")
		id, known := w.id[name]
		if !known {
			w.Fatalf("no record is known as %q", name)
		}
		s = head + strconv.FormatInt(id, 10) + tail
	}
}

// says fails the test unless the error's sentence holds these words.
func (a *answered) says(words ...string) *answered {
	a.w.Helper()
	text, _ := a.object()["error"].(string)
	for _, s := range words {
		if !strings.Contains(text, s) {
			a.w.Errorf("%s: %q does not say %q", a.what, text, s)
		}
	}
	return a
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
