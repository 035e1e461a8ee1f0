package demo

import (
	"lectern/internal/db"
	"lectern/internal/portfolio"
	"lectern/internal/taskdef"
)

// portfolio has one student's work compiled ahead of time, learning summary and
// all, so that there is one to look at.
func (b *builder) portfolio() {
	if b.err != nil {
		return
	}
	project := b.id["COS10001 project student_1"]
	info, err := b.put(report(0))
	if err == nil {
		_, err = portfolio.AddFile(b.ctx, b.q, b.desk.Files, project, portfolio.NewFile{Name: "LearningSummaryReport",
			Kind: taskdef.Document, Original: "summary.pdf", Stored: info})
	}
	if err == nil {
		_, err = db.Exec(b.ctx, b.q, `UPDATE projects SET submitted_grade = target_grade WHERE id = $1`, project)
	}
	if err == nil {
		err = portfolio.Ask(b.ctx, b.q, project)
	}
	b.err = err
}
