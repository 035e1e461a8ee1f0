package api

import (
	"fmt"
	"strings"
	"testing"
)

func TestImages(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("admin", "GET "+images, nil).status(200).is(`[]`)
		made := w.do("admin", "POST "+images, `{"overseer_image":{"name":" Python ",
			"tag":"registry.example.edu:5000/a/b:3"}}`).
			status(201).object()
		w.id["image"] = int64(made["id"].(float64))
		const one = `{"id":«image»,"name":"Python","tag":"registry.example.edu:5000/a/b:3","pulled_image_status":null,
			"last_pulled_date":null,"pulled_image_text":null}`
		w.do("convenor", "GET "+images, nil).status(200).is(`[` + one + `]`)
		w.do("admin", "POST "+images, `{"overseer_image":{"name":"Python","tag":"other"}}`).status(409).says("the name")
		w.do("admin", "POST "+images, `{"overseer_image":{"name":"Other",
			"tag":"registry.example.edu:5000/a/b:3"}}`).status(409)
		for _, bad := range []string{"a b", "a&b", "a|b", "a>b", "a<b", "a$b", "a(b)", "", "Upper", "a:b:c", "../x",
			"a//b",
			"-a", strings.Repeat("a", 256), "a@sha256:12"} {
			w.do("admin", "POST "+images, map[string]any{"overseer_image": map[string]string{"name": "n", "tag": bad}}).
				status(422, 400)
		}
		for i, good := range []string{"image", "macite/overseer-dotnet:test", "localhost:5000/x", "a/b/c@sha256:" +
			strings.Repeat("0", 64)} {
			w.do("admin", "POST "+images, map[string]any{"overseer_image": map[string]string{"name": fmt.Sprint(i),
				"tag": good}}).status(201)
		}
		w.do("admin", "PUT "+images+"/{image}", `{"overseer_image":{"name":"Snake"}}`).status(200).
			has(`{"name":"Snake","tag":"registry.example.edu:5000/a/b:3"}`)
		w.do("admin", "PUT "+images+"/{image}", `{"overseer_image":{"tag":"a b"}}`).status(422)
		w.do("admin", "PUT "+images+"/{image}", `{"overseer_image":{"tag":"image"}}`).status(409)
		w.do("admin", "PUT "+images+"/{image}", `{}`).status(200).has(`{"name":"Snake"}`)
		w.do("admin", "PUT "+images+"/{image}/pull_image", nil).status(503).says("container engine")
		w.do("admin", "PUT "+images+"/99999/pull_image", nil).status(404)
		w.set(`UPDATE units SET overseer_image_id = $2 WHERE id = $1`, w.id["unitA"], w.id["image"])
		w.do("admin", "DELETE "+images+"/{image}", nil).status(409).says("use")
		w.set(`UPDATE units SET overseer_image_id = NULL`)
		w.do("admin", "DELETE "+images+"/{image}", nil).status(204)
		w.do("admin", "DELETE "+images+"/{image}", nil).status(404)
	})
}

func TestTakenNamesOfImagesAreTold(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		post := func(name, tag string) *answered {
			return w.do("admin", "POST "+images, map[string]any{"overseer_image": map[string]string{"name": name, "tag": tag}})
		}
		const name, tag = `Another image has the name "`, `Another image has the tag "`
		only := func(a *answered, want, other string) {
			t.Helper()
			if a.status(409).says(want); strings.Contains(a.object()["error"].(string), other) {
				t.Errorf("got %s", a.Body)
			}
		}
		w.id["snake"] = int64(post("Python Ä", "python:3").status(201).object()["id"].(float64))
		w.id["go"] = int64(post("Go", "golang:1").status(201).object()["id"].(float64))
		only(post("Python Ä", "python:4"), name, tag)
		only(post("pYTHON ä", "python:4"), name, tag)
		only(post("Other", "python:3"), tag, name)
		post("python ä", "golang:1").status(409).says(name+`python ä".`, tag+`golang:1".`)

		put := func(image, body string) *answered {
			return w.do("admin", "PUT "+images+"/{"+image+"}", `{"overseer_image":`+body+`}`)
		}
		only(put("go", `{"name":"PYTHON Ä"}`), name, tag)
		only(put("go", `{"tag":"python:3"}`), tag, name)
		put("snake", `{"name":"PYTHON Ä","tag":"python:3"}`).status(200)

		// Two that were there before keep their names, and can be changed.
		w.add("old", "overseer_images", row{"name": "go", "tag": "golang:0"})
		put("old", `{"name":"go","tag":"golang:2"}`).status(200)
		put("old", `{"name":"gO"}`).status(409)
	})
}

func TestImagesNamedAlikeAtTheSameTimeAreOne(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		codes := make(chan int, 8)
		for i := range cap(codes) {
			name := []string{"python", "PYTHON", "Python", "pythoN"}[i%4]
			go func() {
				codes <- w.do("admin", "POST "+images, map[string]any{"overseer_image": map[string]string{"name": name,
					"tag": fmt.Sprint("python:", i)}}).Code
			}()
		}
		got := map[int]int{}
		for range cap(codes) {
			got[<-codes]++
		}
		if got[201] != 1 || got[409] != 7 {
			t.Errorf("statuses %v", got)
		}
	})
}
