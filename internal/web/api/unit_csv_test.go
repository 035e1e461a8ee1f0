package api

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

const studentCSV = "unit_code,campus,username,student_id,preferred_name,first_name,last_name,email,prac-1\r\n"

var _ = rights(
	rightRow{"GET /api/csv/units/{id}", "/api/csv/units/{unitA}", staffA, nil},
	rightRow{"POST /api/csv/units/{id}", "/api/csv/units/{unitA}", convenorsA,
		csvFile(studentCSV + "SIT10A,,new1,,,N,N,new1@example.edu,\r\n")},
	rightRow{"POST /api/csv/units/{id}/withdraw", "/api/csv/units/{unitA}/withdraw", convenorsA,
		csvFile("unit_code,username\r\nSIT10A,other\r\n")},
)

func csvFile(content string) upload { return upload{files: []part{{"file", "s.csv", content}}} }

// reported is the answer to an import.
type reported struct{ Success, Errors, Ignored []reportedLine }

type reportedLine struct {
	Line          int
	Message, Link string
}

// is compares the messages of a report, each behind the number of its line.
func (r reported) is(t *testing.T, success, errors, ignored []string) {
	t.Helper()
	for _, list := range []struct {
		name string
		got  []reportedLine
		want []string
	}{{"success", r.Success, success}, {"errors", r.Errors, errors}, {"ignored", r.Ignored, ignored}} {
		var got []string
		for _, l := range list.got {
			got = append(got, fmt.Sprint(l.Line, " ", l.Message))
		}
		if a, b := strings.Join(got, "\n"), strings.Join(list.want, "\n"); a != b {
			t.Errorf("%s:\n%s\nwant:\n%s", list.name, a, b)
		}
	}
}

func (w *world) importing(path, content string) (r reported) {
	w.Helper()
	w.do("convenor", "POST "+path, csvFile(content)).status(201).into(&r)
	return r
}

func (w *world) export(path string) string {
	w.Helper()
	return w.do("convenor", "GET "+path, nil).status(200).Body.String()
}

func TestImportStudents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = "/api/csv/units/{unitA}"
		w.tutorial("LA2", "streamA", "", 2)
		w.tutorial("FAR", "streamA", "geelong", 9)
		// Of an account never opened a Convenor's sheet may change the number.
		w.set(`UPDATE users SET opened_at = NULL WHERE id = $1`, w.id["student"])
		w.set(`UPDATE units SET code = 'SIT10A/SIT90A' WHERE id = $1`, w.id["unitA"])
		file := studentCSV +
			"SIT10A,B,Zoë1,77,,Zoë,McDonald de la Cruz,zoe@example.edu,LA1\r\n" + // 2: not a user name
			"sit90a,burwood,zoe,77,Zo,Zoë,McDonald,zoe@example.edu,LA2\r\n" +
			"SIT10A/SIT90A,,ann,,,Ann,,ann@example.edu,LA2\r\n" +
			"SIT10A,,bob,,,Bob,B,bob@example.edu,LA2\r\n" + // 5: full
			"SIT10A,G,student,5,,X,Y,student@example.edu,FAR\r\n" + // campus and tutorial
			"SIT10B,,cat,,,Cat,C,cat@example.edu,\r\n" + // 7: another unit
			"SIT10A,,ZOE,,,Zoë,M,zoe2@example.edu,\r\n" + // twice
			"SIT10A,,dan,,,Dan,D,dan@example,\r\n" + // 9: no address
			"SIT10A,X,eve,,,Eve,E,eve@example.edu,\r\n" + // no campus
			"SIT10A,,fay,,,Fay,F,admin@example.edu,\r\n" + // 11: taken
			"SIT10A,,gus,77,,Gus,G,gus@example.edu,\r\n" + // 12: twice
			"SIT10A,,withdrawn,,,W,P,withdrawn@example.edu,NONE\r\n" +
			"SIT10A,B,mate,,,Mate,Person,mate@example.edu,LA1\r\n" +
			"SIT10A,B,other,,,Other,Person,other@example.edu,FAR\r\n" +
			"SIT10A,B,admin,9,,A,P,admin2@example.edu,\r\n"
		success := []string{
			"3 zoe: account created, enrolled, campus Burwood, tutorial LA2.",
			"4 ann: account created, enrolled, tutorial LA2.",
			"5 bob: account created, enrolled. Not in tutorial LA2: Tutorial LA2 is full: all of its 2 places are " +
				"taken.",
			"6 student: campus Geelong, tutorial FAR, no longer in tutorial LA1, student_id 5.",
			"13 withdrawn: enrolled again. There is no tutorial NONE.",
			"16 admin: enrolled, campus Burwood. Their student_id stays: you may not change their account.",
		}
		errors := []string{
			"2 username may hold only letters a to z, digits and signs, no blanks",
			"9 email is not an email address such as name@example.edu",
			"10 there is no campus X",
			"11 another user has that email",
			"12 the same student_id stands in line 3",
		}
		same := []string{
			"7 the row is for unit SIT10B, not SIT10A/SIT90A",
			"8 ZOE is already in line 3",
			"14 mate is enrolled like this already.",
			"15 other is enrolled like this already. Not in tutorial FAR: Tutorial FAR is for campus Geelong, but " +
				"the student belongs to campus Burwood.",
		}
		before, users := w.export(path), w.count("users")
		dry := w.importing(path+"?dry_run=true", file)
		dry.is(t, success, errors, same)
		if w.export(path) != before || w.count("users") != users || w.count("password_links") != 0 {
			t.Error("a dry run changed something")
		}
		r := w.importing(path, file)
		r.is(t, success, errors, same)
		for i, l := range r.Success {
			if made := i < 3; made != strings.HasPrefix(l.Link, "https://learn.example.edu/password?token=") {
				t.Errorf("line %d has the link %q", l.Line, l.Link)
			}
			if dry.Success[i].Link != "" {
				t.Error("a dry run gave a link")
			}
		}
		if n := w.count(`users WHERE username = 'zoe' AND first_name = 'Zoë' AND last_name = 'McDonald'
			AND nickname = 'Zo' AND student_id = '77'
			AND role = 1 AND password_hash IS NULL`); n != 1 {
			t.Error("zoe is not as the sheet says")
		}
		if n := w.count(`users WHERE username = 'ann' AND last_name = 'Ann'`); n != 1 {
			t.Error("one name does not stand for both")
		}
		if got := w.tutorialsOf("project:student") + w.tutorialsOf("project:withdrawn") +
			w.tutorialsOf("project:other"); got != "[FAR][LA1][LA1]" {
			t.Errorf("places: %s", got)
		}
		w.do("student", "GET /api/projects/{project:student}", nil).status(200).has(`{"campus_id":«geelong»}`)
		token := strings.TrimPrefix(r.Success[0].Link, "https://learn.example.edu/password?token=")
		w.do("", "POST /api/auth/password", map[string]string{"token": token,
			"password": "long enough to be one"}).status(204)

		// Again: nothing is left to do.
		again := w.importing(path, file)
		if len(again.Success) != 0 || len(again.Ignored) != len(success)+len(same) || len(again.Errors) != len(errors) {
			t.Errorf("again: %+v", again)
		}
		// Staff may exceed a tutorial by saying so.
		w.importing(path+"?exceed_capacity=true", studentCSV+"SIT10A,,bob,,,Bob,B,bob@example.edu,LA2\r\n").
			is(t, []string{"2 bob: tutorial LA2."}, nil, nil)
		// A file of anything but text and the other edges of its form.
		w.importing(path, strings.ReplaceAll("\ufeff"+strings.ReplaceAll(studentCSV, ",", ";"), "username",
			"\" UserName \"")+"SIT10A;;zoe;;;;Z;zoe@example.edu;\n\n").
			is(t, nil, nil, []string{"2 zoe is enrolled like this already."})
	})
}

// What ties a student to a tutorial holds against a sheet, too.
func TestImportAgainstGroups(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = "/api/csv/units/{unitA}"
		w.tutorial("LA2", "streamA", "", 9)
		w.set(`UPDATE group_sets SET keep_groups_in_same_class = TRUE, allow_students_to_manage_groups = FALSE`)
		line := func(campus, class string) string {
			return studentCSV + "SIT10A," + campus + ",student,,,S,P,student@example.edu," + class + "\r\n"
		}
		w.importing(path, line("", "LA2")).is(t, nil, nil, []string{"2 student is enrolled like this already. Not in " +
			"tutorial LA2: " +
			"The student is in the group Red, which stays in tutorial LA1. Remove them from the group first."})
		w.importing(path, line("G", "")).is(t, nil, []string{"2 the campus cannot change: The student is in the " +
			"group Red, " +
			"which stays in tutorial LA1. Remove them from the group first."}, nil)
		w.set(`UPDATE group_sets SET allow_students_to_manage_groups = TRUE`)
		w.importing(path, line("", "LA2")).is(t, []string{"2 student: tutorial LA2, no longer in tutorial LA1, no " +
			"longer in the group Red."}, nil, nil)
		if got := w.tutorialsOf("project:student") + w.members("group"); got != "[LA2][mate]" {
			t.Errorf("after the move: %s", got)
		}
	})
}

func TestImportByStreams(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = "/api/csv/units/{unitA}"
		w.add("seminar", "tutorial_streams", row{"unit_id": w.id["unitA"], "name": "Seminar", "abbreviation": "Email",
			"activity_type_id": w.id["prac"]})
		w.tutorial("S1", "seminar", "", 5)
		w.tutorial("FREE", "", "", 5)
		// A stream called as another column is told from it by a number.
		head := strings.TrimSpace(studentCSV) + ",Email_2,tutorial\r\n"
		if got := w.export(path); !strings.HasPrefix(got, "\ufeff"+head) {
			t.Errorf("the headings are %.200s", got)
		}
		line := "SIT10A,,student,,,S,P,student@example.edu,"
		w.importing(path, head+line+"S1,LA1,\r\n").is(t, nil, nil, []string{"2 student is enrolled like this " +
			"already. " +
			"Tutorial S1 is not of the stream prac-1. Tutorial LA1 is not of the stream Email_2."})
		w.importing(path, head+line+",s1,\r\n").is(t, []string{"2 student: tutorial S1."}, nil, nil)
		w.importing(path, head+line+",,FREE\r\n").is(t, []string{"2 student: tutorial FREE, no longer in tutorial " +
			"LA1, no longer in tutorial S1."}, nil, nil)
		w.do("convenor", "POST "+path, csvFile(studentCSV+line+"\r\n")).status(400).says("email_2")
	})
}

func TestImportedReturn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = "/api/csv/units/{unitA}"
		w.set(`UPDATE tutorials SET capacity = 4 WHERE id = $1`, w.id["tutorialA"])
		w.add("", "group_memberships", row{"group_set_id": w.id["set"], "unit_group_id": w.id["group"],
			"project_id": w.id["project:withdrawn"]})
		w.set(`UPDATE group_sets SET capacity = 2`)
		const line = studentCSV + "SIT10A,B,withdrawn,,,W,P,withdrawn@example.edu,LA1\r\n"
		w.importing(path, line).is(t, []string{"2 withdrawn: enrolled again, no longer in tutorial LA1. Their place " +
			"in tutorial LA1 is gone. " +
			"Not in tutorial LA1: Tutorial LA1 is full: all of its 4 places are taken."}, nil, nil)
		if got := w.tutorialsOf("project:withdrawn") + w.members("group"); got != "[][student mate]" {
			t.Errorf("after the return: %s", got)
		}
	})
}

func TestWithdrawStudents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = "/api/csv/units/{unitA}/withdraw"
		const file = "Unit Code;USERNAME\nSIT10A;Student\nSIT10B;mate\nSIT10A;nobody\nSIT10A;withdrawn\nSIT10A;outsider\nSIT10A;student\nSIT10A;\n"
		success, errors := []string{"2 Student: withdrawn."}, []string{"4 there is no user nobody",
			"8 username may not be blank"}
		same := []string{"3 the row is for unit SIT10B, not SIT10A", "5 withdrawn is not enrolled in this unit",
			"6 outsider is not enrolled in this unit", "7 student is already in line 2"}
		w.importing(path+"?dry_run=1", file).is(t, success, errors, same)
		if n := w.count(`projects WHERE enrolled AND id = $1`, w.id["project:student"]); n != 1 {
			t.Error("a dry run withdrew a student")
		}
		w.importing(path, file).is(t, success, errors, same)
		if n := w.count(`projects WHERE NOT enrolled`); n != 2 {
			t.Errorf("%d are withdrawn", n)
		}
		if got := w.tutorialsOf("project:student") + w.members("group"); got != "[LA1][mate]" {
			t.Errorf("the place stays, the member does not count: %s", got)
		}
		if again := w.importing(path, file); len(again.Success) != 0 {
			t.Errorf("again: %+v", again)
		}
	})
}

func TestBadStudentSheets(t *testing.T) {
	w := newWorld(t, "sqlite")
	counts := func() int64 {
		return w.count("users") + 1000*w.count("projects") + 1000000*w.count("projects WHERE enrolled")
	}
	before := counts()
	large, packed := strings.Repeat("SIT10A,other,,,,,,,\r\n", 50<<20/22), bomb(t)
	for _, path := range []string{"/api/csv/units/{unitA}", "/api/csv/units/{unitA}/withdraw"} {
		bad := func(content string, status int) *answered {
			return w.do("convenor", "POST "+path, csvFile(content)).status(status)
		}
		bad("username,unit\r\nother,SIT10A\r\n", 400).says("unit_code")
		bad("", 400)
		bad("unit_code,username,\"open\r\n", 400)
		bad("unit_code,username,username\r\nSIT10A,other,other\r\n", 400).says("username")
		bad("unit_code,username\r\nSIT10A,\xff\xfeother\r\n", 400)
		bad("%PDF-1.7\n", 415)
		bad(large, 413)
		bad(packed, 413)
		w.do("convenor", "POST "+path, form{"file": "x"}).status(400)
		w.do("convenor", "POST "+path, nil).status(400).says("file")
	}
	w.do("convenor", "POST /api/csv/units/{unitA}", csvFile(strings.ReplaceAll(studentCSV, "prac-1", "tutorial")+
		"SIT10A,,x,,,X,X,x@example.edu,\r\n")).
		status(400).says("prac-1")
	if after := counts(); after != before {
		t.Errorf("a bad sheet changed something: %d, then %d", before, after)
	}
}

func TestStudentSheetsComeBackEqual(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		rapid.Check(t, func(r *rapid.T) {
			w.clear()
			w.randomUnit(r)
			const path = "/api/csv/units/{unitA}"
			first := w.export(path)
			same := w.importing(path, first)
			if len(same.Success)+len(same.Errors) > 0 || w.export(path) != first {
				r.Fatalf("into the same unit: %+v\n%s", same, first)
			}
			w.clearStudents()
			again := w.importing(path+"?exceed_capacity=true", first)
			if len(again.Errors)+len(again.Ignored) > 0 {
				r.Fatalf("into an empty unit: %+v\n%s", again, first)
			}
			if got := w.export(path); got != first {
				r.Fatalf("exported\n%q\ncame back as\n%q", first, got)
			}
		})
	})
}

// clear empties unit A of what randomUnit fills it with.
func (w *world) clear() {
	w.Helper()
	w.clearStudents()
	for _, text := range []string{`DELETE FROM group_sets`, `UPDATE task_definitions SET tutorial_stream_id = NULL`,
		`DELETE FROM tutorials`, `DELETE FROM tutorial_streams`} {
		w.set(text)
	}
}

// clearStudents removes the students of all units and the accounts that only
// they have.
func (w *world) clearStudents() {
	w.Helper()
	w.set(`DELETE FROM projects`)
	w.set(`DELETE FROM users WHERE role = 1 AND username NOT IN ('student', 'mate', 'other', 'withdrawn', 'studentB',
		'outsider')`)
}

var (
	oddRunes = rapid.SampledFrom([]rune("aZ é\"',;=+-@'שלוםمرحبا😀👩‍👩‍👧＝İß\u00a0\\/0"))
	oddText  = rapid.Map(rapid.StringOfN(oddRunes, 1, 12, -1), func(s string) string {
		if s = strings.TrimSpace(s); s == "" {
			return "=1+1"
		}
		return s
	})
)

// randomUnit fills unit A with odd streams, tutorials and students.
func (w *world) randomUnit(r *rapid.T) {
	ctx := w.Context()
	err := w.db.Tx(ctx, func(q db.Q) error {
		var streams, classes []int64
		of := map[int64]any{}
		for i, abbr := range rapid.SliceOfNDistinct(oddText, 0, 3, rapid.ID[string]).Draw(r, "streams") {
			streams = append(streams, w.insert(ctx, q, "", "tutorial_streams", row{"unit_id": w.id["unitA"],
				"name": fmt.Sprint(i), "abbreviation": abbr, "activity_type_id": w.id["prac"]}))
		}
		for _, abbr := range rapid.SliceOfNDistinct(rapid.OneOf(oddText, rapid.Just(" LA1 "), rapid.Just("LA1"),
			rapid.Just("la1")), 0, 6, rapid.ID[string]).Draw(r, "tutorials") {
			var stream any
			if len(streams) > 0 && rapid.Bool().Draw(r, "streamed") {
				stream = rapid.SampledFrom(streams).Draw(r, "stream")
			}
			id := w.insert(ctx, q, "", "tutorials", row{"unit_id": w.id["unitA"], "tutorial_stream_id": stream,
				"abbreviation": abbr, "meeting_day": "", "meeting_time": "", "meeting_location": "", "capacity": 1})
			classes, of[id] = append(classes, id), stream
		}
		names := rapid.SliceOfNDistinct(rapid.StringOfN(rapid.RuneFrom([]rune("!=+-@'\",;aAbBz09~_.")), 1, 8, -1), 0, 8,
			strings.ToLower).Draw(r, "names")
		for i, name := range names {
			w.randomStudent(r, q, i, name, classes, of)
		}
		return nil
	})
	if err != nil {
		r.Fatal(err)
	}
}

func (w *world) randomStudent(r *rapid.T, q db.Q, i int, name string, classes []int64, of map[int64]any) {
	maybe := func(what string, v any) any {
		if rapid.Bool().Draw(r, what) {
			return v
		}
		return nil
	}
	email := fmt.Sprintf("%s%d@example.edu", rapid.SampledFrom([]string{"=x", "+a", "é", "o'neil"}).Draw(r, "email"), i)
	user := w.insert(w.Context(), q, "", "users", row{"username": name, "username_key": strings.ToLower(name),
		"email": email, "email_key": email,
		"first_name": oddText.Draw(r, "first"), "last_name": oddText.Draw(r, "last"), "nickname": maybe("nickname",
			oddText.Draw(r, "nick")),
		"student_id": maybe("number", fmt.Sprint(oddText.Draw(r, "number"), i)), "role": 1, "created_at": q.Now(),
		"updated_at": q.Now()})
	project := w.insert(w.Context(), q, "", "projects", row{"unit_id": w.id["unitA"], "user_id": user,
		"campus_id":  maybe("campus", w.id["burwood"]),
		"created_at": q.Now(), "updated_at": q.Now()})
	if len(classes) == 0 {
		return
	}
	used := map[any]bool{}
	for _, c := range rapid.SliceOfN(rapid.SampledFrom(classes), 0, 3).Draw(r, "classes") {
		if stream := of[c]; !used[stream] && !used[nil] && (stream != nil || len(used) == 0) {
			used[stream] = true
			w.insert(w.Context(), q, "", "tutorial_enrolments", row{"project_id": project, "tutorial_id": c,
				"tutorial_stream_id": stream})
		}
	}
}

// workbook makes an Excel file of one sheet.
func workbook(t *testing.T, rows [][]string) string {
	t.Helper()
	f := excelize.NewFile()
	for i, cells := range rows {
		for j, cell := range cells {
			at, err := excelize.CoordinatesToCellName(j+1, i+1)
			if err == nil {
				err = f.SetCellStr("Sheet1", at, cell)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// bomb is a small workbook whose sheet unpacks to 100 MB.
func bomb(t *testing.T) string {
	t.Helper()
	book := workbook(t, nil)
	good, err := zip.NewReader(strings.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range good.File {
		if !strings.Contains(f.Name, "worksheets/") {
			if err := z.Copy(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	sheet, err := z.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		t.Fatal(err)
	}
	line := []byte(strings.Repeat(`<row><c t="inlineStr"><is><t>unit_code</t></is></c></row>`, 1<<14))
	for range 100 << 20 / len(line) {
		sheet.Write(line)
	}
	z.Close()
	return b.String()
}

func TestImportStudentsFromExcel(t *testing.T) {
	w := newWorld(t, "sqlite")
	book := workbook(t, [][]string{strings.Split(strings.TrimSpace(studentCSV), ","),
		{"SIT10A", "Geelong", "yuki", "00123", "", "由紀", "O'Brien \"Jr\"", "yuki@example.edu", ""}})
	var r reported
	w.do("convenor", "POST /api/csv/units/{unitA}",
		upload{files: []part{{"file", "s.xlsx", book}}}).status(201).into(&r)
	r.is(t, []string{"2 yuki: account created, enrolled, campus Geelong."}, nil, nil)
	if n := w.count(`users WHERE first_name = '由紀' AND student_id = '00123'`); n != 1 {
		t.Error("the student is not as the workbook says")
	}
}

// A large import leaves room for others: here a student who keeps changing
// tutorials, which is what it could block most.
func TestImportingManyStudents(t *testing.T) {
	dbtest.Load(t)
	eachAlone(t, func(t *testing.T, w *world) {
		var b strings.Builder
		b.WriteString(studentCSV)
		for i := range 10 {
			w.tutorial(fmt.Sprint("T", i), "streamA", "", 490)
		}
		for i := range 5000 {
			fmt.Fprintf(&b, "SIT10A,B,s%d,%d,Nick,Zoë,Number %d,s%d@example.edu,T%d\r\n", i, i, i, i, i%10)
		}
		const path = "/api/csv/units/{unitA}"
		at := 0
		move := func() {
			at++
			w.do("student", fmt.Sprintf("POST /api/units/{unitA}/tutorials/%s/enrolments/{project:student}",
				[]string{"T0", "LA1"}[at%2]), nil).status(201, 409)
		}
		move() // signed in, with what a first request reads
		var longest, most time.Duration
		for _, step := range []struct {
			name, path       string
			success, ignored int
		}{{"enrolled", path, 5000, 0}, {"again", path, 0, 5000}, {"withdrawn", path + "/withdraw", 5000, 0},
			{"back", path, 5000, 0}} {
			var r reported
			took, waited := w.beside(move, func() { r = w.importing(step.path, b.String()) })
			t.Logf("5,000 students %s in %v; a student waited %v at most", step.name, took, waited)
			// T0 is full but for the place that the moving student leaves: whoever found it
			// full before may get that one.
			place := 0
			if len(r.Success) == step.success+1 && step.success == 0 {
				place = 1
			}
			if len(r.Success)-place != step.success || len(r.Ignored)+place != step.ignored {
				t.Errorf("%s: %d done, %d ignored, %d refused", step.name, len(r.Success), len(r.Ignored),
					len(r.Errors))
			}
			longest, most = max(longest, took), max(most, waited)
		}
		for i := range 10 {
			if n := w.count(`tutorial_enrolments WHERE tutorial_id = $1`, w.id[fmt.Sprint("T", i)]); n > 490 {
				t.Errorf("T%d holds %d of 490", i, n)
			}
		}
		if longest > 10*time.Second || most > 200*time.Millisecond {
			t.Errorf("took %v, held others for %v", longest, most)
		}
	})
}
