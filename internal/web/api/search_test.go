package api

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"

	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
)

var _ = rights(rightRow{"GET /api/search", "/api/search?text=sit", "users", nil})

// findable makes the words of the world's people, and puts student into unit B as well.
func (w *world) findable() {
	w.Helper()
	w.id["project:student in B"] = w.add("", "projects", row{"unit_id": w.id["unitB"], "user_id": w.id["student"],
		"created_at": w.db.Now(), "updated_at": w.db.Now()})
	if err := ident.FillWords(w.Context(), w.db); err != nil {
		w.Fatal(err)
	}
}

// find gives what a caller finds, a line for each kind.
func (w *world) find(as, text string) string {
	w.Helper()
	got := w.do(as, "GET /api/search?text="+url.QueryEscape(text), nil).status(200).object()
	var out []string
	for kind, show := range map[string]func(r map[string]any) string{
		"units": func(r map[string]any) string { return fmt.Sprint(r["code"], " as ", r["my_role"]) },
		"tasks": func(r map[string]any) string { return fmt.Sprint(r["abbreviation"], " of ", r["unit_code"]) },
		"people": func(r map[string]any) string {
			return fmt.Sprint(r["username"], " in ", r["unit_code"], " as ", r["role"])
		},
	} {
		var list []string
		for _, r := range got[kind].([]any) {
			list = append(list, show(r.(map[string]any)))
		}
		if len(list) > 0 {
			out = append(out, kind+": "+strings.Join(list, ", "))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// One student is in two units. Students find nobody; staff find the people of the units they
// teach and learn nothing of others; an Admin finds everybody, once for each unit.
func TestWhoFindsWhom(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.findable()
		for who, want := range map[string]string{
			"student":   "",
			"mate":      "",
			"withdrawn": "",
			"outsider":  "",
			"studentB":  "",
			"tutor":     "people: student in SIT10A as Student",
			"convenor":  "people: student in SIT10A as Student",
			"both":      "people: student in SIT10A as Student",
			"tutorB":    "people: student in SIT10B as Student, studentB in SIT10B as Student",
			"convenorB": "people: student in SIT10B as Student, studentB in SIT10B as Student",
			"admin": "people: student in SIT10A as Student, student in SIT10B as Student, " +
				"studentB in SIT10B as Student",
		} {
			if got := w.find(who, "stud"); got != want {
				t.Errorf("%s finds %q, want %q", who, got, want)
			}
		}
		for _, c := range []struct{ who, text, want string }{
			{"tutor", "tut per", "people: tutor in SIT10A as Tutor"},
			{"tutor", "PERSON conv", "people: convenor in SIT10A as Convenor"},
			{"tutor", "both", "people: both in SIT10A as Student, both in SIT10A as Tutor"},
			{"tutor", "withdrawn", ""},
			{"tutor", "tutorB", ""},
			{"tutor", "mate@example.edu", "people: mate in SIT10A as Student"},
			{"tutor", "s", "units: SIT10A as Tutor"}, // a person takes two letters
			{"tutor", "ident", ""},
			{"admin", "outsi", "people: outsider in <nil> as Student"},
			{"admin", "withdr", "people: withdrawn in <nil> as Student"},
			{"tutor", "st%", "people: student in SIT10A as Student"},
			{"tutor", "st_dent", ""},
			{"tutor", "example", ""}, // what follows the @ is everybody's
		} {
			if got := w.find(c.who, c.text); got != c.want {
				t.Errorf("%s finds by %q: %q, want %q", c.who, c.text, got, c.want)
			}
		}
	})
}

func TestUnitsAndTasksAreFoundByThoseWhoSeeThem(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.findable()
		for _, c := range []struct{ who, text, want string }{
			{"mate", "sit10", "units: SIT10A as Student"},
			{"mate", "1.2", "tasks: 1.2C of SIT10A"},
			{"mate", "tas 1.1p", "tasks: 1.1P of SIT10A"},
			{"student", "unit", "units: SIT10A as Student, SIT10B as Student"},
			{"student", "1.1p sit10b", "tasks: 1.1P of SIT10B"},
			{"withdrawn", "unit", ""},
			{"outsider", "unit", ""},
			{"both", "unit", "units: SIT10A as Tutor"},
			{"convenorB", "unit", "units: SIT10B as Convenor"},
			{"admin", "unit", "units: SIT10A as Admin, SIT10B as Admin"},
			{"admin", "1.1p", ""}, // of units that the Admin only administers, tasks are found in the unit
			{"mate", "", ""},
			{"mate", " .,- ", ""},
			{"mate", "unit nowhere", ""},
			{"mate", strings.Repeat("unit ", 10_000), "units: SIT10A as Student"},
		} {
			if got := w.find(c.who, c.text); got != c.want {
				t.Errorf("%s finds by %.20q: %q, want %q", c.who, c.text, got, c.want)
			}
		}
		own := w.do("mate", "GET /api/search?text=1.2c", nil).status(200).object()["tasks"].([]any)[0].(map[string]any)
		if own["project_id"] != float64(w.id["project:mate"]) || own["task_definition_id"] != float64(w.id["defA2"]) {
			t.Errorf("%v", own)
		}
		staff := w.do("tutor", "GET /api/search?text=sit10a", nil).status(200).object()["units"].([]any)[0].(map[string]any)
		if staff["project_id"] != nil {
			t.Errorf("%v", staff)
		}
	})
}

// The words of people follow every change of what they are made of, whoever makes it.
func TestPeopleAreFoundByWhatTheyAreCalledNow(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.findable()
		w.do("admin", "POST /api/users", map[string]any{"user": map[string]any{"username": "zoe9", "email": "zoe@example.edu",
			"first_name": "Zoë", "last_name": "O'Brien-Łukasz", "nickname": "Zo", "system_role": "Student",
			"student_id": "S-7781"}}).status(201)
		found := "people: zoe9 in <nil> as Student"
		for _, text := range []string{"zoe", "ZOË", "brien", "luka", "o'brien", "zoe9", "7781", "s-7781", "zoe@", "brien zoe"} {
			if got := w.find("admin", text); got != found {
				t.Errorf("by %q: %q", text, got)
			}
		}
		id := w.do("admin", "GET /api/search?text=zoe9", nil).status(200).object()["people"].([]any)[0].(map[string]any)
		w.do("admin", fmt.Sprintf("PUT /api/users/%v", id["user_id"]), map[string]any{"user": map[string]any{
			"last_name": "Quill"}}).status(200)
		if by := w.find("admin", "brien") + w.find("admin", "luka"); by != "" || w.find("admin", "quil") != found {
			t.Errorf("by the old name: %q, by the new: %q", by, w.find("admin", "quil"))
		}
		err := w.db.Tx(t.Context(), func(q db.Q) error {
			return ident.SetStudentIDs(t.Context(), q, map[int64]string{int64(id["user_id"].(float64)): "5512"})
		})
		if err != nil || w.find("admin", "5512") != found || w.find("admin", "7781") != "" {
			t.Errorf("%v: %q, %q", err, w.find("admin", "5512"), w.find("admin", "7781"))
		}
		w.do("admin", "POST /api/csv/users", upload{files: []part{{"file", "users.csv", "username,first_name,last_name,email,role\n" +
			"nils1,Nils,Holm,nils@example.edu,Student\n"}}}).status(201)
		if got := w.find("admin", "nils"); got != "people: nils1 in <nil> as Student" {
			t.Errorf("from a sheet: %q", got)
		}
		w.wordsAreRight()
	})
}

// wordsAreRight compares the words kept with those made anew.
func (w *world) wordsAreRight() {
	w.Helper()
	read := func() []string {
		list, err := db.All[string](w.Context(), w.db.Pool(), `SELECT u.username || ' ' || w.word FROM person_words w
			JOIN users u ON u.id = w.user_id ORDER BY u.id, w.word`)
		if err != nil {
			w.Fatal(err)
		}
		return list
	}
	before := read()
	if err := w.db.Tx(w.Context(), func(q db.Q) error {
		_, err := db.Exec(w.Context(), q, `UPDATE users SET words_made = FALSE`)
		return err
	}); err != nil {
		w.Fatal(err)
	}
	if err := ident.FillWords(w.Context(), w.db); err != nil {
		w.Fatal(err)
	}
	if after := read(); !slices.Equal(before, after) {
		w.Errorf("words kept:\n%v\nmade anew:\n%v", before, after)
	}
}

// What somebody looked for stands in no log.
func TestWhatIsLookedForIsNotLogged(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.findable()
	var log bytes.Buffer
	w.api = New(Config{Config: endpoint.Config{DB: w.db, Spool: t.TempDir(), Version: "test", Asked: w.declared,
		HTTP: httpserver.New(httpserver.Config{
			Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})},
		Usecases: usecase.New(usecase.Config{DB: w.db, PublicURL: "https://learn.example.edu"})})
	w.do("tutor", "GET /api/search?text=quokkaseeker", nil).status(200)
	w.do("convenor", "GET "+candidatePath+"?text=quokkaseeker", nil).status(200)
	if !strings.Contains(log.String(), "/api/search") || !strings.Contains(log.String(), "/staff/candidates") || strings.Contains(log.String(), "quokka") {
		t.Errorf("the log says: %s", log.String())
	}
}
