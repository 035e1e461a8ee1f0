package params

import (
	"maps"
	"reflect"
	"testing"
)

func TestNamesOfNestedInputs(t *testing.T) {
	type in struct {
		ID   int64  `path:"id"`
		Name string `param:"name"`
		Unit struct {
			ID   int64  `param:"id"`
			Name string `param:"name"`
			Code string `param:"code"`
			From string `param:"from"`
			Part *struct {
				Size int64 `param:"size"`
			} `param:"part"`
		} `param:"unit"`
		Other Opt[struct {
			From string `param:"from"`
			Till string `param:"till"`
		}] `param:"other"`
		Seen struct {
			Code string `param:"code"`
			Past string `param:"past"`
		} `param:"seen" faults:"none"`
		List []struct {
			Mark int64 `param:"mark"`
		} `param:"list"`
	}
	want := map[string]string{"id": "id", "name": "name", "unit": "unit", "other": "other", "list": "list", "seen": "seen",
		"code": "unit[code]", "part": "unit[part]", "size": "unit[part][size]", "till": "other[till]"}
	if got := Names(reflect.TypeFor[in]()); !maps.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
