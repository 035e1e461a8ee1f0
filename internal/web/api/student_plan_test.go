package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/db/dbtest"
)

// sheetPlan is what an import tells person by person.
type sheetPlan struct {
	Rows []struct {
		Line                                   int
		Kind, Username, Email, Message, Advice string
		NewAccount                             bool `json:"new_account"`
		Changes                                []struct{ Field, From, To string }
	}
	Counts                map[string]int
	Enrolled, Withdrawals int
	Confirm               bool
}

// lines are the rows in short.
func (p sheetPlan) lines() string {
	var out []string
	for _, r := range p.Rows {
		line := fmt.Sprintf("%d %s %s", r.Line, r.Kind, r.Username)
		for _, c := range r.Changes {
			line += fmt.Sprintf(" %s:%s>%s", c.Field, c.From, c.To)
		}
		if r.NewAccount {
			line += " account"
		}
		if r.Message != "" || r.Advice != "" {
			line += " [" + r.Message + "] [" + r.Advice + "]"
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

const studentsA = "/api/csv/units/{unitA}"

func (w *world) planning(more, content string) (p sheetPlan) {
	w.Helper()
	w.do("convenor", "POST "+studentsA+"?dry_run=1&plan=1&strict=1"+more, csvFile(content)).status(201).into(&p)
	return p
}

// The plan of a sheet says of every row what it changes, or what is wrong with it and what to do; those in no
// row are left. Refused rows withdraw nobody and are not done in part.
func TestPlanOfAStudentSheet(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.tutorial("LA2", "streamA", "", 1)
		w.tutorial("FAR", "streamA", "geelong", 9)
		w.set(`UPDATE users SET opened_at = NULL WHERE id = $1`, w.id["student"])
		file := studentCSV +
			"SIT10A,B,zoe,77,,Zoë,M,zoe@example.edu,LA2\r\n" +
			"SIT10A,,bob,,,Bob,B,bob@example.edu,LA2\r\n" + // 3: full
			"SIT10A,,cat,,,Cat,C,cat@example.edu,LA9\r\n" + // unknown tutorial
			"SIT10B,,dan,,,Dan,D,dan@example.edu,\r\n" + // 5: another unit
			"SIT10A,,ZOE,,,Zoë,M,zoe2@example.edu,\r\n" + // twice
			"SIT10A,X,eve,,,Eve,E,eve@example.edu,\r\n" + // 7: no campus
			"SIT10A,,fay,,,Fay,F,admin@example.edu,\r\n" + // taken
			"SIT10A,,gus,,,Gus,G,,\r\n" + // 9: no address
			"SIT10A,,other,,,O,P,other@example.edu,NONE\r\n" +
			"SIT10A,,student,5,,S,P,student@example.edu,\r\n" + // 11
			"SIT10A,,withdrawn,,,W,P,withdrawn@example.edu,\r\n" +
			"SIT10A,B,mate,,,M,P,mate@example.edu,FAR\r\n" + // 13: another campus
			"SIT10A,,both,,,B,P,both@example.edu,LA1,more\r\n"
		const want = `3 refused bob [Tutorial LA2 is full: all of its 1 places are taken.] [Choose another tutorial, or let full tutorials take more.]
4 refused cat [there is no tutorial LA9] [Did you mean LA1?]
5 refused dan [the row is for unit SIT10B, not SIT10A] [Correct unit_code, or remove the row.]
6 refused ZOE [ZOE is already in line 2] [Remove one of the two rows.]
7 refused eve [there is no campus X] [Choose one of B, Burwood, G, Geelong.]
8 refused fay [another user has that email] [Write the username of that account, or correct the email.]
9 refused gus [email is not an email address such as name@example.edu] [Correct it in the sheet.]
10 refused other [there is no tutorial NONE] [Choose one of FAR, LA1, LA2.]
13 refused mate [Tutorial FAR is for campus Geelong, but the student belongs to campus Burwood.] [Choose a tutorial of that campus, or change the campus.]
14 refused both [the row has 10 cells under 9 headings; a cell with a separator in it must be quoted] [Check the separators and the quotes of this row.]
11 changed student student_id:>5
2 new zoe enrolment:>enrolled campus:>Burwood tutorial:>LA2 account
12 new withdrawn enrolment:withdrawn>enrolled`
		before, users := w.export(studentsA), w.count("users")
		plan := w.planning("", file)
		if got := plan.lines(); got != want {
			t.Errorf("the plan is\n%s\nwant\n%s", got, want)
		}
		if plan.Counts["refused"] != 10 || plan.Counts["new"] != 2 || plan.Counts["left"] != 0 || plan.Enrolled != 4 {
			t.Errorf("counted %+v of %d", plan.Counts, plan.Enrolled)
		}
		if w.export(studentsA) != before || w.count("users") != users {
			t.Error("a plan changed something")
		}
		var done sheetPlan
		w.do("convenor", "POST "+studentsA+"?plan=1&strict=1&send_mail=1", csvFile(file)).status(201).into(&done)
		if got := done.lines(); got != want {
			t.Errorf("it came to\n%s", got)
		}
		if n := w.count(`users WHERE username IN ('bob', 'cat', 'eve')`); n != 0 {
			t.Errorf("%d of the refused have accounts", n)
		}
		// The same rows with other separators, and without the new options, are what they were.
		same := w.importing(studentsA+"?dry_run=1", strings.ReplaceAll(studentCSV+
			"SIT10A,,cat,,,Cat,C,cat@example.edu,LA9\r\n", ",", ";"))
		same.is(t, []string{"2 cat: account created, enrolled. There is no tutorial LA9."}, nil, nil)
	})
}

// Who stands in no row is left alone, or withdrawn where that is asked for; where they are more than one in
// twenty, only with their number. A sheet of another unit withdraws nobody.
func TestWithdrawWhoIsNotInTheSheet(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		file := studentCSV + "SIT10A,,student,,,S,P,student@example.edu,\r\nSIT10A,,x y,,,M,P,mate@example.edu,\r\n"
		plan := w.planning("&withdraw_missing=1", file)
		if got := plan.lines(); !strings.HasSuffix(got, "0 left other enrolment:enrolled>withdrawn\n"+
			"0 left both enrolment:enrolled>withdrawn\n2 unchanged student") || plan.Withdrawals != 2 || !plan.Confirm {
			t.Errorf("the plan is\n%s\n%+v", got, plan)
		}
		if got := w.planning("", file); got.Withdrawals != 0 || got.Confirm || got.Counts["left"] != 2 {
			t.Errorf("unasked it is %+v", got)
		}
		withdraw := "POST " + studentsA + "?withdraw_missing=1"
		for _, wrong := range []string{"", "&confirm_withdrawals=1"} {
			w.do("convenor", withdraw+wrong, csvFile(file+"SIT10A,,new,,,N,N,new@example.edu,\r\n")).status(409).
				says("withdraw 2 of 4 students")
		}
		if n := w.count(`projects WHERE enrolled`); n != 5 || w.count(`users WHERE username = 'new'`) != 0 {
			t.Errorf("%d are enrolled after a refusal", n)
		}
		w.do("convenor", withdraw+"&confirm_withdrawals=4", csvFile(strings.ReplaceAll(file, "SIT10A", "SIT99"))).
			status(422).says("No row of the sheet is about SIT10A")
		var r reported
		w.do("convenor", withdraw+"&confirm_withdrawals=2", csvFile(file)).status(201).into(&r)
		if len(r.Success) != 2 || r.Success[0].Message != "other: withdrawn, because they are not in the sheet." {
			t.Errorf("it did %+v", r.Success)
		}
		if n := w.count(`projects WHERE unit_id = $1 AND enrolled`, w.id["unitA"]); n != 2 {
			t.Errorf("%d are enrolled", n)
		}
		w.do("tutor", withdraw, csvFile(file)).status(403)
	})
}

// A sheet of 5,000 rows shows its plan within two seconds, whether they are new or there already.
func TestPlanOfManyStudents(t *testing.T) {
	dbtest.Load(t)
	eachAlone(t, func(t *testing.T, w *world) {
		var b strings.Builder
		b.WriteString(studentCSV)
		for i := range 10 {
			w.tutorial(fmt.Sprint("T", i), "streamA", "", 0)
		}
		for i := range 5000 {
			fmt.Fprintf(&b, "SIT10A,B,s%d,%d,Nick,Zoë,Number %d,s%d@example.edu,T%d\r\n", i, i, i, i, i%10)
		}
		for _, step := range []string{"new", "unchanged"} {
			start := time.Now()
			plan := w.planning("&withdraw_missing=1", b.String())
			took := time.Since(start)
			t.Logf("the plan of 5,000 rows that are %s took %v", step, took)
			if plan.Counts[step] != 5000 || took > 2*time.Second {
				t.Errorf("%+v in %v", plan.Counts, took)
			}
			w.importing(studentsA, b.String())
		}
	})
}
