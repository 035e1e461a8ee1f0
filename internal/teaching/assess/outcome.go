package assess

import (
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"lectern/internal/ground/bounds"
	"lectern/internal/platform/container"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
)

// Outcome is what a run of a package over a submission came to. It is kept as
// JSON in the store.
type Outcome struct {
	Reason       string `json:"reason,omitempty"` // why it did not come to its end
	ExitCode     *int   `json:"exit_code"`        // of the last script; null when none ended
	BuildMessage string `json:"build_message,omitempty"`
	RunMessage   string `json:"run_message,omitempty"`
	// Claimed is the status that the scripts ask for. The student's program runs
	// under the same user and can write it itself.
	Claimed string `json:"claimed,omitempty"`
	// Judged is the status that the judge asks for, where there is one.
	Judged      string `json:"judged,omitempty"`
	HasJudge    bool   `json:"has_judge,omitempty"`
	Output      string `json:"output"`
	JudgeOutput string `json:"judge_output,omitempty"`
	BuildDiff   string `json:"build_diff,omitempty"`
	RunDiff     string `json:"run_diff,omitempty"`
}

// verdict is the status that counts, "" for none: the judge's where there is one,
// else that of the scripts where the convenors trust them.
func (o *Outcome) verdict(trusted bool) status.Status {
	word := o.Judged
	if !o.HasJudge && trusted {
		word = o.Claimed
	}
	to, ok := status.Parse(word)
	if !ok {
		return ""
	}
	return to
}

// words are what the student reads.
func (o *Outcome) words() string {
	var parts []string
	for _, p := range []string{o.BuildMessage, o.RunMessage, o.Reason} {
		if p = strings.TrimSpace(p); p != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "The automated assessment has run"+o.exit()+".")
	}
	return firstRunes(strings.Join(parts, "\n\n"), work.MaxComment)
}

func (o *Outcome) exit() string {
	if o.ExitCode == nil || *o.ExitCode == 0 {
		return ""
	}
	return fmt.Sprintf("; its exit code is %d", *o.ExitCode)
}

func firstRunes(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

// said is what a script wrote into its YAML file.
type said struct {
	BuildMessage string `yaml:"build_message"`
	RunMessage   string `yaml:"run_message"`
	NewStatus    string `yaml:"new_status"`
}

// hear adds what a script said; a later one wins. What cannot be read says
// nothing, and the output tells so.
func (o *Outcome) hear(file string, content []byte) (newStatus string) {
	if len(content) == 0 {
		return ""
	}
	var s said
	if err := yaml.Unmarshal(content, &s); err != nil || len(content) == mostYAML {
		o.Output += fmt.Sprintf("\n%s cannot be read: %v\n", file, err)
		return ""
	}
	if s.BuildMessage != "" {
		o.BuildMessage = clean(s.BuildMessage)
	}
	if s.RunMessage != "" {
		o.RunMessage = clean(s.RunMessage)
	}
	return clean(firstRunes(s.NewStatus, 100))
}

// clean makes a text of strangers fit to be stored and shown.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// because tells why a run was ended, "" when it ended by itself.
func because(e container.Ended, l container.Limits) string {
	switch e.Cause {
	case container.TimeUp:
		return fmt.Sprintf("The run was ended: it took longer than %v.", l.Time)
	case container.TooMuch:
		return fmt.Sprintf("The run was ended: it wrote more than %s.", bounds.SizeText(l.Output))
	case container.OutOfMem:
		return fmt.Sprintf("The run was ended: it needed more than %s of memory.", bounds.SizeText(l.Memory))
	case container.TooLarge:
		return "The run was ended: it left more files behind than can be kept."
	case container.Exited:
	}
	switch e.ExitCode {
	case 0:
		return ""
	case 120, 121:
		return "The files could not be unpacked in the container. The image must have sh and tar, and the files " +
			"must fit."
	}
	return fmt.Sprintf("The container ended early, with the exit code %d. It may have had too many processes.",
		e.ExitCode)
}

// encode is the outcome as it is kept.
func (o *Outcome) encode() ([]byte, error) { return json.Marshal(o) }
