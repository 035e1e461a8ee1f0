package unit

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/opt"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/web/site/editing"
)

// taskForm is what the fields of a task hold, as it is typed.
type taskForm struct {
	Code        string     `param:"abbreviation"`
	Name        string     `param:"name"`
	Description string     `param:"description" text:"lines"`
	Grade       string     `param:"target_grade"`
	Weight      string     `param:"weighting"`
	Start       string     `param:"start_date"`
	Target      string     `param:"target_date"`
	Deadline    string     `param:"due_date"`
	Stream      string     `param:"tutorial_stream_abbr"`
	GroupSet    string     `param:"group_set_id"`
	Restrict    bool       `param:"restrict_status_updates"`
	Graded      bool       `param:"is_graded"`
	Quality     string     `param:"max_quality_pts"`
	Files       []fileForm `param:"files"`
	Warn        string     `param:"plagiarism_warn_pct"`
	Language    string     `param:"moss_language"`
	Tests       bool       `param:"assessment_enabled"`
	Image       string     `param:"overseer_image_id"`
	Trusted     bool       `param:"assessment_trusted"`
	Statuses    []string   `param:"assessment_statuses"`
	Limits      limitsForm `param:"limits"`
	Asked       string     // the files as they are kept, with what no field shows
}

// fileForm is a file that is asked for.
type fileForm struct {
	Key   string `param:"key"`
	Name  string `param:"name"`
	Type  string `param:"type"`
	Check bool   `param:"check"` // for similarity
	Zip   bool   `param:"zip"`   // a zip of code may be sent
	Pct   string `param:"pct"`   // from where the outside service's finding is shown
}

// limitsForm is how far the tests of a task may go.
type limitsForm struct {
	Seconds   string `param:"seconds"`
	MemoryMB  string `param:"memory_mb"`
	CPUs      string `param:"cpus"`
	Processes string `param:"processes"`
	OpenFiles string `param:"open_files"`
	OutputKB  string `param:"output_kb"`
	FolderMB  string `param:"folder_mb"`
}

// limitNames are the limits in their order.
var limitNames = []string{"seconds", "memory_mb", "cpus", "processes", "open_files", "output_kb", "folder_mb"}

// list gives the limits in the order of their names.
func (l *limitsForm) list() []*string {
	return []*string{&l.Seconds, &l.MemoryMB, &l.CPUs, &l.Processes, &l.OpenFiles, &l.OutputKB, &l.FolderMB}
}

// blankTask is what a new task begins with: a week from the first day that is to come.
func blankTask(u *course.Unit, today clock.Date) taskForm {
	start := u.StartDate
	if today.After(start) && today.Before(u.EndDate) {
		start = today
	}
	f := taskForm{Grade: "0", Weight: "1", Start: start.String(), Target: start.AddDays(7).String(), Quality: "0",
		Warn: "50"}
	for _, st := range taskdef.DefaultAssessmentStatuses {
		f.Statuses = append(f.Statuses, string(st))
	}
	return f
}

// formOfTask fills the fields with what a task has.
func formOfTask(d *taskdef.Definition) taskForm {
	f := taskForm{Code: d.Abbreviation, Name: d.Name, Description: d.Description,
		Grade: strconv.Itoa(int(d.TargetGrade)), Weight: taskNumber(&d.Weighting), Start: d.StartDate.String(),
		Target: d.TargetDate.String(), Stream: opt.Or(d.StreamAbbr, ""), GroupSet: taskNumber(d.GroupSetID),
		Restrict: d.RestrictStatus, Graded: d.IsGraded, Quality: taskNumber(&d.MaxQualityPts),
		Warn: taskNumber(&d.WarnPct), Language: opt.Or(d.MossLanguage, ""), Tests: d.AssessmentEnabled,
		Image: taskNumber(d.OverseerImageID), Trusted: d.AssessmentTrusted, Limits: formOfLimits(d.AssessmentLimits),
		Asked: d.Requirements.String()}
	if d.DueDate != nil {
		f.Deadline = d.DueDate.String()
	}
	for _, r := range d.Requirements {
		f.Files = append(f.Files, fileForm{r.Key, r.Name, string(r.Type), r.Checked(), r.Zip,
			taskNumber(r.TiiPct)})
	}
	for _, st := range d.AssessmentStatuses {
		f.Statuses = append(f.Statuses, string(st))
	}
	return f
}

func formOfLimits(l taskdef.Limits) (f limitsForm) {
	some := func(to *string, n float64) {
		if n != 0 {
			*to = strconv.FormatFloat(n, 'f', -1, 64)
		}
	}
	values := []float64{float64(l.Seconds), float64(l.MemoryMB), l.CPUs, float64(l.Processes), float64(l.OpenFiles),
		float64(l.OutputKB), float64(l.FolderMB)}
	for i, to := range f.list() {
		some(to, values[i])
	}
	return f
}

func taskNumber(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

// tidy takes texts as one, however browsers end lines, and leaves out files that were added and
// never named.
func (f *taskForm) tidy() {
	f.Description = strings.ReplaceAll(f.Description, "\r\n", "\n")
	f.Files = slices.DeleteFunc(f.Files, func(one fileForm) bool {
		return one.Key == "" && strings.TrimSpace(one.Name) == ""
	})
}

// rearrange adds a file that is asked for, or moves or removes one: "add", "up-2", "remove-0".
func (f *taskForm) rearrange(do string) {
	f.Description = strings.ReplaceAll(f.Description, "\r\n", "\n")
	what, at, _ := strings.Cut(do, "-")
	i, err := strconv.Atoi(at)
	switch inside := err == nil && i >= 0 && i < len(f.Files); {
	case what == "add":
		f.Files = append(f.Files, fileForm{Type: string(taskdef.Document)})
	case what == "remove" && inside:
		f.Files = slices.Delete(f.Files, i, i+1)
	case what == "up" && inside && i > 0:
		f.Files[i-1], f.Files[i] = f.Files[i], f.Files[i-1]
	}
}

// taskReading makes a change of the fields of one form that differ from another's.
type taskReading struct {
	editing.Difference // all where there is no other
	change             taskdef.DefinitionChange
}

// read gives the values of f in which it differs from other: what somebody changed, or what it was
// before they did. What was not touched is left alone, whatever became of it meanwhile. Without
// another form it gives all.
func (f *taskForm) read(other *taskForm) (taskdef.DefinitionChange, error) {
	r := &taskReading{Difference: editing.Difference{All: other == nil}}
	if other == nil {
		other = &taskForm{}
	}
	c := &r.change
	r.Text(&c.Abbreviation, f.Code, other.Code)
	r.Text(&c.Name, f.Name, other.Name)
	r.Text(&c.Description, f.Description, other.Description)
	r.Whole("weighting", &c.Weighting, f.Weight, other.Weight)
	r.Whole("max_quality_pts", &c.MaxQualityPts, f.Quality, other.Quality)
	r.Whole("plagiarism_warn_pct", &c.WarnPct, f.Warn, other.Warn)
	var to *int64
	if r.Whole("target_grade", &to, f.Grade, other.Grade); to != nil {
		g := grade.Grade(*to)
		c.TargetGrade = &g
	}
	r.Day("start_date", &c.StartDate, f.Start, other.Start)
	r.Day("target_date", &c.TargetDate, f.Target, other.Target)
	if r.Differs(f.Deadline, other.Deadline) {
		var day *clock.Date
		if f.Deadline != "" {
			r.Day("due_date", &day, f.Deadline, "")
		}
		c.DueDate = &day
	}
	r.orNone(&c.StreamAbbr, f.Stream, other.Stream)
	r.orNone(&c.MossLanguage, f.Language, other.Language)
	r.id("group_set_id", &c.GroupSetID, f.GroupSet, other.GroupSet)
	r.id("overseer_image_id", &c.OverseerImageID, f.Image, other.Image)
	r.Flag(&c.RestrictStatus, f.Restrict, other.Restrict)
	r.Flag(&c.IsGraded, f.Graded, other.Graded)
	r.Flag(&c.AssessmentEnabled, f.Tests, other.Tests)
	r.Flag(&c.AssessmentTrusted, f.Trusted, other.Trusted)
	r.files(f, other)
	r.tests(f, other)
	return r.change, r.Wrong.Err(fault.Refused)
}

// files reads the files that are asked for. Those of a form that was read are taken as they are kept.
func (r *taskReading) files(f, other *taskForm) {
	if !r.All && slices.Equal(f.Files, other.Files) {
		return
	}
	text := f.Asked
	if text == "" {
		text = f.asked(r)
	}
	list, err := taskdef.ParseRequirements(text)
	if err != nil {
		r.note("upload_requirements", err)
	}
	r.change.Requirements = &list
}

// asked writes the files that are asked for as they are kept; each new one gets a key of its own.
func (f *taskForm) asked(r *taskReading) string {
	var list taskdef.Requirements
	taken := map[string]bool{}
	for _, one := range f.Files {
		taken[one.Key] = true
	}
	next := 0
	for _, one := range f.Files {
		for ; one.Key == ""; next++ {
			if key := "file" + strconv.Itoa(next); !taken[key] {
				one.Key, taken[key] = key, true
			}
		}
		to := taskdef.Requirement{Key: one.Key, Name: strings.TrimSpace(one.Name), Type: taskdef.UploadKind(one.Type)}
		to.Zip = one.Zip && to.Type == taskdef.Code // the box is hidden of other kinds
		if one.Check {
			to.TiiCheck = new(true)
			if one.Pct != "" {
				r.Whole("upload_requirements", &to.TiiPct, one.Pct, "")
			}
		}
		list = append(list, to)
	}
	return list.String()
}

// tests reads what the automated tests may give, and how far they may go.
func (r *taskReading) tests(f, other *taskForm) {
	if r.All || !slices.Equal(f.Statuses, other.Statuses) {
		text, err := json.Marshal(append([]string{}, f.Statuses...))
		if err == nil {
			var list taskdef.AssessmentStatuses
			if list, err = taskdef.ParseAssessmentStatuses(string(text)); err == nil {
				r.change.AssessmentStatuses = &list
			}
		}
		r.note("assessment_statuses", err)
	}
	if !r.All && f.Limits == other.Limits {
		return
	}
	values := map[string]float64{}
	for i, text := range f.Limits.list() {
		if *text == "" {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(*text), 64)
		if err != nil || n <= 0 || limitNames[i] != "cpus" && n != float64(int64(n)) {
			r.Wrong.Add(limitNames[i], "must be a number above 0")
		}
		values[limitNames[i]] = n
	}
	text, err := json.Marshal(values)
	if err == nil && r.Wrong.Len() == 0 {
		var limits taskdef.Limits
		if limits, err = taskdef.ParseLimits(string(text)); err == nil {
			r.change.AssessmentLimits = &limits
		}
	}
	r.note("assessment_limits", err)
}

// note keeps what is wrong with a value that was read elsewhere.
func (r *taskReading) note(name string, err error) {
	if err != nil {
		r.Wrong.Add(name, "%s", strings.TrimPrefix(err.Error(), name+" "))
	}
}

// orNone takes a text that may be none.
func (r *taskReading) orNone(to ***string, now, other string) {
	if !r.Differs(now, other) {
		return
	}
	var value *string
	if now != "" {
		value = &now
	}
	*to = &value
}

// id takes a number that may be none.
func (r *taskReading) id(name string, to ***int64, now, other string) {
	if !r.Differs(now, other) {
		return
	}
	var value *int64
	if now != "" {
		n, err := strconv.ParseInt(now, 10, 64)
		if err != nil {
			r.Wrong.Add(name, "must be one of those to choose from")
			return
		}
		value = &n
	}
	*to = &value
}
