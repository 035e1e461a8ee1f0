package access

import (
	"reflect"
	"testing"
)

// The ids that go into a statement stand in the order of its parts, one of each.
func TestIDsFollowTheParts(t *testing.T) {
	var s Scope
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		v.Field(i).SetInt(int64(100 + i))
	}
	ids, parts := s.ids(), s.parts()
	if len(ids) != len(parts) || len(ids) != v.NumField()-1 { // of a user nothing is asked
		t.Fatalf("%d ids, %d parts, %d fields", len(ids), len(parts), v.NumField())
	}
	for i, p := range parts {
		if p.id != ids[i] {
			t.Errorf("the id of the %s is not in its place", p.what)
		}
	}
}
