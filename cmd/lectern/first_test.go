package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"lectern/internal/platform/db/dbtest"
)

var firstLink = regexp.MustCompile(`https?://[^\s]+(/first-start\?token=([A-Z2-7]{26}))`)

// terminal gives the two ends of a terminal: the one that people read, and the one that a program has.
func terminal(t *testing.T) (read, write *os.File) {
	t.Helper()
	read, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this machine has no terminals: ", err)
	}
	t.Cleanup(func() { read.Close() })
	if err := unix.IoctlSetPointerInt(int(read.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(read.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	write, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return read, write
}

// onTerminal runs serve with its output on a terminal and gives what it said until it was ready, and its log.
func onTerminal(t *testing.T, args ...string) (said, log string) {
	t.Helper()
	read, write := terminal(t)
	c := command(t, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	var kept bytes.Buffer
	c.Stdout, c.Stderr = write, &kept
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	lines := bufio.NewScanner(read)
	for lines.Scan() && !strings.Contains(lines.Text(), "ready at") {
		said += lines.Text() + "\n"
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, read) }()
	if err := c.Wait(); err != nil {
		t.Errorf("%v %s", err, kept.String())
	}
	return said, kept.String()
}

// A terminal is told one link, the log none; and nobody is told one once there is an administrator.
func TestFirstStartPrintsALink(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			args := storage(t, engine)
			said, log := onTerminal(t, args...)
			if n := len(firstLink.FindAllString(said, -1)); n != 1 || strings.Contains(log, "first-start") ||
				strings.Contains(log, firstLink.FindStringSubmatch(said)[2]) {
				t.Errorf("%d links in %q, the log says %q", n, said, log)
			}
			administrator(t, args...)
			if said, _ := onTerminal(t, args...); firstLink.MatchString(said) || strings.Contains(said, "first-link") {
				t.Errorf("with an administrator: %q", said)
			}
		})
	}
}

// What is no terminal is told only how to make a link, and only when every address is taken.
func TestFirstStartElsewhereTellsTheCommand(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	busy := taken.Addr().String()
	dbtest.Engines(t, func(t *testing.T, engine string) {
		args := storage(t, engine)
		for _, words := range [][]string{{"--addr", busy}, {"--addr", "127.0.0.1:0", "--metrics-addr", busy}} {
			out, err := run(t, append(append([]string{"serve"}, words...), args...)...)
			if err == nil || strings.Contains(out, "first-link") || firstLink.MatchString(out) {
				t.Errorf("%v: %v %s", words, err, out)
			}
		}
		i := start(t, args...)
		defer i.stop()
		if said := i.said.String(); firstLink.MatchString(said) || !strings.Contains(said, "lectern first-link") {
			t.Errorf("told %q", said)
		}
	})
}

// The command makes links on the machine; of those brought to two instances one makes an administrator.
func TestFirstLinkOnTwoInstances(t *testing.T) {
	place := storage(t, "postgres")
	one, two := start(t, place...), start(t, "--data", t.TempDir(), place[2], place[3])
	defer one.stop()
	defer two.stop()
	var paths []string
	for range 2 {
		out, err := run(t, append([]string{"first-link"}, place...)...)
		m := firstLink.FindStringSubmatch(out)
		if err != nil || m == nil {
			t.Fatalf("%v %s", err, out)
		}
		paths = append(paths, m[1])
	}
	for i, path := range paths {
		if code := firstStart(t, []*instance{one, two}[i], path, ""); code != 200 {
			t.Fatalf("link %d: %d", i, code)
		}
	}
	codes := make(chan int, 2)
	for i, path := range paths {
		go func() { codes <- firstStart(t, []*instance{one, two}[i], path, "ada"+strconv.Itoa(i)) }()
	}
	if a, b := <-codes, <-codes; a+b != 303+404 {
		t.Errorf("they are answered %d and %d", a, b)
	}
	for i, path := range paths {
		if code := firstStart(t, []*instance{two, one}[i], path, "eve"); code != 404 {
			t.Errorf("link %d afterwards: %d", i, code)
		}
	}
	if out, err := run(t, append([]string{"first-link"}, place...)...); err == nil || firstLink.MatchString(out) {
		t.Errorf("another link: %s", out)
	}
}

// firstStart opens a link, or makes the administrator by it.
func firstStart(t *testing.T, i *instance, path, username string) int {
	no := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c := &http.Client{CheckRedirect: no}
	var res *http.Response
	var err error
	if username == "" {
		res, err = c.Get(i.url + path)
	} else {
		_, token, _ := strings.Cut(path, "=")
		res, err = c.PostForm(i.url+"/first-start", url.Values{"token": {token}, "username": {username},
			"first_name": {"Ada"}, "last_name": {"Min"}, "email": {username + "@example.edu"},
			"password": {"an old wooden lectern"}, "again": {"an old wooden lectern"}})
	}
	if err != nil {
		t.Error(err)
		return 0
	}
	res.Body.Close()
	return res.StatusCode
}

// Every command reads settings.env of the data directory; flags and variables win over it.
func TestCommandsReadSettingsEnv(t *testing.T) {
	data := t.TempDir()
	file := filepath.Join(data, "settings.env")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# ours\nLECTERN_DATA=" + data + "\nLECTERN_PUBLIC_URL='https://from-file.example.edu'\n")
	link := func(flags []string, environ ...string) string {
		t.Helper()
		c := command(t, append([]string{"first-link", "--data", data}, flags...)...)
		c.Env = append(c.Env, environ...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v %s", err, out)
		}
		return string(out)
	}
	variable := "LECTERN_PUBLIC_URL=https://from-variable.example.edu"
	for want, got := range map[string]string{
		"https://from-file.example.edu/first-start":     link(nil),
		"https://from-variable.example.edu/first-start": link(nil, variable),
		"https://from-flag.example.edu/first-start": link([]string{"--public-url", "https://from-flag.example.edu"},
			variable),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	for text, want := range map[string]string{
		"LECTERN_ADDR=127.0.0.1:0\nLECTERN_PUBLICURL=x\n": "settings.env, line 2: LECTERN_PUBLICURL is no setting; did you " +
			"mean LECTERN_PUBLIC_URL?",
		"\nLECTERN_SMTP_URL='smtp://u:hush@h\n":            "settings.env: line 2: the quote is not closed",
		"LECTERN_DATA=/somewhere/else\n":                   "line 1: LECTERN_DATA names another directory",
		"LECTERN_ADDR=127.0.0.1:0\nLECTERN_WORKERS=many\n": "LECTERN_WORKERS is set in line 2 of",
		"\n\nLECTERN_PUBLIC_URL=nonsense\n":                "LECTERN_PUBLIC_URL is set in line 3 of",
		"PATH=/bin\n":                                      "line 1: PATH is no setting",
	} {
		write(text)
		out, err := run(t, "serve", "--data", data)
		if err == nil || !strings.Contains(out, want) || strings.Contains(out, "hush") {
			t.Errorf("%q: %v %s", text, err, out)
		}
	}
}
