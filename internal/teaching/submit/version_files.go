package submit

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// FindVersion gives the version of a moment, as VersionAt reads one, among all of a task as
// Versions lists them, and its number, from 1. fault.Missing when there is none.
func FindVersion(list []ListedVersion, timestamp string) (*ListedVersion, int, error) {
	from, to, ok := span(timestamp)
	for i := range list {
		if at := list[i].At; ok && !at.Before(from.Time) && at.Before(to.Time) {
			return &list[i], len(list) - i, nil
		}
	}
	return nil, 0, fault.New(fault.Missing, "there is no submission %.40q of this task", timestamp)
}

// FilesOfAll lists the files of several submissions, each in the order of its requirements.
func FilesOfAll(ctx context.Context, q db.Q, submissions []int64) (map[int64][]File, error) {
	type row struct {
		SubmissionID int64 `db:"submission_id"`
		File
	}
	out := map[int64][]File{}
	in, args := db.In(nil, submissions)
	for r, err := range db.Each[row](ctx, q, `SELECT submission_id, position, key, title, kind, name, hash, size, zipped
		FROM submission_files WHERE submission_id IN `+in+` ORDER BY submission_id, position`, args...) {
		if err != nil {
			return nil, err
		}
		out[r.SubmissionID] = append(out[r.SubmissionID], r.File)
	}
	return out, nil
}
