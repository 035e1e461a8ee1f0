package ldap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"
	"github.com/go-ldap/ldap/v3"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/people/sso"
)

// Directory is a directory of people, on one server or several with the same
// content.
type Directory struct {
	Config
	servers []*server
	room    chan struct{} // a place for each sign-in that is asked
}

// bounded keeps a server from making us hold what it says is still to come.
var bounded = sync.OnceFunc(func() { ber.MaxPacketLengthBytes = bounds.MB })

// New prepares a Directory; it asks no server yet.
func New(c Config) (*Directory, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	bounded()
	d := &Directory{Config: c.withDefaults()}
	d.room = make(chan struct{}, d.Most)
	roots, err := d.roots()
	if err != nil {
		return nil, err
	}
	for _, text := range d.Servers {
		s, err := parseServer(text)
		if err != nil {
			return nil, err
		}
		s.config.RootCAs = roots
		s.idle = make(chan *ldap.Conn, d.Most)
		d.servers = append(d.servers, s)
	}
	return d, nil
}

// Close ends the connections that wait for their next use.
func (d *Directory) Close() {
	for _, s := range d.servers {
		s.drain()
	}
}

var (
	// errWrong is the one answer to a wrong password and an unknown name.
	errWrong = fault.New(fault.Unknown, "The username or the password is wrong.")
	errBusy  = &fault.Error{Kind: fault.Unavailable, Wait: 5 * time.Second, Text: "Too many people are signing in " +
		"right now. Try again in a few seconds."}
)

// unavailable tells a person that nobody can be asked.
func unavailable(cause error) error {
	return &fault.Error{Kind: fault.Upstream, Err: cause, Text: "Your institution's directory does not answer, so " +
		"its passwords do not work right now. Try again in a few minutes, or sign in another way."}
}

// Prove gives who a name and a password belong to. Both wrong and unknown are
// fault.Unknown; that no server could be asked is fault.Upstream, after Within at
// most. Names are plain, as people have them: a directory takes many spellings for
// the same, of which each would get its own guesses.
func (d *Directory) Prove(ctx context.Context, name, password string) (sso.Identity, error) {
	name = strings.TrimSpace(name)
	// To a server, no password is a request to be nobody, which it grants.
	if !typed(name) || password == "" || len(password) > 1000 {
		return sso.Identity{}, errWrong
	}
	ctx, stop := context.WithTimeout(ctx, d.Within)
	defer stop()
	select {
	case d.room <- struct{}{}:
		defer func() { <-d.room }()
	case <-ctx.Done():
		return sso.Identity{}, errBusy
	}
	var causes []error
	order := d.order()
	for i, s := range order {
		id, err := d.ask(ctx, s, len(order)-i, name, password)
		if err == nil || errors.Is(err, errWrong) {
			return id, err
		}
		d.Log.WarnContext(ctx, "a directory server could not be asked", "server", s.name, "err", err)
		causes = append(causes, err)
	}
	return sso.Identity{}, unavailable(errors.Join(causes...))
}

// ask asks one server, which may take its share of the time that is left.
func (d *Directory) ask(ctx context.Context, s *server, shares int, name, password string) (sso.Identity, error) {
	if end, ok := ctx.Deadline(); ok {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, time.Until(end)/time.Duration(shares))
		defer stop()
	}
	var id sso.Identity
	err := s.use(ctx, func(c *ldap.Conn) (err error) {
		id, err = d.prove(c, name, password)
		return err
	})
	s.rest(err)
	return id, err
}

// order gives the servers as they are listed, those that failed lately last.
func (d *Directory) order() []*server {
	list := slices.Clone(d.servers)
	slices.SortStableFunc(list, func(a, b *server) int { return a.resting() - b.resting() })
	return list
}

// typed tells whether a name is one that people have: letters of ASCII, digits and
// few signs.
func typed(name string) bool {
	return name != "" && len(name) <= 200 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("._-@+'", r)
	})
}

// prove asks on a connection, whoever was bound on it before.
func (d *Directory) prove(c *ldap.Conn, name, password string) (sso.Identity, error) {
	if d.DN == "" {
		return d.proveFound(c, name, password)
	}
	dn := strings.ReplaceAll(d.DN, "%s", ldap.EscapeDN(name))
	if err := wrong(c.Bind(dn, password)); err != nil {
		return sso.Identity{}, err
	}
	found, err := d.search(c, dn, ldap.ScopeBaseObject, "(objectClass=*)")
	if err == nil && found == nil {
		err = fmt.Errorf("%s may not read their own entry", d.DN)
	}
	if err != nil {
		return sso.Identity{}, err
	}
	return d.identity(found), nil
}

// proveFound searches the person, then binds as them.
func (d *Directory) proveFound(c *ldap.Conn, name, password string) (sso.Identity, error) {
	if err := d.bindSearcher(c); err != nil {
		return sso.Identity{}, err
	}
	found, err := d.search(c, d.Base, ldap.ScopeWholeSubtree,
		strings.ReplaceAll(d.Filter, "%s", ldap.EscapeFilter(name)))
	if err != nil {
		return sso.Identity{}, err
	}
	if found == nil { // as slow as for somebody who is there
		found = &ldap.Entry{DN: "cn=nobody," + d.Base}
		if err := wrong(c.Bind(found.DN, password)); err != nil {
			return sso.Identity{}, err
		}
		return sso.Identity{}, errWrong
	}
	if err := wrong(c.Bind(found.DN, password)); err != nil {
		return sso.Identity{}, err
	}
	return d.identity(found), nil
}

// bindSearcher makes the connection that of who searches.
func (d *Directory) bindSearcher(c *ldap.Conn) error {
	if d.BindDN == "" {
		return c.UnauthenticatedBind("")
	}
	if err := c.Bind(d.BindDN, d.Password); err != nil {
		return fmt.Errorf("bind as %s, who searches: %w", d.BindDN, err)
	}
	return nil
}

// search gives the one entry that fits, nil when there is none or several: a name
// that means two people is nobody's.
func (d *Directory) search(c *ldap.Conn, base string, scope int, filter string) (*ldap.Entry, error) {
	r, err := c.Search(ldap.NewSearchRequest(base, scope, ldap.NeverDerefAliases, 2, int(d.Within/time.Second), false,
		filter, d.attributes(), nil))
	if ldap.IsErrorWithCode(err, ldap.LDAPResultSizeLimitExceeded) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("search below %s: %w", base, err)
	}
	if len(r.Entries) != 1 {
		return nil, nil
	}
	return r.Entries[0], nil
}

// wrong tells a refusal of a person's password from all other trouble. A server
// says in several ways that somebody may not come in.
func wrong(err error) error {
	if ldap.IsErrorAnyOf(err, ldap.LDAPResultInvalidCredentials, ldap.LDAPResultNoSuchObject,
		ldap.LDAPResultInappropriateAuthentication, ldap.LDAPResultConstraintViolation,
		ldap.LDAPResultUnwillingToPerform, ldap.LDAPResultInsufficientAccessRights) {
		return errWrong
	}
	return err
}

func (d *Directory) identity(e *ldap.Entry) sso.Identity {
	id := sso.Identity{LoginID: e.GetEqualFoldAttributeValue(d.Login), Email: e.GetEqualFoldAttributeValue(d.Mail),
		Attributes: map[string][]string{}}
	for _, name := range d.attributes() {
		id.Attributes[name] = e.GetEqualFoldAttributeValues(name)
	}
	return id
}
