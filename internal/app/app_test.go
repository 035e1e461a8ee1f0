package app

import (
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestSettingsAreChecked(t *testing.T) {
	good := Settings{Addr: "127.0.0.1:3000", Storage: Storage{Data: "data"}}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Settings){
		"--database-url":    func(s *Settings) { s.DatabaseURL = "mysql://x" },
		"--files-url":       func(s *Settings) { s.FilesURL = "/srv/files" },
		"--addr":            func(s *Settings) { s.Addr = "3000" },
		"loopback":          func(s *Settings) { s.Addr, s.Demo = "0.0.0.0:3000", true },
		"--demo":            func(s *Settings) { s.Addr, s.Demo = ":3000", true },
		"--trusted-proxies": func(s *Settings) { s.TrustedProxies = []string{"proxy"} },
		"--public-url":      func(s *Settings) { s.PublicURL = "lectern.example.edu" },
		"--allow-origins":   func(s *Settings) { s.AllowOrigins = []string{"*"} },
		"no path, no *":     func(s *Settings) { s.AllowOrigins = []string{"https://x.example.edu/app"} },
		"choose one": func(s *Settings) {
			s.SMTPURL, s.MailDir, s.MailFrom = "smtp://mail.example.edu", "mails", "a@example.edu"
		},
		"--mail-from \"\"": func(s *Settings) { s.SMTPURL = "smtp://mail.example.edu" },
		"--mail-from \"a": func(s *Settings) {
			s.MailDir, s.MailFrom = "mails",
				"a\r\nBcc: b@example.edu"
		},
		"--smtp-url": func(s *Settings) {
			s.SMTPURL, s.MailFrom = "mail.example.edu:25",
				"a@example.edu"
		},
		"--max-attachment-mb":                  func(s *Settings) { s.MaxAttachmentMB = 2000 },
		"--tls-cert and --tls-key go together": func(s *Settings) { s.TLSKey = "key.pem" },
		"--tls-cert shows": func(s *Settings) {
			s.TLSCert, s.TLSKey, s.ACMEDomain = "c", "k", []string{"lectern.example.edu"}
		},
		"--acme-domain":     func(s *Settings) { s.ACMEDomain = []string{"https://lectern.example.edu"} },
		"--acme-directory":  func(s *Settings) { s.ACMEDirectory = "http://acme.example.edu" },
		"--redirect-addr":   func(s *Settings) { s.RedirectAddr = ":80" },
		"--max-connections": func(s *Settings) { s.MaxConnections = -1 },
		"--invitations-per-minute": func(s *Settings) {
			s.SMTPURL, s.MailFrom, s.InvitationsPerMinute = "smtp://mail.example.edu", "a@example.edu", 601
		},
		"--stop-delay":       func(s *Settings) { s.StopDelay = -time.Second },
		"--public-url \"ftp": func(s *Settings) { s.PublicURL = "ftp://x" },
	} {
		s := good
		change(&s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want a word about %s, got %v", want, err)
		}
	}
	several := Settings{Addr: "x", PublicURL: "y", LogLevel: LogLevel(slog.LevelInfo)}
	if err := several.Check(); err == nil || !strings.Contains(err.Error(), "--addr") || !strings.Contains(err.Error(),
		"--public-url") {
		t.Errorf("not everything at once: %v", err)
	}
}

func TestVariablesOfKubernetesServicesAreNoError(t *testing.T) {
	known := []string{"LECTERN_ADDR", "LECTERN_PUBLIC_URL"}
	if err := CheckEnvironment([]string{"LECTERN_PORT=tcp://10.0.0.7:80", "LECTERN_SERVICE_HOST=10.0.0.7",
		"LECTERN_SERVICE_PORT=80", "LECTERN_SERVICE_PORT_HTTP=80", "LECTERN_PORT_80_TCP=tcp://10.0.0.7:80",
		"LECTERN_PORT_80_TCP_PROTO=tcp", "LECTERN_PORT_80_TCP_PORT=80", "LECTERN_PORT_80_TCP_ADDR=10.0.0.7",
		"LECTERN_DB_PORT=tcp://10.0.0.8:5432", "LECTERN_DB_SERVICE_HOST=10.0.0.8",
		"LECTERN_DB_PORT_5432_TCP_ADDR=10.0.0.8", "LECTERN_DNS_PORT_53_UDP=udp://10.0.0.9:53"}, known); err != nil {
		t.Error(err)
	}
	for _, pair := range []string{"LECTERN_PORT=3000", "LECTERN_SMTP_PORT=587", "LECTERN_HOST=x", "LECTERN_PORT_80=80",
		"LECTERN_SERVICE=x", "LECTERN_PORTS=tcp://x"} {
		if CheckEnvironment([]string{pair}, known) == nil {
			t.Errorf("%s is taken", pair)
		}
	}
}

func TestMisspeltVariablesStopTheStart(t *testing.T) {
	known := []string{"LECTERN_ADDR", "LECTERN_PUBLIC_URL", "LECTERN_TRUSTED_PROXIES"}
	if err := CheckEnvironment([]string{"LECTERN_ADDR=x", "HOME=/", "LECTERN_TEST_LONG=1", "LECTERNX=1"},
		known); err != nil {
		t.Error(err)
	}
	err := CheckEnvironment([]string{"LECTERN_PUBLICURL=secret", "LECTERN_ADRR=1"}, known)
	if err == nil {
		t.Fatal("taken")
	}
	for _, want := range []string{"LECTERN_PUBLICURL is no setting; did you mean LECTERN_PUBLIC_URL?",
		"did you mean LECTERN_ADDR?"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Error("the value is shown")
	}
}
