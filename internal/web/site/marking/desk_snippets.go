package marking

import (
	"context"
	"slices"

	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/snippet"
	"lectern/internal/web/endpoint"
)

// How many reusable comments are offered for a task, of those for levels of its rubric, and for one level.
const (
	mostSnippets = 40
	mostOfLevels = 200
	mostOfLevel  = 6
)

// loadSnippets adds the reusable comments for the task, for whoever may use them.
func (t *deskTask) loadSnippets(ctx context.Context, q db.Q, who *access.Caller, unitID int64) (err error) {
	if t.MayKeep = who.May(policy.UseSnippets); !t.MayKeep {
		return nil
	}
	o := snippet.Offer{UserID: who.ID, UnitID: unitID, DefinitionID: t.DefinitionID, Limit: mostSnippets}
	if t.Snippets, err = o.List(ctx, q); err != nil || t.Rubric == nil || t.Rubric.Rubric == nil {
		return err
	}
	o.OfLevels, o.Limit = true, mostOfLevels
	t.OfLevels, err = o.List(ctx, q)
	return err
}

// OfLevel gives the reusable comments for a level.
func (t *deskTask) OfLevel(id int64) (list []snippet.Snippet) {
	for _, s := range t.OfLevels {
		if *s.LevelID == id && len(list) < mostOfLevel {
			list = append(list, s)
		}
	}
	return list
}

// deskSaved is a reusable comment in the list on the desk.
type deskSaved struct {
	snippet.Snippet
	At    int  // its place among those used most; the first have digits, wherever they stand
	Extra bool // it is listed only while its level is picked
	First bool // its level is picked
}

// Saved lists the reusable comments for the task: those for levels that are picked first.
func (v *deskPage) Saved() []deskSaved {
	var list []deskSaved
	known, picks := map[int64]bool{}, v.Picks()
	add := func(all []snippet.Snippet, extra bool) {
		for _, s := range all {
			if known[s.ID] {
				continue
			}
			known[s.ID] = true
			list = append(list, deskSaved{s, len(list), extra, s.LevelID != nil && picks[*s.LevelID]})
		}
	}
	add(v.Now.Snippets, false)
	add(v.Now.OfLevels, true)
	slices.SortStableFunc(list, func(a, b deskSaved) int {
		switch {
		case a.First == b.First:
			return 0
		case a.First:
			return -1
		default:
			return 1
		}
	})
	return list
}

type keepIn struct {
	deskTaskIn
	Text    string `param:"text" text:"lines"`
	Shared  bool   `param:"shared"`
	ForTask bool   `param:"for_task"`
	LevelID int64  `param:"level_id"` // of the rubric of the task; 0: none
}

// keepSnippet keeps a comment to be used again.
func (s *room) keepSnippet(ctx context.Context, who *access.Caller, in keepIn) (endpoint.Drawing, error) {
	at, err := in.ref(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	n := snippet.New{Text: in.Text, LevelID: opt.NonZero(in.LevelID)}
	if in.Shared {
		n.UnitID = &in.UnitID
	}
	if in.ForTask || in.LevelID != 0 {
		n.DefinitionID = &at.DefinitionID
	}
	if _, err := s.Usecases.AddSnippet(ctx, who, n); err != nil {
		return s.deskAgain(ctx, who, in.deskTaskIn, typed{Form: "snippets", Snippet: in.Text,
			SnippetLevel: in.LevelID, Ticked: ticked(map[string]bool{"shared": in.Shared, "for_task": in.ForTask})}, err)
	}
	return in.stay(), nil
}
