package chart

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"lectern/internal/teaching/status"
)

// The samples are a plausible unit, the same in every run.

func sampleCompletion(tutorials int) Completion {
	r := rand.New(rand.NewPCG(1, 2))
	five := func(label string) Five {
		low := r.IntN(5)
		lower := low + r.IntN(8)
		median := lower + r.IntN(9)
		upper := median + r.IntN(9)
		return Five{label, 7, float64(low), float64(lower), float64(median) + 0.5, float64(upper) + 1,
			float64(upper + 1 + r.IntN(9))}
	}
	whole := five("")
	c := Completion{Unit: "COS10001 Introduction to Programming", Tasks: 40, Whole: &whole}
	for _, g := range []string{"Pass", "Credit", "Distinction", "High Distinction"} {
		c.Grades = append(c.Grades, five(g))
	}
	for i := range tutorials {
		c.Tutorials = append(c.Tutorials, five(fmt.Sprintf("LA1-%02d Tuesday 10:30 with a rather long name of a room",
			i+1)))
	}
	return c
}

func sampleStatuses(tasks int) Statuses {
	r := rand.New(rand.NewPCG(3, 4))
	s := Statuses{Unit: "COS10001 Introduction to Programming"}
	for i := range tasks {
		counts := map[status.Status]int{}
		for j, st := range shownStatuses {
			counts[st.status] = r.IntN(12)
			if j == 0 {
				counts[st.status] = max(0, 120-i*3)
			}
			if j == len(shownStatuses)-1 {
				counts[st.status] = i * 2
			}
		}
		name := []string{"Hello World", "Reading input and making decisions with it", "Arrays",
			"A custom project of your own choice"}[i%4]
		s.Tasks = append(s.Tasks, TaskCounts{fmt.Sprintf("%d.%d%c", i/4+1, i%4+1, "PCDH"[i%4]), name, counts})
	}
	return s
}

func sampleGrades() TargetGrades {
	return TargetGrades{Unit: "COS10001 Introduction to Programming", Grades: []GradeCount{
		{"Pass", 412}, {"Credit", 301}, {"Distinction", 187}, {"High Distinction", 64},
	}}
}

func sampleBurndown() Burndown {
	start := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	b := Burndown{Words: EnglishBurndown, Unit: "COS10001 Introduction to Programming", Student: "Ada Lovelace",
		Start: start, End: start.AddDate(0, 0, 7*14), Today: start.AddDate(0, 0, 47)}
	for w := range 15 {
		at := start.AddDate(0, 0, 7*w)
		b.Target = append(b.Target, Point{at, 100 - 100*float64(w)/14})
		if w <= 6 {
			b.Done = append(b.Done, Point{at, 100 - 4.2*float64(w)})
			b.Submitted = append(b.Submitted, Point{at, 100 - 6.5*float64(w)})
		}
		if w >= 6 {
			b.Projected = append(b.Projected, Point{at, 74.8 - 4.2*float64(w-6)})
		}
	}
	return b
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var englishAges = AgesWords{Title: "Waiting", Axis: "tasks", About: "How long %d tasks wait. %s.", Late: "%s (late)",
	Age: "Age", Tasks: "Tasks"}

func sampleWaiting() WaitingAges {
	return WaitingAges{Words: englishAges, Promise: "promised within 5 days", Ages: []Age{{"under 1 day", 18, false},
		{"1 to 2 days", 25, false}, {"3 to 4 days", 13, false}, {"5 to 6 days", 16, true}, {"over 6 days", 8, true}}}
}

var englishPaces = PacesWords{Title: "Days to feedback", Axis: "days", About: "By week.", Median: "Median",
	Most: "90th percentile", Target: "target: 5 days", Point: "%s, %s: %s days", First: "Week", Nothing: "–"}

func samplePaces() Paces {
	return Paces{Words: englishPaces, Target: 5, Weeks: []PaceWeek{{"20 Oct", "From 20 October", new(1.9), new(3.4)},
		{"27 Oct", "From 27 October", nil, nil}, {"3 Nov", "From 3 November", new(2.4), new(6.2)},
		{"10 Nov", "From 10 November", new(2.1), new(5.3)}}}
}
