package api

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image/png"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/ground/totp"
	"lectern/internal/people/ident"
)

var _ = rights(
	rightRow{"GET /api/auth/second_factor", "", "users", nil},
	rightRow{"POST /api/auth/second_factor", "", "users", nil},
	rightRow{"POST /api/auth/second_factor/confirm", "", "users", `{"otp":"000000"}`},
	rightRow{"POST /api/auth/second_factor/recovery_codes", "", "users", `{"otp":"000000"}`},
	rightRow{"POST /api/auth/second_factor/disable", "", "users", `{"otp":"000000"}`},
	rightRow{"DELETE /api/users/{id}/second_factor", "/api/users/{other}/second_factor", "admin", nil},
)

// code gives the code of an app, so many steps from now.
func (w *world) code(secret string, off int64) string {
	w.Helper()
	c, err := totp.Code(secret, totp.Step(w.now)+off)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// factor sets up a second factor for somebody, whose session must be young, and
// lets the step of its first code pass.
func (w *world) factor(name string) (secret string, codes []string) {
	w.Helper()
	secret = w.do(name, "POST /api/auth/second_factor", nil).status(201).object()["secret"].(string)
	var out struct {
		Codes []string `json:"recovery_codes"`
	}
	w.do(name, "POST /api/auth/second_factor/confirm", form{"otp": w.code(secret, 0)}).status(201).into(&out)
	w.now = w.now.Add(time.Minute)
	return secret, out.Codes
}

// withCode tries to sign in with the password and a code.
func (w *world) withCode(name, otp string) *answered {
	w.Helper()
	return w.do("", "POST /api/auth", form{"username": name, "password": secret, "otp": otp})
}

// lacksFactor expects the refusal of a sign-in for want of the second factor.
func (a *answered) lacksFactor() {
	a.w.Helper()
	if got := a.status(401).object(); got["code"] != "second_factor" {
		a.w.Errorf("%s: got %v", a.what, got)
	}
}

func TestSecondFactor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student", "mate")
		w.do("student", "GET /api/auth/second_factor", nil).status(200).is(
			`{"enabled":false,"required":false,"since":null,"recovery_codes":0}`)
		other := w.do("", "POST /api/auth", form{"username": "student", "password": secret}).status(201).
			object()["auth_token"].(string)
		start := w.do("student", "POST /api/auth/second_factor", nil).status(201).object()
		if !strings.HasPrefix(start["uri"].(string), "otpauth://totp/Lectern:student?") ||
			!strings.Contains(start["uri"].(string), "secret="+start["secret"].(string)) {
			t.Errorf("got %v", start)
		}
		w.pictured(start["qr"].(string))
		w.do("", "POST /api/auth", form{"username": "student", "password": secret}).status(201) // not yet on
		key, codes := w.factor("student")
		if key == start["secret"] || len(codes) != 10 || len(slices.Compact(slices.Sorted(slices.Values(codes)))) != 10 {
			t.Errorf("got %s, %v", key, codes)
		}
		w.do("", "GET /api/users/{student}", nil, "Username", "student", "Auth-Token", other).status(401)
		w.do("student", "POST /api/auth/second_factor", nil).status(409).says("already")
		w.do("student", "POST /api/auth/second_factor/confirm", form{"otp": w.code(key, 0)}).status(409)
		if got := w.do("student", "GET /api/auth/second_factor", nil).status(200).object(); got["enabled"] != true ||
			got["recovery_codes"] != 10.0 || got["since"] == nil {
			t.Errorf("got %v", got)
		}
		w.do("", "POST /api/auth", form{"username": "student", "password": "wrong", "otp": w.code(key, 0)}).
			status(401).says("username or the password")
		w.withCode("student", "").lacksFactor()
		w.withCode("student", w.code(key, -2)).lacksFactor()
		w.withCode("student", w.code(key, 2)).lacksFactor()
		now := w.code(key, 0)
		w.withCode("student", now[:3]+" "+now[3:]).status(201)
		w.withCode("student", now).lacksFactor()             // a code is good once
		w.withCode("student", w.code(key, -1)).lacksFactor() // and so are those before it
		w.withCode("student", w.code(key, 1)).status(201)
		w.withCode("mate", "123456").status(201) // who has none may send one
	})
}

// pictured fails the test unless the address holds a picture.
func (w *world) pictured(address string) {
	w.Helper()
	data, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(address, "data:image/png;base64,"))
	if err != nil {
		w.Fatal(err)
	}
	if p, err := png.Decode(bytes.NewReader(data)); err != nil || p.Bounds().Dx() < 100 {
		w.Errorf("no picture: %v", err)
	}
}

func TestRecoveryCodes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student")
		key, codes := w.factor("student")
		if w.count("recovery_codes WHERE code_hash = $1", strings.ReplaceAll(codes[0], "-", "")) != 0 {
			t.Error("they are stored as they are")
		}
		w.withCode("student", strings.ToLower(codes[0])).status(201)
		w.withCode("student", codes[0]).lacksFactor()
		if n := w.count("audit_outbox WHERE entries LIKE '%recovery_code_used%'"); n != 1 {
			t.Errorf("%d entries of its use", n)
		}
		got := w.do("student", "GET /api/auth/second_factor", nil).status(200).object()
		if got["recovery_codes"] != 9.0 {
			t.Errorf("got %v", got)
		}
		w.do("student", "POST /api/auth/second_factor/recovery_codes", form{"otp": "000000"}).status(422)
		var renewed struct {
			Codes []string `json:"recovery_codes"`
		}
		w.do("student", "POST /api/auth/second_factor/recovery_codes", form{"otp": w.code(key, 0)}).status(201).
			into(&renewed)
		w.withCode("student", codes[1]).lacksFactor()
		w.withCode("student", renewed.Codes[1]).status(201)
		w.do("mate", "POST /api/auth/second_factor/recovery_codes", form{"otp": "000000"}).status(409)
	})
}

// A stolen session is not enough to set a factor up, nor to take one away.
func TestSecondFactorNeedsItsOwner(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student")
		w.now = w.now.Add(11 * time.Minute)
		w.do("student", "POST /api/auth/second_factor", nil).status(403).says("ten minutes")
		w.do("student", "POST /api/auth/second_factor", form{"password": "wrong"}).status(401)
		key := w.do("student", "POST /api/auth/second_factor", form{"password": secret}).status(201).
			object()["secret"].(string)
		w.do("student", "POST /api/auth/second_factor/confirm", form{"otp": w.code(key, 5)}).status(422)
		w.now = w.now.Add(time.Hour + time.Second)
		w.do("student", "POST /api/auth/second_factor/confirm", form{"otp": w.code(key, 0)}).status(409).says("hour")
		key = w.do("student", "POST /api/auth/second_factor", form{"password": secret}).status(201).
			object()["secret"].(string)
		w.do("student", "POST /api/auth/second_factor/confirm", form{"otp": w.code(key, 0)}).status(201)
		w.now = w.now.Add(time.Minute)
		off := "POST /api/auth/second_factor/disable"
		w.do("student", off, form{"otp": w.code(key, 0)}).status(400).says("password is required")
		w.do("student", off, form{"otp": w.code(key, 0), "password": "wrong"}).status(401)
		w.do("student", off, form{"otp": "000000", "password": secret}).status(422)
		w.withCode("student", "").lacksFactor()
		w.do("student", off, form{"otp": w.code(key, 0), "password": secret}).status(204)
		w.do("student", off, form{"otp": w.code(key, 1), "password": secret}).status(409)
		w.withCode("student", "").status(201)
		if w.count("recovery_codes") != 0 {
			t.Error("recovery codes are left")
		}
	})
}

// Who has no password here proves by a new sign-in that it is them.
func TestSecondFactorWithoutAPassword(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		key, _ := w.factor("student")
		w.now = w.now.Add(10 * time.Minute)
		off := "POST /api/auth/second_factor/disable"
		w.do("student", off, form{"otp": w.code(key, 0)}).status(403).says("ten minutes")
		w.set(`UPDATE sessions SET created_at = $2 WHERE user_id = $1`, w.id["student"], w.db.Now())
		w.do("student", off, form{"otp": w.code(key, 0)}).status(204)
	})
}

// A link to set a password opens no way around the factor, and no more guesses.
func TestPasswordLinkLeavesTheFactor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student")
		key, _ := w.factor("student")
		for range 10 {
			w.withCode("student", "000000").status(401)
		}
		w.withCode("student", w.code(key, 0)).status(429)
		link := w.do("admin", "POST /api/users/{student}/password_link", nil).status(201).object()["password_link"]
		_, token, _ := strings.Cut(link.(string), "token=")
		w.do("", "POST /api/auth/password", form{"token": token, "password": "battery staple"}).status(204)
		again := form{"username": "student", "password": "battery staple"}
		w.do("", "POST /api/auth", again).lacksFactor()
		again["otp"] = w.code(key, 0)
		w.do("", "POST /api/auth", again).status(429)
		w.now = w.now.Add(time.Hour + time.Minute)
		again["otp"] = w.code(key, 0)
		w.do("", "POST /api/auth", again).status(201)
	})
}

// Codes are six digits: whoever has the password must not get to try many, from
// however many addresses. A recovery code still lets the owner in.
func TestGuessingCodes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student")
		_, codes := w.factor("student")
		w.set(`DELETE FROM sign_in_places`)
		var tried int
		for i := range 60 {
			r := w.request("", "POST /api/auth", form{"username": "student", "password": secret,
				"otp": fmt.Sprintf("%06d", i)})
			r.RemoteAddr = fmt.Sprintf("203.0.113.%d:4711", i)
			if w.send(r, "a guess").Code == 401 {
				tried++
			}
			w.now = w.now.Add(30 * time.Second)
		}
		if tried < 10 || tried > 20 {
			t.Errorf("%d of 60 codes were tried in half an hour", tried)
		}
		if n := w.count("audit_outbox WHERE entries LIKE '%wrong_code%'"); n < 3 || n > 10 {
			t.Errorf("%d entries", n)
		}
		w.withCode("student", codes[3]).status(201)
	})
}

// Wrong codes of the app do not count as wrong passwords: however many there were from an
// address, a recovery code opens there.
func TestARecoveryCodeIsTakenWhileCodesOfTheAppMustWait(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student")
		_, codes := w.factor("student")
		waits := 0
		for i := range 30 {
			if w.withCode("student", fmt.Sprintf("%06d", i)).status(401, 429).Code == 429 {
				waits++
			}
		}
		if waits < 10 {
			t.Fatalf("only %d of 30 wrong codes had to wait", waits)
		}
		w.withCode("student", codes[0]).status(201)
		w.withCode("student", "000000").status(401, 429)
		for range 19 {
			w.do("", "POST /api/auth", form{"username": "student", "password": "wrong one"}).status(401)
		}
		w.do("", "POST /api/auth", form{"username": "student", "password": "wrong one"}).status(401, 429)
		w.withCode("student", codes[1]).status(429)
	})
}

// Of many sign-ins with one code, by however many instances, one gets in.
func TestOneCodeOpensOneSession(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student")
		key, codes := w.factor("student")
		for _, otp := range []string{w.code(key, 0), codes[0]} {
			var in atomic.Int64
			var wg sync.WaitGroup
			for range 6 {
				wg.Go(func() {
					other := ident.NewPasswords(w.db, ident.Limits{})
					if _, err := other.SignIn(context.Background(), ident.Credentials{Username: "student", Password: secret,
						OTP: otp}); err == nil {
						in.Add(1)
					}
				})
			}
			wg.Wait()
			if in.Load() != 1 {
				t.Errorf("one code let %d in", in.Load())
			}
		}
	})
}

// Where the role needs a factor, a password opens a session that sets one up and
// does nothing else.
func TestRequiredSecondFactor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("convenor", "tutor")
		w.api.usecases.Passwords = ident.NewPasswords(w.db, ident.Limits{RequireFactor: true})
		old := w.tokens["convenor"] // began elsewhere
		w.signIn("tutor", secret)
		w.do("tutor", "GET /api/users/{tutor}", nil).status(200)
		if got := w.signIn("convenor", secret).object(); got["second_factor_enrolment"] != true {
			t.Errorf("got %v", got)
		}
		w.onlyEnrols("convenor")
		if got := w.do("convenor", "GET /api/auth/second_factor", nil).status(200).object(); got["required"] != true {
			t.Errorf("got %v", got)
		}
		w.do("", "PUT /api/auth", nil, "Username", "convenor", "Auth-Token", old).status(201)
		key, _ := w.factor("convenor")
		w.do("convenor", "GET /api/units/{unitA}", nil).status(200)
		w.do("convenor", "PUT /api/auth", nil).status(201)
		w.do("convenor", "POST /api/auth/second_factor/disable", form{"password": secret, "otp": w.code(key, 0)}).
			status(409).says("needs a second factor")
		w.withCode("convenor", w.code(key, 0)).status(201)
	})
}

// onlyEnrols tries every endpoint with a session that may only set up a factor.
func (w *world) onlyEnrols(name string) {
	w.Helper()
	mine := []string{"DELETE /api/auth", "GET /api/auth/second_factor", "POST /api/auth/second_factor",
		"POST /api/auth/second_factor/confirm"}
	for _, row := range rightRows {
		if row.who == "everybody" || row.route == "GET /api/events" || slices.Contains(mine, row.route) {
			continue
		}
		if a := w.do(name, row.request(), row.body); a.Code != 403 && a.Code != 404 {
			w.Errorf("%s: %d %s", row.route, a.Code, a.Body)
		}
	}
	w.do(name, "GET /api/users/{"+name+"}", nil).status(403).says("needs a second factor")
	w.do(name, "GET /api/events", nil).status(401) // it is open to visitors, so the session is nobody's
	w.do(name, "GET /api/units/{unitA}", nil).status(403)
}

// A session that began before the rule, or before the promotion, ends in its time.
func TestRequiredFactorEndsOldSessions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("convenor")
		w.signIn("convenor", secret)
		w.api.usecases.Passwords = ident.NewPasswords(w.db, ident.Limits{RequireFactor: true})
		w.do("convenor", "GET /api/units/{unitA}", nil).status(200)
		w.do("convenor", "PUT /api/auth", nil).status(403).says("second factor")
		w.now = w.now.Add(2 * time.Hour)
		w.do("convenor", "GET /api/units/{unitA}", nil).status(401)
	})
}

func TestResettingASecondFactor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student", "admin")
		w.factor("student")
		w.do("admin", "DELETE /api/users/{mate}/second_factor", nil).status(404).says("no second factor")
		w.do("admin", "DELETE /api/users/99999/second_factor", nil).status(404)
		got := w.do("admin", "DELETE /api/users/{student}/second_factor", nil).status(204)
		if n := w.count(`audit_outbox WHERE request_id = $1 AND entries LIKE '%second_factor%reset%'`,
			got.Header().Get("X-Request-Id")); n != 1 {
			t.Errorf("%d entries", n)
		}
		w.withCode("student", "").status(201)
		w.factor("admin")
		w.do("admin", "DELETE /api/users/{admin}/second_factor", nil).status(403).says("your own")
	})
}

// Passwords may be for a few, as where all others come by the institution's own
// sign-in. The answer tells nobody who they are.
func TestPasswordsOfAFew(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student", "admin")
		w.api.usecases.Passwords = ident.NewPasswords(w.db, ident.Limits{Only: []string{"ADMIN"}})
		few := w.do("", "POST /api/auth", form{"username": "student", "password": secret}).status(401).Body.String()
		none := w.do("", "POST /api/auth", form{"username": "nobody", "password": secret}).status(401).Body.String()
		if few != none {
			t.Errorf("%s and %s", few, none)
		}
		w.do("", "POST /api/auth", form{"username": "admin", "password": secret}).status(201)
	})
}
