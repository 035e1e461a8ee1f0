package marking

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/teaching/similarity"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// typedDecision is a decision as it was typed.
type typedDecision struct {
	Decision, Reason string
	Chosen           []int64
	again            bool // it was refused
}

// Seen is the case and when it was decided on, for the form that decides on it.
func (r *caseRow) Seen() string { return seenOf(&r.Case) }

func seenOf(c *similarity.Case) string {
	text := strconv.FormatInt(c.ID, 10)
	if c.DecidedAt != nil {
		text += " " + c.DecidedAt.String()
	}
	return text
}

// Decisions are what can be decided.
func (v *casesPage) Decisions() []map[string]any { return decisions(v.words, v.Typed.Decision) }

func decisions(l *page.Language, chosen string) (out []map[string]any) {
	for _, o := range []option{{"not_a_concern", l.Word("compare.clear")}, {"asked", l.Word("cases.ask")},
		{"reported", l.Word("cases.report")}} {
		out = append(out, map[string]any{"ID": "decision-" + o.Value, "Name": "decision", "Type": "radio", "Value": o.Value,
			"Label": o.Text, "On": o.Value == chosen})
	}
	return out
}

type decideCasesIn struct {
	casesIn
	Cases    []int64  `param:"cases"`
	Decision string   `param:"decision"`
	Reason   string   `param:"reason" text:"any"`
	Seen     []string `param:"seen"` // of every case on the page its number and, behind a space, when it was decided on
	At       int64    `param:"at"`   // the task whose comparison the form stands on; 0: it stands on the list
}

// seen tells by case when it was decided on as the page told it.
func (in *decideCasesIn) seen() similarity.Seen {
	out := similarity.Seen{}
	for _, text := range in.Seen {
		id, at, _ := strings.Cut(text, " ")
		if t, err := similarity.SeenAt(at); err == nil {
			out[choice(id)] = t
		}
	}
	return out
}

// decideCases notes a decision on the chosen cases, and shows the list again, or the comparison it was made on.
func (s *room) decideCases(ctx context.Context, who *access.Caller, in decideCasesIn) (endpoint.Drawing, error) {
	done, err := s.Usecases.DecideCases(ctx, who, in.ID, similarity.Verdict{Cases: slices.Clone(in.Cases),
		Decision: similarity.State(in.Decision), Reason: in.Reason, Seen: in.seen()})
	if err != nil {
		if in.At != 0 && len(in.Cases) == 1 { // the list shows what it is about
			in.Cluster = strconv.FormatInt(in.Cases[0], 10)
		}
		p, again := s.readCases(ctx, who, in.casesIn, typedDecision{in.Decision, in.Reason, in.Cases, true})
		if again != nil {
			return nil, again
		}
		return s.Again(s.Refusal(who, "similarity", s.Word("cases.title"), p), err)
	}
	if in.At != 0 && len(done) == 1 {
		return endpoint.Redirect{To: comparePath(in.ID, in.At, done[0].ID)}, nil
	}
	in.clean()
	q := in.query()
	q.Set("done", strconv.Itoa(len(done)))
	return endpoint.Redirect{To: links.To(links.UnitSimilarity, in.ID) + "?" + q.Encode()}, nil
}
