package portfolio

import (
	"context"

	"lectern/internal/ground/personaldata"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
)

// Personal lists the tables of portfolios.
var Personal = []personaldata.Table{
	{Name: "portfolio_files", About: "files the person added to portfolios", Plain: []string{"kind"},
		Where: "JOIN projects p ON p.id = t.project_id WHERE p.user_id = $1",
		Files: []personaldata.File{{Hash: "hash", Name: "name"}}, Kept: "it is part of the academic record",
		EraseFiles: []string{`DELETE FROM portfolio_files WHERE project_id IN (SELECT id FROM projects
				WHERE user_id = $1)`,
			`UPDATE projects SET portfolio_hash = NULL, compile_portfolio = FALSE WHERE user_id = $1`}},
}

// RemakeOf has every portfolio that names a person compiled anew, and tells how many: their
// own, those of units they convene, and those that hold a document which names them. It waits
// for documents that are being made. It is part of erasing a person, and refuses nothing.
func RemakeOf(ctx context.Context, q db.Q, userID int64) (int, error) {
	ids, err := db.All[int64](ctx, q, `UPDATE projects SET compile_portfolio = TRUE, portfolio_asked_at = $2,
			portfolio_failure = NULL
		WHERE portfolio_hash IS NOT NULL AND (user_id = $1
			OR unit_id IN (SELECT unit_id FROM unit_roles WHERE user_id = $1 AND is_main)
			OR id IN (SELECT t.project_id FROM submissions s JOIN submission_tasks l ON l.submission_id = s.id
				JOIN tasks t ON t.id = l.task_id WHERE s.tutor_id = $1 OR s.user_id = $1))
		RETURNING id`, userID, q.Now())
	if err != nil {
		return 0, err
	}
	list := make([]Args, len(ids))
	for i, id := range ids {
		list[i] = Args{id}
	}
	return len(ids), jobs.EnqueueEach(ctx, q, list, func(Args) jobs.For { return jobs.For{Person: userID} })
}
