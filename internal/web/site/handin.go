package site

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"lectern/internal/connect/turnitin"
	"lectern/internal/ground/bounds"
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
)

// mostFiles is how many files a task can ask for.
const mostFiles = 20

func (s *Server) handInRoutes(one string, asks endpoint.Option) {
	form(s, one+"/hand-in", policy.Submit, "Hand in work", s.handIn, asks,
		endpoint.Audited(audit.Submission, audit.Status, audit.Grade, audit.Agreement),
		endpoint.Uploads(mostFiles, s.mostFile),
		endpoint.Accepts(func(ctx context.Context, who *access.Caller, in handInIn) (func(string) error, error) {
			return s.usecases.FilesAskedFor(ctx, who, in.DefinitionID)
		}),
		endpoint.Again(func(ctx context.Context, who *access.Caller, in handInIn, wrong error) (endpoint.Drawing, error) {
			return s.retry(ctx, who, in.taskIn, refused{}, wrong)
		}))
	form(s, one+"/rebuild", policy.Submit, "Have the document made again", s.rebuild,
		endpoint.Audited(audit.Submission))
	const version = "/versions/{timestamp}"
	page(s, one+version+"/receipt", policy.ReadSubmission, "A submission that has come in", s.received)
	page(s, one+version+"/progress", policy.ReadSubmission, "How far the document of a submission is", s.progress)
	endpoint.Route(s.Server, "GET "+one+version+"/receipt.json", 200, policy.ReadSubmission,
		"Receipt of a submission", s.receipt)
	endpoint.Route(s.Server, "GET "+one+version+"/document", 200, policy.ReadSubmission,
		"Document of a submission", s.document)
	endpoint.Route(s.Server, "GET "+one+"/receipt", 200, policy.ReadSubmission, "Receipt of the latest submission",
		latest(s.receipt))
	endpoint.Route(s.Server, "GET "+one+"/document", 200, policy.ReadSubmission, "Document of the latest submission",
		latest(s.document))
	endpoint.Route(s.Server, "GET "+one+version, 200, policy.ReadSubmission, "Files of a submission", s.version)
}

// handInForm is what the form to hand in asks for beside files.
type handInForm struct {
	Key         string         // makes handing in twice one submission
	Team        []enrol.Member // of a task that a group hands in
	Share       int            // of each of them, in percent
	NoTeam      bool           // a group hands it in, and they are in none
	Declaration string         // what they state by handing in
	Agreement   string         // of the outside similarity service, which they have yet to accept
	MostFile    int64          // bytes of a file
}

// form gives the form to hand work in for a task. The agreement is asked for where the
// work is sent to the outside service and they have not accepted it yet.
func (s *Server) form(ctx context.Context, q db.Q, who *access.Caller, d *usecase.TaskDetail, key string) (*handInForm,
	error) {
	f := &handInForm{Key: key, Declaration: s.doors.Declaration(), MostFile: s.mostFile}
	if set := d.Definition.GroupSetID; set != nil {
		team, err := enrol.TeamOf(ctx, q, d.Project.ID, *set)
		if err != nil {
			return nil, err
		}
		f.Team, f.NoTeam, f.Share = team, len(team) == 0, 100/max(len(team), 1)
	}
	if !outside.Sends(d.Definition.Requirements) {
		return f, nil
	}
	accepted, err := s.usecases.Outside.Accepted(ctx, q, who.ID)
	if err != nil || accepted == nil || *accepted {
		return f, err
	}
	text, err := s.usecases.Outside.Agreement(ctx, q)
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
func (s *Server) handIn(ctx context.Context, who *access.Caller, in handInIn) (endpoint.Drawing, error) {
	if err := wrote(who, in.By); err != nil {
		return nil, err
	}
	sent := map[string]usecase.Upload{}
	for key, u := range in.Files {
		sent[key] = uploaded(u)
	}
	trigger := ""
	if in.Help {
		trigger = string(status.NeedHelp)
	}
	got, err := s.usecases.HandIn(ctx, who, submit.Request{ProjectID: in.ProjectID, DefinitionID: in.DefinitionID,
		Key: in.Key, Trigger: trigger, Contributions: in.shares(), Accepts: in.Accepts.Ptr()}, sent)
	if err != nil {
		return s.retry(ctx, who, in.taskIn, refused{}, err)
	}
	return onward{in.path() + "/versions/" + got.SubmittedAt.String() + "/receipt"}, nil
}

func (s *Server) rebuild(ctx context.Context, _ *access.Caller, in taskIn) (endpoint.Drawing, error) {
	err := s.DB.Brief(ctx, func(q db.Q) error {
		found, err := submit.Rebuild(ctx, q, in.ProjectID, in.DefinitionID)
		if err == nil && !found {
			err = fault.New(fault.Missing, "Nothing was handed in for this task yet.")
		}
		return err
	})
	return onward{in.path() + "#work"}, err
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

// making is how far the document of a submission has come.
type making struct {
	Path   string // of the submission
	Task   string // path of its task
	Label  string // what to call the document
	State  submit.State
	Done   int
	Parts  int
	Ahead  int // documents that are made first
	Reason string
	Mine   bool // the reader handed it in, and may have it made again
}

// Going tells whether the document is still on its way.
func (m *making) Going() bool { return m.State == submit.Queued || m.State == submit.Processing }

// making tells how far the document of a version is.
func (s *Server) making(ctx context.Context, q db.Q, who *access.Caller, in taskIn, v *submit.Version) (m *making,
	err error) {
	m = &making{Path: in.path() + "/versions/" + v.At.String(), Task: in.path(), Label: v.Abbreviation, State: v.State,
		Done: v.Done, Parts: v.Parts, Mine: who.ID == who.OwnerID}
	if v.Reason != nil {
		m.Reason = *v.Reason
	}
	if v.State == submit.Queued {
		m.Ahead, err = submit.Ahead(ctx, q, v.ID)
	}
	return m, err
}

// receiptPage shows a submission that has come in.
type receiptPage struct {
	Path    string
	Body    submit.ReceiptBody
	Receipt *submit.Receipt
	At      clock.Time
	OnTime  bool
	Making  *making
}

func (s *Server) received(ctx context.Context, who *access.Caller, in versionIn) (*Page, error) {
	p := &receiptPage{Path: in.path()}
	err := s.DB.View(ctx, func(q db.Q) error {
		v, err := in.at(ctx, q)
		if err != nil {
			return err
		}
		p.At = v.At
		if p.Making, err = s.making(ctx, q, who, in.taskIn, v); err != nil {
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
	return s.page(who, "received", p), nil
}

func (s *Server) progress(ctx context.Context, who *access.Caller, in versionIn) (*Page, error) {
	var m *making
	err := s.DB.View(ctx, func(q db.Q) error {
		v, err := in.at(ctx, q)
		if err == nil {
			m, err = s.making(ctx, q, who, in.taskIn, v)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.fragment(who, "task", "progress", m), nil
}

func (s *Server) receipt(ctx context.Context, _ *access.Caller, in versionIn) (*endpoint.File, error) {
	v, err := in.at(ctx, s.DB.Pool())
	if err != nil {
		return nil, err
	}
	r, err := submit.ReceiptOf(ctx, s.DB.Pool(), v.ID)
	return &endpoint.File{Name: v.Name() + "-receipt.json", Type: "application/json", Attachment: true,
		Write: func(w io.Writer) error { return json.NewEncoder(w).Encode(r) }}, err
}

func (s *Server) document(ctx context.Context, _ *access.Caller, in versionIn) (*endpoint.File, error) {
	v, err := in.at(ctx, s.DB.Pool())
	if err != nil {
		return nil, err
	}
	hash, err := v.PDF()
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.usecases.Files, hash, endpoint.File{Name: v.Name() + ".pdf", Type: "application/pdf",
		Modified: v.At.Time})
}

func (s *Server) version(ctx context.Context, _ *access.Caller, in versionIn) (*endpoint.File, error) {
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
	return endpoint.Zip(v.Name()+"-"+v.At.UTC().Format("20060102-150405")+".zip",
		func(w io.Writer) error { return v.WriteZip(ctx, s.usecases.Files, list, w) }), nil
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

// megabytes writes a number of bytes for people.
func megabytes(n int64) string {
	return strconv.FormatFloat(math.Ceil(float64(n)/float64(size.MB)*10)/10, 'f', -1, 64)
}
