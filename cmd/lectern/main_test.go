package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db/dbtest"
)

// program builds the binary once; these tests use it as its users do.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "lectern-program-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "lectern")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return path, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := program(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(path, args...)
	c.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	return c
}

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	out, err := command(t, args...).CombinedOutput()
	return string(out), err
}

// instance is a running copy of the program.
type instance struct {
	*exec.Cmd
	t    *testing.T
	url  string
	said bytes.Buffer // before it was ready
	done chan error
}

var ready = regexp.MustCompile(`ready at (https?://[^ ]+)`)

// start runs serve on a free port and waits for it to say that it is ready.
func start(t *testing.T, args ...string) *instance {
	t.Helper()
	return startAs(t, command(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--log-level", "error"}, args...)...))
}

// startAs is start by a command of its own.
func startAs(t *testing.T, c *exec.Cmd) *instance {
	t.Helper()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	i := &instance{Cmd: c, t: t, done: make(chan error, 1)}
	t.Cleanup(func() { _ = c.Process.Kill() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		fmt.Fprintln(&i.said, lines.Text())
		if m := ready.FindStringSubmatch(lines.Text()); m != nil {
			i.url = m[1]
			break
		}
	}
	if i.url == "" {
		t.Fatalf("it did not become ready: %s", i.said.String())
	}
	go func() {
		io.Copy(io.Discard, out)
		i.done <- c.Wait()
	}()
	return i
}

func (i *instance) stop() {
	i.t.Helper()
	if err := i.Process.Signal(syscall.SIGTERM); err != nil {
		i.t.Fatal(err)
	}
	select {
	case err := <-i.done:
		if err != nil {
			i.t.Errorf("stopped badly: %v", err)
		}
	case <-time.After(time.Minute):
		i.t.Fatal("it does not stop")
	}
}

// call sends a request as a signed-in user and decodes the answer.
func (i *instance) call(method, path, user, token, body string, into any) (int, error) {
	r, err := http.NewRequest(method, i.url+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Username", user)
	r.Header.Set("Auth_Token", token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if into != nil {
		err = json.NewDecoder(res.Body).Decode(into)
	}
	return res.StatusCode, err
}

// signIn gives a session of the first administrator.
func (i *instance) signIn(user, password string) string {
	i.t.Helper()
	var got struct {
		Token string `json:"auth_token"`
	}
	body, _ := json.Marshal(map[string]string{"username": user, "password": password})
	if status, err := i.call("POST", "/api/auth", "", "", string(body), &got); err != nil || status != 201 {
		i.t.Fatalf("sign in: %d, %v", status, err)
	}
	return got.Token
}

func TestSmallCommands(t *testing.T) {
	if out, err := run(t, "version"); err != nil || !strings.HasPrefix(out, "lectern ") {
		t.Errorf("version: %v %s", err, out)
	}
	out, err := run(t, "openapi")
	if err != nil || !json.Valid([]byte(out)) {
		t.Errorf("openapi: %v %.100s", err, out)
	}
	data := t.TempDir()
	if out, err := run(t, "doctor", "--data", data); err != nil || !strings.Contains(out, "All is well") {
		t.Errorf("doctor: %v %s", err, out)
	}
	if out, err := run(t, "doctor", "--data", data, "--database-url",
		"postgres://nobody:secret@127.0.0.1:1/x"); err == nil || !strings.Contains(out, "FIX") ||
		strings.Contains(out, "secret") {
		t.Errorf("doctor with a dead database: %v %s", err, out)
	}
	for range 2 {
		if out, err := run(t, "migrate", "--data", data); err != nil || !strings.Contains(out, "up to date") {
			t.Errorf("migrate: %v %s", err, out)
		}
	}
	if out, err := run(t, "serve", "--demo", "--addr", "0.0.0.0:0", "--data", data); err == nil ||
		!strings.Contains(out, "loopback") {
		t.Errorf("demo on every address: %v %s", err, out)
	}
	c := command(t, "version")
	c.Env = append(c.Env, "LECTERN_PUBLICURL=x")
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "LECTERN_PUBLIC_URL") {
		t.Errorf("misspelt variable: %v %s", err, out)
	}
}

// administrator makes aadmin by the commands that need no browser, in the storage that the flags name.
func administrator(t *testing.T, storage ...string) (password string) {
	t.Helper()
	password = "an old wooden lectern"
	if out, err := run(t, append([]string{"user", "add", "aadmin", "--email", "aadmin@example.edu", "--first-name", "First",
		"--last-name", "Administrator", "--role", "Admin"}, storage...)...); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	c := command(t, append([]string{"user", "password", "aadmin"}, storage...)...)
	c.Stdin = strings.NewReader(password + "\n")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	return password
}

// storage gives the flags for an empty database of an engine.
func storage(t *testing.T, engine string) []string {
	t.Helper()
	args := []string{"--data", t.TempDir()}
	if engine == "postgres" {
		args = append(args, "--database-url", dbtest.Address(t, engine))
	}
	return args
}

// A request that is under way when the program is told to stop gets its answer.
func TestStoppingCutsNoRequestOff(t *testing.T) {
	i := start(t, "--demo", "--data", t.TempDir())
	token := i.signIn("aadmin", "password")
	body, feed := io.Pipe()
	r, _ := http.NewRequest("POST", i.url+"/api/campuses", body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Username", "aadmin")
	r.Header.Set("Auth_Token", token)
	// The body is asked for by the handler, so the first write below returns
	// only when the request is under way.
	r.Header.Set("Expect", "100-continue")
	client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
	answer := make(chan error, 1)
	go func() {
		res, err := client.Do(r)
		if err == nil && res.StatusCode != 201 {
			err = fmt.Errorf("status %d", res.StatusCode)
		}
		answer <- err
	}()
	io.WriteString(feed, `{"campus":{"name":"Late","mode":"manual",`)
	if err := i.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "new connections to be refused", func() bool {
		res, err := http.Get(i.url + "/healthz")
		if err == nil {
			res.Body.Close()
		}
		return err != nil
	})
	io.WriteString(feed, `"abbreviation":"L","active":true}}`)
	feed.Close()
	if err := <-answer; err != nil {
		t.Errorf("the request was cut off: %v", err)
	}
	if err := <-i.done; err != nil {
		t.Errorf("stopped badly: %v", err)
	}
}

// Two servers on one SQLite directory do not go together; other commands do.
func TestASecondServerOnOneDirectoryIsRefused(t *testing.T) {
	dir := t.TempDir()
	i := start(t, "--demo", "--data", dir)
	if out, err := run(t, "serve", "--addr", "127.0.0.1:0", "--data", dir); err == nil ||
		!strings.Contains(out, "another lectern serves") {
		t.Errorf("a second server: %v %s", err, out)
	}
	if out, err := run(t, "migrate", "--data", dir); err != nil {
		t.Errorf("migrate beside the server: %v %s", err, out)
	}
	i.stop()
	start(t, "--data", dir).stop()
}

// A body that stopped coming does not keep the program from stopping.
func TestStoppingCutsStuckBodiesOff(t *testing.T) {
	i := start(t, "--demo", "--data", t.TempDir(), "--stop-after", "3s")
	c, err := net.Dial("tcp", strings.TrimPrefix(i.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// 100-continue comes once the handler reads.
	fmt.Fprint(c, "POST /api/auth HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n"+
		"Expect: 100-continue\r\n\r\n")
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(c, `{"username":`)
	if err := i.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-i.done; err != nil {
		t.Errorf("stopped badly: %v", err)
	}
}

// Who listens for events would keep the program from stopping for ever.
func TestStoppingEndsListening(t *testing.T) {
	i := start(t, "--demo", "--data", t.TempDir())
	token := i.signIn("aadmin", "password")
	r, _ := http.NewRequest("GET", i.url+"/api/events", http.NoBody)
	r.Header.Set("Username", "aadmin")
	r.Header.Set("Auth_Token", token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	in := bufio.NewReader(res.Body)
	if line, err := in.ReadString('\n'); err != nil || !strings.HasPrefix(line, "id: ") {
		t.Fatalf("heard %q, %v", line, err)
	}
	began := time.Now()
	i.stop()
	if took := time.Since(began); took > 20*time.Second { // a request is waited for 30 s
		t.Errorf("it took %v to stop", took)
	}
	if _, err := io.ReadAll(in); err != nil {
		t.Errorf("the stream was cut off, not ended: %v", err)
	}
}

// What was acknowledged is there after kill -9, on both databases.
func TestAcknowledgedWritesSurviveAKill(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			place := storage(t, engine)
			args := append(slices.Clone(place), "--demo")
			var acknowledged []string
			for round := range 3 {
				i := start(t, args...)
				token := i.signIn("aadmin", "password")
				acknowledged = append(acknowledged, writeUntilKilled(i, token, round)...)
				<-i.done
				verifyAudit(t, place...)
			}
			i := start(t, args...)
			i.hasCampuses(acknowledged)
			if len(acknowledged) == 0 {
				t.Error("nothing was written")
			}
			i.awaitEntries(len(acknowledged))
			i.stop()
			if out := verifyAudit(t, place...); strings.Contains(out, "wait") || strings.Contains(out, "not sealed") {
				t.Errorf("an orderly end left something undone: %s", out)
			}
		})
	}
}

// addCampus makes a campus and gives the status of the answer.
func (i *instance) addCampus(token, name string) (int, error) {
	return i.call("POST", "/api/campuses", "aadmin", token,
		fmt.Sprintf(`{"campus":{"name":%q,"mode":"manual","abbreviation":%q,"active":true}}`, name, name), nil)
}

// hasCampuses sees that all campuses that were acknowledged are there.
func (i *instance) hasCampuses(names []string) {
	i.t.Helper()
	var campuses []struct{ Name string }
	if _, err := i.call("GET", "/api/campuses", "", "", "", &campuses); err != nil {
		i.t.Fatal(err)
	}
	there := map[string]bool{}
	for _, c := range campuses {
		there[c.Name] = true
	}
	for _, name := range names {
		if !there[name] {
			i.t.Errorf("%s was acknowledged and is gone", name)
		}
	}
}

// writeUntilKilled makes campuses while the program is killed under it, and
// tells which ones were acknowledged.
func writeUntilKilled(i *instance, token string, round int) (names []string) {
	time.AfterFunc(time.Duration(50+40*round)*time.Millisecond, func() { _ = i.Process.Kill() })
	for n := 0; ; n++ {
		name := fmt.Sprintf("C%d-%d", round, n)
		status, err := i.addCampus(token, name)
		if err != nil {
			return names
		}
		if status == 201 {
			names = append(names, name)
		}
	}
}

// The promises about size and speed of the idle program. What it computes from start to end
// is measured on any machine, how long that takes only where nothing else runs.
func TestStartsFastAndSmall(t *testing.T) {
	data := t.TempDir()
	start(t, "--data", data).stop()
	best, computed, memory := time.Hour, time.Hour, int64(math.MaxInt64)
	var i *instance
	for range 3 {
		if i != nil {
			i.stop()
			computed = min(computed, i.ProcessState.UserTime()+i.ProcessState.SystemTime())
		}
		begin := time.Now()
		i = start(t, "--data", data)
		if _, err := http.Get(i.url + "/api/settings"); err != nil {
			t.Fatal(err)
		}
		best, memory = min(best, time.Since(begin)), min(memory, held(t, i.Process.Pid))
	}
	t.Logf("first answer after %v, %v computed, %d MB held", best, computed, memory>>20)
	if computed > 300*time.Millisecond {
		t.Errorf("starting and stopping takes %v of a processor", computed)
	}
	if dbtest.Quiet() && best > 300*time.Millisecond {
		t.Errorf("the first answer took %v", best)
	}
	if memory > 24<<20 {
		t.Errorf("idle it holds %d MB", memory>>20)
	}
	i.stop()
}

// held is the memory that a program holds for itself. Pages of its own file are the
// kernel's, which maps as many as it happens to have read and takes them back as it likes.
func held(t *testing.T, pid int) int64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("no /proc on this system")
	}
	m := regexp.MustCompile(`RssAnon:\s+(\d+) kB`).FindSubmatch(b)
	n, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}
