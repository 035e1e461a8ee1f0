package params_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/web/params"
)

func TestContentTypes(t *testing.T) {
	const json = `{"x":"v"}`
	tests := []struct {
		kind, body string
		want       fault.Kind // Internal means no error
	}{
		{"", "", 0}, {"text/plain", "", 0}, {"image/png; =", "", 0}, {"application/json", "", 0}, {form, "", 0},
		{"application/json", " \r\n\t", 0}, {"multipart/form-data; boundary=b", "", 0}, {"multipart/form-data", "", 0},
		{"application/json", json, 0}, {"Application/JSON; charset=UTF-8", json, 0}, {"text/json", json, 0},
		{"application/json", "\ufeff" + json, 0},
		{form + "; charset=utf-8", "x=v", 0}, {form, "&&x=v&", 0},
		{"", json, fault.Unsupported}, {"text/plain", "x=v", fault.Unsupported}, {"application/merge-patch+json", json,
			fault.Unsupported},
		{"application/json; charset=utf-16", json, fault.Unsupported}, {"multipart/mixed; boundary=b", "--b--",
			fault.Unsupported},
		{"nonsense", "x", fault.Unsupported}, {"multipart/form-data", "--b--", fault.Invalid},
		{"multipart/form-data; boundary=b", "--b--", 0},
		{"multipart/form-data; boundary=b", "nonsense", fault.Invalid},
		{"multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\nv",
			fault.Invalid},
		{"multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\nv\r\n--b\r\n",
			fault.Invalid},
		{"multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"x\"", fault.Invalid},
		{"multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data\r\n\r\nv\r\n--b--", fault.Invalid},
		{"multipart/form-data; boundary=b", "--b\r\n\r\nv\r\n--b--", fault.Invalid},
		{"multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\nv\r\n--b--", 0},
	}
	for _, c := range tests {
		in, err := decode[one[string]](t, request("", c.kind, c.body))
		if c.want == 0 && err != nil || c.want != 0 && !fault.Is(err, c.want) {
			t.Errorf("%q %q: got %v", c.kind, c.body, err)
		}
		if strings.Contains(c.body, "v") && err == nil && in.X.V != "v" {
			t.Errorf("%q %q: got %+v", c.kind, c.body, in)
		}
	}
	r := request("", "application/json", json)
	r.Header.Set("Content-Encoding", "gzip")
	if _, err := decode[one[string]](t, r); !fault.Is(err, fault.Unsupported) {
		t.Errorf("compressed: got %v", err)
	}
}

func TestMethodsAndMissingBodies(t *testing.T) {
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		r := request("", "application/json", `{"x":"v"}`)
		r.Method = method
		if in, err := decode[one[string]](t, r); err != nil || in.X.V != "v" {
			t.Errorf("%s: got %+v, %v", method, in, err)
		}
	}
	r, err := http.NewRequest("GET", "/?x=v", nil)
	if err != nil {
		t.Fatal(err)
	}
	if in, err := decode[one[string]](t, r); err != nil || in.X.V != "v" {
		t.Errorf("got %+v, %v", in, err)
	}
}

func TestStrictJSON(t *testing.T) {
	good := []string{`{}`, ` {"x" : "\u00e9\ud83d\ude00\n\/" , "y":[1,-0.5e+10,{"z":[]}]} `, `{"X":1,"x":"a"}`,
		`{"":1}`,
		`{"a":` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + `}`}
	bad := []string{`[]`, `null`, `"x"`, `1`, `{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{'a':1}`, `{"a":1}{}`,
		`{"a":1} x`, `{"a":01}`, `{"a":+1}`,
		`{"a":1.}`, `{"a":.5}`, `{"a":1e}`, `{"a":-}`, `{"a":NaN}`, `{"a":tru}`, `{"a":"\x"}`, `{"a":"\u12g4"}`,
		`{"a":"\u12`, `{"a":"\`, `{"a":"x`,
		"{\"a\":\"\t\"}", `{"a":1 "b":2}`, `{"a":[1 2]}`, `{"a":[1,]}`, `{"a":[`, `{"a":"\ud800"}`,
		`{"a":"\ud800\u0041"}`, `{"a":"\udc00"}`,
		`{"a":1,"a":2}`, `{"a":{"b":[{"c":1,"c":null}]}}`, `{"a":1,"\u0061":2}`, "{\"a\":\"\xff\"}", "{\"\xff\":1}",
		`{"a":"\u0000"}`, `{"a\u0000":1}`,
		"{\"a\":\"\x00\"}", "{\"a\":1}\x00", "\x00", `{"a":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`,
		strings.Repeat(`{"a":`, 100_000), `{"a":[` + strings.Repeat("0,", 100_000) + `0]}`, `// x`, `{"a":1/**/}`,
		`{"a":0x1}`}
	for _, body := range good {
		if _, err := decode[struct{}](t, request("", "application/json", body)); err != nil {
			t.Errorf("%.60q: %v", body, err)
		}
	}
	for _, body := range bad {
		if _, err := decode[struct{}](t, request("", "application/json", body)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.60q: got %v", body, err)
		}
	}
	in, err := decode[anyText](t, request("", "application/json", good[1]))
	if err != nil || in.X.V != "é😀\n/" {
		t.Errorf("got %+v, %v", in, err)
	}
}

func TestDuplicatesAmongManyKeys(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, `"k%d":1,`, i)
	}
	if _, err := decode[struct{}](t, request("", "application/json", "{"+b.String()+`"z":1}`)); err != nil {
		t.Error(err)
	}
	for _, again := range []string{"k0", "k15", "k16", "k499"} {
		_, err := decode[struct{}](t, request("", "application/json", "{"+b.String()+`"`+again+`":1}`))
		wantFields(t, err, map[string]string{again: "is given twice"})
	}
}

func TestBadTextNamesItsParameter(t *testing.T) {
	const utf8, nul = "must be valid UTF-8", "must not hold a NUL character"
	tests := []struct{ query, kind, body, name, reason string }{
		{"unit[name]=%ff", "", "", "unit[name]", utf8}, {"unknown=%00", "", "", "unknown", nul},
		{"", form, "unit[name]=a%00b", "unit[name]", nul}, {"%ff=1", "", "", `"\xff"`, utf8},
		{"a%00=1", "", "", `"a\x00"`, nul},
		{"", "application/json", "{\"unit\":{\"name\":\"\xc3\"}}", "unit[name]", utf8},
		{"", "application/json", `{"unit":[{"name":"\u0000"}]}`, "unit[0][name]", nul},
		{"", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; " +
			"name=\"x\"\r\n\r\n\xff\r\n--b--", "x", utf8},
		{"x=%zz", "", "", "x", "has a wrong % escape"}, {"%zz=1", "", "", "%zz", "has a wrong % escape in its name"},
	}
	for _, c := range tests {
		_, err := decode[struct{}](t, request(c.query, c.kind, c.body))
		wantFields(t, err, map[string]string{c.name: c.reason})
	}
}

func TestBracketNames(t *testing.T) {
	for _, key := range []string{"a", "a[b]", "a[]", "a[b][]", "a[b][c][d][e]", "a[b][c][d][e][]", "a[0][b]", "a b",
		"a.b"} {
		if _, err := decode[struct{}](t, request(urlencode([]pair{{key, "1"}}), "", "")); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
	for _, key := range []string{"", "[a]", "a[", "a]", "a[b", "a[b]c", "a[b]]", "a[[b]]", "a[][b]", "a[][]",
		"a[b][c][d][e][f]", "[]"} {
		if _, err := decode[struct{}](t, request(urlencode([]pair{{key, "1"}}), "", "")); !fault.Is(err,
			fault.Invalid) {
			t.Errorf("%q: got %v", key, err)
		}
	}
	for _, query := range []string{"unit=1&unit[name]=x", "unit[name]=x&unit=1", "x[]=1&x=2", "x=1&x[]=2",
		"x[]=1&x[0]=2", "x[0]=1&x[]=2", "x=1&x=2&x[]=3"} {
		if _, err := decode[struct{}](t, request(query, "", "")); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: got %v", query, err)
		}
		if _, err := decode[struct{}](t, request("", form, query)); !fault.Is(err, fault.Invalid) {
			t.Errorf("body %q: got %v", query, err)
		}
	}
}

func TestNumberOfKeys(t *testing.T) {
	keys := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for body, ok := range map[string]bool{
		keys("k%d=1&", 1000): true, keys("k%d=1&", 1001): false, keys("k[%d]=1&", 999): true,
		keys("k[%d]=1&", 1000): false,
		keys("k[]=%d&", 10000): true, keys("k[]=%d&", 10001): false,
	} {
		if _, err := decode[struct{}](t, request("", form, body)); ok != (err == nil) || !ok &&
			!fault.Is(err, fault.Invalid) {
			t.Errorf("%.30q: got %v", body, err)
		}
	}
	if _, err := decode[struct{}](t, request(keys("k%d=1&", 600), form, keys("q%d=1&", 600))); !fault.Is(err,
		fault.Invalid) {
		t.Errorf("query and body together: got %v", err)
	}
}

func TestBodyLimits(t *testing.T) {
	big := strings.Repeat("x", 5<<20)
	field := strings.Repeat("x", 2*bounds.MB+1)
	kind, tooLong := multiparts(t, []pair{{"x", field}})
	var many []pair
	for i := range 5 {
		many = append(many, pair{fmt.Sprint("f", i), field[:bounds.MB]})
	}
	kindMany, sum := multiparts(t, many)
	tests := map[string]struct{ kind, body string }{
		"JSON":              {"application/json", `{"x":"` + big + `"}`},
		"urlencoded":        {form, "x=" + big},
		"urlencoded field":  {form, "x=" + field},
		"multipart field":   {kind, tooLong},
		"multipart in sum":  {kindMany, sum},
		"10 MB of brackets": {"application/json", strings.Repeat("[", 10<<20)},
	}
	for name, c := range tests {
		if _, err := decode[one[string]](t, request("", c.kind, c.body)); !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s: got %v", name, err)
		}
		if _, err := decode[one[string]](t, chunked(request("", c.kind, c.body))); !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s of unknown length: got %v", name, err)
		}
	}
	_, err := decode[one[string]](t, request("", "application/json", `{"x":"`+big+`"}`))
	if e, _ := errors.AsType[*fault.Error](err); !strings.Contains(e.Text, "4 MB") {
		t.Errorf("the limit is not named: %q", e.Text)
	}
}

func TestRoomForFilesIsNoRoomForText(t *testing.T) {
	kind, body := multiparts(t, []pair{{"a", "12345"}, {"b", "12345"}, {"c", "1"}})
	_, err := params.Read(nil, request("", kind, body), params.Limits{JSON: 10, Field: 5, File: 1 << 20}, t.TempDir(),
		nil)
	if !fault.Is(err, fault.TooLarge) || !strings.Contains(err.Error(), "the text of the form") {
		t.Errorf("got %v", err)
	}
}

func TestOwnLimits(t *testing.T) {
	lim := params.Limits{JSON: 20, Field: 5, Total: 10}
	for body, ok := range map[string]bool{"x=12345": true, "x=123456": false, "x=1&y=2&z=3": false} {
		_, err := params.Read(nil, request("", form, body), lim, "", nil)
		if ok != (err == nil) || !ok && !fault.Is(err, fault.TooLarge) {
			t.Errorf("%q: got %v", body, err)
		}
	}
}
