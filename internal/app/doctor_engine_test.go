package app

import (
	"bytes"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"lectern/internal/platform/container/enginetest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// doctoredEngine has the doctor look at an engine, beside a database that has images on record.
func doctoredEngine(t *testing.T, database, host string, images ...string) string {
	t.Helper()
	address := dbtest.Address(t, database)
	s := Settings{Addr: "127.0.0.1:3000", Storage: Storage{Data: t.TempDir(), DatabaseURL: address},
		Assessment: Assessment{ContainerHost: host, AssessmentSeconds: 9, AssessmentMemoryMB: 64, AssessmentCPUs: 1,
			AssessmentProcesses: 32, AssessmentOpenFiles: 64, AssessmentOutputKB: 9, AssessmentFolderMB: 9}}
	if database == "sqlite" {
		s.DatabaseURL, s.Data = "", filepath.Dir(address)
	}
	d, err := db.Open(address, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, tag := range images {
		if err := d.Tx(t.Context(), func(q db.Q) error {
			_, err := db.Exec(t.Context(), q, `INSERT INTO overseer_images (name, tag) VALUES ($1, $1)`, tag)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	_ = Doctor(t.Context(), s, &out)
	return out.String()
}

// The doctor says that an engine is well only after it ran a container, and leaves none.
func TestDoctorRunsAContainer(t *testing.T) {
	engine := enginetest.New(t)
	dbtest.Engines(t, func(t *testing.T, database string) {
		says(t, doctoredEngine(t, database, engine.Host, "a.example.edu/none:1", engine.Box),
			"ok   engine     answers at "+engine.Host+", and runs containers of "+engine.Box)
		says(t, doctoredEngine(t, database, engine.Host, "a.example.edu/none:1"), "ok   engine", "no container was run")
	})
	left, err := engine.CommandLine("ps", "-a", "-q", "--filter", "label=lectern.service").Output()
	if err != nil || strings.TrimSpace(string(left)) != "" {
		t.Errorf("containers are left: %s (%v)", left, err)
	}
}

// An engine that answers and cannot run a container needs attention.
func TestDoctorSaysWhenTheEngineAnswersButCannotRunAContainer(t *testing.T) {
	routes := map[string]http.HandlerFunc{"GET /images/{name}/json": enginetest.Says(200, `{"Id":"sha256:1"}`),
		"POST /containers/create":      enginetest.Says(201, `{"Id":"c1"}`),
		"POST /containers/{id}/attach": enginetest.Says(200, ""),
		"POST /containers/{id}/start":  enginetest.Says(500, `{"message":"cgroup: no such file"}`)}
	dbtest.Engines(t, func(t *testing.T, database string) {
		says(t, doctoredEngine(t, database, enginetest.Fake(t, routes), "box:1"), "FIX  engine     answers at",
			"but cannot run a container of box:1", "cgroup: no such file", "podman run --rm box:1 true")
	})
}
