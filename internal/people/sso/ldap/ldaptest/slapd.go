// Package ldaptest runs Debian's slapd for tests: a private server on this machine,
// with a few people, that takes passwords on encrypted connections only.
package ldaptest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db/dbtest"
)

// Where everything is in the directory.
const (
	Base     = "dc=example,dc=edu"
	People   = "ou=people," + Base
	Reader   = "cn=reader," + Base // may search
	Password = "correct horse"     // of everybody
)

// program is where Debian puts the server's programs, which few have on their path.
const program = "/usr/sbin/"

// Server is a running slapd.
type Server struct {
	LDAPS, LDAP string // its addresses, encrypted from the first byte and by StartTLS
	CA          string // file of who vouches for its certificate
	dir         string
	cmd         *exec.Cmd
}

// people are entries below People: ann and bob, whose surnames are the same; lea, a
// tutor; and one whose name is a star.
const people = `dn: dc=example,dc=edu
objectClass: domain

dn: ou=people,dc=example,dc=edu
objectClass: organizationalUnit

dn: cn=reader,dc=example,dc=edu
objectClass: organizationalRole
objectClass: simpleSecurityObject
userPassword: correct horse

dn: uid=ann,ou=people,dc=example,dc=edu
objectClass: inetOrgPerson
cn: Ann Smith
sn: Smith
givenName: Ann
mail: ann@example.edu
employeeType: student
userPassword: correct horse

dn: uid=bob,ou=people,dc=example,dc=edu
objectClass: inetOrgPerson
cn: Bob Smith
sn: Smith
givenName: Bob
mail: bob@example.edu
employeeType: student
userPassword: correct horse

dn: uid=lea,ou=people,dc=example,dc=edu
objectClass: inetOrgPerson
cn: Lea Jones
sn: Jones
givenName: Lea
mail: lea@example.edu
employeeType: staff
userPassword: correct horse
`

const config = `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile %[1]s/slapd.pid
TLSCertificateFile %[1]s/server.pem
TLSCertificateKeyFile %[1]s/server.key
security simple_bind=128
database mdb
maxsize 16777216
suffix "dc=example,dc=edu"
directory %[1]s/db
access to attrs=userPassword by anonymous auth
access to * by self read by dn.exact="cn=reader,dc=example,dc=edu" read by anonymous auth
`

// Start runs a server until the test ends. Its certificate is good for an hour from
// some moment, now when that is zero.
func Start(t testing.TB, certified time.Time) *Server {
	t.Helper()
	if _, err := os.Stat(program + "slapd"); err != nil {
		dbtest.Missing(t, "slapd")
	}
	s := &Server{dir: t.TempDir()}
	s.CA = filepath.Join(s.dir, "server.pem") // it vouches for itself
	if certified.IsZero() {
		certified = time.Now()
	}
	certify(t, s.dir, certified)
	write(t, s.dir, "slapd.conf", fmt.Appendf(nil, config, s.dir))
	write(t, s.dir, "people.ldif", []byte(people))
	if err := os.Mkdir(filepath.Join(s.dir, "db"), 0o700); err != nil {
		t.Fatal(err)
	}
	load := exec.CommandContext(t.Context(), program+"slapadd", "-f", s.file("slapd.conf"), "-l", s.file("people.ldif"))
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("slapadd: %v %s", err, out)
	}
	s.LDAP, s.LDAPS = "ldap://"+free(t), "ldaps://"+free(t)
	s.Run(t)
	return s
}

func (s *Server) file(name string) string { return filepath.Join(s.dir, name) }

// Run starts the server, again after Stop.
func (s *Server) Run(t testing.TB) {
	t.Helper()
	var out bytes.Buffer
	s.cmd = exec.Command(program+"slapd", "-h", s.LDAP+"/ "+s.LDAPS+"/", "-f", s.file("slapd.conf"), "-d", "0")
	s.cmd.Stderr = &out
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	var err error
	if !waittest.Within(20*time.Second, func() bool {
		var c net.Conn
		if c, err = net.Dial("tcp", s.LDAPS[len("ldaps://"):]); err == nil {
			c.Close()
		}
		return err == nil
	}) {
		t.Fatalf("slapd does not answer: %v %s", err, out.String())
	}
}

// Stop ends the server.
func (s *Server) Stop() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

// free gives an address on this machine that nobody listens on.
func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func certify(t testing.TB, dir string, from time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "slapd of a test"},
		NotBefore: from.Add(-time.Minute), NotAfter: from.Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "server.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	write(t, dir, "server.key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
}

func write(t testing.TB, dir, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}
