package api

import (
	"strings"
	"testing"

	"lectern/internal/platform/container"
)

// An administrator cannot have the engine ask where machines in a cloud are told their
// secrets, neither by a new image nor by a changed one.
func TestAnImageAtALinkLocalAddressIsRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("image", "overseer_images", row{"name": "Python", "tag": "python:3.12"})
		for _, tag := range []string{"169.254.169.254/latest/meta:1", "2852039166:80/latest/meta", "[fe80::1]:5000/x:1"} {
			body := map[string]any{"overseer_image": map[string]string{"name": "Meta", "tag": tag}}
			w.do("admin", "POST "+images, body).status(422).says("tag")
			w.do("admin", "PUT "+images+"/{image}", body).status(422).says("tag")
		}
		w.do("admin", "POST "+images, `{"overseer_image":{"name":"Meta","tag":"169.254.169.254/latest/meta:1"}}`).
			status(422).says("link-local")
		w.do("admin", "POST "+images, `{"overseer_image":{"name":"Own","tag":"127.0.0.1:5000/x:1"}}`).status(201)
	})
}

// A pull while the engine is down says so to convenors, and not where the engine's socket
// is on the server.
func TestAPullWithoutTheEngineShowsNoPathOfTheServer(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		e, err := container.Open("unix:///run/nowhere/engine.sock", "", t.Name())
		if err != nil {
			t.Fatal(err)
		}
		a := assessorOn(t, w, e, "python:3.12", judged)
		w.do("admin", "PUT "+images+"/{image}/pull_image", nil).status(200)
		a.work()
		got := w.do("convenor", "GET "+images, nil).status(200).list()[0]
		text, _ := got["pulled_image_text"].(string)
		if got["pulled_image_status"] != "failed" || strings.Contains(text, "/") ||
			text != "The container engine does not answer." {
			t.Errorf("%v", got)
		}
	})
}
