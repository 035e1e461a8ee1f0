package db

import "testing"

func TestLiteralsAreWordsOfTheProgram(t *testing.T) {
	if text := Literals("queued", "in_work"); text != "('queued', 'in_work')" {
		t.Errorf("the list of words is %s", text)
	}
	for _, word := range []string{"", "it's", "a b", "A", "1", "a;--"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was written into the text of a statement", word)
				}
			}()
			Literals("good", word)
		}()
	}
}
