package account

import (
	"context"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/web/site/page"
)

// adminHome is what home shows whoever runs the service: what of it needs somebody.
type adminHome struct {
	Runs  bool // they do
	Needs []adminNeed
}

// adminNeed is something of the service that needs somebody.
type adminNeed struct {
	Icon       page.Icon
	Text, Path string
}

// administer adds what of the service needs somebody, for those who may see it.
func (s *room) administer(ctx context.Context, who *access.Caller, v *adminHome) error {
	if v.Runs = who.May(policy.SeeService); !v.Runs {
		return nil
	}
	h, err := s.Usecases.HealthOf(ctx, who, false)
	if err != nil {
		return err
	}
	add := func(n int64, icon page.Icon, text string) {
		if n > 0 {
			v.Needs = append(v.Needs, adminNeed{icon, text, links.Admin})
		}
	}
	var failing int64
	for _, f := range h.Findings {
		if !f.OK {
			failing++
		}
	}
	add(failing, page.Icon("triangle-alert"), s.Word("home.admin-checks", failing))
	add(h.Jobs.Dead, page.Icon("circle-x"), s.Word("home.admin-jobs", h.Jobs.Dead))
	add(h.Emails.Failed, page.Icon("mail"), s.Word("home.admin-emails", h.Emails.Failed))
	add(h.Webhooks.Failing, page.Icon("send"), s.Word("home.admin-webhooks", h.Webhooks.Failing))
	return nil
}
