package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"lectern/internal/connect/notify"
	"lectern/internal/connect/turnitin"
	"lectern/internal/connect/webhook"
	"lectern/internal/ground/bounds"
	"lectern/internal/people/ident"
	"lectern/internal/people/sso/ldap"
	"lectern/internal/people/sso/oidc"
	"lectern/internal/people/sso/saml"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/presence"
	"lectern/internal/teaching/similarity"
	"lectern/internal/teaching/submit"
	"lectern/internal/usecase"
	"lectern/internal/usecase/privacy"
	"lectern/internal/web/api"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
	"lectern/internal/web/live"
	"lectern/internal/web/params"
	"lectern/internal/web/signin"
	"lectern/internal/web/site"
)

// App is the service, put together but not yet listening.
type App struct {
	Settings
	log          *slog.Logger
	db           *db.DB
	files        files.Store
	jobs         *jobs.Queue
	deliveries   *jobs.Queue // has one worker per webhook: a slow receiver delays nothing else
	assessments  *jobs.Queue // has its own workers: an assessment that takes long delays no document; nil: no engine
	assessor     *assess.Worker
	outside      *turnitin.Service
	outsideJobs  *jobs.Queue // a similarity service that is slow delays nothing else
	backups      *jobs.Queue // makes backups; nil: this service makes none
	events       *events.Hub
	audit        *audit.Keeper
	keys         *submit.Keys   // sign receipts and checkpoints of the audit log
	mailer       *notify.Mailer // drops mails where none are sent
	keeper       *keeper        // of the settings
	similarity   *similarity.Service
	usecases     *usecase.Service
	web          *httpserver.Server
	metrics      http.Handler
	certificates *certificates   // nil: plain HTTP
	saml         *saml.Provider  // nil: nobody signs in by SAML
	oidc         *oidc.Provider  // nil: nobody signs in by OpenID Connect
	directory    *ldap.Directory // nil: nobody signs in by a directory
	out          io.Writer       // where people read what they must know at the start
	stopping     atomic.Bool
	spool        string          // this process's part of the spool
	spoolLock    *os.File        // held while it lives
	alone        *os.File        // held by the one process that serves a SQLite database
	live         context.Context // ends when the service stops
	stopLive     context.CancelFunc
}

// New opens the database, brings its schema up to date, opens the file store and
// declares the API.
func New(ctx context.Context, s Settings, out io.Writer) (*App, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	a := &App{Settings: s, log: s.Logger(), out: out}
	a.live, a.stopLive = context.WithCancel(context.Background())
	if err := a.open(ctx); err != nil {
		return nil, errors.Join(err, a.close())
	}
	a.events = events.NewHub(a.db, a.log, 0)
	a.events.Also(presence.Source(a.db))
	key, _ := a.signingKey() // checked already
	a.keys = submit.NewKeys(a.db, key)
	a.audit = &audit.Keeper{DB: a.db, Log: a.log, Signer: a.signer}
	if err := errors.Join(a.openMail(ctx), a.openSAML(ctx), a.openOIDC(ctx), a.openDirectory()); err != nil {
		return nil, errors.Join(err, a.close())
	}
	var err error
	if a.certificates, err = a.openCertificates(); err != nil {
		return nil, errors.Join(err, a.close())
	}
	a.similarity = &similarity.Service{DB: a.db, Files: a.files, Log: a.log, MinScore: a.SimilarityMinScore,
		Days: a.SimilarityDays, Memory: int(a.SimilarityMemoryMB * bounds.MB / similarity.BytesEach)}
	a.jobs = jobs.New(a.db, a.log, jobs.Config{Workers: a.Workers})
	a.deliveries = jobs.New(a.db, a.log, jobs.Config{Workers: webhook.Most})
	if err := a.openEngine(); err != nil {
		return nil, errors.Join(err, a.close())
	}
	a.openOutside()
	a.openBackups()
	a.beside()
	a.openUsecases()
	a.work()
	a.declare()
	return a, nil
}

func (a *App) open(ctx context.Context) (err error) {
	if err := a.openSpool(); err != nil {
		return err
	}
	if err := a.serveAlone(); err != nil {
		return err
	}
	if a.db, err = OpenDatabase(ctx, &a.Storage); err != nil {
		return err
	}
	ran, err := a.db.Migrate(ctx)
	if err != nil {
		return err
	}
	if len(ran) > 0 {
		a.log.Info("schema brought up to date", "migrations", len(ran))
	}
	if err := ident.FillNameKeys(ctx, a.db); err != nil {
		return fmt.Errorf("make the keys people are listed by: %w", err)
	}
	if err := ident.FillWords(ctx, a.db); err != nil {
		return fmt.Errorf("make the words people are found by: %w", err)
	}
	if a.files, err = files.Open(ctx, a.Files()); err != nil {
		return err
	}
	if _, err := privacy.EraseAgain(ctx, a.db); err != nil {
		return err
	}
	return a.tellPaused(ctx)
}

// OpenDatabase opens the database and makes sure that it answers, that this program may run on
// its schema, and that the installation is used here.
func OpenDatabase(ctx context.Context, s *Storage) (*db.DB, error) {
	d, err := connect(ctx, s, db.Options{})
	if err != nil {
		return nil, err
	}
	if err := d.Fits(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if err := d.Here(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// connect opens the database and makes sure that it answers.
func connect(ctx context.Context, s *Storage, o db.Options) (*db.DB, error) {
	d, err := db.Open(s.Database(), o)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, 15*time.Second)
	defer stop()
	if err := d.Ping(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("the database does not answer; check --database-url or --data: %w", err),
			d.Close())
	}
	return d, nil
}

// signer gives the key that signs checkpoints of the audit log.
func (a *App) signer(ctx context.Context) (audit.Signer, error) { return a.keys.Signer(ctx) }

// openMail makes the mailer, which sends as the settings say at each moment.
func (a *App) openMail(ctx context.Context) (err error) {
	a.keeper = newKeeper(a.Settings, a.log)
	if _, err := a.Settings.sender(); err != nil {
		return err
	}
	a.mailer, err = notify.NewMailer(ctx, a.db, a.log, notify.Config{Product: a.ExternalName, PublicURL: a.Public(),
		Way: a.keeper.way, InvitationsPerMinute: a.InvitationsPerMinute})
	if err == nil {
		a.keeper.trial, a.keeper.paused = a.mailer.Trial, a.notPaused
	}
	return err
}

// openUsecases makes what every face of the service does its work by.
func (a *App) openUsecases() {
	statements, _ := a.Statements.read() // checked already
	a.usecases = usecase.New(usecase.Config{Statements: statements, DB: a.db, Files: a.files, Keys: a.keys,
		Mailer: a.mailer, Fonts: a.Fonts,
		Passwords:  ident.NewPasswords(a.db, ident.Limits{RequireFactor: a.RequireSecondFactor, Only: a.PasswordUsers}),
		Similarity: a.similarity, Outside: a.outside, Name: a.ExternalName, PublicURL: a.Public(), Privacy: a.Privacy,
		Declaration: a.Plagiarism, Assess: a.ContainerHost != "", MostFile: a.MaxFileMB * bounds.MB,
		MostMedia: a.MaxAttachmentMB * bounds.MB, MostUploads: a.UploadsPerHour,
		Hooks: a.guard(), Checks: a.checks(), Keeper: a.keeper,
		Program: usecase.Program{Version: Version, Started: time.Now(), Disk: a.disk}})
}

// declare makes the API and what stands beside it.
func (a *App) declare() {
	proxies, _ := httpserver.ParseProxies(a.TrustedProxies) // checked already
	m := newMetrics()
	m.registry.MustRegister(newBackupMetrics(a.db))
	a.web = httpserver.New(httpserver.Config{Proxies: proxies, Log: a.log, Metrics: m,
		HTTPS: strings.HasPrefix(a.Public(), "https://"), Pace: httpserver.Pace{Most: a.TransferWithin}})
	face := endpoint.Config{HTTP: a.web, DB: a.db, Spool: a.spool,
		Room:    &params.Spool{All: a.SpoolMB * bounds.MB, Each: a.SpoolUserMB * bounds.MB},
		Origins: a.AllowOrigins, Version: Version}
	in := signin.New(signin.Config{Usecases: a.usecases, Methods: a.methods(), SAML: a.saml, OIDC: a.oidc,
		Directory: a.directory, ClientURL: a.ClientURL, Pages: true})
	heard := live.New(live.Config{DB: a.db, Hub: a.events, Until: a.live})
	api.New(api.Config{Config: face, Usecases: a.usecases, SignIn: in, Events: heard})
	site.New(site.Config{Config: face, Usecases: a.usecases, SignIn: in, Events: heard, Styleguide: a.Styleguide})
	a.web.Handle("GET /healthz", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ok")
	}))
	a.web.Handle("GET /readyz", http.HandlerFunc(a.ready))
	a.metrics = m.handler()
	a.web.Handle("GET /metrics", a.nearby(a.metrics))
}

// ready tells a load balancer whether to send requests here.
func (a *App) ready(w http.ResponseWriter, r *http.Request) {
	ctx, stop := context.WithTimeout(r.Context(), 5*time.Second)
	defer stop()
	err := a.db.Ping(ctx)
	if err == nil {
		err = a.files.Check(ctx)
	}
	switch {
	case a.stopping.Load():
		http.Error(w, "stopping", http.StatusServiceUnavailable)
	case err != nil:
		a.log.WarnContext(ctx, "not ready", "err", err)
		http.Error(w, "the database or the file store does not answer; see the log", http.StatusServiceUnavailable)
	default:
		fmt.Fprintln(w, "ready")
	}
}

// Serve listens until ctx ends, then stops gracefully: no request is cut off. An installation without
// an administrator is told how to get one when all addresses are taken.
func (a *App) Serve(ctx context.Context) error {
	l, err := a.listen(ctx, a.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w (is another copy running? choose another address with --addr)", err)
	}
	srv := a.web.Net()
	srv.RegisterOnShutdown(a.stopLive)
	a.events.Start(a.live)
	a.audit.Start(a.live)
	go a.sweepHourly(a.live)
	if a.saml != nil {
		go a.saml.Run(a.live)
	}
	if err := a.startJobs(ctx); err != nil {
		return errors.Join(err, l.Close(), a.close())
	}
	serve, err := a.serveOn(a.live, srv, l)
	if err == nil {
		err = a.serveMetrics(a.live)
	}
	if err == nil {
		err = a.populate(ctx)
	}
	if err != nil {
		return errors.Join(err, l.Close(), a.stop(srv))
	}
	at := a.scheme() + l.Addr().String()
	if err := a.invite(ctx, at); err != nil {
		return errors.Join(err, l.Close(), a.stop(srv))
	}
	failed := make(chan error, 1)
	go func() { failed <- serve() }()
	go debug.FreeOSMemory() // what the start needed; an idle program is small
	fmt.Fprintf(a.out, "Lectern is ready at %s (API explorer: %s/api/docs)\n", at, at)
	select {
	case err := <-failed:
		a.events.Stop()
		a.audit.Stop()
		return errors.Join(err, a.close())
	case <-ctx.Done():
	}
	a.linger(failed)
	return a.stop(srv)
}

// linger goes on serving for a while, not ready any more, so that load balancers look and send
// their requests elsewhere before this instance refuses them.
func (a *App) linger(failed <-chan error) {
	a.stopping.Store(true)
	if a.StopDelay == 0 {
		return
	}
	a.log.Info("stopping soon; /readyz says so", "in", a.StopDelay)
	wait := time.NewTimer(a.StopDelay)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-failed:
	}
}

// startJobs begins to work the background jobs, if this instance does.
func (a *App) startJobs(ctx context.Context) error {
	if a.Workers == 0 {
		return nil
	}
	if err := webhook.Ensure(ctx, a.db); err != nil {
		return err
	}
	if err := a.db.Tx(ctx, func(q db.Q) error { return a.outside.Look(ctx, q) }); err != nil {
		return err
	}
	a.jobs.Start(a.live)
	a.deliveries.Start(a.live)
	a.outsideJobs.Start(a.live)
	if a.assesses() {
		go a.assessor.Watch(a.live)
		a.assessments.Start(a.live)
	}
	return a.startBackups(ctx)
}

// beside lets each queue know the others, so that none warns of their jobs.
func (a *App) beside() {
	all := []*jobs.Queue{a.jobs, a.deliveries, a.outsideJobs}
	if a.assessments != nil {
		all = append(all, a.assessments)
	}
	if a.backups != nil {
		all = append(all, a.backups)
	}
	for i, qu := range all {
		qu.Beside(slices.Delete(slices.Clone(all), i, i+1)...)
	}
}

// stop lets what runs finish, in the order in which it leans on the rest.
func (a *App) stop(srv *http.Server) error {
	a.log.Info("stopping; running requests may finish", "at_most", a.StopAfter)
	ctx, cancel := context.WithTimeout(context.Background(), a.StopAfter)
	defer cancel()
	a.web.Stopping(a.StopAfter)
	err := srv.Shutdown(ctx)
	if a.Workers > 0 {
		err = errors.Join(err, a.stopJobs(ctx))
	}
	a.events.Stop()
	a.audit.Stop()
	return errors.Join(err, a.close())
}

// stopJobs lets the jobs that run finish, until ctx ends.
func (a *App) stopJobs(ctx context.Context) error {
	err := errors.Join(a.jobs.Stop(ctx), a.deliveries.Stop(ctx), a.outsideJobs.Stop(ctx))
	if a.assesses() {
		err = errors.Join(err, a.assessments.Stop(ctx))
	}
	if a.backups != nil {
		err = errors.Join(err, a.backups.Stop(ctx))
	}
	return err
}

// Close ends what New opened, for callers that do not Serve.
func (a *App) Close() error { return a.close() }

func (a *App) close() error {
	a.stopLive()
	if a.directory != nil {
		a.directory.Close()
	}
	err := a.closeSpool()
	if a.db != nil {
		err = errors.Join(err, a.db.Close())
	}
	if a.alone != nil {
		err = errors.Join(err, a.alone.Close())
	}
	return err
}
