package health

// Finding is one thing a check looked at: what it saw, and what to do when that is not well.
type Finding struct {
	What   string   // it is about, in a word
	Saw    string   // in a sentence
	Advice string   // what to do; empty: nothing
	Names  []string // of what it is about
	Bad    bool     // something must be done
}
