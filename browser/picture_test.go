package browser

import (
	"flag"
	"testing"
)

var update = flag.Bool("update", false, "take the pictures of the README anew")

// TestPictures takes the pictures of the README's tour:
//
//	LECTERN_TEST_BROWSER=1 go test ./browser -run Pictures -update
func TestPictures(t *testing.T) {
	if !*update {
		t.Skip("pictures are taken with -update")
	}
	needed(t)
	b := open(t, serve(t), screen{name: "picture", width: 1000, height: 700})
	b.signIn("student_5")
	b.follow("main a[href^='/projects/']")
	b.picture("../docs/pictures/term.png")
	b.visit("/home")
	task := b.firstTask("6.1P")
	b.document()
	b.visit(task)
	b.turn(screen{width: 1000, height: 1000})
	b.await("document.querySelector('document-view .text-layer span')")
	b.picture("../docs/pictures/task.png")
	b.turn(screen{width: 1200, height: 800})
	b.signIn("atutor")
	b.desk("/units/1/desk?who=all")
	b.ahead()
	b.await("document.querySelector('document-view .text-layer span')")
	b.picture("../docs/pictures/desk.png")
}
