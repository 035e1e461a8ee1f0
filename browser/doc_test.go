// Package browser holds the tests that look at the pages of the service as people do:
// in Debian's chromium, on a wide screen and on a phone.
//
//	LECTERN_TEST_BROWSER=1 go test ./browser
package browser
