package corpus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSameSeedMakesTheSameCorpus(t *testing.T) {
	a, b := Make(Default), Make(Default)
	if d := cmp.Diff(a, b); d != "" {
		t.Error(d)
	}
	other := Default
	other.Seed++
	if cmp.Equal(a, Make(other)) {
		t.Error("another seed makes the same corpus")
	}
}

func TestCorpusHoldsWhatItPromises(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Make(Default) {
		for i, w := range c.Works {
			seen[w.How] = true
			if !strings.HasPrefix(w.Text, c.Template) || strings.Count(w.Text, "\n") < 40 {
				t.Fatalf("%s: work %d lacks the template, or is tiny", c.Name, i)
			}
			if w.Copied >= 0 && w.How != "verbatim" && w.Text == c.Works[w.Copied].Text {
				t.Errorf("%s: a copy with %s is verbatim", c.Name, w.How)
			}
		}
	}
	for _, how := range Disguises {
		if !seen[how] {
			t.Errorf("no copy with %s", how)
		}
	}
}
