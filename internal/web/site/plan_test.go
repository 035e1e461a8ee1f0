package site_test

import (
	"net/url"
	"strings"
	"testing"
)

// A student looks at what other grades would mean, without saving, and chooses one.
func TestThePlanOfATerm(t *testing.T) {
	each(t, func(w *world) {
		path := w.term() + "/plan"
		ann := w.as("ann")
		plain := ann.do(path, nil).status(200).says("Your target is Credit").says("<h3>Week 1</h3>").
			says("This week").says(`<strong class="late">Overdue`).says(`class="chart">`).says("Workload by week").
			says("3 of 11 tasks complete").says("weight left of")
		if strings.Contains(plain.text(), "Nothing is saved") || strings.Contains(plain.text(), "Set target") || strings.Contains(plain.text(), "T02") {
			t.Error("it shows more than the target grade asks for")
		}
		higher := ann.do(path+"?target_grade=2", nil).status(200).says("With target Distinction").
			says("10 tasks added").says(`Added</span>`).says("Preview of Distinction. Nothing is saved.").
			says("More for Distinction").says("Stop preview").says(`class="strip" role="status"`).
			says(`<button class="btn sm primary">Set target to Distinction`).says("Keep Credit")
		ann.sound(path, higher)
		lower := ann.do(path+"?target_grade=0", nil).status(200).says("10 tasks no longer needed").
			says("No longer needed</span>")
		ann.sound(path, lower)
		ann.do(path+"?target_grade=7", nil).status(400)
		ann.do(path, nil).says("Your target is Credit")
		ann.do(path, url.Values{"target_grade": {"2"}}).leadsTo(path)
		ann.do(path, nil).says("Your target is Distinction").says("T02")
		ann.do(strings.TrimSuffix(path, "/plan"), nil).says(`href="` + path + `"`)
	})
}
