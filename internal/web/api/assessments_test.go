package api

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/container"
	"lectern/internal/platform/container/enginetest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/taskdef"
)

const (
	images     = "/api/admin/overseer_images"
	trial      = defA + "/{defA1}/test_overseer_assessment"
	trigger    = ownTask + "/overseer_assessment/{assessment}/trigger"
	triggerAny = submissionAny + "/overseer_assessment/{oa_id}/trigger"
	preview    = defA + "/{defA1}/assessment_preview"
	previewAny = "/api/units/{unit_id}/task_definitions/{task_def_id}/assessment_preview"
	trialAny   = "/api/units/{unit_id}/task_definitions/{task_def_id}/test_overseer_assessment"
)

var _ = rights(
	rightRow{"GET " + images, "", "convenor convenorB admin", nil},
	rightRow{"POST " + images, "", "admin", `{"overseer_image":{"name":"x","tag":"x"}}`},
	rightRow{"PUT " + images + "/{id}", images + "/999", "admin", `{"overseer_image":{"name":"x"}}`},
	rightRow{"DELETE " + images + "/{id}", images + "/999", "admin", nil},
	rightRow{"PUT " + images + "/{id}/pull_image", images + "/999/pull_image", "admin", nil},
	rightRow{"PUT " + triggerAny, ownTask + "/overseer_assessment/999/trigger", readersA, nil},
	rightRow{"GET " + submissionAny + "/submissions/timestamps/{timestamp}/assessment",
		ownTask + "/submissions/timestamps/1/assessment", readersA, nil},
	rightRow{"POST " + trialAny, trial, convenorsA, `{}`},
	rightRow{"GET " + trialAny + "/{id}", trial + "/999", convenorsA, nil},
	rightRow{"POST " + previewAny, preview, convenorsA, nil},
	rightRow{"GET " + previewAny + "/{id}", preview + "/999", convenorsA, nil},
)

var _ = lists(listRow{route: "GET " + images, who: "admin", fill: fill("overseer_images", func(_ *world, i int) row {
	return row{"name": numbered("Image", i), "tag": numbered("image", i)}
})})

// assessor is a world whose first task is assessed by a package, in a real engine.
type assessor struct {
	*world
	engine *enginetest.Engine
	worker *assess.Worker
}

// newAssessor makes the first task of unit A one that is assessed.
func newAssessor(t *testing.T, w *world, pack map[string]string) *assessor {
	t.Helper()
	engine := enginetest.New(t)
	a := assessorOn(t, w, engine.Open(t, t.Name()), engine.Box, pack)
	a.engine = engine
	return a
}

// assessorOn is newAssessor with an engine that may be none.
func assessorOn(t *testing.T, w *world, e *container.Engine, image string, pack map[string]string) *assessor {
	t.Helper()
	w.api.usecases.Assess = true
	a := &assessor{world: w, worker: &assess.Worker{DB: w.db, Log: slog.New(slog.DiscardHandler),
		Limits: taskdef.Limits{Seconds: 20, MemoryMB: 64, CPUs: 1, Processes: 32, OpenFiles: 64, OutputKB: 100,
			FolderMB: 8},
		Runner: &assess.Runner{Engine: e, Files: w.api.files, Spool: t.TempDir()}}}
	w.add("image", "overseer_images", row{"name": "Box", "tag": image})
	w.set(`UPDATE task_definitions SET assessment_enabled = TRUE, overseer_image_id = $1 WHERE id = $2`, w.id["image"],
		w.id["defA1"])
	w.asks("code")
	a.pack(pack)
	return a
}

// eachAssessor runs a test in an assessor's world on each database; PostgreSQL in long runs
// only, as containers take their time.
func eachAssessor(t *testing.T, pack map[string]string, f func(t *testing.T, w *world, a *assessor)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			if engine == "postgres" {
				dbtest.Long(t)
			}
			w := newWorld(t, engine)
			f(t, w, newAssessor(t, w, pack))
		})
	}
}

// pack uploads a package.
func (a *assessor) pack(content map[string]string) {
	a.Helper()
	var parts []string
	for name, text := range content {
		parts = append(parts, name, text)
	}
	a.do("convenor", "POST "+defA+"/{defA1}/task_assessment_resources", aFile("a.zip", zipOf(a, parts...))).status(201)
}

// work runs the assessments, trials and pulls that wait.
func (a *assessor) work() {
	a.Helper()
	a.each(`SELECT id FROM assessments WHERE status = 'queued' ORDER BY id`, func(ctx context.Context, j jobs.Job,
		id int64) error {
		return a.worker.Assess(ctx, j, assess.Args{AssessmentID: id})
	})
	a.each(`SELECT id FROM assessment_trials WHERE status = 'queued' ORDER BY id`, func(ctx context.Context, j jobs.Job,
		id int64) error {
		return a.worker.Try(ctx, j, assess.TrialArgs{TrialID: id})
	})
	a.each(`SELECT id FROM overseer_images WHERE pulled_image_status = 'pulling'`, func(ctx context.Context, j jobs.Job,
		id int64) error {
		return a.worker.Pull(ctx, j, assess.PullArgs{ImageID: id})
	})
}

func (a *assessor) each(text string, f func(context.Context, jobs.Job, int64) error) {
	a.Helper()
	ids, err := db.All[int64](a.Context(), a.db.Pool(), text)
	for _, id := range ids {
		if err == nil {
			err = f(a.Context(), jobs.Job{ID: id, Attempt: 1, MaxAttempts: 9}, id)
		}
	}
	if err != nil {
		a.Fatal(err)
	}
}

// handsIn hands a program in and notes the assessment of it.
func (a *assessor) handsIn(who, program string) {
	a.Helper()
	a.later(2 * time.Second)
	a.do(who, "POST /api/projects/{project:"+who+"}/task_def_id/{defA1}/submission",
		upload{nil, []part{{"file0", "p.sh", program}}}).status(201)
	a.id["assessment"] = a.lastID("assessments")
	a.id["at"] = a.now.Unix()
}

// comment gives the assessment comment as someone sees it.
func (a *assessor) comment(who string) map[string]any {
	a.Helper()
	var found map[string]any
	for _, c := range a.do(who, "GET "+ownTask+"/comments", nil).status(200).list() {
		if c["overseer_assessment_id"] == float64(a.id["assessment"]) {
			found = c
		}
	}
	if found == nil {
		a.Fatal("no comment of the assessment")
	}
	return found
}

// scripts run what was handed in as the requirement "Part code".
var scripts = map[string]string{
	"build.sh": "#!/bin/sh\necho 'build_message: It builds.' >\"$1\"\n",
	"run.sh": "#!/bin/sh\nsh 'Part code' >out || exit 1\ncat out\n" +
		"if [ \"$(cat out)\" = yes ]; then s=complete; else s=fix_and_resubmit; fi\n" +
		"printf 'run_message: It said %s.\\nnew_status: %s\\n' \"$(cat out)\" $s >\"$1\"\n",
}

// judged is a package whose judge decides.
var judged = map[string]string{"run.sh": "sh 'Part code' >out; echo 'run_message: forgeable' >$1",
	"judge.sh": `if [ "$(cat /evidence/after/out)" = yes ]; then s=complete; else s=fix_and_resubmit; fi
		printf 'run_message: The judge says %s.\nnew_status: %s\n' $s $s >$1`}

func (a *assessor) status() string {
	a.Helper()
	return a.rows(`SELECT status FROM tasks WHERE id = $1`, a.id["task"])[0]
}

func TestAssessment(t *testing.T) {
	eachAssessor(t, judged, func(t *testing.T, w *world, a *assessor) {
		w.do("", "GET /api/settings", nil).status(200).has(`{"overseerEnabled":true}`)
		a.handsIn("student", "echo no")
		if c := a.comment("student"); c["type"] != "assessment" || c["is_new"] != true ||
			!strings.Contains(c["comment"].(string), "waits for its turn") || c["author"] == nil {
			t.Errorf("%v", c)
		}
		if c := a.comment("student"); c["is_new"] != false {
			t.Errorf("read, and new: %v", c)
		}
		at := ownTask + "/submissions/timestamps/{at}/assessment"
		w.do("student", "GET "+at, nil).status(200).has(`{"id":«assessment»,"status":"queued","output":"",
			"result_task_status":null,"reason":null}`)
		w.do("student", "PUT "+trigger, nil).status(409).says("queued")
		a.work()
		c := a.comment("student")
		if c["is_new"] != true || c["comment"] != "The judge says fix_and_resubmit." {
			t.Errorf("%v", c)
		}
		if a.status() != "fix_and_resubmit" {
			t.Errorf("the task is %s", a.status())
		}
		got := w.do("student", "GET "+at, nil).status(200).object()
		if got["status"] != "done" || got["result_task_status"] != "fix_and_resubmit" || got["build_diff"] != nil ||
			got["judge_output"] != nil || !strings.Contains(got["output"].(string), "run.sh: exit code 0") {
			t.Errorf("%v", got)
		}
		w.do("tutor", "GET "+at, nil).status(200).has(`{"run_diff":"A out",
			"judge_output":"judge.sh: exit code 0\n"}`)
		if n := w.count(`task_comments WHERE type = 'assessment' AND staff_read_at IS NULL`); n != 0 {
			t.Error("the staff have to read it")
		}
		if n := w.count(`events WHERE kind = 'assessment' AND user_id = $1`, w.id["student"]); n != 3 {
			t.Errorf("%d events", n)
		}
		// Better work, which is complete; the history is a machine's, in the tutor's name.
		a.handsIn("student", "echo yes")
		a.work()
		if a.status() != "complete" {
			t.Errorf("the task is %s", a.status())
		}
		if n := w.count(`task_history WHERE task_id = $1 AND to_status = 'complete' AND NOT assessed
			AND actor_id = $2`, w.id["task"], w.id["tutor"]); n != 1 {
			t.Errorf("%d rows of the history", n)
		}
		if n := w.count(`task_comments WHERE type = 'assessment'`); n != 2 {
			t.Errorf("%d comments", n)
		}
		// A person's word stands.
		w.do("tutor", "PUT "+ownTask, form{"trigger": "redo"}).status(200)
		w.do("tutor", "PUT "+trigger, nil).status(200).has(`{"message":"The assessment will be run again.",
			"id":«assessment»,"status":"queued"}`)
		a.work()
		if a.status() != "redo" {
			t.Errorf("the task is %s", a.status())
		}
	})
}

// What a script says of itself counts only where convenors trust it, and only
// where the definition lets it.
func TestAssessmentStatuses(t *testing.T) {
	eachAssessor(t, scripts, func(t *testing.T, w *world, a *assessor) {
		set := func(body string, want int) *answered {
			return w.do("convenor", "PUT "+defA+"/{defA1}", `{"task_def":`+body+`}`).status(want)
		}
		a.handsIn("student", "echo yes")
		a.work()
		if c := a.comment("student"); a.status() != "ready_for_feedback" ||
			c["comment"] != "It builds.\n\nIt said yes." {
			t.Errorf("%s: %v", a.status(), c)
		}
		set(`{"assessment_trusted":true}`, 200).has(`{"assessment_trusted":true}`)
		set(`{"assessment_statuses":["discuss","Demo"]}`, 200).has(`{"assessment_statuses":["discuss","demonstrate"]}`)
		a.handsIn("student", "echo yes")
		a.work()
		if a.status() != "ready_for_feedback" {
			t.Errorf("not one of its statuses, and yet the task is %s", a.status())
		}
		set(`{"assessment_statuses":["complete"],"assessment_limits":{"seconds":3}}`, 200).
			has(`{"assessment_limits":{"seconds":3}}`)
		a.handsIn("student", "echo yes")
		a.work()
		if a.status() != "complete" {
			t.Errorf("the task is %s", a.status())
		}
		for _, bad := range []string{`["fail"]`, `["feedback_exceeded"]`, `["time_exceeded"]`, `["nonsense"]`, `"x"`,
			`["not_started"]`} {
			set(`{"assessment_statuses":`+bad+`}`, 400)
		}
		for _, bad := range []string{`{"seconds":-1}`, `{"nonsense":1}`, `[]`} {
			set(`{"assessment_limits":`+bad+`}`, 400)
		}
		w.do("tutor", "PUT "+defA+"/{defA1}", `{"task_def":{"assessment_trusted":true}}`).status(403)
		// A task that needs a grade only staff can give stays where it is.
		w.do("tutor", "PUT "+ownTask, form{"trigger": "redo"}).status(200)
		w.define("is_graded = TRUE")
		a.handsIn("student", "echo yes")
		a.work()
		if a.status() != "ready_for_feedback" {
			t.Errorf("ungraded, and yet the task is %s", a.status())
		}
	})
}

// A group's work is assessed once, and each member hears of it.
func TestAssessmentOfAGroup(t *testing.T) {
	eachAssessor(t, judged, func(t *testing.T, w *world, a *assessor) {
		w.define("group_set_id = $1", w.id["set"])
		a.handsIn("student", "echo yes")
		a.work()
		if n := w.count(`tasks WHERE task_definition_id = $1 AND status = 'complete'`, w.id["defA1"]); n != 2 {
			t.Errorf("%d tasks are complete", n)
		}
		if n := w.count(`assessments`); n != 1 {
			t.Errorf("%d assessments", n)
		}
		w.do("mate", "GET /api/projects/{project:mate}/task_def_id/{defA1}/submissions/timestamps/{at}/assessment",
			nil).
			status(200).has(`{"result_task_status":"complete"}`)
		members := w.do("mate", "GET /api/projects/{project:mate}/task_def_id/{defA1}/comments", nil).status(200)
		if !strings.Contains(members.Body.String(), "The judge says complete.") {
			t.Errorf("%s", members.Body)
		}
	})
}

func TestAssessmentIsOnlyRunWhereItIsAsked(t *testing.T) {
	eachAssessor(t, judged, func(t *testing.T, w *world, a *assessor) {
		none := func(what string) {
			t.Helper()
			w.later(2 * time.Second)
			w.do("student", "POST "+submission, upload{nil, []part{code}}).status(201)
			if n := w.count("assessments"); n != 0 {
				t.Errorf("%s, and %d assessments", what, n)
			}
			w.set(`DELETE FROM assessments`)
		}
		w.api.usecases.Assess = false
		none("no engine")
		w.api.usecases.Assess = true
		w.define("assessment_enabled = FALSE")
		none("switched off for the task")
		w.define("assessment_enabled = TRUE, overseer_image_id = NULL")
		none("no image")
		w.set(`UPDATE units SET overseer_image_id = $2, assessment_enabled = FALSE WHERE id = $1`, w.id["unitA"],
			w.id["image"])
		none("switched off for the unit")
		w.set(`UPDATE units SET assessment_enabled = TRUE`)
		w.do("convenor", "DELETE "+defA+"/{defA1}/task_assessment_resources", nil).status(204)
		none("no package")
		a.pack(judged)
		key := []string{"Idempotency-Key", "once"}
		for range 2 {
			w.do("student", "POST "+submission, upload{nil, []part{code}}, key...).status(201)
		}
		if n := w.count("assessments"); n != 1 {
			t.Errorf("%d assessments of one submission with the unit's image", n)
		}
		a.handsIn("student", "echo yes")
		a.work()
		if got := fmt.Sprint(w.rows(`SELECT status || ' ' || coalesce(reason, '') FROM assessments ORDER BY id`)); got !=
			"[failed Newer work took the place of this submission before it was assessed. done ]" {
			t.Error(got)
		}
		w.define("assessment_enabled = FALSE")
		w.do("student", "PUT "+trigger, nil).status(409).says("is off for this task")
		w.api.usecases.Assess = false
		w.do("student", "PUT "+trigger, nil).status(503)
	})
}

func TestTriggersAreBounded(t *testing.T) {
	eachAssessor(t, judged, func(t *testing.T, w *world, a *assessor) {
		a.handsIn("student", "echo no")
		over := func() { w.set(`UPDATE assessments SET status = 'done'`) }
		over()
		for range 5 {
			w.do("student", "PUT "+trigger, nil).status(200)
			w.later(time.Minute)
			over()
		}
		wait := w.do("student", "PUT "+trigger, nil).status(429).says("Wait 55 minutes before you start another.").
			Header().Get("Retry-After")
		if wait != "3300" {
			t.Errorf("Retry-After %s", wait)
		}
		w.do("tutor", "PUT "+trigger, nil).status(200)
		over()
		w.later(56 * time.Minute)
		w.do("student", "PUT "+trigger, nil).status(200)
		w.do("other", "PUT "+trigger, nil).status(403)
		w.do("tutor", "PUT /api/projects/{project:other}/task_def_id/{defA1}/overseer_assessment/{assessment}/trigger",
			nil).status(404)
	})
}

func TestTrials(t *testing.T) {
	eachAssessor(t, scripts, func(t *testing.T, w *world, a *assessor) {
		try := func(files ...part) {
			t.Helper()
			got := w.do("convenor", "POST "+trial, upload{nil, files}).status(200).has(`{"status":"queued"}`).object()
			w.id["trial"] = int64(got["id"].(float64))
		}
		try(part{"file0", "p.sh", "echo yes"})
		w.do("convenor", "GET "+trial+"/{trial}", nil).status(200).has(`{"id":«trial»,"status":"queued"}`)
		a.work()
		w.do("convenor", "GET "+trial+"/{trial}", nil).status(200).has(`{"id":«trial»,"status":"done","exit_code":0,
			"claimed_status":"complete","judged_status":"","build_diff":"","run_diff":"A out",
			"output":"build.sh: exit code 0\nyes\nrun.sh: exit code 0\n"}`)
		try()
		a.work()
		w.do("admin", "GET "+trial+"/{trial}", nil).status(200).has(`{"status":"done","exit_code":1}`)
		if n := w.count("projects WHERE user_id = $1", w.id["convenor"]); n != 0 {
			t.Error("the convenor was enrolled")
		}
		w.do("convenor", "POST "+trial, upload{nil, []part{{"file7", "p.sh", "x"}}}).status(400).says("file7")
		w.do("convenor", "GET "+defA+"/{defA2}/test_overseer_assessment/{trial}", nil).status(404)
		w.do("convenor", "POST "+defA+"/{defA2}/test_overseer_assessment", nil).status(409).says("assessment resources")
		w.define("overseer_image_id = NULL")
		w.do("convenor", "POST "+trial, nil).status(409).says("image")
		w.api.usecases.Assess = false
		w.do("convenor", "POST "+trial, nil).status(503)
	})
}

// A preview tells whose result new tests would change, and changes nothing.
func TestPreview(t *testing.T) {
	dbtest.Long(t)
	eachAssessor(t, judged, func(t *testing.T, w *world, a *assessor) {
		a.handsIn("student", "echo yes")
		a.handsIn("other", "echo no")
		a.work()
		ask := func() *answered {
			t.Helper()
			got := w.do("convenor", "POST "+preview, nil).status(201)
			w.id["preview"] = int64(got.object()["id"].(float64))
			w.do("convenor", "POST "+preview, nil).status(409).says("is running")
			a.each(`SELECT id FROM assessment_previews WHERE status = 'queued'`, func(ctx context.Context, j jobs.Job,
				id int64) error {
				return a.worker.Preview(ctx, j, assess.PreviewArgs{PreviewID: id})
			})
			return w.do("convenor", "GET "+preview+"/{preview}", nil).status(200)
		}
		ask().has(`{"status":"done","total":2,"done":2,"cached":0,"changes":[]}`)
		ask().has(`{"status":"done","total":2,"done":2,"cached":2,"changes":[]}`)
		before := w.rows(`SELECT status FROM tasks ORDER BY id`)
		comments := w.count("task_comments")
		a.pack(map[string]string{"run.sh": "true", "judge.sh": "echo new_status: discuss >$1"})
		changed := ""
		for _, c := range ask().has(`{"status":"done","done":2,"cached":0}`).object()["changes"].([]any) {
			r := c.(map[string]any)
			changed += fmt.Sprintf("%v: %v to %v; ", r["project_id"], r["before"], r["after"])
		}
		if want := fmt.Sprintf("%d: complete to discuss; %d: fix_and_resubmit to discuss; ", w.id["project:student"],
			w.id["project:other"]); changed != want {
			t.Errorf("%s, want %s", changed, want)
		}
		if after := w.rows(`SELECT status FROM tasks ORDER BY id`); fmt.Sprint(after) != fmt.Sprint(before) ||
			w.count("task_comments") != comments {
			t.Errorf("it changed %v to %v", before, after)
		}
		w.define("assessment_limits = '{\"seconds\":9}'") // other tests, as they may say something else
		ask().has(`{"cached":0}`)
		w.do("convenor", "POST "+defA+"/{defA2}/assessment_preview", nil).status(409)
		w.api.usecases.Assess = false
		w.do("convenor", "POST "+preview, nil).status(503)
	})
}

func TestPullImage(t *testing.T) {
	w := newWorld(t, "sqlite")
	a := newAssessor(t, w, judged)
	w.do("admin", "PUT "+images+"/{image}/pull_image", nil).status(200).has(`{"id":«image»,"status":"pulling"}`)
	a.work()
	pulled := w.do("admin", "GET "+images, nil).status(200).list()[0]
	if pulled["pulled_image_status"] != "success" || pulled["last_pulled_date"] == nil ||
		pulled["pulled_image_text"] == "" {
		t.Errorf("%v", pulled)
	}
	w.id["none"] = w.add("", "overseer_images", row{"name": "None", "tag": a.engine.Registry + "/none:1"})
	w.api.events.Until = context.Background() // the request waits for the job
	done := make(chan *answered)
	go func() { done <- w.do("admin", "PUT "+images+"/{none}/pull_image", nil) }()
	w.eventually("it is pulled", func() bool { return w.count(`overseer_images WHERE pulled_image_status = 'pulling'`) > 0 })
	a.work()
	got := (<-done).status(200).object()
	if got["status"] != "failed" || !strings.Contains(got["pulled_image_text"].(string), "manifest unknown") {
		t.Errorf("%v", got)
	}
}

// A pull that takes long goes on when the request has stopped waiting: what the engine
// says is kept meanwhile, and so is what comes of it.
func TestAPullGoesOn(t *testing.T) {
	eachAssessor(t, judged, func(t *testing.T, w *world, a *assessor) {
		qu := jobs.New(w.db, slog.New(slog.DiscardHandler), jobs.Config{Workers: 1, Poll: 10 * time.Millisecond})
		a.worker.Register(qu)
		qu.Start(t.Context())
		t.Cleanup(func() {
			if err := qu.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		})
		file := filepath.Join(t.TempDir(), "unique")
		if err := os.WriteFile(file, []byte(t.Name()+rand.Text()), 0o600); err != nil {
			t.Fatal(err)
		}
		release := a.engine.Stall()
		defer release()
		tag := a.engine.Offer("slow-"+strings.ToLower(rand.Text()), enginetest.Layer(t, nil, nil,
			map[string]string{"/unique": file}))
		w.id["slow"] = w.add("", "overseer_images", row{"name": "Slow", "tag": tag})
		w.api.events.Until, w.api.pullWait = context.Background(), 50*time.Millisecond
		w.do("admin", "PUT "+images+"/{slow}/pull_image", nil).status(200).has(`{"id":«slow»,"status":"pulling",
			"pulled_image_status":"pulling","last_pulled_date":null}`)
		seen := func(outcome string) (found map[string]any) {
			t.Helper()
			w.eventually("the image is "+outcome, func() bool {
				for _, i := range w.do("admin", "GET "+images, nil).status(200).list() {
					if i["id"] == float64(w.id["slow"]) && i["pulled_image_status"] == outcome && i["pulled_image_text"] != "" {
						found = i
					}
				}
				return found != nil
			})
			return found
		}
		if i := seen("pulling"); i["last_pulled_date"] != nil {
			t.Errorf("half of it is there: %v", i)
		}
		// Asking again neither begins another pull nor loses what is known.
		w.do("admin", "PUT "+images+"/{slow}/pull_image", nil).status(200).has(`{"status":"pulling"}`)
		if n := w.count(`jobs WHERE kind = 'pull image'`); n != 1 {
			t.Errorf("%d pulls", n)
		}
		release()
		if i := seen("success"); i["last_pulled_date"] == nil {
			t.Errorf("%v", i)
		}
	})
}

// A submission is taken while the engine is down; its assessment waits, and runs
// when the engine is back.
func TestEngineDown(t *testing.T) {
	w := newWorld(t, "sqlite")
	a := newAssessor(t, w, judged)
	host, down, up := a.engine.Proxy(t)
	e, err := container.Open(host, "", t.Name())
	if err != nil {
		t.Fatal(err)
	}
	a.worker.Runner.Engine = e
	down()
	a.handsIn("student", "echo yes")
	err = a.worker.Assess(t.Context(), jobs.Job{Attempt: 1, MaxAttempts: 1},
		assess.Args{AssessmentID: a.id["assessment"]})
	if err == nil || !strings.Contains(err.Error(), "to be run again") {
		t.Errorf("it does not wait: %v", err)
	}
	if got := w.rows(`SELECT status FROM assessments`)[0]; got != "queued" {
		t.Errorf("it is %s", got)
	}
	up()
	a.work()
	if a.status() != "complete" {
		t.Errorf("the task is %s", a.status())
	}
}
