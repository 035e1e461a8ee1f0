package canonical

import "testing"

func TestJSON(t *testing.T) {
	for in, want := range map[string]string{
		` { "b" : 1, "a" : [ true , null , "x" ] } `: `{"a":[true,null,"x"],"b":1}`,
		`{"u":"\u00fc\u2028<&>","t":"\t\u0001\/"}`:   "{\"t\":\"\\t\\u0001/\",\"u\":\"ü\u2028<&>\"}",
		`-0`: "0", `[9007199254740991,-9007199254740991]`: "[9007199254740991,-9007199254740991]",
	} {
		if got, err := JSON([]byte(in)); err != nil || string(got) != want {
			t.Errorf("%s became %s (%v), want %s", in, got, err, want)
		}
	}
	for _, bad := range []string{`1.5`, `1e3`, `{} {}`, `99999999999999999999`, `{`, `9007199254740992`,
		`-9007199254740992`, `{"ü":1}`, `{"a":{"\u00e9":1}}`} {
		if got, err := JSON([]byte(bad)); err == nil {
			t.Errorf("%s became %s", bad, got)
		}
	}
}
