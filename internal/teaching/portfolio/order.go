package portfolio

import (
	"context"
	"slices"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// beyond is more than any number a file of a portfolio has: files stand there
// while they get their new numbers, which are unique.
const beyond = 1 << 20

// MoveFile puts a file of a portfolio at a place among those beside the learning summary, which
// stays first; places count from 1, and one past the end is the end. It numbers the files anew
// and gives them in their order. It fails with fault.Missing where there is no such file, and
// fault.Refused for the learning summary. It is for holders of policy.EditPortfolio on the
// project.
func MoveFile(ctx context.Context, q db.Q, projectID int64, f File, place int64) ([]File, error) {
	if f.Idx == summaryIdx {
		return nil, fault.New(fault.Refused, "The learning summary is always first.")
	}
	if err := db.Lock(ctx, q, "projects", projectID); err != nil {
		return nil, err
	}
	list, err := FilesOf(ctx, q, projectID)
	if err != nil {
		return nil, err
	}
	at := slices.Index(list, f)
	if at < 0 {
		return nil, fault.New(fault.Missing, "The portfolio has no such file.")
	}
	first := slices.IndexFunc(list, func(f File) bool { return f.Idx != summaryIdx })
	list = slices.Delete(list, at, at+1)
	to := first + int(min(max(place, 1), int64(len(list)-first)+1)) - 1
	list = slices.Insert(list, to, f)
	if err := renumber(ctx, q, projectID, list[first:]); err != nil {
		return nil, err
	}
	return list, audit.Add(ctx, q, audit.Entry{Kind: audit.Portfolio, Action: "file_moved", ProjectID: projectID,
		RecordID: list[to].Idx})
}

// renumber gives the files the numbers from 1 in their order.
func renumber(ctx context.Context, q db.Q, projectID int64, list []File) error {
	rows := make([][]any, len(list))
	for i := range list {
		rows[i] = []any{list[i].Idx + beyond, int64(i + 1)}
		list[i].Idx = int64(i + 1)
	}
	_, err := db.Exec(ctx, q, `UPDATE portfolio_files SET idx = idx + $2 WHERE project_id = $1 AND idx > 0`, projectID,
		int64(beyond))
	if err != nil {
		return err
	}
	from, args, err := db.Rows(q, []any{projectID}, []string{"old BIGINT", "place BIGINT"}, rows)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE portfolio_files SET idx = (SELECT r.place FROM `+from+` r
		WHERE r.old = portfolio_files.idx) WHERE project_id = $1 AND idx > 0`, args...)
	return err
}
