package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/platform/db/dbtest"
)

const (
	guessers      = 100
	guessEvery    = 6 * time.Second
	ownerWaits    = 2 * time.Second
	mostGuessWork = time.Minute
)

// TestAThousandGuesses: a thousand wrong passwords for one account come from a
// hundred addresses within a minute. Its owner signs in from the usual address
// within two seconds throughout, and the server works less than a minute for it
// all. Without LECTERN_TEST_FULL it is the first 12 seconds of such a minute.
func TestAThousandGuesses(t *testing.T) {
	dbtest.Load(t)
	each := 2 // what is tried at all is about as many
	if dbtest.Full() {
		each = 10
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			args := []string{"--data", filepath.Join(t.TempDir(), "data"), "--demo", "--trusted-proxies", "127.0.0.1"}
			if engine == "postgres" {
				args = append(args, "--database-url", dbtest.Address(t, engine))
			}
			i := start(t, args...)
			if got, _ := i.signInFrom(t.Context(), "203.0.113.5", "password"); got != http.StatusCreated {
				t.Fatalf("the owner gets %d on a quiet day", got)
			}
			answers := i.underAttack(each)
			i.stop()
			work := i.ProcessState.UserTime() + i.ProcessState.SystemTime()
			t.Logf("answers to the guesses: %v; the server worked %v", answers, work)
			if work > mostGuessWork {
				t.Errorf("the server worked %v", work)
			}
			if answers[http.StatusCreated] > 0 || answers[http.StatusInternalServerError] > 0 {
				t.Error("a guess got in, or broke something")
			}
		})
	}
}

// underAttack lets the guessers guess so many times each and the owner sign in all the while, and
// gives the guessers' answers by status.
func (i *instance) underAttack(each int) map[int]int {
	ctx, stop := context.WithTimeout(i.t.Context(), time.Duration(each)*guessEvery+2*time.Minute)
	defer stop()
	var mu sync.Mutex
	answers := map[int]int{}
	var wg sync.WaitGroup
	for g := range guessers {
		wg.Go(func() {
			turn := time.NewTicker(guessEvery)
			defer turn.Stop()
			for range each {
				got, _ := i.signInFrom(ctx, fmt.Sprintf("198.51.100.%d", g+1), "wrong")
				mu.Lock()
				answers[got]++
				mu.Unlock()
				<-turn.C
			}
		})
	}
	over := make(chan struct{})
	go func() { wg.Wait(); close(over) }()
	worst, times := time.Duration(0), 0
	for turn := time.NewTicker(time.Second); ; {
		got, took := i.signInFrom(ctx, "203.0.113.5", "password")
		worst, times = max(worst, took), times+1
		if got != http.StatusCreated || took > ownerWaits {
			i.t.Errorf("the owner gets %d after %v", got, took)
		}
		select {
		case <-over:
			i.t.Logf("the owner signed in %d times, within %v", times, worst)
			return answers
		case <-turn.C:
		}
	}
}

// signInFrom tries a password of a demo account through a proxy that tells the
// client's address.
func (i *instance) signInFrom(ctx context.Context, from, password string) (status int, took time.Duration) {
	body := url.Values{"username": {"student_1"}, "password": {password}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, i.url+"/api/auth", strings.NewReader(body))
	if err != nil {
		i.t.Error(err)
		return 0, 0
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Forwarded-For", from)
	start := time.Now()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		i.t.Error(err)
		return 0, time.Since(start)
	}
	answer.Body.Close()
	return answer.StatusCode, time.Since(start)
}
