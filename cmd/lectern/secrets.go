package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// secretFile is the variable that names the file of a setting tagged secret, such
// as LECTERN_SMTP_URL_FILE; empty for every other setting.
func secretFile(f *kong.Flag) string {
	if f.Tag == nil || !f.Tag.Has("secret") || len(f.Envs) == 0 {
		return ""
	}
	return f.Envs[0] + "_FILE"
}

// secretFromFile reads a secret setting from its file, so that it stands neither
// on the command line nor in the environment, where others can see it. The space
// around it does not count.
func secretFromFile(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any, error) {
	name := secretFile(f)
	path := os.Getenv(name)
	if name == "" || path == "" {
		return nil, nil
	}
	if os.Getenv(f.Envs[0]) != "" {
		return nil, fmt.Errorf("both %s and %s are set: choose one", f.Envs[0], name)
	}
	b, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	secret := strings.TrimSpace(string(b))
	if secret == "" {
		return nil, fmt.Errorf("%s: %s is empty", name, path)
	}
	return secret, nil
}
