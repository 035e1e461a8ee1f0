package site

import "testing"

// Every template can be read, though each waits for its first use.
func TestTemplatesAreSound(t *testing.T) {
	for name, read := range english.pages {
		if read().Lookup("main") == nil {
			t.Errorf("%s draws nothing", name)
		}
	}
}
