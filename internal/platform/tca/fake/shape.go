package fake

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// shape describes a JSON object by its members: a word for a plain value, a shape for
// an object, a list with one of either for a list. A word that ends in ! must be there.
type shape map[string]any

var (
	person = shape{"id": "text!", "family_name": "text", "given_name": "text", "email": "text"}
	course = shape{"id": "text!", "name": "text!", "owners": []any{person}}
	// agreement is the acceptance that comes along with something else.
	agreement = shape{"user_id": "text", "language": "text", "accepted_timestamp": "time", "version": "text"}
)

// shapes are the published bodies, by method and path.
var shapes = map[string]shape{
	`POST /eula/[^/]+/accept`: {"user_id": "text!", "language": "text!", "accepted_timestamp": "time!",
		"version": "text!"},
	`POST /webhooks`: {"signing_secret": "text!", "url": "text!", "description": "text", "allow_insecure": "flag",
		"event_types": []any{"SUBMISSION_COMPLETE|SIMILARITY_COMPLETE|SIMILARITY_UPDATED|PDF_STATUS|" +
			"GROUP_ATTACHMENT_COMPLETE!"}},
	`PUT /groups/[^/]+`: {"id": "uuid!", "name": "text!", "type": "ASSIGNMENT|FOLDER!", "group_context": course,
		"due_date": "time", "report_generation": "IMMEDIATELY|IMMEDIATELY_AND_DUE_DATE|DUE_DATE"},
	`POST /groups/[^/]+/attachments`: {"title": "text!", "template": "flag"},
	`POST /submissions`: {"owner": "text!", "owner_default_permission_set": "LEARNER|INSTRUCTOR", "title": "text!",
		"submitter": "text!", "submitter_default_permission_set": "LEARNER|INSTRUCTOR", "eula": agreement,
		"metadata": shape{"submitter": person, "owners": []any{person}, "group_context": course,
			"group":                   shape{"id": "text!", "name": "text!", "type": "ASSIGNMENT|FOLDER!"},
			"original_submitted_time": "time", "custom": "text"}},
	`PUT /submissions/[^/]+/similarity`: {"indexing_settings": shape{"add_to_index": "flag"},
		"generation_settings": shape{"search_repositories": []any{"INTERNET|PUBLICATION|SUBMITTED_WORK|PRIVATE|" +
			"CROSSREF|CROSSREF_POSTED_CONTENT!"}, "auto_exclude_self_matching_scope": "ALL|GROUP|GROUP_CONTEXT|NONE",
			"priority": "LOW|HIGH"}},
	`POST /submissions/[^/]+/similarity/pdf`: {"locale": "text!"},
	`POST /submissions/[^/]+/viewer-url`: {"viewer_user_id": "text!", "locale": "text!",
		"viewer_default_permission_set": "LEARNER|INSTRUCTOR", "eula": agreement},
}

// shapeOf gives the published body of a request.
func shapeOf(r *http.Request) shape {
	name := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/api/v1")
	for pattern, s := range shapes {
		if regexp.MustCompile("^" + pattern + "$").MatchString(name) {
			return s
		}
	}
	return nil
}

// fits says what of an object does not follow the shape; empty: all does.
func (s shape) fits(at string, v map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		want, got := s[name], v[name]
		if word, ok := want.(string); got == nil && (!ok || !strings.HasSuffix(word, "!")) {
			if _, there := v[name]; there {
				return fmt.Sprintf("%s%s is null", at, name)
			}
			continue
		}
		if why := fit(at+name, want, got); why != "" {
			return why
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if s[name] == nil {
			return fmt.Sprintf("%s%s is not known", at, name)
		}
	}
	return ""
}

func fit(at string, want, got any) string {
	switch want := want.(type) {
	case shape:
		if m, ok := got.(map[string]any); ok {
			return want.fits(at+".", m)
		}
	case []any:
		list, ok := got.([]any)
		for i := 0; ok && i < len(list); i++ {
			if why := fit(fmt.Sprintf("%s[%d]", at, i), want[0], list[i]); why != "" {
				return why
			}
		}
		if ok {
			return ""
		}
	case string:
		if plainly(strings.TrimSuffix(want, "!"), got) {
			return ""
		}
	}
	return fmt.Sprintf("%s is %v, not as published", at, got)
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// plainly tells whether a value is what a word says.
func plainly(word string, got any) bool {
	text, isText := got.(string)
	switch word {
	case "text":
		return isText && text != "" && len(text) <= 500
	case "uuid":
		return isText && uuid.MatchString(text)
	case "time":
		_, err := time.Parse(time.RFC3339, text)
		return isText && err == nil
	case "flag":
		_, ok := got.(bool)
		return ok
	}
	return isText && slices.Contains(strings.Split(word, "|"), text)
}
