package student

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"lectern/internal/connect/turnitin"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
	"lectern/internal/web/site/taskpart"
)

// mostFiles is how many files a task can ask for.
const mostFiles = 20

func (s *room) handInRoutes(one string, asks endpoint.Option) {
	page.Form(s.Site, one+"/hand-in", policy.Submit, "Hand in work", s.handIn, asks,
		endpoint.Audited(audit.Submission, audit.Status, audit.Grade, audit.Agreement),
		endpoint.Uploads(mostFiles, s.Usecases.MostFile),
		endpoint.Accepts(func(ctx context.Context, who *access.Caller, in handInIn) (func(string) error, error) {
			return s.Usecases.FilesAskedFor(ctx, who, in.DefinitionID)
		}),
		endpoint.Again(func(ctx context.Context, who *access.Caller, in handInIn, wrong error) (endpoint.Drawing, error) {
			return s.retryFiles(ctx, who, in.taskIn, wrong)
		}))
	page.Form(s.Site, one+"/rebuild", policy.Submit, "Have the document made again", s.rebuild,
		endpoint.Audited(audit.Submission))
	const version = "/versions/{timestamp}"
	page.Show(s.Site, one+version+"/receipt", policy.ReadSubmission, "A submission that has come in", s.received)
	page.Show(s.Site, one+version+"/progress", policy.ReadSubmission, "How far the document of a submission is",
		s.progress)
	endpoint.Route(s.Server, "GET "+one+version+"/receipt.json", 200, policy.ReadSubmission,
		"Receipt of a submission", s.receipt)
	endpoint.Route(s.Server, "GET "+one+version+"/document", 200, policy.ReadSubmission,
		"Document of a submission", s.document)
	endpoint.Route(s.Server, "GET "+one+version+"/commented", 200, policy.ReadSubmission,
		"Document of a submission with the comments that point into it", s.commented, endpoint.Costs(endpoint.Readings),
		endpoint.Asks(usecase.OfCommented...))
	endpoint.Route(s.Server, "GET "+one+"/receipt", 200, policy.ReadSubmission, "Receipt of the latest submission",
		latest(s.receipt))
	endpoint.Route(s.Server, "GET "+one+"/document", 200, policy.ReadSubmission, "Document of the latest submission",
		latest(s.document))
	endpoint.Route(s.Server, "GET "+one+version, 200, policy.ReadSubmission, "Files of a submission", s.version)
}

// handInForm is what the form to hand in asks for beside files.
type handInForm struct {
	Key         string            // makes handing in twice one submission
	Team        []enrol.Member    // of a task that a group hands in
	Share       int               // of each of them, in percent
	NoTeam      bool              // a group hands it in, and they are in none
	Declaration string            // what they state by handing in
	Agreement   string            // of the outside similarity service, which they have yet to accept
	MostFile    int64             // bytes of a file
	Flaws       map[string]string // what is wrong with the file of a key, of work that was refused
}

// form gives the form to hand work in for a task. The agreement is asked for where the
// work is sent to the outside service and they have not accepted it yet.
func (s *room) form(ctx context.Context, q db.Q, who *access.Caller, d *usecase.TaskDetail, key string) (*handInForm,
	error) {
	f := &handInForm{Key: key, Declaration: s.Usecases.Declaration, MostFile: s.Usecases.MostFile}
	if set := d.Definition.GroupSetID; set != nil {
		team, err := enrol.TeamOf(ctx, q, d.Project.ID, *set)
		if err != nil {
			return nil, err
		}
		f.Team, f.NoTeam, f.Share = team, len(team) == 0, 100/max(len(team), 1)
	}
	if !turnitin.Sends(d.Definition.Requirements) {
		return f, nil
	}
	accepted, err := s.Usecases.Outside.Accepted(ctx, q, who.ID)
	if err != nil || accepted == nil || *accepted {
		return f, err
	}
	text, err := s.Usecases.Outside.Agreement(ctx, q)
	if err == nil && text != nil {
		f.Agreement = plainText(*text)
	}
	return f, err
}

// plainText gives the words of an HTML text of somebody else, block by block.
func plainText(src string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(src))
	skip := false
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return strings.TrimSpace(b.String())
		case html.StartTagToken, html.EndTagToken:
			name, _ := z.TagName()
			skip = kind == html.StartTagToken && (string(name) == "script" || string(name) == "style")
			if slices.Contains([]string{"p", "div", "li", "h1", "h2", "h3", "h4", "br", "tr"}, string(name)) {
				b.WriteByte('\n')
			}
		case html.TextToken:
			if !skip {
				b.WriteString(strings.Join(strings.Fields(z.Token().Data), " "))
			}
		}
	}
}

// MostZipped is how many files a zip may hold, where one is taken.
func (f *handInForm) MostZipped() int { return taskdef.MostZipped }

// ShareOf is what is filled in for a member, so that all of them make 100: the first few have one more.
func (f *handInForm) ShareOf(member int) int {
	if member < 100-f.Share*len(f.Team) {
		return f.Share + 1
	}
	return f.Share
}

type shareIn struct {
	ProjectID int64 `param:"project_id,required"`
	Pct       int64 `param:"pct,required"`
	Pts       int64 `param:"pts,required"`
}

type handInIn struct {
	taskIn
	Files         map[string]*params.Upload `param:"*files"`
	Key           string                    `param:"key" text:"any"`
	Help          bool                      `param:"help"`
	Contributions []shareIn                 `param:"contributions"`
	Accepts       params.Opt[bool]          `param:"accepted"`
	By            int64                     `param:"by"`
}

// shares gives what each member of a group contributed; nil where nothing is said of it.
func (in *handInIn) shares() []work.Contribution {
	var out []work.Contribution
	for _, c := range in.Contributions {
		out = append(out, work.Contribution{ProjectID: c.ProjectID, Pct: int(min(max(c.Pct, -1), 1000)),
			Pts: int(min(max(c.Pts, 0), 5))})
	}
	return out
}

// handIn leads to the receipt, so that loading the page again sends nothing again. A
// script that sends the form gets the address of the receipt, or what was wrong: it goes
// on sending when somebody else has signed in at the same computer.
func (s *room) handIn(ctx context.Context, who *access.Caller, in handInIn) (endpoint.Drawing, error) {
	if err := page.Wrote(who, in.By); err != nil {
		return nil, err
	}
	sent := map[string]usecase.Upload{}
	for key, u := range in.Files {
		sent[key] = page.Uploaded(u)
	}
	trigger := ""
	if in.Help {
		trigger = string(status.NeedHelp)
	}
	got, err := s.Usecases.HandIn(ctx, who, submit.Request{ProjectID: in.ProjectID, DefinitionID: in.DefinitionID,
		Key: in.Key, Trigger: trigger, Contributions: in.shares(), Accepts: in.Accepts.Ptr()}, sent)
	if err != nil {
		return s.retryFiles(ctx, who, in.taskIn, err)
	}
	return page.Onward{To: in.Path() + "/versions/" + got.SubmittedAt.String() + "/receipt"}, nil
}

func (s *room) rebuild(ctx context.Context, _ *access.Caller, in taskIn) (endpoint.Drawing, error) {
	found, err := s.Usecases.RebuildDocument(ctx, in.Ref())
	if err == nil && !found {
		err = fault.New(fault.Missing, "Nothing has been submitted for this task yet.")
	}
	return page.Onward{To: in.Path() + "#work"}, err
}

type versionIn struct {
	taskIn
	Timestamp string `path:"timestamp"`
}

// at gives the version a request is about: the latest where it names none.
func (in versionIn) at(ctx context.Context, q db.Q) (*submit.Version, error) {
	if in.Timestamp == "" {
		return submit.Latest(ctx, q, in.ProjectID, in.DefinitionID)
	}
	return submit.VersionAt(ctx, q, in.ProjectID, in.DefinitionID, in.Timestamp)
}

// latest is what a file of any version is for the latest one.
func latest(of func(context.Context, *access.Caller, versionIn) (*endpoint.File, error)) func(context.Context,
	*access.Caller, taskIn) (*endpoint.File, error) {
	return func(ctx context.Context, who *access.Caller, in taskIn) (*endpoint.File, error) {
		return of(ctx, who, versionIn{taskIn: in})
	}
}

// receiptPage shows a submission that has come in.
type receiptPage struct {
	Path    string
	Body    submit.ReceiptBody
	Receipt *submit.Receipt
	At      clock.Time
	OnTime  bool
	Making  *taskpart.Making
	Code    *qrCode // leads to the check of the receipt; nil: it is too long for one
}

func (s *room) received(ctx context.Context, who *access.Caller, in versionIn) (*page.Page, error) {
	p := &receiptPage{Path: in.Path()}
	err := s.DB.View(ctx, func(q db.Q) error {
		v, err := in.at(ctx, q)
		if err != nil {
			return err
		}
		p.At = v.At
		if p.Making, err = taskpart.MakingOf(ctx, q, who, in.taskIn, v); err != nil {
			return err
		}
		due, err := work.Explain(ctx, q, in.ProjectID, in.DefinitionID)
		if err != nil {
			return err
		}
		p.OnTime = v.At.Before(due.Ends.Add(time.Second))
		if p.Receipt, err = submit.ReceiptOf(ctx, q, v.ID); err != nil {
			return err
		}
		return json.Unmarshal(p.Receipt.Body, &p.Body)
	})
	if err != nil {
		return nil, err
	}
	if p.Code, err = s.receiptCode(p.Receipt); err != nil {
		return nil, err
	}
	return s.Page(who, "received", p), nil
}

func (s *room) progress(ctx context.Context, who *access.Caller, in versionIn) (*page.Page, error) {
	var m *taskpart.Making
	err := s.DB.View(ctx, func(q db.Q) error {
		v, err := in.at(ctx, q)
		if err == nil {
			m, err = taskpart.MakingOf(ctx, q, who, in.taskIn, v)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Fragment(who, "task", "progress", m), nil
}

func (s *room) receipt(ctx context.Context, _ *access.Caller, in versionIn) (*endpoint.File, error) {
	v, err := in.at(ctx, s.DB.Pool())
	if err != nil {
		return nil, err
	}
	r, err := submit.ReceiptOf(ctx, s.DB.Pool(), v.ID)
	return &endpoint.File{Name: v.Name() + "-receipt.json", Type: "application/json", Attachment: true,
		Write: func(w io.Writer) error { return json.NewEncoder(w).Encode(r) }}, err
}

func (s *room) document(ctx context.Context, _ *access.Caller, in versionIn) (*endpoint.File, error) {
	v, err := in.at(ctx, s.DB.Pool())
	if err != nil {
		return nil, err
	}
	hash, err := v.PDF()
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.Usecases.Files, hash, endpoint.File{Name: v.Name() + ".pdf", Type: "application/pdf",
		Modified: v.At.Time})
}

func (s *room) commented(ctx context.Context, who *access.Caller, in versionIn) (*endpoint.File, error) {
	c, err := s.Usecases.CommentedCopy(ctx, who, work.TaskRef{ProjectID: in.ProjectID, DefinitionID: in.DefinitionID},
		in.Timestamp)
	if err != nil {
		return nil, err
	}
	return &endpoint.File{Name: c.Name, Type: "application/pdf", Modified: c.At.Time, Write: c.Send}, nil
}

func (s *room) version(ctx context.Context, _ *access.Caller, in versionIn) (*endpoint.File, error) {
	var v *submit.Version
	var list []submit.File
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v, err = in.at(ctx, q); err == nil {
			list, err = submit.FilesOf(ctx, q, v.ID)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return endpoint.Zip(ctx, s.Usecases.Files, submit.Hashes(list),
		v.Name()+"-"+v.At.UTC().Format("20060102-150405")+".zip",
		func(w io.Writer) error { return v.WriteZip(ctx, s.Usecases.Files, list, w) }), nil
}

// accepts tells the browser which files to offer for a requirement; "": all.
func accepts(kind taskdef.UploadKind) string {
	switch kind {
	case taskdef.Document:
		return ".pdf,application/pdf"
	case taskdef.Image:
		return "image/png,image/jpeg,image/gif,image/bmp,image/tiff"
	}
	return ""
}
