package insight

import "lectern/internal/status"

// targetGrades are what a student can aim for.
var targetGrades = []int64{0, 1, 2, 3}

var (
	gradeNames   = [...]string{"Pass", "Credit", "Distinction", "High Distinction"}
	gradeLetters = [...]string{"F", "P", "C", "D", "HD"} // from status.LowestGrade on
)

// noGrade is the grade of a task that has none.
const noGrade = status.LowestGrade - 1

// letter is a task's grade as sheets show it; nothing for none.
func letter(grade int) string {
	if grade < status.LowestGrade || grade > status.HighestGrade {
		return ""
	}
	return gradeLetters[grade-status.LowestGrade]
}
