package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/web/httpserver"
)

// bare gives a server with one endpoint that runs f.
func bare[Out any](c Config, f func(ctx context.Context) (Out, error), opts ...Option) *Server {
	c.HTTP = httpserver.New(httpserver.Config{Log: slog.New(slog.DiscardHandler)})
	s := New(c)
	Route(s, "GET /api/things/{name}", 200, policy.Anybody, "Try", func(ctx context.Context, _ *access.Caller,
		in struct {
			Name string `path:"name"`
		}) (Out, error) {
		return f(ctx)
	}, opts...)
	return s
}

func get(s http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestPathsAreTolerated(t *testing.T) {
	s := bare(Config{}, func(context.Context) (string, error) { return "here", nil })
	for _, path := range []string{"/api/things/x", "/api/things/x/", "/api//things///x", "/api/things/x.json",
		"//api/things/x.json/", "/api/things/a%2Fb", "/api/things/a.b"} {
		if w := get(s, path); w.Code != 200 || w.Header().Get("Location") != "" {
			t.Errorf("%s: got %d, %s", path, w.Code, w.Header())
		}
	}
	for path, want := range map[string]int{"/api/things": 404, "/": 404, "/api/things/x/y": 404} {
		if w := get(s, path); w.Code != want || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: got %d %s, want %d as JSON", path, w.Code, w.Body, want)
		}
	}
}

func TestEveryAnswerIsGuarded(t *testing.T) {
	s := bare(Config{}, func(context.Context) (string, error) { return "", errors.New("SELECT secret FROM users") })
	w := get(s, "/api/things/x")
	var p struct{ Error, Code string }
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 500 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	id := w.Header().Get("X-Request-Id")
	if id == "" || !strings.Contains(p.Error, id) || strings.Contains(w.Body.String(), "SELECT") {
		t.Errorf("request %q, body %s", id, w.Body)
	}
	if w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers %v", w.Header())
	}
}

func TestErrorsAreJSONForBrowsersToo(t *testing.T) {
	s := bare(Config{}, func(context.Context) (string, error) { return "", errors.New("no") })
	for _, path := range []string{"/api", "/api/none", "/api/things/x"} {
		if w := get(s, path, "Accept", "text/html"); !json.Valid(w.Body.Bytes()) ||
			w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v %s", path, w.Header(), w.Body)
		}
	}
}

func TestTheCallerKnowsTheRequest(t *testing.T) {
	s := New(Config{})
	var who access.Caller
	note := func(_ context.Context, c *access.Caller, _ struct{}) (NoContent, error) {
		who = *c
		return NoContent{}, nil
	}
	Route(s, "GET /api/me", 204, policy.Anybody, "Try", note)
	w := get(s, "/api/me") // from 192.0.2.1, as httptest has it
	if who.RequestID == "" || who.RequestID != w.Header().Get("X-Request-Id") || who.From.String() != "192.0.2.1" {
		t.Errorf("%+v, %v", who, w.Header())
	}
}

// What the tests of the API rely on to find rights that are not declared.
func TestRightsAskedInsideAreHeardOf(t *testing.T) {
	var heard []*policy.Right
	s := New(Config{Asked: func(i *Info, r *policy.Right) {
		if i.Path != "/api/x" {
			t.Error(i.Path)
		}
		heard = append(heard, r)
	}})
	ask := func(_ context.Context, who *access.Caller, _ struct{}) (NoContent, error) {
		return NoContent{}, who.Must(policy.EditUnit)
	}
	Route(s, "GET /api/x", 204, policy.Anybody, "Try", ask, Asks(policy.Anybody, policy.GradeTask))
	get(s, "/api/x")
	if !slices.Equal(heard, []*policy.Right{policy.Anybody, policy.EditUnit}) {
		t.Errorf("heard of %v", heard)
	}
	if in := s.Routes()[0].Inside; !slices.Equal(in, []*policy.Right{policy.GradeTask}) {
		t.Errorf("%v are asked inside: the route's own right is not", in)
	}
}

func TestPanicsAreAnswered(t *testing.T) {
	s := bare(Config{}, func(context.Context) (string, error) { panic("oh") })
	if w := get(s, "/api/things/x"); w.Code != 500 || !json.Valid(w.Body.Bytes()) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func rows(n int, fail error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
		if fail != nil {
			yield(0, fail)
		}
	}
}

func TestListsStream(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100_000} {
		s := bare(Config{}, func(context.Context) (List[int], error) {
			return List[int]{Total: int64(n),
				Rows: rows(n, nil)}, nil
		})
		w := get(s, "/api/things/x")
		var got []int
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got) != n || got == nil {
			t.Errorf("%d rows: got %d, %v", n, len(got), err)
		}
		if w.Header().Get("X-Total-Count") != fmt.Sprint(n) {
			t.Errorf("total %q", w.Header().Get("X-Total-Count"))
		}
	}
}

// A list that breaks off must not look whole: early it is a plain error, later
// the connection is cut.
func TestBrokenListsAreNotWhole(t *testing.T) {
	broken := func(n int) *Server {
		return bare(Config{}, func(context.Context) (List[int], error) {
			return List[int]{Total: -1, Rows: rows(n, errors.New("gone"))}, nil
		})
	}
	if w := get(broken(3), "/api/things/x"); w.Code != 500 {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	srv := httptest.NewServer(broken(100_000))
	defer srv.Close()
	res, err := http.Get(srv.URL + "/api/things/x")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("the client read a broken list to its end")
	}
}

func TestFilesAreNeverRunAsPages(t *testing.T) {
	for kind, inline := range map[string]bool{"application/pdf": true, "image/png": true, "text/html": false,
		"image/svg+xml":         false,
		"application/xhtml+xml": false, "text/xml; charset=utf-8": false, "text/javascript": false} {
		s := bare(Config{}, func(context.Context) (*File, error) {
			return &File{Content: strings.NewReader("0123456789"), Name: "räport \"1\".x", Type: kind}, nil
		})
		w := get(s, "/api/things/x", "Range", "bytes=2-4")
		if w.Code != 206 || w.Body.String() != "234" {
			t.Errorf("range: %d %q", w.Code, w.Body)
		}
		d := w.Header().Get("Content-Disposition")
		if strings.HasPrefix(d, "inline") != inline ||
			!strings.Contains(d, "filename*=UTF-8''r%C3%A4port%20%221%22.x") {
			t.Errorf("%s: %s", kind, d)
		}
		if !strings.Contains(w.Header().Get("Content-Security-Policy"), "sandbox") {
			t.Error("no sandbox")
		}
	}
}

func TestSentencesFollowAccept(t *testing.T) {
	s := bare(Config{}, func(context.Context) (TextOf[map[string]int], error) {
		return TextOf[map[string]int]{Text{Message: "Made.", ID: 3}, map[string]int{"id": 3}}, nil
	}, Location("/api/things/{.id}"))
	if w := get(s, "/api/things/x"); w.Body.String() != "Made.\n" || !strings.HasPrefix(w.Header().Get("Content-Type"),
		"text/plain") || w.Header().Get("Location") != "/api/things/3" {
		t.Errorf("%v %s", w.Header(), w.Body)
	}
	if w := get(s, "/api/things/x", "Accept", "text/html, application/json;q=0.9"); strings.TrimSpace(w.Body.String()) != `{"id":3,"message":"Made."}` {
		t.Errorf("%s", w.Body)
	}
}

func TestOnlyConfiguredOriginsAreLetIn(t *testing.T) {
	s := bare(Config{Origins: []string{"https://learn.example.edu"}}, func(context.Context) (string, error) {
		return "",
			nil
	})
	for origin, want := range map[string]string{"https://learn.example.edu": "https://learn.example.edu",
		"https://evil.example": "", "": ""} {
		if got := get(s, "/api/things/x", "Origin", origin).Header().Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%q: got %q", origin, got)
		}
	}
	s.HTTP.Handle("GET /page", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	h := get(s, "/page", "Origin", "https://learn.example.edu").Header()
	if h.Get("Access-Control-Allow-Origin") != "" {
		t.Error("another origin is let in outside the API, where browsers send cookies")
	}
	r := httptest.NewRequest("OPTIONS", "/api/things/x", nil)
	r.Header.Set("Origin", "https://learn.example.edu")
	r.Header.Set("Access-Control-Request-Method", "PUT")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != 204 || !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "Auth_Token") {
		t.Errorf("preflight: %d %v", w.Code, w.Header())
	}
}

func TestADeclarationWithoutRightIsRefused(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it was taken")
		}
	}()
	Route(New(Config{}), "GET /x", 200, nil, "Try", func(context.Context, *access.Caller, struct{}) (string,
		error) {
		return "", nil
	})
}

func TestFieldsOfTheDomainGetTheNamesOfTheRequest(t *testing.T) {
	s := New(Config{HTTP: httpserver.New(httpserver.Config{Log: slog.New(slog.DiscardHandler)})})
	Route(s, "POST /api/units", 201, policy.Anybody, "Try", func(_ context.Context, _ *access.Caller, in struct {
		Kind string `param:"kind"`
		Unit struct {
			Code string `param:"code"`
		} `param:"unit"`
	}) (NoContent, error) {
		return NoContent{}, fmt.Errorf("add: %w", fault.Field(fault.Refused, in.Kind, "is wrong"))
	})
	for field, want := range map[string]string{"code": "unit[code]", "kind": "kind", "other": "other",
		"unit[x]": "unit[x]"} {
		r := httptest.NewRequest("POST", "/api/units", strings.NewReader(`{"kind":"`+field+`"}`))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		var got httpserver.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if w.Code != 422 || got.Text != want+" is wrong." || got.Fields[want] != "is wrong" {
			t.Errorf("%s: got %d %s", field, w.Code, w.Body)
		}
	}
}

func TestNamesOfFilesAreQuotedOnlyWhereTheyMustBe(t *testing.T) {
	for name, want := range map[string]string{
		"SIT101-1.1P.pdf": "attachment; filename=SIT101-1.1P.pdf",
		"a_b~c!#$&'*+^`|": "attachment; filename=a_b~c!#$&'*+^`|",
		"100%.txt":        "attachment; filename=100%.txt",
		"my notes.pdf":    `attachment; filename="my notes.pdf"`,
		"a,b(c).txt":      `attachment; filename="a,b(c).txt"`,
		"räport.pdf":      `attachment; filename="r_port.pdf"; filename*=UTF-8''r%C3%A4port.pdf`,
		"a%41.txt":        `attachment; filename="a_41.txt"; filename*=UTF-8''a%2541.txt`,
		"":                `attachment; filename=""`,
	} {
		if got := Disposition(name, true); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}
