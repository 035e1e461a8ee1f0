package app

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const prefix = "LECTERN_"

// CheckEnvironment refuses variables that look like ours but are not: a setting
// that is misspelt would otherwise be silently ignored. Those of the tests are
// let through, and those that Kubernetes sets for a service of our name.
func CheckEnvironment(environ, known []string) error {
	var unknown []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, prefix) || strings.HasPrefix(name, prefix+"TEST_") || slices.Contains(known, name) ||
			ofAService.MatchString(pair) {
			continue
		}
		unknown = append(unknown, fmt.Sprintf("%s is no setting; did you mean %s?", name, nearest(name, known)))
	}
	if unknown == nil {
		return nil
	}
	slices.Sort(unknown)
	return fmt.Errorf("%s\nSee lectern serve --help for all settings", strings.Join(unknown, "\n"))
}

// Kubernetes tells every container of a namespace of its services: of one named lectern, or
// lectern-db, by variables that begin as ours do. LECTERN_PORT=3000 is none of them.
var ofAService = regexp.MustCompile(`^LECTERN_([A-Z0-9_]+_)?(SERVICE_HOST=|SERVICE_PORT(_[A-Z0-9_]+)?=|` +
	`PORT=(tcp|udp|sctp)://|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?=)`)

func nearest(name string, known []string) string {
	return slices.MinFunc(known, func(a, b string) int { return distance(name, a) - distance(name, b) })
}

// distance counts the letters to add, drop or change to get from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
