package browser

import (
	"encoding/json"
	"os"
	"testing"
)

// The page of receipts writes JSON as the service signs it, and goes on checking when
// the network is gone.
func TestReceiptsAreCheckedOffline(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		data, err := os.ReadFile("../internal/canonical/testdata/vectors.json")
		if err != nil {
			t.Fatal(err)
		}
		var vectors []struct {
			In  string
			Out *string
		}
		if err := json.Unmarshal(data, &vectors); err != nil {
			t.Fatal(err)
		}
		b := open(t, quiet(t), on)
		b.visit("/receipts/check")
		for _, v := range vectors {
			in, err := json.Marshal(v.In)
			if err != nil {
				t.Fatal(err)
			}
			got := eval[*string](b, `(() => { try { return receipts.canonical(`+string(in)+`) } catch { return null } })()`)
			if (got == nil) != (v.Out == nil) || got != nil && *got != *v.Out {
				t.Errorf("%s is not written as the service writes it", v.In)
			}
		}
	}, wide)
}
