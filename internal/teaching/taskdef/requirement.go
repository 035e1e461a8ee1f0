package taskdef

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"lectern/internal/ground/fault"
)

// Requirement is one file a student must hand in. Key is the name of the
// upload, by custom file0, file1 and so on.
type Requirement struct {
	Key      string     `json:"key"`
	Name     string     `json:"name"`
	Type     UploadKind `json:"type"`
	TiiCheck *bool      `json:"tii_check,omitempty"`
	TiiPct   *int64     `json:"tii_pct,omitempty"`
	Zip      bool       `json:"zip,omitempty" doc:"of code: a zip of up to 200 text files is taken as these files"`
}

// Requirements are the files of a definition, kept as JSON text.
type Requirements []Requirement

// Check is a comparison of the code students handed in among each other.
type Check struct {
	Key     string `json:"key"`
	Type    string `json:"type"`    // "moss " and a language
	Pattern string `json:"pattern"` // of the names of the files to compare
}

// Checks are the comparisons of a definition, kept as JSON text.
type Checks []Check

const (
	maxRequirements = 20
	maxListText     = 4096 // characters in a list of either kind, as JSON
)

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]{1,50}$`)

// ParseRequirements reads a list of requirements strictly: fault.Invalid for
// any shape but the one above, an unknown member included.
func ParseRequirements(text string) (Requirements, error) {
	list, err := parseList[Requirement](text)
	for i := range list {
		if err == nil {
			err = list[i].check(list[:i])
		}
	}
	if err != nil {
		return nil, fault.Field(fault.Invalid, "upload_requirements", "%s", err)
	}
	return list, nil
}

func (r *Requirement) check(before []Requirement) error {
	kind, known := ParseUploadKind(string(r.Type))
	switch {
	case !plainKey.MatchString(r.Key):
		return fmt.Errorf("has the key %.60q; a key is 1 to 50 letters, digits, _ or -", r.Key)
	case strings.TrimSpace(r.Name) == "" || utf8.RuneCountInString(r.Name) > 255:
		return fmt.Errorf("has a file %s whose name is blank or longer than 255 characters", r.Key)
	case !known:
		return fmt.Errorf("has the type %.30q; a type is %s", r.Type, eitherUploadKind())
	case r.TiiPct != nil && (*r.TiiPct < 0 || *r.TiiPct > 100):
		return fmt.Errorf("has the tii_pct %d; it is 0 to 100", *r.TiiPct)
	case r.Zip && kind != Code:
		return fmt.Errorf("has a file %s that may be a zip; only one of type code may", r.Key)
	}
	for _, other := range before {
		if other.Key == r.Key {
			return fmt.Errorf("has the key %s twice", r.Key)
		}
	}
	r.Type = kind
	return nil
}

// ParseChecks reads a list of comparisons as strictly.
func ParseChecks(text string) (Checks, error) {
	list, err := parseList[Check](text)
	for i := range list {
		if err == nil {
			err = list[i].check()
		}
	}
	if err != nil {
		return nil, fault.Field(fault.Invalid, "plagiarism_checks", "%s", err)
	}
	return list, nil
}

func (c *Check) check() error {
	switch {
	case strings.TrimSpace(c.Key) == "" || strings.TrimSpace(c.Pattern) == "":
		return errors.New("has a check without key or pattern")
	case !strings.HasPrefix(c.Type, "moss ") || strings.TrimSpace(c.Type[5:]) == "":
		return fmt.Errorf("has the type %.30q; a type is moss and a language, such as moss csharp", c.Type)
	case strings.Contains(c.Pattern, "/") || strings.Contains(c.Pattern, ".."):
		return fmt.Errorf("has the pattern %.60q; neither / nor .. may stand in one", c.Pattern)
	}
	return nil
}

// parseList reads a JSON list of objects that have no member but those of T.
// Blank text and null are the empty list.
func parseList[T any](text string) ([]T, error) {
	if strings.TrimSpace(text) == "" {
		return []T{}, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var items []*T
	if err := d.Decode(&items); err != nil {
		return nil, explainJSON(err)
	}
	if _, err := d.Token(); err != io.EOF { //nolint:errorlint // Token gives it bare
		return nil, errors.New("has text after the list")
	}
	if len(items) > maxRequirements {
		return nil, fmt.Errorf("has %d entries; at most %d are accepted", len(items), maxRequirements)
	}
	out := make([]T, len(items))
	for i, item := range items {
		if item == nil {
			return nil, errors.New("holds null where an object is due")
		}
		out[i] = *item
	}
	if n := utf8.RuneCount(encodeList(out)); n > maxListText {
		return nil, fmt.Errorf("takes %d characters; at most %d are accepted", n, maxListText)
	}
	return out, nil
}

// explainJSON puts the decoder's words into ours.
func explainJSON(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("must be a list of objects; %s stands where another kind of value is due", wrong.Value)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("has the unknown member %.60s", name)
	}
	return errors.New("is not valid JSON")
}

// encodeList writes a list as compact JSON, the same for equal lists.
func encodeList[T any](list []T) []byte {
	if len(list) == 0 {
		return []byte("[]")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(list); err != nil {
		panic(err) // lists of plain structs always encode
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// String gives the JSON text.
func (r Requirements) String() string { return string(encodeList(r)) }

// String gives the JSON text.
func (c Checks) String() string { return string(encodeList(c)) }

// Value implements driver.Valuer.
func (r Requirements) Value() (driver.Value, error) { return r.String(), nil }

// Value implements driver.Valuer.
func (c Checks) Value() (driver.Value, error) { return c.String(), nil }

// Scan implements sql.Scanner.
func (r *Requirements) Scan(src any) error { return scanList((*[]Requirement)(r), src) }

// Scan implements sql.Scanner.
func (c *Checks) Scan(src any) error { return scanList((*[]Check)(c), src) }

func scanList[T any](to *[]T, src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("cannot read a list from %T", src)
	}
	*to = []T{}
	if text == "[]" {
		return nil
	}
	return json.Unmarshal([]byte(text), to)
}

// Checked tells whether what is handed in is compared with the work of others.
func (r *Requirement) Checked() bool { return r.TiiCheck != nil && *r.TiiCheck }

// Checked tells whether any of the files is compared with the work of others.
func (r Requirements) Checked() bool {
	return slices.ContainsFunc(r, func(one Requirement) bool { return one.Checked() })
}

// ForStudents are the requirements without what only staff see.
func (r Requirements) ForStudents() Requirements {
	out := make(Requirements, len(r))
	for i, one := range r {
		out[i] = Requirement{Key: one.Key, Name: one.Name, Type: one.Type, Zip: one.Zip}
	}
	return out
}

// OneDocument tells whether a definition with these can be the draft of the
// learning summary.
func (r Requirements) OneDocument() bool { return len(r) == 1 && r[0].Type == Document }

// Asked refuses a file that none of the requirements is for, by its key.
func (l Requirements) Asked(key string) error {
	for _, r := range l {
		if r.Key == key {
			return nil
		}
	}
	return fault.Field(fault.Invalid, key, "is not asked for by this task")
}
