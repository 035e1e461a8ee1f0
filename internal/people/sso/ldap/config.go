// Package ldap asks a directory whether a name and a password belong together, and
// who that is: it binds as the person, on an encrypted connection only.
package ldap

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-ldap/ldap/v3"

	"lectern/internal/people/sso"
)

// Config says where the directory is and how people are found in it: by a pattern
// of their DN, or by a search.
type Config struct {
	Servers []string // ldaps://host, or ldap://host for StartTLS; the first that answers is asked
	CA      string   // PEM file of who vouches for the servers; the system's list when empty

	DN string // with %s for the name; empty: people are searched

	Base     string // where they are searched
	Filter   string // with %s for the name; (uid=%s) when empty
	BindDN   string // who searches; nobody in particular when empty
	Password string // of BindDN

	Login string // the attribute that holds a person's login_id; uid when empty
	Mail  string // the attribute of an address that the institution vouches for; mail when empty
	Rules sso.Rules

	Within time.Duration // how long one sign-in may take; 8 s when 0
	Most   int           // sign-ins asked at once; 16 when 0
	Log    *slog.Logger
}

func (c Config) withDefaults() Config {
	c.Filter = cmp.Or(c.Filter, "(uid=%s)")
	c.Login = cmp.Or(c.Login, "uid")
	c.Mail = cmp.Or(c.Mail, "mail")
	c.Within = cmp.Or(c.Within, 8*time.Second)
	c.Most = cmp.Or(c.Most, 16)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Check finds settings that cannot be right, without asking a server.
func (c Config) Check() error {
	c = c.withDefaults()
	var errs []error
	for _, s := range c.Servers {
		if _, err := parseServer(s); err != nil {
			errs = append(errs, err)
		}
	}
	if (c.DN == "") == (c.Base == "") {
		errs = append(errs, errors.New("give the pattern of people's DN, or the base where they are searched"))
	}
	if c.DN != "" {
		_, err := ldap.ParseDN(strings.ReplaceAll(c.DN, "%s", "x"))
		if err != nil || strings.Count(c.DN, "%s") != 1 {
			errs = append(errs, fmt.Errorf("the DN %q is not one such as uid=%%s,ou=people,dc=example,dc=edu", c.DN))
		}
	}
	_, err := ldap.CompileFilter(strings.ReplaceAll(c.Filter, "%s", "x"))
	if err != nil || !strings.Contains(c.Filter, "%s") {
		errs = append(errs, fmt.Errorf("the filter %q is not one such as (uid=%%s)", c.Filter))
	}
	if (c.BindDN == "") != (c.Password == "") {
		errs = append(errs, errors.New("who searches needs a DN and a password; a DN without one is nobody to a server"))
	}
	if _, err := c.roots(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// attributes are those that are read of a person.
func (c *Config) attributes() []string {
	n := c.Rules.Names
	return slices.DeleteFunc([]string{c.Login, c.Mail, n.Username, n.FirstName, n.LastName, n.StudentID, c.Rules.Role},
		func(name string) bool { return name == "" })
}

// roots reads who vouches for the servers; nil for the system's list.
func (c *Config) roots() (*x509.CertPool, error) {
	if c.CA == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(c.CA)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM", c.CA)
	}
	return pool, nil
}

// parseServer reads the address of a server.
func parseServer(text string) (*server, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "ldap" && u.Scheme != "ldaps" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" ||
		u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("%q is not an address such as ldaps://ldap.example.edu", text)
	}
	s := &server{name: text, encrypted: u.Scheme == "ldaps", config: &tls.Config{ServerName: u.Hostname(),
		MinVersion: tls.VersionTLS12}}
	s.address = net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), map[bool]string{true: "636", false: "389"}[s.encrypted]))
	return s, nil
}
