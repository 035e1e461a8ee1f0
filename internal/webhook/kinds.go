package webhook

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/fault"
)

// Kinds are the kinds of events a webhook asks for, kept as JSON; none means all.
type Kinds []string

// Known are the kinds there are.
var Known = Kinds{"status", "submission", "comment", "enrolment", "grade", "extension", "document"}

// check refuses kinds that will never come.
func (k Kinds) check() error {
	for _, kind := range k {
		if !slices.Contains(Known, kind) {
			return fault.Field(fault.Invalid, "kinds", "may hold %s, not %q", strings.Join(Known, ", "), kind)
		}
	}
	return nil
}

// want tells whether events of a kind are asked for.
func (k Kinds) want(kind string) bool { return len(k) == 0 || slices.Contains(k, kind) }

// Scan implements sql.Scanner.
func (k *Kinds) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("cannot read kinds from %T", src)
	}
	return json.Unmarshal([]byte(text), k)
}

// Value implements driver.Valuer.
func (k Kinds) Value() (driver.Value, error) {
	text, err := json.Marshal(slices.Concat(Kinds{}, k)) // never null
	return string(text), err
}
