package announce

import (
	"context"
	"regexp"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/work/worktest"
)

// walked are the tables that grow with every announcement or unit, walked from end to end.
var walked = regexp.MustCompile(`Seq Scan on (announcements|announcement_recipients|projects|users|tutorials|` +
	`tutorial_enrolments)|SCAN (a|r|p|s|w|e|t|o)\b`)

// Whatever asks for announcements follows an index, and takes as few statements as it says.
func TestAnnouncementsFollowIndexes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := worktest.New(t, d, 4, 1)
		project, tutor := int64(1), c.Students+1
		var id int64
		if err := d.Tx(t.Context(), func(q db.Q) error {
			a, _, err := Send(t.Context(), q, New{UnitID: worktest.Unit, UserID: tutor, Title: "Hello", Text: "All",
				Audience: All})
			if err == nil {
				id = a.ID
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		by := &Reader{UserID: tutor}
		for name, read := range map[string]func(ctx context.Context, q db.Q) (int, error){
			"a convenor's list": func(ctx context.Context, q db.Q) (int, error) {
				list, _, err := Of(ctx, q, worktest.Unit, Reader{UserID: tutor, All: true}, db.Page{})
				return len(list), err
			},
			"a tutor's list": func(ctx context.Context, q db.Q) (int, error) {
				list, _, err := Of(ctx, q, worktest.Unit, *by, db.Page{})
				return len(list), err
			},
			"who got it": func(ctx context.Context, q db.Q) (int, error) {
				list, _, err := RecipientsOf(ctx, q, id, db.Page{})
				return len(list) - 3, err
			},
			"a student's": func(ctx context.Context, q db.Q) (int, error) {
				list, _, err := CopiesOf(ctx, q, project, nil, db.Page{})
				return len(list), err
			},
			"the newest of a student": func(ctx context.Context, q db.Q) (int, error) {
				list, err := NewestOf(ctx, q, project, by, 3)
				return len(list), err
			},
			"one of a student": func(ctx context.Context, q db.Q) (int, error) {
				_, err := CopyByID(ctx, q, project, id, nil)
				return 1, err
			},
			"titles": func(ctx context.Context, q db.Q) (int, error) {
				titles, err := TitlesOf(ctx, q, []int64{id})
				return len(titles), err
			},
			"a search": func(ctx context.Context, q db.Q) (int, error) {
				_, err := Find(ctx, q, worktest.Unit, "zz", 5)
				return 1, err
			},
		} {
			texts, plans := c.Plans(func(ctx context.Context, q db.Q) error {
				n, err := read(ctx, q)
				if err == nil && n != 1 {
					t.Errorf("%s: %d", name, n)
				}
				return err
			})
			if len(texts) != 1 {
				t.Errorf("%s: %d statements", name, len(texts))
			}
			for i, plan := range plans {
				if found := walked.FindString(plan); found != "" {
					t.Errorf("%s: %q\n%s\n%s", name, found, texts[i], plan)
				}
			}
		}
	})
}
