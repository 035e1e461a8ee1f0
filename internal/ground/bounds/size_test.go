package bounds

import "testing"

func TestText(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 999: "999 bytes", 1000: "1 KB", 1500: "1.5 KB",
		1_000_000: "1 MB", 10_000_000: "10 MB", 10 << 20: "10.49 MB", 500 * MB: "500 MB",
		23_456 * MB: "23.46 GB"} {
		if got := SizeText(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
