package trash

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/personaldata"
	"lectern/internal/ground/redact"
	"lectern/internal/platform/db"
)

// Work is anonymised by giving it to pseudonyms. A student's own tasks stay with status, grade and history; what they
// handed in and what was said stands for "Student 17", who is the same in the whole unit. It is there on the day it
// was made, not at the moment, and under other numbers, as the student's own tasks and receipts and the audit log have
// those. Documents are made anew. What would tell who it was goes: copies that were marked (their cover has the name),
// recordings of voices, reports of an outside service, the names of files, and the student's names in comments. What
// students wrote into their files stays as it is.

// veil knows who is whom while the work for a task is given to pseudonyms.
type veil struct {
	tasks, projects, users map[int64]int64
	people                 map[int64]*veiled // by the student's project
	with                   map[int64][]int64 // with whom a student handed in, by project
	words                  map[int64]*redact.Words
	moments                map[string]map[int64]string // by table and row
	silent                 map[int64]bool              // comments that are left out
	files                  map[fileAt]string           // what files are called then
	leads                  map[int64][2]string         // of comments with a place: what they begin with now and then
	tests, said            map[int64]int64             // the new numbers of tests and comments
}

// fileAt is where a file stands.
type fileAt struct{ submission, position int64 }

// veiled is a student and their pseudonym.
type veiled struct {
	Project   int64   `db:"project"`
	Pseudonym int64   `db:"pseudonym"`
	User      int64   `db:"user_id"`
	Other     int64   `db:"other_id"`
	Called    string  `db:"called"`
	Username  string  `db:"username"`
	Email     string  `db:"email"`
	First     string  `db:"first_name"`
	Last      string  `db:"last_name"`
	Nickname  *string `db:"nickname"`
	Number    *string `db:"student_id"`
}

// anonymise writes what was just put into the archive and taken away once more, as the work of pseudonyms.
func (b *box) anonymise(ctx context.Context, q db.Q, d *Deletion) error {
	v, err := b.veil(ctx, q, *d.RetirementID, d.RecordID)
	if err != nil {
		return err
	}
	by := map[string][]row{}
	for i := range b.rows {
		k := &b.rows[i]
		if k.table.relink == "" && v.hide(k) {
			by[k.table.name] = append(by[k.table.name], k.row)
		}
	}
	out := &Restored{Deletion: *d}
	for i := range tables {
		if rows := by[tables[i].name]; tables[i].label == "" && len(rows) > 0 {
			if err := v.putAnew(ctx, q, out, &tables[i], rows); err != nil {
				return fmt.Errorf("anonymise: %w", err)
			}
		}
	}
	return nil
}

// takeBack removes what stands under pseudonyms, before the work it was made of comes back.
func (d *Deletion) takeBack(ctx context.Context, q db.Q) error {
	_, err := db.Exec(ctx, q, `DELETE FROM tasks WHERE task_definition_id = $2
		AND project_id IN (SELECT m.pseudonym FROM `+numbered+` m)`, *d.RetirementID, d.RecordID)
	return err
}

// veil gives each pseudonym the tasks it needs, and reads who is whom.
func (b *box) veil(ctx context.Context, q db.Q, retirementID, definitionID int64) (*veil, error) {
	v := &veil{tasks: map[int64]int64{}, projects: map[int64]int64{}, users: map[int64]int64{},
		people: map[int64]*veiled{}, with: map[int64][]int64{}, words: map[int64]*redact.Words{},
		moments: map[string]map[int64]string{}, silent: map[int64]bool{}, files: map[fileAt]string{},
		leads: map[int64][2]string{}, tests: map[int64]int64{}, said: map[int64]int64{}}
	for p, err := range db.Each[veiled](ctx, q, `SELECT m.was AS project, m.pseudonym, p.user_id, n.user_id AS other_id,
			x.first_name || ' ' || x.last_name AS called, u.username, u.email, u.first_name, u.last_name, u.nickname,
			u.student_id
		FROM `+numbered+` m JOIN projects p ON p.id = m.was JOIN users u ON u.id = p.user_id
		JOIN projects n ON n.id = m.pseudonym JOIN users x ON x.id = n.user_id`, retirementID) {
		if err != nil {
			return nil, err
		}
		v.people[p.Project], v.projects[p.Project], v.users[p.User] = &p, p.Pseudonym, p.Other
	}
	if err := b.giveTasks(ctx, q, retirementID); err != nil {
		return nil, err
	}
	type pair struct {
		Was       int64 `db:"was"`
		Pseudonym int64 `db:"pseudonym"`
	}
	for t, err := range db.Each[pair](ctx, q, `SELECT t.id AS was, n.id AS pseudonym FROM `+numbered+` m
		JOIN tasks t ON t.project_id = m.was AND t.task_definition_id = $2
		JOIN tasks n ON n.project_id = m.pseudonym AND n.task_definition_id = $2`, retirementID, definitionID) {
		if err != nil {
			return nil, err
		}
		v.tasks[t.Was] = t.Pseudonym
	}
	v.look(b)
	return v, nil
}

// giveTasks makes a task of each pseudonym for each task that has work. Status and grade stay with the student.
func (b *box) giveTasks(ctx context.Context, q db.Q, retirementID int64) error {
	var ids []int64
	for _, k := range b.rows {
		switch k.table.name {
		case handins, comments, "submission_tasks":
			ids = append(ids, k.row.id("task_id"))
		}
	}
	slices.Sort(ids)
	list, args, err := idList(q, []any{retirementID, q.Now()}, slices.Compact(ids))
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO tasks (project_id, task_definition_id, unit_id, created_at, updated_at)
		SELECT m.pseudonym, t.task_definition_id, t.unit_id, $2, $2 FROM `+numbered+` m
		JOIN tasks t ON t.project_id = m.was WHERE t.id IN `+list+` ORDER BY m.pseudonym`, args...)
	return err
}

// look finds what is needed before the first row is changed: who handed in together, which comments are left out,
// and when each submission and comment was made. On a day they follow one another by pseudonym: their order tells
// nothing else.
func (v *veil) look(b *box) {
	made := map[string][]*kept{}
	members := map[int64][]int64{}
	for i := range b.rows {
		k := &b.rows[i]
		switch k.table.name {
		case handins, comments:
			made[k.table.name] = append(made[k.table.name], k)
			if k.row.text("type") == "status" { // no submission has a type
				v.silent[k.row.id("id")] = true
			}
		case "submission_tasks":
			at := k.row.id("submission_id")
			members[at] = append(members[at], k.owner.project)
		case "submission_files":
			v.files[fileAt{k.row.id("submission_id"), k.row.id("position")}] = namelessFile(k.row)
		}
	}
	for _, all := range members {
		for _, one := range all {
			v.with[one] = append(v.with[one], all...)
		}
	}
	v.lookAtPlaces(b)
	for name, rows := range made {
		column := "at"
		if name == comments {
			column = "created_at"
		}
		slices.SortFunc(rows, func(a, c *kept) int {
			return cmp.Or(cmp.Compare(v.tasks[a.row.id("task_id")], v.tasks[c.row.id("task_id")]),
				cmp.Compare(a.row.text(column), c.row.text(column)), cmp.Compare(a.row.id("id"), c.row.id("id")))
		})
		v.moments[name] = make(map[int64]string, len(rows))
		for i, k := range rows {
			v.moments[name][k.row.id("id")] = onDay(k.row.text(column), i)
		}
	}
}

// namelessFile is what a file is called that says nothing of its student: by what was asked for and its ending, of
// several from one zip with a number.
func namelessFile(r row) string {
	name := r.text("key")
	if zipped, _ := r["zipped"].(bool); zipped {
		name = fmt.Sprint(name, "-", r.id("position"))
	}
	return name + strings.ToLower(path.Ext(r.text("name")))
}

// onDay gives a moment on the same day, in nearly every time zone, which tells nothing but its place n.
func onDay(at string, n int) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return at
	}
	return clock.At(t.UTC().Truncate(24 * time.Hour).Add(12*time.Hour + time.Duration(n)*time.Millisecond)).String()
}

// hide changes a row into the pseudonym's, or tells that it is left out.
func (v *veil) hide(k *kept) bool {
	r := k.row
	task := v.give(r)
	switch k.table.name {
	case handins:
		r["at"], r["job_id"], r["document_hash"], r["document_size"], r["pages"], r["document_at"] =
			v.moments[handins][r.id("id")], nil, nil, nil, nil, nil
		if r.text("state") != "failed" {
			r["state"], r["parts_done"], r["reason"] = "queued", int64(0), nil
		}
	case "submission_tasks":
		r["at"] = v.moments[handins][r.id("submission_id")]
		return task
	case "submission_files":
		r["name"] = v.files[fileAt{r.id("submission_id"), r.id("position")}]
	case assessments:
		r["created_at"], r["updated_at"], r["job_id"] = onDay(r.text("created_at"), 0), onDay(r.text("updated_at"), 0), nil
	case "similarity_prints":
		r["at"] = onDay(r.text("at"), 0)
	case similarities:
		if task {
			r["reason"], r["created_at"] = nil, onDay(r.text("created_at"), 0)
			if r["decided_at"] != nil {
				r["decided_at"] = onDay(r.text("decided_at"), 0)
			}
		}
		return r["outside_id"] == nil
	case comments:
		return v.hideComment(k)
	case places:
		return v.hidePlace(k)
	case pairs:
		r["created_at"] = onDay(r.text("created_at"), 0)
	default: // marked copies, recordings, who read what, why an extension was given
		return false
	}
	return true
}

// give gives a row to the pseudonym, and tells whether its task is one that work is taken from: of works that are
// alike, one may be of another unit, which stays as it is.
func (v *veil) give(r row) bool {
	to, task := v.tasks[r.id("task_id")]
	if task {
		r["task_id"] = to
		if p, ok := v.projects[r.id("project_id")]; ok {
			r["project_id"] = p
		}
	}
	for _, column := range []string{"user_id", "recipient_id"} {
		if u, ok := v.users[r.id(column)]; ok {
			r[column] = u
		}
	}
	return task
}

// hideComment leaves out what tells statuses, which stay with the student, and takes names and voices out of the rest.
func (v *veil) hideComment(k *kept) bool {
	r := k.row
	if v.silent[r.id("id")] {
		return false
	}
	if v.silent[r.id("reply_to_id")] {
		r["reply_to_id"] = nil
	}
	at := v.moments[comments][r.id("id")]
	r["created_at"], r["staff_read_at"] = at, at // nobody has it to read again
	if r["extension_assessed_at"] != nil {
		r["extension_assessed_at"] = at
	}
	words := v.wordsOf(k.owner.project)
	lead, text := v.leads[r.id("id")], r.text("comment")
	if after, has := strings.CutPrefix(text, lead[0]); has {
		r["comment"] = lead[1] + words.Without(after)
	} else {
		r["comment"] = words.Without(text)
	}
	if r["extension_response"] != nil {
		r["extension_response"] = words.Without(r.text("extension_response"))
	}
	if kind := r.text("type"); kind == "audio" || kind == "discussion" {
		for _, column := range []string{"attachment_hash", "attachment_type", "attachment_size", "number_of_prompts",
			"discussion_started_at", "discussion_completed_at"} {
			r[column] = nil
		}
		r["type"], r["comment"] = "text", strings.TrimSpace(r.text("comment")+" ("+personaldata.Removed+")")
	}
	return true
}

// lookAtPlaces finds what comments that point at the work begin with once its files have other names.
func (v *veil) lookAtPlaces(b *box) {
	for i := range b.rows {
		k := &b.rows[i]
		if k.table.name != places {
			continue
		}
		lead := k.row.text("lead")
		then := v.wordsOf(k.owner.project).Without(lead)
		if at := strings.LastIndex(lead, ", line"); at >= 0 && k.row["name"] != nil {
			then = v.files[k.pointsAt()] + lead[at:]
		}
		v.leads[k.row.id("task_comment_id")] = [2]string{lead, then}
	}
}

// pointsAt is the file that a place is in.
func (k *kept) pointsAt() fileAt { return fileAt{k.row.id("submission_id"), k.row.id("position")} }

// hidePlace changes where a comment points into the place of the pseudonym's work.
func (v *veil) hidePlace(k *kept) bool {
	r := k.row
	r["lead"], r["verdict_id"] = v.leads[r.id("task_comment_id")][1], nil
	r["submitted_at"] = v.moments[handins][r.id("submission_id")]
	if r["name"] != nil {
		r["name"] = v.files[k.pointsAt()]
	}
	if r["quote"] != nil {
		r["quote"] = v.wordsOf(k.owner.project).Without(r.text("quote"))
	}
	if r["done_at"] != nil {
		r["done_at"] = onDay(r.text("done_at"), 0)
	}
	if u, ok := v.users[r.id("done_by")]; ok {
		r["done_by"] = u
	}
	return true
}

// wordsOf are said for the names of a student and of those they handed in with.
func (v *veil) wordsOf(project int64) *redact.Words {
	if w, ok := v.words[project]; ok {
		return w
	}
	instead := map[string]string{}
	for _, id := range append([]int64{project}, v.with[project]...) {
		if p := v.people[id]; p != nil {
			for _, n := range (redact.Person{First: p.First, Last: p.Last, Username: p.Username, Email: p.Email,
				Nickname: p.Nickname, Number: p.Number}).Names() {
				instead[n] = p.Called
			}
		}
	}
	v.words[project] = redact.New(instead)
	return v.words[project]
}
