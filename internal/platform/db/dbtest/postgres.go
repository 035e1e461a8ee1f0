package dbtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver

	"lectern/internal/ground/waittest"
)

// server is a PostgreSQL server that tests may fill with databases.
type server struct {
	base     string // address of its maintenance database
	run      string // stands in the names of databases: others may use the server, also under our number of before
	admin    *sql.DB
	template string
	mu       sync.Mutex // CREATE DATABASE wants its template to itself
	free     []string   // databases to use again
	made     int
	cleaners map[string]*cleaner // by database
}

var postgresServer = sync.OnceValues(func() (*server, error) {
	base := os.Getenv("LECTERN_TEST_DATABASE_URL")
	if base == "" {
		var err error
		if base, err = startPostgres(); err != nil {
			return nil, err
		}
	}
	admin, err := sql.Open("pgx", base)
	if err != nil {
		return nil, err
	}
	run := fmt.Sprintf("%d_%d", os.Getpid(), time.Now().UnixNano())
	s := &server{base: base, run: run, admin: admin, template: "lectern_template_" + run,
		cleaners: map[string]*cleaner{}}
	if err := s.exec("CREATE DATABASE " + s.template); err != nil {
		return nil, err
	}
	return s, migrate(s.address(s.template))
})

func (s *server) exec(text string) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	_, err := s.admin.ExecContext(ctx, text)
	return err
}

// take gives an empty, migrated database: one that an earlier test gave back,
// or a new one. Making one costs ten times as much as emptying one.
func (s *server) take() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		name := s.free[n-1]
		s.free = s.free[:n-1]
		return name, nil
	}
	s.made++
	name := fmt.Sprintf("lectern_test_%s_%d", s.run, s.made)
	return name, s.exec("CREATE DATABASE " + name + " TEMPLATE " + s.template + " STRATEGY wal_log")
}

// give empties a database for the next test; one that cannot be emptied, since a
// program that was killed still holds it, say, is dropped.
func (s *server) give(name string) {
	s.mu.Lock()
	c := s.cleaners[name]
	s.mu.Unlock()
	c, err := c.clean(s.address(name))
	if err != nil {
		_ = s.exec("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cleaners[name] = c
	s.free = append(s.free, name)
}

func (s *server) address(name string) string { return withDatabase(s.base, name) }

// binaries finds the directory of initdb and postgres.
func binaries() (string, error) {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(dirs, func(a, b string) int { return version(b) - version(a) })
	for _, d := range append(dirs, "/usr/local/pgsql/bin", "/opt/homebrew/bin", "/usr/bin") {
		if _, err := os.Stat(filepath.Join(d, "initdb")); err == nil {
			return d, nil
		}
	}
	return "", errors.New("set LECTERN_TEST_DATABASE_URL or install the server's package (postgresql)")
}

func version(dir string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	return n
}

// startPostgres runs a private server that listens on a socket in its own
// directory and trades durability for speed. A shell stands between it and the
// test: when the test ends, however it ends, the shell's input closes, and it
// stops the server and removes the directory.
func startPostgres() (string, error) {
	bin, err := binaries()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "lectern-pg-")
	if err != nil {
		return "", err
	}
	owner, err := unprivileged(dir)
	if err != nil {
		return "", err
	}
	attr := &syscall.SysProcAttr{Credential: owner, Setpgid: true}
	init := exec.Command(filepath.Join(bin, "initdb"), "-D", dir+"/data", "-U", "lectern", "-A", "trust", "-E", "UTF8",
		"--locale=C", "-N")
	init.Dir, init.SysProcAttr = dir, attr
	if out, err := init.CombinedOutput(); err != nil {
		return "", fmt.Errorf("initdb: %w: %s", err, out)
	}
	keep := exec.Command("sh", "-c", `"$0" -D "$1/data" -k "$1" -c listen_addresses= -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=200 -c shared_buffers=64MB -c autovacuum=off >"$1/log" 2>&1 &
		pid=$!; cat >/dev/null; kill -QUIT $pid; wait $pid; rm -rf "$1"`, filepath.Join(bin, "postgres"), dir)
	keep.Dir, keep.SysProcAttr = dir, attr
	if err := lifeline(keep); err != nil {
		return "", err
	}
	base := "postgres://lectern@/postgres?host=" + url.QueryEscape(dir)
	return base, answer(base)
}

// held keeps the servers' inputs from being collected, which would close them.
var held []io.WriteCloser

// lifeline starts c with an input that stays open as long as this process.
func lifeline(c *exec.Cmd) error {
	w, err := c.StdinPipe()
	if err != nil {
		return err
	}
	held = append(held, w)
	return c.Start()
}

// unprivileged gives dir to the postgres user when the test runs as root, as
// the server refuses to.
func unprivileged(dir string) (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(dir, uid, gid)
	}
	return nil, errors.New("running as root, and there is no user postgres to run the server as")
}

// answer waits until the server takes connections.
func answer(base string) error {
	d, err := sql.Open("pgx", base)
	if err != nil {
		return err
	}
	defer d.Close()
	waittest.Within(30*time.Second, func() bool {
		err = d.Ping()
		return err == nil || strings.Contains(err.Error(), "does not exist")
	})
	return err
}
