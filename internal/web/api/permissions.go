package api

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"lectern/internal/people/policy"
	"lectern/internal/web/endpoint"
)

// Permission is a right with the endpoints that ask for it.
type Permission struct {
	Scope  policy.Scope `json:"scope"`
	Action string       `json:"action"`
	Who    []string     `json:"who"`
	Limit  string       `json:"limit,omitempty"`
	Routes []string     `json:"routes"`
	InPart []string     `json:"in_part"`

	right *policy.Right
}

// PermissionsOf gives the table of rights in its order, with those of the endpoints
// and pages that ask for each.
func PermissionsOf(routes []*endpoint.Info) []Permission {
	by, inside := map[*policy.Right][]string{}, map[*policy.Right][]string{}
	for _, i := range routes {
		route := i.Method + " " + i.Path
		for _, r := range i.Right.Rights() {
			by[r] = append(by[r], route)
		}
		for _, r := range i.Inside {
			inside[r] = append(inside[r], route)
		}
	}
	var out []Permission
	for _, r := range policy.All() {
		out = append(out, Permission{r.Scope, r.Action, r.Who.Names(), r.Limit, listOf(by[r]), listOf(inside[r]), r})
	}
	return out
}

// listOf gives the list, never nil, so that it encodes as [].
func listOf(list []string) []string { return append([]string{}, list...) }

// AllPermissions gives the permissions of every endpoint there is, and of pages,
// without a service that runs.
func AllPermissions(pages []*endpoint.Info) []Permission {
	return PermissionsOf(slices.Concat(New(Config{}).Sorted(), pages))
}

// Narrow gives the permissions that somebody of a role may hold, and of those the
// ones with an endpoint whose method and path contain route. An empty role or route
// leaves nothing out. It refuses a role that does not exist.
func Narrow(list []Permission, role, route string) ([]Permission, error) {
	who, known := policy.Holding(role)
	if role != "" && !known {
		return nil, fmt.Errorf("there is no role %q: visitor, Student, Tutor, Convenor or Admin", role)
	}
	var out []Permission
	for _, p := range list {
		if role != "" && !p.right.Allows(who) {
			continue
		}
		if route != "" {
			p.Routes, p.InPart = containing(p.Routes, route), containing(p.InPart, route)
			if len(p.Routes)+len(p.InPart) == 0 {
				continue
			}
		}
		out = append(out, p)
	}
	return out, nil
}

func containing(routes []string, part string) []string {
	return slices.DeleteFunc(slices.Clone(routes), func(r string) bool {
		return !strings.Contains(strings.ToLower(r), strings.ToLower(part))
	})
}

// permissionFormats are the ways to write permissions, by name.
var permissionFormats = map[string]func(io.Writer, []Permission) error{
	"text": writeText, "markdown": writeMarkdown, "csv": writeCSV, "json": writeJSON,
}

// WritePermissions writes permissions as text, markdown, csv or json.
func WritePermissions(w io.Writer, list []Permission, format string) error {
	write, known := permissionFormats[format]
	if !known {
		return fmt.Errorf("there is no format %q: text, markdown, csv or json", format)
	}
	return write(w, list)
}

// eachRoute goes through every endpoint of every permission.
func eachRoute(list []Permission, f func(p Permission, route string, part bool) error) error {
	for _, p := range list {
		for i, route := range slices.Concat(p.Routes, p.InPart) {
			if err := f(p, route, i >= len(p.Routes)); err != nil {
				return err
			}
		}
	}
	return nil
}

// holders says who holds the right, and what narrows it.
func (p Permission) holders() string {
	out := strings.Join(p.Who, ", ")
	if p.Limit != "" {
		out += " (" + p.Limit + ")"
	}
	return out
}

func writeText(w io.Writer, list []Permission) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "ENDPOINT\tTO\tIS FOR")
	_ = eachRoute(list, func(p Permission, route string, part bool) error {
		to := p.Action
		if part {
			to += " (in part)"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", route, to, p.holders())
		return nil
	})
	return t.Flush() // which tells of every failure before
}

func writeCSV(w io.Writer, list []Permission) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{"endpoint", "decided by", "to", "is for", "limit", "in part"})
	_ = eachRoute(list, func(p Permission, route string, part bool) error {
		return c.Write([]string{route, string(p.Scope), p.Action, strings.Join(p.Who, ", "), p.Limit,
			fmt.Sprint(part)})
	})
	c.Flush()
	return c.Error()
}

func writeJSON(w io.Writer, list []Permission) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(append([]Permission{}, list...))
}

const permissionsHeader = `# Who may do what

Made from the table of rights in ` + "`internal/people/policy`" + `; do not edit it by hand.
An Admin has every right of staff in every unit. Whoever owns a project is there as its student only, ` +
	`so nobody marks their own work.
An endpoint that stands with two rights asks for the one on the project where the request names one,
else for the one on the unit. A right that an endpoint asks for in part is needed for single parameters
or decides what the answer shows; whoever lacks it can use the rest.
`

func writeMarkdown(w io.Writer, list []Permission) error {
	var b strings.Builder
	b.WriteString(permissionsHeader)
	for _, scope := range []policy.Scope{policy.System, policy.Unit, policy.Project, policy.Task} {
		fmt.Fprintf(&b, "\n## Rights that the %s decides\n\n| To | is for | at | in part at |\n|---|---|---|---|\n",
			scope)
		for _, p := range list {
			if p.Scope == scope {
				fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", p.Action, p.holders(), quoted(p.Routes), quoted(p.InPart))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// quoted lists endpoints as code.
func quoted(routes []string) string {
	var out []string
	for _, r := range routes {
		out = append(out, "`"+r+"`")
	}
	return strings.Join(out, " ")
}
