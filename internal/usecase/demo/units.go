package demo

import (
	"fmt"

	"lectern/internal/people/policy"
)

// unit is one of the four demo units.
type unit struct {
	code, name, description string
	convenor                string
	tutors                  []string
	streams                 []string // abbreviations of activity types; none: tutorials without streams
	tutorials               int      // a stream
	alsoStudents            []string // staff who study it
	students                [2]int   // numbers, from and up to
	outcomes                []outcome
	group                   string // name of its group set, if any
	loose                   int    // students who are in no group of it
}

type outcome struct{ name, description string }

var units = []unit{
	{code: "COS10001", name: "Introduction to Programming", description: "Learn to think in programs, from the first " +
		"line to a small project of your own.",
		convenor: "acain", tutors: []string{"aconvenor", "atutor", "cliff", "tutor_0"}, streams: []string{"prac",
			"wrkshop"}, tutorials: 3, students: [2]int{0, 17},
		outcomes: []outcome{{"Explain", "Explain how programs are built from sequence, selection, iteration and " +
			"procedures."},
			{"Read", "Read programs written by others and describe what they do."},
			{"Write", "Write programs that solve small problems."},
			{"Correct", "Find and correct mistakes in programs."}, {"Reflect", "Judge your own progress and plan " +
				"what to learn next."}}},
	{code: "COS20007", name: "Object Oriented Programming", description: "Design with objects that know what they " +
		"are for.",
		convenor: "acain", tutors: []string{"atutor", "joostfunkekupper", "tutor_1"}, streams: []string{"prac"},
		tutorials: 3, students: [2]int{1, 18}, alsoStudents: []string{"cliff"}, group: "Project teams",
		outcomes: []outcome{{"Abstract", "Explain abstraction, encapsulation, inheritance and polymorphism."},
			{"Design", "Design a program of cooperating objects."},
			{"Build", "Build it, with tests."}, {"Judge", "Judge a design by how it takes change."}}},
	{code: "COS30046", name: "Artificial Intelligence for Games", description: "Make opponents worth playing against.",
		convenor: "aconvenor", tutors: []string{"atutor", "angusmorton"}, streams: []string{"cls"}, tutorials: 2,
		students: [2]int{1, 12}, alsoStudents: []string{"acummaudo"},
		outcomes: []outcome{{"Search", "Apply graph search to movement."}, {"Decide", "Build agents that decide."},
			{"Evaluate", "Measure how well an agent plays."}}},
	{code: "COS30243", name: "Game Programming", description: "From an empty window to a game.",
		convenor: "aconvenor", tutors: []string{"atutor", "tutor_2"}, tutorials: 2, students: [2]int{1, 12},
		alsoStudents: []string{"acain", "ajones"}, group: "Studio teams", loose: 4,
		outcomes: []outcome{{"Structure", "Structure the code of a game."}, {"Render", "Draw a moving world."},
			{"Profile", "Find and remove what makes it slow."}}},
}

// units makes the four units: staff, classes, outcomes, students, tasks and how
// far everybody has come.
func (b *builder) units() {
	for i := range units {
		u := &units[i]
		b.unit(u)
		b.definitions(u)
		b.rubrics(u)
		b.progress(u)
		switch u.code {
		case "COS10001":
			b.addSimilarWork(u)
			b.marked(u)
			b.moderate(u)
			b.waiting(u)
			b.discussions(u)
		case "COS20007":
			b.team(u)
		}
	}
}

// promised are the days within which units promise feedback; the others promise none.
var promised = map[string]any{"COS10001": 5}

func (b *builder) unit(u *unit) {
	start := b.monday().AddDays(-6 * 7)
	id := b.add(u.code, "units", row{"code": u.code, "name": u.name, "description": u.description,
		"teaching_period_id": b.id["present"],
		"start_date":         start, "end_date": start.AddDays(weeks*7 - 3),
		"portfolio_auto_generation_date":       start.AddDays(weeks*7 - 10),
		"auto_apply_extension_before_deadline": u.code != "COS10001", // there the staff decide
		"feedback_days":                        promised[u.code],
		"risk_overdue_tasks":                   10, // of some thirty, and a third of the work: few are at risk
		"risk_behind_percent":                  30,
		"created_at":                           b.q.Now(), "updated_at": b.q.Now()})
	b.employ(u, id, u.convenor, policy.Convenor, true)
	for _, name := range u.tutors {
		role := policy.Tutor
		if name == "aconvenor" {
			role = policy.Convenor
		}
		b.employ(u, id, name, role, false)
	}
	for i, o := range u.outcomes {
		b.add(fmt.Sprintf("%s ILO%d", u.code, i+1), "learning_outcomes", row{"unit_id": id, "ilo_number": i + 1,
			"abbreviation": fmt.Sprintf("ILO%d", i+1), "name": o.name, "description": o.description})
	}
	classes := b.classes(u, id)
	b.enrol(u, id, classes)
}

func (b *builder) employ(u *unit, id int64, name string, role policy.Role, main bool) {
	b.add(u.code+" "+name, "unit_roles", row{"unit_id": id, "user_id": b.id[name], "role": int64(role), "is_main": main,
		"created_at": b.q.Now(), "updated_at": b.q.Now()})
}

// class is a tutorial with the stream it is in; nil for none.
type class struct {
	id     int64
	stream any
}

var (
	days  = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday"}
	rooms = []string{"ATC101", "EN205", "BA603", "Online"}
)

// classes makes the streams and their tutorials: one list of tutorials a stream.
func (b *builder) classes(u *unit, id int64) [][]class {
	if len(u.streams) == 0 {
		return [][]class{b.tutorials(u, id, "LA1", nil)}
	}
	var all [][]class
	for i, kind := range u.streams {
		name := map[string]string{"prac": "Practical", "wrkshop": "Workshop", "cls": "Class"}[kind]
		stream := b.add(u.code+" "+kind, "tutorial_streams", row{"unit_id": id, "name": name + " 1",
			"abbreviation": kind + " 1", "activity_type_id": b.id[kind]})
		all = append(all, b.tutorials(u, id, fmt.Sprintf("LA%d", i+1), stream))
	}
	return all
}

func (b *builder) tutorials(u *unit, id int64, prefix string, stream any) (list []class) {
	for n := range u.tutorials {
		tutor := u.tutors[n%len(u.tutors)]
		abbr := fmt.Sprintf("%s-%02d", prefix, n+1)
		t := b.add(u.code+" "+abbr, "tutorials", row{"unit_id": id, "unit_role_id": b.id[u.code+" "+tutor],
			"tutorial_stream_id": stream,
			"abbreviation":       abbr, "meeting_day": days[n%len(days)], "meeting_time": fmt.Sprintf("%02d:30", 8+2*n),
			"meeting_location": rooms[n%len(rooms)], "capacity": 20})
		list = append(list, class{t, stream})
	}
	return list
}

// enrol makes a project for every student, in one tutorial of each stream. The
// goals people set themselves differ: most aim for a Pass or a Credit.
func (b *builder) enrol(u *unit, id int64, classes [][]class) {
	names := u.names()
	for i, name := range names {
		p := b.add(u.code+" project "+name, "projects", row{"unit_id": id, "user_id": b.id[name],
			"campus_id":    b.id["Burwood"],
			"target_grade": []int{1, 0, 2, 0, 1, 3, 0, 1}[i%8], "created_at": b.q.Now(), "updated_at": b.q.Now()})
		for _, stream := range classes {
			c := stream[i%len(stream)]
			b.add("", "tutorial_enrolments", row{"project_id": p, "tutorial_id": c.id, "tutorial_stream_id": c.stream})
		}
	}
	if u.group != "" {
		b.groups(u, id, names, classes[0])
	}
}

// groups puts the students into a team of their own tutorial, but for the last who are to be in none.
func (b *builder) groups(u *unit, id int64, names []string, classes []class) {
	set := b.add(u.code+" set", "group_sets", row{"unit_id": id, "name": u.group, "capacity": 7,
		"keep_groups_in_same_class": true})
	for n, c := range classes {
		b.add(fmt.Sprintf("%s team %d", u.code, n), "unit_groups", row{"group_set_id": set, "tutorial_id": c.id,
			"name": fmt.Sprintf("Team %c", 'A'+n)})
	}
	for i, name := range names[:len(names)-u.loose] {
		team := b.id[fmt.Sprintf("%s team %d", u.code, i%len(classes))]
		b.add("", "group_memberships", row{"group_set_id": set, "unit_group_id": team,
			"project_id": b.id[u.code+" project "+name]})
	}
}
