package editing

import (
	"strconv"
	"strings"
)

// Option is one of those to choose from.
type Option struct {
	Value, Text string
	On          bool
}

// Named is an option with its words.
func Named(value, text string, on bool) Option { return Option{value, text, on} }

// Choice is the option of a record, on where its number is the one chosen.
func Choice(id int64, text, chosen string) Option {
	value := strconv.FormatInt(id, 10)
	return Option{value, text, value == chosen}
}

// Sentence makes one of what is wrong with a field, which goes on after its name.
func Sentence(why string) string {
	if why == "" || strings.HasSuffix(why, ".") {
		return why
	}
	return strings.ToUpper(why[:1]) + why[1:] + "."
}
