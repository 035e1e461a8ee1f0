package api

import (
	"strings"
	"testing"
)

const (
	tutorialSheet = "/api/units/{unitA}/tutorials/csv"
	tutorialCSV   = "abbreviation,tutorial_stream,activity_type,tutor,meeting_day,meeting_time,meeting_location,capacity," +
		"campus\r\n"
)

var _ = rights(
	rightRow{"GET /api/units/{unit_id}/tutorials/csv", tutorialSheet, staffA, nil},
	rightRow{"POST /api/units/{unit_id}/tutorials/csv", tutorialSheet, convenorsA,
		csvFile(tutorialCSV + "N1,,,tutor,Monday,9:00,X,,\r\n")},
)

// Tutorials come by a sheet with their tutors, who join the staff, and with streams that are missing. Every
// row that cannot be used says what to do, and a dry run tells the same and does nothing.
func TestImportTutorials(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`INSERT INTO activity_types (name, abbreviation) VALUES ('Seminar', 'sem')`)
		file := tutorialCSV +
			"LA1,prac-1,,tutor,Monday,10:00,ATC101,20,B\r\n" + // 2: as it is
			"LA2,Practical 1,prac,TUTORB,Tuesday,11:30,EN 305,25,Geelong\r\n" +
			"LA3,prac-1,,tutorb@example.edu,Friday,9:00,TBA,,\r\n" + // 4
			"S1,Talks,Seminar,,Friday,12:00,Hall,0,\r\n" +
			"S2,talks,,convenor,Friday,13:00,Hall,,\r\n" + // 6
			"S3,SEM 2,,tutor,Friday,13:00,Hall,,\r\n" +
			"la2,prac-1,,tutor,Monday,9:00,X,,\r\n" + // 8
			"X1,prac-1,,student,Monday,9:00,X,,\r\n" +
			"X2,prac-1,,nobody,Monday,9:00,X,,\r\n" + // 10
			"X3,Labs,,tutor,Monday,9:00,X,,\r\n" +
			"X4,Labs,lab,tutor,Monday,9:00,X,,\r\n" + // 12
			"X5,prac-1,sem,tutor,Monday,9:00,X,,\r\n" +
			"X6,,sem,tutor,Monday,9:00,X,,\r\n" + // 14
			"X7,,,tutor,Monday,9:00,X,some,\r\n" +
			"X8,,,tutor,Monday,9:00,X,,Mars\r\n" + // 16
			"X9,,,tutor,,9:00,X,,\r\n" +
			",,,tutor,Monday,9:00,X,,\r\n" // 18
		success := []string{
			"3 LA2: new, tutor tutorB. tutorB joins the staff of the unit as a tutor.",
			"4 LA3: new, tutor tutorB.",
			"5 S1: new, without a tutor. The stream Talks is new (Seminar).",
			"6 S2: new, tutor convenor.",
			"7 S3: new, tutor tutor. The stream SEM 2 is new (Seminar).",
		}
		nobody := " check the spelling, or ask an administrator to add them as a Tutor"
		errors := []string{
			"8 la2 is already in line 3; remove one of the two rows",
			"9 nobody who may teach has the user name or email student;" + nobody,
			"10 nobody who may teach has the user name or email nobody;" + nobody,
			"11 this unit has no stream Labs; check the spelling, or have it created by one of these in the column " +
				"activity_type: prac, sem",
			"12 there is no activity type lab; write one of these in the column activity_type: prac, sem",
			"13 the stream prac-1 is of the activity type prac, not sem; leave activity_type empty, or change the stream first",
			"14 there is an activity_type and no tutorial_stream; name the stream, too, or leave both empty",
			`15 capacity is "some"; write a whole number, or nothing for no limit`,
			"16 there is no campus Mars; write its abbreviation or name, or nothing for any campus",
			"17 meeting_day is empty; write one such as Monday",
			"18 abbreviation is empty; write one such as LA1-01",
		}
		same := []string{"2 LA1 is like this already."}
		before := w.export(tutorialSheet)
		w.importing(tutorialSheet+"?dry_run=true", file).is(t, success, errors, same)
		if w.export(tutorialSheet) != before || w.count(`unit_roles WHERE user_id = $1`, w.id["tutorB"]) != 1 {
			t.Error("a dry run changed something")
		}
		w.importing(tutorialSheet, file).is(t, success, errors, same)
		if got := w.export(tutorialSheet); !strings.HasSuffix(got, "LA1,prac-1,prac,tutor,Monday,10:00,ATC101,20,B\r\n"+
			"LA2,prac-1,prac,tutorB,Tuesday,11:30,EN 305,25,G\r\nLA3,prac-1,prac,tutorB,Friday,9:00,TBA,,\r\n"+
			"S1,Talks,sem,,Friday,12:00,Hall,,\r\nS2,Talks,sem,convenor,Friday,13:00,Hall,,\r\n"+
			"S3,SEM 2,sem,tutor,Friday,13:00,Hall,,\r\n") {
			t.Errorf("the unit has %s", got)
		}
		again := w.importing(tutorialSheet, w.export(tutorialSheet))
		if len(again.Ignored) != 6 || len(again.Success)+len(again.Errors) != 0 {
			t.Errorf("what went out came back as %+v", again)
		}
		w.importing(tutorialSheet, tutorialCSV+"LA3,Talks,,,,9:30,TBA,12,B\r\n").is(t, []string{"2 LA3: stream Talks, no " +
			"tutor instead of tutorB, no day instead of Friday, 9:30 instead of 9:00, 12 places instead of no limit, campus B."},
			nil, nil)
	})
}

// The first streams of a unit take its tasks over, as one that is made by hand does.
func TestAStreamOfASheetTakesTheTasksOver(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE task_definitions SET tutorial_stream_id = NULL`)
		w.set(`DELETE FROM unit_groups`)
		w.set(`DELETE FROM tutorials`)
		w.set(`DELETE FROM tutorial_streams`)
		w.importing(tutorialSheet, tutorialCSV+"LA1,prac 1,,tutor,Monday,10:00,X,,\r\n").is(t,
			[]string{"2 LA1: new, tutor tutor. The stream prac 1 is new (Practical)."}, nil, nil)
		if n := w.count(`task_definitions WHERE unit_id = $1 AND tutorial_stream_id IS NULL`, w.id["unitA"]); n != 0 {
			t.Errorf("%d tasks belong to no stream", n)
		}
	})
}

// A tutorial with students keeps the campus and the stream that they are in it by.
func TestASheetMovesNoStudents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`INSERT INTO tutorial_streams (unit_id, name, abbreviation, activity_type_id)
			SELECT unit_id, 'Second', 'second', activity_type_id FROM tutorial_streams WHERE id = $1`, w.id["streamA"])
		w.tutorial("ALSO", "", "", 5)
		beside := row{"project_id": w.id["project:student"], "tutorial_id": w.id["ALSO"]}
		file := tutorialCSV + "LA1,prac-1,,tutor,Monday,10:00,ATC101,20,G\r\n"
		if r := w.importing(tutorialSheet, file); len(r.Errors) != 1 || !strings.Contains(r.Errors[0].Message,
			"of another campus; move them first") {
			t.Errorf("another campus: %+v", r)
		}
		moved := strings.Replace(strings.Replace(file, "prac-1", "second", 1), ",20,G", ",20,B", 1)
		w.add("", "tutorial_enrolments", beside)
		if r := w.importing(tutorialSheet, moved); len(r.Errors) != 1 || !strings.Contains(r.Errors[0].Message,
			"LA1 has 1 student with another tutorial, too; move them first") {
			t.Errorf("another stream: %+v", r)
		}
		w.set(`DELETE FROM tutorial_enrolments WHERE tutorial_id = $1`, w.id["ALSO"])
		w.importing(tutorialSheet, moved).is(t, []string{"2 LA1: stream second."}, nil, nil)
		if n := w.count(`tutorial_enrolments e JOIN tutorials t ON t.id = e.tutorial_id
			WHERE t.unit_id = $1 AND coalesce(e.tutorial_stream_id, 0) <> coalesce(t.tutorial_stream_id, 0)`,
			w.id["unitA"]); n != 0 {
			t.Errorf("%d students stayed in the old stream", n)
		}
	})
}

// Sheets with other separators and Excel workbooks are read; what cannot be is refused as a whole, with
// what to do.
func TestSheetsOfTutorialsOfManyKinds(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		row := "N1,,,tutor,Monday,9:00,X,,\r\n"
		for _, sep := range []string{";", "\t"} {
			r := w.importing(tutorialSheet+"?dry_run=true", strings.ReplaceAll(tutorialCSV+row, ",", sep))
			r.is(t, []string{"2 N1: new, tutor tutor."}, nil, nil)
		}
		r := w.importing(tutorialSheet+"?dry_run=true", "Tutorial,Stream,Tutor,Day,Time,Room,Places,Campus\r\n"+
			"N1,,tutor,Monday,9:00,X,5,\r\n")
		r.is(t, []string{"2 N1: new, tutor tutor."}, nil, nil)
		for content, says := range map[string]string{
			strings.Replace(tutorialCSV, "meeting_day", "meting_day", 1) + row: "Missing headings: meeting_day",
			tutorialCSV + "N1,,,tutor,Monday,9:00,Caf\xe9,,\r\n":               "Line 2 is not UTF-8 text",
			tutorialCSV + "N1,,,tutor,\"Monday,9:00,X,,\r\n":                   "never closed",
			"%PDF-1.4": "not a sheet", "": "empty"} {
			w.do("convenor", "POST "+tutorialSheet, csvFile(content)).status(400, 415, 422).says(says)
		}
		w.do("convenor", "POST "+tutorialSheet, nil).status(400, 415)
		if n := w.count(`tutorials WHERE abbreviation = 'N1'`); n != 0 {
			t.Error("a sheet that was refused, or tried, made a tutorial")
		}
		var made reported
		w.do("convenor", "POST "+tutorialSheet, upload{files: []part{{"file", "t.xlsx", workbook(t,
			[][]string{{"abbreviation", "tutorial_stream", "tutor", "meeting_day", "meeting_time", "meeting_location", "capacity",
				"campus"}, {"N1", "prac-1", "tutor", "Monday", "9:00", "X", "30", "B"}})}}}).status(201).into(&made)
		made.is(t, []string{"2 N1: new, tutor tutor."}, nil, nil)
	})
}

// Two change a tutorial or a stream at once: what one of them did not touch goes through, and a value that
// both changed is refused with the one there is.
func TestTwoChangeATutorialAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		put := func(body string) *answered {
			return w.do("convenor", "PUT /api/tutorials/{tutorialA}", named(w,
				`{"tutorial":{"unit_id":«unitA»,`+body+`}`))
		}
		seen := `,"seen":{"meeting_day":"Monday","capacity":20,"tutor_id":«tutor»,"campus_id":«burwood»,` +
			`"tutorial_stream_abbr":"prac-1"}`
		w.set(`UPDATE tutorials SET meeting_day = 'Friday', unit_role_id = NULL WHERE id = $1`, w.id["tutorialA"])
		put(`"meeting_day":"Sunday"}`+seen).status(409).says("tutorial[meeting_day]", `"Friday"`)
		put(`"tutor_id":«convenor»}`+seen).status(409).says("tutorial[tutor_id]", "not set")
		put(`"meeting_day":"Friday","capacity":9}` + seen).status(200).has(`{"meeting_day":"Friday","capacity":9}`)
		put(`"campus_id":null}` + seen).status(200).has(`{"campus_id":null}`)
		put(`"capacity":3},"seen":{"capacity":"many"}`).status(400).says("seen[capacity]")

		stream := func(body string) *answered { return w.do("convenor", "PUT "+streamPath, body) }
		seen = `,"seen":{"name":"Practical 1","activity_type_abbr":"prac"}}`
		w.set(`UPDATE tutorial_streams SET name = 'Theirs' WHERE id = $1`, w.id["streamA"])
		stream(`{"name":"Mine"`+seen).status(409).says("name was changed in the meantime", `"Theirs"`)
		stream(`{"activity_type_abbr":"prac"` + seen).status(200).has(`{"name":"Theirs"}`)
	})
}
