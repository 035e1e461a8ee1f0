package admin

import (
	"context"
	"encoding/json"
	"strings"

	"lectern/internal/ground/links"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/assess"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

func (s *room) imageRoutes() {
	const at, one = links.AdminImages, links.AdminImage
	page.Show(s.Site, at, policy.SeeSetup, "The container images that assessments run in", s.images)
	page.Show(s.Site, at+"/new", policy.SeeSetup, "A new container image", s.newImage)
	page.Form(s.Site, at+"/new", policy.ManageImages, "Add a container image", s.addImage,
		endpoint.Audited(audit.Setting))
	page.Show(s.Site, one, policy.SeeSetup, "A container image, to be changed", s.editImage)
	page.Form(s.Site, one, policy.ManageImages, "Change a container image", s.changeImage,
		endpoint.Audited(audit.Setting))
	page.Form(s.Site, one+"/pull", policy.ManageImages, "Pull a container image", s.pullImage,
		endpoint.Audited(audit.Setting))
	page.Show(s.Site, one+"/progress", policy.SeeSetup, "How far the pull of a container image is", s.imageProgress)
	page.Show(s.Site, one+"/delete", policy.SeeSetup, "Ask before a container image is deleted", s.askDeleteImage)
	page.Form(s.Site, one+"/delete", policy.ManageImages, "Delete a container image", s.deleteImage,
		endpoint.Audited(audit.Setting))
}

// imageRow is how far the pull of an image is.
type imageRow struct {
	*assess.Image
	Pulls bool   // it can be pulled: there is an engine, and it is not on its way
	Going bool   // it is on its way
	Last  string // what the engine said last
	Words string // what the script says
}

// Failed tells whether the last pull did.
func (r *imageRow) Failed() bool { return opt.Or(r.Status, "") == assess.PullFailed }

// Pulled tells whether the image is there.
func (r *imageRow) Pulled() bool { return opt.Or(r.Status, "") == assess.Pulled }

func (s *room) imageRow(i *assess.Image) *imageRow {
	r := &imageRow{Image: i, Going: opt.Or(i.Status, "") == assess.Pulling}
	words, err := json.Marshal(map[string]string{"late": s.Word("images.late")})
	if err == nil {
		r.Words = string(words)
	}
	r.Pulls = !r.Going && s.Usecases.CheckAssess() == nil
	said := strings.TrimSpace(opt.Or(i.Text, ""))
	r.Last = said[strings.LastIndexByte(said, '\n')+1:]
	return r
}

func (s *room) images(ctx context.Context, who *access.Caller, in doneIn) (*page.Page, error) {
	v, err := s.imageList(ctx)
	if err != nil {
		return nil, err
	}
	v.Done = s.done(in)
	return s.Titled(who, "admin-list", s.Word("admin-setup.images"), v), nil
}

func (s *room) imageList(ctx context.Context) (*setupList, error) {
	list, err := assess.Images(ctx, s.DB.Pool())
	v := &setupList{Tabs: s.setupTabs(links.AdminImages), Path: links.AdminImages, Icon: page.Icon("layers"),
		Add: s.Word("images.add"), Hint: s.Word("images.hint"), Empty: s.Word("images.none"),
		Heads: []string{s.Word("images.image"), s.Word("images.state")}}
	if s.Usecases.CheckAssess() != nil {
		v.Wrong = s.Word("images.no-engine")
	}
	for i := range list {
		row := s.imageRow(&list[i])
		v.Following = v.Following || row.Going
		v.Rows = append(v.Rows, setupRow{ID: row.ID, Name: row.Name, Href: links.To(links.AdminImage, row.ID),
			Short: row.Tag, Image: row})
	}
	return v, err
}

// imageProgress is how far a pull is, for a script that asks again.
func (s *room) imageProgress(ctx context.Context, who *access.Caller, in oneIn) (*page.Page, error) {
	i, err := assess.ImageByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	return s.Fragment(who, "admin-list", "image-progress", s.imageRow(i)), nil
}

// pullImage has the image pulled by a job; the list shows how far it is.
func (s *room) pullImage(ctx context.Context, who *access.Caller, in oneIn) (endpoint.Drawing, error) {
	if why := s.Usecases.PullImage(ctx, in.ID); why != nil {
		return s.imagesAgain(ctx, who, why)
	}
	return endpoint.Redirect{To: links.AdminImages}, nil
}

func (s *room) imagesAgain(ctx context.Context, who *access.Caller, why error) (endpoint.Drawing, error) {
	v, err := s.imageList(ctx)
	if err != nil {
		return nil, err
	}
	return s.Again(s.Refusal(who, "admin-list", s.Word("admin-setup.images"), v), why)
}

// imageForm is what the fields of an image hold, as it is typed.
type imageForm struct {
	Name string `param:"name"`
	Tag  string `param:"tag"`
}

// read gives the values of f in which it differs from other.
func (f *imageForm) read(other *imageForm) (c assess.ImageChange) {
	r := &editing.Difference{}
	r.Text(&c.Name, f.Name, other.Name)
	r.Text(&c.Tag, f.Tag, other.Tag)
	return c
}

// imagePage puts the fields of an image on a page.
func (s *room) imagePage(e *editing.Record[imageForm], name string) (*recordPage, error) {
	v := &recordPage{Title: s.Word("images.add"), Path: links.AdminImages + "/new", List: links.AdminImages}
	if e.ID != 0 {
		v.Title, v.Path = name, links.To(links.AdminImage, e.ID)
	}
	v.Fields = []input{
		{Name: "name", Label: s.Word("admin-setup.name"), Value: e.Typed.Name, Need: true},
		{Name: "tag", Label: s.Word("images.tag"), Value: e.Typed.Tag, Need: true, Help: s.Word("images.tag-hint")},
	}
	return v, shown(e, v)
}

func (s *room) newImage(_ context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	v, err := s.imagePage(&editing.Record[imageForm]{Words: s.Words}, "")
	if err != nil {
		return nil, err
	}
	return s.record(who, v), nil
}

type addImageIn struct {
	Image imageForm `param:"record"`
}

func (s *room) addImage(ctx context.Context, who *access.Caller, in addImageIn) (endpoint.Drawing, error) {
	made, err := s.Usecases.AddImage(ctx, assess.Image{Name: in.Image.Name, Tag: in.Image.Tag})
	if err == nil {
		return led(links.AdminImages, "added", made.Name), nil
	}
	return s.imageAgain(who, &editing.Record[imageForm]{Typed: in.Image}, &assess.Image{}, err)
}

func (s *room) editImage(ctx context.Context, who *access.Caller, in oneIn) (*page.Page, error) {
	i, err := assess.ImageByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	e := &editing.Record[imageForm]{ID: in.ID, Fill: true, Words: s.Words}
	e.Hold(imageForm{i.Name, i.Tag})
	v, err := s.imagePage(e, i.Name)
	if err != nil {
		return nil, err
	}
	v.Said = strings.TrimSpace(opt.Or(i.Text, ""))
	return s.record(who, v), nil
}

type changeImageIn struct {
	oneIn
	Image imageForm `param:"record"`
	Seen  string    `param:"seen"` // what the fields held when they were read
}

func (s *room) changeImage(ctx context.Context, who *access.Caller, in changeImageIn) (endpoint.Drawing, error) {
	seen, err := editing.Parse[imageForm](in.Seen)
	if err != nil {
		return nil, err
	}
	c, was := in.Image.read(seen), seen.read(&in.Image)
	c.Seen = &was
	made, why := s.Usecases.ChangeImage(ctx, in.ID, c)
	if why == nil {
		return led(links.AdminImages, "saved", made.Name), nil
	}
	now, err := assess.ImageByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	return s.imageAgain(who, &editing.Record[imageForm]{ID: in.ID, Typed: in.Image, Before: seen}, now, why)
}

// imageAgain shows the fields as they were typed with what is wrong.
func (s *room) imageAgain(who *access.Caller, e *editing.Record[imageForm], is *assess.Image,
	why error) (endpoint.Drawing, error) {
	e.Words = s.Words
	e.Now = func(field string) string {
		if field == "name" {
			return is.Name
		}
		return is.Tag
	}
	return again(s, who, e, why, imageForm{is.Name, is.Tag},
		func() (*recordPage, error) { return s.imagePage(e, is.Name) })
}

// askDeleteImage asks, or says what uses the image.
func (s *room) askDeleteImage(ctx context.Context, who *access.Caller, in oneIn) (*page.Page, error) {
	var i *assess.Image
	var units, tasks int64
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if i, err = assess.ImageByID(ctx, q, in.ID); err != nil {
			return err
		}
		units, tasks, err = assess.ImageUses(ctx, q, in.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if units+tasks > 0 {
		return s.keeps(who, s.Word("images.used-title"), kept{About: i.Name, Back: links.AdminImages,
			Go:   s.Word("images.back"),
			Text: s.Word("images.used-units", units) + " " + s.Word("images.used-tasks", tasks) + " " + s.Word("images.used")}), nil
	}
	return s.Ask(who, s.Word("images.delete"), page.Question{About: i.Name, Text: s.Word("images.ask"),
		Action: links.To(links.AdminImage, in.ID) + "/delete", Do: s.Word("images.delete"), Back: links.AdminImages}), nil
}

func (s *room) deleteImage(ctx context.Context, who *access.Caller, in oneIn) (endpoint.Drawing, error) {
	i, err := assess.ImageByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	if why := s.Usecases.DeleteImage(ctx, in.ID); why != nil {
		return s.imagesAgain(ctx, who, why)
	}
	return led(links.AdminImages, "deleted", i.Name), nil
}
