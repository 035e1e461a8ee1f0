package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/kong"

	"lectern/internal/ground/fault"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/platform/envfile"
	"lectern/internal/platform/mail"
	"lectern/internal/usecase"
)

// changeable are the settings that pages can change: those of the first start.
var changeable = []string{"LECTERN_PUBLIC_URL", "LECTERN_EXTERNAL_NAME", "LECTERN_SMTP_URL", "LECTERN_MAIL_FROM",
	"LECTERN_SIGN_IN_DEFAULT", "LECTERN_REQUIRE_SECOND_FACTOR",
	"LECTERN_OIDC_ISSUER", "LECTERN_OIDC_NAME", "LECTERN_OIDC_CLIENT_ID", "LECTERN_OIDC_CLIENT_SECRET",
	"LECTERN_OIDC_LOGIN_ATTRIBUTE", "LECTERN_OIDC_DOMAINS", "LECTERN_OIDC_CREATE",
	"LECTERN_SAML_METADATA", "LECTERN_SAML_NAME", "LECTERN_SAML_LOGIN_ATTRIBUTE", "LECTERN_SAML_EMAIL_ATTRIBUTE",
	"LECTERN_SAML_DOMAINS", "LECTERN_SAML_CREATE",
	"LECTERN_LDAP_URL", "LECTERN_LDAP_NAME", "LECTERN_LDAP_CA", "LECTERN_LDAP_DN", "LECTERN_LDAP_BASE",
	"LECTERN_LDAP_FILTER", "LECTERN_LDAP_BIND_DN", "LECTERN_LDAP_BIND_PASSWORD", "LECTERN_LDAP_LOGIN_ATTRIBUTE",
	"LECTERN_LDAP_EMAIL_ATTRIBUTE", "LECTERN_LDAP_DOMAINS", "LECTERN_LDAP_CREATE"}

// atOnce are the settings that take effect while the service runs.
var atOnce = []string{"LECTERN_SMTP_URL", "LECTERN_MAIL_DIR", "LECTERN_MAIL_FROM"}

// sentTo are the secrets that go to the server another setting names. Whoever names another server sends
// the secret anew: nobody gets to know it by having it sent to a server of their own.
var sentTo = map[string]string{ //nolint:gosec // names, and no secrets
	"LECTERN_OIDC_CLIENT_SECRET": "LECTERN_OIDC_ISSUER",
	"LECTERN_LDAP_BIND_PASSWORD": "LECTERN_LDAP_URL"}

// keeper is usecase.SettingKeeper for the settings of a process and settings.env of its data directory.
type keeper struct {
	started Settings
	kept    *Kept
	log     *slog.Logger
	trial   func(from string, to *ident.User) (mail.Message, error) // makes a test email
	paused  func(context.Context) error                             // refuses while nothing may go out
	write   sync.Mutex

	mails  sync.Mutex
	stamp  os.FileInfo // of the file that the way was read from; nil: there was none
	read   bool
	sender mail.Sender
	from   string
}

// newKeeper makes the keeper of a process that was started with s. Where nobody tells what its settings
// come from, whatever is no default is taken for a flag.
func newKeeper(s Settings, log *slog.Logger) *keeper {
	k := &keeper{started: s, kept: s.Kept, log: log}
	if k.kept == nil {
		k.kept = &Kept{Path: filepath.Join(s.Data, settingsFile)}
		k.kept.flags = map[string]bool{}
		for _, f := range flagsOf(&k.started) {
			k.kept.flags[f.Envs[0]] = textOf(f) != f.Default
		}
	}
	return k
}

// flagsOf lists the settings as the command line knows them, each leading to its value in s.
func flagsOf(s *Settings) []*kong.Flag {
	k := kong.Must(s, kong.Name("lectern"), kong.DefaultEnvars("LECTERN"))
	return slices.DeleteFunc(slices.Clone(k.Model.Flags), func(f *kong.Flag) bool { return f.Name == "help" })
}

func flagOf(s *Settings, name string) *kong.Flag {
	all := flagsOf(s)
	i := slices.IndexFunc(all, func(f *kong.Flag) bool { return f.Envs[0] == name })
	if i < 0 {
		return nil
	}
	return all[i]
}

// textOf is the value of a setting as it is written.
func textOf(f *kong.Flag) string {
	switch v := f.Target.Interface().(type) {
	case LogLevel:
		return strings.ToLower(slog.Level(v).String())
	case []string:
		return strings.Join(v, string(f.Tag.Sep))
	case bool:
		if !v {
			return ""
		}
	}
	return fmt.Sprint(f.Target.Interface())
}

// setTo gives a setting a value as it is written; empty is its default.
func setTo(f *kong.Flag, text string) error {
	f.Target.Set(reflect.Zero(f.Target.Type()))
	if text == "" {
		text = f.Default
	}
	if text == "" {
		return nil
	}
	return f.Parse(kong.ScanAsType(kong.FlagValueToken, text), f.Target)
}

// fixed tells what wins over settings.env for a variable; empty: nothing.
func (k *keeper) fixed(name string) usecase.SettingSource {
	switch {
	case k.kept.flags[name]:
		return usecase.ByFlag
	case k.kept.given[name] || k.kept.given[name+fileForm]:
		return usecase.ByVariable
	}
	return ""
}

// now gives the settings as the file says at this moment, beside what wins over it, with changes.
func (k *keeper) now(changes []usecase.SettingValue) (*Settings, []envfile.Line, error) {
	lines, err := envfile.Read(k.kept.Path)
	if err != nil {
		return nil, nil, err
	}
	s := k.started
	for _, f := range flagsOf(&s) {
		name := f.Envs[0]
		if k.fixed(name) != "" {
			continue
		}
		text, err := fileText(lines, f)
		if i := slices.IndexFunc(changes, func(v usecase.SettingValue) bool { return v.Name == name }); i >= 0 {
			text, err = k.whole(name, changes[i].Value), nil
		}
		if err == nil {
			err = setTo(f, text)
		}
		if err != nil {
			return nil, nil, fault.Field(fault.Invalid, name, "cannot be read: %v", err)
		}
	}
	return &s, lines, nil
}

// fileText is what lines say of a setting: its value, or what is in the file that is named.
func fileText(lines []envfile.Line, f *kong.Flag) (string, error) {
	for _, l := range lines {
		switch {
		case l.Name == f.Envs[0]:
			return l.Value, nil
		case l.Name == f.Envs[0]+fileForm && isSecret(f):
			text, err := os.ReadFile(l.Value)
			return strings.TrimSpace(string(text)), err
		}
	}
	return "", nil
}

func isSecret(f *kong.Flag) bool { return f.Tag != nil && f.Tag.Has("secret") }

// whole completes the address of a mail server, whose password is not typed again as long as name and
// server stay as they are.
func (k *keeper) whole(name, value string) string {
	if name != "LECTERN_SMTP_URL" {
		return value
	}
	s, _, err := k.now(nil)
	if err != nil {
		return value
	}
	return withPassword(value, s.SMTPURL)
}

// List implements usecase.SettingKeeper.
func (k *keeper) List() (*usecase.SettingList, error) {
	now, lines, err := k.now(nil)
	if err != nil {
		return nil, err
	}
	list := &usecase.SettingList{File: k.kept.Path, Written: !db.IsPostgres(k.started.DatabaseURL), Version: k.version()}
	next := flagsOf(now)
	for i, f := range flagsOf(&k.started) {
		name := f.Envs[0]
		live := slices.Contains(atOnce, name)
		if live {
			f = next[i]
		}
		one := usecase.Setting{Name: name, Flag: "--" + f.Name, About: f.Help, Value: textOf(f), Default: f.Default,
			Secret: isSecret(f), Source: k.source(name, lines), Restart: !live}
		one.Changeable = slices.Contains(changeable, name) && k.fixed(name) == ""
		one.Set, one.Pending = one.Value != "", one.Value != textOf(next[i])
		if one.Waiting = textOf(next[i]); one.Secret {
			one.Value, one.Waiting = masked(one.Value), masked(one.Waiting)
		}
		list.Settings = append(list.Settings, one)
	}
	return list, nil
}

// source tells where the value of a setting comes from.
func (k *keeper) source(name string, lines []envfile.Line) usecase.SettingSource {
	if by := k.fixed(name); by != "" {
		return by
	}
	if slices.ContainsFunc(lines, func(l envfile.Line) bool { return l.Name == name || l.Name == name+fileForm }) {
		return usecase.ByFile
	}
	return usecase.ByDefault
}

// version tells one state of the file from another, and nothing of what is in it.
func (k *keeper) version() string {
	info, err := os.Stat(k.kept.Path)
	if err != nil {
		return "none"
	}
	return strconv.FormatInt(info.ModTime().UnixNano(), 36)
}

// Fits implements usecase.SettingKeeper.
func (k *keeper) Fits(c usecase.SettingChange) error {
	var wrong fault.Fields
	for i, v := range c.Values {
		_, err := envfile.Format(v.Name, v.Value)
		switch by := k.fixed(v.Name); {
		case !slices.Contains(changeable, v.Name):
			wrong.Add(v.Name, "is no setting that can be changed here")
		case slices.ContainsFunc(c.Values[:i], func(o usecase.SettingValue) bool { return o.Name == v.Name }):
			wrong.Add(v.Name, "is named twice")
		case by != "":
			return fault.New(fault.Conflict, "%s is fixed by a %s of the service, so it cannot be changed here.", v.Name, by)
		case err != nil:
			wrong.Add(v.Name, "cannot be kept: %v", err)
		}
	}
	if wrong.Len() > 0 {
		return wrong.Err(fault.Invalid)
	}
	if err := k.unseen(c.Seen); err != nil {
		return err
	}
	s, _, err := k.now(c.Values)
	if err == nil {
		err = k.guard(s, c)
	}
	if err != nil {
		return err
	}
	if err := s.Check(); err != nil {
		return fault.New(fault.Refused, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return nil
}

// unseen refuses what was decided on a file that is another one by now.
func (k *keeper) unseen(seen string) error {
	if seen != "" && seen != k.version() {
		return fault.New(fault.Conflict, "The settings were changed in the meantime. Look at them again, then change them.")
	}
	return nil
}

// guard refuses to send a secret that is kept to a server that it was not given for.
func (k *keeper) guard(then *Settings, c usecase.SettingChange) error {
	now, _, err := k.now(nil)
	if err != nil {
		return err
	}
	for secret, server := range sentTo {
		anew := slices.ContainsFunc(c.Values, func(v usecase.SettingValue) bool { return v.Name == secret })
		if textOf(flagOf(now, secret)) != "" && !anew &&
			textOf(flagOf(now, server)) != textOf(flagOf(then, server)) && textOf(flagOf(then, server)) != "" {
			return fault.Field(fault.Refused, secret, "must be entered again, as it goes to another server now")
		}
	}
	return nil
}

// Lines implements usecase.SettingKeeper.
func (k *keeper) Lines(c usecase.SettingChange) (list []string, err error) {
	for _, v := range c.Values {
		value := v.Value
		if isSecret(flagOf(&k.started, v.Name)) {
			value = blanked(value)
		}
		line, err := envfile.Format(v.Name, value)
		if err != nil {
			return nil, err
		}
		list = append(list, line)
	}
	return list, nil
}

// Keep implements usecase.SettingKeeper.
func (k *keeper) Keep(c usecase.SettingChange) error {
	k.write.Lock()
	defer k.write.Unlock()
	if err := k.unseen(c.Seen); err != nil {
		return err
	}
	var list []envfile.Change
	for _, v := range c.Values {
		value := k.whole(v.Name, v.Value)
		list = append(list, envfile.Change{Name: v.Name, Value: value, Forget: value == ""},
			envfile.Change{Name: v.Name + fileForm, Forget: true})
	}
	if err := envfile.Write(k.kept.Path, list); err != nil {
		return fmt.Errorf("keep settings: %w", err)
	}
	return nil
}

// way is how emails go out at this moment: the file may have changed since the service was started, by
// this process or beside it. A file with mistakes changes nothing.
func (k *keeper) way() (mail.Sender, string) {
	k.mails.Lock()
	defer k.mails.Unlock()
	info, err := os.Stat(k.kept.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || k.read && same(info, k.stamp) {
		return k.sender, k.from
	}
	k.read, k.stamp = true, info
	s, _, err := k.now(nil)
	if err == nil {
		err = s.checkMail()
	}
	var sender mail.Sender
	if err == nil {
		sender, err = s.sender()
	}
	if err != nil {
		k.log.Warn("the settings of emails cannot be used; they stay as they were", "file", k.kept.Path, "err", err)
		return k.sender, k.from
	}
	k.sender, k.from = sender, s.Sender()
	return k.sender, k.from
}

// same tells whether a file is as it was; nil is none.
func same(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// sender is how emails go out; nil: they do not.
func (s *Settings) sender() (mail.Sender, error) {
	switch {
	case s.SMTPURL != "":
		return mail.NewSMTP(s.SMTPURL)
	case s.MailDir != "":
		return mail.NewDirectory(s.MailDir)
	}
	return nil, nil
}

// tryWithin bounds what a page waits for while a server elsewhere is asked.
const tryWithin = 20 * time.Second
