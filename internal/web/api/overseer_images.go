package api

import (
	"context"
	"time"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/assess"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) imageRoutes() {
	const all, one = "/api/admin/overseer_images", "/api/admin/overseer_images/{id}"
	rules := endpoint.Also(422, "the name is blank, or the tag is no reference of an image")
	endpoint.Route(s.Server, "GET "+all, 200, policy.ListImages, "List the container images that assessments run in",
		s.listImages)
	endpoint.Route(s.Server, "POST "+all, 201, policy.ManageImages, "Add a container image", s.addImage,
		endpoint.Audited(audit.Setting), endpoint.Location(all), rules,
		endpoint.Also(409, "the name or the tag is taken"))
	endpoint.Route(s.Server, "PUT "+one, 200, policy.ManageImages, "Change a container image", s.changeImage,
		endpoint.Audited(audit.Setting), rules,
		endpoint.Also(409, "the name or the tag is taken, or a value is no longer what was seen"))
	endpoint.Route(s.Server, "DELETE "+one, 204, policy.ManageImages, "Delete a container image nobody uses",
		s.deleteImage, endpoint.Audited(audit.Setting), endpoint.Also(409, "units or tasks use it"))
	endpoint.Route(s.Server, "PUT "+one+"/pull_image", 200, policy.ManageImages, "Pull a container image; after a "+
		"minute the answer is pulling, and a background job goes on", s.pullImage, endpoint.Audited(audit.Setting),
		endpoint.Also(503, "no container engine is set up"))
}

func (s *Server) listImages(ctx context.Context, _ *access.Caller, in paging) (endpoint.List[assess.Image], error) {
	list, err := assess.Images(ctx, s.db.Pool())
	return short(in, list, err)
}

type addImageIn struct {
	Image struct {
		Name string `param:"name,required"`
		Tag  string `param:"tag,required" doc:"the reference by which it is pulled"`
	} `param:"overseer_image,required"`
}

func (s *Server) addImage(ctx context.Context, _ *access.Caller, in addImageIn) (*assess.Image, error) {
	return s.usecases.AddImage(ctx, assess.Image{Name: in.Image.Name, Tag: in.Image.Tag})
}

// imageValues are what changing a container image takes.
type imageValues struct {
	Name params.Opt[string] `param:"name"`
	Tag  params.Opt[string] `param:"tag"`
}

func (v imageValues) change() assess.ImageChange {
	return assess.ImageChange{Name: v.Name.Ptr(), Tag: v.Tag.Ptr()}
}

type changeImageIn struct {
	ID    int64       `path:"id"`
	Image imageValues `param:"overseer_image"`
	Seen  imageValues `param:"seen" faults:"none" doc:"the image as you saw it; what somebody else changed meanwhile is refused"`
}

func (s *Server) changeImage(ctx context.Context, _ *access.Caller, in changeImageIn) (*assess.Image, error) {
	c, seen := in.Image.change(), in.Seen.change()
	c.Seen = &seen
	return s.usecases.ChangeImage(ctx, in.ID, c)
}

func (s *Server) deleteImage(ctx context.Context, _ *access.Caller, in byID) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.DeleteImage(ctx, in.ID)
}

type pullImageOut struct {
	assess.Image
	Status string `json:"status" doc:"pulled, failed, or pulling while it goes on"`
}

// pullWait is how long a request waits for a pull.
const pullWait = time.Minute

func (s *Server) pullImage(ctx context.Context, _ *access.Caller, in byID) (*pullImageOut, error) {
	if err := s.usecases.PullImage(ctx, in.ID); err != nil {
		return nil, err
	}
	over := time.After(s.pullWait)
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for {
		i, err := assess.ImageByID(ctx, s.db.Pool(), in.ID)
		if err != nil {
			return nil, err
		}
		if i.Status == nil || *i.Status != assess.Pulling {
			return pulled(i), nil
		}
		select {
		case <-over:
			return pulled(i), nil
		case <-s.events.Until.Done(): // the service stops; the job goes on elsewhere, or later
			return pulled(i), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-look.C:
		}
	}
}

// pulled tells how far an image is in the words of the endpoint.
func pulled(i *assess.Image) *pullImageOut {
	out := &pullImageOut{*i, "pulled"}
	if i.Status == nil || *i.Status != assess.Pulled {
		out.Status = assess.PullFailed
		if i.Status != nil {
			out.Status = *i.Status
		}
	}
	return out
}
