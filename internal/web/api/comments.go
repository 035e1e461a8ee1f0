package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

// aTask is the path of a task by its project and definition.
const aTask = "/api/projects/{project_id}/task_def_id/{task_definition_id}"

func (s *Server) commentRoutes() {
	const base, one = aTask + "/comments", aTask + "/comments/{id}"
	endpoint.Route(s.Server, "GET "+base, 200, policy.ReadTask, "List the comments on a task and mark them read",
		s.listComments, endpoint.Asks(usecase.AsReader...))
	endpoint.Route(s.Server, "POST "+base, 201, policy.Comment, "Comment on a task, with an attachment or without",
		s.addComment,
		endpoint.Unaudited("what people say is kept with the task"),
		endpoint.Uploads(1, s.usecases.MostMedia), endpoint.Location(base), tooLarge, notAccepted,
		endpoint.Also(409, "the same words again, straight after the first"),
		endpoint.Also(422, "the place is not in the work"), endpoint.Asks(usecase.AsReader...))
	endpoint.Route(s.Server, "GET "+one, 200, policy.ReadTask, "Get the attachment of a comment", s.getAttachment,
		sendsMedia)
	endpoint.Route(s.Server, "POST "+one, 201, policy.Comment, "Mark a comment as unread", s.markUnread,
		endpoint.Also(409, "it is a change of status, which is never unread"),
		endpoint.Unaudited("a mark for oneself"),
		endpoint.Asks(usecase.AsReader...))
	endpoint.Route(s.Server, "DELETE "+one, 204, policy.Comment, "Delete a comment", s.deleteComment,
		endpoint.Audited(audit.Comment),
		endpoint.Asks(usecase.AsReader...), endpoint.Asks(policy.DeleteComments))
	endpoint.Route(s.Server, "GET "+aTask+"/submissions/timestamps/{timestamp}/comments", 200, policy.ReadTask,
		"List the comments that point at one submission, or did at one before it, as they stand there", s.standingComments,
		endpoint.Asks(usecase.AsReader...))
	endpoint.Route(s.Server, "GET "+aTask+"/submissions/timestamps/{timestamp}/commented", 200, policy.ReadSubmission,
		"Get the document made of one submission with the comments that point into it, a PDF", s.commentedCopy,
		endpoint.Made("application/pdf"), endpoint.Costs(endpoint.Readings), endpoint.Asks(usecase.OfCommented...))
	endpoint.Route(s.Server, "PUT "+one+"/done", 200, policy.Comment,
		"Tick a comment that points at the work as done, or open it again", s.tickComment,
		endpoint.Unaudited("who ticked it last, and when, is kept with the comment"),
		endpoint.Also(409, "it points at nothing in the work"), endpoint.Asks(usecase.AsReader...))
}

var (
	tooLarge    = endpoint.Also(413, "the file is too large")
	notAccepted = endpoint.Also(415, "the content of the file is not of an accepted type")
)

// taskIn names a task by its project and definition.
type taskIn struct {
	ProjectID    int64 `path:"project_id" scope:"project"`
	DefinitionID int64 `path:"task_definition_id" scope:"definition"`
}

func (in taskIn) place() work.TaskRef {
	return work.TaskRef{ProjectID: in.ProjectID, DefinitionID: in.DefinitionID}
}

type listCommentsIn struct {
	taskIn
	paging
}

func (s *Server) listComments(ctx context.Context, who *access.Caller, in listCommentsIn) (endpoint.List[*work.Comment],
	error) {
	p, err := in.page()
	if err != nil {
		return endpoint.List[*work.Comment]{}, err
	}
	v, err := s.usecases.ReadComments(ctx, who, in.place(), p)
	if err != nil {
		return endpoint.List[*work.Comment]{}, err
	}
	return endpoint.Listed(v.Comments, v.Total), nil
}

type addCommentIn struct {
	taskIn
	Comment    string            `param:"comment" text:"lines" doc:"needed without attachment; at most 4095 characters"`
	Attachment *params.Upload    `param:"attachment" doc:"an image, a sound, a PDF or a video"`
	ReplyTo    params.Opt[int64] `param:"reply_to_id" doc:"a comment of the same conversation"`
	Place      *pointIn          `param:"place" doc:"where in the work it points; without an attachment, and no reply"`
}

// pointIn is where in the work a comment points.
type pointIn struct {
	Submission string              `param:"submission_timestamp,required" doc:"the version, as timestamps list it"`
	File       params.Opt[int]     `param:"file" doc:"the number of a text file of that version, from 0; or page is given"`
	Line       params.Opt[int]     `param:"line" doc:"of the file, from 1"`
	EndLine    params.Opt[int]     `param:"end_line" doc:"the last of at most 1000 lines; only the one when absent"`
	Page       params.Opt[int]     `param:"page" doc:"of the document, from 1; or file is given"`
	Quote      string              `param:"quote" text:"lines" doc:"a stretch of the page's text, at most 500 characters"`
	X          params.Opt[float64] `param:"x" doc:"a point of the page: the share of its width from the left, 0 to 1"`
	Y          params.Opt[float64] `param:"y" doc:"the share of its height from the top, 0 to 1"`
}

func (in pointIn) place() usecase.PlaceOn {
	return usecase.PlaceOn{Timestamp: in.Submission, File: in.File.Ptr(), Line: in.Line.Ptr(), EndLine: in.EndLine.Ptr(),
		Page: in.Page.Ptr(), Quote: in.Quote, X: in.X.Ptr(), Y: in.Y.Ptr()}
}

func (s *Server) addComment(ctx context.Context, who *access.Caller, in addCommentIn) (*work.Comment, error) {
	var attachment *usecase.Upload
	if in.Attachment != nil {
		attachment = new(uploaded(in.Attachment))
	}
	var at *usecase.PlaceOn
	if in.Place != nil {
		at = new(in.Place.place())
	}
	return s.usecases.Comment(ctx, who, usecase.CommentOn{NewComment: work.NewComment{Text: in.Comment,
		ReplyTo: in.ReplyTo.Ptr()}, At: in.place(), Attachment: attachment, PointsAt: at})
}

type commentIn struct {
	taskIn
	ID int64 `path:"id"`
}

type attachmentIn struct {
	commentIn
	AsAttachment bool `param:"as_attachment" doc:"to be saved rather than shown"`
}

func (s *Server) getAttachment(ctx context.Context, _ *access.Caller, in attachmentIn) (*endpoint.File, error) {
	m, name, err := work.MediaOf(ctx, s.db.Pool(), in.place(), in.ID)
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.files, m.File.Hash, endpoint.File{Name: name, Type: m.Type, Attachment: in.AsAttachment})
}

func (s *Server) markUnread(ctx context.Context, who *access.Caller, in commentIn) (endpoint.TextOf[*work.Comment],
	error) {
	c, err := s.usecases.MarkUnread(ctx, who, in.place(), in.ID)
	return endpoint.TextOf[*work.Comment]{Text: endpoint.Text{Message: "The comment is unread again.", ID: in.ID},
		Record: c}, err
}

func (s *Server) deleteComment(ctx context.Context, who *access.Caller, in commentIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.DeleteComment(ctx, who, in.place(), in.ID)
}

type tickCommentIn struct {
	commentIn
	Done bool `param:"done,required" doc:"false opens it again"`
}

func (s *Server) tickComment(ctx context.Context, who *access.Caller, in tickCommentIn) (*work.Comment, error) {
	return s.usecases.TickComment(ctx, who, in.place(), in.ID, in.Done)
}

func (s *Server) commentedCopy(ctx context.Context, who *access.Caller, in versionIn) (*endpoint.File, error) {
	c, err := s.usecases.CommentedCopy(ctx, who, in.ref(), in.Timestamp)
	if err != nil {
		return nil, err
	}
	return &endpoint.File{Name: c.Name, Type: "application/pdf", Modified: c.At.Time, Write: c.Send}, nil
}

func (s *Server) standingComments(ctx context.Context, who *access.Caller,
	in versionFilesIn) (endpoint.List[*usecase.StandingComment], error) {
	list, err := s.usecases.StandingComments(ctx, who, in.ref(), in.Timestamp)
	return short(in.paging, list, err)
}
