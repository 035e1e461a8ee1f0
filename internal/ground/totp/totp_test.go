package totp

import (
	"net/url"
	"testing"
	"time"
)

// The secret of the RFCs' vectors, "12345678901234567890".
const vector = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

// The codes of RFC 6238, appendix B, for SHA-1; of their eight digits ours are the
// last six.
func TestVectorsOfRFC6238(t *testing.T) {
	for at, want := range map[int64]string{59: "94287082", 1111111109: "07081804", 1111111111: "14050471",
		1234567890: "89005924", 2000000000: "69279037", 20000000000: "65353130"} {
		if got, err := Code(vector, Step(time.Unix(at, 0))); err != nil || got != want[2:] {
			t.Errorf("at %d: got %s, %v, want %s", at, got, err, want[2:])
		}
	}
}

// The codes of RFC 4226, appendix D, by their count.
func TestVectorsOfRFC4226(t *testing.T) {
	for step, want := range []string{"755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583",
		"399871", "520489"} {
		if got, err := Code(vector, int64(step)); err != nil || got != want {
			t.Errorf("count %d: got %s, %v, want %s", step, got, err, want)
		}
	}
}

func TestMatch(t *testing.T) {
	now := time.Unix(1_800_000_010, 0)
	step := Step(now)
	for off := int64(-2); off <= 2; off++ {
		given, _ := Code(vector, step+off)
		got, err := Match(vector, given, now, 0)
		if want := step + off; err != nil || (got == want) != (off >= -1 && off <= 1) || got != want && got != 0 {
			t.Errorf("%d steps off: got %d, %v", off, got, err)
		}
	}
	given, _ := Code(vector, step)
	for last, want := range map[int64]int64{step - 1: step, step: 0, step + 1: 0} {
		if got, _ := Match(vector, given, now, last); got != want {
			t.Errorf("after step %d: got %d, want %d", last, got, want)
		}
	}
	for _, wrong := range []string{"", given[:5], given + "0", "abcdef"} {
		if got, err := Match(vector, wrong, now, 0); got != 0 || err != nil {
			t.Errorf("%q matches step %d, %v", wrong, got, err)
		}
	}
	if _, err := Match("not a secret!", given, now, 0); err == nil {
		t.Error("a broken secret is taken")
	}
}

func TestSecretsAndTheirAddress(t *testing.T) {
	a, b := NewSecret(), NewSecret()
	if a == b || len(a) != 32 {
		t.Errorf("got %s and %s", a, b)
	}
	u, err := url.Parse(URI("Example: University", "ann@b", a))
	if err != nil || u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/Example  University:ann@b" ||
		u.Query().Get("secret") != a || u.Query().Get("issuer") != "Example: University" {
		t.Errorf("got %v, %v", u, err)
	}
}
