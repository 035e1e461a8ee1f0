package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/envfile"
	"lectern/internal/platform/mail"
	"lectern/internal/usecase"
)

// keptIn makes the keeper of a process that was started in a directory whose settings.env says lines,
// with variables of its environment, the flag --data and others.
func keptIn(t *testing.T, lines string, environ []string, flags ...string) *keeper {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, settingsFile), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	kept, err := ReadKept([]string{"serve", "--data", dir}, environ)
	if err != nil {
		t.Fatal(err)
	}
	kept.Flags(append(flags, "LECTERN_DATA"))
	s := Settings{}
	for _, f := range flagsOf(&s) {
		text, err := fileText(kept.lines, f)
		for _, pair := range environ {
			if name, value, _ := strings.Cut(pair, "="); name == f.Envs[0] {
				text = value
			}
		}
		if err == nil {
			err = setTo(f, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s.Data, s.Kept = dir, kept
	return newKeeper(s, slog.New(slog.DiscardHandler))
}

func change(pairs ...string) usecase.SettingChange {
	var c usecase.SettingChange
	for i := 0; i < len(pairs); i += 2 {
		c.Values = append(c.Values, usecase.SettingValue{Name: pairs[i], Value: pairs[i+1]})
	}
	return c
}

func (k *keeper) must(t *testing.T, c usecase.SettingChange) {
	t.Helper()
	if err := k.Fits(c); err != nil {
		t.Fatal(err)
	}
	if err := k.Keep(c); err != nil {
		t.Fatal(err)
	}
}

func (k *keeper) listed(t *testing.T, name string) usecase.Setting {
	t.Helper()
	list, err := k.List()
	if err != nil {
		t.Fatal(err)
	}
	return list.Of(name)
}

func TestSettingsTellWhereTheyComeFrom(t *testing.T) {
	k := keptIn(t, "LECTERN_PUBLIC_URL=https://a.example.edu\nLECTERN_EXTERNAL_NAME=Northfield\n"+
		"LECTERN_MAIL_FROM=a@example.edu\n",
		[]string{"LECTERN_PUBLIC_URL=https://a.example.edu", "LECTERN_EXTERNAL_NAME=Southfield",
			"LECTERN_LDAP_BIND_PASSWORD=hush"},
		"LECTERN_WORKERS")
	for name, want := range map[string]usecase.SettingSource{
		"LECTERN_PUBLIC_URL":         usecase.ByFile, // a service manager handed on what the file says
		"LECTERN_EXTERNAL_NAME":      usecase.ByVariable,
		"LECTERN_MAIL_FROM":          usecase.ByFile,
		"LECTERN_LDAP_BIND_PASSWORD": usecase.ByVariable,
		"LECTERN_WORKERS":            usecase.ByFlag,
		"LECTERN_DATA":               usecase.ByFlag,
		"LECTERN_LOG_LEVEL":          usecase.ByDefault,
	} {
		s := k.listed(t, name)
		if s.Source != want || s.Pending || s.About == "" || strings.Contains(s.Value, "hush") {
			t.Errorf("%+v", s)
		}
	}
	if s := k.listed(t, "LECTERN_EXTERNAL_NAME"); s.Value != "Southfield" || s.Changeable {
		t.Errorf("%+v", s)
	}
	if s := k.listed(t, "LECTERN_LDAP_BIND_PASSWORD"); !s.Set || !s.Secret || s.Value != "" {
		t.Errorf("%+v", s)
	}
	if err := k.Fits(change("LECTERN_EXTERNAL_NAME", "X")); !fault.Is(err, fault.Conflict) {
		t.Errorf("what a variable fixes: %v", err)
	}
	k.must(t, change("LECTERN_PUBLIC_URL", "https://b.example.edu"))
	if s := k.listed(t, "LECTERN_PUBLIC_URL"); s.Value != "https://a.example.edu" || !s.Pending ||
		s.Waiting != "https://b.example.edu" {
		t.Errorf("%+v", s)
	}
}

func TestSettingsThatCannotBeKept(t *testing.T) {
	k := keptIn(t, "", nil)
	for _, c := range []usecase.SettingChange{
		change("LECTERN_DATA", "/elsewhere"), change("LECTERN_DEMO", "true"), change("PATH", "/"),
		change("LECTERN_PUBLIC_URL", "nonsense"), change("LECTERN_SMTP_URL", "smtp://h"), // without a sender
		change("LECTERN_MAIL_FROM", "a@b.c\nLECTERN_DEMO=true"), change("LECTERN_OIDC_ISSUER", "ftp://x"),
		change("LECTERN_MAIL_FROM", "a@b.c", "LECTERN_MAIL_FROM", "d@e.f"), change("LECTERN_OIDC_CREATE", "perhaps"),
		{Values: change("LECTERN_PUBLIC_URL", "https://a.example.edu").Values, Seen: "another"},
	} {
		if err := k.Fits(c); err == nil || fault.KindOf(err) == fault.Internal {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Nobody gets to know a secret by having it sent to a server of their own.
func TestSecretsStayWithTheirServer(t *testing.T) {
	k := keptIn(t, "LECTERN_LDAP_URL=ldaps://a\nLECTERN_LDAP_BASE=dc=a\nLECTERN_LDAP_BIND_DN=cn=x\n"+
		"LECTERN_LDAP_BIND_PASSWORD=hush\n"+
		"LECTERN_SMTP_URL=smtp://u:hush@mail.example.edu:587\nLECTERN_MAIL_FROM=a@example.edu\n", nil)
	if err := k.Fits(change("LECTERN_LDAP_URL", "ldaps://evil")); !fault.Is(err, fault.Refused) {
		t.Errorf("another directory: %v", err)
	}
	k.must(t, change("LECTERN_LDAP_URL", "ldaps://b", "LECTERN_LDAP_BIND_PASSWORD", "other"))
	kept := func(name string) string {
		lines, err := envfile.Read(k.kept.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			if l.Name == name {
				return l.Value
			}
		}
		return ""
	}
	for url, want := range map[string]string{
		"smtp://u@mail.example.edu:587":           "smtp://u:hush@mail.example.edu:587",
		"smtp://u@evil.example.edu:587":           "smtp://u@evil.example.edu:587",
		"smtp://u@mail.example.edu:588":           "smtp://u@mail.example.edu:588",
		"smtp://u@mail.example.edu:587?tls=never": "smtp://u@mail.example.edu:587?tls=never",
		"smtp://v@mail.example.edu:587":           "smtp://v@mail.example.edu:587",
	} {
		k.must(t, change("LECTERN_SMTP_URL", "smtp://u:hush@mail.example.edu:587"))
		if k.must(t, change("LECTERN_SMTP_URL", url)); kept("LECTERN_SMTP_URL") != want {
			t.Errorf("%s is kept as %s", url, kept("LECTERN_SMTP_URL"))
		}
	}
	k.must(t, change("LECTERN_SMTP_URL", "smtp://u:hush@mail.example.edu:587"))
	if s := k.listed(t, "LECTERN_SMTP_URL"); s.Value != "smtp://u@mail.example.edu:587" {
		t.Errorf("%+v", s)
	}
	lines, err := k.Lines(change("LECTERN_SMTP_URL", "smtp://u:hush@h", "LECTERN_LDAP_BIND_PASSWORD", "hush"))
	if got := strings.Join(lines, " "); err != nil ||
		got != "LECTERN_SMTP_URL=smtp://u:PASSWORD@h LECTERN_LDAP_BIND_PASSWORD=PASSWORD" {
		t.Errorf("%s, %v", got, err)
	}
}

// What concerns emails takes effect while the service runs, whoever changes the file; a mistake changes nothing.
func TestEmailsFollowTheFile(t *testing.T) {
	k := keptIn(t, "", nil)
	if sender, _ := k.way(); sender != nil {
		t.Error("emails are sent without a server")
	}
	k.must(t, change("LECTERN_SMTP_URL", "smtp://one.example.edu", "LECTERN_MAIL_FROM", "a@example.edu"))
	server := func() (string, string) {
		sender, from := k.way()
		s, ok := sender.(*mail.SMTP)
		if !ok {
			t.Fatalf("sends by %T", sender)
		}
		return s.Server(), from
	}
	if at, from := server(); at != "one.example.edu:587" || from != "a@example.edu" {
		t.Errorf("%s from %s", at, from)
	}
	beside := []envfile.Change{{Name: "LECTERN_SMTP_URL", Value: "smtps://two.example.edu"}}
	if err := envfile.Write(k.kept.Path, beside); err != nil {
		t.Fatal(err)
	}
	if at, _ := server(); at != "two.example.edu:465" {
		t.Errorf("after somebody else's change: %s", at)
	}
	if err := os.WriteFile(k.kept.Path, []byte("LECTERN_SMTP_URL='open\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if at, _ := server(); at != "two.example.edu:465" {
		t.Errorf("after a mistake: %s", at)
	}
	if s := k.kept.Path; os.Remove(s) != nil {
		t.Fatal(s)
	}
	if sender, _ := k.way(); sender != nil {
		t.Error("emails are sent without a file")
	}
}

func TestSettingsFromTheSecretsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "smtp")
	if err := os.WriteFile(file, []byte(" smtp://u:hush@one.example.edu \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	k := keptIn(t, "LECTERN_SMTP_URL_FILE="+file+"\nLECTERN_MAIL_FROM=a@example.edu\n", nil)
	if s := k.listed(t, "LECTERN_SMTP_URL"); s.Source != usecase.ByFile ||
		s.Value != "smtp://u@one.example.edu" || !s.Changeable {
		t.Errorf("%+v", s)
	}
	k.must(t, change("LECTERN_SMTP_URL", "smtp://two.example.edu"))
	text, err := os.ReadFile(k.kept.Path)
	if err != nil || strings.Contains(string(text), "_FILE") {
		t.Errorf("%s, %v", text, err)
	}
}
