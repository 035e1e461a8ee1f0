package demo

import (
	"archive/zip"
	"bytes"
	"context"
	"io/fs"
	"strings"

	"lectern/docs/assessment"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/taskdef"
)

// runsIn is what the demo's package runs in; it is pulled before the first run.
const runsIn = "docker.io/library/busybox:stable"

// Assess adds a task to the demo that is assessed in a container: students hand in
// answer.txt, and a judge compares it with what is expected. Call it where there is
// an engine.
func Assess(ctx context.Context, q db.Q, store files.Store) error {
	pack, err := zipPackage(assessment.TextDiff, "text-diff")
	if err != nil {
		return err
	}
	info, err := store.Put(ctx, bytes.NewReader(pack))
	if err != nil {
		return err
	}
	unit, err := db.One[int64](ctx, q, `SELECT id FROM units WHERE code = 'COS10001' ORDER BY id LIMIT 1`)
	if err != nil {
		return err
	}
	i, err := assess.AddImage(ctx, q, assess.Image{Name: "BusyBox", Tag: runsIn})
	if err != nil {
		return err
	}
	d, err := taskdef.AddDefinition(ctx, q, *unit, listing(clock.Day(q.Now().Time), &i.ID))
	if err != nil {
		return err
	}
	return taskdef.Attach(ctx, q, store, taskdef.Attachment{DefinitionID: d.ID, Kind: taskdef.Assessment, File: info})
}

// listing is the task that is assessed.
func listing(today clock.Date, imageID *int64) taskdef.DefinitionChange {
	target, stream := today.AddDays(7), new("prac 1")
	return taskdef.DefinitionChange{Name: new("Count to three"), Abbreviation: new("AUTO"),
		Description: new("Submit answer.txt with the words one, two and three, each on a line of its own. The tests " +
			"answer within a minute."),
		Weighting: new(int64(1)), TargetGrade: new(grade.Pass), StartDate: &today, TargetDate: &target,
		StreamAbbr: &stream, OverseerImageID: &imageID, AssessmentEnabled: new(true),
		Requirements: &taskdef.Requirements{{Key: "file0", Name: "answer.txt", Type: taskdef.Code}}}
}

// zipPackage packs a folder as staff upload it.
func zipPackage(from fs.FS, root string) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	err := fs.WalkDir(from, root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := fs.ReadFile(from, path)
		if err != nil {
			return err
		}
		w, err := z.Create(strings.TrimPrefix(path, root+"/"))
		if err == nil {
			_, err = w.Write(content)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}
