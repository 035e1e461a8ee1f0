package sheet

import "testing"

func TestLinesNameTheirRow(t *testing.T) {
	for _, x := range []struct {
		row  any
		want string
	}{{[][2]string{{"Task", "1.1P"}, {"Username", "ann"}, {"Grade", "3"}}, "ann 1.1P"},
		{[][2]string{{"task", "1.1P"}, {"username", ""}}, "1.1P"}, {[][2]string{}, ""}, {"ann 1.1P.pdf", "ann 1.1P.pdf"}} {
		if got := (Line{Row: x.row}).Names("username", "task"); got != x.want {
			t.Errorf("%v is about %q, not %q", x.row, got, x.want)
		}
	}
}
