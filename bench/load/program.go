package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// program is a running service.
type program struct {
	name    string
	cmd     *exec.Cmd
	address string
	people  []person // the tutor first
}

// person is a signed-in account with what a load asks it for.
type person struct {
	headers  string
	projects []int64
}

// start fills a directory with demo data and runs the programs on copies of it.
func start(o options, dir string) ([]*program, error) {
	template := filepath.Join(dir, "template")
	first := o.old
	if first == "" {
		first = o.new
	}
	p, err := serve("template", first, template, "", "--demo")
	if err != nil {
		return nil, err
	}
	p.stop()
	var out []*program
	for _, x := range []struct{ name, path, database string }{{"old", o.old, ""}, {"new", o.new, o.database}} {
		if x.path == "" {
			continue
		}
		data := filepath.Join(dir, x.name)
		if err := os.CopyFS(data, os.DirFS(template)); err != nil {
			return out, err
		}
		p, err := serve(x.name, x.path, data, x.database, "--demo")
		if err != nil {
			return out, err
		}
		out = append(out, p)
		if err := p.signIn(); err != nil {
			return out, err
		}
	}
	return out, nil
}

func serve(name, path, data, database string, flags ...string) (*program, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &program{name: name, address: l.Addr().String()}
	l.Close()
	args := append([]string{"serve", "--data", data, "--addr", p.address, "--database-url", database}, flags...)
	p.cmd = exec.Command(path, args...) //nolint:gosec // the program to be measured
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	for range 600 {
		if r, err := http.Get("http://" + p.address + "/readyz"); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return p, nil
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	p.stop()
	return nil, fmt.Errorf("%s does not start", path)
}

func (p *program) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
}

// memory gives a value of the program's /proc status in kB, 0 where there is none.
func (p *program) memory(key string) int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return n
		}
	}
	return 0
}

// cpu is the time the program has had of the processors, which tells its work
// apart from that of a busy machine. The kernel counts in hundredths of a second.
func (p *program) cpu() time.Duration {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(b), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

const tutor = "atutor"

// signIn opens a session for the demo's tutor and for the unit's students.
func (p *program) signIn() error {
	names := []string{tutor}
	for i := range 20 {
		names = append(names, fmt.Sprintf("student_%d", i))
	}
	for _, name := range names {
		var session struct {
			Token string `json:"auth_token"`
		}
		r, err := http.PostForm("http://"+p.address+"/api/auth", url.Values{"username": {name},
			"password": {"password"}})
		if err != nil {
			return err
		}
		err = json.NewDecoder(r.Body).Decode(&session)
		r.Body.Close()
		if err != nil || session.Token == "" {
			return fmt.Errorf("%s cannot sign in: %s, %w", name, r.Status, err)
		}
		who := person{headers: "Username: " + name + "\r\nAuth-Token: " + session.Token + "\r\n"}
		if err := p.findProjects(&who, name, session.Token); err != nil {
			return err
		}
		if name == tutor || len(who.projects) > 0 {
			p.people = append(p.people, who)
		}
	}
	return nil
}

func (p *program) findProjects(who *person, name, token string) error {
	r, err := http.NewRequest(http.MethodGet, "http://"+p.address+"/api/projects", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Username", name)
	r.Header.Set("Auth-Token", token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var list []struct {
		ID   int64 `json:"id"`
		Unit struct {
			ID int64 `json:"id"`
		} `json:"unit"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		return err
	}
	for _, x := range list {
		if x.Unit.ID == unit {
			who.projects = append(who.projects, x.ID)
		}
	}
	return nil
}
