package demo

import (
	"fmt"

	"lectern/internal/ground/clock"
)

// definition is a task of a demo unit, in its weeks.
type definition struct {
	abbr, name, description string
	grade                   int // 0 Pass to 3 High Distinction
	start, target           int // weeks; it is due two weeks after its target
	upload                  string
	graded                  bool
	quality                 int
	group, draft            bool
}

// What students hand in, as the definitions keep it.
const (
	noUpload  = `[]`
	oneFile   = `[{"key":"file0","name":"Program.cs","type":"code"}]`
	withShot  = `[{"key":"file0","name":"Program.cs","type":"code"},{"key":"file1","name":"Screenshot","type":"image"}]`
	compared  = `[{"key":"file0","name":"Program.cs","type":"code","tii_check":true}]`
	oneReport = `[{"key":"file0","name":"Report","type":"document"}]`
)

var topics = []string{"Hello World", "Variables", "Input and output", "Decisions", "Loops", "Procedures", "Parameters",
	"Arrays", "Records", "Files", "Pointers", "A program of your own"}

// programming gives the 36 tasks of the first unit: a Pass, a Credit and a
// Distinction or High Distinction task a week.
func programming() (list []definition) {
	for w, topic := range topics {
		list = append(list,
			definition{abbr: fmt.Sprintf("%d.1P", w+1), name: topic, description: "Write the program of this week " +
				"and show that it works.", start: w + 1, target: w + 2, upload: []string{noUpload, oneFile,
				withShot}[w%3]},
			definition{abbr: fmt.Sprintf("%d.2C", w+1), name: topic + ", further",
				description: "Take the idea of this week one step further.", grade: 1, start: w + 1, target: w + 3,
				upload: []string{noUpload, oneFile}[w%2], graded: w%4 == 3},
			definition{abbr: fmt.Sprintf("%d.3%s", w+1, []string{"D", "HD"}[w%2]), name: topic + ", in depth",
				description: "Investigate and report.", grade: 2 + w%2, start: w + 1, target: w + 4, upload: oneReport,
				quality: 5 * (w % 2)})
	}
	for i := range list {
		if list[i].abbr == comparedTask {
			list[i].upload = compared
		}
	}
	return list
}

func numbered(prefix string, n int, names []string) (list []definition) {
	for i := range n {
		list = append(list, definition{abbr: fmt.Sprintf("%s%d", prefix, i+1), name: names[i%len(names)] + []string{"",
			" II", " III"}[i/len(names)],
			description: "Build it, test it, explain it.", grade: []int{0, 0, 1, 0, 2}[i%5], start: 1 + i*11/n,
			target: 2 + i*11/n, upload: []string{noUpload, oneFile}[i%2]})
	}
	return list
}

// definitionsOf gives the tasks of a unit.
func definitionsOf(code string) []definition {
	switch code {
	case "COS10001":
		return programming()
	case "COS20007":
		list := numbered("A", 15, []string{"Shapes", "Drawing", "Clock", "Inventory", "Adventure", "Patterns"})
		list[12].group, list[12].name, list[12].upload = true, "Team project", oneReport
		list[12].start, list[12].target = 4, 7
		list[14].draft, list[14].name, list[14].upload = true, "Learning summary", oneReport
		return list
	case "COS30046":
		return numbered("T", 5, []string{"Steering", "Path finding", "State machines", "Goals", "Tournament"})
	}
	return numbered("G", 5, []string{"Game loop", "Sprites", "Physics", "Sound", "Release"})
}

// week gives a day of a teaching week of the present period, the break left out.
func (b *builder) week(n, day int) clock.Date {
	if n > 8 {
		n++
	}
	return b.monday().AddDays(-6*7 + (n-1)*7 + day)
}

// definitions makes the tasks of a unit and aligns each with two outcomes.
func (b *builder) definitions(u *unit) {
	end := b.monday().AddDays(-6*7 + weeks*7 - 3)
	var stream any
	if len(u.streams) > 0 {
		stream = b.id[u.code+" "+u.streams[0]]
	}
	for i, d := range definitionsOf(u.code) {
		target := b.week(min(d.target, 12), 4)
		r := row{"unit_id": b.id[u.code], "name": d.name, "abbreviation": d.abbr, "description": d.description,
			"weighting": 4, "target_grade": d.grade,
			"start_date": b.week(d.start, 0), "target_date": target, "due_date": earlier(target.AddDays(14), end),
			"upload_requirements": d.upload,
			"is_graded":           d.graded, "max_quality_pts": d.quality, "is_draft_summary": d.draft,
			"tutorial_stream_id": stream}
		if d.group {
			r["group_set_id"] = b.id[u.code+" set"]
		}
		id := b.add(u.code+" "+d.abbr, "task_definitions", r)
		for k := range 2 {
			o := b.id[fmt.Sprintf("%s ILO%d", u.code, (i+k*2)%len(u.outcomes)+1)]
			b.add("", "learning_outcome_links", row{"task_definition_id": id, "learning_outcome_id": o,
				"rating": 1 + (i+k)%5, "description": "Practised here."})
		}
	}
}

func earlier(a, b clock.Date) clock.Date {
	if a.Before(b) {
		return a
	}
	return b
}
