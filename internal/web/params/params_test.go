package params_test

import (
	"bytes"
	"errors"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"

	"lectern/internal/ground/fault"
	"lectern/internal/web/params"
)

const form = "application/x-www-form-urlencoded"

// request is a request with a body of that type.
func request(query, kind, body string) *http.Request {
	r := httptest.NewRequest("PUT", "/x", strings.NewReader(body))
	r.URL.RawQuery = query
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	return r
}

// decode reads and decodes in one go, and checks that only faults come out.
func decode[T any](t testing.TB, r *http.Request) (T, error) {
	t.Helper()
	var in T
	s, err := params.Read(httptest.NewRecorder(), r, params.Limits{}, t.TempDir(), nil)
	if err == nil {
		defer s.Close()
		err = s.Decode(&in, nil)
	}
	mustBeFault(t, err)
	return in, err
}

func mustBeFault(t testing.TB, err error) {
	t.Helper()
	if _, ok := errors.AsType[*fault.Error](err); err != nil && !ok {
		t.Fatalf("not a fault: %T %v", err, err)
	}
}

// wantFields checks that err is Invalid and complains of exactly these.
func wantFields(t testing.TB, err error, want map[string]string) {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != fault.Invalid {
		t.Fatalf("got %v, want an invalid request", err)
	}
	if !maps.Equal(e.Fields, want) {
		t.Fatalf("got fields %v, want %v", e.Fields, want)
	}
	for name, reason := range want {
		if !strings.Contains(e.Text, name+" "+reason) {
			t.Errorf("the text %q does not tell of %s", e.Text, name)
		}
	}
}

// pair is one form value.
type pair struct{ key, value string }

func urlencode(pairs []pair) string {
	parts := make([]string, len(pairs))
	for i, p := range pairs {
		parts[i] = url.QueryEscape(p.key) + "=" + url.QueryEscape(p.value)
	}
	return strings.Join(parts, "&")
}

func multiparts(t testing.TB, pairs []pair) (kind, body string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range pairs {
		if err := w.WriteField(p.key, p.value); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	return w.FormDataContentType(), b.String()
}

type contribution struct {
	ProjectID int64   `param:"project_id,required"`
	Pct       float64 `param:"pct"`
}

type everything struct {
	Unit struct {
		Name   string               `param:"name,required"`
		Start  clock.Date           `param:"start_date,required"`
		Closed params.Opt[bool]     `param:"closed"`
		Due    params.Opt[int64]    `param:"due"`
		At     time.Time            `param:"at"`
		Kind   params.Opt[string]   `param:"kind" enum:"a,b"`
		Weeks  params.Opt[[]int64]  `param:"weeks"`
		Gone   params.Opt[struct{}] `param:"gone"`
	} `param:"unit,required"`
	IDs           []int64                     `param:"ids"`
	Rows          []contribution              `param:"rows"`
	Contributions params.JSON[[]contribution] `param:"contributions"`
	Limit         *int                        `param:"limit"`
	Offset        *int                        `param:"offset"`
}

func TestOneInputInFiveEncodings(t *testing.T) {
	pairs := []pair{
		{"unit[name]", "Größe & co=1"}, {"unit[start_date]", "2026-03-02T23:30:00-05:00"}, {"unit[closed]", "Yes"},
		{"unit[due]", ""}, {"unit[at]", "2026-03-02T04:05:06.789+02:00"}, {"unit[kind]", "b"},
		{"unit[weeks][]", "1"}, {"unit[weeks][]", "12"}, {"ids[]", "3"}, {"ids[]", "-4"},
		{"rows[0][project_id]", "1"}, {"rows[0][pct]", "2.5"}, {"rows[10][project_id]", "3"},
		{"rows[9][project_id]", "2"},
		{"contributions", `[{"project_id":9,"pct":0.5}]`}, {"limit", "20"}, {"offset", ""}, {"unknown[deep]", "x"},
	}
	json := `{"unit":{"name":"Größe \u0026 co=1","start_date":"2026-03-02","closed":true,"due":null,"at":"2026-03-02T02:05:06.789Z",
		"kind":"b","weeks":[1,"12"]},"ids":[3,-4],"rows":[{"project_id":1,"pct":2.5},{"project_id":"2"},{"project_id":3}],
		"contributions":[{"project_id":9,"pct":0.5}],"limit":20,"offset":null,"unknown":[{"deep":{}}]}`
	kind, body := multiparts(t, pairs)
	const half = 8 // between two lists: the body replaces a list, it does not add to it
	requests := map[string]*http.Request{
		"query":      request(urlencode(pairs), "", ""),
		"urlencoded": request("", form, urlencode(pairs)),
		"multipart":  request("", kind, body),
		"json":       request("", "application/json; charset=utf-8", json),
		"split":      request(urlencode(pairs[:half]), form, urlencode(pairs[half:])),
	}
	want, err := decode[everything](t, requests["json"])
	if err != nil {
		t.Fatal(err)
	}
	if want.Unit.Name != "Größe & co=1" || want.Unit.Start.String() != "2026-03-02" || !want.Unit.Due.Null ||
		want.Contributions.V[0].Pct != 0.5 || want.Rows[1].ProjectID != 2 || *want.Limit != 20 || want.Offset != nil {
		t.Fatalf("JSON itself is misread: %+v", want)
	}
	delete(requests, "json")
	for name, r := range requests {
		if got, err := decode[everything](t, r); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v; want %+v", name, got, err, want)
		}
	}
}

func TestBodyWinsOverQueryAndPathOverAll(t *testing.T) {
	type shared struct {
		UnitID int64 `path:"unit_id"`
	}
	type input struct {
		shared
		Slug string `path:"slug"`
		Unit struct {
			X string `param:"x"`
			Y string `param:"y"`
		} `param:"unit"`
		IDs []int `param:"ids"`
	}
	r := request("unit[x]=query&unit[y]=query&ids[]=1&ids[]=2&unit_id=5", "application/json",
		`{"unit":{"x":"body"},"ids":[3],"unit_id":6}`)
	s, err := params.Read(nil, r, params.Limits{}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var in input
	if err := s.Decode(&in, func(name string) string {
		return map[string]string{"unit_id": "7", "slug": "a b"}[name]
	}); err != nil {
		t.Fatal(err)
	}
	if in.UnitID != 7 || in.Slug != "a b" || in.Unit.X != "body" || in.Unit.Y != "query" ||
		!slices.Equal(in.IDs, []int{3}) {
		t.Errorf("got %+v", in)
	}
	for name, want := range map[string]bool{"unit": true, "unit[x]": true, "unit[z]": false, "ids": true, "x": false,
		"[": false, "ids[a]": false} {
		if s.Has(name) != want {
			t.Errorf("Has(%q) = %v", name, !want)
		}
	}
}

func TestPathValueThatIsNoNumberIsMissing(t *testing.T) {
	type input struct {
		ID   int64  `path:"id"`
		Name string `param:"name,required"`
	}
	type worded struct {
		ID string `path:"id"`
	}
	for _, value := range []string{"", "abc", "1.0", "1e3", "0x10", "+1", " 1", "99999999999999999999", "\xff"} {
		s, err := params.Read(nil, request("", "", ""), params.Limits{}, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Decode(new(input), func(string) string { return value }); !fault.Is(err, fault.Missing) {
			t.Errorf("%q: got %v", value, err)
		}
	}
	s, _ := params.Read(nil, request("", "", ""), params.Limits{}, "", nil)
	for _, value := range []string{"\xff", "a\x00b"} {
		if err := s.Decode(new(worded), func(string) string { return value }); !fault.Is(err, fault.Missing) {
			t.Errorf("%q: got %v", value, err)
		}
	}
}

func TestEveryFlawIsNamedAtOnce(t *testing.T) {
	const date, needed = "must be a date such as 2026-03-02", "is required"
	tests := map[string]struct {
		kind, body string
		want       map[string]string
	}{
		"nothing": {"", "", map[string]string{"unit[name]": needed, "unit[start_date]": needed}},
		"null wrapper": {"application/json", `{"unit":null}`, map[string]string{"unit[name]": needed,
			"unit[start_date]": needed}},
		"empty wrapper": {form, `unit=`, map[string]string{"unit[name]": needed, "unit[start_date]": needed}},
		"null member": {"application/json", `{"unit":{"name":null,"start_date":""}}`,
			map[string]string{"unit[name]": needed, "unit[start_date]": needed}},
		"empty text is one": {form, `unit[name]=&unit[start_date]=2026-03-02&limit=x`,
			map[string]string{"limit": "must be a whole number"}},
		"missing and wrong": {form, "unit[start_date]=soon&ids[]=1&ids[]=two&limit=1.5&rows[3][pct]=x",
			map[string]string{
				"unit[name]": needed, "unit[start_date]": date, "ids[1]": "must be a whole number",
				"limit":        "must be a whole number",
				"rows[3][pct]": "must be a number", "rows[3][project_id]": needed}},
		"wrapper of another shape": {"application/json", `{"unit":[1]}`,
			map[string]string{"unit": "must be an object"}},
		"inside JSON text": {"application/json", `{"unit":{"name":"n","start_date":"2026-03-02"},"contributions":"[{\"pct\":\"x\"}]"}`,
			map[string]string{"contributions[0][project_id]": needed, "contributions[0][pct]": "must be a number"}},
		"outside the set": {form, `unit[name]=n&unit[start_date]=2026-03-02&unit[kind]=c`,
			map[string]string{"unit[kind]": "must be one of a, b"}},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := decode[everything](t, request("", c.kind, c.body))
			wantFields(t, err, c.want)
		})
	}
}

func TestFlawsAreBounded(t *testing.T) {
	_, err := decode[struct {
		IDs []int `param:"ids"`
	}](t, request("", "application/json", `{"ids":["x"`+strings.Repeat(`,"x"`, 5000)+`]}`))
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || len(e.Fields) != 100 {
		t.Errorf("got %d fields", len(e.Fields))
	}
}

func TestRequiredWithoutRequiredMembersIsNamedItself(t *testing.T) {
	type input struct {
		Unit struct {
			Name string `param:"name"`
		} `param:"unit,required"`
		Rows params.JSON[[]contribution] `param:"rows,required"`
	}
	_, err := decode[input](t, request("", form, "rows=null"))
	wantFields(t, err, map[string]string{"unit": "is required", "rows": "is required"})
}

func TestRequiredUnlessAnother(t *testing.T) {
	type input struct {
		Name     string `param:"name,required"`
		Password string `param:"password" unless:"ticket"`
		Ticket   string `param:"ticket"`
	}
	_, err := decode[input](t, request("", "application/json", `{"ticket":null}`))
	wantFields(t, err, map[string]string{"name": "is required", "password": "is required"})
	_, err = decode[input](t, request("", form, "name=a"))
	wantFields(t, err, map[string]string{"password": "is required"})
	for _, body := range []string{"name=a&ticket=t", "name=a&password=p", "name=a&password="} {
		if _, err := decode[input](t, request("", form, body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestDefaultsStayWhereNothingCame(t *testing.T) {
	s, err := params.Read(nil, request("b=2", "", ""), params.Limits{}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	in := struct {
		A int `param:"a"`
		B int `param:"b"`
	}{A: 10, B: 20}
	if err := s.Decode(&in, nil); err != nil || in.A != 10 || in.B != 2 {
		t.Errorf("got %+v, %v", in, err)
	}
}

func TestOpt(t *testing.T) {
	var absent params.Opt[int]
	null, value := params.Opt[int]{Set: true, Null: true}, params.Opt[int]{V: 3, Set: true}
	if absent.Has() || null.Has() || !value.Has() || absent.Ptr() != nil || null.Ptr() != nil || *value.Ptr() != 3 ||
		null.Or(5) != 5 || value.Or(5) != 3 {
		t.Error("absent, null and present are mixed up")
	}
}

func TestFieldsDescribeTheDeclaration(t *testing.T) {
	type shared struct {
		UnitID int64 `path:"unit_id" doc:"the unit"`
	}
	type input struct {
		shared
		Kind  params.Opt[string]          `param:"kind,required" enum:"a,b" doc:"what kind"`
		Rows  params.JSON[[]contribution] `param:"rows"`
		Sheet *params.Upload              `param:"file"`
		Files map[string]*params.Upload   `param:"*files"`
		Other int
	}
	var got []string
	for _, f := range params.Fields(reflect.TypeFor[input]()) {
		got = append(got, strings.Join([]string{f.Name, f.In, f.Elem.String(), f.Doc, strings.Join(f.Enum, "|"),
			map[bool]string{true: "required"}[f.Required]}, ","))
	}
	want := []string{"unit_id,path,int64,the unit,,required", "kind,param,string,what kind,a|b,required",
		"rows,param,[]params_test.contribution,,,", "file,file,*params.Upload,,,",
		"*files,file,map[string]*params.Upload,,,"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestWrongDeclarationsPanic(t *testing.T) {
	for name, typ := range map[string]reflect.Type{
		"map": reflect.TypeFor[struct {
			A map[string]int `param:"a"`
		}](),
		"twice": reflect.TypeFor[struct {
			A, B int `param:"a"`
		}](),
		"path date": reflect.TypeFor[struct {
			A clock.Date `path:"a"`
		}](),
		"enum": reflect.TypeFor[struct {
			A int `param:"a" enum:"1"`
		}](),
		"option": reflect.TypeFor[struct {
			A int `param:"a,requird"`
		}](),
		"unexported": reflect.TypeFor[struct {
			a int `param:"a"`
		}](),
		"scalar": reflect.TypeFor[int](),
		"files": reflect.TypeFor[struct {
			A []int `param:"*files"`
		}](),
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			params.Fields(typ)
		})
	}
}

func TestTypeMayHoldItself(t *testing.T) {
	type tree struct {
		Name string  `param:"name,required"`
		Kids []*tree `param:"kids"`
	}
	in, err := decode[tree](t, request("", "application/json",
		`{"name":"a","kids":[{"name":"b","kids":[{"name":"c"}]}]}`))
	if err != nil || in.Kids[0].Kids[0].Name != "c" {
		t.Errorf("got %+v, %v", in, err)
	}
}

// mustBeEmpty checks that no file is left in a spool.
func mustBeEmpty(t testing.TB, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) || len(left) > 0 {
		t.Fatalf("left in the spool: %v, %v", left, err)
	}
}

func TestHeaders(t *testing.T) {
	type input struct {
		Key string `header:"Idempotency-Key" doc:"makes it one"`
	}
	for _, c := range []struct {
		values []string
		want   string
		flaw   string
	}{
		{nil, "", ""},
		{[]string{"abc-1"}, "abc-1", ""},
		{[]string{"a", "b"}, "", "Idempotency-Key must be sent once"},
		{[]string{"\xff"}, "", "Idempotency-Key must be plain text"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header["Idempotency-Key"] = c.values
		s, err := params.Read(httptest.NewRecorder(), r, params.Limits{}, t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var in input
		err = s.Decode(&in, nil)
		if in.Key != c.want || (err == nil) != (c.flaw == "") || err != nil && err.Error() != c.flaw {
			t.Errorf("%q gave %q, %v", c.values, in.Key, err)
		}
	}
	if f := params.Fields(reflect.TypeFor[input]())[0]; f.In != "header" || f.Name != "Idempotency-Key" || f.Required {
		t.Errorf("described as %+v", f)
	}
}
