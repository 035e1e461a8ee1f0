package api

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lectern/internal/platform/db"
)

const (
	groupCSV  = "group_name,capacity_adjustment,tutorial,campus\r\n"
	memberCSV = "group_name,username\r\n"
)

var _ = rights(
	rightRow{"GET " + groupPath + "/csv", groupsOfA + "/csv", convenorsA, nil},
	rightRow{"POST " + groupPath + "/csv", groupsOfA + "/csv", convenorsA, csvFile(groupCSV + "New,0,LA1,\r\n")},
	rightRow{"GET " + groupPath + "/student_csv", groupsOfA + "/student_csv", convenorsA, nil},
	rightRow{"POST " + groupPath + "/student_csv", groupsOfA + "/student_csv", convenorsA,
		csvFile(memberCSV + "Red,other\r\n")},
)

func TestImportGroups(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = groupsOfA + "/csv"
		w.tutorial("LA2", "streamA", "", 1)
		w.tutorial("FAR", "streamA", "geelong", 5)
		w.group("Blue", "LA2")
		w.set(`UPDATE group_sets SET keep_groups_in_same_class = TRUE`)
		const file = groupCSV +
			"Red,,la2,\r\n" + // members move along
			"Blue,0,LA2,B\r\n" +
			" Neu ,-1,LA9,Geelong\r\n" +
			"Two,1,LA9,\r\n" + // 5
			"Two,2,LA2,\r\n" +
			"Bad,much,LA2,\r\n" + // 7
			"Bad,0,,\r\n" +
			" ,0,LA2,\r\n" + // 9
			"Bad,0,LA8,Nowhere\r\n" +
			"=cmd(),99999999999,LA1,\r\n" +
			"Two,few,LA8,Nowhere\r\n"
		success := []string{
			"2 Red: tutorial la2.",
			"4 Neu: created. Tutorial LA9 was created: Monday 8:00am, TBA, by the main convenor.",
			"5 Two: created. Tutorial LA9 was created: Monday 8:00am, TBA, by the main convenor.",
		}
		errors := []string{
			"6 Two is already in line 5; remove one of the two rows",
			`7 capacity_adjustment must be a whole number, not "much"`,
			"8 tutorial must have 1 to 255 characters",
			"9 group_name must have 1 to 255 characters",
			"10 there is no campus Nowhere; write its abbreviation or name, or nothing",
			`11 capacity_adjustment must be a whole number, not "99999999999"`,
			`12 capacity_adjustment must be a whole number, not "few". there is no campus Nowhere; write its abbreviation ` +
				`or name, or nothing. Two is already in line 5; remove one of the two rows.`,
		}
		same := []string{"3 Blue is like this already."}
		before := w.export(path)
		w.importing(path+"?dry_run=true", file).is(t, success, errors, same)
		if w.export(path) != before || w.tutorialsOf("project:student") != "[LA1]" || w.count(`tutorials WHERE abbreviation =
			'LA9'`) != 0 {
			t.Error("a dry run changed something")
		}
		w.importing(path, file).is(t, success, errors, same)
		if got := w.tutorialsOf("project:student") + w.tutorialsOf("project:mate"); got != "[LA2][LA2]" {
			t.Errorf("the members sit in %s", got)
		}
		if n := w.count(`tutorials WHERE abbreviation = 'LA9' AND unit_role_id = $1 AND campus_id = $2`,
			w.id["role:convenor"], w.id["geelong"]); n != 1 {
			t.Error("the tutorial is not the convenor's in Geelong")
		}
		if again := w.importing(path, file); len(again.Success) != 0 {
			t.Errorf("again: %+v", again)
		}
		// A group of which one cannot go stays, and so do the others in it.
		w.set(`UPDATE projects SET campus_id = NULL WHERE id = $1`, w.id["project:student"])
		w.importing(path, groupCSV+"Red,0,FAR,\r\nBlue,4,LA1,\r\n").is(t,
			[]string{"3 Blue: tutorial LA1, capacity_adjustment 4."},
			[]string{"2 The student mate cannot move with the group: Tutorial FAR is for campus Geelong, but the " +
				"student belongs to campus Burwood."}, nil)
		if got := w.tutorialsOf("project:student") + w.tutorialsOf("project:mate"); got != "[LA2][LA2]" {
			t.Errorf("the members sit in %s", got)
		}
		got := w.do("convenor", "GET "+path, nil).status(200)
		if want := "\ufeff" + groupCSV + "Blue,4,LA1,B\r\nNeu,'-1,LA9,G\r\nRed,0,LA2,\r\nTwo,1,LA9,G\r\n"; got.Body.String() != want {
			t.Errorf("exported %q, want %q", got.Body, want)
		}
		if d := got.Header().Get("Content-Disposition"); !strings.Contains(d, "SIT10A-Teams-groups.csv") {
			t.Errorf("saved as %s", d)
		}
		w.do("convenor", "POST "+path, csvFile("group_name,tutorial\r\nRed,LA1\r\n")).status(400).says("capacity_adjustment")
		w.do("admin", "GET /api/units/{unitB}/group_sets/{set}/groups/csv", nil).status(404)
	})
}

func TestImportMembers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = groupsOfA + "/student_csv"
		w.tutorial("LA2", "streamA", "", 1)
		w.tutorial("FAR", "streamA", "geelong", 5)
		w.group("Blue", "LA2")
		w.group("Shut", "tutorialA")
		w.group("Away", "FAR")
		w.set(`UPDATE group_sets SET keep_groups_in_same_class = TRUE, allow_students_to_manage_groups = FALSE`)
		w.set(`UPDATE unit_groups SET locked = TRUE WHERE id = $1`, w.id["Shut"])
		const file = memberCSV +
			"Blue,Student\r\n" + // from Red, which holds them no more
			"Red,mate\r\n" +
			"Blue,other\r\n" +
			"Blue,nobody\r\n" + // 5
			"Blue,withdrawn\r\n" +
			"Blue,studentB\r\n" + // 7
			"None,both\r\n" +
			"Red,student\r\n" + // 9
			"Shut,both\r\n" +
			"None,nobody\r\n"
		success := []string{"2 Student: moved from Red to Blue, tutorial LA2.", "4 other: in the group Blue, " +
			"tutorial LA2."}
		errors := []string{"5 there is no user nobody; check the spelling",
			"6 withdrawn is not enrolled in this unit; enrol them first, or remove the row",
			"7 studentB is not enrolled in this unit; enrol them first, or remove the row",
			"8 there is no group None; check the spelling, or add the group first",
			"9 student is already in line 2; remove one of the two rows",
			"10 The group Shut is locked. Staff can unlock it.",
			"11 there is no group None; check the spelling, or add the group first. nobody is already in line 5; remove one of the " +
				"two rows. there is no user nobody; check the spelling."}
		same := []string{"3 mate is in the group Red already."}
		before := w.export(path)
		w.importing(path+"?dry_run=true", file).is(t, success, errors, same)
		if w.export(path) != before || w.tutorialsOf("project:student") != "[LA1]" {
			t.Error("a dry run changed something")
		}
		w.importing(path, file).is(t, success, errors, same)
		if got := w.members("Blue") + w.members("group") + w.tutorialsOf("project:student") +
			w.tutorialsOf("project:other"); got != "[student other][mate][LA2][LA2]" {
			t.Errorf("after the import: %s", got)
		}
		if again := w.importing(path, file); len(again.Success) != 0 || len(again.Ignored) != 3 {
			t.Errorf("again: %+v", again)
		}
		w.importing(path, memberCSV+"Away,mate\r\n").is(t, nil,
			[]string{"2 Tutorial FAR is for campus Geelong, but the student belongs to campus Burwood."}, nil)
		if got := w.members("group"); got != "[mate]" {
			t.Errorf("refused, Red has %s", got)
		}
		got := w.do("convenor", "GET "+path, nil).status(200)
		if want := "\ufeff" + memberCSV + "Blue,other\r\nBlue,student\r\nRed,mate\r\n"; got.Body.String() != want {
			t.Errorf("exported %q, want %q", got.Body, want)
		}
		if d := got.Header().Get("Content-Disposition"); !strings.Contains(d, "SIT10A-Teams-student-groups.csv") {
			t.Errorf("saved as %s", d)
		}
		w.set(`UPDATE group_sets SET locked = TRUE`)
		w.importing(path, memberCSV+"Red,both\r\n").is(t, nil, []string{"2 The groups of Teams are locked. A " +
			"convenor can unlock the set."}, nil)
		w.do("convenor", "POST "+path, csvFile("group,username\r\nRed,both\r\n")).status(400).says("group_name")
	})
}

func TestGroupSheetsComeBackEqual(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		rapid.Check(t, func(r *rapid.T) {
			w.clear()
			w.randomUnit(r)
			w.randomGroups(r)
			groups, members := w.export(groupsOfA+"/csv"), w.export(groupsOfA+"/student_csv")
			for path, file := range map[string]string{"/csv": groups, "/student_csv": members} {
				if same := w.importing(groupsOfA+path, file); len(same.Success)+len(same.Errors) > 0 {
					r.Fatalf("into the same set: %+v\n%s", same, file)
				}
			}
			w.set(`DELETE FROM unit_groups`)
			if rapid.Bool().Draw(r, "without tutorials") {
				w.set(`DELETE FROM tutorials`)
			}
			for _, part := range [][2]string{{"/csv", groups}, {"/student_csv", members}} {
				if r2 := w.importing(groupsOfA+part[0], part[1]); len(r2.Errors)+len(r2.Ignored) > 0 {
					r.Fatalf("into an empty set: %+v\n%s", r2, part[1])
				}
				if got := w.export(groupsOfA + part[0]); got != part[1] {
					r.Fatalf("exported\n%q\ncame back as\n%q", part[1], got)
				}
			}
		})
	})
}

// randomGroups divides the students randomUnit made into odd groups.
func (w *world) randomGroups(r *rapid.T) {
	ctx := w.Context()
	err := w.db.Tx(ctx, func(q db.Q) error {
		keep := rapid.Bool().Draw(r, "keep in class")
		set := w.insert(ctx, q, "set", "group_sets", row{"unit_id": w.id["unitA"], "name": "Teams",
			"keep_groups_in_same_class": keep})
		classes, err := db.All[int64](ctx, q, `SELECT id FROM tutorials WHERE unit_id = $1
			AND trim(abbreviation) = abbreviation ORDER BY id`, w.id["unitA"])
		if err != nil || len(classes) == 0 {
			return err
		}
		class := map[int64]int64{}
		for _, name := range rapid.SliceOfNDistinct(oddText, 0, 5, rapid.ID[string]).Draw(r, "groups") {
			t := rapid.SampledFrom(classes).Draw(r, "class")
			id := w.insert(ctx, q, "", "unit_groups", row{"group_set_id": set, "tutorial_id": t, "name": name,
				"capacity_adjustment": rapid.IntRange(-3, 3).Draw(r, "adjustment")})
			class[id] = t
		}
		for id, t := range class {
			text := `SELECT id FROM projects WHERE unit_id = $1 AND id NOT IN (SELECT project_id
				FROM group_memberships) ORDER BY id LIMIT 2`
			if keep {
				text = fmt.Sprintf(`SELECT project_id FROM tutorial_enrolments WHERE tutorial_id = %d AND $1 > 0
					AND project_id NOT IN (SELECT project_id FROM group_memberships) ORDER BY id LIMIT 2`, t)
			}
			members, err := db.All[int64](ctx, q, text, w.id["unitA"])
			if err != nil {
				return err
			}
			for _, p := range members {
				w.insert(ctx, q, "", "group_memberships", row{"group_set_id": set, "unit_group_id": id,
					"project_id": p})
			}
		}
		return nil
	})
	if err != nil {
		r.Fatal(err)
	}
}
