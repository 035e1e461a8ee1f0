package dbtest

import (
	"net/url"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Own is a PostgreSQL server of one test, which may stop and start it.
type Own struct {
	testing.TB
	Address string // of its only database, which is migrated
	bin     string
	dir     string
}

// NewOwn starts a server for a test alone.
func NewOwn(t testing.TB) *Own {
	t.Helper()
	bin, err := binaries()
	if err != nil {
		Missing(t, "PostgreSQL: %v", err)
	}
	base, err := startPostgres()
	if err == nil {
		err = migrate(base)
	}
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	// What is acknowledged must survive a crash here, for all the hurry of tests.
	o := &Own{TB: t, Address: base + "&synchronous_commit=on", bin: bin, dir: u.Query().Get("host")}
	t.Cleanup(func() { _ = o.control("stop", "-m", "immediate") })
	return o
}

// Stop ends the server as a crash would.
func (o *Own) Stop() {
	o.Helper()
	if err := o.control("stop", "-m", "immediate"); err != nil {
		o.Fatal(err)
	}
}

// Start starts it again; it may take a moment to recover.
func (o *Own) Start() {
	o.Helper()
	err := o.control("start", "-l", o.dir+"/log", "-o", "-k "+o.dir+" -c listen_addresses=")
	if err == nil {
		err = answer(o.Address)
	}
	if err != nil {
		o.Fatal(err)
	}
}

func (o *Own) control(do string, args ...string) error {
	owner, err := unprivileged(o.dir)
	if err != nil {
		return err
	}
	c := exec.Command(filepath.Join(o.bin, "pg_ctl"), append([]string{do, "-w", "-D", o.dir + "/data"}, args...)...)
	c.Dir, c.SysProcAttr = o.dir, &syscall.SysProcAttr{Credential: owner, Setpgid: true}
	return c.Run()
}
