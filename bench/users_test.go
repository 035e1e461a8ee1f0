// Package bench holds the figures the service promises. Each benchmark prints a
// ratio measured in one run, since the machine differs from day to day.
package bench_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
	"lectern/internal/usecase"
	"lectern/internal/web/api"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
)

// campus is a server over n users, of whom the first is an administrator.
type campus struct {
	handler http.Handler
	addr    string // of the database
	admin   *ident.User
	token   string
}

func open(tb testing.TB, engine string, n int) *campus {
	tb.Helper()
	c := &campus{addr: dbtest.Address(tb, engine)}
	d, err := db.Open(c.addr, db.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { d.Close() })
	store, err := files.Open(tb.Context(), tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	c.handler = api.New(api.Config{Usecases: usecase.New(usecase.Config{DB: d, Files: store}), Config: endpoint.Config{DB: d, Spool: tb.TempDir(), Version: "bench",
		HTTP: httpserver.New(httpserver.Config{Log: slog.New(slog.NewJSONHandler(io.Discard, nil))})}})
	if err := d.Tx(tb.Context(), func(q db.Q) error { return c.fill(tb.Context(), q, n) }); err != nil {
		tb.Fatal(err)
	}
	return c
}

func (c *campus) fill(ctx context.Context, q db.Q, n int) (err error) {
	c.admin, err = ident.Add(ctx, q, ident.NewUser{Username: "aadmin", Email: "aadmin@example.edu", FirstName: "A",
		LastName: "Admin", Role: policy.Admin})
	if err != nil {
		return err
	}
	if c.token, err = ident.Start(ctx, q, c.admin, true); err != nil {
		return err
	}
	rows := make([][]any, 0, n)
	for i := range n - 1 {
		name := "student" + strconv.Itoa(i)
		rows = append(rows, []any{name, name, name + "@example.edu", name + "@example.edu", strconv.Itoa(i),
			"Firstname", "Familyname", int64(policy.Student), q.Now(), q.Now()})
	}
	return db.Insert(ctx, q, "users (username, username_key, email, email_key, student_id, first_name, last_name, "+
		"role, created_at, updated_at)", "", rows)
}

func (c *campus) request(path string) *http.Request {
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Username", c.admin.Username)
	r.Header.Set("Auth-Token", c.token)
	return r
}

// bare is the same endpoint by hand: the same two statements, nothing else.
type bare struct{ db *sql.DB }

func (b bare) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	var session, user, role int64
	var name, key string
	var expires clock.Time
	var disabled *clock.Time
	err := b.db.QueryRowContext(ctx, `SELECT s.id, s.user_id, u.username, u.username_key, u.role, s.expires_at,
		u.disabled_at
		FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.token_hash = $1`, sha(r.Header.Get("Auth-Token"))).
		Scan(&session, &user, &name, &key, &role, &expires, &disabled)
	if err != nil || disabled != nil || key != strings.ToLower(r.Header.Get("Username")) || expires.Before(time.Now()) {
		http.Error(w, "no", http.StatusUnauthorized)
		return
	}
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || role != int64(policy.Admin) && id != user {
		http.Error(w, "no", http.StatusForbidden)
		return
	}
	var u ident.User
	err = b.db.QueryRowContext(ctx, `SELECT id, student_id, email, first_name, last_name, username, coalesce(nickname, ''),
		receive_task_notifications, receive_portfolio_notifications, receive_feedback_notifications,
		opt_in_to_research, has_run_first_time_setup, pronouns, role, disabled_at IS NOT NULL AS disabled
		FROM users WHERE id = $1`, id).
		Scan(&u.ID, &u.StudentID, &u.Email, &u.FirstName, &u.LastName, &u.Username, &u.Nickname,
			&u.ReceiveTaskNotifications,
			&u.ReceivePortfolioNotifications, &u.ReceiveFeedbackNotifications, &u.OptInToResearch,
			&u.HasRunFirstTimeSetup, &u.Pronouns, &u.Role, &u.Disabled)
	if err != nil {
		http.Error(w, "no", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(&u) //nolint:errcheck // the client left
}

func sha(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func openBare(tb testing.TB, engine, addr string) http.Handler {
	tb.Helper()
	driver, name := "sqlite", "file:"+addr+"?_pragma=journal_mode(WAL)&_pragma=query_only(1)&_pragma=cache_size(-8000)"
	if engine == "postgres" {
		driver, name = "pgx", addr
	}
	d, err := sql.Open(driver, name)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { d.Close() })
	d.SetMaxIdleConns(16)
	mux := http.NewServeMux()
	mux.Handle("GET /api/users/{id}", bare{d})
	return mux
}

// BenchmarkGetUser compares an authenticated GET of a user with a bare handler
// that runs the same two statements, without a network between: a ratio of 2 is
// the most that routing, decoding, rights, request ids and logs may cost.
func BenchmarkGetUser(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			c := open(b, engine, 1000)
			byHand := openBare(b, engine, c.addr)
			serve := func(h http.Handler) time.Duration {
				w, r := httptest.NewRecorder(), c.request("/api/users/77")
				start := time.Now()
				h.ServeHTTP(w, r)
				took := time.Since(start)
				if w.Code != 200 {
					b.Fatalf("%d: %s", w.Code, w.Body)
				}
				return took
			}
			for range 50 {
				serve(c.handler)
				serve(byHand)
			}
			var ours, theirs time.Duration
			for b.Loop() {
				ours += serve(c.handler)
				theirs += serve(byHand)
			}
			b.ReportMetric(float64(ours)/float64(b.N)/1e3, "µs/ours")
			b.ReportMetric(float64(theirs)/float64(b.N)/1e3, "µs/bare")
			b.ReportMetric(float64(ours)/float64(theirs), "ratio")
			b.ReportMetric(0, "ns/op")
			if ratio := float64(ours) / float64(theirs); b.N >= 1000 && ratio > 2 {
				b.Errorf("%.2f times the bare handler", ratio)
			}
		})
	}
}

// BenchmarkListUsers tells what a list of 1,000 and of 10,000 users costs.
func BenchmarkListUsers(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			c := open(b, "sqlite", n)
			w := &gauge{h: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				c.handler.ServeHTTP(w, c.request("/api/users"))
			}
			b.ReportMetric(float64(w.size)/float64(b.N)/1e6, "MB-sent")
		})
	}
}

// gauge takes an answer and notes how much memory is in use on the way.
type gauge struct {
	h    http.Header
	size int64
	most uint64
}

func (g *gauge) Header() http.Header { return g.h }
func (g *gauge) WriteHeader(int)     {}
func (g *gauge) Write(p []byte) (int, error) {
	g.size += int64(len(p))
	return len(p), nil
}

// measure collects, then asks: what is left is really in use.
func (g *gauge) measure() {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	g.most = max(g.most, m.HeapAlloc)
}

// live measures at every write.
type live struct{ *gauge }

func (l live) Write(p []byte) (int, error) {
	l.measure()
	return l.gauge.Write(p)
}

func TestMemoryOfAListDoesNotGrow(t *testing.T) {
	most := map[int]uint64{}
	for _, n := range []int{2000, 10_000} {
		c := open(t, "sqlite", n)
		c.handler.ServeHTTP(&gauge{h: http.Header{}}, c.request("/api/users?limit=1"))
		before := &gauge{}
		before.measure()
		g := &gauge{h: http.Header{}}
		c.handler.ServeHTTP(live{g}, c.request("/api/users"))
		most[n] = g.most - min(g.most, before.most)
		t.Logf("%d users: %d bytes sent, %d more in use at most", n, g.size, most[n])
	}
	if most[10_000] > most[2000]+1<<20 {
		t.Errorf("memory grew with the list: %v", most)
	}
}

// Fifty clients read a long list at 1 KB/s; others must not notice.
func TestSlowReaders(t *testing.T) {
	dbtest.Load(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			c := open(t, engine, 10_000)
			server := httptest.NewServer(c.handler)
			defer server.CloseClientConnections()
			quiet := c.latency(t, server.URL, 5*time.Second)
			ctx, stop := context.WithCancel(t.Context())
			var reading atomic.Int64
			var wg sync.WaitGroup
			for range 50 {
				wg.Go(func() { c.crawl(ctx, t, server.Listener.Addr().String(), &reading) })
			}
			for reading.Load() < 50 && ctx.Err() == nil {
				runtime.Gosched()
			}
			// A machine that stops for a moment does so once; a reader in the way stays there.
			busy := c.latency(t, server.URL, 10*time.Second)
			for again := 0; again < 2 && busy.most > 100*time.Millisecond; again++ {
				t.Logf("a request took %v; once more", busy.most)
				busy = c.latency(t, server.URL, 10*time.Second)
			}
			if n := reading.Load(); n != 50 {
				t.Errorf("%d are still reading", n)
			}
			stop()
			wg.Wait()
			t.Logf("p99 %v, slowest %v; without the readers %v and %v", busy.p99, busy.most, quiet.p99, quiet.most)
			if busy.most > 100*time.Millisecond {
				t.Errorf("a request took %v", busy.most)
			}
		})
	}
}

// crawl reads the list at 1 KB/s through a small window until it is stopped.
func (c *campus) crawl(ctx context.Context, t *testing.T, addr string, reading *atomic.Int64) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	conn.(*net.TCPConn).SetReadBuffer(4 << 10) //nolint:errcheck // only a hint
	fmt.Fprintf(conn, "GET /api/users HTTP/1.1\r\nHost: x\r\nUsername: %s\r\nAuth-Token: %s\r\n\r\n", c.admin.Username,
		c.token)
	r := bufio.NewReaderSize(conn, 1<<10)
	if _, err := r.ReadByte(); err != nil {
		t.Error(err)
		return
	}
	reading.Add(1)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if _, err := io.CopyN(io.Discard, r, 1<<10); err != nil {
				reading.Add(-1)
				return
			}
		}
	}
}

type latency struct{ p99, most time.Duration }

// latency sends requests for a while, one after the other.
func (c *campus) latency(t *testing.T, url string, long time.Duration) latency {
	var all []time.Duration
	for end := time.Now().Add(long); time.Now().Before(end); {
		all = append(all, c.probe(t, url))
	}
	slices.Sort(all)
	return latency{all[len(all)*99/100], all[len(all)-1]}
}

func (c *campus) probe(t *testing.T, url string) time.Duration {
	r, err := http.NewRequestWithContext(t.Context(), "GET", url+"/api/users/77", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = c.request("/").Header
	start := time.Now()
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != 200 {
		t.Fatalf("%d, %v", res.StatusCode, err)
	}
	return time.Since(start)
}
