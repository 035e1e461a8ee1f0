package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

var linkToken = regexp.MustCompile(`https://learn\.example\.edu/password\?token=(\S+)`)

// userCommand gives a function that runs a command about users with args, which name
// the database, on a standard input, and tells what was printed.
func userCommand(t *testing.T, args []string) func(input string, words ...string) (string, error) {
	return func(input string, words ...string) (string, error) {
		c := command(t, append(append([]string{"user"}, words...), args...)...)
		c.Stdin = strings.NewReader(input)
		out, err := c.CombinedOutput()
		return string(out), err
	}
}

// An account made on the command line is opened by its link, once.
func TestUserCommands(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			args := storage(t, engine)
			do := userCommand(t, args)
			add := []string{"add", "jdoe", "--email", "jdoe@example.edu", "--first-name", "Jo", "--last-name", "Doe",
				"--role", "Admin", "--public-url", "https://learn.example.edu/"}
			out, err := do("", add...)
			first := linkToken.FindStringSubmatch(out)
			if err != nil || first == nil {
				t.Fatalf("add: %v %s", err, out)
			}
			if out, err := do("", add...); err == nil ||
				!strings.Contains(out, "Other users have that username and that email address.") {
				t.Errorf("add again: %v %s", err, out)
			}
			if out, err := do("", "list"); err != nil || !strings.Contains(out, "jdoe") ||
				!strings.Contains(out, "Jo Doe") {
				t.Errorf("list: %v %s", err, out)
			}
			if out, err := do("", "link", "nobody"); err == nil || !strings.Contains(out, "no such user") {
				t.Errorf("link for nobody: %v %s", err, out)
			}
			if out, err := do("", "reset-second-factor", "jdoe"); err == nil || !strings.Contains(out, "no second factor") {
				t.Errorf("reset a factor there is not: %v %s", err, out)
			}
			out, err = do("", "link", "JDoe", "--public-url", "https://learn.example.edu")
			link := linkToken.FindStringSubmatch(out)
			if err != nil || link == nil {
				t.Fatalf("link: %v %s", err, out)
			}
			if out, err := do("short\n", "password", "jdoe"); err == nil {
				t.Errorf("a short password was taken: %s", out)
			}

			i := start(t, args...)
			set, _ := json.Marshal(map[string]string{"token": link[1], "password": "correct horse"})
			if status, err := i.call("POST", "/api/auth/password", "", "", string(set), nil); err != nil ||
				status/100 != 2 {
				t.Errorf("use the link: %d %v", status, err)
			}
			if status, _ := i.call("POST", "/api/auth/password", "", "", string(set), nil); status/100 != 4 {
				t.Errorf("use it again: %d", status)
			}
			i.signIn("jdoe", "correct horse")
			i.stop()

			if out, err := do("battery staple\n", "password", "jdoe"); err != nil || strings.Contains(out, "battery") {
				t.Errorf("password: %v %s", err, out)
			}
			again := start(t, args...)
			again.signIn("jdoe", "battery staple")
			again.stop()
		})
	}
}
