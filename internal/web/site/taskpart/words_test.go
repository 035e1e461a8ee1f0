package taskpart

import (
	"reflect"
	"testing"

	"lectern/internal/teaching/chart"
	"lectern/internal/web/site/page"
)

// The picture of a project says on pages what it says everywhere else.
func TestTheBurndownIsThatOfTheDomain(t *testing.T) {
	p, q := reflect.ValueOf(pictured(page.English)), reflect.ValueOf(chart.EnglishBurndown)
	for i := range p.NumField() {
		if p.Field(i).Kind() == reflect.String && p.Field(i).String() != q.Field(i).String() {
			t.Errorf("the picture says %q, want %q", p.Field(i), q.Field(i))
		}
	}
}
