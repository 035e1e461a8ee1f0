package db

import (
	"container/list"
	"errors"
)

const (
	// mostKept is how many statements a connection keeps: more than the service
	// runs in an hour of use, and some megabytes at most.
	mostKept = 256
	// longestKept is the longest text kept. What is longer has a list of many hundred
	// values, which takes longer than its parsing.
	longestKept = 6000
)

// statements are those a connection has prepared, the last used first. Each is
// handed to one user at a time: a statement whose rows are open must not run
// again, so who wants the same text meanwhile prepares another for that once.
type statements struct {
	most   int
	byText map[string]*statement
	order  *list.List // of *statement
	closed bool
}

// statement is a prepared statement; it is not kept when it has no place.
type statement struct {
	sqliteStmt
	text  string
	place *list.Element
	busy  bool
	quick bool // its last run was; see watch
}

func newStatements(most int) *statements {
	return &statements{most: most, byText: map[string]*statement{}, order: list.New()}
}

// take gives the kept statement for text, nil when there is none or it is in use.
func (k *statements) take(text string) *statement {
	s := k.byText[text]
	if s == nil || s.busy {
		return nil
	}
	s.busy = true
	k.order.MoveToFront(s.place)
	return s
}

// add takes a new statement in for its first user, in the place of the one that
// was unused the longest.
func (k *statements) add(text string, inner sqliteStmt) (*statement, error) {
	s := &statement{sqliteStmt: inner, text: text, busy: true}
	if len(text) > longestKept || k.byText[text] != nil {
		return s, nil
	}
	s.place = k.order.PushFront(s)
	k.byText[text] = s
	for e := k.order.Back(); e != nil && k.order.Len() > k.most; {
		old := e.Value.(*statement)
		e = e.Prev()
		if !old.busy {
			if err := k.drop(old); err != nil {
				return nil, errors.Join(err, k.drop(s))
			}
		}
	}
	return s, nil
}

// give takes a statement back from its user, to be kept unless it failed.
func (k *statements) give(s *statement, failed bool) error {
	s.busy = false
	if k.closed {
		return nil // it went with the connection
	}
	if failed || s.place == nil {
		return k.drop(s)
	}
	return nil
}

// drop ends a statement.
func (k *statements) drop(s *statement) error {
	if s.place != nil {
		k.order.Remove(s.place)
		delete(k.byText, s.text)
		s.place = nil
	}
	return s.Close()
}

// close ends all statements that nobody uses. Those in use end with the
// connection: database/sql closes their rows first wherever it can.
func (k *statements) close() (err error) {
	for _, s := range k.byText {
		if !s.busy {
			err = errors.Join(err, k.drop(s))
		}
	}
	k.closed = true
	return err
}
