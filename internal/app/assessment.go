package app

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"

	"lectern/internal/platform/container"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/taskdef"
)

// Assessment says where submissions are assessed, and what a run may use. The
// bounds of a task are lower ones.
type Assessment struct {
	ContainerHost       string  `placeholder:"URL" help:"Engine that runs assessments, unix:///… or tcp://host:2376."`
	ContainerCerts      string  `placeholder:"DIR" help:"Holds ca.pem, cert.pem and key.pem for tcp://."`
	AssessmentWorkers   int     `default:"1" help:"Assessments run at once here; 0 to run none here."`
	AssessmentSeconds   int64   `default:"300" help:"Longest that an assessment may take."`
	AssessmentMemoryMB  int64   `name:"assessment-memory-mb" default:"512" help:"Its memory, files included, in MB."`
	AssessmentCPUs      float64 `name:"assessment-cpus" default:"1" help:"Processors it may keep busy."`
	AssessmentProcesses int64   `default:"128" help:"Its processes and threads."`
	AssessmentOpenFiles int64   `default:"1024" help:"Open files of each of its processes."`
	AssessmentOutputKB  int64   `name:"assessment-output-kb" default:"1000" help:"Its output, in KB."`
	AssessmentFolderMB  int64   `name:"assessment-folder-mb" default:"64" help:"Room for its files, in MB."`
}

// check tells what cannot be right.
func (s *Assessment) check() error {
	if s.ContainerHost == "" {
		return nil
	}
	if _, err := container.Open(s.ContainerHost, s.ContainerCerts, ""); err != nil {
		return fmt.Errorf("--container-host: %w", err)
	}
	if s.AssessmentWorkers < 0 {
		return fmt.Errorf("--assessment-workers %d is below 0", s.AssessmentWorkers)
	}
	l := s.limits()
	if l.CPUs <= 0 || min(l.Seconds, l.MemoryMB, l.Processes, l.OpenFiles, l.OutputKB, l.FolderMB) <= 0 {
		return errors.New("every --assessment- bound must be above 0")
	}
	if l.MemoryMB <= l.FolderMB {
		return fmt.Errorf("--assessment-memory-mb %d must be above --assessment-folder-mb %d: files are kept in memory",
			l.MemoryMB, l.FolderMB)
	}
	return nil
}

func (s *Assessment) limits() taskdef.Limits {
	return taskdef.Limits{Seconds: s.AssessmentSeconds, MemoryMB: s.AssessmentMemoryMB, CPUs: s.AssessmentCPUs,
		Processes: s.AssessmentProcesses, OpenFiles: s.AssessmentOpenFiles, OutputKB: s.AssessmentOutputKB,
		FolderMB: s.AssessmentFolderMB}
}

// openEngine makes the worker of assessments, if there is an engine for them.
func (a *App) openEngine() error {
	if a.ContainerHost == "" {
		return nil
	}
	e, err := container.Open(a.ContainerHost, a.ContainerCerts, a.place())
	if err != nil {
		return err
	}
	a.assessor = &assess.Worker{DB: a.db, Log: a.log, Limits: a.limits(),
		Runner: &assess.Runner{Engine: e, Files: a.files, Spool: a.spool}}
	a.assessments = jobs.New(a.db, a.log, jobs.Config{Workers: a.AssessmentWorkers, Backoff: assess.Backoff})
	a.assessor.Register(a.assessments)
	return nil
}

// assesses tells whether this process runs assessments.
func (a *App) assesses() bool {
	return a.assessments != nil && a.Workers > 0 && a.AssessmentWorkers > 0
}

// place names the database by a short text without secrets, the same in every
// process that shares it, so that several services can share an engine.
func (s *Settings) place() string {
	name, _ := filepath.Abs(s.Database())
	if u, err := url.Parse(s.DatabaseURL); err == nil && s.DatabaseURL != "" {
		name = u.Host + u.Path + "?" + u.Query().Get("host")
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:8])
}

// remedyOfEngine says what to do about an engine that does not answer.
func remedyOfEngine(host string, err error) string {
	said, isNet := errors.AsType[*net.OpError](err)
	_, isUnknown := errors.AsType[x509.UnknownAuthorityError](err)
	switch {
	case !strings.HasPrefix(host, "tcp:"):
		return "Start it (podman system service, or dockerd), and let the user that runs Lectern reach it."
	case isUnknown:
		return "The engine shows a certificate of another authority than that in ca.pem of --container-certs: put the " +
			"right one there."
	case isNet && said.Op == "remote error":
		return "The engine does not take cert.pem of --container-certs: have it signed by the authority that the engine " +
			"asks for (dockerd --tlscacert)."
	}
	return remedy(err) + " The engine must speak TLS and ask for certificates (dockerd --tlsverify) that fit those of " +
		"--container-certs."
}
