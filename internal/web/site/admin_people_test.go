package site_test

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"lectern/internal/ground/totp"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/usecase/privacy"
)

func init() {
	for _, path := range []string{"", "/new", "/import", "/invitations", "/people.csv", "/{id}", "/{id}/login", "/{id}/sign-out",
		"/{id}/second-factor", "/{id}/disable", "/{id}/export", "/{id}/erase"} {
		pages["GET /admin/people"+path] = [4]int{303, 403, 403, 403}
	}
	for _, path := range []string{"/new", "/import", "/import/plan", "/{id}", "/{id}/login", "/{id}/unlock", "/{id}/invitation",
		"/{id}/password-link", "/{id}/sessions/{session_id}/end", "/{id}/sign-out", "/{id}/second-factor", "/{id}/disable",
		"/{id}/enable", "/{id}/export", "/{id}/erase", "/{id}/erase/cancel"} {
		pages["POST /admin/people"+path] = [4]int{401, 403, 403, 403}
	}
	pages["GET /admin/exports"], pages["POST /admin/exports"] = [4]int{303, 403, 403, 403}, [4]int{401, 403, 403, 403}
}

// recovery gives somebody a second factor and codes by which they prove it, each once.
func (w *world) recovery(name string) (codes []string) {
	w.Helper()
	id := w.one(`SELECT id FROM users WHERE username = '` + name + `'`)
	w.exec(`INSERT INTO second_factors (user_id, secret, created_at, confirmed_at, last_step) VALUES ($1, $2, $3, $3, 0)`, idOf(id),
		totp.NewSecret(), w.db.Now())
	for i := range 4 {
		code := fmt.Sprintf("ABCDEFGHIJKLMNO%d", i)
		codes = append(codes, code)
		w.exec(`INSERT INTO recovery_codes (user_id, code_hash) VALUES ($1, $2)`, idOf(id), ident.HashToken(code))
	}
	return codes
}

func idOf(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// who is the id of somebody, and their page.
func (w *world) who(name string) (id, at string) {
	w.Helper()
	id = w.one(`SELECT id FROM users WHERE username = '` + name + `'`)
	return id, "/admin/people/" + id
}

// exported makes the archive of a person that was asked for last.
func (w *world) exportedPerson(name string) {
	w.Helper()
	id, _ := w.who(name)
	e := privacy.Exporter{DB: w.db, Files: w.uses.Files}
	job := idOf(w.one(`SELECT job_id FROM person_exports WHERE user_id = ` + id))
	by := idOf(w.one(`SELECT asked_by FROM person_exports WHERE user_id = ` + id))
	if err := e.MakeForAdmin(w.Context(), jobs.Job{ID: job, Attempt: 1, MaxAttempts: 3},
		privacy.PersonExportArgs{UserID: idOf(id), AskedBy: by}); err != nil {
		w.Fatal(err)
	}
}

// erasedWhenDue lets the day of an erasure pass, and does it.
func (w *world) erasedWhenDue(name string) {
	w.Helper()
	id, _ := w.who(name)
	job := idOf(w.one(`SELECT job_id FROM erasures WHERE user_id = ` + id))
	w.exec(`UPDATE erasures SET due_at = $1`, w.db.Now())
	if err := (&privacy.Eraser{DB: w.db}).Do(context.Background(), jobs.Job{ID: job, Attempt: 1, MaxAttempts: 10},
		privacy.ErasureArgs{UserID: idOf(id)}); err != nil {
		w.Fatal(err)
	}
}

func TestPeopleAreFoundAndNarrowed(t *testing.T) {
	each(t, func(w *world) {
		w.twoUnits()
		ada := w.as("ada")
		if err := ident.FillWords(w.Context(), w.db); err != nil {
			t.Fatal(err)
		}
		ada.do("/admin/people", nil).status(200).says(">ann<").says(">tom<").says("accounts").says("Administrator")
		ada.do("/admin/people?text=ann", nil).status(200).says(">ann<").lacks(">tom<")
		ada.do("/admin/people?text=nobody", nil).status(200).says("Nobody matches")
		ada.do("/admin/people?role=Admin", nil).status(200).says(">ada<").lacks(">ann<")
		ada.do("/admin/people?state=disabled", nil).status(200).lacks(">ann<")
		ada.do("/admin/people?unit=nothing-such", nil).status(200).says("Nobody matches")
		code := w.one(`SELECT code FROM units ORDER BY id LIMIT 1`)
		ada.do("/admin/people?unit="+url.QueryEscape(strings.ToLower(code)), nil).status(200).says(">ann<").lacks(">bob<")
		ada.do("/admin/people?sort=-sign_in&page=7&role=x&state=y", nil).status(200)
	})
}

func TestOnePersonIsLookedAfter(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administrator()
		_, at := w.who("ann")
		ada.do(at, nil).status(200).says(`<h2 id="details">`).says(`<h2 id="access">`).says(`<h2 id="sessions">`)
		form := func(first, seen string) url.Values {
			return url.Values{"first_name": {first}, "seen[first_name]": {seen}, "last_name": {"Lee"}, "seen[last_name]": {"Lee"}}
		}
		name := w.one(`SELECT first_name FROM users WHERE username = 'ann'`)
		ada.do(at, form("Bea", name)).status(303).leadsTo(at + "?done=saved")
		ada.do(at, form("Cia", name)).status(409).says("was changed in the meantime: it is &#34;Bea&#34;").says(`value="Cia"`).
			says(`name="seen[first_name]" value="Bea"`)
		ada.do(at, form("", "Bea")).status(422)
		ada.do(at+"/password-link", url.Values{}).status(200).says("/password?token=")
		ada.do(at+"/disable", nil).status(200).says("Nothing is deleted")
		ada.do(at+"/disable", url.Values{}).status(303)
		ada.do(at, nil).says("Disabled").says("Enable account")
		ada.do(at+"/password-link", url.Values{}).status(409)
		ada.do(at+"/enable", url.Values{}).status(303)
		ada.do(at+"/second-factor", url.Values{}).status(404)
		other, _ := w.who("tom")
		ada.do(at+"/login", url.Values{"to_user_id": {other}}).status(409).says("no login id")
		ada.do("/admin/people/99999", nil).status(404)
		_, own := w.who("ada")
		ada.do(own, nil).status(200).lacks("Erase person").lacks(own + "/disable")
		ada.do(own+"/disable", url.Values{}).status(409)
	})
}

// A person who left is erased, that is cancelled, and they are erased after all.
func TestAPersonWhoLeftIsErased(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administrator()
		_, at := w.who("ann")
		ada.do(at+"/erase", nil).status(200).says("You need two-factor sign-in").lacks(`name="otp"`)
		codes := w.recovery("ada")
		ada.do(at+"/erase", nil).status(200).says("can cancel it").says(`name="otp"`)
		ada.do(at+"/erase", url.Values{"otp": {"nonsense"}, "files": {"true"}}).status(422).says(`value="true" checked`)
		ada.do(at+"/erase", url.Values{"otp": {codes[0]}}).status(303).leadsTo(at + "?done=erasure")
		ada.do(at, nil).status(200).says("Will be erased on").says("Cancel erasure")
		ada.do("/admin/people", nil).says("Waiting to be erased")
		ada.do("/admin/people?leave=waits", nil).says(">ann<").lacks(">tom<")
		ada.do(at+"/erase/cancel", url.Values{}).status(303)
		ada.do(at+"/erase/cancel", url.Values{}).status(404)
		ada.do(at+"/erase", url.Values{"otp": {codes[1]}}).status(303)
		w.erasedWhenDue("ann")
		ada.do(at, nil).status(200).says("was erased on").lacks(">ann<").lacks(at + "/erase\"")
		ada.do(at+"/erase", nil).status(200).says("erased already")
		w.exec(`UPDATE sessions SET created_at = '2020-01-01T00:00:00.000000Z'`)
		_, tom := w.who("tom")
		ada.do(tom+"/erase", nil).status(200).says("Sign in again").lacks(`name="otp"`)
		ada.do(tom+"/export", url.Values{"otp": {codes[2]}}).status(403)
	})
}

func TestThePersonsArchiveIsTakenOnce(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administrator()
		codes := w.recovery("ada")
		_, at := w.who("ann")
		ada.do(at+"/export", nil).status(200).says("works once, within an hour")
		ada.do(at+"/export", url.Values{"otp": {"nonsense"}}).status(422)
		to := ada.do(at+"/export", url.Values{"otp": {codes[0]}}).status(303).Header().Get("Location")
		ada.do(to, nil).status(200).says("being made").lacks(`name="token"`)
		w.exportedPerson("ann")
		_, token, _ := strings.Cut(to, "token=")
		ada.do(to, nil).status(200).says("The archive is ready")
		if a := ada.do("/admin/exports", url.Values{"token": {token}}).status(200); !strings.HasPrefix(a.Body.String(), "PK") {
			t.Errorf("no archive: %v", a.Header())
		}
		ada.do("/admin/exports", url.Values{"token": {token}}).status(404)
		ada.do(to, nil).status(404)
		ada.do("/admin/exports", nil).status(200).says("Export the data on the page of a person")
	})
}

const peopleSheet = "username,email,first_name,last_name,role\nzed,zed@example.edu,Zed,<b>,Student\nann,ann@example.edu,A,N,Student\n" +
	"bad,,,,King\n"

func TestPeopleComeInByASheet(t *testing.T) {
	each(t, func(w *world) {
		w.administrator()
		ada := w.reader("ada")
		ada.open("/admin/people/import").does(act{form: "/import/plan", files: map[string]string{"file": peopleSheet}}).
			sees("1 account will be created").sees("1 line cannot be imported").sees("No change")
		if w.one(`SELECT count(*) FROM users WHERE username = 'zed'`) != "0" {
			t.Fatal("a plan made an account")
		}
		w.exec(`INSERT INTO users (username, username_key, email, email_key, first_name, last_name, role, created_at, updated_at)
			VALUES ('zed', 'zed', 'z@example.edu', 'z@example.edu', 'Z', 'Z', 1, $1, $1)`, w.db.Now())
		ada.does(act{form: "/import"}).sees("Something changed since you reviewed the sheet")
		w.exec(`DELETE FROM users WHERE username = 'zed'`)
		ada.open("/admin/people/import").does(act{form: "/import/plan", files: map[string]string{"file": peopleSheet}}).
			does(act{form: "/import"}).sees("1 account was created")
		ada.do("/admin/people/import", url.Values{"sheet": {"nonsense"}}).status(400)
		ada.open("/admin/people/new").does(act{form: "/new", fill: map[string]string{"username": "yan", "first_name": "Yan",
			"last_name": "<i>", "email": "yan@example.edu", "system_role": "Tutor"}}).sees("Added:").lacks("<i>")
		ada.do("/admin/people/new", url.Values{"username": {"yan"}, "first_name": {"Y"}, "last_name": {"Z"},
			"email": {"yan@example.edu"}}).status(409)
		ada.do("/admin/people/new", url.Values{"username": {""}}).status(422)
	})
}

// looksAfterPeople does all that administrators do to people, without a script.
func (r *reader) looksAfterPeople() {
	r.Helper()
	r.signedUp("una", "una@example.edu")
	_, una := r.who("una")
	_, tom := r.who("tom")
	codes := r.recovery("ada")
	r.open("/admin/people").does(act{form: "/people", fill: map[string]string{"text": "una"}}).sees(">una<")
	r.open("/admin/people/new").does(act{form: "/new", fill: map[string]string{"username": "ina", "first_name": "Ina",
		"last_name": "Lee", "email": "ina@example.edu"}}).sees("Added:")
	r.open("/admin/people/import").does(act{form: "/import/plan", files: map[string]string{"file": peopleSheet}}).
		does(act{form: "/import"}).sees("1 account was created")
	r.open("/admin/people/import").does(act{form: "/import/plan", files: map[string]string{"file": peopleSheet}})
	_, ina := r.who("ina")
	r.exec(`DELETE FROM invitations`)
	r.open(ina).does(act{form: "/invitation"}).sees("The invitation is on its way")
	r.open(una).does(act{form: una, fill: map[string]string{"last_name": "Noa", "login_id": "u-1"}}).sees("Saved.")
	r.open(una).does(act{form: "/password-link"}).sees("/password?token=")
	r.open(una + "/login").does(act{form: "/login", fill: map[string]string{"to": "ina"}}).
		does(act{form: "/login", press: "Move institution login"}).sees("The institution login is on this account now")
	id, _ := r.who("una")
	r.exec(`INSERT INTO throttles (name, failures, since, blocked_until, user_id) VALUES ('x', 20, $1, '2999-01-01T00:00:00.000000Z',
		$2)`, r.db.Now(), idOf(id))
	r.open(una).does(act{form: "/unlock"}).sees("Unlocked")
	r.as("tom")
	r.open(tom).does(act{form: "/end"}).sees("Signed out.")
	r.as("tom")
	r.open(tom + "/sign-out").does(act{form: tom + "/sign-out"}).sees("Signed out everywhere")
	r.recovery("tom")
	r.open(tom + "/second-factor").does(act{form: "/second-factor"}).sees("Two-factor sign-in is off")
	r.open(una + "/disable").does(act{form: "/disable"}).does(act{form: "/enable"}).sees("The account is enabled")
	r.open(una + "/export").does(act{form: "/export", fill: map[string]string{"otp": codes[0]}}).sees("being made")
	r.exportedPerson("una")
	if r.follows("Check").does(act{form: "/exports"}); !strings.HasPrefix(r.text, "PK") {
		r.Errorf("no archive: %.20q", r.text)
	}
	r.open(una + "/erase").does(act{form: "/erase", fill: map[string]string{"otp": codes[1]}}).sees("Will be erased on")
	r.open(una + "/erase").does(act{form: "/cancel"}).sees("The erasure is cancelled")
	r.open(una + "/erase").does(act{form: "/erase", fill: map[string]string{"otp": codes[2]}}).
		does(act{form: "/cancel"}).sees("The erasure is cancelled")
}

// signedUp makes an account that nobody opened yet.
func (w *world) signedUp(name, email string) {
	w.Helper()
	if err := w.db.Tx(w.Context(), func(q db.Q) error {
		_, err := ident.Add(w.Context(), q, ident.NewUser{Username: name, Email: email, FirstName: "Una", LastName: "Lee", Role: 1})
		return err
	}); err != nil {
		w.Fatal(err)
	}
}
