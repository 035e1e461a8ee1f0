package site_test

import (
	"fmt"
	"maps"
	"net/url"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/links"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
)

// marks does all that the staff of a unit do, in a world of its own where the work of Ann
// and Bea waits, and notes what was seen and done.
func (r *reader) marks(w *world) {
	r.Helper()
	ids := w.waiting()
	tom := w.reader("tom")
	tom.marksMany()
	tom.marksOne(ids)
	tom.writesBeside(ids[0])
	tom.looksAfterSnippets()
	tom.looksAfterNotes()
	tom.findsStudents()
	tom.marksManyOfOneTask(ids[1])
	tom.decidesOnTime()
	tom.answersReviews()
	tom.marksOffline()
	tom.looksAsAStudent()
	tom.promises()
	tom.setsUpTasks()
	tom.writesRubrics()
	tom.enrolsStudents()
	tom.setsUpStaff()
	tom.setsUpGroups()
	tom.setsUpOutcomes()
	tom.restoresWork()
	tom.decidesOnCases()
	tom.moderates()
	tom.changesSettings()
	tom.handsOver()
	tom.announces()
	tom.grades()
	tom.startsUnits()
	tom.retires(w)
	tom.looksEverywhere("tom")
	maps.Copy(r.seen, tom.seen)
	maps.Copy(r.done, tom.done)
}

// marksMany narrows the inbox, gives one verdict on two tasks and takes it back.
func (r *reader) marksMany() {
	r.Helper()
	inbox := r.path("/units/{id}/inbox")
	r.open(inbox).does(act{form: inbox, fill: map[string]string{"text": "bea"}}).sees("1–1 of 1")
	r.open(inbox + "?sort=task").does(act{form: "/inbox/plan", tick: []string{"ann <b>Person</b> <b>1</b>", "bea"},
		fill: map[string]string{"verdict": "redo", "comment": "Both, again."}}).sees("2 submissions will change")
	r.does(act{form: "/inbox/plan", press: "Apply to 2"}).sees("2 updated")
	r.does(act{form: "/inbox/undo"}).sees("2 undone").sees(`href="` + inbox + `?sort=task"`)
}

// marksOne marks on the desk, takes it back, marks again and only says something.
func (r *reader) marksOne(ids [3]int64) {
	r.Helper()
	desk := r.path(aDesk)
	well := act{form: "/verdict", press: "complete", fill: map[string]string{"comment": "Well done."}}
	r.open(desk).does(well).sees("Complete.").sees(`<h1 id="desk-name" tabindex="-1"><bdi>bea`)
	r.does(act{form: "/undo"}).sees(">Well done.</textarea>").does(well)
	if s := r.statusOf(ids[0]); s != "complete" {
		r.Errorf("marked, it stands at %s", s)
	}
	r.open(desk).does(act{form: "/verdict", press: "Comment only", fill: map[string]string{"comment": "Soon."}}).
		sees("<bdi>Soon.</bdi>")
	at := fmt.Sprintf("%s?at=%d", desk, ids[2])
	r.open(at).does(act{form: "/verdict", press: "complete", fill: map[string]string{"grade": "2", "quality": "4"}})
	r.open(at).sees("Grade Distinction")
	r.open(r.path(aUnitTask)).sees("Distinction 4/5")
}

// writesBeside does on the desk what is not a verdict.
func (r *reader) writesBeside(id int64) {
	r.Helper()
	r.exec(`UPDATE units SET auto_apply_extension_before_deadline = FALSE`)
	at := fmt.Sprintf("%s?at=%d", r.path(aDesk), id)
	task := fmt.Sprintf("/projects/%s/tasks/%s", r.one(fmt.Sprintf(`SELECT project_id FROM tasks WHERE id = %d`, id)),
		r.one(fmt.Sprintf(`SELECT task_definition_id FROM tasks WHERE id = %d`, id)))
	ann := r.as("ann")
	ann.do(task+"/comments", url.Values{"comment": {"When?"}}).status(303)
	ann.do(task+"/extension", url.Values{"weeks": {"1"}, "reason": {"I was ill."}}).status(303)
	r.open(at).does(act{form: "/extension", press: "Decline"}).sees("Declined")
	r.does(act{form: "/read"})
	if strings.Contains(r.text, "Mark as read") {
		r.Error("the conversation is still new")
	}
	r.does(act{form: "/pin"}).sees("Unpin").does(act{form: "/pin"})
	if strings.Contains(r.text, "Unpin") {
		r.Error("the pin is still there")
	}
	r.does(act{form: "/comment", words: "Comment (optional)", fill: map[string]string{"comment": "As drawn."},
		files: map[string]string{"attachment": picture}}).sees(`<img class="thumb"`)
	r.does(act{form: "/note", fill: map[string]string{"text": "Ask for sources."}, tick: []string{"second look"}}).
		sees("Ask for sources.").sees("Second look")
	r.does(act{form: "/snippets", fill: map[string]string{"text": "Indent it."}, tick: []string{"all staff"}})
	r.does(act{form: "/verdict", press: "fix_and_resubmit", fill: map[string]string{"comment": "Please:",
		"snippet": r.one(`SELECT max(id) FROM snippets`)}})
	r.open(at).sees("Please:<br>Indent it.")
	ann.send(task+"/hand-in", "alike", "a.go", "package a\n").status(303)
	r.open(at + "&file=0&line=1").does(act{form: "/comment", words: "Comment on line 1",
		fill: map[string]string{"comment": "Name it."}}).sees("Name it.")
	r.open(at + "&file=0").does(act{form: "/tick"}).sees("Reopen")
	r.exec(fmt.Sprintf(`INSERT INTO task_similarities (type, project_id, task_id, submission_id, part, outside_id,
			outside_pct, flagged, created_at)
		SELECT 'TiiTaskSimilarity', t.project_id, t.id, max(s.id), 'file0', 'x', 64, TRUE, $1
		FROM tasks t, submissions s WHERE t.id = %d GROUP BY t.project_id, t.id`, id), r.db.Now())
	alike := "/similarities/" + r.one(`SELECT max(id) FROM task_similarities`)
	r.open(r.path(aDesk) + fmt.Sprintf("/tasks/%d", id) + alike).
		does(act{form: alike, press: "Not a concern"}).sees("Flag again")
	r.does(act{form: alike, press: "Flag again"}).sees("Still flagged.")
}

func (r *reader) looksAfterSnippets() {
	r.Helper()
	path := r.path(unitSnippets)
	r.open(path).follows("New saved comment").does(act{form: "/snippets", fill: map[string]string{"text": "Cite it."}}).
		sees("Cite it.")
	id := r.one(`SELECT max(id) FROM snippets`)
	r.open(path).does(act{form: path, fill: map[string]string{"text": "nothing so"}}).sees("No saved comments match")
	r.open(path).follows("Edit: Cite it.").does(act{form: "/change", fill: map[string]string{"text": "Cite them."}}).
		sees("Cite them.")
	r.follows("Edit: Cite them.").does(act{form: "/" + id + "/remove"})
	if strings.Contains(r.text, "Cite them.") {
		r.Error("it is still there")
	}
}

func (r *reader) looksAfterNotes() {
	r.Helper()
	for _, page := range []string{r.path(notesOn), r.path(aStudent) + "?tab=notes"} {
		r.open(page).does(act{form: "/notes", fill: map[string]string{"text": "Was ill."}}).sees("Was ill.")
		r.does(act{form: "/change", words: "Was ill.", fill: map[string]string{"text": "Is well."}}).sees("Is well.")
		r.does(act{form: "/" + r.one(`SELECT max(id) FROM staff_notes`) + "/delete"})
		if strings.Contains(r.text, "Is well.") || r.at != page {
			r.Errorf("it is still there, or they are at %s", r.at)
		}
	}
}

// findsStudents narrows the lists of students.
func (r *reader) findsStudents() {
	r.Helper()
	for _, list := range []string{r.path("/units/{id}/students"), r.path(aUnitTask)} {
		r.open(list).does(act{form: list, fill: map[string]string{"text": "ann"}}).sees("ann &lt;b&gt;Person").
			sees("1–1 of 1")
	}
}

// marksManyOfOneTask gives one verdict on a task to students chosen on its page, takes it
// back and is led there again.
func (r *reader) marksManyOfOneTask(bea int64) {
	r.Helper()
	list := "/units/" + r.ids()[2] + "/tasks/" + r.one(`SELECT min(id) FROM task_definitions`)
	r.open(list + "?sort=status").does(act{form: "/inbox/plan", tick: []string{"ann", "bea"},
		fill: map[string]string{"verdict": "discuss", "comment": "Let us talk."}}).sees("2 submissions will change")
	r.does(act{form: "/inbox/plan", press: "Apply to 2"}).sees("2 updated")
	if s := r.statusOf(bea); s != "discuss" {
		r.Errorf("marked, it stands at %s", s)
	}
	r.does(act{form: "/inbox/undo"}).sees("2 undone").sees(`href="` + list + `?sort=status"`)
	if s := r.statusOf(bea); s != "ready_for_feedback" {
		r.Errorf("taken back, it stands at %s", s)
	}
}

func (r *reader) decidesOnTime() {
	r.Helper()
	r.asks("Too much to do.")
	list := r.path(someExtensions)
	r.open(list + "?task=" + r.ids()[1]).sees("Too much to do.")
	r.does(act{form: "/plan", tick: []string{"Select"}, press: "Grant"}).sees("Nothing is changed yet. 1 of 1")
	r.does(act{form: list}).sees("1 of 1 request decided")
	r.open(list).sees("No open requests")
	r.open(list + "?tab=decided").sees("Extension granted to")
	again := fmt.Sprint(r.asks("Too much again."))
	r.open(list).does(act{form: "/plan", press: again}).sees("Extension granted to")
	r.asks("Once more.")
	r.open("/home").does(act{form: list, press: "Decline"}).sees("Extension declined.")
	r.open(list + "/give").does(act{form: "/give", fill: map[string]string{"text": "ann"}})
	r.does(act{form: "/give", tick: []string{"ann"}, press: "Continue"}).sees("Step 2 of 3")
	r.does(act{form: "/give/plan", fill: map[string]string{"task": r.ids()[1], "weeks": "1",
		"reason": "Special consideration."}}).
		sees("nothing is changed yet")
	r.does(act{form: "/give", press: "Give"}).sees("1 extension given.")
}

// handsOver hands the queue of a colleague over and ends that.
func (r *reader) handsOver() {
	r.Helper()
	r.colleague()
	kim := r.roleOf("kim")
	path, day := r.path(someHandovers), clock.Day(r.db.Now().Time).String()
	r.open(path).does(act{form: "/handovers", fill: map[string]string{"role": kim, "from": day, "until": day},
		tick: []string{"tom"}}).sees("End now")
	r.does(act{form: "/end"}).sees("No queue is handed over.")
}

// announces writes to everyone and, by a search, to one student.
func (r *reader) announces() {
	r.Helper()
	list, all := r.path(someAnnouncements), r.one(`SELECT count(*) FROM projects WHERE enrolled`)
	r.open(list).follows("New announcement").does(act{form: "/new", press: "Review recipients",
		fill: map[string]string{"title": "No class", "text": "On Monday"}}).sees("Send to " + all + " student")
	r.does(act{form: "/new", press: "Change"}).sees(`value="No class"`).does(act{form: "/new", press: "Review recipients"})
	r.does(act{form: "/new", press: "Send to"}).sees("Sent to " + all + " student")
	r.open(list + "/new").does(act{form: "/new", press: "Find", fill: map[string]string{"title": "You", "text": "Come",
		"to": "selection", "find": "bea"}}).sees("bea &lt;b&gt;")
	r.does(act{form: "/new", press: "Review recipients", tick: []string{"bea"}}).sees("Send to 1 student?")
	r.does(act{form: "/new", press: "Send to"}).sees("Sent to 1 student.")
	r.open(r.path("/units/{id}/students")).does(act{form: "/announcements/new", words: "", tick: []string{"bea"}}).
		sees("New announcement")
}

// answersReviews answers one of Ann's on its page, and one at the desk.
func (r *reader) answersReviews() {
	r.Helper()
	for _, at := range []string{"", r.path(aDesk)} {
		id := r.one(`SELECT t.id FROM tasks t JOIN projects p ON p.id = t.project_id JOIN users u ON u.id = p.user_id
			WHERE u.username = 'ann' ORDER BY t.id LIMIT 1`)
		r.exec(`INSERT INTO task_history (task_id, at, actor_id, from_status, to_status, assessed)
			SELECT t.id, $1, u.id, t.status, 'redo', TRUE FROM tasks t, users u WHERE u.username = 'tom' AND t.id = `+id,
			r.db.Now())
		task := "/projects/" + r.one(`SELECT project_id FROM tasks WHERE id = `+id) + "/tasks/" +
			r.one(`SELECT task_definition_id FROM tasks WHERE id = `+id)
		ann := r.reader("ann")
		ann.open(task + "/review").does(act{form: "/review", fill: map[string]string{"reason": "It runs."}}).sees("It runs.")
		maps.Copy(r.done, ann.done)
		page, form := task+"/review", "/review/"+r.one(`SELECT max(id) FROM reviews`)
		if at != "" {
			page, form = at+"?at="+id, "/review"
		}
		r.open(page).does(act{form: form, fill: map[string]string{"answer": "Not on mine."}})
		r.open(task).sees("Not on mine.")
	}
}

func (r *reader) marksOffline() {
	r.Helper()
	sheet := "username,name,tutorial,task,status,new grade,new quality,new comment\r\nbea,x,y,<b>1</b>,fix,,,Once more\r\n"
	r.open(r.path(offlineMarking)).does(act{form: "/batch", fill: map[string]string{"who": "all"}})
	if !strings.HasPrefix(r.text, "PK") {
		r.Errorf("no archive: %.20q", r.text)
	}
	r.open(r.path(offlineMarking)).does(act{form: "/plan", files: map[string]string{"file": sheet}}).
		sees("Nothing is changed yet.")
	r.does(act{form: "/offline", files: map[string]string{"file": sheet}}).sees("1 change was applied.")
}

// looksAsAStudent sees what the student sees, and leaves again.
func (r *reader) looksAsAStudent() {
	r.Helper()
	r.open(r.path(aStudent)).does(act{form: "/view"}).sees("Viewing as")
	r.does(act{form: "/leave", words: "Stop viewing"}).sees("View as student")
}

// setsUpTasks adds a task, changes it, deletes it and brings it back, twice.
func (r *reader) setsUpTasks() {
	r.Helper()
	list := r.path(taskSetup)
	r.open(list).does(act{form: list, fill: map[string]string{"text": "graded"}}).sees("Graded")
	r.open(list + "/new").does(act{form: "/new", press: "Add task", fill: map[string]string{"task[abbreviation]": "7.1P",
		"task[name]": "Seven"}}).sees("Saved.")
	at, _, _ := strings.Cut(r.at, "?")
	r.open(at).does(act{form: list, fill: map[string]string{"text": "seven"}})
	r.open(at).does(act{form: at, press: "Save changes", fill: map[string]string{"task[weighting]": "3"}}).sees("Saved.")
	r.open(list + "/new").does(act{form: list, fill: map[string]string{"text": "seven"}})
	r.open(at)
	for name, content := range map[string]string{"sheet": pdf, "resources": emptyZip, "template": emptyZip,
		"tests": emptyZip} {
		r.does(act{form: "/" + name, files: map[string]string{"file": content}}).sees("Replace")
		r.open(at + "/" + name + "/remove").does(act{form: "/remove"}).sees("Saved.")
	}
	r.open(list).does(act{form: at + "/move", press: "Move one week later"}).sees("Moved:")
	r.does(act{form: at + "/move", words: "Moved:"}).does(act{form: at + "/duplicate"}).sees("Seven copy")
	r.open(list + "?text=seven").does(act{form: "/shift", tick: []string{"7.1P"}, fill: map[string]string{"weeks": "2"}}).
		sees("Nothing is changed yet. 1 task will move.").does(act{form: "/shift"}).sees("Tasks moved.")
	sheet, _, _ := strings.Cut(r.do(list+"/tasks.csv", nil).Body.String(), "\n")
	sheet += "\nNew,8.1P,,1,0,false,0,false,50,[],,[],1,Mon,2,Fri,,,\n"
	send := act{form: "/plan", files: map[string]string{"file": sheet}}
	r.open(list + "/import").does(send).does(send).does(act{form: "/import"}).sees("imported.")
	all := act{form: "/plan", files: map[string]string{"file": zipOf(r.T, "7.1P.pdf", pdf)}}
	r.open(list + "/sheets").does(all).does(all).does(act{form: "/sheets", files: all.files}).sees("1 file imported.")
	r.exec(`INSERT INTO overseer_images (name, tag) VALUES ('setup', 'a/b:2')`)
	r.exec(`UPDATE units SET overseer_image_id = (SELECT max(id) FROM overseer_images)`)
	r.open(at).does(act{form: "/tests", files: map[string]string{"file": emptyZip}}).follows("Test run").
		does(act{form: "/trials"}).sees("Queued")
	for _, again := range []string{"Undo", "restored until"} {
		r.open(at + "/delete").does(act{form: "/delete"}).does(act{form: "/restore", words: again}).sees("Task restored.")
	}
}

// setsUpStaff adds somebody to the staff, changes their role and takes them off again, and does the same to
// a stream and a tutorial, by hand and by a sheet.
func (r *reader) setsUpStaff() {
	r.Helper()
	list := r.path(staffSetup)
	r.exec(`UPDATE unit_roles SET role = 3, is_main = user_id = (SELECT id FROM users WHERE username = 'tom')`)
	r.exec(`INSERT INTO activity_types (name, abbreviation) VALUES ('Seminar', 'sem')`)
	r.person("quentin", policy.Convenor)
	if err := ident.FillWords(r.Context(), r.db); err != nil {
		r.Fatal(err)
	}
	find := act{form: "/find", fill: map[string]string{"text": "que"}}
	r.open(list).does(find).does(find).does(act{form: "/add", press: "Convenor"}).sees("Added: quentin")
	role := r.staffRoleOf("quentin")
	stream, tutorial := list+"/streams/new", list+"/tutorials/new"
	r.open(stream).does(act{form: stream}).sees("Saved.")
	aStream, _, _ := strings.Cut(r.at, "?")
	r.does(act{form: aStream, fill: map[string]string{"stream[name]": "Talks"}}).sees("Saved.")
	r.open(tutorial).does(act{form: tutorial, press: "Add tutorial", fill: map[string]string{"tutorial[abbreviation]": "Q1",
		"tutorial[meeting_time]": "9:00", "tutorial[meeting_location]": "Hall"}}).sees("Added: Q1").follows("Q1")
	aTutorial := r.at
	r.does(act{form: aTutorial, fill: map[string]string{"tutorial[meeting_time]": "9:30"}}).sees("Saved.")
	for _, at := range []string{list, stream, aStream, tutorial, aTutorial} {
		r.open(at).does(find)
	}
	r.open(list).does(act{form: role, press: "Make tutor"}).does(act{form: role, press: "Make convenor"})
	r.does(act{form: role + "/main"}).does(act{form: r.staffRoleOf("tom") + "/main"})
	r.open(aTutorial + "/delete").does(act{form: "/delete"}).sees("Deleted: Q1")
	r.open(aStream + "/delete").does(act{form: "/delete"}).sees("Deleted: Talks")
	r.open(role + "/remove").does(act{form: "/remove"}).sees("Removed from the staff")
	sheet, _, _ := strings.Cut(r.do(list+"/tutorials.csv", nil).Body.String(), "\n")
	send := act{form: "/plan", files: map[string]string{"file": sheet + "\nQ2,,,quentin,Monday,9:00,Hall,9,\n"}}
	r.open(list + "/import").does(send).does(send).does(act{form: "/import"}).sees("imported.")
}

func (r *reader) promises() {
	r.Helper()
	r.exec(`UPDATE unit_roles SET role = 3`)
	r.exec(`UPDATE users SET role = 3 WHERE username = 'tom'`)
	r.exec(`UPDATE units SET description = 'x'`)
	r.open(r.path(thePromise)).does(act{form: "/promise", fill: map[string]string{"days": "5"}}).
		sees("Feedback target: 5 days")
	r.open(r.path(atRiskHere)).does(act{form: "/risk", fill: map[string]string{"unit[risk_away_days]": "30"}}).
		sees("Away 30 days or more")
}

// enrolsStudents enrols somebody, changes where they are, withdraws them and takes it back, moves many, and
// imports a sheet with a mistake in it.
func (r *reader) enrolsStudents() {
	r.Helper()
	list := r.path(studentSetup)
	r.exec(`UPDATE units SET code = 'SIT1'`)
	r.exec(`INSERT INTO tutorials (unit_id, abbreviation, meeting_day, meeting_time, meeting_location)
		SELECT max(id), 'LA7', 'Monday', '10:00', 'X' FROM units`)
	class := r.one(`SELECT id FROM tutorials WHERE abbreviation = 'LA7'`)
	at := list + "/" + r.one(`SELECT p.id FROM projects p JOIN users u ON u.id = p.user_id WHERE u.username = 'bea'`)
	r.open(list).does(act{form: list, fill: map[string]string{"text": "bea"}}).sees("1–1 of 1").sees(at)
	r.open(at).does(act{form: at, fill: map[string]string{"tutorials": class}}).sees("Saved:")
	for _, done := range []string{"Withdrawn:", "Enrolled again:"} {
		r.open(list + "?show=all&text=bea").does(act{form: "/enrolment"}).sees(done)
	}
	r.open(at).does(act{form: "/enrolment"}).does(act{form: "/enrolment", words: "Withdrawn:"}).sees("Enrolled again:")
	r.open(list + "/new").does(act{form: "/new", fill: map[string]string{"account[username]": "ned",
		"account[email]": "ned@example.edu", "account[first_name]": "Ned", "account[last_name]": "N",
		"tutorials": class}}).sees("Enrolled:")
	r.open(list + "?chosen=all").does(act{form: "/move", fill: map[string]string{"to": "tutorial-" + class}}).
		does(act{form: "/move", press: "Change"}).sees("changed.")
	head := "unit_code,campus,username,student_id,first_name,last_name,email,tutorial\n"
	r.open(list + "/import").does(act{form: "/plan", files: map[string]string{"file": head +
		"SIT1,,zed,,Zed,Z,zed@example.edu,LA7\nSIT1,,yan,,Yan,Y,yan@example.edu,LA8\n"}}).sees("Did you mean LA7?")
	r.does(act{form: "/plan", press: "new"}).does(act{form: "/plan", press: "Download"})
	r.open(list + "/import").does(act{form: "/plan", files: map[string]string{"file": head +
		"SIT1,,zed,,Zed,Z,zed@example.edu,LA7\n"}}).does(act{form: "/plan", press: "Enrol 1 student"}).sees("1 enrolled.")
	r.exec(`DELETE FROM tutorial_enrolments`) // who comes next puts them elsewhere
}

// changesSettings moves the start of the unit after seeing what moves, closes it and opens it again.
func (r *reader) changesSettings() {
	r.Helper()
	r.exec(`UPDATE units SET name = 'Logic'`)
	r.open(r.path(unitSettings)).does(act{form: "/settings", fill: map[string]string{
		"unit[start_date]": r.startLater(7)}}).sees("Review what moves")
	r.does(act{form: "/settings", press: "Save and move dates"}).sees("Settings saved.")
	r.follows("Close unit").does(act{form: "/close"}).does(act{form: "/reopen"}).sees("Close unit")
}

// startsUnits begins a blank unit, and one from the unit that is there, after seeing what that comes to.
func (r *reader) startsUnits() {
	r.Helper()
	r.exec(`UPDATE units SET code = 'SIT1'`)
	r.period("Next", 30)
	r.open(newUnit).does(act{form: newUnit, fill: map[string]string{"text": "sit"}}).sees("SIT1").follows("Roll over").
		does(act{form: "/rollover"}).sees("Nothing is created yet.")
	r.does(act{form: "/rollover", press: "Create unit"}).sees("Checklist")
	r.open(newUnit + "?blank=true").does(act{form: newUnit, fill: map[string]string{"unit[code]": "SIT2",
		"unit[name]": "Logic"}}).sees("Checklist")
}

// retires deletes the work of a unit that is over, and brings it back.
func (r *reader) retires(w *world) {
	r.Helper()
	r.exec(`UPDATE units SET teaching_period_id = NULL, start_date = '2023-03-06', end_date = '2023-06-09'`)
	unit := r.one(`SELECT max(unit_id) FROM submissions`) // not the one that was just begun
	at, code := strings.Replace(links.Retirement, "{id}", unit, 1), r.one(`SELECT code FROM units WHERE id = `+unit)
	r.open(at).does(act{form: at, press: "Review", fill: map[string]string{"plan": "delete_work"}}).
		does(act{form: at, words: "Kept", press: "Continue"}).
		does(act{form: at, words: "Kept", fill: map[string]string{"confirm": code}}).sees("In progress")
	w.carriesOut()
	r.open(at).does(act{form: "/undo"}).sees("Being undone")
	w.carriesOut()
}
