package submit

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A receipt that was written as a number proves what it proved before.
func TestAReceiptAsANumber(t *testing.T) {
	s, keys := newSigner(t)
	rapid.Check(t, func(t *rapid.T) {
		b := sampleBody(t)
		r, err := s.sign(b)
		if err != nil {
			t.Fatal(err)
		}
		digits, err := r.Digits()
		if err != nil || strings.Trim(digits, "0123456789") != "" {
			t.Fatalf("%q %v", digits, err)
		}
		text, err := FromDigits(digits)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Verify(text, keys)
		if err != nil || got.Words() != b.Words() {
			t.Fatalf("%v: %s", err, text)
		}
		at := rapid.IntRange(0, len(digits)-1).Draw(t, "at")
		other := digits[:at] + string('0'+(digits[at]-'0'+1)%10) + digits[at+1:]
		if text, err := FromDigits(other); err == nil {
			if b, err := Verify(text, keys); err == nil && b.Words() != got.Words() {
				t.Fatalf("another number proves something else: %s", text)
			}
		}
	})
}

// FuzzDigits: whatever stands in an address is a receipt to be checked, or refused.
func FuzzDigits(f *testing.F) {
	f.Add("")
	f.Add("-1")
	f.Add("257")
	f.Add(strings.Repeat("9", 5000))
	f.Fuzz(func(t *testing.T, digits string) {
		text, err := FromDigits(digits)
		if err == nil && len(text) > 2*maxDigits {
			t.Errorf("%d bytes of %d digits", len(text), len(digits))
		}
	})
}
