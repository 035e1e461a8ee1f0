package api

import "lectern/internal/api/endpoint"

// windowed gives the rows the caller asked for of a list that is held whole, as the
// ones may be that grow with a person's years and not with the university.
func windowed[T any](list []T, in paging) (endpoint.List[T], error) {
	limit, offset, asked, err := in.window()
	l := endpoint.List[T]{Total: -1}
	if err != nil {
		return l, err
	}
	if asked {
		l.Total = int64(len(list))
	}
	list = list[min(offset, int64(len(list))):]
	if limit >= 0 {
		list = list[:min(limit, int64(len(list)))]
	}
	l.Rows = func(yield func(T, error) bool) {
		for _, row := range list {
			if !yield(row, nil) {
				return
			}
		}
	}
	return l, nil
}
