package taskdef_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/taskdef"
)

// university makes a period of 14 weeks with two breaks, two units without
// definitions, each with a group set and a stream, and gives the units.
func university(t *testing.T, d *db.DB) (units []int64) {
	t.Helper()
	ctx := t.Context()
	err := d.Tx(ctx, func(q db.Q) error {
		steps := []string{
			`INSERT INTO teaching_periods (period, year, start_date, end_date, active_until)
				VALUES ('T1', 2026, '2026-03-02T00:00:00.000Z', '2026-06-05T00:00:00.000Z',
				'2026-07-01T00:00:00.000Z')`,
			`INSERT INTO breaks (teaching_period_id, start_date, number_of_weeks) SELECT id, '2026-04-03', 1
				FROM teaching_periods`,
			`INSERT INTO breaks (teaching_period_id, start_date, number_of_weeks) SELECT id, '2026-05-04', 2
				FROM teaching_periods`,
			`INSERT INTO activity_types (name, abbreviation) VALUES ('Practical', 'prac')`,
			`INSERT INTO units (code, name, description, teaching_period_id, start_date, end_date, created_at,
				updated_at)
				SELECT c.code, c.code, '', p.id, '2026-03-02', '2026-06-05', p.start_date, p.start_date
				FROM teaching_periods p, (SELECT 'A' AS code UNION ALL SELECT 'B') c`,
			`INSERT INTO group_sets (unit_id, name) SELECT id, 'Teams, "red"' FROM units`,
			`INSERT INTO tutorial_streams (unit_id, name, abbreviation, activity_type_id) SELECT u.id, 'P', 'prac-1',
				a.id FROM units u, activity_types a`,
		}
		for _, text := range steps {
			if _, err := db.Exec(ctx, q, text); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
		}
		var err error
		units, err = db.All[int64](ctx, q, `SELECT id FROM units ORDER BY code`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return units
}

func export(ctx context.Context, q db.Q, unit int64) (string, error) {
	list, err := taskdef.DefinitionsOf(ctx, q, unit)
	if err != nil {
		return "", err
	}
	weeks, err := course.Calendars(ctx, q, unit)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = taskdef.WriteDefinitions(&b, list, weeks[unit])
	return b.String(), err
}

func importText(ctx context.Context, q db.Q, unit int64, text string) (*sheet.Report, error) {
	rows, err := sheet.Read(strings.NewReader(text), int64(len(text)), taskdef.DefinitionSheet)
	if err != nil {
		return nil, err
	}
	return taskdef.ImportDefinitions(ctx, q, unit, rows)
}

// genDefinition draws any definition that the rules allow.
func genDefinition(t *rapid.T, n int, set int64) taskdef.DefinitionChange {
	anyText := rapid.StringOfN(rapid.RuneFrom([]rune("ab ä=+-@'\",;\t\n\rΩ\U0001F600")), 0, 12, -1)
	number := func(low, high int64, name string) *int64 { return new(rapid.Int64Range(low, high).Draw(t, name)) }
	start := clock.On(2026, 2, 1).AddDays(rapid.IntRange(0, 150).Draw(t, "start"))
	target := start.AddDays(rapid.IntRange(0, 60).Draw(t, "target"))
	c := taskdef.DefinitionChange{
		Name:           new(fmt.Sprint("n", n, strings.TrimSpace(anyText.Filter(bounds.FitsOneLine).Draw(t, "name")))),
		Abbreviation:   new(fmt.Sprint(rapid.SampledFrom([]string{"=", "", "1."}).Draw(t, "prefix"), n)),
		Description:    new(anyText.Draw(t, "description")),
		Weighting:      number(0, 1000, "weighting"),
		TargetGrade:    new(grade.Grade(*number(0, 3, "grade"))),
		WarnPct:        number(0, 100, "warn"),
		MaxQualityPts:  number(0, 100, "stars"),
		StartDate:      &start,
		TargetDate:     &target,
		RestrictStatus: new(rapid.Bool().Draw(t, "restrict")),
		IsGraded:       new(rapid.Bool().Draw(t, "graded")),
		StreamAbbr:     new(new("prac-1")),
	}
	if rapid.Bool().Draw(t, "has due") {
		due := target.AddDays(rapid.IntRange(0, 60).Draw(t, "due"))
		c.DueDate = new(&due)
	}
	if rapid.Bool().Draw(t, "group") {
		c.GroupSetID = new(&set)
	}
	if rapid.Bool().Draw(t, "files") {
		c.Requirements = &taskdef.Requirements{{Key: "file0", Name: "N<" + anyText.Draw(t, "file") + ">", Type: "code",
			TiiPct: number(0, 100, "pct")}}
		c.Checks = &taskdef.Checks{{Key: "0", Type: "moss c",
			Pattern: "*.c" + rapid.SampledFrom([]string{"", "&"}).Draw(t,
				"pattern")}}
	}
	return c
}

// What is exported can be imported, into the same unit and into an empty one,
// and is then exported as the same bytes.
func TestDefinitionSheetsSurvive(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		units := university(t, d)
		ctx := t.Context()
		set, err := db.One[int64](ctx, d.Pool(), `SELECT id FROM group_sets WHERE unit_id = $1`, units[0])
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(rt *rapid.T) {
			err := d.Tx(ctx, func(q db.Q) error {
				if _, err := db.Exec(ctx, q, `DELETE FROM task_definitions`); err != nil {
					return err
				}
				n := rapid.IntRange(0, 4).Draw(rt, "definitions")
				for i := range n {
					if _, err := taskdef.AddDefinition(ctx, q, units[0], genDefinition(rt, i, *set)); err != nil {
						return err
					}
				}
				once, err := export(ctx, q, units[0])
				if err != nil {
					return err
				}
				for _, unit := range units {
					report, err := importText(ctx, q, unit, once)
					if err != nil {
						return err
					}
					again, err := export(ctx, q, unit)
					if err != nil {
						return err
					}
					done, same := n, 0
					if unit == units[0] { // which has them as the sheet says
						done, same = 0, n
					}
					if len(report.Success) != done || len(report.Ignored) != same || again != once {
						rt.Fatalf("%+v\n%q\n%q", report, once, again)
					}
				}
				return nil
			})
			if err != nil {
				rt.Fatal(err)
			}
		})
	})
}

const heading = "Name,abbreviation,description,weighting,target " +
	"grade,restrict_status_updates,max_quality_pts,is_graded,plagiarism_warn_pct,plagiarism_checks," +
	"group_set,upload_requirements,start_week,start_day,target_week,target_day,due_week,due_day,tutorial_stream\n"

func TestImportDefinitions(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		units := university(t, d)
		ctx := t.Context()
		load := func(rows string) (r *sheet.Report) {
			t.Helper()
			if err := d.Tx(ctx, func(q db.Q) (err error) {
				r, err = importText(ctx, q, units[0], heading+rows)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return r
		}
		r := load("Name it,1.1,d,4,0,yes,,no,,,,,1,Mon,2,fri,,,prac-1\nBreak,1.2,d,4,1,,5,Y,20,[],\"Teams, " +
			"\"\"red\"\"\",[],B1.1,Tue,6,Wed,B2.2,Sun,prac-1\n")
		if len(r.Success) != 2 {
			t.Fatalf("%+v", r)
		}
		list, err := taskdef.DefinitionsOf(ctx, d.Pool(), units[0])
		if err != nil {
			t.Fatal(err)
		}
		one, two := list[0], list[1]
		if one.Name != "Name it" || !one.RestrictStatus || one.WarnPct != 50 || one.DueDate != nil ||
			one.StartDate != clock.On(2026, 3, 2) || one.TargetDate != clock.On(2026, 3, 13) {
			t.Errorf("%+v", one)
		}
		if two.StartDate != clock.On(2026, 4, 7) || two.DueDate == nil || *two.DueDate != clock.On(2026, 5, 17) ||
			two.GroupSetID == nil || two.MaxQualityPts != 5 {
			t.Errorf("%+v", two)
		}
		// One takes the name another gives up; a row found by name gets a new abbreviation.
		r = load("Other,1.2,d,4,1,,5,Y,20,[],,[],1,Tue,6,Wed,,,prac-1\nBreak,1.1,d,4,1,,5,Y,20,[],,[],1,Tue,6,Wed,,,prac-1\nNew,1.3,d,4,1,,5,Y,20,[],,[],1,Tue,6,Wed,,,prac-1\n")
		if len(r.Success) != 3 || !strings.HasPrefix(r.Success[1].Message, "Changed") ||
			!strings.HasPrefix(r.Success[2].Message, "New") {
			t.Errorf("%+v", r)
		}
		good := []string{"N", "9", "d", "4", "0", "no", "0", "no", "50", "", "", "", "1", "Mon", "2", "Mon", "", "",
			"prac-1"}
		for column, bad := range map[int]string{0: "", 1: "a/b", 3: "much", 4: "7", 5: "maybe", 6: "101", 8: "x",
			9: "[1]", 10: "Nobody", 11: `"[{""key"":""a""}]"`, 12: "B9.1", 13: "Someday", 14: "0", 16: "1", 18: "lab"} {
			cells := append([]string(nil), good...)
			cells[column] = bad
			if r := load(strings.Join(cells, ",") + "\n"); len(r.Errors) != 1 {
				t.Errorf("column %d %q: %+v", column, bad, r)
			}
		}
		if r := load(strings.Join(good, ",") + "\n" + strings.Join(good, ",") + "\n"); len(r.Success) != 1 ||
			len(r.Errors) != 1 {
			t.Errorf("the same twice: %+v", r)
		}
	})
}
