package api

import (
	_ "embed" // the words, the names and the examples
	"encoding/json"
	"regexp"
	"strings"

	"lectern/internal/web/endpoint"
)

//go:embed words.txt
var wordList string

//go:embed operations.txt
var operationList string

//go:embed examples.json
var exampleList []byte

//go:embed schemas.txt
var schemaList string

// words reads words.txt: a name, a colon, what it means.
func words() endpoint.Words {
	out := endpoint.Words{}
	for line := range strings.Lines(wordList) {
		if name, meaning, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(line, "#") {
			out[name] = meaning
		}
	}
	return out
}

// examples reads examples.json: bodies by the names of operations.
func examples() map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	if err := json.Unmarshal(exampleList, &out); err != nil {
		panic(err) // the file is our own
	}
	return out
}

// operations reads operations.txt: a method, a path, the operation's name.
func operations() map[string]string { return nameList(operationList) }

// schemas reads schemas.txt: a type with its package, the record's name.
func schemas() map[string]string { return nameList(schemaList) }

// nameList reads lines that end with a name.
func nameList(list string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if at := strings.LastIndex(line, " "); at > 0 && line[0] != '#' {
			out[line[:at]] = line[at+1:]
		}
	}
	return out
}

// tags group the endpoints by what they are about. The first that matches counts.
var tags = []endpoint.Tag{
	tag("Signing in", "Sessions, passwords and the ways to sign in.", `^/api/auth`),
	tag("Similarity", "Work that is like another's, and the outside service that compares it.",
		`/similarit|^/api/tii_|/tii_`),
	tag("Automated assessment", "Container images and what they say about submissions.", `overseer|/assessment$`),
	tag("Users", "People, their accounts and mails.", `^/api/(csv/)?users|^/api/data_export|^/api/unsubscribe|^/api/preferences`),
	tag("Administration", "The audit log, backups, events, background jobs and webhooks.", `^/api/admin`),
	tag("Marking", "The inbox, verdicts, reusable comments, notes of the staff, handovers, marking without a "+
		"connection, and work in bulk.", `/inbox$|/queue|/feedback$|^/api/submission/(assess|unit)|/submission/marked$|`+
		`/snippets|/notes|`+
		`/presence$|/verdict|/handovers|/moderation/`),
	tag("Announcements", "What convenors write to the students of a unit.", `/announcements`),
	tag("Portfolios", "What students compile of their work.", `/portfolio`),
	tag("Comments", "Conversations about tasks, discussions, requests for more time and reviews of marks.",
		`/comments|discussion_comment|extension|/reviews`),
	tag("Submissions", "Handing in work, and reading it.", `/submission|^/api/receipt_key`),
	tag("Tasks", "The tasks of students.", `^/api/tasks|/task_def_id/|/refresh_tasks/`),
	tag("Task definitions", "What a unit asks of its students, with sheets and resources.",
		`/task_definitions|/all_resources$`),
	tag("Learning outcomes", "What students learn, and which tasks serve it.", `/outcomes|/learning_alignments`),
	tag("Groups", "Sets of groups, groups and their members.", `/group_sets`),
	tag("Tutorials", "Classes, their streams, and who is in them.", `/tutorials|/tutorial_streams|/activity_types`),
	tag("Statistics", "Figures and charts of a unit.",
		`/stats/|/charts/|/students_at_risk$|^/api/units/[^/]+/burndown$|/rubric_insight$|/grades$|/task_completion$|/tutor_assessments$`),
	tag("Students", "Enrolments: students and their projects.", `^/api/(students|projects|views)|^/api/csv/units|/final_grades`),
	tag("Units", "Units, their staff and who can see them.", `^/api/unit`),
	tag("Teaching periods", "When there is teaching, and breaks of it.", `^/api/teaching_periods`),
	tag("Calendar feed", "Due dates in people's own calendars.", `^/api/(webcal|calendar)`),
	tag("Live events", "What happens, as it happens, and what is new for the caller.",
		`^/api/events|^/api/news|^/api/home`),
	tag("Search", "Units, tasks and people, by the beginnings of words.", `^/api/search`),
	tag("Settings", "What this service is, and its campuses.", `^/api/(settings|campuses)`),
}

func tag(name, about, paths string) endpoint.Tag {
	return endpoint.Tag{Name: name, About: about, Paths: regexp.MustCompile(paths)}
}
