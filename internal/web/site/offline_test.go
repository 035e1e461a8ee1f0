package site_test

import (
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

const offlineMarking = "/units/{id}/offline"

func init() {
	maps.Copy(pages, map[string][4]int{
		"GET " + offlineMarking:            {303, 403, 200, 403},
		"GET " + offlineMarking + "/batch": {303, 403, 200, 403},
		"POST " + offlineMarking + "/plan": {401, 403, 400, 403}, // there is no file
		"POST " + offlineMarking:           {401, 403, 400, 403},
	})
}

// sheet sends a file as the form of offline marking does, with the plan that was seen.
func (w *world) sheet(path, name, content, plan string) *answer {
	w.Helper()
	return w.upload(path, "text/html", url.Values{"plan": {plan}}, "file", name, content)
}

// Tom looks at what would come of his sheet, and then has exactly that carried out.
func TestOfflineMarkingOnAPage(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		tom, path := w.as("tom"), w.path(offlineMarking)
		tom.do(path, nil).status(200).says(`enctype="multipart/form-data"`)
		sheet := "username,name,tutorial,task,status,new grade,new quality,new comment\r\n" +
			"ann,x,y,<b>1</b>,fix,,,Look again\r\nnobody,x,y,<b>1</b>,fix,,,\r\n"
		plan := tom.sheet(path+"/plan", "marks.csv", sheet, "").status(200).says("Will be applied").
			says("Nothing is changed yet.").says("1 row cannot be applied.").says("This unit has no student").
			says("Apply 1 change")
		key := regexp.MustCompile(`name="plan" value="([0-9a-f]{64})"`).FindStringSubmatch(plan.Body.String())
		if key == nil || strings.Contains(plan.text(), "<b>1") {
			t.Fatalf("%s", plan.Body)
		}
		tom.sheet(path, "marks.csv", sheet, "").status(422).says("Review the changes first")
		tom.sheet(path, "marks.csv", sheet+"ann,,,,,,,\r\n", key[1]).status(409).says("nothing was applied")
		tom.sheet(path, "marks.csv", sheet, key[1]).status(200).says("1 change was applied.").says("Not possible")
		tom.sheet(path+"/plan", "marks.csv", sheet, "").status(200).says("Nothing to apply.")
		tom.sheet(path+"/plan", "marks.csv", "username\r\n", "").status(400).says("Missing headings")
		if a := tom.sheet(path+"/plan", "marks.zip", "PK\x03\x04 no archive", ""); a.Code < 400 || a.Code >= 500 {
			t.Errorf("no archive: %d", a.Code)
		}
		zip := tom.do(path+"/batch?who=all&task=", nil).status(200)
		if !strings.HasPrefix(zip.Body.String(), "PK") || zip.Header().Get("Content-Type") != "application/zip" {
			t.Errorf("%v", zip.Header())
		}
		w.as("ann").sheet(path+"/plan", "marks.csv", sheet, "").status(403)
	})
}
