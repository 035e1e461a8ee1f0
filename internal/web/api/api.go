// Package api is the JSON face of the service: one file per resource holds its
// routes, their inputs and their handlers.
package api

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"strings"
	"time"

	"lectern/internal/connect/notify"
	"lectern/internal/connect/turnitin"
	"lectern/internal/connect/webhook"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/sso/ldap"
	"lectern/internal/people/sso/oidc"
	"lectern/internal/people/sso/saml"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/similarity"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

// Config is what the API stands on.
type Config struct {
	endpoint.Config
	Files      files.Store
	PublicURL  string // where people reach the service, for links; no slash at its end
	SignIn     ident.Limits
	Methods    []Method        // ways to sign in, the default first; passwords kept here when empty
	ClientURL  string          // where browsers go that signed in elsewhere; empty: to our pages, if they serve
	SAML       *saml.Provider  // nil: nobody signs in by SAML
	OIDC       *oidc.Provider  // nil: nobody signs in by OpenID Connect
	Directory  *ldap.Directory // keeps passwords elsewhere; nil: there is none
	Settings   Settings
	Events     *events.Hub     // what GET /api/events listens to
	Live       context.Context // ends when the service stops, and all listening with it; nil never does
	Mailer     *notify.Mailer  // nil: no mails are sent
	Hooks      webhook.Guard
	Similarity *similarity.Service
	Outside    *outside.Service // what works at the outside similarity service; nil: there is none
	// OutsideViewer asks the outside similarity service for the address at which a
	// caller can look at its report, by the id of the submission there; nil where none
	// is configured.
	OutsideViewer func(ctx context.Context, who *access.Caller, outsideID string) (string, error)
	// ReceiptKey signs receipts; nil for a key the database keeps.
	ReceiptKey ed25519.PrivateKey
	// MostFile bounds a file of a submission, in bytes; submit.MostFile when 0.
	MostFile int64
	// MostUploads bounds how often a person hands in within an hour; no bound when 0.
	MostUploads int64
	// MostMedia bounds an attachment of a comment, in bytes; work.MaxMedia when 0.
	MostMedia int64
}

// Server is the JSON face: it answers every request under /api.
type Server struct {
	*endpoint.Server
	db        *db.DB
	files     files.Store
	passwords *ident.Passwords
	methods   []Method
	clientURL string
	enter     func(token, next string) endpoint.Redirect // into our own pages; nil where none serve
	saml      *saml.Provider
	oidc      *oidc.Provider
	directory *ldap.Directory
	settings  Settings
	publicURL string
	events    *events.Hub
	live      context.Context
	heartbeat time.Duration
	streams   openStreams
	mailer    *notify.Mailer
	hooks     webhook.Guard
	usecases  usecase.Service
	similar   *similarity.Service
	outside   func(context.Context, *access.Caller, string) (string, error)
	tii       *outside.Service
	mostFile  int64
	mostMedia int64
	pullWait  time.Duration
}

// resources declare the endpoints, one function per resource.
var resources = []func(*Server){
	(*Server).acrossRoutes, (*Server).activityTypeRoutes, (*Server).alignmentRoutes, (*Server).assessmentRoutes,
	(*Server).auditRoutes, (*Server).authRoutes,
	(*Server).calendarRoutes, (*Server).campusRoutes, (*Server).chartRoutes, (*Server).commentRoutes,
	(*Server).definitionRoutes, (*Server).deletedRoutes,
	(*Server).discussionRoutes,
	(*Server).enrolmentRoutes, (*Server).extensionRoutes, (*Server).unitExtensionRoutes, (*Server).turnaroundRoutes,
	(*Server).forgotRoutes, (*Server).groupRoutes,
	(*Server).groupSetRoutes, (*Server).groupSheetRoutes, (*Server).historyRoutes, (*Server).imageRoutes,
	(*Server).inboxRoutes,
	(*Server).queueRoutes,
	(*Server).jobRoutes,
	(*Server).liveRoutes, (*Server).markingRoutes, (*Server).newsRoutes, (*Server).noteRoutes,
	(*Server).oidcRoutes, (*Server).outcomeRoutes,
	(*Server).portfolioRoutes, (*Server).portfolioPartRoutes, (*Server).preferenceRoutes,
	(*Server).presenceRoutes, (*Server).projectPartRoutes,
	(*Server).projectRoutes, (*Server).rolloverRoutes, (*Server).receiptRoutes, (*Server).samlRoutes,
	(*Server).secondFactorRoutes, (*Server).sessionRoutes,
	(*Server).settingRoutes, (*Server).similarityRoutes, (*Server).snippetRoutes,
	(*Server).statisticsRoutes, (*Server).streamRoutes, (*Server).studentRoutes, (*Server).studentSearchRoutes,
	(*Server).submissionRoutes,
	(*Server).taskRoutes, (*Server).teachingPeriodRoutes, (*Server).tiiRoutes, (*Server).tutorialRoutes,
	(*Server).unitCSVRoutes,
	(*Server).unitAccessRoutes, (*Server).unsubscribeRoutes, (*Server).unitRoleRoutes, (*Server).unitRoutes,
	(*Server).userRoutes, (*Server).verdictRoutes, (*Server).webcalRoutes, (*Server).whatIfRoutes,
	(*Server).webhookRoutes, (*Server).viewRoutes,
}

// New makes the Server and declares every endpoint. It panics where a declaration
// is wrong, so that a mistake is seen at the first start.
func New(c Config) *Server {
	c.Authenticate = func(ctx context.Context, username, token string, on access.Scope) (*access.Caller, error) {
		return ident.Attend(ctx, c.DB, username, token, on)
	}
	c.Words, c.Operations, c.Schemas, c.Tags, c.Examples = words(), operations(), schemas(), tags, examples()
	s := &Server{Server: endpoint.New(c.Config), db: c.DB, files: c.Files, passwords: ident.NewPasswords(c.DB,
		c.SignIn),
		methods: c.Methods, clientURL: c.ClientURL, saml: c.SAML, oidc: c.OIDC, directory: c.Directory,
		settings: c.Settings.withDefaults(), publicURL: strings.TrimSuffix(c.PublicURL, "/"),
		events: c.Events, live: c.Live, heartbeat: heartbeat, mailer: c.Mailer, hooks: c.Hooks,
		similar: c.Similarity, outside: c.OutsideViewer, tii: c.Outside}
	if len(s.methods) == 0 {
		s.methods = []Method{{Method: Database, Name: "Password"}}
	}
	if s.live == nil {
		s.live = context.Background()
	}
	s.usecases = usecase.Service{DB: c.DB, Files: c.Files, Keys: submit.NewKeys(c.DB, c.ReceiptKey),
		Name: s.settings.ExternalName, Assess: s.settings.Assessment, Outside: c.Outside,
		MostUploads: c.MostUploads}
	s.pullWait = pullWait
	s.mostFile = cmp.Or(c.MostFile, submit.MostFile)
	s.mostMedia = cmp.Or(c.MostMedia, work.MaxMedia)
	for _, declare := range resources {
		declare(s)
	}
	s.Describe()
	return s
}

// change runs f in a write transaction and gives what it made.
func change[T any](ctx context.Context, d *db.DB, f func(db.Q) (T, error)) (out T, err error) {
	err = d.Tx(ctx, func(q db.Q) error {
		out, err = f(q)
		return err
	})
	return out, err
}

// changeBriefly is change for what many do at once and takes but a moment: they
// may share a commit.
func changeBriefly[T any](ctx context.Context, d *db.DB, f func(db.Q) (T, error)) (out T, err error) {
	err = d.Brief(ctx, func(q db.Q) error {
		out, err = f(q)
		return err
	})
	return out, err
}

// remove runs f in a write transaction for an endpoint without a body.
func remove(ctx context.Context, d *db.DB, f func(db.Q) error) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, d.Tx(ctx, f)
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
