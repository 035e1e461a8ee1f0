package pdf

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"sync/atomic"
)

// The environment of a child: nothing but these.
const (
	childMark   = "LECTERN_PDF_CHILD"
	childMemory = "LECTERN_PDF_MEMORY"
)

// mayStart tells that this program knows how to be a child. Without it a child
// would be a second run of the whole program, or of its tests, without end.
var mayStart atomic.Bool

// MaybeChild must be the first call of main, and of TestMain where tests render.
// In an ordinary start it returns at once; in a child it does the child's work
// and never returns. Render refuses to work without it.
//
// A child reads requests from its standard input and answers on its standard
// output, one JSON value each, until the input ends: also when its parent died.
func MaybeChild() {
	if os.Getenv(childMark) == "" {
		mayStart.Store(true)
		return
	}
	memory, _ := strconv.ParseInt(os.Getenv(childMemory), 10, 64)
	if err := confine(memory); err != nil {
		fmt.Fprintln(os.Stderr, "limits:", err)
		os.Exit(3)
	}
	debug.SetMaxStack(64 << 20)
	out := os.Stdout
	os.Stdout = os.Stderr // what a library prints must not stand among the answers
	fmt.Fprintln(os.Stderr, serve(os.Stdin, out))
	os.Exit(1)
}

// serve answers requests until one cannot be read or answered. The reading
// goroutine ends the process when the parent is gone, even in the middle of work.
func serve(in io.Reader, out io.Writer) error {
	requests := make(chan request)
	failed := make(chan error, 1)
	go func() {
		dec := json.NewDecoder(bufio.NewReader(in))
		for {
			var r request
			if err := dec.Decode(&r); err == io.EOF {
				os.Exit(0)
			} else if err != nil {
				failed <- err
				return
			}
			requests <- r
		}
	}()
	enc := json.NewEncoder(out)
	for {
		select {
		case err := <-failed:
			return fmt.Errorf("request: %w", err)
		case r := <-requests:
			a := answer(r)
			a.Peak = peakMemory()
			if err := enc.Encode(a); err != nil {
				return err
			}
		}
	}
}

// answer does one piece of work. A panic is told as trouble; what cannot be
// recovered from, such as a lack of memory, ends the child.
func answer(r request) (a reply) {
	debug.SetMemoryLimit(gcTarget + r.input())
	defer func() {
		if p := recover(); p != nil {
			a = reply{Trouble: fmt.Sprint(p), Read: readDone{Why: "it is damaged in a way that cannot be read"}}
		}
	}()
	switch {
	case r.Read != nil:
		a.Read = read(r.Read)
	case r.Compose != nil:
		var err error
		if a.Pages, a.Notes, err = compose(r.Compose); err != nil {
			a.Trouble = err.Error()
		}
	case r.Text != nil:
		if err := extract(r.Text); err != nil {
			a.Trouble = shortReason(err)
		}
	case r.Runs != nil:
		if err := r.Runs.find(); err != nil {
			a.Trouble = shortReason(err)
		}
	}
	return a
}

// gcTarget is the memory over its input where the garbage collector of a child
// becomes eager: well under what would kill it, so that ordinary work stays small.
const gcTarget = 72 << 20

// input is the size of what a request holds in memory at one time.
func (r request) input() int64 {
	switch {
	case r.Read != nil:
		if info, err := os.Stat(r.Read.In); err == nil {
			return info.Size()
		}
	case r.Text != nil:
		if info, err := os.Stat(r.Text.In); err == nil {
			return info.Size()
		}
	case r.Compose != nil:
		largest := int64(0)
		for i := range r.Compose.Parts {
			largest = max(largest, r.Compose.Parts[i].Size)
		}
		return largest
	}
	return 0
}
