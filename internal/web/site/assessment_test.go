package site_test

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
)

// reported keeps a report of tests as the runner does; nil where it is empty.
func (w *world) reported(ctx context.Context, q db.Q, report string) (hash any, err error) {
	if report == "" {
		return nil, nil
	}
	info, err := w.files.Put(ctx, strings.NewReader(report))
	if err == nil {
		err = blob.Keep(ctx, q, w.files, info)
	}
	return string(info.Hash), err
}

// assessed lets the newest submission have an assessment in a state, with a report as
// the runner keeps it; none where it is empty.
func (w *world) assessed(state, reason, report string) {
	w.Helper()
	w.tx(func(ctx context.Context, q db.Q) error {
		hash, err := w.reported(ctx, q, report)
		if err != nil {
			return err
		}
		var why any
		if reason != "" {
			why = reason
		}
		_, err = db.Exec(ctx, q, `INSERT INTO assessments (submission_id, status, reason, report_hash, result_status,
				created_at, updated_at)
			SELECT max(id), $1, $2, $3, 'fix_and_resubmit', $4, $4 FROM submissions WHERE true
			ON CONFLICT (submission_id) DO UPDATE SET status = excluded.status, reason = excluded.reason,
				report_hash = excluded.report_hash`, state, why, hash, q.Now())
		return err
	})
}

// The page of a result tells students in one sentence that the tests cannot be run, and the
// staff what the engine says.
func TestOnlyStaffReadWhatTheEngineSaysOnPages(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, tom, path := w.as("ann"), w.as("tom"), w.path(aTask)
		ann.send(path+"/hand-in", "first", "a.go", "package a\n").status(303)
		w.assessed("queued", "The service will try again by itself.", "")
		w.exec(`UPDATE assessments SET trouble = $1`, "lookup registry: <no such host>")
		link := regexp.MustCompile(path + `/versions/[^"]+/tests`).FindString(
			ann.do(path+"?tab=tests", nil).status(200).Body.String())
		one := ann.do(link, nil).status(200).says("The service will try again by itself.").Body.String()
		if strings.Contains(one, "no such host") || strings.Contains(one, "container engine") {
			t.Error("a student reads what the engine says")
		}
		tom.do(link, nil).status(200).says("What the container engine says").says("&lt;no such host&gt;").
			says("The service will try again by itself.")
	})
}

// The page of a task tells of each version how far its tests are, why they failed and
// what they said; the page of a result shows the output, and to staff what is theirs.
func TestResultsOfTestsOnPages(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, tom, path := w.as("ann"), w.as("tom"), w.path(aTask)
		if text := ann.do(path, nil).status(200).Body.String(); strings.Contains(text, "Automated tests") {
			t.Error("tests are told of that never ran")
		}
		ann.send(path+"/hand-in", "first", "a.go", "package a\n").status(303)
		w.assessed("failed", "The run was ended: it took longer than <1m>.", "")
		ann.send(path+"/hand-in", "second", "a.go", "package b\n").status(303)
		w.assessed("queued", "", "")
		ann.do(path+"?tab=tests", nil).status(200).says("Queued").says("Earlier versions (1)").says("Failed").
			says("it took longer than &lt;1m&gt;.")
		w.assessed("running", "", "")
		ann.do(path+"?tab=tests", nil).status(200).says("Running")
		w.assessed("done", "", `{"exit_code":3,"build_message":"It <b>builds</b>.","run_message":"2 of 3 pass.",
			"output":"<script>alert(1)</script>","judge_output":"for staff","run_diff":"A out","judged":"fix"}`)
		shown := ann.do(path+"?tab=tests", nil).status(200).says("Done").says("It &lt;b&gt;builds&lt;/b&gt;.").says("2 of 3 pass.")
		links := regexp.MustCompile(path+`/versions/[^"]+/tests`).FindAllString(shown.Body.String(), -1)
		if len(links) != 2 {
			t.Fatalf("links: %v", links)
		}
		one := ann.do(links[0], nil).status(200).says("It &lt;b&gt;builds").says("&lt;script&gt;alert(1)").
			says("Fix and resubmit").says("Run tests again").says("&lt;b&gt;1&lt;/b&gt;")
		if strings.Contains(one.Body.String(), "for staff") || strings.Contains(one.Body.String(), "A out") {
			t.Error("a student sees what is for the staff")
		}
		tom.do(links[0], nil).status(200).says("for staff").says("A out").says("Exit code")
		ann.sound(links[0], one)
		ann.do(links[1], nil).status(200).says("Failed")
		ann.do(links[0], url.Values{}).status(409).says(`role="alert"`) // the task has no tests any more
		w.tx(func(ctx context.Context, q db.Q) error {
			for _, text := range []string{`INSERT INTO overseer_images (name, tag) VALUES ('a', 'a/b:1')`,
				`UPDATE units SET assessment_enabled = TRUE, overseer_image_id = (SELECT max(id) FROM overseer_images)`,
				`UPDATE task_definitions SET assessment_enabled = TRUE, assessment_hash = (SELECT min(hash) FROM blobs)`} {
				if _, err := db.Exec(ctx, q, text); err != nil {
					return err
				}
			}
			return nil
		})
		ann.do(links[0], url.Values{}).leadsTo(links[0])
		ann.do(links[0], nil).status(200).says("Queued")
	})
}
