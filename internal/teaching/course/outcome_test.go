package course

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/sheet"
)

// university is what the tests of a unit's parts need of it.
type university struct {
	*rapid.T
	q db.Q
}

func (u university) unit(code string) int64 {
	day := clock.On(2026, 3, 2)
	id, err := db.One[int64](u.Context(), u.q, `INSERT INTO units (code, name, description, start_date, end_date,
		created_at, updated_at)
		VALUES ($1, 'X', 'X', $2, $2, $3, $3) RETURNING id`, code, day, u.q.Now())
	if err != nil {
		u.Fatal(err)
	}
	return *id
}

func (u university) outcomes(unit int64) []Outcome {
	list, err := OutcomesOf(u.Context(), u.q, unit)
	if err != nil {
		u.Fatal(err)
	}
	return list
}

// TestOutcomesStayNumbered adds, moves, renames and deletes at random and holds
// the unit against a plain list.
func TestOutcomesStayNumbered(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		rapid.Check(t, func(t *rapid.T) {
			rolledBack(t, d, func(q db.Q) error {
				u := university{t, q}
				unit, other := u.unit("A"), u.unit("B")
				if _, err := AddOutcome(t.Context(), q, other, Outcome{Name: "N", Description: "D"}); err != nil {
					t.Fatal(err)
				}
				var ids []int64
				for range rapid.IntRange(1, 12).Draw(t, "steps") {
					ids = step(u, unit, ids)
					check(u, unit, ids)
				}
				check(u, other, []int64{u.outcomes(other)[0].ID})
				return nil
			})
		})
	})
}

// step changes the outcomes of a unit in one way, and ids, their order, alike.
func step(u university, unit int64, ids []int64) []int64 {
	ctx := u.Context()
	do := rapid.SampledFrom([]string{"add", "add", "move", "delete"}).Draw(u.T, "do")
	if do == "add" || len(ids) == 0 {
		o, err := AddOutcome(ctx, u.q, unit, Outcome{Name: "N", Description: "D"})
		if err != nil {
			u.Fatal(err)
		}
		return append(ids, o.ID)
	}
	i := rapid.IntRange(0, len(ids)-1).Draw(u.T, "which")
	id := ids[i]
	if do == "delete" {
		if err := DeleteOutcome(ctx, u.q, unit, id); err != nil {
			u.Fatal(err)
		}
		return slices.Delete(ids, i, i+1)
	}
	to := rapid.Int64Range(-1, int64(len(ids))+2).Draw(u.T, "to")
	o, err := ChangeOutcome(ctx, u.q, unit, id, OutcomeChange{Number: &to})
	if to < 1 || to > int64(len(ids)) {
		if !fault.Is(err, fault.Refused) {
			u.Fatalf("moving to %d of %d gave %v", to, len(ids), err)
		}
		return ids
	}
	if err != nil || o.Number != to {
		u.Fatalf("moved to %d: %v, %v", to, o, err)
	}
	return slices.Insert(slices.Delete(ids, i, i+1), int(to-1), id)
}

func check(u university, unit int64, ids []int64) {
	list := u.outcomes(unit)
	for i, o := range list {
		if len(list) != len(ids) || o.ID != ids[i] || o.Number != int64(i+1) {
			u.Fatalf("the outcomes are %v, want the ids %v", list, ids)
		}
	}
}

// text gives what people and attackers put into cells.
func text(most int) *rapid.Generator[string] {
	runes := rapid.RuneFrom([]rune("abcXYZ0189 \t\r\n\"'=+-@,;\\\u00a0\ufeffשלוםمرحبا\u202eé̈😀👩‍🎓"))
	return rapid.Custom(func(t *rapid.T) string {
		head := rapid.SampledFrom([]string{"", "", "=", "'=", "@", "-1", "''", "\t"}).Draw(t, "head")
		return head + rapid.StringOfN(runes, 1, most, -1).Draw(t, "text")
	}).Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
}

// TestOutcomeSheetsComeBack exports, imports and exports random outcomes.
func TestOutcomeSheetsComeBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		rapid.Check(t, func(t *rapid.T) {
			rolledBack(t, d, func(q db.Q) error {
				u := university{t, q}
				line := func(most int) *rapid.Generator[string] { return text(most).Filter(bounds.FitsOneLine) }
				code := strings.TrimSpace(line(8).Draw(t, "code"))
				unit := u.unit(code)
				for range rapid.IntRange(0, 6).Draw(t, "n") {
					o := Outcome{Name: line(12).Draw(t, "name"), Description: text(30).Draw(t, "description"),
						Abbreviation: line(5).Draw(t, "abbreviation")}
					if _, err := AddOutcome(t.Context(), q, unit, o); err != nil && !fault.Is(err, fault.Conflict) {
						t.Fatal(err)
					}
				}
				list := u.outcomes(unit)
				first := u.export(code, list)

				r := u.load(unit, first)
				if len(r.Ignored) != len(list) || len(r.Success)+len(r.Errors) > 0 {
					t.Fatalf("importing what is there: %+v", r)
				}
				if again := u.export(code, u.outcomes(unit)); again != first {
					t.Fatalf("exported %q, then %q", first, again)
				}

				copied := u.unit(code)
				r = u.load(copied, u.export(code, rapid.Permutation(list).Draw(t, "order")))
				if len(r.Success) != len(list) {
					t.Fatalf("importing into an empty unit: %+v", r)
				}
				if there := u.export(code, u.outcomes(copied)); there != first {
					t.Fatalf("exported %q, the copy %q", first, there)
				}
				return nil
			})
		})
	})
}

func (u university) export(code string, list []Outcome) string {
	var b bytes.Buffer
	if err := WriteOutcomes(&b, code, list); err != nil {
		u.Fatal(err)
	}
	return b.String()
}

func (u university) load(unit int64, text string) *sheet.Report {
	t, err := sheet.Read(strings.NewReader(text), int64(len(text)), OutcomeSheet)
	if err != nil {
		u.Fatalf("read %q: %v", text, err)
	}
	r, err := ImportOutcomes(u.Context(), u.q, unit, t)
	if err != nil {
		u.Fatal(err)
	}
	return r
}

// TestImportPlacesOutcomes says where rows go among those that are there.
func TestImportPlacesOutcomes(t *testing.T) {
	for _, c := range []struct{ there, text, want string }{
		{"A B C", "D:", "A B C D"},
		{"A B C", "D:1", "D A B C"},
		{"A B C", "D:2", "A D B C"},
		{"A B C", "D:99", "A B C D"},
		{"A B C", "C:1", "C A B"},
		{"A B C", "A:3", "B C A"},
		{"A B C", "A:3 B:1", "B C A"},
		{"A B C", "D:1 E:1", "D E A B C"},
		{"", "C:3 B:2 A:1", "A B C"},
		{"", "C:30 B:20 A:10", "A B C"},
		{"A B", "A: B:", "A B"},
	} {
		var all []Outcome
		for i, a := range strings.Fields(c.there) {
			all = append(all, Outcome{ID: int64(i + 1), Number: int64(i + 1), Abbreviation: a, Name: "N",
				Description: "D"})
		}
		text := "unit_code,ilo_number,abbreviation,name,description\n"
		for _, r := range strings.Fields(c.text) {
			a, n, _ := strings.Cut(r, ":")
			text += fmt.Sprintf("U,%s,%s,N,D\n", n, a)
		}
		rows, err := sheet.Read(strings.NewReader(text), int64(len(text)), OutcomeSheet)
		if err != nil {
			t.Fatal(err)
		}
		p := newOutcomePlan(all)
		for row, err := range rows.Rows() {
			p.read(row, err, "U")
		}
		p.number()
		got := make([]string, len(p.items))
		for _, o := range p.items {
			got[o.then.Number-1] = o.then.Abbreviation
		}
		if d := cmp.Diff(strings.Fields(c.want), got); d != "" && c.want != "" {
			t.Errorf("%q and %q (-want +got):\n%s", c.there, c.text, d)
		}
	}
}
