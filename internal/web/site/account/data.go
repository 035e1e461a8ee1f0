package account

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/usecase/privacy"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// dataPath is the page of one's own data.
const dataPath = profile + "/data"

func (s *room) dataRoutes() {
	page.Show(s.Site, dataPath, policy.SignedIn, "Your data", s.data)
	page.Form(s.Site, dataPath, policy.SignedIn, "Ask for your data", s.askData, endpoint.Audited(audit.Export))
	page.Form(s.Site, dataPath+"/link", policy.SignedIn, "Get the link to your data", s.linkData,
		endpoint.Unaudited("that it is used is told"))
	endpoint.Route(s.Server, "GET "+dataPath+"/{token}", 200, policy.SignedIn, "Download your data", s.downloadData)
}

// dataPage is what a person sees of the archive of their own data.
type dataPage struct {
	Tabs []page.Section
	User *ident.User
	*privacy.Archive
	Holds []string // what is in it, as the end of a key of words
}

// dataHolds are the parts of an archive.
var dataHolds = []string{"account", "sign-ins", "studies", "work", "words", "marks", "files", "log"}

func (s *room) data(ctx context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	v := dataPage{Tabs: s.tabs(dataTab), Holds: dataHolds}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.User, err = ident.ByID(ctx, q, who.ID); err != nil {
			return err
		}
		v.Archive, err = privacy.ArchiveOf(ctx, q, who)
		return err
	})
	p := s.Titled(who, dataTab.template, s.Word(dataTab.word), v)
	p.Within = &page.Crumb{Words: s.Word("profile.title"), Path: profile}
	return p, err
}

func (s *room) askData(ctx context.Context, who *access.Caller, _ struct{}) (endpoint.Drawing, error) {
	if _, err := s.Usecases.AskArchive(ctx, who); err != nil {
		return s.dataAgain(ctx, who, err)
	}
	return endpoint.Redirect{To: dataPath}, nil
}

func (s *room) linkData(ctx context.Context, who *access.Caller, _ struct{}) (endpoint.Drawing, error) {
	l, err := s.Usecases.LinkToArchive(ctx, who)
	if err != nil {
		return s.dataAgain(ctx, who, err)
	}
	return endpoint.Redirect{To: dataPath + "/" + l.Token}, nil
}

func (s *room) dataAgain(ctx context.Context, who *access.Caller, err error) (endpoint.Drawing, error) {
	p, drawn := s.data(ctx, who, struct{}{})
	if drawn != nil {
		return nil, drawn
	}
	return s.Again(p, err)
}

func (s *room) downloadData(ctx context.Context, who *access.Caller, in struct {
	Token string `path:"token"`
}) (*endpoint.File, error) {
	follow := s.Usecases.UseArchiveLink
	if endpoint.LooksOnly(ctx) {
		follow = s.Usecases.SeeArchiveLink
	}
	hash, err := follow(ctx, who, in.Token)
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.Usecases.Files, hash, endpoint.File{Name: "my-data.zip", Type: "application/zip",
		Attachment: true})
}
