package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// What a backup may cost.
const (
	costFiles     = 2000 // in .ci/run; LECTERN_TEST_BACKUP_FILES=100000 and -timeout 30m for the whole measure
	costTurns     = 3
	costSpan      = 2 * time.Second
	costP95       = 1.3
	costMemory    = 100 << 20
	costUnchanged = 10 * time.Second
)

// TestABackupCostsLittle measures by turns, in one run, what requests take with a backup beside them
// and without one; what memory the backup takes; and how long the next one takes when nothing
// changed. The figures hold for a machine that has nothing else to do.
func TestABackupCostsLittle(t *testing.T) {
	dbtest.Load(t)
	files, _ := strconv.Atoi(os.Getenv("LECTERN_TEST_BACKUP_FILES"))
	whole := files > 0
	if !whole {
		files = costFiles
	}
	data, key := t.TempDir(), filepath.Join(t.TempDir(), "key")
	i := start(t, "--demo", "--data", data)
	defer i.stop()
	manyFiles(t, data, files)
	recipient := newBackupKey(t, key)
	var ratios []float64
	for range costTurns {
		dir := filepath.Join(t.TempDir(), "backups")
		alone := asked(i, costSpan, nil)
		c := command(t, "backup", "--data", data, "--to", dir, "--recipient", recipient)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { _ = c.Wait(); close(ended) }()
		most := make(chan int64, 1)
		go func() { most <- mostMemory(c.Process.Pid, ended) }()
		beside := asked(i, costSpan, ended)
		<-ended
		if !c.ProcessState.Success() {
			t.Fatal("the backup failed")
		}
		memory := <-most
		ratios = append(ratios, beside.Seconds()/alone.Seconds())
		begun := time.Now()
		if out, err := run(t, "backup", "--data", data, "--to", dir, "--recipient", recipient); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		again := time.Since(begun)
		t.Logf("p95 %v alone, %v beside a backup; it took %d MB; the next of %d unchanged files %v", alone, beside,
			memory>>20, files, again.Round(time.Millisecond))
		if memory == 0 || memory > costMemory || again > costUnchanged {
			t.Errorf("a backup takes %d MB, one of an unchanged place %v", memory>>20, again)
		}
	}
	slices.Sort(ratios)
	middle := ratios[len(ratios)/2]
	t.Logf("requests take %.2f times as long (p95, the middle of %d turns: %.2f)", middle, costTurns, ratios)
	if whole && middle > costP95 {
		t.Errorf("a backup makes requests %.2f times as slow", middle)
	}
}

// mostMemory reads what a process has used at most, until it has ended. What the system tells of a child
// afterwards begins with the memory of the one that started it.
func mostMemory(pid int, ended <-chan struct{}) (most int64) {
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if _, rest, ok := strings.Cut(string(status), "VmHWM:"); ok {
			var kB int64
			_, _ = fmt.Sscan(rest, &kB)
			most = max(most, kB<<10)
		}
		select {
		case <-ended:
			return most
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// asked has two clients ask for a while, or until something ends when that is sooner, and gives
// the time within which 95 of 100 answers came.
func asked(i *instance, span time.Duration, ended <-chan struct{}) time.Duration {
	i.t.Helper()
	token := i.signIn("aadmin", "password")
	var mu sync.Mutex
	var took []time.Duration
	var clients sync.WaitGroup
	until := time.Now().Add(span)
	for range 2 {
		clients.Go(func() {
			for time.Now().Before(until) {
				select {
				case <-ended:
					return
				default:
				}
				begun := time.Now()
				if status, err := i.call("GET", "/api/units", "aadmin", token, "", nil); err != nil || status != 200 {
					i.t.Errorf("%d %v", status, err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(begun))
				mu.Unlock()
			}
		})
	}
	clients.Wait()
	slices.Sort(took)
	return took[len(took)*95/100]
}

// manyFiles lets an installation have so many files more, of 50 KB each up to 5 GB in all.
func manyFiles(t *testing.T, data string, n int) {
	t.Helper()
	d, err := db.Open(filepath.Join(data, "lectern.db"), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	content := make([]byte, 50_000)
	if err := d.Tx(t.Context(), func(q db.Q) error {
		var rows [][]any
		for k := range n {
			copy(content, fmt.Sprintf("file %d ", k))
			sum := sha256.Sum256(content)
			hash := hex.EncodeToString(sum[:])
			path := filepath.Join(data, "files", hash[:2], hash[2:4], hash)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(path, content, 0o600); err != nil {
				return err
			}
			rows = append(rows, []any{hash, int64(len(content)), q.Now()})
		}
		return db.Insert(t.Context(), q, "blobs (hash, size, touched_at)", "", rows)
	}); err != nil {
		t.Fatal(err)
	}
}
