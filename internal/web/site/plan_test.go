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
		plain := ann.do(path, nil).status(200).says("The target grade is Credit").says("<h3>Week 1</h3>").
			says("this week").says("until the end of the day in the time zone anywhere on earth")
		if strings.Contains(plain.text(), "nothing is saved") || strings.Contains(plain.text(), "T02") {
			t.Error("it shows more than the target grade asks for")
		}
		higher := ann.do(path+"?target_grade=2", nil).status(200).says("If the target grade were Distinction").
			says("Tasks that would be added: 10").says("would be added</strong>").says("nothing is saved").
			says(`burndown.svg?target_grade=2`).says(`<button class="button">Aim for Distinction`)
		ann.sound(path, higher)
		lower := ann.do(path+"?target_grade=0", nil).status(200).says("Tasks that would no longer be asked for: 10")
		ann.sound(path, lower)
		ann.do(path+"?target_grade=7", nil).status(400)
		ann.do(path, nil).says("The target grade is Credit")
		ann.do(path, url.Values{"target_grade": {"2"}}).leadsTo(path)
		ann.do(path, nil).says("The target grade is Distinction").says("T02")
		ann.do(strings.TrimSuffix(path, "/plan"), nil).says(`href="` + path + `"`)
	})
}
