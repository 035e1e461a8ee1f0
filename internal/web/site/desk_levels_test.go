package site_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"testing"

	"lectern/internal/teaching/rubric"
)

// onLevel is a form for a saved comment of a level of the graded task.
func (w *world) onLevel(text string, id int64) url.Values {
	w.Helper()
	return url.Values{"text": {text}, "shared": {"true"}, "level_id": {fmt.Sprint(id)}, "level_of": {w.graded()},
		"task_definition_id": {w.graded()}}
}

// graded is the task of waiting that has points.
func (w *world) graded() string {
	return w.one(`SELECT id FROM task_definitions WHERE max_quality_pts = 5`)
}

// savedList are the texts that the desk offers to be pressed, in the order of the list.
func (a *answer) savedList() (texts []string) {
	list := regexp.MustCompile(`(?s)<section class="desk-saved".*?</section>`).FindString(a.Body.String())
	for _, m := range regexp.MustCompile(`data-snippet="([^"]*)"`).FindAllStringSubmatch(list, -1) {
		texts = append(texts, html.UnescapeString(m[1]))
	}
	return texts
}

// Saved comments for a level stand beside its criterion, where the style shows them while it is picked, and come first
// in the list once it is. What somebody wrote is nothing but text there.
func TestTheDeskOffersCommentsOfALevel(t *testing.T) {
	each(t, func(w *world) {
		ids := w.waiting()
		id, tom := ids[2], w.as("tom")
		at := fmt.Sprintf("%s?at=%d&tab=rubric", w.path(aDesk), id)
		r := w.rubric(criterionOf("Design", 3, 1, 0), criterionOf("Tests", 2, 0))
		low, best := r.Criteria[0].Levels[1].ID, r.Criteria[1].Levels[0].ID
		tom.do(w.path(unitSnippets), url.Values{"text": {"For all"}}).status(303)
		plain := tom.do(at, nil).status(200).lacks("rub-saved").lacks("data-level").says(`<p data-picked hidden>`)
		tom.do(w.path(unitSnippets), w.onLevel("Ours "+hostile, low)).status(303)
		tom.do(w.onTask(id, "snippets"), url.Values{"text": {"Kept here"}, "level_id": {fmt.Sprint(best)}}).status(303)
		page := tom.do(at, nil).says("rub-saved").lacks("<script>alert")
		tom.sound(at, tom.do(at, nil))
		if !page.reads("Ours " + hostile) {
			t.Error("the hostile text is not there")
		}
		beside := regexp.MustCompile(`(?s)<label for="rub-(\d+)">(?:<strong>\d+</strong>)?<bdi>[^<]*</bdi></label>` +
			`<p class="small"><bdi>[^<]*</bdi></p>\s*<div class="desk-snippets rub-saved".*?data-snippet="(Ours|Kept here)`)
		var got []string
		for _, m := range beside.FindAllStringSubmatch(page.Body.String(), -1) {
			got = append(got, m[1]+" "+m[2])
		}
		if want := fmt.Sprintf("[%d Ours %d Kept here]", low, best); fmt.Sprint(got) != want {
			t.Errorf("beside the levels stand %v, want %s", got, want)
		}
		// Those that are picked come first, and keep their digits.
		if list := page.savedList(); len(list) != 3 || list[2] != "Ours "+hostile {
			t.Fatalf("the list is %q", list)
		}
		form := picks(plain.marks("complete", ""), r, 1, 1)
		form.Set("grade", "2")
		tom.do(w.onTask(id, "verdict"), form).status(303)
		marked := tom.do(at, nil)
		if list := marked.savedList(); list[0] != "Ours "+hostile {
			t.Errorf("once it is picked the list is %q", list)
		}
		marked.says(`aria-keyshortcuts="3"`).says(`<p data-picked>`).says(`Design: Level &lt;2&gt;</option>`)
		// The list for those without script says what each is for.
		marked.says(`(Tests: Level &lt;1&gt;)</option>`)
		w.levelGone(id, r)
	})
}

// levelGone takes the levels away: their comments stay with the task, as others do.
func (w *world) levelGone(id int64, r *rubric.Rubric) {
	w.Helper()
	tom := w.as("tom")
	page := tom.do(fmt.Sprintf("%s?at=%d&tab=rubric", w.path(aDesk), id), nil)
	form := page.marks("discuss", "")
	w.rubric(criterionOf("Style", 5, 0))
	later := tom.do(fmt.Sprintf("%s?at=%d&tab=rubric", w.path(aDesk), id), nil).says("Style").lacks("rub-saved")
	if list := later.savedList(); len(list) != 3 {
		w.Errorf("after the levels are gone the list is %q", list)
	}
	tom.do(w.onTask(id, "snippets"), url.Values{"text": {"Too late"}, "level_id": {fmt.Sprint(r.Criteria[0].Levels[0].ID)}}).
		status(422).says("Too late")
	// What is said with one counts it, as it does any other.
	form.Set("comment", "Kept here")
	form.Set("version", tom.do(fmt.Sprintf("%s?at=%d", w.path(aDesk), id), nil).marks("x", "").Get("version"))
	tom.do(w.onTask(id, "verdict"), form).status(303)
	if n := w.one(`SELECT n.uses FROM snippet_uses n JOIN snippets s ON s.id = n.snippet_id WHERE s.text = 'Kept here'`); n != "1" {
		w.Errorf("it was counted %s times", n)
	}
}

// Without script a saved comment gets its level in two steps: the task, then the level, and nothing that was typed is
// lost between them.
func TestSavedCommentsGetALevel(t *testing.T) {
	each(t, func(w *world) {
		w.waiting()
		tom, path := w.as("tom"), w.path(unitSnippets)
		tom.do(path+"?new=true", nil).status(200).lacks("Show levels")
		r := w.rubric(criterionOf("Design", 3, 1, 0), criterionOf("<i>Tests</i>", 2, 0))
		level := r.Criteria[1].Levels[0].ID
		read := tom.reader("tom")
		read.open(path).follows("New saved comment").does(act{form: path, press: "Show levels",
			fill: map[string]string{"text": "Say why.", "task_definition_id": w.graded()}, tick: []string{"all staff"}}).
			sees("Say why.").sees("Marking suggests it when this level is picked.")
		if n := w.one(`SELECT count(*) FROM snippets`); n != "0" {
			t.Errorf("%s were saved before the level was chosen", n)
		}
		read.does(act{form: path, press: "Save comment", fill: map[string]string{"level_id": fmt.Sprint(level)}}).sees("Say why.").
			sees("Tests&lt;/i&gt;: Level &lt;1&gt;").sees("Used 0 times")
		if n := w.one(`SELECT level_key FROM snippets WHERE unit_id IS NOT NULL AND task_definition_id = ` + w.graded()); n !=
			fmt.Sprint(level) {
			t.Errorf("it is for level %s, want %d", n, level)
		}
		read.open(path + "?text=level+1").sees("Say why.")
		// In its own form the level stands chosen, and becomes another.
		other := fmt.Sprint(r.Criteria[0].Levels[1].ID)
		page := read.open(path).follows("Edit: Say why.")
		page.last.says(fmt.Sprintf(`<option value="%d" selected>`, level))
		page.does(act{form: "/change", press: "Save", fill: map[string]string{"level_id": other}}).sees("Design: Level &lt;2&gt;")
		w.levelsElsewhere(tom, path, other)
	})
}

// levelsElsewhere sees that a level is one of the task that is chosen: after another task levels are chosen anew.
func (w *world) levelsElsewhere(tom *world, path, level string) {
	w.Helper()
	one := path + "/" + w.one(`SELECT max(id) FROM snippets`) + "/change"
	bare := w.one(`SELECT id FROM task_definitions WHERE max_quality_pts <> 5`)
	tom.do(one, url.Values{"text": {"Typed"}, "task_definition_id": {bare}, "level_of": {w.graded()}, "level_id": {level}}).
		status(200).says("This task has no rubric").says("Typed")
	tom.do(one, url.Values{"text": {"Typed"}, "task_definition_id": {bare}, "level_of": {bare}, "level_id": {level}}).
		status(422).says("Typed")
	if n := w.one(`SELECT count(*) FROM snippets WHERE text = 'Typed'`); n != "0" {
		w.Error("it was saved")
	}
	tom.do(one, url.Values{"text": {"Typed"}, "task_definition_id": {bare}, "level_id": {"0"}}).status(303)
	if n := w.one(`SELECT count(*) FROM snippets WHERE text = 'Typed' AND level_key IS NULL`); n != "1" {
		w.Error("it is for a level still")
	}
	w.as("ann").do(one, url.Values{"text": {"Mine"}, "levels": {"true"}}).status(403)
}
