package endpoint

import (
	"cmp"
	"regexp"
	"strings"
)

// Words are what the document says about names that have no doc tag of their
// own: a field by its name, or by its type's and its own (Comment.status), a
// value of a path by the part before it (units/{id}), a schema by its name.
type Words map[string]string

// describe gives the doc tag, or else the first description there is of a name.
func (d *document) describe(doc string, names ...string) string {
	for _, name := range names {
		if doc == "" {
			doc = d.Words[name]
		}
	}
	return doc
}

// Tag is a group of endpoints in the explorer and in generated clients: those
// whose paths match, and no tag before it.
type Tag struct {
	Name, About string
	Paths       *regexp.Regexp
}

func (d *document) tag(path string) string {
	for _, t := range d.Tags {
		if t.Paths.MatchString(path) {
			d.used[t.Name] = true
			return t.Name
		}
	}
	head, _, _ := strings.Cut(strings.TrimPrefix(path, "/api/"), "/")
	return head
}

func (d *document) tagList() []object {
	out := []object{}
	for _, t := range d.Tags {
		if d.used[t.Name] {
			out = append(out, object{"name": t.Name, "description": t.About})
		}
	}
	return out
}

// operationID names the endpoint for programs: as Operations has it, or else by
// its method and path.
func (d *document) operationID(i *Info) string {
	plain := strings.ToLower(i.Method) + notInNames.ReplaceAllString(strings.TrimPrefix(i.Path, "/api"), "_")
	return cmp.Or(d.Operations[i.Method+" "+i.Path], strings.TrimSuffix(plain, "_"))
}
