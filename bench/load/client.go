package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// unit is the demo's first, and definitions are the first of its tasks.
const (
	unit        = 1
	definitions = 8
)

// A load says what a client asks for in its nth request: the path, and the body
// of a comment when it writes.
type load struct {
	name string
	ask  func(p *program, client, n int) request
}

type request struct {
	who  *person
	path string
	body string // POST when there is one
}

var loads = []load{
	{"GET project", project}, {"GET unit", readUnit}, {"GET inbox", inbox}, {"GET students", students},
	{"POST comment", comment}, mixed,
}

// mixed is what an evening looks like: for each comment, nine that look.
var mixed = load{"mixed", func(p *program, client, n int) request {
	return [...]func(*program, int, int) request{project, inbox, conversation, project, readUnit, comment, project,
		conversation, inbox, project}[(client+n)%10](p, client, n)
}}

func (p *program) student(client int) *person { return &p.people[1+client%(len(p.people)-1)] }

func project(p *program, client, _ int) request {
	who := p.student(client)
	return request{who: who, path: fmt.Sprintf("/api/projects/%d", who.projects[0])}
}

func readUnit(p *program, client, _ int) request {
	return request{who: p.student(client), path: fmt.Sprintf("/api/units/%d", unit)}
}

func inbox(p *program, _, _ int) request {
	return request{who: &p.people[0], path: fmt.Sprintf("/api/units/%d/tasks/inbox?limit=30", unit)}
}

func students(p *program, _, _ int) request {
	return request{who: &p.people[0], path: fmt.Sprintf("/api/students?unit_id=%d", unit)}
}

func conversation(p *program, client, n int) request {
	who := p.student(client)
	return request{who: who, path: talk(who, client+n) + "?limit=20"}
}

func comment(p *program, client, n int) request {
	who := p.student(client)
	return request{who: who, path: talk(who, client+n), body: fmt.Sprintf(
		`{"comment":"I have tried what you said, and now the second test passes. (%d, %d, %d)"}`, client, n,
		time.Now().UnixNano())}
}

func talk(who *person, n int) string {
	return fmt.Sprintf("/api/projects/%d/task_def_id/%d/comments", who.projects[0], 1+n%definitions)
}

// result is what a load came to; the lists are milliseconds.
type result struct {
	reads, writes []float64
	failed        int
	err           error
	took          time.Duration
}

func (r *result) total() int { return len(r.reads) + len(r.writes) + r.failed }

func (r *result) rate() float64 { return float64(r.total()-r.failed) / r.took.Seconds() }

func (r *result) percentile(p int) float64 { return at(slices.Concat(r.reads, r.writes), p) }

func at(list []float64, p int) float64 {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return list[min(len(list)-1, len(list)*p/100)]
}

// bombard runs clients that never pause for some time.
func (p *program) bombard(l load, clients int, howLong time.Duration) *result {
	parts := make([]result, clients)
	start := time.Now()
	var all sync.WaitGroup
	for i := range parts {
		all.Go(func() { parts[i].run(p, l, i, start.Add(howLong)) })
	}
	all.Wait()
	sum := &result{took: time.Since(start)}
	for _, r := range parts {
		sum.reads, sum.writes = append(sum.reads, r.reads...), append(sum.writes, r.writes...)
		sum.failed += r.failed
		sum.err = errors.Join(sum.err, r.err)
	}
	return sum
}

// run is one client on one connection.
func (r *result) run(p *program, l load, client int, until time.Time) {
	c, err := net.Dial("tcp", p.address)
	if err != nil {
		r.failed, r.err = 1, err
		return
	}
	defer c.Close()
	in := bufio.NewReaderSize(c, 64<<10)
	for n := 0; time.Now().Before(until); n++ {
		q := l.ask(p, client, n)
		start := time.Now()
		if err := q.send(c, in); err != nil {
			r.failed, r.err = r.failed+1, err
			return
		}
		ms := float64(time.Since(start).Microseconds()) / 1000
		if q.body == "" {
			r.reads = append(r.reads, ms)
		} else {
			r.writes = append(r.writes, ms)
		}
	}
}

// send writes a request and reads its answer. A client of net/http would take
// as much of the machine as the service does.
func (q request) send(c net.Conn, in *bufio.Reader) error {
	text := "GET " + q.path + " HTTP/1.1\r\nHost: localhost\r\n" + q.who.headers
	if q.body != "" {
		text = fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: application/json\r\n"+
			"Content-Length: %d\r\n", q.path, q.who.headers, len(q.body))
	}
	if _, err := io.WriteString(c, text+"\r\n"+q.body); err != nil {
		return err
	}
	a, err := http.ReadResponse(in, nil)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	if a.StatusCode >= 300 {
		b, _ := io.ReadAll(a.Body)
		return fmt.Errorf("%s: %s %s", q.path, a.Status, b)
	}
	_, err = io.Copy(io.Discard, a.Body)
	return err
}
