package demo

import (
	"lectern/internal/platform/db"
	"lectern/internal/teaching/portfolio"
	"lectern/internal/teaching/taskdef"
)

// portfolios has the work of some students compiled ahead of time, learning summary
// and all, so that there are some to look at; the last has only begun with theirs.
func (b *builder) portfolios() {
	names := []string{"student_1", "student_6", "student_10", "student_12"}
	for i, name := range names {
		if b.err == nil {
			b.err = b.portfolio(b.id["COS10001 project "+name], i < len(names)-1)
		}
	}
}

func (b *builder) portfolio(project int64, ask bool) error {
	info, err := b.put(report(0))
	if err == nil {
		_, err = portfolio.AddFile(b.ctx, b.q, b.desk.Files, project, portfolio.NewFile{Name: "LearningSummaryReport",
			Kind: taskdef.Document, Original: "summary.pdf", Stored: info})
	}
	if err != nil || !ask {
		return err
	}
	if _, err := db.Exec(b.ctx, b.q, `UPDATE projects SET submitted_grade = target_grade WHERE id = $1`,
		project); err != nil {
		return err
	}
	return portfolio.Ask(b.ctx, b.q, project)
}
