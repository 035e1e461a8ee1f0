package account

import (
	"context"
	"html/template"
	"net/url"
	"strings"
	"sync"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/pdf"
	"lectern/internal/teaching/status"
	"lectern/internal/usecase"
	"lectern/internal/web/site/page"
)

// The pages of the help, in the order of their tabs.
var (
	statusesHelp = accountTab{page.HelpPath, "help", "help.statuses"}
	keysHelp     = accountTab{page.HelpPath + "/keyboard", "help-keyboard", "help.keyboard"}
	receiptsHelp = accountTab{page.HelpPath + "/receipts", "help-receipts", "help.receipts"}
	datesHelp    = accountTab{page.HelpPath + "/due-dates", "help-dates", "help.dates"}
	accountHelp  = accountTab{page.HelpPath + "/account", "help-account", "help.account"}

	ownHelp    = []accountTab{statusesHelp, keysHelp, receiptsHelp, datesHelp, accountHelp}
	statements = []usecase.Matter{usecase.OnPrivacy, usecase.OnPlagiarism, usecase.OnAccessibility}
)

func (s *room) helpRoutes() {
	for _, t := range ownHelp {
		page.Show(s.Site, t.path, policy.Anybody, "Help: "+t.template,
			func(_ context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
				return s.help(who, t), nil
			})
	}
	for _, m := range statements {
		shown := sync.OnceValue(func() *statement { return s.statement(m) }) // the settings stay as they are
		page.Show(s.Site, page.StatementPath(m), policy.Anybody, "What the university says on "+string(m),
			func(_ context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
				return s.helpOf(who, page.StatementPath(m), "help-statement", statementKey(m), helpPage{Statement: shown()}), nil
			})
	}
}

// meaning is a status with what it means to a student, and who acts next.
type meaning struct {
	Status       status.Status
	Words, Whose string
}

// acts are all statuses in the order of a task's life, each with who acts next, as the end of a
// key of words.
var acts = []struct {
	status status.Status
	whose  string
}{{status.NotStarted, "you"}, {status.WorkingOnIt, "you"}, {status.NeedHelp, "tutor"}, {status.ReadyForFeedback, "tutor"},
	{status.Discuss, "both"}, {status.Demonstrate, "both"}, {status.Complete, "nobody"}, {status.FixAndResubmit, "you"},
	{status.Redo, "you"}, {status.TimeExceeded, "convenor"}, {status.FeedbackExceeded, "convenor"},
	{status.Fail, "convenor"}}

// step is a status in the picture of how they follow each other, and where it stands there.
type step struct {
	Status     status.Status
	X, Y, Wide int
}

var steps = []step{{status.NotStarted, 0, 88, 150}, {status.WorkingOnIt, 200, 88, 150}, {status.NeedHelp, 200, 14, 150},
	{status.ReadyForFeedback, 400, 88, 164}, {status.Discuss, 640, 18, 150}, {status.Demonstrate, 640, 88, 150},
	{status.FixAndResubmit, 640, 166, 150}, {status.Complete, 840, 88, 110}}

// helpKey is what a key does on the marking desk.
type helpKey struct{ Key, Words string }

// Keys are those that are pressed together.
func (k helpKey) Keys() []string { return strings.Fields(k.Key) }

// helpPage is what the help says.
type helpPage struct {
	Tabs      []page.Section
	Meanings  []meaning
	Steps     []step
	Keys      []helpKey // of the marking desk; none for students
	Statement *statement
}

func (s *room) help(who *access.Caller, on accountTab) *page.Page {
	v := helpPage{}
	switch on {
	case statusesHelp:
		v.Steps = steps
		for _, a := range acts {
			v.Meanings = append(v.Meanings, meaning{a.status, s.Word("meaning." + string(a.status)),
				s.Word("help.acts-" + a.whose)})
		}
	case keysHelp:
		if who.ID == 0 || who.Role != policy.Student { // students have no desk
			for _, k := range s.Shortcuts() {
				v.Keys = append(v.Keys, helpKey(k))
			}
		}
	}
	return s.helpOf(who, on.path, on.template, on.word, v)
}

// helpOf makes a page of the help, with the tabs of all others.
func (s *room) helpOf(who *access.Caller, path, name, word string, v helpPage) *page.Page {
	for _, t := range ownHelp {
		v.Tabs = append(v.Tabs, page.Section{Path: t.path, Words: s.Word(t.word), Current: t.path == path})
	}
	for _, m := range statements {
		at := page.StatementPath(m)
		v.Tabs = append(v.Tabs, page.Section{Path: at, Words: s.Word(statementKey(m)), Current: at == path})
	}
	p := s.Titled(who, name, s.Word(word), v)
	p.Within = &page.Crumb{Words: s.Word("help.title"), Path: page.HelpPath}
	return p
}

// statement is what the university says on a matter, as it is shown.
type statement struct {
	Matter     usecase.Matter
	Text       template.HTML
	Short      string
	Link, Host string // where the whole of it stands; empty: it is all here
}

func statementKey(m usecase.Matter) string { return "help." + string(m) }

// statement makes a statement ready to be shown.
func (s *room) statement(m usecase.Matter) *statement {
	from := s.Usecases.Statements[m]
	out := &statement{Matter: m, Short: s.Usecases.ShortStatement(m), Link: from.Link}
	if u, err := url.Parse(from.Link); err == nil {
		out.Host = u.Host
	}
	if from.Text != "" {
		out.Text = template.HTML(pdf.HTML(from.Text, func(host string) string { //nolint:gosec // it escapes what is not ours
			return s.Word("talk.outside", host)
		}))
	}
	switch {
	case from.Text != "" && m != usecase.OnPlagiarism: // that one is agreed to
		out.Short = ""
	case m == usecase.OnAccessibility:
		out.Short = s.Word("help.accessible")
	}
	return out
}
