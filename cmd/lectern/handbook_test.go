package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lectern/internal/people/sso/ldap/ldaptest"
	"lectern/internal/people/sso/saml/samltest"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files/s3test"
	"lectern/internal/platform/mail/mailtest"
)

const handbook = "../../docs/operating.md"

// block is a fenced part of the handbook.
type block struct {
	chapter, language, text string
}

// first is the line that the list at the end of the handbook knows a block by.
func (b block) first() string {
	line, _, _ := strings.Cut(b.text, "\n")
	return strings.TrimSpace(strings.TrimSuffix(line, `\`))
}

// row is one of the list at the end of the handbook.
type row struct{ chapter, first, by string }

var (
	fenced = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```\n")
	listed = regexp.MustCompile("(?m)^\\| ([^|]+) \\| `(.+)` \\| (.+) \\|$")
)

// chapters gives the handbook's chapters in their order, each with its title before it.
func chapters(t *testing.T) (titles, texts []string) {
	t.Helper()
	b, err := os.ReadFile(handbook)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(b), "\n## ")[1:] {
		title, text, _ := strings.Cut(part, "\n")
		titles, texts = append(titles, title), append(texts, text)
	}
	return titles, texts
}

// readHandbook gives the blocks of the handbook and the list of what proves them.
func readHandbook(t *testing.T) (blocks []block, list []row) {
	t.Helper()
	titles, texts := chapters(t)
	for i, text := range texts {
		for _, m := range fenced.FindAllStringSubmatch(text, -1) {
			blocks = append(blocks, block{titles[i], m[1], m[2]})
		}
	}
	for _, m := range listed.FindAllStringSubmatch(texts[len(texts)-1], -1) {
		list = append(list, row{m[1], m[2], m[3]})
	}
	return blocks, list
}

// The handbook has the chapters of a year, and its list names every block once, in order.
func TestTheHandbookListsItsBlocks(t *testing.T) {
	blocks, list := readHandbook(t)
	for i := range max(len(blocks), len(list)) {
		switch {
		case i >= len(blocks):
			t.Errorf("the list names %v, which is not there", list[i])
		case i >= len(list):
			t.Errorf("the list lacks %s: %s", blocks[i].chapter, blocks[i].first())
		case list[i].chapter != blocks[i].chapter || list[i].first != blocks[i].first():
			t.Fatalf("the list names %v where %s has %q", list[i], blocks[i].chapter, blocks[i].first())
		}
	}
	titles, _ := chapters(t)
	if want := []string{"Try", "Install", "Sign-in", "Mail", "Backups and the drill", "Upgrade", "Watch", "Grow",
		"Trouble by symptom", "Disaster", "What proves this page"}; !slices.Equal(titles, want) {
		t.Errorf("the chapters are %q", titles)
	}
}

// A year as the handbook tells it: every block is run, or checked by the tool that its row names.
func TestTheHandbook(t *testing.T) {
	blocks, list := readHandbook(t)
	if len(blocks) != len(list) {
		t.Fatal("the list is not that of the blocks: see TestTheHandbookListsItsBlocks")
	}
	y := newYear(t)
	for len(blocks) > 0 {
		title, n := blocks[0].chapter, 1
		for n < len(blocks) && blocks[n].chapter == title {
			n++
		}
		t.Run(title, func(t *testing.T) {
			y.prepare(t, title)
			for i, b := range blocks[:n] {
				name := fmt.Sprintf("%d %s", i+1, strings.Fields(b.first())[0])
				t.Run(name, func(t *testing.T) { y.check(t, b, list[i].by) })
			}
		})
		blocks, list = blocks[n:], list[n:]
	}
}

// year is the machine of whoever follows the handbook: a scratch directory in which its paths stand.
type year struct {
	root    string            // where / is
	instead map[string]string // what is not of this machine
	said    string            // by the last block that was run
}

// newYear makes the machine, with the servers that the settings of the service name from then on.
func newYear(t *testing.T) *year {
	t.Helper()
	root := t.TempDir()
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	y := &year{root: root}
	for _, dir := range []string{"home", "played", "usr/local/bin", "var/lib", "srv", "etc/systemd/system",
		"etc/nginx/sites-enabled", "etc/caddy", "etc/lectern/tls"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range played {
		y.write(t, "played/"+name, "#!/bin/bash\nset -eu\nROOT="+root+"\n"+text, 0o700)
	}
	t.Cleanup(func() { y.stop(t) })
	certify(t, filepath.Join(root, "etc/lectern/tls/cert.pem"), filepath.Join(root, "etc/lectern/tls/key.pem"), 1)
	y.instead = map[string]string{
		"git ":                                   "git -C " + repo + " ",
		"https://idp.example.edu/idp/shibboleth": samltest.Start(t).Metadata,
		"smtp://lectern:the-password@mail.example.edu:587": "smtp://" + mailtest.Listen(t).Addr + "?tls=never",
	}
	if dbtest.Full() {
		y.instead["go build -o lectern"] = "go -C " + repo + " build -o " + root + "/home/lectern"
	} else if built, err := program(); err == nil { // the same, of which the other tests are made, too
		y.instead["go build -o lectern"] = "cp " + built + " lectern; true"
	}
	for _, port := range []string{"3000", "3001", "3080", "3443"} {
		free := freePort(t)
		y.instead["127.0.0.1:"+port], y.instead["localhost:"+port] = "127.0.0.1:"+free, "localhost:"+free
	}
	for _, dir := range []string{"/var/lib/", "/srv/", "/usr/local/bin/", "/etc/"} {
		y.instead[dir] = root + dir
	}
	return y
}

// played are the commands that would change the machine. systemctl does what the unit of the handbook
// says: it runs its command, with its settings, in its directory.
var played = map[string]string{
	"useradd": `test "${!#}" = lectern`,
	"runuser": `test "$1 $2 $3" = "-u lectern --"; shift 3; exec "$@"`,
	"install": `args=(); while [ $# -gt 0 ]; do case $1 in -o|-g) test "$2" = lectern; shift;; *) args+=("$1");; esac
shift; done; exec /usr/bin/install "${args[@]}"`,
	"journalctl": `test "$1 $2" = "-u lectern"; cat $ROOT/log`,
	"nginx":      `exec /usr/sbin/nginx "$@" -p $ROOT -c $ROOT/etc/nginx/nginx.conf`,
	"systemctl": `unit=$ROOT/etc/systemd/system/lectern.service
stop() { if [ -e $ROOT/pid ]; then pid=$(cat $ROOT/pid); kill $pid; while kill -0 $pid 2>/dev/null; do sleep 0.05; done
	rm $ROOT/pid; fi; }
start() {
	stop
	set -a; . $(sed -n 's/^EnvironmentFile=//p' $unit); set +a
	cd $(sed -n 's/^WorkingDirectory=//p' $unit)
	setsid $(sed -n 's/^ExecStart=//p' $unit) >$ROOT/log 2>&1 </dev/null &
	echo $! >$ROOT/pid
	until grep -q ' ready at ' $ROOT/log; do kill -0 $(cat $ROOT/pid) || { cat $ROOT/log; exit 1; }; sleep 0.05; done
}
case "$*" in
"daemon-reload"|"reload nginx"|"reload caddy") ;;
"enable --now lectern-doctor.timer") test -e $ROOT/etc/systemd/system/lectern-doctor.timer;;
"enable --now lectern"|"start lectern"|"restart lectern") start;;
"stop lectern") stop;;
*) echo "systemctl $* is not played" >&2; exit 1;;
esac`,
}

// before is what bash is told ahead of each block. A service in the foreground is stopped when it is ready.
const before = `set -euo pipefail
serving() { until grep -q ' ready at ' said; do kill -0 $1 || { cat said; return 1; }; sleep 0.05; done
	kill $1; wait $1; }
`

var (
	foreground = regexp.MustCompile(`(?m)^((?:LECTERN_\w+=\S+ )*\./lectern serve[^&\n]*)$`)
	continued  = regexp.MustCompile(`\\\n\s*`)
)

// prepare starts what a chapter needs of others, and fails where the chapter is not known.
func (y *year) prepare(t *testing.T, chapter string) {
	t.Helper()
	switch chapter {
	case "Grow":
		bucket, database := s3test.Location(s3test.Start(t), "/lectern/"), dbtest.Bare(t, "postgres")
		y.instead["s3://KEY:SECRET@s3.example.edu/lectern/?region=eu-west-1"] = bucket
		y.instead["postgres://lectern:the-password@db.example.edu/lectern"] = database
		t.Cleanup(func() { y.stop(t) }) // before these end
	case "Try", "Install", "Sign-in", "Mail", "Backups and the drill", "Upgrade", "Watch", "Disaster":
	default:
		t.Fatalf("nothing is known of the chapter %s", chapter)
	}
}

// check runs a block, or gives it to the tool that its row names.
func (y *year) check(t *testing.T, b block, by string) {
	t.Helper()
	want := map[string]string{"sh": "run", "text": "what the block before prints", "nginx": "`nginx -t`",
		"ini": "`systemd-analyze verify`", "caddyfile": "`caddy validate`"}[b.language]
	if by != want || want == "" {
		t.Fatalf("a block of %q is checked by %q", b.language, by)
	}
	switch b.language {
	case "sh":
		y.run(t, b)
	case "text":
		y.printed(t, b)
	default:
		y.file(t, b)
	}
}

// run gives a block to bash as it stands, but for what is not of this machine.
func (y *year) run(t *testing.T, b block) {
	t.Helper()
	y.meet(t, b)
	text := foreground.ReplaceAllString(continued.ReplaceAllString(y.here(b.text), ""),
		"rm -f said; touch said; $1 --addr 127.0.0.1:0 >said 2>&1 & serving $!!") // what was said before is gone
	text = strings.NewReplacer("$!!", "$!", "--redirect-addr :80 ", "--redirect-addr 127.0.0.1:0 ").Replace(text)
	c := exec.CommandContext(t.Context(), "bash", "-c", before+text)
	c.Dir, c.Env = filepath.Join(y.root, "home"), y.environment()
	c.Stdin = strings.NewReader("a long enough password\n")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = 10 * time.Second
	out, err := c.CombinedOutput()
	if y.said = string(out); err != nil {
		log, _ := os.ReadFile(filepath.Join(y.root, "log"))
		t.Fatalf("%s\n%v\n%s\nthe service: %.2000s", text, err, out, log)
	}
}

// meet starts what a block alone needs of others.
func (y *year) meet(t *testing.T, b block) {
	t.Helper()
	switch {
	case strings.Contains(b.text, "ldap.example.edu"):
		s := ldaptest.Start(t, time.Time{})
		y.instead["ldaps://ldap.example.edu"], y.instead["/etc/lectern/ldap-ca.pem"] = s.LDAPS, s.CA
	case strings.Contains(b.text, "/lectern-backups/"):
		y.instead["s3://KEY:SECRET@s3.example.edu/lectern-backups/?region=eu-west-1"] = s3test.Location(s3test.Start(t),
			"/lectern-backups/")
		y.keep(t, "var/lib/lectern/settings.env") // which it changes, in the place of the block before
	case strings.Contains(b.text, "age1…"):
		key, err := os.ReadFile(filepath.Join(y.root, "home", "backup.key"))
		if err != nil {
			t.Fatal(err)
		}
		y.instead["age1…"] = regexp.MustCompile(`age1[0-9a-z]+`).FindString(string(key))
	}
	for word, tool := range map[string]string{"caddy ": "caddy", "curl ": "curl", "openssl ": "openssl",
		"nginx ": nginx, "git ": "git"} {
		if strings.Contains(b.text, word) {
			has(t, tool)
		}
	}
}

// here puts what this machine has in the place of what the handbook names.
func (y *year) here(text string) string {
	var pairs []string
	names := slices.SortedFunc(maps.Keys(y.instead), func(a, b string) int { return len(b) - len(a) })
	for _, name := range names {
		pairs = append(pairs, name, y.instead[name])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func (y *year) environment() []string {
	home := filepath.Join(y.root, "home")
	env := []string{"HOME=" + home, "PATH=" + filepath.Join(y.root, "played") + ":" + filepath.Join(y.root,
		"usr/local/bin") + ":" + os.Getenv("PATH") + ":/usr/sbin"}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "GOPROXY"} {
		if out, err := exec.Command("go", "env", name).Output(); err == nil {
			env = append(env, name+"="+strings.TrimSpace(string(out)))
		}
	}
	return env
}

// printed sees that the block before said this; … stands for what differs.
func (y *year) printed(t *testing.T, b block) {
	t.Helper()
	pattern := strings.ReplaceAll(regexp.QuoteMeta(y.here(b.text)), "…", ".+")
	if !regexp.MustCompile(pattern).MatchString(y.said) {
		t.Errorf("it said %s", y.said)
	}
}

// file writes a block where its first line says, and has it checked by its own tool.
func (y *year) file(t *testing.T, b block) {
	t.Helper()
	path := strings.TrimPrefix(b.first(), "# ")
	y.write(t, path, y.here(b.text), 0o600)
	path = filepath.Join(y.root, path)
	var args []string
	switch b.language {
	case "nginx":
		around := strings.ReplaceAll(fmt.Sprintf(aroundNginx, y.root, "include "+path+";"), "daemon off;\n", "")
		y.write(t, "etc/nginx/nginx.conf", around, 0o600)
		args = []string{nginx, "-t", "-p", y.root, "-c", filepath.Join(y.root, "etc/nginx/nginx.conf")}
	case "ini":
		args = []string{"systemd-analyze", "verify", "--man=no", path}
	case "caddyfile":
		args = []string{"caddy", "validate", "--adapter", "caddyfile", "--config", path}
	}
	has(t, args[0])
	c := exec.CommandContext(t.Context(), args[0], args[1:]...)
	c.Env = y.environment()
	if out, err := c.CombinedOutput(); err != nil || b.language == "ini" && len(out) > 0 {
		t.Errorf("%v: %v %s", args, err, out)
	}
}

// has skips a test where a tool is missing.
func has(t *testing.T, tool string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		dbtest.Missing(t, "no %s: %v", tool, err)
	}
}

// keep puts a file back as it is now when the test ends.
func (y *year) keep(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(y.root, path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { y.write(t, path, string(text), 0o600) })
}

func (y *year) write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(y.root, path), []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// stop ends the service, as its systemctl does.
func (y *year) stop(t *testing.T) {
	t.Helper()
	c := exec.Command(filepath.Join(y.root, "played", "systemctl"), "stop", "lectern")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v %s", err, out)
	}
}
