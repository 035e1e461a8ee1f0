package api

import (
	"strings"
	"testing"
)

var _ = rights(
	rightRow{"GET /api/settings", "", "everybody", nil},
	rightRow{"GET /api/settings/privacy", "", "everybody", nil},
)

func TestSettings(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("", "GET /api/settings", nil).status(200).is(`{"externalName":"Lectern","overseerEnabled":false,"tiiEnabled":false}`)
		texts := w.do("", "GET /api/settings/privacy", nil).status(200).object()
		if len(texts) != 2 || !strings.Contains(texts["privacy"].(string), "staff") ||
			!strings.Contains(texts["plagiarism"].(string), "your own") {
			t.Errorf("got %v", texts)
		}
		w.similarityService("")
		u := w.api.usecases
		u.Name, u.Privacy, u.Declaration, u.Assess = "Campus", "P", "Q", true
		w.do("", "GET /api/settings", nil).status(200).is(`{"externalName":"Campus","overseerEnabled":true,"tiiEnabled":true}`)
		w.do("", "GET /api/settings/privacy", nil).status(200).is(`{"privacy":"P","plagiarism":"Q"}`)
	})
}
