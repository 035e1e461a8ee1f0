package db

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"reflect"
	"strconv"
)

// assign stores a value of SQLite's where a pointer leads, as database/sql does: the
// commonest pairs at once, the others by reflection.
func assign(to any, v driver.Value) error {
	switch to := to.(type) {
	case *int64:
		if n, ok := v.(int64); ok {
			*to = n
			return nil
		}
	case *string:
		if s, ok := v.(string); ok {
			*to = s
			return nil
		}
	case *bool:
		if n, ok := v.(int64); ok && n>>1 == 0 {
			*to = n == 1
			return nil
		}
	case **int64:
		return some(to, v)
	case **string:
		return some(to, v)
	case *any:
		*to = v
		return nil
	case sql.Scanner:
		return to.Scan(v)
	}
	return reflected(reflect.ValueOf(to).Elem(), v)
}

// some stores a value that may be absent.
func some[T any](to **T, v driver.Value) error {
	if v == nil {
		*to = nil
		return nil
	}
	*to = new(T)
	return assign(*to, v)
}

func reflected(to reflect.Value, v driver.Value) error {
	if v == nil && (to.Kind() == reflect.Pointer || to.Kind() == reflect.Slice) {
		to.SetZero()
		return nil
	}
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		return assign(to.Interface(), v)
	}
	switch v := v.(type) {
	case int64:
		return fromInt(to, v)
	case float64:
		if to.CanFloat() {
			to.SetFloat(v)
			return nil
		}
	case string:
		return fromText(to, v)
	case []byte:
		return fromText(to, string(v))
	}
	return unfit(to, v)
}

func fromInt(to reflect.Value, n int64) error {
	switch {
	case to.CanInt() && !to.OverflowInt(n):
		to.SetInt(n)
	case to.CanUint() && n >= 0 && !to.OverflowUint(uint64(n)):
		to.SetUint(uint64(n))
	case to.CanFloat():
		to.SetFloat(float64(n))
	case to.Kind() == reflect.Bool && n>>1 == 0:
		to.SetBool(n == 1)
	case to.Kind() == reflect.String:
		to.SetString(strconv.FormatInt(n, 10))
	default:
		return unfit(to, n)
	}
	return nil
}

func fromText(to reflect.Value, s string) error {
	switch {
	case to.Kind() == reflect.String:
		to.SetString(s)
	case to.Kind() == reflect.Slice && to.Type().Elem().Kind() == reflect.Uint8:
		to.SetBytes([]byte(s))
	default:
		return unfit(to, s)
	}
	return nil
}

func unfit(to reflect.Value, v driver.Value) error {
	return fmt.Errorf("%T %v does not fit into a %v", v, v, to.Type())
}
