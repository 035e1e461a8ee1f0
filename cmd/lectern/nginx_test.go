package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/web/api"
	"lectern/internal/web/endpoint"
)

const nginx = "/usr/sbin/nginx"

// documentedNginx is what docs/operating.md tells to give to nginx.
func documentedNginx(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "```nginx\n")
	block, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/operating.md has nothing for nginx")
	}
	return block
}

// freePort gives a port of this machine that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// replaced puts each second text in the place of the first, which must be there.
func replaced(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("there is no %q in %s", pairs[i], text)
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

// What stands around the documented blocks: Debian's own has more of it.
const aroundNginx = `daemon off;
pid %[1]s/nginx.pid;
error_log stderr warn;
events {}
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	%[2]s
}
`

// startNginx checks the documented settings by nginx -t, runs them before an instance, and gives
// the address and who trusts its certificate.
func startNginx(t *testing.T, port string, to *instance) *x509.CertPool {
	t.Helper()
	dir := t.TempDir()
	trusted := certify(t, filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), 1)
	block := replaced(t, documentedNginx(t), "listen 443 ssl", "listen 127.0.0.1:"+port+" ssl", "listen 80",
		"listen 127.0.0.1:"+freePort(t), "server_name lectern.example.edu", "server_name localhost",
		"/etc/lectern/tls/", dir+"/", "http://127.0.0.1:3000", to.url)
	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, aroundNginx, dir, block), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(nginx, "-t", "-p", dir, "-c", conf).CombinedOutput(); err != nil {
		t.Fatalf("nginx -t: %v %s", err, out)
	}
	var said bytes.Buffer
	c := exec.Command(nginx, "-p", dir, "-c", conf)
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
		if said.Len() > 0 {
			t.Logf("nginx: %s", said.String())
		}
	})
	waittest.Until(t, "nginx listens", func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return trusted
}

func TestTheDocumentedNginxWorks(t *testing.T) {
	if _, err := os.Stat(nginx); err != nil {
		dbtest.Missing(t, "nginx")
	}
	port := freePort(t)
	public := "https://localhost:" + port
	i := start(t, "--demo", "--data", t.TempDir(), "--public-url", public, "--trusted-proxies", "127.0.0.1")
	trusted := startNginx(t, port, i)
	before := http.DefaultTransport
	http.DefaultTransport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}}
	defer func() { http.DefaultTransport = before }()
	direct := i.url
	i.url = public
	token := i.signIn("aadmin", "password") // and its header Auth_Token comes through
	var sheet strings.Builder
	sheet.WriteString("username,email,first_name,last_name,role\n")
	for n := range 20_000 {
		fmt.Fprintf(&sheet, "somebody%05d,somebody%05[1]d@students.example.edu,First Name %05[1]d,Name %05[1]d,Student\n", n)
	}
	if sheet.Len() < 1_500_000 {
		t.Fatalf("%d bytes show nothing", sheet.Len())
	}
	i.importSheet(token, sheet.String(), "dry_run")
	i.hears(token)
	if status := statusOf(t, "GET", direct+"/metrics"); status != 200 {
		t.Fatalf("/metrics answers %d", status)
	}
	if status := statusOf(t, "GET", public+"/metrics"); status != 403 {
		t.Errorf("/metrics answers %d through nginx: it tells nothing of who asks", status)
	}
	form := url.Values{"username": {"aadmin"}, "password": {"password"}}
	r, _ := http.NewRequest("POST", public+"/sign-in", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", public)
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || res.StatusCode != http.StatusSeeOther {
		t.Fatalf("a form of our own page: %v %v", res, err)
	}
	res.Body.Close()
	for size, want := range map[int64]int{largestBody(): 401, 600 << 20: 413} {
		if got := announce(t, port, trusted, size); got != want {
			t.Errorf("a body of %d bytes is answered %d, want %d", size, got, want)
		}
	}
	i.stop()
}

// hears listens for events until the first is there.
func (i *instance) hears(token string) {
	i.t.Helper()
	r, _ := http.NewRequest("GET", i.url+"/api/events", http.NoBody)
	r.Header.Set("Username", "aadmin")
	r.Header.Set("Auth_Token", token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		i.t.Fatal(err)
	}
	defer res.Body.Close()
	if line, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil || !strings.HasPrefix(line, "id: ") {
		i.t.Errorf("heard %q, %v", line, err)
	}
}

func statusOf(t *testing.T, method, address string) int {
	t.Helper()
	r, _ := http.NewRequest(method, address, http.NoBody)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

// announce begins a request with a body of some size as nobody, and gives the status of the
// answer, which comes before the body does.
func announce(t *testing.T, port string, trusted *x509.CertPool, size int64) int {
	t.Helper()
	c, err := tls.Dial("tcp", "localhost:"+port, &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST /api/csv/users HTTP/1.1\r\nHost: localhost:%s\r\nContent-Type: multipart/form-data; "+
		"boundary=x\r\nContent-Length: %d\r\n\r\n", port, size)
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

// largestBody is what the largest request has beside its head, as settings are by default.
func largestBody() (most int64) {
	for _, r := range api.New(api.Config{Config: endpoint.Config{Version: "test"}}).Routes() {
		most = max(most, r.MostBody())
	}
	return most
}

func TestTheDocumentedNginxTakesTheLargestUpload(t *testing.T) {
	m := regexp.MustCompile(`client_max_body_size (\d+)m;`).FindStringSubmatch(documentedNginx(t))
	if m == nil {
		t.Fatal("no client_max_body_size")
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if most := largestBody(); err != nil || n<<20 < most || n<<20 > most+most/10 || most != 508_000_000 {
		t.Errorf("%s MiB are documented, and README's 508 MB; the largest body has %d bytes", m[1], most)
	}
}
