package api

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/container"
	"lectern/internal/platform/container/enginetest"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/assess"
)

// engineThat is an engine that does what routes say.
func engineThat(t *testing.T, routes map[string]http.HandlerFunc) *container.Engine {
	t.Helper()
	return engineAt(t, enginetest.Fake(t, routes))
}

func engineAt(t *testing.T, host string) *container.Engine {
	t.Helper()
	e, err := container.Open(host, "", t.Name())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

const (
	noImageText = `{"message":"no such image"}`
	cgroupText  = `runc create failed: unable to start container process: open /sys/fs/cgroup/pids/x: no such file`
	noHostText  = `pinging container registry registry.example.edu: lookup registry.example.edu: no such host`
)

// engineTroubles are engines that cannot run anything, and what the staff should read of each.
func engineTroubles(t *testing.T) map[string]struct {
	engine *container.Engine
	want   string
} {
	type trouble = struct {
		engine *container.Engine
		want   string
	}
	gone := enginetest.Says(404, noImageText)
	return map[string]trouble{
		"down": {engineAt(t, "unix:///run/nowhere/engine.sock"), "The container engine does not answer."},
		"no such host": {engineThat(t, map[string]http.HandlerFunc{"POST /containers/create": gone,
			"POST /images/create": enginetest.Says(500, `{"message":"`+noHostText+`"}`)}), noHostText},
		"a pull that breaks off": {engineThat(t, map[string]http.HandlerFunc{"POST /containers/create": gone,
			"POST /images/create": enginetest.Says(200, `{"status":"Trying"}{"error":"manifest unknown"}`)}), "manifest unknown"},
		"an image that is gone": {engineThat(t, map[string]http.HandlerFunc{"POST /containers/create": gone,
			"POST /images/create": enginetest.Says(200, `{"status":"Pulled"}`)}), "the container engine does not have the image box:1"},
		"a message about cgroups": {engineThat(t, map[string]http.HandlerFunc{
			"POST /containers/create":      enginetest.Says(201, `{"Id":"c1"}`),
			"POST /containers/{id}/attach": enginetest.Says(200, ""),
			"POST /containers/{id}/start":  enginetest.Says(500, `{"message":"`+cgroupText+`"}`)}),
			"runc create failed: unable to start container process: open …: no such file"},
	}
}

const (
	laterSentence = "The service cannot run the tests at the moment. It will try again by itself."
	finalSentence = "The service failed to run the tests, several times. Its operators have to look into it."
)

// Whatever the trouble of the engine is, an assessment is tried again; the student reads
// one plain sentence of the service, and the staff what the engine says.
func TestTroubleOfTheEngineIsRetriedAndToldInPlainWords(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		a := assessorOn(t, w, nil, "box:1", judged)
		for name, c := range engineTroubles(t) {
			t.Run(name, func(t *testing.T) {
				a.worker.Runner.Engine = c.engine
				a.handsIn("student", "echo yes")
				a.fails(1)
				a.readTrouble(t, "queued", laterSentence, c.want)
				if got := a.comment("student"); !strings.Contains(got["comment"].(string), "waits for its turn") {
					t.Errorf("%v", got)
				}
				if name == "down" { // it waits for as long as that takes
					return
				}
				a.fails(20)
				a.readTrouble(t, "failed", finalSentence, c.want)
				got := a.comment("student")
				author := got["author"].(map[string]any)
				if got["comment"] != finalSentence || author["id"] != 0.0 || author["first_name"] != "Automated" ||
					author["last_name"] != "assessment" || author["email"] != "" {
					t.Errorf("%v", got)
				}
			})
		}
	})
}

// fails runs the newest assessment for the given time, which must not end it well.
func (a *assessor) fails(attempt int) {
	a.Helper()
	if err := a.worker.Assess(a.Context(), jobs.Job{Attempt: attempt, MaxAttempts: 20},
		assess.Args{AssessmentID: a.id["assessment"]}); err == nil {
		a.Error("it is over")
	}
}

// readTrouble looks at the newest assessment as the student and as the tutor.
func (a *assessor) readTrouble(t *testing.T, status, reason, text string) {
	t.Helper()
	at := "GET " + ownTask + "/submissions/timestamps/{at}/assessment"
	got := a.do("student", at, nil).status(200)
	if o := got.object(); o["status"] != status || o["reason"] != reason || o["trouble"] != nil {
		t.Errorf("%v", o)
	}
	comments := a.do("student", "GET "+ownTask+"/comments", nil).status(200)
	for _, raw := range []string{text, "cgroup", "no such host", "manifest unknown", "/run/"} {
		if strings.Contains(got.Body.String()+comments.Body.String(), raw) {
			t.Errorf("the student reads %q", raw)
		}
	}
	if o := a.do("tutor", at, nil).status(200).object(); o["trouble"] != text || o["reason"] != reason {
		t.Errorf("%v", o)
	}
}

// The queue runs an assessment again after a pause when the engine refused to.
func TestTheQueuePausesBeforeItTriesAnEngineInTroubleAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		a := assessorOn(t, w, engineTroubles(t)["no such host"].engine, "box:1", judged)
		a.handsIn("student", "echo yes")
		qu := jobs.New(w.db, slog.New(slog.DiscardHandler), jobs.Config{Workers: 1, Poll: 10 * time.Millisecond,
			Backoff: func(n int) time.Duration { return assess.Backoff(n + 1) }})
		a.worker.Register(qu)
		qu.Start(t.Context())
		t.Cleanup(func() { _ = qu.Stop(context.Background()) })
		w.eventually("it was tried once and will be again", func() bool {
			return w.count(`jobs WHERE kind = 'assessment' AND state = 'available' AND attempt = 1
				AND run_at > $1`, w.db.Now().Add(10*time.Second)) == 1
		})
		if got := w.rows(`SELECT status FROM assessments`)[0]; got != "queued" {
			t.Errorf("it is %s", got)
		}
	})
}

// What a convenor tries out waits for an engine in trouble, too, and says what that is.
func TestTrialsAndPreviewsSayWhatIsWrongWithTheEngine(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trouble := engineTroubles(t)["a message about cgroups"]
		a := assessorOn(t, w, trouble.engine, "box:1", judged)
		a.handsIn("student", "echo yes")
		w.id["trial"] = int64(w.do("convenor", "POST "+trial, nil).status(200).object()["id"].(float64))
		w.id["preview"] = int64(w.do("convenor", "POST "+preview, nil).status(201).object()["id"].(float64))
		job := jobs.Job{ID: 1, Attempt: 1, MaxAttempts: 5}
		if a.worker.Try(t.Context(), job, assess.TrialArgs{TrialID: w.id["trial"]}) == nil ||
			a.worker.Preview(t.Context(), job, assess.PreviewArgs{PreviewID: w.id["preview"]}) == nil {
			t.Error("it is over")
		}
		want := `"The tests cannot be run: ` + trouble.want + `"`
		w.do("convenor", "GET "+trial+"/{trial}", nil).status(200).has(`{"status":"queued","reason":` + want + `}`)
		w.do("convenor", "GET "+preview+"/{preview}", nil).status(200).has(`{"status":"queued"}`)
		w.set(`UPDATE jobs SET state = 'dead'`)
		if err := a.worker.Tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.do("convenor", "GET "+trial+"/{trial}", nil).status(200).has(`{"status":"failed","reason":` + want + `}`)
	})
}

// When the engine is well again, the assessment says what the tests say, in the tutor's name.
func TestAnAssessmentRunsWhenTheEngineIsWellAgain(t *testing.T) {
	eachAssessor(t, judged, func(t *testing.T, w *world, a *assessor) {
		well := a.worker.Runner.Engine
		a.worker.Runner.Engine = engineTroubles(t)["a message about cgroups"].engine
		a.handsIn("student", "echo no")
		a.fails(20)
		w.do("student", "PUT "+trigger, nil).status(200)
		a.fails(1)
		a.worker.Runner.Engine = well
		a.work()
		got := a.comment("student")
		if got["comment"] != "The judge says fix_and_resubmit." || got["author"].(map[string]any)["id"] !=
			float64(w.id["tutor"]) {
			t.Errorf("%v", got)
		}
		w.do("tutor", "GET "+ownTask+"/submissions/timestamps/{at}/assessment", nil).status(200).
			has(`{"status":"done","reason":null,"trouble":""}`)
	})
}
