package admin

import (
	"context"
	"strconv"

	"lectern/internal/connect/notify"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) mailRoutes() {
	page.Show(s.Site, links.AdminMail, policy.SeeMail, "How emails are doing", s.mail, endpoint.Asks(policy.SeeService))
	page.Form(s.Site, links.AdminMail+"/send", policy.ManageMail, "Try all emails at once that wait or failed", s.sendMail,
		endpoint.Audited(audit.Job))
	page.Form(s.Site, links.AdminMail, policy.ChangeSettings, "Send yourself a test email", s.testMail,
		endpoint.Audited(audit.Setting))
}

type mailIn struct {
	Retried int64 `param:"retried"` // how many emails were, just now
	Tested  bool  `param:"tested"`  // a test email was sent, just now
}

// mailPage tells how emails are doing.
type mailPage struct {
	*usecase.Mail
	Days    []postedRow
	Failed  []failedRow
	Server  []checkRow // what the check of the mail server found
	Retried int64
	Tested  string // whom a test email went to
	Mend    string // where the mail server is set
}

// postedRow is a day of emails about something, in words.
type postedRow struct {
	notify.Posted
	Name string
}

// failedRow is an email that was given up, in words.
type failedRow struct {
	notify.FailedEmail
	Name, Person string
}

// mailKeys are the words for what emails are about.
func mailKeys() (list []string) {
	for _, about := range []notify.Preference{notify.None, notify.Task, notify.Portfolio, notify.Feedback,
		notify.Announcement} {
		list = append(list, mailKey(string(about)))
	}
	return list
}

func mailKey(about string) string {
	if about == "" {
		about = "other"
	}
	return "mail.about-" + about
}

func (s *room) mail(ctx context.Context, who *access.Caller, in mailIn) (*page.Page, error) {
	m, err := s.Usecases.MailOf(ctx)
	if err != nil {
		return nil, err
	}
	v := &mailPage{Mail: m, Retried: in.Retried, Mend: email.at(false)}
	if in.Tested {
		if v.Tested, err = s.Usecases.OwnAddress(ctx, who); err != nil {
			return nil, err
		}
	}
	var people []int64
	for i := range m.Failed {
		people = append(people, m.Failed[i].UserID)
	}
	names, err := usecase.NamesOf(ctx, s.DB.Pool(), people, nil)
	if err != nil {
		return nil, err
	}
	for _, d := range m.Days {
		v.Days = append(v.Days, postedRow{d, s.Word(mailKey(d.About))})
	}
	for _, f := range m.Failed {
		v.Failed = append(v.Failed, failedRow{f, s.jobName(f.Kind), names.Person(f.UserID)})
	}
	if who.May(policy.SeeService) {
		for _, r := range s.Usecases.Checks.Known(ctx) {
			h := usecase.Health{}
			if h.Add(r); r.Name != "mail" {
				continue
			}
			for _, f := range h.Findings {
				v.Server = append(v.Server, s.check(f))
			}
		}
	}
	return s.Titled(who, "mail", s.Word("mail.title"), v), nil
}

func (s *room) sendMail(ctx context.Context, _ *access.Caller, _ struct{}) (endpoint.Drawing, error) {
	done, err := s.Usecases.SendMailNow(ctx)
	if err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: links.AdminMail + "?retried=" + strconv.FormatInt(done.Hastened+done.Retried, 10)}, nil
}

// testMail sends the reader an email as the settings are, and waits for what the mail server says.
func (s *room) testMail(ctx context.Context, who *access.Caller, _ struct{}) (endpoint.Drawing, error) {
	err := s.Usecases.TryMail(ctx, who, nil)
	if err == nil {
		return endpoint.Redirect{To: links.AdminMail + "?tested=true"}, nil
	}
	p, drawn := s.mail(ctx, who, mailIn{})
	if drawn != nil {
		return nil, drawn
	}
	return s.Again(p, err)
}
