package usecase

import (
	"context"
	"slices"
	"strings"

	"lectern/internal/connect/notify"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/health"
)

// SettingSource is where the value of a setting comes from.
type SettingSource string

// The sources: what comes later in this list wins over what comes before.
const (
	ByDefault  SettingSource = "default"
	ByFile     SettingSource = "settings.env"
	ByVariable SettingSource = "variable"
	ByFlag     SettingSource = "flag"
)

// Enum lists the sources.
func (SettingSource) Enum() []string {
	return []string{string(ByDefault), string(ByFile), string(ByVariable), string(ByFlag)}
}

// Setting is one of the things that the service can be told as it starts.
type Setting struct {
	Name       string        `json:"name" doc:"as a variable, such as LECTERN_PUBLIC_URL"`
	Flag       string        `json:"flag" doc:"as a flag, such as --public-url"`
	About      string        `json:"about" doc:"what it does"`
	Value      string        `json:"value" doc:"what this instance runs with; of a secret only what is none, or nothing"`
	Default    string        `json:"default" doc:"its value where nothing is set"`
	Secret     bool          `json:"secret" doc:"whether its value holds a secret, which is never told"`
	Set        bool          `json:"set" doc:"whether it has a value"`
	Source     SettingSource `json:"source" doc:"where the value comes from"`
	Changeable bool          `json:"changeable" doc:"whether it can be changed here; what a flag or a variable says cannot"`
	Restart    bool          `json:"restart" doc:"whether a change takes effect only when the service is started again"`
	Pending    bool          `json:"pending" doc:"whether settings.env says something that takes effect at the next start"`

	Waiting string `json:"-"` // what it will be then, as Value tells it
}

// SettingList is all settings, in the order of the handbook.
type SettingList struct {
	Settings []Setting `json:"settings" doc:"every setting of the service"`
	File     string    `json:"file" doc:"where settings are kept on this machine"`
	Written  bool      `json:"written" doc:"whether changes are written there; with PostgreSQL each instance has its own file, and the answer to a change is the lines to add to it"`
	Version  string    `json:"version" doc:"of the file; send it back as seen"`
}

// Of gives a setting by its name; one that is not known is empty.
func (l *SettingList) Of(name string) Setting {
	for i := range l.Settings {
		if l.Settings[i].Name == name {
			return l.Settings[i]
		}
	}
	return Setting{}
}

// Next is what a setting is, or will be from the next start on.
func (l *SettingList) Next(name string) string {
	if s := l.Of(name); !s.Pending {
		return s.Value
	} else {
		return s.Waiting
	}
}

// SettingValue is a setting as somebody wants it. Empty is its default.
type SettingValue struct {
	Name  string `json:"name" doc:"such as LECTERN_MAIL_FROM"`
	Value string `json:"value" doc:"empty for the default"`
}

// SettingChange is what somebody changes at once.
type SettingChange struct {
	Values []SettingValue
	Seen   string // the version of the file they saw; empty: whatever it is
}

// names are those of the settings that change.
func (c SettingChange) names() (list []string) {
	for _, v := range c.Values {
		list = append(list, v.Name)
	}
	return list
}

// Kept is what came of a change.
type Kept struct {
	SettingList
	Lines []string `json:"lines" doc:"to add to settings.env of each instance, where it is not written here; PASSWORD stands for a secret that was sent"`
}

// SettingPart is what of the settings is tried at once.
type SettingPart string

// The parts of the settings that pages can try.
const (
	AddressPart SettingPart = "address"
	MailPart    SettingPart = "mail"
	OIDCPart    SettingPart = "oidc"
	SAMLPart    SettingPart = "saml"
	LDAPPart    SettingPart = "ldap"
	StoragePart SettingPart = "storage"
)

// Enum lists the parts.
func (SettingPart) Enum() []string {
	return []string{string(AddressPart), string(MailPart), string(OIDCPart), string(SAMLPart), string(LDAPPart),
		string(StoragePart)}
}

// SettingKeeper knows the settings of the process and keeps what is to be known at its next start.
type SettingKeeper interface {
	// List tells all settings, secrets masked.
	List() (*SettingList, error)
	// Fits refuses values that cannot be, that do not go together, or that a flag or a variable fixes.
	Fits(c SettingChange) error
	// Lines are what the change is in settings.env, with every secret masked.
	Lines(c SettingChange) ([]string, error)
	// Keep writes the change down.
	Keep(c SettingChange) error
	// Look tells what the doctor finds of a part, as the settings would be.
	Look(ctx context.Context, part SettingPart, values []SettingValue) []health.Finding
	// SendTest sends an email about nothing, as the settings would be, and waits for the server.
	SendTest(ctx context.Context, values []SettingValue, to *ident.User) error
}

// keeper is what knows the settings.
func (s *Service) keeper() (SettingKeeper, error) {
	if s.Keeper == nil {
		return nil, fault.New(fault.Unavailable, "The settings of this service cannot be read.")
	}
	return s.Keeper, nil
}

// ServiceSettings tells every setting of the service, for whoever holds policy.SeeSettings. Secrets are
// never told.
func (s *Service) ServiceSettings() (*SettingList, error) {
	k, err := s.keeper()
	if err != nil {
		return nil, err
	}
	return k.List()
}

// ChangeSettings keeps settings in settings.env, for whoever holds policy.ChangeSettings. It refuses
// names that are no setting of the first start, values that cannot be or do not go together, with
// fault.Conflict what a flag or a variable fixes, and what somebody changed since it was seen. Where each
// instance has its own file it changes nothing and tells the lines to add. The log keeps the names, no
// values. What concerns emails takes effect at once, and those that wait are tried again.
func (s *Service) ChangeSettings(ctx context.Context, c SettingChange) (*Kept, error) {
	k, err := s.keeper()
	if err != nil {
		return nil, err
	}
	if len(c.Values) == 0 {
		return nil, fault.Field(fault.Invalid, "settings", "must name at least one setting")
	}
	if err := k.Fits(c); err != nil {
		return nil, err
	}
	list, err := k.List()
	if err != nil {
		return nil, err
	}
	if !list.Written {
		lines, err := k.Lines(c)
		return &Kept{SettingList: *list, Lines: lines}, err
	}
	err = s.DB.Tx(ctx, func(q db.Q) error {
		entry := audit.Entry{Kind: audit.Setting, Action: audit.Changed, Fields: c.names()}
		if err := audit.Add(ctx, q, entry); err != nil {
			return err
		}
		if slices.ContainsFunc(c.names(), aboutMail) {
			if _, err := notify.Hasten(ctx, q); err != nil {
				return err
			}
		}
		return k.Keep(c) // last: whoever is refused by the rest has changed nothing
	})
	if err != nil {
		return nil, err
	}
	list, err = k.List()
	if err != nil {
		return nil, err
	}
	return &Kept{SettingList: *list, Lines: []string{}}, nil
}

func aboutMail(name string) bool {
	return strings.HasPrefix(name, "LECTERN_SMTP_") || strings.HasPrefix(name, "LECTERN_MAIL_")
}

// TrySettings tells what the doctor finds of a part of the settings as they would be, for whoever holds
// policy.ChangeSettings. It refuses what ChangeSettings refuses, and keeps nothing.
func (s *Service) TrySettings(ctx context.Context, part SettingPart, values []SettingValue) ([]health.Finding, error) {
	k, err := s.keeper()
	if err != nil {
		return nil, err
	}
	c := SettingChange{Values: values}
	if err := k.Fits(c); err != nil {
		return nil, err
	}
	entry := audit.Entry{Kind: audit.Setting, Action: string(part) + "_tried", Fields: c.names()}
	// The transaction asks again who they are.
	if err := s.DB.Tx(ctx, func(q db.Q) error { return audit.Add(ctx, q, entry) }); err != nil {
		return nil, err
	}
	return k.Look(ctx, part, values), nil
}

// TryMail sends the caller an email as the settings would be, for whoever holds policy.ChangeSettings. It
// refuses what ChangeSettings refuses; what the mail server said is fault.Refused.
func (s *Service) TryMail(ctx context.Context, who *access.Caller, values []SettingValue) error {
	k, err := s.keeper()
	if err != nil {
		return err
	}
	if err := k.Fits(SettingChange{Values: values}); err != nil {
		return err
	}
	var to *ident.User
	err = s.DB.Tx(ctx, func(q db.Q) (err error) { // which asks again whether they may
		to, err = ident.ByID(ctx, q, who.ID)
		return err
	})
	if err == nil {
		err = k.SendTest(ctx, values, to)
	}
	if err != nil {
		return err
	}
	entry := audit.Entry{Kind: audit.Setting, Action: "mail_tried", UserID: who.ID}
	return s.DB.Tx(ctx, func(q db.Q) error { return audit.Add(ctx, q, entry) })
}
