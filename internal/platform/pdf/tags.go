package pdf

import "fmt"

// element is a part of the text as assistive programs know it: a heading, a
// paragraph, a table. Its content is other elements, or stretches of pages.
type element struct {
	tag  string
	alt  string // what a picture or formula shows, in words
	kids []any  // *element or marked
}

// marked is a stretch of a page, by the number it has there. The page is one of
// ours, or a foreign one counted in the whole document.
type marked struct {
	own     int
	foreign int // from 1; 0 for a page of ours
	mark    int
}

// tagger builds the tree of elements while pages are drawn.
type tagger struct {
	root *element
	open []*element // from the root to where new elements are put
	leaf *element   // what is being drawn; nil outside of the text
}

func newTagger() tagger {
	root := &element{tag: "Document"}
	return tagger{root: root, open: []*element{root}}
}

func (t *tagger) add(tag, alt string) *element {
	e := &element{tag: tag, alt: alt}
	above := t.open[len(t.open)-1]
	above.kids = append(above.kids, e)
	return e
}

// group puts the elements of what draw draws below a new one.
func (s *pageWriter) group(tag string, draw func()) {
	e := s.tags.add(tag, "")
	s.tags.open = append(s.tags.open, e)
	draw()
	s.tags.open = s.tags.open[:len(s.tags.open)-1]
}

// tagged draws an element's content. Within another it adds nothing: what is
// drawn belongs to the outer one.
func (s *pageWriter) tagged(tag, alt string, draw func()) {
	if s.tags.leaf != nil {
		draw()
		return
	}
	s.drawInto(s.tags.add(tag, alt), draw)
}

// drawInto draws further content of an element.
func (s *pageWriter) drawInto(e *element, draw func()) {
	s.tags.leaf = e
	s.openMark()
	draw()
	s.closeMark()
	s.tags.leaf = nil
}

// openMark begins a stretch of the present page that belongs to the leaf.
func (s *pageWriter) openMark() {
	e := s.tags.leaf
	if e == nil || s.page == nil {
		return
	}
	s.endArtifact()
	mark := len(s.page.marks)
	s.page.marks = append(s.page.marks, e)
	e.kids = append(e.kids, marked{own: s.current(), mark: mark})
	fmt.Fprintf(s.to, "/%s <</MCID %d>> BDC\n", e.tag, mark)
}

func (s *pageWriter) closeMark() {
	if s.tags.leaf != nil && s.page != nil {
		s.to.WriteString("EMC\n")
	}
}

// current is the index of the page that is drawn on.
func (s *pageWriter) current() int {
	for i := len(s.pages) - 1; i >= 0; i-- {
		if s.pages[i] == s.page {
			return i
		}
	}
	return 0
}

// headingTag is the tag of a heading: H1 to H6.
func headingTag(level int) string { return fmt.Sprintf("H%d", min(max(level, 1), 6)) }
