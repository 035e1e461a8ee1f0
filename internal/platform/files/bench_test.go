package files

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// BenchmarkPut puts files of 1 MB and, in the same run, writes and syncs as
// many with nothing around it. It reports the ratio of the two. The store
// must beyond that hash the content and sync the directories it goes into.
func BenchmarkPut(b *testing.B) {
	dir := b.TempDir()
	s := open(b, filepath.Join(dir, "store"))
	content := noise(1, 1<<20)
	b.SetBytes(1 << 20)
	var ours, bare time.Duration
	i := uint64(0)
	for b.Loop() {
		i++
		binary.LittleEndian.PutUint64(content, i)
		start := time.Now()
		if _, err := s.Put(b.Context(), bytes.NewReader(content)); err != nil {
			b.Fatal(err)
		}
		ours += time.Since(start)
		start = time.Now()
		if err := writeAndSync(filepath.Join(dir, strconv.FormatUint(i, 10)), content); err != nil {
			b.Fatal(err)
		}
		bare += time.Since(start)
	}
	b.ReportMetric(float64(ours.Microseconds())/float64(i), "µs/put")
	b.ReportMetric(float64(bare.Microseconds())/float64(i), "µs/bare")
	b.ReportMetric(float64(ours)/float64(bare), "ratio")
}

func writeAndSync(name string, content []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		return err
	}
	return syncAndClose(f, nil)
}
