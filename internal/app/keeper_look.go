package app

import (
	"cmp"
	"context"
	"net/url"
	"path/filepath"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/people/ident"
	"lectern/internal/platform/health"
	"lectern/internal/platform/mail"
	"lectern/internal/usecase"
)

// masked is what may be told of a secret: of an address all but its password, of anything else nothing.
func masked(value string) string {
	u, err := url.Parse(value)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return ""
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	u.RawQuery = harmless(u)
	return u.String()
}

// placeholder stands for a secret in a line that is shown.
const placeholder = "PASSWORD"

// blanked is a secret as a line shows it to whoever is to write the secret in.
func blanked(value string) string {
	u, err := url.Parse(value)
	if value == "" {
		return ""
	}
	if err != nil || u.Scheme == "" || u.Host == "" {
		return placeholder
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), placeholder)
	}
	u.RawQuery = harmless(u)
	return u.String()
}

// harmless are the parameters of an address that are known to be no secret.
func harmless(u *url.URL) string {
	kept := url.Values{}
	for _, name := range []string{"tls", "region", "sslmode"} {
		if v := u.Query().Get(name); v != "" {
			kept.Set(name, v)
		}
	}
	return kept.Encode()
}

// withPassword gives an address the password of another one, where it names the same user of the same
// server and no password.
func withPassword(value, old string) string {
	u, err := url.Parse(value)
	was, err2 := url.Parse(old)
	if err != nil || err2 != nil || u.User == nil || was.User == nil {
		return value
	}
	_, has := u.User.Password()
	password, had := was.User.Password()
	if has || !had || u.User.Username() != was.User.Username() || u.Host != was.Host {
		return value
	}
	// Without encryption it would be read on the way.
	if cmp.Or(u.Query().Get("tls"), u.Scheme) != cmp.Or(was.Query().Get("tls"), was.Scheme) {
		return value
	}
	u.User = url.UserPassword(u.User.Username(), password)
	return u.String()
}

// Look implements usecase.SettingKeeper.
func (k *keeper) Look(ctx context.Context, part usecase.SettingPart, values []usecase.SettingValue) []health.Finding {
	s, _, err := k.now(values)
	if err != nil {
		return []health.Finding{{What: "settings", Saw: err.Error(), Bad: true}}
	}
	ctx, stop := context.WithTimeout(ctx, tryWithin)
	defer stop()
	var all []finding
	switch part {
	case usecase.AddressPart:
		all = checkSettings(s)
	case usecase.MailPart:
		all = checkMailServer(ctx, s)
	case usecase.OIDCPart:
		all = checkOIDC(ctx, s)
	case usecase.SAMLPart:
		all = checkSAML(ctx, s)
	case usecase.LDAPPart:
		all = checkLDAP(ctx, s)
	case usecase.StoragePart:
		all = lookAtStorage(ctx, s)
	}
	return all
}

// lookAtStorage tells where records and files are kept, and how much room there is.
func lookAtStorage(ctx context.Context, s *Settings) []finding {
	f := finding{What: "database", Saw: "SQLite in " + filepath.Clean(s.Data)}
	if s.DatabaseURL != "" {
		f.Saw = "PostgreSQL"
	}
	_, kept := lookAtFiles(ctx, s)
	return []finding{f, kept, checkDisk(s), checkSync(s)}
}

// SendTest implements usecase.SettingKeeper.
func (k *keeper) SendTest(ctx context.Context, values []usecase.SettingValue, to *ident.User) error {
	s, _, err := k.now(values)
	if err != nil {
		return err
	}
	sender, err := s.sender()
	if err != nil {
		return err
	}
	if sender == nil {
		return fault.New(fault.Refused, "No mail server is set.")
	}
	if err := k.paused(ctx); err != nil {
		return err
	}
	msg, err := k.trial(s.Sender(), to)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, tryWithin)
	defer stop()
	if err := sender.Send(ctx, msg); err != nil {
		return fault.New(fault.Refused, "The mail server did not take the test email: %s. %s",
			strings.TrimSuffix(mail.HideAddresses(err.Error()), "."), mailRemedy(err))
	}
	return nil
}
