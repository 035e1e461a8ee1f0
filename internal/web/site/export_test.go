package site

// Marked is English with every word, name and form of dates changed.
func Marked(tag string, mark func(words string) string) *Language {
	words := map[string]string{}
	for key, text := range english.words {
		words[key] = mark(text)
	}
	return newLanguage(tag, words)
}
