package ldap

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	goldap "github.com/go-ldap/ldap/v3"
	"github.com/google/go-cmp/cmp"

	"lectern/internal/ground/fault"
	"lectern/internal/people/sso"
	"lectern/internal/people/sso/ldap/ldaptest"
)

// ways are the settings by which people are found.
func ways(s *ldaptest.Server, address string) map[string]Config {
	common := Config{Servers: []string{address}, CA: s.CA,
		Rules: sso.Rules{Names: sso.Names{FirstName: "givenName"}, Role: "employeeType"}}
	pattern, search := common, common
	pattern.DN = "uid=%s," + ldaptest.People
	search.Base, search.BindDN, search.Password = ldaptest.Base, ldaptest.Reader, ldaptest.Password
	return map[string]Config{"by pattern": pattern, "by search": search}
}

func open(t *testing.T, c Config) *Directory {
	t.Helper()
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func (d *Directory) is(t *testing.T, name, password string, kind fault.Kind) {
	t.Helper()
	id, err := d.Prove(context.Background(), name, password)
	if kind == 0 && err != nil || kind != 0 && !fault.Is(err, kind) {
		t.Errorf("%q with %q: %+v, %v", name, password, id, err)
	}
}

func TestProve(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	for _, address := range []string{s.LDAP, s.LDAPS} {
		for way, c := range ways(s, address) {
			t.Run(way+" at "+address[:5], func(t *testing.T) {
				d := open(t, c)
				want := sso.Identity{LoginID: "ann", Email: "ann@example.edu",
					Attributes: map[string][]string{"uid": {"ann"}, "mail": {"ann@example.edu"},
						"givenName": {"Ann"}, "employeeType": {"student"}}}
				for _, name := range []string{"ann", " ANN "} {
					if got, err := d.Prove(t.Context(), name, ldaptest.Password); err != nil || !cmp.Equal(got, want) {
						t.Errorf("%q: got %+v, %v", name, got, err)
					}
				}
				d.is(t, "ann", "wrong horse", fault.Unknown)
				d.is(t, "ann", "", fault.Unknown) // a server would take it for nobody's bind, and say yes
				d.is(t, "ann", strings.Repeat("x", 2000), fault.Unknown)
				d.is(t, "nobody", ldaptest.Password, fault.Unknown)
				d.is(t, "lea", ldaptest.Password, 0)
				if n := len(d.servers[0].idle); n != 1 {
					t.Errorf("%d connections wait; one was enough", n)
				}
			})
		}
	}
}

// Names that would mean something else to a directory mean nobody.
func TestNamesAreNoPatterns(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	for way, c := range ways(s, s.LDAPS) {
		t.Run(way, func(t *testing.T) {
			d := open(t, c)
			for _, name := range []string{"*", "a*", "ann)(uid=*", "ann)(|(uid=*", `ann\2a`, "ann,ou=people", "uid=ann",
				"ann+uid=bob", "", " ", "ann\x00", "a\u00adnn", "a nn", "ann;x", `"ann"`, "ａnn", strings.Repeat("a", 300)} {
				d.is(t, name, ldaptest.Password, fault.Unknown)
			}
		})
	}
	c := ways(s, s.LDAPS)["by search"]
	c.Filter = "(sn=%s)"
	d := open(t, c)
	d.is(t, "smith", ldaptest.Password, fault.Unknown) // two have that name
	d.is(t, "jones", ldaptest.Password, 0)
}

// The escaping is what guards, not only the choice of letters.
func TestEscaping(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	for way, c := range ways(s, s.LDAPS) {
		d := open(t, c)
		for _, name := range []string{"*", "a*", "ann)(uid=*", "bob,ou=people,dc=example,dc=edu\x00"} {
			err := d.servers[0].use(t.Context(), func(conn *goldap.Conn) error {
				_, err := d.prove(conn, name, ldaptest.Password)
				return err
			})
			if !fault.Is(err, fault.Unknown) {
				t.Errorf("%s: %q gives %v", way, name, err)
			}
		}
	}
}

// A connection that was a person's is nobody's for the next.
func TestConnectionsAreSharedSafely(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	d := open(t, ways(s, s.LDAPS)["by search"])
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			name, password := "ann", ldaptest.Password
			if i%2 == 0 {
				name = "bob"
			}
			if i%3 == 0 {
				password = "wrong"
			}
			id, err := d.Prove(context.Background(), name, password)
			if (i%3 == 0) != fault.Is(err, fault.Unknown) || err == nil && id.LoginID != name {
				t.Errorf("%s with %s: %+v, %v", name, password, id, err)
			}
		})
	}
	wg.Wait()
	if n := len(d.servers[0].idle); n < 1 || n > 16 {
		t.Errorf("%d connections wait", n)
	}
}

// A server that is down, or hangs, or talks rubbish, is passed over within seconds;
// when none is left the person is told.
func TestFailingServers(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	broken := map[string]string{"down": "ldaps://127.0.0.1:1", "silent": listen(t, ""),
		"rubbish": listen(t, "HTTP/1.1 200 OK\r\n\r\n<html>"), "long": listen(t, "\x30\x84\x7f\xff\xff\xff")}
	for how, address := range broken {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			c := ways(s, s.LDAPS)["by search"]
			c.Servers, c.Within = []string{address, s.LDAPS}, 4*time.Second
			d := open(t, c)
			began := time.Now()
			d.is(t, "ann", ldaptest.Password, 0)
			first := time.Since(began)
			d.is(t, "ann", ldaptest.Password, 0)
			if again := time.Since(began) - first; first > 4*time.Second || again > first && again > time.Second {
				t.Errorf("it took %s, then %s", first, again)
			}
			c.Servers, c.Within = []string{address}, time.Second
			began = time.Now()
			open(t, c).is(t, "ann", ldaptest.Password, fault.Upstream)
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("it took %s to tell", took)
			}
		})
	}
}

// listen answers every connection with a text, or never, and gives its address.
func listen(t *testing.T, text string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
			if text != "" {
				_, _ = c.Write([]byte(text))
			}
		}
	}()
	return "ldap://" + l.Addr().String()
}

// A server that was away is asked again when it is back, on new connections.
func TestServerComesBack(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	d := open(t, ways(s, s.LDAPS)["by search"])
	d.is(t, "ann", ldaptest.Password, 0)
	s.Stop()
	d.is(t, "ann", ldaptest.Password, fault.Upstream)
	s.Run(t)
	d.is(t, "ann", ldaptest.Password, 0)
}

// Nobody is trusted whom the given authority does not vouch for, and nothing is
// said before the connection is encrypted.
func TestCertificates(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	c := ways(s, s.LDAPS)["by search"]
	for _, address := range []string{s.LDAPS, s.LDAP} {
		c.Servers, c.CA = []string{address}, ""
		open(t, c).is(t, "ann", ldaptest.Password, fault.Upstream)
	}
	old := ldaptest.Start(t, time.Now().Add(-24*time.Hour))
	d := open(t, ways(old, old.LDAPS)["by search"])
	d.is(t, "ann", ldaptest.Password, fault.Upstream)
	if l := d.Look(t.Context()); len(l) != 1 || l[0].Err == nil || !strings.Contains(l[0].Err.Error(), "expired") {
		t.Errorf("got %+v", l)
	}
}

func TestLook(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	for way, c := range ways(s, s.LDAP) {
		if l := open(t, c).Look(t.Context()); l[0].Err != nil || l[0].Expires.Before(time.Now()) {
			t.Errorf("%s: got %+v", way, l)
		}
	}
	c := ways(s, s.LDAP)["by search"]
	c.Password = "wrong"
	if l := open(t, c).Look(t.Context()); l[0].Err == nil || !strings.Contains(l[0].Err.Error(), "who searches") {
		t.Errorf("got %+v", l)
	}
	open(t, c).is(t, "ann", ldaptest.Password, fault.Upstream) // their own password is not what is wrong
	c = ways(s, s.LDAP)["by search"]
	c.Base = "dc=elsewhere"
	if l := open(t, c).Look(t.Context()); l[0].Err == nil || !strings.Contains(l[0].Err.Error(), "dc=elsewhere") {
		t.Errorf("got %+v", l)
	}
}

func TestCheck(t *testing.T) {
	good := Config{Servers: []string{"ldaps://ldap.example.edu"}, DN: "uid=%s,dc=example,dc=edu"}
	for what, c := range map[string]func(c *Config){
		"not an address": func(c *Config) { c.Servers = []string{"http://ldap.example.edu"} },
		"the pattern":    func(c *Config) { c.Base = "dc=example,dc=edu" },
		"the DN":         func(c *Config) { c.DN = "uid=ann,dc=example,dc=edu" },
		"the filter":     func(c *Config) { c.Filter = "(uid=ann" },
		"who searches":   func(c *Config) { c.BindDN = "cn=reader" },
		"no such file":   func(c *Config) { c.CA = "/nowhere/ca.pem" },
	} {
		bad := good
		c(&bad)
		if err := bad.Check(); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
}
