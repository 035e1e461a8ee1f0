package assess

import (
	"slices"
	"testing"
	"time"

	"lectern/internal/platform/container/enginetest"
	"lectern/internal/platform/db/dbtest"
)

// overhead runs a package that does nothing and the engine's own command line, with
// the same limits, in turns, and gives the medians of both.
func overhead(t testing.TB, n int) (ours, bare time.Duration) {
	t.Helper()
	engine := enginetest.New(t)
	b := newBench(t)
	w := Work{Image: b.image, Package: b.put(t, zipped(t, map[string]string{"run.sh": "true"})).Hash, Limits: tight}
	options := []string{"run", "--rm", "-i", "--log-driver", "none", "--network", "none", "--user", "12345:12345",
		"--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--memory", "64m", "--memory-swap",
		"64m", "--cpus", "1", "--cpu-shares", "2", "--pids-limit", "32", "--ulimit", "nofile=64:64", "--ulimit",
		"nproc=32:32", "--tmpfs", "/work:rw,exec,nosuid,nodev,mode=1777,size=8000000", b.image, "/bin/sh", "-c", "true"}
	times := [2][]time.Duration{}
	for range n {
		begin := time.Now()
		if _, err := b.Run(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		times[0] = append(times[0], time.Since(begin))
		begin = time.Now()
		if out, err := engine.CommandLine(options...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		times[1] = append(times[1], time.Since(begin))
	}
	slices.Sort(times[0])
	slices.Sort(times[1])
	return times[0][n/2], times[1][n/2]
}

// A run costs little more than the engine itself.
func TestOverhead(t *testing.T) {
	dbtest.Load(t)
	ours, bare := overhead(t, 31)
	t.Logf("a run takes %v, the engine's own command line %v: %.2f times", ours, bare, float64(ours)/float64(bare))
	if float64(ours) > 1.5*float64(bare) {
		t.Errorf("%v is more than 1.5 times %v", ours, bare)
	}
}

func BenchmarkRun(b *testing.B) {
	ours, bare := overhead(b, max(b.N, 3))
	b.ReportMetric(float64(ours.Microseconds())/1000, "ms/run")
	b.ReportMetric(float64(bare.Microseconds())/1000, "ms/bare")
	b.ReportMetric(float64(ours)/float64(bare), "run/bare")
	b.ReportMetric(0, "ns/op")
}
