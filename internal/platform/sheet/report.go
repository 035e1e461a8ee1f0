package sheet

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Report tells what an import did, or in a dry run would do, with each row.
// The zero Report is ready; its lists are never null in JSON.
type Report struct {
	Success []Line `json:"success"`
	Errors  []Line `json:"errors"`
	Ignored []Line `json:"ignored"`
}

// Line is the outcome of one row, or of one file where a zip is imported.
type Line struct {
	Row     any    `json:"row"`            // [heading, value] pairs, or a file name
	Line    int    `json:"line,omitempty"` // where the row begins in the sheet
	Message string `json:"message"`
}

// Names tells what the row is about by the columns that name it: headings in small letters. A file is its name.
func (l Line) Names(columns ...string) string {
	pairs, ok := l.Row.([][2]string)
	if !ok {
		return fmt.Sprint(l.Row)
	}
	var out []string
	for _, c := range columns {
		for _, p := range pairs {
			if strings.ToLower(p[0]) == c && p[1] != "" {
				out = append(out, p[1])
			}
		}
	}
	return strings.Join(out, " ")
}

// Succeed records that the row was carried out.
func (r *Report) Succeed(row Row, format string, args ...any) {
	r.Success = append(r.Success, line(row, fmt.Sprintf(format, args...)))
}

// Fail records why the row was not carried out.
func (r *Report) Fail(row Row, format string, args ...any) {
	r.Errors = append(r.Errors, line(row, fmt.Sprintf(format, args...)))
}

// Ignore records why there was nothing to do for the row.
func (r *Report) Ignore(row Row, format string, args ...any) {
	r.Ignored = append(r.Ignored, line(row, fmt.Sprintf(format, args...)))
}

func line(row Row, message string) Line {
	return Line{Row: row.Pairs(), Line: row.Line(), Message: message}
}

// MarshalJSON writes empty lists where nothing was recorded.
func (r Report) MarshalJSON() ([]byte, error) {
	type plain Report
	p := plain(r)
	for _, list := range []*[]Line{&p.Success, &p.Errors, &p.Ignored} {
		if *list == nil {
			*list = []Line{}
		}
	}
	return json.Marshal(p)
}
