package assess

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/container"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/course"
)

// Image is a container image that packages run in.
type Image struct {
	ID       int64       `db:"id" json:"id"`
	Name     string      `db:"name" json:"name"`
	Tag      string      `db:"tag" json:"tag"` // the reference by which it is pulled
	Status   *string     `db:"pulled_image_status" json:"pulled_image_status"`
	PulledAt *clock.Time `db:"last_pulled_date" json:"last_pulled_date"`
	Text     *string     `db:"pulled_image_text" json:"pulled_image_text"`
}

// What pulled_image_status says.
const (
	Pulling    = "pulling"
	Pulled     = "success"
	PullFailed = "failed"
)

const selectImages = `SELECT id, name, tag, pulled_image_status, last_pulled_date, pulled_image_text
	FROM overseer_images`

// Images lists the images by name.
func Images(ctx context.Context, q db.Q) ([]Image, error) {
	return db.All[Image](ctx, q, selectImages+` ORDER BY name, id`)
}

// ImageByID gives an image, or fault.Missing.
func ImageByID(ctx context.Context, q db.Q, id int64) (*Image, error) {
	return db.OneOf[Image](ctx, q, "container image", selectImages+` WHERE id = $1`, id)
}

// check trims name and tag and tells what is wrong with them.
func (i *Image) check() error {
	i.Name, i.Tag = strings.TrimSpace(i.Name), strings.TrimSpace(i.Tag)
	var wrong fault.Fields
	wrong.When(i.Name == "", "name", "may not be blank")
	wrong.When(len([]rune(i.Name)) > 255, "name", "may have at most 255 characters")
	if !bounds.FitsOneLine(i.Name) {
		wrong.Add("name", "must fit on one line")
	}
	if err := container.CheckReference(i.Tag); err != nil {
		wrong.Add("tag", "%s", err.Error())
	}
	return wrong.Err(fault.Refused)
}

// AddImage adds an image: fault.Refused where its name or tag cannot be one, fault.Conflict
// where either is taken. It is for holders of policy.ManageImages.
func AddImage(ctx context.Context, q db.Q, i Image) (*Image, error) {
	if err := i.check(); err != nil {
		return nil, err
	}
	if err := i.free(ctx, q, Image{}); err != nil {
		return nil, err
	}
	id, err := db.One[int64](ctx, q, `INSERT INTO overseer_images (name, tag) VALUES ($1, $2) RETURNING id`, i.Name,
		i.Tag)
	if err != nil {
		return nil, err
	}
	if err := noteImage(ctx, q, audit.Created, *id); err != nil {
		return nil, err
	}
	return ImageByID(ctx, q, *id)
}

// ImageChange is what to set of an image; nil leaves a value alone.
type ImageChange struct {
	Name, Tag *string
	Seen      *ImageChange // what whoever changes it saw; nil: whatever it was
}

// clashes refuses values that somebody else changed since they were seen.
func (c ImageChange) clashes(is *Image) error {
	if c.Seen == nil {
		return nil
	}
	var wrong fault.Fields
	if c.Name != nil && c.Seen.Name != nil {
		course.Clash(&wrong, "name", is.Name, *c.Seen.Name, *c.Name)
	}
	if c.Tag != nil && c.Seen.Tag != nil {
		course.Clash(&wrong, "tag", is.Tag, *c.Seen.Tag, *c.Tag)
	}
	return wrong.Err(fault.Conflict)
}

// ChangeImage changes the name or the tag of an image. With another tag it counts as not
// pulled. It is for holders of policy.ManageImages and refuses what AddImage refuses, and with
// fault.Conflict a value that is no longer what the change says was seen.
func ChangeImage(ctx context.Context, q db.Q, id int64, c ImageChange) (*Image, error) {
	if err := db.Lock(ctx, q, "overseer_images", id); err != nil {
		return nil, err
	}
	i, err := ImageByID(ctx, q, id)
	if err != nil || c.Name == nil && c.Tag == nil {
		return i, err
	}
	if err := c.clashes(i); err != nil {
		return nil, err
	}
	before := *i
	opt.Set(&i.Name, c.Name)
	opt.Set(&i.Tag, c.Tag)
	if err := i.check(); err != nil {
		return nil, err
	}
	if err := i.free(ctx, q, before); err != nil {
		return nil, err
	}
	if i.Tag != before.Tag {
		i.Status, i.PulledAt, i.Text = nil, nil, nil
	}
	if _, err := db.Exec(ctx, q, `UPDATE overseer_images SET name = $2, tag = $3, pulled_image_status = $4,
		last_pulled_date = $5, pulled_image_text = $6 WHERE id = $1`, id, i.Name, i.Tag, i.Status, i.PulledAt,
		i.Text); err != nil {
		return nil, err
	}
	return i, noteImage(ctx, q, audit.Changed, id)
}

// DeleteImage removes an image, for holders of policy.ManageImages. It is fault.Conflict while
// a unit or a task uses it.
func DeleteImage(ctx context.Context, q db.Q, id int64) error {
	units, tasks, err := ImageUses(ctx, q, id)
	if err != nil {
		return err
	}
	if units+tasks > 0 {
		return fault.New(fault.Conflict, "This image is used by units (%d) or tasks (%d). Choose another for them first.",
			units, tasks)
	}
	n, err := db.Exec(ctx, q, `DELETE FROM overseer_images WHERE id = $1`, id)
	switch {
	case db.InUse(err): // since this moment
		return fault.New(fault.Conflict, "Units or tasks use this image. Choose another for them first.")
	case err != nil:
		return err
	case n == 0:
		return fault.New(fault.Missing, "There is no such container image.")
	}
	return noteImage(ctx, q, audit.Deleted, id)
}

// ImageUses counts the units and the tasks that name an image.
func ImageUses(ctx context.Context, q db.Q, id int64) (units, tasks int64, err error) {
	n, err := db.One[struct {
		Units int64 `db:"units"`
		Tasks int64 `db:"tasks"`
	}](ctx, q, `SELECT (SELECT count(*) FROM units WHERE overseer_image_id = $1) AS units,
		(SELECT count(*) FROM task_definitions WHERE overseer_image_id = $1) AS tasks`, id)
	if err != nil {
		return 0, 0, err
	}
	return n.Units, n.Tasks, nil
}

// free tells which of name and tag another image has. Names that differ in case alone count as
// the same, as people could not tell them apart; a name that an image had before stays its own.
// One change of images waits for the other, so that what is free stays so.
func (i *Image) free(ctx context.Context, q db.Q, before Image) error {
	if err := db.LockName(ctx, q, "names of container images"); err != nil {
		return err
	}
	all, err := Images(ctx, q)
	if err != nil {
		return err
	}
	var taken []string
	same := func(same func(other Image) bool) bool {
		return slices.ContainsFunc(all, func(other Image) bool { return other.ID != i.ID && same(other) })
	}
	if i.Name != before.Name && same(func(o Image) bool { return strings.EqualFold(o.Name, i.Name) }) {
		taken = append(taken, fmt.Sprintf("Another image has the name %.60q.", i.Name))
	}
	if same(func(o Image) bool { return o.Tag == i.Tag }) {
		taken = append(taken, fmt.Sprintf("Another image has the tag %.60q.", i.Tag))
	}
	if len(taken) == 0 {
		return nil
	}
	return fault.New(fault.Conflict, "%s", strings.Join(taken, " "))
}

func noteImage(ctx context.Context, q db.Q, action string, id int64) error {
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Setting, Action: "image_" + action, RecordID: id})
}

// PullArgs ask for an image to be pulled.
type PullArgs struct {
	ImageID int64 `json:"image_id"`
}

// Kind implements jobs.Args.
func (PullArgs) Kind() string { return "pull image" }

// pullWithin is how long a pull may take.
const pullWithin = time.Hour

// AskPull has an image pulled by a job. One that is being pulled goes on. It is for holders of
// policy.ManageImages.
func AskPull(ctx context.Context, q db.Q, id int64) error {
	n, err := db.Exec(ctx, q, `UPDATE overseer_images SET pulled_image_status = $2, pulled_image_text = ''
		WHERE id = $1 AND coalesce(pulled_image_status, '') <> $2`, id, Pulling)
	if err != nil {
		return err
	}
	if n == 0 {
		if _, err := ImageByID(ctx, q, id); err != nil {
			return err
		}
	}
	if _, err := jobs.Enqueue(ctx, q, PullArgs{id}, jobs.Options{MaxAttempts: 2,
		Unique: "pull image " + strconv.FormatInt(id, 10)}); err != nil {
		return err
	}
	return noteImage(ctx, q, "pulled", id)
}

// Pull is the worker of PullArgs. It keeps what the engine says as it goes on.
func (w *Worker) Pull(ctx context.Context, job jobs.Job, a PullArgs) error {
	i, err := ImageByID(ctx, w.DB.Pool(), a.ImageID)
	if fault.Is(err, fault.Missing) {
		return nil
	}
	if err != nil {
		return err
	}
	said := &transcript{}
	stop := w.follow(ctx, i, said)
	err = w.Runner.Engine.Pull(ctx, i.Tag, said.add)
	stop()
	if ctx.Err() != nil {
		if !job.Last() {
			return ctx.Err()
		}
		ctx = context.WithoutCancel(ctx)
	}
	outcome := Pulled
	if err != nil {
		outcome = PullFailed
		w.Log.WarnContext(ctx, "an image cannot be pulled", "image", i.Tag, "err", err)
		said.add(engineText(err))
	}
	return w.DB.Tx(ctx, func(q db.Q) error {
		if err := i.note(ctx, q, outcome, said.String()); err != nil {
			return err
		}
		return job.Done(ctx, q)
	})
}

// follow keeps what is said while a pull goes on, every second that brings something
// new, until stop is called.
func (w *Worker) follow(ctx context.Context, i *Image, said *transcript) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for kept := ""; ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if text := said.String(); text != kept &&
				w.DB.Tx(ctx, func(q db.Q) error { return i.note(ctx, q, Pulling, text) }) == nil {
				kept = text
			}
		}
	}()
	return func() { cancel(); <-done }
}

// note writes how far a pull is. A tag that was changed meanwhile is not this one.
func (i *Image) note(ctx context.Context, q db.Q, outcome, text string) error {
	_, err := db.Exec(ctx, q, `UPDATE overseer_images SET pulled_image_status = $3, pulled_image_text = $4,
			last_pulled_date = CASE WHEN $3 = 'pulling' THEN last_pulled_date ELSE $5 END
		WHERE id = $1 AND tag = $2`, i.ID, i.Tag, outcome, text, q.Now())
	return err
}

// transcript keeps the last of what an engine says. It may be read while it is written.
type transcript struct {
	mu    sync.Mutex
	lines []string
}

const mostLines = 200

func (t *transcript) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.lines); n > 0 && t.lines[n-1] == line {
		return
	}
	t.lines = append(t.lines, clean(firstRunes(withoutPaths(line), mostTrouble)))
	if n := len(t.lines); n > mostLines {
		t.lines = t.lines[n-mostLines:]
	}
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}
