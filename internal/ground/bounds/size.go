package bounds

import "fmt"

// The units of limits, as settings, messages and documentation use them.
const (
	KB = 1000
	MB = 1000 * KB
	GB = 1000 * MB
)

// SizeText is a number of bytes in the unit people know it by, such as 10 MB.
func SizeText(n int64) string {
	switch {
	case n >= GB:
		return fmt.Sprintf("%.4g GB", float64(n)/GB)
	case n >= MB:
		return fmt.Sprintf("%.4g MB", float64(n)/MB)
	case n >= KB:
		return fmt.Sprintf("%.4g KB", float64(n)/KB)
	}
	return fmt.Sprintf("%d bytes", n)
}
