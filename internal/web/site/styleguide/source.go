package styleguide

import (
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/site/page"
	"lectern/internal/web/site/taskpart"
)

// file is what a file of a submission shows: lines with colours, and comments at them.
func file(l *page.Language) *taskpart.Source {
	k, t, d := func(s string) taskpart.Span { return taskpart.Span{Class: "k", Text: s} },
		func(s string) taskpart.Span { return taskpart.Span{Class: "t", Text: s} },
		func(s string) taskpart.Span { return taskpart.Span{Class: "d", Text: s} }
	x := func(s string) taskpart.Span { return taskpart.Span{Text: s} }
	lines := [][]taskpart.Span{{{Class: "c", Text: "/// Draws every shape that is inside the window."}},
		{k("public"), x(" "), k("void"), x(" Draw()")}, {x("{")},
		{x("    "), t("SplashKit"), x(".ClearScreen("), d("0"), x(");")},
		{x("    "), k("foreach"), x(" ("), t("Shape"), x(" s "), k("in"), x(" _shapes) s.Draw();")},
		{x("    w.WriteLine("), {Class: "s", Text: `"a very long line of a drawing, which goes on where no screen is"`}, x(");")},
		{x("    if (level != \"user\u202e\u2066\") return;")}, {x("}")}}
	open, done := note(1, 5, "This check runs after the shapes are drawn. Move it before the loop."), note(2, 7, "Say why.")
	open.Replies = []*work.Comment{{ID: 3, Author: work.Person{FirstName: "Mia", LastName: "Nguyen"},
		CreatedAt: clock.At(sampleDay(14).Time), Text: "Done, with a test."}}
	done.Place.DoneAt = new(clock.At(sampleDay(15).Time))
	return taskpart.SourceText{Lines: lines, Name: "src/Drawing.cs", ID: "f1", Number: 1,
		Notes: taskpart.NotesOf([]*taskpart.Note{open, done}, 1)}.Shown(l)
}

func note(id int64, line int, words string) *taskpart.Note {
	at := clock.At(sampleDay(13).Add(9 * time.Hour))
	p := work.Place{Version: 1, Position: new(1), Name: new("src/Drawing.cs"), Line: &line, EndLine: &line}
	return &taskpart.Note{StandingComment: &usecase.StandingComment{Comment: &work.Comment{ID: id, CreatedAt: at,
		Author: work.Person{FirstName: "Tomas", LastName: "Becker"}, Place: &work.Pointing{Place: p, Words: words}},
		Stands: &usecase.Standing{File: p.Position, Name: p.Name, Line: &line, EndLine: &line}, Where: p.Where()},
		Tick: "#source", Reply: "#source", Talk: "#source"}
}

// filesOf are so many files of a submission, the second of which is shown.
func filesOf(n int) *taskpart.SourceFiles {
	f := &taskpart.SourceFiles{Label: "Files"}
	for i := range n {
		name := []string{"Drawing.cs", "Shape.cs", "tests/Tests of everything that is drawn on a screen.cs"}[i%3]
		f.List = append(f.List, taskpart.SourceTab{Name: name, Href: fmt.Sprint("#f", i), Number: i, Current: i == 1,
			Comments: i % 2})
	}
	return f
}
