package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/web/signin"
)

var _ = rights(
	rightRow{"POST /api/auth", "", "everybody", `{"username":"nobody"}`}, // without a password: 400, never 401
	rightRow{"PUT /api/auth", "", "users", nil},
	rightRow{"DELETE /api/auth", "", "users", nil},
	rightRow{"GET /api/auth/method", "", "everybody", nil},
	rightRow{"GET /api/auth/signout_url", "", "everybody", nil},
	rightRow{"POST /api/auth/email", "", "everybody", `{"token":"none"}`},
	rightRow{"POST /api/auth/password", "", "everybody", `{"token":"none","password":"long enough"}`},
)

const secret = "correct horse"

// sealedSecret is secret as it is stored; one hash serves all tests.
var sealedSecret = sync.OnceValues(func() (string, error) {
	return ident.NewPasswords(nil, ident.Limits{}).Seal(context.Background(), secret)
})

// password gives people the password secret.
func (w *world) password(names ...string) {
	w.Helper()
	sealed, err := sealedSecret()
	if err != nil {
		w.Fatal(err)
	}
	list, args := db.In([]any{sealed}, names)
	if err := w.db.Tx(context.Background(), func(q db.Q) error {
		_, err := db.Exec(context.Background(), q, `UPDATE users SET password_hash = $1 WHERE username IN `+list,
			args...)
		return err
	}); err != nil {
		w.Fatal(err)
	}
}

// signIn signs a person in and keeps the token under their name.
func (w *world) signIn(name, password string) *answered {
	w.Helper()
	a := w.do("", "POST /api/auth", form{"username": name, "password": password}).status(201)
	w.tokens[name] = a.object()["auth_token"].(string)
	return a
}

func TestSignIn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student")
		user := w.do("student", "GET /api/users/{student}", nil).status(200).object()
		in := w.do("", "POST /api/auth", form{"username": " STUDENT ", "password": secret}).status(201).object()
		if fmt.Sprint(in["user"]) != fmt.Sprint(user) || len(in["auth_token"].(string)) < 20 || len(in) != 2 {
			t.Errorf("got %v, want the user %v and a token", in, user)
		}
		if w.count("sessions WHERE token_hash = $1", in["auth_token"]) != 0 {
			t.Error("the token is stored as it is")
		}
		users := w.count("users")
		for _, body := range []form{
			{"username": "student", "password": "wrong"}, {"username": "nobody", "password": secret},
			{"username": "mate", "password": ""}, {"username": "mate", "password": secret},
			{"username": "", "password": ""},
		} {
			w.do("", "POST /api/auth", body).status(401).says("username or the password")
		}
		if w.count("users") != users {
			t.Error("a failed sign-in made an account")
		}
		w.do("", "POST /api/auth", `{}`).status(400).says("username is required", "password is required")
		w.do("", "POST /api/auth", `{"username":"student","password":null}`).status(400).says("password is required")
	})
}

func TestStudentNumberWithItsLetter(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, name := range []string{"1234567x", "s7654321", "7654321"} {
			w.do("admin", "POST /api/users", newUser(name, "Student")).status(201)
			w.password(name)
		}
		for typed, name := range map[string]string{"S1234567X": "1234567x", "s7654321": "s7654321",
			"7654321": "7654321"} {
			got := w.do("", "POST /api/auth", form{"username": typed,
				"password": secret}).status(201).object()["user"].(map[string]any)
			if got["username"] != name {
				t.Errorf("%s became %v", typed, got["username"])
			}
		}
	})
}

func TestSessionLifetimes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		hour, day := time.Hour, 24*time.Hour
		for _, c := range []struct {
			who      string
			remember bool
			life     time.Duration
		}{{"student", false, 2 * hour}, {"student", true, 14 * day}, {"tutor", true, 7 * day},
			{"convenor", true, 2 * hour}, {"admin", true, 2 * hour}} {
			start := w.now
			w.password(c.who)
			w.tokens[c.who] = w.do("", "POST /api/auth", map[string]any{"username": c.who, "password": secret,
				"remember": c.remember}).
				status(201).object()["auth_token"].(string)
			w.now = start.Add(c.life - time.Second)
			w.do(c.who, "GET /api/users/{"+c.who+"}", nil).status(200)
			w.now = start.Add(c.life)
			w.do(c.who, "GET /api/users/{"+c.who+"}", nil).status(401).says("ended")
			w.do(c.who, "PUT /api/auth", nil).status(401)
			w.do(c.who, "DELETE /api/auth", nil).status(401)
		}
	})
}

func TestExtendingASession(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start := w.now
		token := w.tokens["student"]                 // remembered: two weeks
		w.tokens["brief"] = w.signInShort("student") // two hours
		w.now = start.Add(time.Hour)
		w.do("", "PUT /api/auth", nil, "Username", "student", "Auth-Token",
			w.tokens["brief"]).status(201).is(`{"auth_token":"` + w.tokens["brief"] + `"}`)
		w.do("student", "PUT /api/auth", form{"remember": "false"}).status(201).is(`{"auth_token":"` + token + `"}`)
		w.now = start.Add(3*time.Hour - time.Second)
		w.do("", "PUT /api/auth", form{"remember": "true"}, "Username", "student", "Auth_Token",
			w.tokens["brief"]).status(201)
		w.now = start.Add(14*24*time.Hour - time.Second)
		w.do("student", "GET /api/users/{student}", nil).status(200) // not shortened
		w.do("", "GET /api/users/{student}", nil, "Username", "student", "Auth_Token", w.tokens["brief"]).status(200)
	})
}

func (w *world) signInShort(name string) (token string) {
	err := w.db.Tx(context.Background(), func(q db.Q) (err error) {
		u, err := ident.ByID(context.Background(), q, w.id[name])
		if err == nil {
			token, err = ident.Start(context.Background(), q, u, false)
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return token
}

func TestSignOutEndsOneSession(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		other := w.signInShort("student")
		if body := w.do("student", "DELETE /api/auth", nil).status(204).Body; body.Len() != 0 {
			t.Errorf("body %s", body)
		}
		w.do("student", "GET /api/users/{student}", nil).status(401)
		w.do("student", "DELETE /api/auth", nil).status(401)
		w.do("", "GET /api/users/{student}", nil, "Username", "student", "Auth-Token", other).status(200)
		w.do("", "GET /api/users/{student}", nil, "Username", "mate", "Auth-Token", other).status(401)
	})
}

func TestSignInMethod(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("", "GET /api/auth/method", nil).status(200).is(`{"method":"database","redirect_to":null,
			"methods":[{"method":"database","name":"Password","redirect_to":null}]}`)
		w.do("", "GET /api/auth/signout_url", nil).status(200).is(`{"auth_signout_url":null}`)
		elsewhere := func(to string) func(context.Context, string, string) string {
			return func(context.Context, string, string) string { return to }
		}
		w.api.signin.Methods = []signin.Method{
			{Method: "saml", Name: "Example University", RedirectTo: elsewhere("https://idp.example.edu/in"),
				SignoutURL: "https://idp.example.edu/out"},
			{Method: "oidc", Name: "Partners", RedirectTo: elsewhere("")}, {Method: signin.Database, Name: "Password"}}
		w.do("", "GET /api/auth/method", nil).status(200).is(`{"method":"saml",
			"redirect_to":"https://idp.example.edu/in", "methods":[
				{"method":"saml","name":"Example University","redirect_to":"https://idp.example.edu/in"},
				{"method":"oidc","name":"Partners","redirect_to":null},
				{"method":"database","name":"Password","redirect_to":null}]}`)
		w.do("", "GET /api/auth/signout_url", nil).status(200).is(`{"auth_signout_url":"https://idp.example.edu/out"}`)
	})
}

func TestTradingATicket(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ticket := func() (token string) {
			if err := w.db.Tx(t.Context(), func(q db.Q) (err error) {
				token, err = ident.NewTicket(t.Context(), q, w.id["student"])
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return token
		}
		trade := func(name, token string) *answered {
			return w.do("", "POST /api/auth", form{"username": name, "auth_token": token})
		}
		one := ticket()
		w.tokens["student"] = trade("student", one).status(201).object()["auth_token"].(string)
		w.do("student", "GET /api/users/{student}", nil).status(200)
		trade("student", one).status(401)
		two := ticket()
		trade("mate", two).status(401)
		trade("student", two).status(401)
		three := ticket()
		w.now = w.now.Add(30 * time.Second)
		trade("student", three).status(401)
		trade("student", "rubbish").status(401)
	})
}

func TestThrottlingByAccount(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student", "mate")
		wrong := func() *answered {
			return w.do("", "POST /api/auth", form{"username": "student",
				"password": "wrong"})
		}
		for range 19 {
			wrong().status(401)
		}
		w.signIn("student", secret) // a success forgets the failures
		for range 20 {
			wrong().status(401)
		}
		waits := []int{}
		for range 3 {
			a := w.do("", "POST /api/auth", form{"username": "Student", "password": secret}).status(429)
			n, _ := strconv.Atoi(a.Header().Get("Retry-After"))
			a.says("Wait " + map[int]string{60: "one minute", 120: "2 minutes", 240: "4 minutes"}[n] + " and try again.")
			waits = append(waits, n)
			w.now = w.now.Add(time.Duration(n) * time.Second)
			wrong().status(401)
		}
		if fmt.Sprint(waits) != "[60 120 240]" {
			t.Errorf("waits of %v seconds", waits)
		}
		w.signIn("mate", secret)
		w.do("student", "GET /api/users/{student}", nil).status(200) // sessions go on
		w.now = w.now.Add(time.Hour)
		w.signIn("student", secret)
		if n := w.count("throttles WHERE name LIKE 'account% from %'"); n != 0 {
			t.Errorf("%d accounts still have failures", n)
		}
	})
}

// An address that fails with many names is slowed down, not shut: the right
// password still gets in.
func TestManyNamesFromOneAddress(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const pace = 300 * time.Millisecond
		w.api.usecases.Passwords = ident.NewPasswords(w.db, ident.Limits{PerAddress: 5, Pace: pace, Patience: time.Minute})
		w.password("student")
		try := func(name, password string) *answered {
			return w.do("", "POST /api/auth", form{"username": name, "password": password})
		}
		var last time.Time // when the guess before the slowed sign-in began: the pace passes while it is answered
		for i := range 6 {
			last = time.Now()
			try("nobody"+strconv.Itoa(i), "wrong").status(401)
		}
		if try("student", secret).status(201) == nil || time.Since(last) < pace/2 {
			t.Errorf("got in %v after a guess, which is not slowed down", time.Since(last))
		}
		for i := range 3 { // where one has signed in before one is not slowed down: no turn is taken
			try("student", secret).status(201)
			try("more"+strconv.Itoa(i), "wrong").status(401)
		}
	})
}

// guess sends a sign-in from an address.
func (w *world) guess(from, name, password string) *answered {
	r := w.request("", "POST /api/auth", form{"username": name, "password": password})
	r.RemoteAddr = from + ":4711"
	return w.send(r, name+" from "+from)
}

// However many guess at an account from elsewhere, its owner gets in from where
// they did before; each address has twenty tries at a name, known or not.
func TestGuessingFromElsewhere(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.api.usecases.Passwords = ident.NewPasswords(w.db, ident.Limits{PerAccount: 3, Elsewhere: 8, Pace: time.Millisecond})
		w.password("student")
		const home = "203.0.113.5"
		w.guess(home, "student", secret).status(201)
		for i := range 4 {
			from := "198.51.100." + strconv.Itoa(i+1)
			for range 3 {
				w.guess(from, "student", "wrong").status(401)
				w.guess(from, "nobody", "wrong").status(401)
			}
			for _, name := range []string{"student", "nobody"} {
				if got := w.guess(from, name, secret).status(429).Header().Get("Retry-After"); got != "60" {
					t.Errorf("%s: Retry-After %q", name, got)
				}
			}
			w.guess(home, "student", "wrong").status(401)
			w.guess(home, "student", secret).status(201)
		}
		w.guess("192.0.2.77", "student", secret).status(201) // slowed down, not shut out
	})
}

// Forty instances on one database take a try each at the same moment.
func TestThrottleUnderConcurrency(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student")
		var answered, refused atomic.Int64
		var wg sync.WaitGroup
		for range 40 {
			instance := ident.NewPasswords(w.db, ident.Limits{Patience: time.Minute})
			wg.Go(func() {
				_, err := instance.SignIn(t.Context(), ident.Credentials{Username: "student", Password: "wrong"})
				switch {
				case err != nil && strings.Contains(err.Error(), "Too many attempts"):
					refused.Add(1)
				case err != nil && strings.Contains(err.Error(), "wrong"):
					answered.Add(1)
				default:
					t.Errorf("got %v", err)
				}
			})
		}
		wg.Wait()
		if answered.Load() != 20 || refused.Load() != 20 {
			t.Errorf("%d tries got through, %d were refused", answered.Load(), refused.Load())
		}
	})
}

// Many sign in at once, some of them several times: all get in, and meanwhile
// others are served.
func TestManySignIns(t *testing.T) {
	w := newWorld(t, "sqlite")
	names := []string{"student", "mate", "other", "studentB", "outsider", "convenor", "tutorB"}
	w.password(names...)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			w.do("", "POST /api/auth", form{"username": names[i%len(names)], "password": secret}).status(201)
		})
	}
	go func() { wg.Wait(); close(done) }()
	var took []time.Duration
	for probe := time.NewTicker(10 * time.Millisecond); ; {
		start := time.Now()
		w.do("tutor", "GET /api/users/{tutor}", nil).status(200)
		took = append(took, time.Since(start))
		select {
		case <-done:
			slices.Sort(took)
			median, p90 := took[len(took)/2], took[len(took)*9/10]
			t.Logf("%d requests served meanwhile, half of them within %v, most within %v", len(took), median, p90)
			if len(took) < 10 || p90 > 500*time.Millisecond {
				t.Errorf("only %d requests served meanwhile, the slower ones in %v", len(took), p90)
			}
			return
		case <-probe.C:
		}
	}
}

func TestTooManySignIns(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.password("student")
	w.api.usecases.Passwords = ident.NewPasswords(w.db, ident.Limits{Hashes: 1, Waiting: 1})
	var busy, in atomic.Int64
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			a := w.do("", "POST /api/auth", form{"username": "student", "password": secret}).status(201, 503)
			if a.Code == http.StatusCreated {
				in.Add(1)
			} else if busy.Add(1); a.Header().Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		})
	}
	wg.Wait()
	if busy.Load() == 0 || in.Load() == 0 {
		t.Errorf("%d got in, %d were sent away", in.Load(), busy.Load())
	}
}

func TestPasswordLinks(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		link := w.do("admin", "POST /api/users/{student}/password_link",
			nil).status(201).object()["password_link"].(string)
		head, token, _ := strings.Cut(link, "token=")
		if head != "https://learn.example.edu/password?" {
			t.Errorf("the link is %s", link)
		}
		set := func(token, password string) *answered {
			return w.do("", "POST /api/auth/password", map[string]string{"token": token, "password": password})
		}
		for password, words := range map[string]string{"short": "at least 8", strings.Repeat("x", 201): "at most 200",
			"student@example.edu": "your username, your email address"} {
			set(token, password).status(422).says("password", words)
		}
		w.do("", "POST /api/auth/password", `{}`).status(400).says("password is required")
		set(token, secret).status(204)
		set(token, "another secret").status(404).says("Ask for a new one")
		w.do("student", "GET /api/users/{student}", nil).status(401) // earlier sessions are over
		w.signIn("student", secret)

		first := w.newLink("mate")
		second := w.newLink("mate")
		set(first, secret).status(404)
		w.now = w.now.Add(7 * 24 * time.Hour)
		set(second, secret).status(404)
	})
}

func (w *world) newLink(name string) string {
	w.Helper()
	link := w.do("admin", "POST /api/users/{"+name+"}/password_link",
		nil).status(201).object()["password_link"].(string)
	_, token, _ := strings.Cut(link, "token=")
	return token
}

func TestALinkIsUsedOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		token := w.newLink("student")
		var won atomic.Int64
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				a := w.do("", "POST /api/auth/password", map[string]string{"token": token,
					"password": secret + strconv.Itoa(i)}).status(204, 404)
				if a.Code == 204 {
					won.Add(1)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Errorf("the link worked %d times", won.Load())
		}
	})
}

func TestChangingOnesPassword(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student")
		other := w.signInShort("student")
		change := func(as, old, password string) *answered {
			return w.do(as, "POST /api/auth/password", map[string]string{"old_password": old, "password": password})
		}
		change("student", "wrong", "a new secret").status(401)
		change("student", secret, "short").status(422)
		change("", secret, "a new secret").status(401)
		change("mate", secret, "a new secret").status(401) // has none
		w.do("student", "POST /api/auth/password", `{"password":"a new secret"}`).status(400).says("old_password")
		change("student", secret, "a new secret").status(204)
		w.do("student", "GET /api/users/{student}", nil).status(200)
		w.do("", "GET /api/users/{student}", nil, "Username", "student", "Auth-Token", other).status(401)
		w.do("", "POST /api/auth", form{"username": "student", "password": secret}).status(401)
		w.signIn("student", "a new secret")
		for range 20 {
			change("student", "wrong", "another secret").status(401)
		}
		change("student", "a new secret", "another secret").status(429)
	})
}

func TestDisablingEndsSessions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student")
		token := w.newLink("student")
		for _, who := range []string{"student", "convenor"} {
			w.do(who, "PUT /api/users/{student}", `{"user":{"disabled":true}}`).status(403)
		}
		w.do("admin", "PUT /api/users/{admin}", `{"user":{"disabled":true}}`).status(409)
		got := w.do("admin", "PUT /api/users/{student}", `{"user":{"disabled":true}}`).status(200).object()
		if got["disabled"] != true {
			t.Errorf("got %v", got)
		}
		w.do("student", "GET /api/users/{student}", nil).status(401)
		w.do("admin", "POST /api/users/{student}/password_link", nil).status(409).says("disabled")
		w.do("", "POST /api/auth", form{"username": "student", "password": secret}).status(401).says("disabled")
		w.do("", "POST /api/auth", form{"username": "student", "password": "wrong"}).status(401).says("wrong")
		w.do("", "POST /api/auth/password", map[string]string{"token": token, "password": secret}).status(404)
		w.do("admin", "PUT /api/users/{student}", `{"user":{"disabled":false}}`).status(200)
		w.signIn("student", secret)
		w.do("student", "GET /api/users/{student}", nil).status(200)
	})
}
