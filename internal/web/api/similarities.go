package api

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/similarity"
	"lectern/internal/web/endpoint"
)

func (s *Server) similarityRoutes() {
	const base = "/api/tasks/{task_id}/similarities"
	endpoint.Route(s.Server, "GET "+base, 200, policy.SeeSimilarities, "List what the work of a task is similar to",
		s.listSimilarities)
	endpoint.Route(s.Server, "PUT "+base+"/{id}", 200, policy.FlagSimilarity,
		"Decide whether a similarity is to be looked at", s.flagSimilarity, endpoint.Audited(audit.Similarity),
		endpoint.Asks(policy.SeeSimilarities))
	endpoint.Route(s.Server, "GET "+base+"/{id}/viewer_url", 200, policy.SeeSimilarities,
		"Get an address where both works can be seen beside each other, good for a minute", s.viewerURL,
		endpoint.Also(409, "there is no report yet"), endpoint.Also(502, "the outside service failed"),
		endpoint.Also(503, "the outside service is not configured"))
	endpoint.Route(s.Server, "GET "+base+"/{id}/contents/{idx}", 200, policy.SeeSimilarities,
		"Get a page that shows both works beside each other; of an outside report its PDF", s.similarityContents,
		endpoint.Stored("text/html", "application/pdf"))
	endpoint.Route(s.Server, "GET /api/units/{unit_id}/task_definitions/{id}/similarity_clusters", 200,
		policy.SeeClusters, "List which work for a task belongs together, and who handed in when", s.listClusters,
		endpoint.Asks(policy.SeeSimilarities))
	endpoint.Route(s.Server, "GET /api/similarity_pages/{token}", 200, policy.Anybody,
		"See both works beside each other, by an address from viewer_url", s.similarityPage,
		endpoint.Stored("text/html", "application/pdf"), endpoint.Asks(policy.SeeSimilarities),
		endpoint.Also(404, "the address is not one of ours, or its minute is over"),
		endpoint.Also(401, "who asked for the address has signed out"),
		endpoint.Also(403, "who asked for the address has left the staff"))
}

type listSimilaritiesIn struct {
	TaskID int64 `path:"task_id" scope:"task"`
	paging
}

func (s *Server) listSimilarities(ctx context.Context, who *access.Caller,
	in listSimilaritiesIn) (endpoint.List[similarity.Record], error) {
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]similarity.Record, int64, error) {
		return similarity.List(ctx, q, who, in.TaskID, p)
	})
}

type listClustersIn struct {
	definitionPath
	paging
}

func (s *Server) listClusters(ctx context.Context, who *access.Caller,
	in listClustersIn) (endpoint.List[similarity.Cluster], error) {
	list, err := view(ctx, s.db, func(q db.Q) ([]similarity.Cluster, error) {
		return similarity.Clusters(ctx, q, who, in.ID)
	})
	if err != nil {
		return endpoint.List[similarity.Cluster]{}, err
	}
	return windowed(list, in.paging)
}

type flagSimilarityIn struct {
	TaskID  int64 `path:"task_id" scope:"task"`
	ID      int64 `path:"id"`
	Flagged bool  `param:"flagged,required"`
}

func (s *Server) flagSimilarity(ctx context.Context, who *access.Caller,
	in flagSimilarityIn) (*similarity.Record, error) {
	return s.usecases.FlagSimilarity(ctx, who, in.TaskID, in.ID, in.Flagged)
}

type similarityIn struct {
	TaskID int64 `path:"task_id" scope:"task"`
	ID     int64 `path:"id"`
}

type viewerURLOut struct {
	ViewerURL string `json:"viewer_url"`
}

func (s *Server) viewerURL(ctx context.Context, who *access.Caller, in similarityIn) (*viewerURLOut, error) {
	r, err := s.similarityByID(ctx, who, in)
	if err != nil {
		return nil, err
	}
	if !r.Ready {
		return nil, fault.New(fault.Conflict, "There is no report on this submission yet.")
	}
	if outside, ok := r.OutsideID(); ok {
		at, err := s.usecases.OutsideReport(ctx, who, outside)
		return &viewerURLOut{at}, err
	}
	signer, err := s.usecases.Keys.Signer(ctx)
	if err != nil {
		return nil, err
	}
	token, err := similarity.Seal(signer, who, in.TaskID, in.ID, s.db.Now())
	return &viewerURLOut{s.usecases.PublicURL + "/api/similarity_pages/" + token}, err
}

func (s *Server) similarityByID(ctx context.Context, who *access.Caller,
	in similarityIn) (*similarity.Record, error) {
	return view(ctx, s.db, func(q db.Q) (*similarity.Record, error) {
		return similarity.ByID(ctx, q, who, in.TaskID, in.ID)
	})
}

type contentsIn struct {
	similarityIn
	Idx          int64 `path:"idx" doc:"the part; there is one, 0"`
	AsAttachment bool  `param:"as_attachment" doc:"to be saved rather than shown"`
}

func (s *Server) similarityContents(ctx context.Context, who *access.Caller, in contentsIn) (*endpoint.File, error) {
	r, err := s.similarityByID(ctx, who, in.similarityIn)
	if err != nil {
		return nil, err
	}
	if in.Idx != 0 {
		return nil, fault.New(fault.Missing, "A similarity has the part 0 only.")
	}
	f, err := s.shown(ctx, r)
	if err != nil {
		return nil, err
	}
	f.Attachment = in.AsAttachment
	return f, nil
}

// shown gives what is to be seen of a record.
func (s *Server) shown(ctx context.Context, r *similarity.Record) (*endpoint.File, error) {
	if r.Type == similarity.Outside {
		hash, err := r.Report()
		if err != nil {
			return nil, err
		}
		return endpoint.FromStore(ctx, s.files, hash, endpoint.File{Name: fmt.Sprintf("similarity-%d.pdf", r.ID),
			Type: "application/pdf"})
	}
	page, err := s.usecases.Similarity.Page(ctx, s.db.Pool(), r)
	return &endpoint.File{Content: bytes.NewReader(page), Name: pageName(r), Type: "text/html; charset=utf-8",
		Page: true}, err
}

// pageName is made of the user names as far as they may be known.
func pageName(r *similarity.Record) string {
	words := r.Usernames()
	if len(r.Other.Students) == 0 {
		words = append(words, r.Other.UnitCode)
	}
	return fmt.Sprintf("%s_%d.html", strings.Join(words, "_"), r.Pct)
}

type similarityPageIn struct {
	Token string `path:"token"`
}

// similarityPage shows what the holder of the address may see now: whoever was
// signed out or left the staff meanwhile sees nothing.
func (s *Server) similarityPage(ctx context.Context, by *access.Caller, in similarityPageIn) (*endpoint.File, error) {
	t, err := similarity.Open(ctx, s.db.Pool(), in.Token)
	if err != nil {
		return nil, err
	}
	who, err := access.PermitAgain(ctx, s.db.Pool(), access.Caller{ID: t.UserID, SessionID: t.SessionID,
		Asked: by.Asked}, access.Scope{Task: t.TaskID}, policy.SeeSimilarities)
	if err != nil {
		return nil, err
	}
	r, err := s.similarityByID(ctx, who, similarityIn{t.TaskID, t.ID})
	if err != nil {
		return nil, err
	}
	return s.shown(ctx, r)
}
