package webhook

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/events"
)

// Kinds are the kinds of events a webhook asks for, kept as JSON; none means all.
type Kinds []events.Kind

// check refuses kinds that will never come.
func (k Kinds) check() error {
	for _, kind := range k {
		if known := kind.Enum(); !slices.Contains(known, string(kind)) {
			return fault.Field(fault.Invalid, "kinds", "may hold %s, not %q", strings.Join(known, ", "), kind)
		}
	}
	return nil
}

// want tells whether events of a kind are asked for.
func (k Kinds) want(kind events.Kind) bool { return len(k) == 0 || slices.Contains(k, kind) }

// Scan implements sql.Scanner.
func (k *Kinds) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("cannot read kinds from %T", src)
	}
	if err := json.Unmarshal([]byte(text), k); err != nil {
		return err
	}
	if *k == nil {
		*k = Kinds{} // null, as it was once written
	}
	return nil
}

// Value implements driver.Valuer.
func (k Kinds) Value() (driver.Value, error) {
	text, err := json.Marshal(append(Kinds{}, k...)) // never null
	return string(text), err
}
