package linediff

import "unicode/utf8"

// Bounds of comparing two lines by their words and signs: the bytes of a line, and the words of both multiplied, of a
// pair and of all that one Words compares.
const (
	longestWords = 2_000
	wordsOfPair  = 60_000
	wordsInAll   = 4_000_000
)

// Part is a stretch of a line, and whether only this one of the two lines has it.
type Part struct {
	Text string
	Own  bool
}

// Words compares lines that were made of each other, word by word, until it did a bounded amount of work.
type Words struct{ spent int }

// Compare parts both lines into what they share and what each has alone. It says false of lines that are too long, or
// when too many were compared before: then nothing can be told but that they differ.
func (w *Words) Compare(before, after string) (old, fresh []Part, ok bool) {
	if len(before) > longestWords || len(after) > longestWords {
		return nil, nil, false
	}
	o, n := wordsOf(before), wordsOf(after)
	start := 0
	for start < len(o) && start < len(n) && o[start] == n[start] {
		start++
	}
	endO, endN := len(o), len(n)
	for endO > start && endN > start && o[endO-1] == n[endN-1] {
		endO, endN = endO-1, endN-1
	}
	size := (endO - start) * (endN - start)
	if size > wordsOfPair || w.spent+size > wordsInAll {
		return nil, nil, false
	}
	w.spent += size
	ownO, ownN := make([]bool, len(o)), make([]bool, len(n))
	apart(o[start:endO], n[start:endN], ownO[start:endO], ownN[start:endN])
	return joined(o, ownO), joined(n, ownN), true
}

// wordsOf parts a line into words, signs and stretches of blanks.
func wordsOf(line string) (list []string) {
	for line != "" {
		n := wordAt(line)
		if n == 0 {
			n = blankAt(line)
		}
		if n == 0 {
			_, n = utf8.DecodeRuneInString(line)
		}
		list = append(list, line[:n])
		line = line[n:]
	}
	return list
}

// blankAt is the length of the blanks that a text begins with.
func blankAt(text string) int {
	for i := range len(text) {
		if text[i] != ' ' && text[i] != '\t' {
			return i
		}
	}
	return len(text)
}

// apart marks what is not in the longest row of words that both have in the same order.
func apart(o, n []string, ownO, ownN []bool) {
	longest := make([][]int32, len(o)+1) // of the words from i and from j on
	for i := range longest {
		longest[i] = make([]int32, len(n)+1)
	}
	for i := len(o) - 1; i >= 0; i-- {
		for j := len(n) - 1; j >= 0; j-- {
			if longest[i][j] = max(longest[i+1][j], longest[i][j+1]); o[i] == n[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(o) && j < len(n) {
		switch {
		case o[i] == n[j]:
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			ownO[i], i = true, i+1
		default:
			ownN[j], j = true, j+1
		}
	}
	for ; i < len(o); i++ {
		ownO[i] = true
	}
	for ; j < len(n); j++ {
		ownN[j] = true
	}
}

// joined puts words of one kind together.
func joined(words []string, own []bool) (list []Part) {
	for i, word := range words {
		if last := len(list) - 1; last >= 0 && list[last].Own == own[i] {
			list[last].Text += word
		} else {
			list = append(list, Part{word, own[i]})
		}
	}
	return list
}
