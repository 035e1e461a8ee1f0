package api

import "testing"

// Two change an outcome or an alignment at once: a value that both change is refused with what it is
// now, and what only one of them touched goes through.
func TestTwoChangeOutcomesAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		outcome := func(body string) *answered {
			return w.do("convenor", "PUT /api/units/{unitA}/outcomes/{outcomeA}", body)
		}
		outcome(`{"name":"Before","description":"Was"}`).status(200)
		outcome(`{"name":"Theirs"}`).status(200)
		outcome(`{"name":"Mine","seen":{"name":"Before"}}`).status(409).says("name", `"Theirs"`)
		outcome(`{"description":"Mine","seen":{"name":"Before","description":"Was"}}`).status(200).
			has(`{"name":"Theirs","description":"Mine"}`)
		cell := func(body string) *answered { return w.do("convenor", "PUT "+alignA+"/{alignA}", body) }
		cell(`{"rating":2,"description":"Was"}`).status(200)
		cell(`{"rating":4}`).status(200)
		cell(`{"rating":5,"seen":{"rating":2}}`).status(409).says("rating", "4")
		cell(`{"description":"Mine","seen":{"rating":2,"description":"Was"}}`).status(200).
			has(`{"rating":4,"description":"Mine"}`)
		cell(`{"rating":4,"seen":{"rating":2}}`).status(200) // it is so already
	})
}
