package admin

import (
	"net"
	"net/url"
	"strings"

	"lectern/internal/usecase"
)

// way is a way to sign in that can be set up.
type way struct {
	name   string
	part   usecase.SettingPart
	server string // the setting that names its server; empty: it has none
}

// Name is the value of its choice.
func (w way) Name() string { return w.name }

// Word and About are the keys of its words.
func (w way) Word() string { return "setup." + w.name }

// About is the key of what it means.
func (w way) About() string { return "setup." + w.name + "-about" }

var ways = []way{{"oidc", usecase.OIDCPart, "LECTERN_OIDC_ISSUER"}, {"saml", usecase.SAMLPart, "LECTERN_SAML_METADATA"},
	{"ldap", usecase.LDAPPart, "LECTERN_LDAP_URL"}, {"passwords", "", ""}}

// setupForm is what the pages of the settings are sent, as it is typed.
type setupForm struct {
	Seen string `param:"seen"`

	Name      string `param:"external_name"`
	PublicURL string `param:"public_url"`

	Server     string `param:"server"`
	Port       string `param:"port"`
	Encryption string `param:"encryption"`
	Username   string `param:"username" text:"any"`
	Password   string `param:"password" text:"any"`
	From       string `param:"mail_from"`

	Way          string `param:"way"`
	Issuer       string `param:"issuer"`
	ClientID     string `param:"client_id"`
	ClientSecret string `param:"client_secret" text:"any"`
	OIDCName     string `param:"oidc_name"`
	OIDCCreate   string `param:"oidc_create"`
	OIDCDomains  string `param:"oidc_domains"`
	Metadata     string `param:"metadata"`
	SAMLName     string `param:"saml_name"`
	SAMLCreate   string `param:"saml_create"`
	SAMLDomains  string `param:"saml_domains"`
	LDAPURL      string `param:"ldap_url"`
	LDAPCA       string `param:"ldap_ca"`
	LDAPBase     string `param:"ldap_base"`
	LDAPFilter   string `param:"ldap_filter"`
	BindDN       string `param:"bind_dn"`
	BindPassword string `param:"bind_password" text:"any"`
	LDAPLogin    string `param:"ldap_login"`
	LDAPName     string `param:"ldap_name"`
	LDAPCreate   string `param:"ldap_create"`
	LDAPDomains  string `param:"ldap_domains"`
}

// fieldSettings are the settings behind the fields.
var fieldSettings = map[string]string{ //nolint:gosec // names, and no secrets
	"external_name": "LECTERN_EXTERNAL_NAME", "public_url": "LECTERN_PUBLIC_URL",
	"way": "LECTERN_SIGN_IN_DEFAULT", "server": "LECTERN_SMTP_URL", "mail_from": "LECTERN_MAIL_FROM",
	"issuer": "LECTERN_OIDC_ISSUER", "client_id": "LECTERN_OIDC_CLIENT_ID", "client_secret": "LECTERN_OIDC_CLIENT_SECRET",
	"oidc_name": "LECTERN_OIDC_NAME", "oidc_create": "LECTERN_OIDC_CREATE",
	"oidc_domains": "LECTERN_OIDC_DOMAINS", "saml_domains": "LECTERN_SAML_DOMAINS", "ldap_domains": "LECTERN_LDAP_DOMAINS",
	"metadata": "LECTERN_SAML_METADATA", "saml_name": "LECTERN_SAML_NAME", "saml_create": "LECTERN_SAML_CREATE",
	"ldap_url": "LECTERN_LDAP_URL", "ldap_ca": "LECTERN_LDAP_CA", "ldap_base": "LECTERN_LDAP_BASE",
	"ldap_filter": "LECTERN_LDAP_FILTER", "bind_dn": "LECTERN_LDAP_BIND_DN",
	"bind_password": "LECTERN_LDAP_BIND_PASSWORD", "ldap_login": "LECTERN_LDAP_LOGIN_ATTRIBUTE",
	"ldap_name": "LECTERN_LDAP_NAME", "ldap_create": "LECTERN_LDAP_CREATE",
}

// typedOf is the form as the settings are, or will be at the next start. Secrets are not in it.
func typedOf(list *usecase.SettingList) setupForm {
	of := list.Next
	f := setupForm{Seen: list.Version, Name: of("LECTERN_EXTERNAL_NAME"), PublicURL: of("LECTERN_PUBLIC_URL"),
		From: of("LECTERN_MAIL_FROM"), Encryption: "starttls",
		Issuer: of("LECTERN_OIDC_ISSUER"), ClientID: of("LECTERN_OIDC_CLIENT_ID"), OIDCName: of("LECTERN_OIDC_NAME"),
		OIDCCreate: of("LECTERN_OIDC_CREATE"), Metadata: of("LECTERN_SAML_METADATA"), SAMLName: of("LECTERN_SAML_NAME"),
		SAMLCreate: of("LECTERN_SAML_CREATE"), LDAPURL: of("LECTERN_LDAP_URL"), LDAPCA: of("LECTERN_LDAP_CA"),
		LDAPBase: of("LECTERN_LDAP_BASE"), LDAPFilter: of("LECTERN_LDAP_FILTER"), BindDN: of("LECTERN_LDAP_BIND_DN"),
		LDAPLogin: of("LECTERN_LDAP_LOGIN_ATTRIBUTE"), LDAPName: of("LECTERN_LDAP_NAME"),
		LDAPCreate: of("LECTERN_LDAP_CREATE"), OIDCDomains: of("LECTERN_OIDC_DOMAINS"),
		SAMLDomains: of("LECTERN_SAML_DOMAINS"), LDAPDomains: of("LECTERN_LDAP_DOMAINS")}
	switch {
	case f.Issuer != "":
		f.Way = "oidc"
	case f.Metadata != "":
		f.Way = "saml"
	case f.LDAPURL != "":
		f.Way = "ldap"
	default:
		f.Way = "oidc"
	}
	if u, err := url.Parse(of("LECTERN_SMTP_URL")); err == nil && u.Host != "" {
		f.Server, f.Port, f.Username = u.Hostname(), u.Port(), u.User.Username()
		if mode := u.Query().Get("tls"); mode != "" {
			f.Encryption = mode
		} else if u.Scheme == "smtps" {
			f.Encryption = "always"
		}
	}
	return f
}

// values are the settings that a form says, of those that can be changed, and what to try them by.
func (f *setupForm) values(b subject, list *usecase.SettingList) (all []usecase.SettingValue,
	part usecase.SettingPart) {
	var fields map[string]string
	switch b {
	case institution:
		part, fields = usecase.AddressPart, map[string]string{"external_name": f.Name, "public_url": f.PublicURL}
	case email:
		part, fields = usecase.MailPart, map[string]string{"server": f.smtpURL(), "mail_from": f.From}
	default:
		part, fields = f.way()
		fields["way"] = f.first(b)
	}
	for name, value := range fields {
		setting := list.Of(fieldSettings[name])
		if kept := setting.Secret && value == "" && name != "server" && !f.clears(b); setting.Changeable && !kept {
			all = append(all, usecase.SettingValue{Name: setting.Name, Value: strings.TrimSpace(value)})
		}
	}
	return sorted(all), part
}

// way is what is typed for the way to sign in that is chosen.
func (f *setupForm) way() (usecase.SettingPart, map[string]string) {
	switch f.Way {
	case "oidc":
		return usecase.OIDCPart, map[string]string{"issuer": f.Issuer, "client_id": f.ClientID,
			"client_secret": f.ClientSecret, "oidc_name": f.OIDCName, "oidc_create": f.OIDCCreate,
			"oidc_domains": f.OIDCDomains}
	case "saml":
		return usecase.SAMLPart, map[string]string{"metadata": f.Metadata, "saml_name": f.SAMLName,
			"saml_create": f.SAMLCreate, "saml_domains": f.SAMLDomains}
	case "ldap":
		return usecase.LDAPPart, map[string]string{"ldap_url": f.LDAPURL, "ldap_ca": f.LDAPCA, "ldap_base": f.LDAPBase,
			"ldap_filter": f.LDAPFilter, "bind_dn": f.BindDN, "bind_password": f.BindPassword, "ldap_login": f.LDAPLogin,
			"ldap_name": f.LDAPName, "ldap_create": f.LDAPCreate, "ldap_domains": f.LDAPDomains}
	}
	return "", map[string]string{}
}

// first is the way that is shown first from now on: what somebody has just set up, or nothing in
// particular where it is taken out of use.
func (f *setupForm) first(b subject) string {
	switch {
	case f.Way == "passwords":
		return "database"
	case f.clears(b):
		return ""
	}
	return f.Way
}

// clears tells that what was typed takes a server out of use: its name is empty.
func (f *setupForm) clears(b subject) bool {
	switch {
	case b == email:
		return strings.TrimSpace(f.Server) == ""
	case b == institution:
		return false
	case f.Way == "oidc":
		return strings.TrimSpace(f.Issuer) == ""
	case f.Way == "saml":
		return strings.TrimSpace(f.Metadata) == ""
	case f.Way == "passwords":
		return true // nothing is to be tried
	}
	return strings.TrimSpace(f.LDAPURL) == ""
}

// smtpURL is the address of the mail server; empty where none is named.
func (f *setupForm) smtpURL() string {
	host := strings.TrimSpace(f.Server)
	if host == "" {
		return ""
	}
	u := url.URL{Scheme: "smtp", Host: host}
	if port := strings.TrimSpace(f.Port); port != "" {
		u.Host = net.JoinHostPort(strings.Trim(host, "[]"), port)
	}
	switch name := strings.TrimSpace(f.Username); {
	case name != "" && f.Password != "":
		u.User = url.UserPassword(name, f.Password)
	case name != "":
		u.User = url.User(name) // with the password that is kept for this server
	}
	if f.Encryption != "" && f.Encryption != "starttls" {
		u.RawQuery = url.Values{"tls": {f.Encryption}}.Encode()
	}
	return u.String()
}

// onward is where a form leads that was kept.
func (f *setupForm) onward(b subject, first bool) string {
	if first {
		to := b.next()
		if b == email && !f.clears(b) {
			to += "?sent=true"
		}
		return to
	}
	told := url.Values{"saved": {"true"}}
	if b == email && !f.clears(b) {
		told.Set("sent", "true")
	}
	if b == signIn {
		told.Set("way", f.Way)
	}
	return b.at(false) + "?" + told.Encode()
}
