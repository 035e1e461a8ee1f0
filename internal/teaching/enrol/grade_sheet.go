package enrol

import (
	"strconv"
	"strings"

	"lectern/internal/platform/sheet"
)

// GradeSheet is what a sheet of final grades must have. Students are named by student_id, username, email, or by
// any of these in a column called student.
var GradeSheet = sheet.Options{Required: []string{"grade"},
	Optional: []string{"unit_code", "student", "student_id", "username", "email", "old_grade"},
	Lines:    []string{"rationale"}, Names: map[string]string{"grade_rationale": "rationale"}, MaxRows: MostGiven,
	MaxBytes: mostGradeSheet}

// mostGradeSheet bounds a sheet of final grades.
const mostGradeSheet = 5 << 20

// pasteHead is put on top of what was pasted without headings.
const pasteHead = "student\tgrade\trationale\n"

// PastedGrades gives the sheet of what somebody pasted from a spreadsheet: with headings, or a student, a grade and
// perhaps a rationale in each line. It tells whether it put headings on top.
func PastedGrades(text string) (sheet string, headed bool) {
	first, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	for _, cell := range strings.FieldsFunc(first, func(r rune) bool { return strings.ContainsRune("\t,;", r) }) {
		if strings.EqualFold(strings.Trim(cell, " \"\r"), "grade") {
			return text, false
		}
	}
	return pasteHead + text, true
}

// GradesOfSheet reads the rows of a sheet of final grades. What is wrong with a row is said in it, and keeps no
// other back. An empty cell leaves what there is.
func GradesOfSheet(rows *sheet.Reader, unitCode string) (list []GivenGrade) {
	for row, err := range rows.Rows() {
		g := GivenGrade{Line: row.Line()}
		for _, column := range []string{"student_id", "student", "username", "email"} {
			if name := row.Get(column); name != "" {
				g.Name = name
				break
			}
		}
		code := row.Get("unit_code")
		switch {
		case err != nil:
			g.Wrong = err.Error()
		case code != "" && !strings.EqualFold(code, strings.TrimSpace(unitCode)):
			g.Wrong = "The row is for unit " + code + ", not " + unitCode + "."
		case g.Name == "":
			g.Wrong = "The row names no student. Fill in student_id, username, email or student."
		default:
			g.Wrong = g.read(row)
		}
		list = append(list, g)
	}
	return list
}

// read takes the values of a row, and tells what is wrong with them.
func (g *GivenGrade) read(row sheet.Row) string {
	for column, value := range map[string]**int64{"grade": &g.Grade, "old_grade": &g.Old} {
		text := row.Get(column)
		if text == "" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 || n > 100 {
			return column + " must be a whole number from 0 to 100."
		}
		*value = &n
	}
	if text := strings.TrimSpace(row.Text("rationale")); text != "" {
		g.Rationale = &text
	}
	return ""
}
