package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"lectern/internal/app"
)

// bom is a bill of materials in the form of CycloneDX 1.5.
type bom struct {
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	SerialNumber string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     bomMetadata  `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type bomMetadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// printSBOM writes what this very program was linked from, as the linker noted
// it: Go itself and every module. The same program always gives the same text.
func printSBOM(w io.Writer) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("this program was built without modules, so it does not know what it is made of")
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(billOf(info))
}

func billOf(info *debug.BuildInfo) *bom {
	program := component{Type: "application", Ref: info.Main.Path, Name: info.Main.Path, Version: app.Version}
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "vcs.") || s.Key == "GOOS" || s.Key == "GOARCH" || s.Key == "CGO_ENABLED" {
			program.Properties = append(program.Properties, property{"go:" + s.Key, s.Value})
		}
	}
	b := &bom{Format: "CycloneDX", SpecVersion: "1.5", Version: 1, Metadata: bomMetadata{program},
		SerialNumber: serial(info), Components: []component{library("std", strings.TrimPrefix(info.GoVersion, "go"),
			"")}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		b.Components = append(b.Components, library(m.Path, m.Version, m.Sum))
	}
	on := make([]string, len(b.Components))
	for i := range b.Components {
		on[i] = b.Components[i].Ref
	}
	b.Dependencies = []dependency{{program.Ref, on}}
	return b
}

// library is a Go module; sum is the hash of its files, as in go.sum.
func library(path, version, sum string) component {
	purl := "pkg:golang/" + path + "@" + version
	c := component{Type: "library", Ref: purl, Name: path, Version: version, PURL: purl}
	if sum != "" {
		c.Properties = []property{{"go:sum", sum}}
	}
	return c
}

// serial is a UUID (version 8) made from what the bill is about.
func serial(info *debug.BuildInfo) string {
	u := sha256.Sum256([]byte(app.Version + "\n" + info.String()))
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:16])
}
