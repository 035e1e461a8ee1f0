package ldap

import (
	"context"
	"fmt"
	"time"

	"github.com/go-ldap/ldap/v3"
)

// Look is what became of looking at one server.
type Look struct {
	Server  string
	Expires time.Time // its certificate
	Err     error
}

// Look asks every server what a sign-in would need of it, but for a person.
func (d *Directory) Look(ctx context.Context) []Look {
	out := make([]Look, len(d.servers))
	for i, s := range d.servers {
		out[i] = d.look(ctx, s)
	}
	return out
}

func (d *Directory) look(ctx context.Context, s *server) Look {
	ctx, stop := context.WithTimeout(ctx, d.Within)
	defer stop()
	l := Look{Server: s.name}
	c, err := s.dial(ctx)
	if err != nil {
		l.Err = err
		return l
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	if state, ok := c.TLSConnectionState(); ok && len(state.PeerCertificates) > 0 {
		l.Expires = state.PeerCertificates[0].NotAfter
	}
	if d.DN != "" {
		return l
	}
	if l.Err = d.bindSearcher(c); l.Err != nil {
		return l
	}
	r, err := c.Search(ldap.NewSearchRequest(d.Base, ldap.ScopeBaseObject, ldap.NeverDerefAliases, 1,
		int(d.Within/time.Second), false, "(objectClass=*)", []string{"1.1"}, nil))
	switch {
	case err != nil:
		l.Err = fmt.Errorf("look at the base %s: %w", d.Base, err)
	case len(r.Entries) == 0:
		l.Err = fmt.Errorf("who searches may not see the base %s", d.Base)
	}
	return l
}
