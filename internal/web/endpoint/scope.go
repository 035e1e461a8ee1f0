package endpoint

import (
	"reflect"
	"slices"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
)

// scopeField is where an input holds the id of the record its right is about.
type scopeField struct {
	index    []int
	name     string // unit, project, ...
	optional bool   // 0 is a value, not a missing record
	path     bool   // it stands in the path, so it is there from the start
}

func scopeFields(t reflect.Type, at []int) []scopeField {
	if t.Kind() != reflect.Struct {
		return nil
	}
	var out []scopeField
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(append([]int(nil), at...), i)
		if tag := f.Tag.Get("scope"); tag != "" {
			name, opt, _ := strings.Cut(tag, ",")
			if f.Type.Kind() != reflect.Int64 || target(&access.Scope{}, name) == nil {
				panic("endpoint: a scope is an int64 and names a record: " + t.String() + "." + f.Name)
			}
			out = append(out, scopeField{index, name, opt == "optional", f.Tag.Get("path") != ""})
		} else if f.Type.Kind() == reflect.Struct && (f.IsExported() || f.Anonymous) {
			out = append(out, scopeFields(f.Type, index)...)
		}
	}
	return out
}

func target(s *access.Scope, name string) *int64 {
	switch name {
	case "user":
		return &s.User
	case "unit":
		return &s.Unit
	case "role":
		return &s.UnitRole
	case "tutorial":
		return &s.Tutorial
	case "group_set":
		return &s.GroupSet
	case "group":
		return &s.Group
	case "project":
		return &s.Project
	case "definition":
		return &s.Definition
	case "task":
		return &s.Task
	case "learning_alignment":
		return &s.Alignment
	case "note":
		return &s.Note
	case "verdict":
		return &s.Verdict
	case "verdict_batch":
		return &s.VerdictBatch
	}
	return nil
}

// scopeOf gathers the ids. No record has an id below 1.
func scopeOf(fields []scopeField, in reflect.Value) (access.Scope, error) {
	var s access.Scope
	for _, f := range fields {
		id := in.FieldByIndex(f.index).Int()
		if id < 1 && !f.optional {
			return s, fault.New(fault.Missing, "There is no such %s.", strings.ReplaceAll(f.name, "_", " "))
		}
		*target(&s, f.name) = id
	}
	return s, nil
}

// undecided tells whether a record that would choose between the rights of a rule
// may still come.
func (i *Info) undecided(in reflect.Value) bool {
	return len(i.Right.Rights()) > 1 && slices.ContainsFunc(i.scope, func(f scopeField) bool {
		return f.optional && in.FieldByIndex(f.index).Int() == 0
	})
}

// lacking tells whether a record's id is not there yet.
func lacking(fields []scopeField, in reflect.Value) bool {
	return slices.ContainsFunc(fields, func(f scopeField) bool {
		return in.FieldByIndex(f.index).Int() == 0 && !f.optional && !f.path
	})
}

// deciding names the parameters, beside those of the path, that decide about a right.
func (i *Info) deciding() (names []string) {
	for _, f := range i.scope {
		if !f.path {
			names = append(names, f.name+"_id")
		}
	}
	return names
}
