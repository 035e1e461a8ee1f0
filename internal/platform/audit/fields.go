package audit

import (
	"reflect"
	"strings"
	"unicode"
)

// Given names the fields of a struct that are set, in snake case, for changes
// whose zero fields leave a value alone. Embedded structs count as part of it.
func Given(change any) []string {
	var names []string
	eachField(reflect.Indirect(reflect.ValueOf(change)), func(name string, v reflect.Value) {
		if !v.IsZero() {
			names = append(names, name)
		}
	})
	return names
}

// Diff names the fields in which two structs of one type differ, in snake case.
func Diff[T any](before, after T) []string {
	values := map[string]any{}
	eachField(reflect.Indirect(reflect.ValueOf(before)), func(name string, v reflect.Value) {
		values[name] = v.Interface()
	})
	var names []string
	eachField(reflect.Indirect(reflect.ValueOf(after)), func(name string, v reflect.Value) {
		if !reflect.DeepEqual(values[name], v.Interface()) {
			names = append(names, name)
		}
	})
	return names
}

func eachField(v reflect.Value, f func(name string, v reflect.Value)) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch {
		case field.Anonymous && field.Type.Kind() == reflect.Struct:
			eachField(v.Field(i), f)
		case field.IsExported():
			f(snake(field.Name), v.Field(i))
		}
	}
}

// snake writes FirstName as first_name and CampusID as campus_id.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		ends := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || ends) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
