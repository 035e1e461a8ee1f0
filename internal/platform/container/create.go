package container

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
)

// The body of a request for a container, as far as it is used here.
type (
	createBody struct {
		Image        string
		Entrypoint   []string
		Cmd          []string
		Env          []string
		WorkingDir   string
		User         string
		Labels       map[string]string
		AttachStdin  bool
		AttachStdout bool
		AttachStderr bool
		OpenStdin    bool
		StdinOnce    bool
		StopSignal   string
		HostConfig   hostConfig
	}
	hostConfig struct {
		NetworkMode    string
		IpcMode        string
		ReadonlyRootfs bool
		CapDrop        []string
		SecurityOpt    []string
		Binds          []string `json:",omitempty"`
		Tmpfs          map[string]string
		Memory         int64
		MemorySwap     int64
		NanoCpus       int64
		CpuShares      int64
		PidsLimit      int64
		Ulimits        []ulimit
		LogConfig      logConfig
	}
	ulimit struct {
		Name string
		Soft int64
		Hard int64
	}
	logConfig struct{ Type string }
)

// leastShares is the lowest weight of CPU time there is: whatever else runs on
// the machine comes first.
const leastShares = 2

// body says what a run may do, beside what the seccomp profile lets it.
func (e *Engine) body(r Run, seccomp string) createBody {
	l, user := r.Limits, strconv.Itoa(r.User)
	labels := maps.Clone(r.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[ownLabel] = e.service
	tmpfs := map[string]string{}
	for _, f := range r.Folders {
		exec := "noexec"
		if f.Exec {
			exec = "exec"
		}
		tmpfs[f.Path] = fmt.Sprintf("rw,%s,nosuid,nodev,mode=1777,size=%d", exec, f.Size)
	}
	return createBody{Image: tagged(r.Image), Entrypoint: r.Command[:1], Cmd: r.Command[1:], Env: r.Env,
		WorkingDir: "/", User: user + ":" + user, Labels: labels, AttachStdin: true, AttachStdout: true,
		AttachStderr: true, OpenStdin: true, StdinOnce: true, StopSignal: "SIGKILL",
		HostConfig: hostConfig{NetworkMode: "none", IpcMode: "private", ReadonlyRootfs: true,
			CapDrop: []string{"ALL"}, SecurityOpt: []string{"no-new-privileges", seccomp}, Tmpfs: tmpfs,
			Memory: l.Memory, MemorySwap: l.Memory, NanoCpus: int64(l.CPUs * 1e9), CpuShares: leastShares,
			PidsLimit: l.Processes,
			Ulimits: []ulimit{{"nofile", l.OpenFiles, l.OpenFiles}, {"nproc", l.Processes, l.Processes},
				{"fsize", l.File, l.File}, {"core", 0, 0}},
			// Or the engine would keep a second copy of all that is written.
			LogConfig: logConfig{"none"}}}
}

// create makes the container of a run.
func (e *Engine) create(ctx context.Context, r Run) (string, error) {
	for again := false; ; again = true {
		option, err := e.seccomp(ctx, r.Image)
		if err != nil {
			return "", err
		}
		id, err := e.createAs(ctx, e.body(r, option))
		if again || !e.forgetSeccomp(err) {
			return id, err
		}
	}
}

func (e *Engine) createAs(ctx context.Context, body createBody) (string, error) {
	var made struct{ ID string }
	err := e.call(ctx, http.MethodPost, "/containers/create", nil, body, &made)
	if no, ok := errors.AsType[*Refused](err); ok && no.Status == http.StatusNotFound {
		return "", fmt.Errorf("%w %s", ErrNoImage, body.Image)
	}
	if err == nil && made.ID == "" {
		err = errors.New("the container engine made a container without a name")
	}
	return made.ID, err
}
