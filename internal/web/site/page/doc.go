// Package page is what all pages of the service stand on: a page as a declaration with its
// right, the frame around it, its words and dates, its templates, styles and scripts, and
// forms that are drawn again with what was wrong. The pages themselves stand in rooms, one
// folder for those who use them; a room brings its handlers, templates and styles.
package page
