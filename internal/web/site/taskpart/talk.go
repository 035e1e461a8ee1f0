package taskpart

import (
	"html/template"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/pdf"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
	"lectern/internal/web/site/page"
)

// Line is one thing of a conversation, for one reader: what somebody said, or what happened to
// the task at that point.
type Line struct {
	*work.Comment               // nil where only a version was submitted
	Own           bool          // the reader said or did it
	Answers       *work.Comment // what it replies to; nil: nothing, or what is gone
	Version       int           // which version was submitted then; 0: none
	ByItself      bool          // nobody moved the task: the work came late
	At            clock.Time
	Spot          *Spot // where in the work it points; nil: nowhere
}

// Spot leads from a comment to where in the work it points.
type Spot struct {
	Where string // in words
	Href  string // empty: that is not there any more
	Page  *int   // of the document; nil: it points into a file
	Tick  string // where the form goes that ticks it or opens it again; empty: there is none
	Then  string // where that leads to
}

// Spots gives all comments of a conversation that point at the work what spot knows of them.
func Spots(parts [][]*Line, spot func(*work.Comment) *Spot) {
	for _, lines := range parts {
		for _, l := range lines {
			if l.Comment != nil && l.Place != nil {
				l.Spot = spot(l.Comment)
			}
		}
	}
}

// recent is how many lines of a conversation are shown at once: the rest is folded.
const recent = 40

// Folded parts a conversation into what was said long ago and the rest, with the versions of the
// work where they came, and finds the latest request for more time.
func Folded(all []*work.Comment, versions []clock.Time, reader int64) (earlier, latest []*Line, asked *work.Comment) {
	byID := map[int64]*work.Comment{}
	var lines []*Line
	for _, c := range all {
		if c.Type == "extension" {
			asked = c
		}
		byID[c.ID] = c
		l := &Line{Comment: c, Own: c.Author.ID == reader && reader != 0, At: c.CreatedAt}
		if c.ReplyTo != nil {
			l.Answers = byID[*c.ReplyTo]
		}
		lines = append(lines, l)
	}
	lines = withVersions(lines, versions)
	cut := max(0, len(lines)-recent)
	for i, l := range lines[:cut] {
		if l.Comment != nil && l.IsNew { // what is new is never folded
			cut = i
			break
		}
	}
	return lines[:cut], lines[cut:], asked
}

// withVersions adds the versions of the work where they came. One that moved the task is told
// together with the move.
func withVersions(lines []*Line, versions []clock.Time) []*Line {
	versions = slices.SortedFunc(slices.Values(versions), func(a, b clock.Time) int { return a.Compare(b.Time) })
	for i, at := range versions {
		moved := slices.IndexFunc(lines, func(l *Line) bool {
			return l.Comment != nil && l.Version == 0 && reached(l) == status.ReadyForFeedback && l.At.Equal(at.Time)
		})
		if moved >= 0 {
			lines[moved].Version = i + 1
			continue
		}
		lines = append(lines, &Line{Version: i + 1, At: at})
	}
	slices.SortStableFunc(lines, func(a, b *Line) int { return a.At.Compare(b.At.Time) })
	for i, l := range lines[min(1, len(lines)):] {
		before := lines[i]
		l.ByItself = reached(l) == status.TimeExceeded && l.At.Equal(before.At.Time) &&
			(before.Version > 0 || reached(before) == status.ReadyForFeedback)
	}
	return lines
}

// reached is the status that a line tells of, empty for all other lines.
func reached(l *Line) status.Status {
	if l.Comment == nil || l.Type != "status" {
		return ""
	}
	return status.Status(l.Status)
}

// undone tells whether that status is one that somebody went back to.
func undone(l *Line) bool { return l.Text != reached(l).Name() }

// prose is what somebody wrote, with its Markdown.
func prose(l *page.Language, text string) template.HTML {
	return template.HTML(pdf.HTML(text, func(host string) string { //nolint:gosec // it escapes what is not ours
		return l.Word("talk.outside", host)
	}))
}

// plain is what somebody wrote without its Markdown, in one line.
func plain(text string) string {
	var words []string
	z := html.NewTokenizer(strings.NewReader(pdf.HTML(text, func(string) string { return "" })))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		switch name, _ := z.TagName(); {
		case kind == html.TextToken:
			words = append(words, string(z.Text()))
		case !slices.Contains([]string{"em", "strong", "del", "code", "a", "span", "bdi"}, string(name)):
			words = append(words, " ")
		}
	}
	return strings.Join(strings.Fields(html.UnescapeString(strings.Join(words, ""))), " ")
}

// extract is the beginning of what a comment says, in one line.
func extract(c *work.Comment) string {
	const most = 90
	words := []rune(plain(c.Text))
	if len(words) > most {
		return string(words[:most]) + "…"
	}
	return string(words)
}
