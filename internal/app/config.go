package app

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/mail"
	"lectern/internal/teaching/submit"
	"lectern/internal/web/httpserver"
)

// Storage says where the service keeps its data; every command that touches the
// data takes it.
type Storage struct {
	Data        string `default:"data" help:"Directory for the database, files and uploads."`
	DatabaseURL string `secret:"" placeholder:"URL" help:"postgres://user:password@host/name; else SQLite in --data."`
	FilesURL    string `secret:"" placeholder:"URL" help:"s3://key:secret@host/bucket/prefix?region=…; else in --data."`
}

// Settings are all of what serve can be told. Each is a flag and a LECTERN_
// variable.
type Settings struct {
	Storage
	Encryption
	Comparing
	Assessment
	OutsideSimilarity
	SignIn
	Statements
	Backups

	Addr           string   `default:"127.0.0.1:3000" help:"Address to listen on."`
	PublicURL      string   `placeholder:"URL" help:"Address for links; the ACME domain or ADDR when empty."`
	TrustedProxies []string `placeholder:"NET" help:"Networks of proxies whose X-Forwarded-For is believed."`
	AllowOrigins   []string `placeholder:"ORIGIN" help:"Other web origins that may call the API."`
	MaxConnections int      `default:"10000" help:"Connections open at once; more wait. 0 for no bound."`
	MetricsAddr    string   `placeholder:"ADDR" help:"Where /metrics answers everybody who reaches it."`

	Demo         bool   `help:"Fill an empty database with a demo university (every password: password)."`
	Styleguide   bool   `help:"Show every component of the pages at /styleguide, for whoever builds pages."`
	ExternalName string `default:"Lectern" help:"Name of the service as people see it."`
	Privacy      string `help:"Privacy statement."`
	Plagiarism   string `help:"Statement students agree to when they submit."`

	SMTPURL  string `secret:"" name:"smtp-url" placeholder:"URL" help:"smtp://user:password@host:587 (?tls=always|never)."`
	MailDir  string `placeholder:"DIR" help:"Write mails to files here instead of sending them."`
	MailFrom string `placeholder:"ADDRESS" help:"Address mails come from; needed with --smtp-url."`

	InvitationsPerMinute int `default:"60" help:"How many emails a minute invite the people of a sheet."`

	AllowPrivateWebhooks bool `help:"Let webhooks go to private addresses and without encryption."`

	MaxFileMB       int64         `name:"max-file-mb" default:"10" help:"Largest file of a submission, in MB."`
	MaxAttachmentMB int64         `name:"max-attachment-mb" default:"30" help:"Largest attachment of a comment, in MB."`
	UploadsPerHour  int64         `default:"600" help:"How often one person may hand in within an hour; 0 for no bound."`
	SpoolMB         int64         `name:"spool-mb" default:"8192" help:"Room for all uploads on their way, in MB."`
	SpoolUserMB     int64         `name:"spool-user-mb" default:"1024" help:"Room for one person's uploads, in MB."`
	TransferWithin  time.Duration `default:"2h" help:"Longest that one upload or download may take."`

	ReceiptKey string   `placeholder:"FILE" help:"PEM file of the Ed25519 key that signs receipts; else one is kept."`
	Fonts      []string `placeholder:"FILE" help:"TrueType fonts for letters the built-in ones lack, such as Thai."`

	AuditDays        int `default:"0" help:"Days that entries of the audit log are kept; 0 to keep all."`
	AuditAddressDays int `default:"90" help:"Days that the audit log keeps network addresses."`

	Workers   int           `default:"2" help:"Background jobs run at once; 0 to run none here."`
	StopDelay time.Duration `default:"0s" help:"How long /readyz says 503 at the end before connections are refused."`
	StopAfter time.Duration `default:"30s" help:"How long requests and jobs may take to finish at the end."`
	LogLevel  LogLevel      `default:"info" help:"debug, info, warn or error."`
	LogFormat string        `default:"text" enum:"text,json" help:"text or json."`

	Kept *Kept `kong:"-"` // where they come from; nil: nobody knows
}

// LogLevel is from which level on something is logged.
type LogLevel slog.Level

// UnmarshalText reads one of the words that a level has.
func (l *LogLevel) UnmarshalText(text []byte) error {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn,
		"error": slog.LevelError}
	level, known := levels[strings.ToLower(string(text))]
	if !known {
		return fmt.Errorf("%q is no level: say debug, info, warn or error", text)
	}
	*l = LogLevel(level)
	return nil
}

// Database is the address of the database.
func (s *Storage) Database() string {
	if s.DatabaseURL != "" {
		return s.DatabaseURL
	}
	return filepath.Join(s.Data, "lectern.db")
}

// Files is the location of the file store.
func (s *Storage) Files() string {
	if s.FilesURL != "" {
		return s.FilesURL
	}
	return filepath.Join(s.Data, "files")
}

// Spool is the directory of uploads on their way.
func (s *Storage) Spool() string { return filepath.Join(s.Data, "spool") }

// There refuses a --data that is not there, for commands that find their data and do not make
// it: one that is mistyped would be made, and believed to be empty. Where neither the database
// nor the files they read are in it, they need none.
func (s *Storage) There(readsFiles bool) error {
	if s.DatabaseURL != "" && (s.FilesURL != "" || !readsFiles) {
		return nil
	}
	if err := s.dataThere(); err != nil || s.DatabaseURL != "" {
		return err
	}
	if _, err := os.Stat(s.Database()); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("--data %s holds no database; give the directory that lectern serve uses, or start that first",
			s.Data)
	} else if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	return nil
}

// dataThere refuses a --data that is not there, whatever is in it.
func (s *Storage) dataThere() error {
	info, err := os.Stat(s.Data)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("--data %s does not exist; give the directory that lectern serve uses, or start that first",
			s.Data)
	case err != nil:
		return fmt.Errorf("--data: %w", err)
	case !info.IsDir():
		return fmt.Errorf("--data %s is no directory", s.Data)
	}
	return nil
}

// Room is There for commands that may fill an empty database, in a directory that is there.
func (s *Storage) Room() error {
	if s.DatabaseURL != "" {
		return nil
	}
	return s.dataThere()
}

// Check finds what cannot be right before anything is opened, all at once.
func (s *Settings) Check() error {
	return errors.Join(s.checkStorage(), s.Encryption.check(), s.SignIn.check(), s.checkAddr(), s.checkLinks(),
		s.checkMail(), s.checkSubmissions(), s.Comparing.check(), s.Assessment.check(), s.OutsideSimilarity.check(),
		s.checkAudit(), s.Statements.check(), s.Backups.check())
}

func (s *Settings) checkStorage() error {
	if s.DatabaseURL != "" && !db.IsPostgres(s.DatabaseURL) {
		return errors.New("--database-url must begin with postgres://; for SQLite leave it out and choose the " +
			"directory with --data")
	}
	if s.FilesURL != "" && !strings.HasPrefix(s.FilesURL, "s3://") {
		return errors.New("--files-url must begin with s3://; for local files leave it out and choose the directory " +
			"with --data")
	}
	return nil
}

// checkAudit refuses to remove entries so early that nobody could have read them.
func (s *Settings) checkAudit() error {
	if s.AuditDays != 0 && s.AuditDays < 30 {
		return fmt.Errorf("--audit-days %d is neither 0, to keep all, nor at least 30", s.AuditDays)
	}
	if s.AuditAddressDays < 0 {
		return fmt.Errorf("--audit-address-days %d is below 0", s.AuditAddressDays)
	}
	return nil
}

func (s *Settings) checkSubmissions() error {
	if s.MaxFileMB < 0 || s.MaxFileMB > 1000 {
		return fmt.Errorf("--max-file-mb %d is not a number from 1 to 1000", s.MaxFileMB)
	}
	if s.MaxAttachmentMB < 0 || s.MaxAttachmentMB > 1000 {
		return fmt.Errorf("--max-attachment-mb %d is not a number from 1 to 1000", s.MaxAttachmentMB)
	}
	if s.UploadsPerHour < 0 {
		return fmt.Errorf("--uploads-per-hour %d is less than 0, which is no bound", s.UploadsPerHour)
	}
	if s.SpoolMB < 0 || s.SpoolUserMB < 0 || s.SpoolUserMB > s.SpoolMB {
		return fmt.Errorf("--spool-user-mb %d must be at most --spool-mb %d", s.SpoolUserMB, s.SpoolMB)
	}
	if s.TransferWithin < 0 || s.TransferWithin > 0 && s.TransferWithin < time.Minute {
		return fmt.Errorf("--transfer-within %s is less than a minute", s.TransferWithin)
	}
	for _, f := range s.Fonts {
		if _, err := os.Stat(f); err != nil {
			return fmt.Errorf("--fonts: %w", err)
		}
	}
	_, err := s.signingKey()
	return err
}

// signingKey reads the key that signs receipts, nil when none is given.
func (s *Settings) signingKey() (ed25519.PrivateKey, error) {
	if s.ReceiptKey == "" {
		return nil, nil
	}
	data, err := os.ReadFile(s.ReceiptKey)
	if err != nil {
		return nil, fmt.Errorf("--receipt-key: %w", err)
	}
	key, err := submit.ParsePrivateKey(data)
	if err != nil {
		return nil, fmt.Errorf("--receipt-key: %w", err)
	}
	return key, nil
}

func (s *Settings) checkAddr() error {
	host, _, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return fmt.Errorf("--addr %q is not an address such as 127.0.0.1:3000 or :3000", s.Addr)
	}
	if s.Demo && !loopback(host) {
		return fmt.Errorf("--demo makes accounts whose password everybody knows, so it runs on a loopback address "+
			"only, not on %q", s.Addr)
	}
	if s.StopDelay < 0 || s.StopDelay > time.Hour {
		return fmt.Errorf("--stop-delay %s is not a time from 0s to 1h", s.StopDelay)
	}
	if s.MaxConnections < 0 {
		return fmt.Errorf("--max-connections %d is below 0", s.MaxConnections)
	}
	if _, err := httpserver.ParseProxies(s.TrustedProxies); err != nil {
		return fmt.Errorf("--trusted-proxies: %w", err)
	}
	return nil
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}

func (s *Settings) checkLinks() error {
	var errs []error
	if s.PublicURL != "" && !origin(s.PublicURL, true) {
		errs = append(errs, fmt.Errorf("--public-url %q is not an address such as https://lectern.example.edu",
			s.PublicURL))
	}
	for _, o := range s.AllowOrigins {
		if !origin(o, false) {
			errs = append(errs, fmt.Errorf("--allow-origins %q is not an origin such as https://learn.example.edu "+
				"(no path, no *)", o))
		}
	}
	return errors.Join(errs...)
}

func (s *Settings) checkMail() error {
	if s.InvitationsPerMinute < 0 || s.InvitationsPerMinute > 600 {
		return fmt.Errorf("--invitations-per-minute %d is not a number from 1 to 600", s.InvitationsPerMinute)
	}
	if s.SMTPURL == "" && s.MailDir == "" {
		return nil
	}
	if s.SMTPURL != "" && s.MailDir != "" {
		return errors.New("--smtp-url sends mails and --mail-dir writes them to files: choose one")
	}
	if s.SMTPURL != "" {
		if _, err := mail.NewSMTP(s.SMTPURL); err != nil {
			return fmt.Errorf("--smtp-url: %w", err)
		}
	}
	if a, err := netmail.ParseAddress(s.Sender()); err != nil || a.Address != s.Sender() {
		return fmt.Errorf("--mail-from %q is not an address such as lectern@example.edu", s.MailFrom)
	}
	return nil
}

// Sender is the address mails come from. Files that nobody sends need none.
func (s *Settings) Sender() string {
	if s.MailFrom == "" && s.MailDir != "" {
		return "lectern@localhost"
	}
	return s.MailFrom
}

func origin(text string, path bool) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.RawQuery == "" &&
		u.Fragment == "" &&
		(path || u.Path == "") && !strings.Contains(u.Host, "*")
}

// Public is the address in links, without a trailing slash.
func (s *Settings) Public() string {
	switch {
	case s.PublicURL != "":
		return strings.TrimSuffix(s.PublicURL, "/")
	case len(s.ACMEDomain) > 0:
		return "https://" + s.ACMEDomain[0]
	}
	return s.scheme() + s.Addr
}

// scheme is how addresses of this service begin where no proxy stands before it.
func (s *Settings) scheme() string {
	if s.encrypted() {
		return "https://"
	}
	return "http://"
}

// discreet hides mail addresses wherever they come from: the log is read by more people than
// the records are.
func discreet(_ []string, a slog.Attr) slog.Attr {
	var text string
	switch v := a.Value.Any().(type) {
	case string:
		text = v
	case error:
		text = v.Error()
	default:
		return a
	}
	if !strings.Contains(text, "@") {
		return a
	}
	return slog.String(a.Key, mail.HideAddresses(text))
}

// Logger makes the log that the settings ask for: its level and its form.
func (s *Settings) Logger() *slog.Logger { return s.logTo(os.Stderr) }

func (s *Settings) logTo(w io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{Level: slog.Level(s.LogLevel), ReplaceAttr: discreet}
	if s.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
