package fault

import (
	"errors"
	"maps"
	"strings"
	"testing"
)

func TestFieldsMakeOneError(t *testing.T) {
	var f Fields
	if err := f.Err(Refused); err != nil {
		t.Fatalf("nothing wrong gave %v", err)
	}
	if err := f.ErrSaying(Refused, "No."); err != nil {
		t.Fatalf("nothing wrong gave %v", err)
	}
	f.When(false, "year", "is fine")
	f.Add("name", "may have at most %d characters", 5)
	f.When(true, "code", "may not be blank")
	e, ok := errors.AsType[*Error](f.Err(Refused))
	if !ok || e.Kind != Refused || e.Text != "code may not be blank. name may have at most 5 characters" {
		t.Fatalf("got %#v", e)
	}
	if want := map[string]string{"code": "may not be blank", "name": "may have at most 5 characters"}; !maps.Equal(
		e.Fields, want) {
		t.Errorf("got the fields %v", e.Fields)
	}
}

func TestRenamedNamesFieldsInTheTextThatListsThem(t *testing.T) {
	var f Fields
	f.Add("name", "is too long: code is not")
	f.Add("code", "may not be blank")
	inUnit := func(field string) string { return "unit[" + field + "]" }
	for _, c := range []struct {
		err  error
		text string
	}{
		{f.Err(Refused), "unit[code] may not be blank. unit[name] is too long: code is not"},
		{f.ErrSaying(Refused, "The code is wrong."), "The code is wrong."},
		{Field(Invalid, "code", "is %d", 3), "unit[code] is 3"},
	} {
		e, _ := errors.AsType[*Error](c.err)
		got := e.Renamed(inUnit)
		if got.Text != c.text || got.Kind != e.Kind || len(got.Fields) != len(e.Fields) {
			t.Errorf("%v became %#v", c.err, got)
		}
		for field := range got.Fields {
			if !strings.HasPrefix(field, "unit[") {
				t.Errorf("%v still names %s", c.err, field)
			}
		}
		if _, ok := e.Fields["code"]; !ok {
			t.Errorf("%v was changed itself", c.err)
		}
	}
}
