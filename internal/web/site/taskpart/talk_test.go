package taskpart

import (
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/teaching/work"
)

// Versions stand where they came: with the move they made, or as a line of their own. What is new
// is never folded, and a reply whose comment is gone answers nothing.
func TestLinesOfAConversation(t *testing.T) {
	at := func(minute int) clock.Time { return clock.At(time.Date(2026, 3, 1, 9, minute, 0, 0, time.UTC)) }
	gone, first := int64(99), int64(1)
	all := []*work.Comment{{ID: 1, Type: "text", CreatedAt: at(1), Author: work.Person{ID: 7}},
		{ID: 2, Type: "status", Status: "ready_for_feedback", CreatedAt: at(3)},
		{ID: 3, Type: "text", CreatedAt: at(5), ReplyTo: &first}, {ID: 4, Type: "text", CreatedAt: at(9), ReplyTo: &gone}}
	_, lines, _ := Folded(all, []clock.Time{at(7), at(3)}, 7)
	if len(lines) != 5 || !lines[0].Own || lines[1].Version != 1 || lines[2].Answers != all[0] || lines[3].Version != 2 ||
		lines[3].Comment != nil || lines[4].Answers != nil || lines[4].Own {
		for _, l := range lines {
			t.Errorf("%+v", l)
		}
	}
	for i := range 60 {
		all = append(all, &work.Comment{ID: int64(10 + i), Type: "text", CreatedAt: at(10 + i)})
	}
	if earlier, latest, _ := Folded(all, nil, 7); len(earlier) != 24 || len(latest) != 40 {
		t.Errorf("%d and %d lines", len(earlier), len(latest))
	}
	all[10].IsNew = true
	if earlier, _, _ := Folded(all, nil, 7); len(earlier) != 10 {
		t.Errorf("%d lines are folded, with new ones among them", len(earlier))
	}
}

// That work came late is told as nobody's words: the status came with the work. One that somebody
// gave later is theirs.
func TestLatenessIsNobodysWords(t *testing.T) {
	at := func(minute int) clock.Time { return clock.At(time.Date(2026, 3, 1, 9, minute, 0, 0, time.UTC)) }
	all := []*work.Comment{{ID: 1, Type: "status", Status: "ready_for_feedback", CreatedAt: at(1)},
		{ID: 2, Type: "status", Status: "time_exceeded", CreatedAt: at(1)},
		{ID: 3, Type: "status", Status: "fix_and_resubmit", CreatedAt: at(2)},
		{ID: 4, Type: "status", Status: "time_exceeded", CreatedAt: at(3)}}
	_, lines, _ := Folded(all, []clock.Time{at(1)}, 7)
	for i, want := range []bool{false, true, false, false} {
		if lines[i].ByItself != want {
			t.Errorf("%+v", lines[i])
		}
	}
}

// What is quoted elsewhere is words alone, whatever was typed.
func TestPlainWordsOfAComment(t *testing.T) {
	for text, want := range map[string]string{"See **line 4** of `a.go`:\n\n- one\n- two": "See line 4 of a.go: one two",
		"[why](https://e.org) <b>x</b> &amp; y": "why <b>x</b> & y", "1 < 2\nand 3": "1 < 2 and 3", "": ""} {
		if got := plain(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
