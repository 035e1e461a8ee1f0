// Package settingstest stands in for the settings of a process in tests: a few of them, kept in a file of
// the test's own as the service keeps its settings.
package settingstest

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"lectern/internal/ground/fault"
	"lectern/internal/people/ident"
	"lectern/internal/platform/envfile"
	"lectern/internal/platform/health"
	"lectern/internal/usecase"
)

// Keeper is usecase.SettingKeeper for tests.
type Keeper struct {
	Path   string
	Shared bool // there are several instances, each with its own file
	// Found is what a look finds; nil: that all is well.
	Found []health.Finding
	// Sent are the addresses that test emails went to, and Broken is what the mail server says instead.
	Sent   []string
	Broken error

	mu      sync.Mutex
	version int
}

// known are the settings there are; the first is given as a flag.
var known = settings()

func settings() []usecase.Setting {
	list := []usecase.Setting{
		{Name: "LECTERN_DATA", Flag: "--data", About: "Directory for the database, files and uploads.", Value: "data",
			Source: usecase.ByFlag, Set: true, Restart: true},
		{Name: "LECTERN_EXTERNAL_NAME", Flag: "--external-name", About: "Name of the service as people see it.",
			Default: "Lectern", Value: "Lectern", Set: true, Changeable: true, Restart: true},
		{Name: "LECTERN_SMTP_URL", Flag: "--smtp-url", About: "Address of the mail server.", Secret: true,
			Changeable: true},
		{Name: "LECTERN_MAIL_FROM", Flag: "--mail-from", About: "Address that emails come from.", Changeable: true},
		{Name: "LECTERN_LDAP_BIND_PASSWORD", Flag: "--ldap-bind-password", About: "Password of who searches.", Secret: true,
			Changeable: true, Restart: true},
		{Name: "LECTERN_OIDC_CLIENT_SECRET", Flag: "--oidc-client-secret", About: "Our secret there.", Secret: true,
			Changeable: true, Restart: true},
	}
	for _, name := range []string{"PUBLIC_URL", "SIGN_IN_DEFAULT", "OIDC_ISSUER", "OIDC_NAME", "OIDC_CLIENT_ID",
		"OIDC_CREATE",
		"OIDC_DOMAINS", "SAML_DOMAINS", "LDAP_DOMAINS",
		"SAML_METADATA", "SAML_NAME", "SAML_CREATE", "LDAP_URL", "LDAP_NAME", "LDAP_CA", "LDAP_BASE", "LDAP_FILTER",
		"LDAP_BIND_DN", "LDAP_LOGIN_ATTRIBUTE", "LDAP_CREATE"} {
		list = append(list, usecase.Setting{Name: "LECTERN_" + name,
			Flag: "--" + strings.ToLower(strings.ReplaceAll(name, "_", "-")), About: "One of many.", Changeable: true,
			Restart: true})
	}
	return list
}

// List implements usecase.SettingKeeper.
func (k *Keeper) List() (*usecase.SettingList, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	lines, err := envfile.Read(k.Path)
	if err != nil {
		return nil, err
	}
	list := &usecase.SettingList{File: "settings.env", Written: !k.Shared, Version: strconv.Itoa(k.version)}
	for _, s := range known {
		if s.Source == "" {
			s.Source = usecase.ByDefault
		}
		if i := slices.IndexFunc(lines, func(l envfile.Line) bool { return l.Name == s.Name }); i >= 0 {
			s.Source, s.Set, s.Pending = usecase.ByFile, true, s.Restart
			if s.Waiting = lines[i].Value; s.Secret {
				s.Waiting = ""
			}
			if !s.Restart {
				s.Value = s.Waiting
			}
		}
		list.Settings = append(list.Settings, s)
	}
	return list, nil
}

// Fits implements usecase.SettingKeeper.
func (k *Keeper) Fits(c usecase.SettingChange) error {
	for _, v := range c.Values {
		i := slices.IndexFunc(known, func(s usecase.Setting) bool { return s.Name == v.Name })
		switch _, err := envfile.Format(v.Name, v.Value); {
		case i < 0:
			return fault.Field(fault.Invalid, v.Name, "is no setting that can be changed here")
		case !known[i].Changeable:
			return fault.New(fault.Conflict, "%s is fixed by a flag of the service, so it cannot be changed here.", v.Name)
		case err != nil:
			return fault.Field(fault.Invalid, v.Name, "cannot be kept: %v", err)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if c.Seen != "" && c.Seen != strconv.Itoa(k.version) {
		return fault.New(fault.Conflict, "The settings were changed in the meantime. Look at them again, then change them.")
	}
	return nil
}

// Lines implements usecase.SettingKeeper.
func (k *Keeper) Lines(c usecase.SettingChange) (list []string, err error) {
	for _, v := range c.Values {
		if i := slices.IndexFunc(known, func(s usecase.Setting) bool { return s.Name == v.Name }); i >= 0 && known[i].Secret {
			v.Value = "PASSWORD"
		}
		line, err := envfile.Format(v.Name, v.Value)
		if err != nil {
			return nil, err
		}
		list = append(list, line)
	}
	return list, nil
}

// Keep implements usecase.SettingKeeper.
func (k *Keeper) Keep(c usecase.SettingChange) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.version++
	var list []envfile.Change
	for _, v := range c.Values {
		list = append(list, envfile.Change{Name: v.Name, Value: v.Value, Forget: v.Value == ""})
	}
	return envfile.Write(k.Path, list)
}

// Look implements usecase.SettingKeeper.
func (k *Keeper) Look(_ context.Context, part usecase.SettingPart, _ []usecase.SettingValue) []health.Finding {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.Found != nil {
		return k.Found
	}
	return []health.Finding{{What: string(part), Saw: "all is well"}}
}

// SendTest implements usecase.SettingKeeper.
func (k *Keeper) SendTest(_ context.Context, _ []usecase.SettingValue, to *ident.User) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.Broken != nil {
		return k.Broken
	}
	k.Sent = append(k.Sent, to.Email)
	return nil
}
