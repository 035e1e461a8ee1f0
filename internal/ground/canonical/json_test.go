package canonical

import (
	"encoding/json"
	"os"
	"testing"
)

// The vectors are shared with the check of receipts in browsers.
func TestJSON(t *testing.T) {
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		In  string
		Out *string // none: refused
	}
	if err := json.Unmarshal(data, &vectors); err != nil || len(vectors) < 10 {
		t.Fatal(len(vectors), err)
	}
	for _, v := range vectors {
		got, err := JSON([]byte(v.In))
		switch {
		case v.Out == nil && err == nil:
			t.Errorf("%s became %s", v.In, got)
		case v.Out != nil && (err != nil || string(got) != *v.Out):
			t.Errorf("%s became %s (%v), want %s", v.In, got, err, *v.Out)
		}
	}
}
