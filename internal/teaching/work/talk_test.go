package work

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"lectern/internal/teaching/work/worktest"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
)

func TestConversationsFollowIndexes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newCrowd(t, d, 100, 10)
		c.fillInbox()
		at, tutor := TaskRef{3, 3}, Reader{UserID: c.Students + 1, Staff: true}
		for _, p := range []db.Page{{}, db.Part(5, 0)} {
			texts, plans := c.Plans(func(ctx context.Context, q db.Q) error {
				_, err := Comments(ctx, q, tutor, at, p)
				return err
			})
			for i, text := range texts {
				plan := strings.NewReplacer("SCAN t\n", "", "SCAN t ", "").Replace(plans[i]) // the conversation's own tasks
				if worktest.Walked.MatchString(plan) {
					t.Errorf("a conversation walks a table:\n%s\n%s", text, plan)
				}
			}
		}
	})
}

// cutShort runs f with its first statement failing, then its second, until it
// gets through; each failure must leave the tables as they were.
func cutShort(t *testing.T, c *crowd, f func(ctx context.Context, q db.Q) error) {
	t.Helper()
	const tables = `SELECT (SELECT count(*) FROM tasks) + (SELECT count(*) FROM task_history) + (SELECT count(*)
		FROM task_comments)
		+ (SELECT count(*) FROM comment_reads) + (SELECT count(*) FROM events) + (SELECT count(*)
		FROM group_submissions)
		+ (SELECT count(*) FROM blobs) + (SELECT count(*) FROM discussion_files) + (SELECT coalesce(sum(extensions), 0)
		FROM tasks)
		+ (SELECT count(*) FROM task_comments WHERE extension_assessed_at IS NOT NULL)`
	before := c.Number(tables)
	for n := int64(1); ; n++ {
		ctx, _ := db.Failing(t.Context(), n)
		err := c.Tx(ctx, func(q db.Q) error { return f(ctx, q) })
		if now := c.Number(tables); (err == nil) != (now != before) {
			t.Fatalf("statement %d failed (%v), and %d rows became %d", n, err, before, now)
		}
		if err == nil {
			return
		}
		if fault.KindOf(err) != fault.Internal {
			t.Fatalf("statement %d: %v", n, err)
		}
	}
}

func TestWhatIsSaidIsSaidWhole(t *testing.T) {
	c := newTeam(t)
	store, err := files.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	info, err := store.Put(t.Context(), strings.NewReader("GIF89a"))
	if err != nil {
		t.Fatal(err)
	}
	c.Set(`UPDATE units SET auto_apply_extension_before_deadline = FALSE`)
	at := TaskRef{1, groupTask}
	student, tutor := Reader{UserID: 1}, Reader{UserID: c.Students + 1, Staff: true}
	image, sound := Media{info, "image", "image/gif"}, Media{info, "audio", "audio/wav"}
	var id int64
	keep := func(v *Comment, err error) error {
		if err == nil {
			id = v.ID
		}
		return err
	}
	cutShort(t, c, func(ctx context.Context, q db.Q) error {
		return keep(Say(ctx, q, store, student, at, NewComment{Text: "Hello", Media: &image}))
	})
	cutShort(t, c, func(ctx context.Context, q db.Q) error { return DeleteComment(ctx, q, student, at, worktest.Unit, id) })
	cutShort(t, c, func(ctx context.Context, q db.Q) error {
		return keep(Discuss(ctx, q, store, tutor, at, []Media{sound, sound}))
	})
	cutShort(t, c, func(ctx context.Context, q db.Q) error {
		return keep(Answer(ctx, q, store, student, at, id,
			sound))
	})
	cutShort(t, c, func(ctx context.Context, q db.Q) error {
		e, err := RequestExtension(ctx, q, student, at, ExtensionRequest{Reason: "Ill", Weeks: 1})
		if err == nil {
			id = e.ID
		}
		return err
	})
	cutShort(t, c, func(ctx context.Context, q db.Q) error {
		_, err := AssessExtension(ctx, q, tutor, at, id, true)
		return err
	})
}

// Whatever a file holds, looking at it ends with an answer or a refusal, and
// what is taken is served as one of the types we know.
func FuzzLookAtMedia(f *testing.F) {
	for _, s := range []string{"", "GIF89a", "%PDF-1.4 %%EOF", "<svg",
		"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp42\x00\x00\x00\x01moov\xff\xff\xff\xff\xff\xff\xff\xff",
		"\x00\x00\x00\x14ftypisom\x00\x00\x02\x00isom\x00\x00\x00\x00moovhdlr",
		"\x00\x00\x00\x14ftypisom\x00\x00\x02\x00isom\x00\x00\x00\x07free\x00\x00\x00\x00\x00\x00\x00\x00",
		"\x1aE\xdf\xa3\x9fB\x82\x84webm"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		r := io.NewSectionReader(strings.NewReader(content), 0, int64(len(content)))
		m, err := LookAtMedia(r, r.Size())
		if _, ok := errors.AsType[*fault.Error](err); err != nil && !ok {
			t.Errorf("%q: %v", content, err)
		}
		if err == nil && (mediaLabels[m.Kind] == "" || mediaExtensions[m.Type] == "") {
			t.Errorf("%q is %+v", content, m)
		}
	})
}
