package files

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"
)

// childVariable makes the test binary a writer into the directory it names.
const childVariable = "LECTERN_TEST_FILES_CHILD"

// putForever puts random files from four goroutines and says so after each.
func putForever(dir string) {
	s, err := Open(context.Background(), dir)
	if err != nil {
		panic(err)
	}
	for range 4 {
		go func() {
			for {
				content := make([]byte, rand.IntN(400_000))
				rand.NewChaCha8([32]byte{byte(rand.Uint32()), byte(rand.Uint32()), byte(rand.Uint32())}).Read(content)
				info, err := s.Put(context.Background(), bytes.NewReader(content))
				if err != nil {
					panic(err)
				}
				fmt.Printf("%s\n", info.Hash)
			}
		}()
	}
	select {}
}

// TestDiskSurvivesKill kills a writer in the midst of its work, twenty times.
func TestDiskSurvivesKill(t *testing.T) {
	dir := t.TempDir()
	promised := make(map[Hash]bool)
	for round := range 20 {
		for _, h := range putAndKill(t, dir, 1+round%7) {
			promised[h] = true
		}
	}
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	half := leftovers(t, dir)
	for _, info := range list(t, s) {
		if got := read(t, s, info.Hash); hashOf(got) != info.Hash {
			t.Errorf("%s holds something else (%d bytes)", info.Hash, len(got))
		}
		delete(promised, info.Hash)
	}
	if len(promised) > 0 {
		t.Errorf("%d files are gone that were promised", len(promised))
	}
	if half == 0 {
		t.Error("no kill struck a writer at work: this test shows nothing")
	}
	if n, err := s.Sweep(t.Context(), -time.Second); n != half || err != nil || leftovers(t, dir) != 0 {
		t.Errorf("swept %d of %d leftovers: %v", n, half, err)
	}
}

// putAndKill lets a child put at least n files, kills it without warning and
// gives the hashes it promised.
func putAndKill(t *testing.T, dir string, n int) (promised []Hash) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if h := Hash(lines.Text()); h.valid() {
			promised = append(promised, h)
		}
		if len(promised) == n {
			child.Process.Kill()
		}
	}
	child.Wait()
	if len(promised) < n {
		t.Fatalf("the child ended by itself after %d files", len(promised))
	}
	return promised
}
