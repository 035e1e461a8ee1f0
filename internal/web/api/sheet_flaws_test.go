package api

import "testing"

// A row with several mistakes tells all of them, whatever the sheet is of, and nothing of it is done.
func TestARowTellsAllItsMistakes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, one := range []struct{ path, sheet, want string }{
			{"/api/units/{unitA}/outcomes/csv", outcomeCSV + "SIT10A,zero,Y,,\r\n",
				`2 description may not be blank. name may not be blank. ilo_number must be a whole number from 1 on, not "zero".`},
			{alignA + "/csv", "unit_code,learning_outcome,task_abbr,rating,description\r\nSIT10A,ILO9,9.9,7,x\r\n",
				`2 This unit has no outcome "ILO9". Check the spelling, or add the outcome first. This unit has no task "9.9". ` +
					`Write the abbreviation of a task as the list of tasks shows it. rating is 7; it must be 1 to 5.`},
			{tutorialSheet, tutorialCSV + ",,lab,nobody,Monday,9:00,X,some,Mars\r\n",
				`2 abbreviation is empty; write one such as LA1-01. capacity is "some"; write a whole number, or nothing for no ` +
					`limit. there is no campus Mars; write its abbreviation or name, or nothing for any campus. nobody who may teach ` +
					`has the user name or email nobody; check the spelling, or ask an administrator to add them as a Tutor. there is ` +
					`an activity_type and no tutorial_stream; name the stream, too, or leave both empty.`},
			{"/api/csv/task_definitions?unit_id={unitA}", "name,abbreviation,description,weighting,target_grade,restrict_status_updates," +
				"max_quality_pts,is_graded,plagiarism_warn_pct,plagiarism_checks,group_set,upload_requirements,start_week," +
				"start_day,target_week,target_day,due_week,due_day,tutorial_stream\r\n" +
				",N/N,,much,9,maybe,,,,,Crews,,Five,Mon,2,Tue,,,nowhere\r\n",
				`2 weighting is "much"; it must be a whole number. restrict_status_updates is "maybe"; it must be yes or no. ` +
					`start_week and start_day: "Five" is not a week: write a number such as 5, or B1.2 for the second week of the ` +
					`first break. This unit has no group set "Crews". Check the spelling, or add the set first. This unit has no ` +
					`tutorial stream "nowhere". Check the spelling, or add the stream first. abbreviation may not have slashes or ` +
					`control characters: files are named after it. name may not be blank. target_grade is 9; it must be 0 to 3.`},
			{"/api/csv/units/{unitA}", studentCSV + "SIT10A,Nowhere,,,,No,Address,here,LA9\r\n",
				"2 email is not an email address such as name@example.edu. username may not be blank. there is no campus Nowhere"},
		} {
			w.importing(one.path, one.sheet).is(t, nil, []string{one.want}, nil)
		}
	})
}
