// Package api is the JSON face of the service: one file per resource holds its
// routes, their inputs and their handlers.
package api

import (
	"context"
	"time"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/live"
	"lectern/internal/web/signin"
)

// Config is what the API stands on.
type Config struct {
	endpoint.Config
	Usecases *usecase.Service // nil where nothing is served but what is declared
	SignIn   *signin.Service  // nil: by passwords kept here alone
	Events   *live.Events     // what GET /api/events listens to; nil: nothing happens
}

// Server is the JSON face: it answers every request under /api.
type Server struct {
	*endpoint.Server
	db       *db.DB
	files    files.Store
	signin   *signin.Service
	events   *live.Events
	usecases *usecase.Service
	pullWait time.Duration
}

// resources declare the endpoints, one function per resource.
var resources = []func(*Server){
	(*Server).acrossRoutes, (*Server).activityTypeRoutes, (*Server).alignmentRoutes, (*Server).assessmentRoutes,
	(*Server).auditRoutes, (*Server).authRoutes, (*Server).backupRoutes, (*Server).healthRoutes, (*Server).mailRoutes,
	(*Server).calendarRoutes, (*Server).campusRoutes, (*Server).chartRoutes, (*Server).commentRoutes,
	(*Server).definitionRoutes, (*Server).deletedRoutes, (*Server).retirementRoutes,
	(*Server).discussionRoutes,
	(*Server).enrolmentRoutes, (*Server).extensionRoutes, (*Server).unitExtensionRoutes,
	(*Server).reviewRoutes, (*Server).ownDataRoutes, (*Server).turnaroundRoutes,
	(*Server).riskRoutes, (*Server).classChartRoutes, (*Server).handoverRoutes,
	(*Server).announcementRoutes,
	(*Server).readinessRoutes, (*Server).peopleRoutes,
	(*Server).forgotRoutes, (*Server).groupRoutes,
	(*Server).groupSetRoutes, (*Server).groupSheetRoutes, (*Server).historyRoutes, (*Server).imageRoutes,
	(*Server).sourceRoutes,
	(*Server).inboxRoutes,
	(*Server).queueRoutes,
	(*Server).jobRoutes,
	(*Server).liveRoutes, (*Server).markingRoutes, (*Server).newsRoutes, (*Server).noteRoutes,
	(*Server).oidcRoutes, (*Server).outcomeRoutes,
	(*Server).portfolioRoutes, (*Server).portfolioPartRoutes, (*Server).preferenceRoutes,
	(*Server).presenceRoutes, (*Server).projectPartRoutes,
	(*Server).projectRoutes, (*Server).rolloverRoutes, (*Server).receiptRoutes, (*Server).samlRoutes,
	(*Server).searchRoutes, (*Server).secondFactorRoutes, (*Server).sessionRoutes,
	(*Server).settingRoutes, (*Server).serviceSettingRoutes,
	(*Server).similarityRoutes, (*Server).unitSimilarityRoutes, (*Server).snippetRoutes,
	(*Server).statisticsRoutes, (*Server).streamRoutes, (*Server).studentRoutes, (*Server).studentSearchRoutes,
	(*Server).studentMoveRoutes, (*Server).finalGradeRoutes,
	(*Server).submissionRoutes,
	(*Server).taskRoutes, (*Server).teachingPeriodRoutes, (*Server).tiiRoutes, (*Server).tutorialRoutes,
	(*Server).tutorialSheetRoutes, (*Server).candidateRoutes,
	(*Server).unitCSVRoutes,
	(*Server).unitAccessRoutes, (*Server).unsubscribeRoutes, (*Server).unitRoleRoutes, (*Server).unitRoutes,
	(*Server).rubricRoutes, (*Server).moderationRoutes, (*Server).userRoutes, (*Server).verdictRoutes, (*Server).webcalRoutes, (*Server).whatIfRoutes,
	(*Server).webhookRoutes, (*Server).viewRoutes,
}

// New makes the Server and declares every endpoint. It panics where a declaration
// is wrong, so that a mistake is seen at the first start.
func New(c Config) *Server {
	c.Authenticate = func(ctx context.Context, username, token string, on access.Scope) (*access.Caller, error) {
		return ident.Attend(ctx, c.DB, username, token, on)
	}
	c.Words, c.Operations, c.Schemas, c.Tags, c.Examples = words(), operations(), schemas(), tags, examples()
	if c.Usecases == nil {
		c.Usecases = usecase.New(usecase.Config{})
	}
	if c.SignIn == nil {
		c.SignIn = signin.New(signin.Config{Usecases: c.Usecases})
	}
	if c.Events == nil {
		c.Events = live.New(live.Config{DB: c.DB})
	}
	s := &Server{Server: endpoint.New(c.Config), db: c.DB, files: c.Usecases.Files, usecases: c.Usecases,
		signin: c.SignIn, events: c.Events, pullWait: pullWait}
	for _, declare := range resources {
		declare(s)
	}
	s.Describe()
	return s
}

// view runs f on one snapshot and gives what it read.
func view[T any](ctx context.Context, d *db.DB, f func(db.Q) (T, error)) (out T, err error) {
	err = d.View(ctx, func(q db.Q) error {
		out, err = f(q)
		return err
	})
	return out, err
}

// none is the input of an endpoint that takes nothing.
type none struct{}

// byID is the input of an endpoint about one record without a unit.
type byID struct {
	ID int64 `path:"id"`
}
