package bench

import (
	"encoding/json"
	"fmt"
	"testing"

	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/taskdef"
)

// BenchmarkUnit reads a full unit of 1,000 students, 10 tutorials and 60 task
// definitions against its own statements run by hand and the encoding of as much.
func BenchmarkUnit(b *testing.B) {
	eachEngine(b, func(b *testing.B, c *class) {
		path := fmt.Sprintf("/api/units/%d", classUnit)
		texts := c.statements(path)
		var typed struct {
			Outcomes    []course.Outcome           `json:"ilos"`
			Streams     []enrol.Stream             `json:"tutorial_streams"`
			Tutorials   []enrol.Tutorial           `json:"tutorials"`
			Definitions []taskdef.DefinitionRecord `json:"task_definitions"`
			Alignments  []taskdef.Alignment        `json:"task_outcome_alignments"`
		}
		if err := json.Unmarshal(c.get(path), &typed); err != nil || len(typed.Definitions) != classTasks ||
			len(typed.Tutorials) != 10 {
			b.Fatalf("%d definitions, %d tutorials, %v", len(typed.Definitions), len(typed.Tutorials), err)
		}
		compare(b, 3, func() []byte { return c.get(path) }, func() []byte {
			c.bare(texts)
			return c.json(&typed)
		})
	})
}
