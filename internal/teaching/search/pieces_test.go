package search

import "testing"

func TestWhatWasAskedForIsMarked(t *testing.T) {
	for _, c := range []struct{ text, asked, want string }{
		{"Mia Nguyen", "mia", "[Mia] Nguyen"},
		{"Mia Nguyen", "ngu mi", "[Mi]a [Ngu]yen"},
		{"Mikael", "mi mia", "[Mi]kael"},
		{"Jeremiah", "mia", "Jeremiah"}, // only the beginning of a word is looked for
		{"Zoë O'Brien-Łukasz", "zoe luk bri", "[Zoë] O'[Bri]en-[Łuk]asz"},
		{"Zoe\u0308 Scholz", "zoe", "[Zoe\u0308] Scholz"}, // an accent of its own stays with its letter
		{"Straße", "stras", "[Straß]e"},
		{"5.1P Interfaces", "5.1", "[5].[1]P Interfaces"},
		{"<b>Bold</b>", "b", "<[b]>[B]old</[b]>"},
		{"Mia", "", "Mia"},
		{"", "mia", ""},
	} {
		got := ""
		for _, p := range Pieces(c.text, c.asked) {
			if p.Hit {
				p.Text = "[" + p.Text + "]"
			}
			got += p.Text
		}
		if got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.asked, c.text, got, c.want)
		}
	}
}
