package browser

import "testing"

// A second tutor who comes to a task or leaves it is seen by the first without a reload:
// at the desk, and by a third in the inbox.
func TestSecondTutorIsSeen(t *testing.T) {
	needed(t)
	s := another(t)
	one, two, three := open(t, s, wide), open(t, s, phone), open(t, s, wide)
	one.signIn("atutor")
	two.signIn("aconvenor")
	three.signIn("tutor_0")
	one.desk(toMark)
	at := one.place()
	one.await("performance.getEntriesByType('resource').some((e) => e.name.endsWith('/presence') && e.responseEnd)")
	three.visit("/units/1/inbox?status=ready_for_feedback")
	row := "document.querySelector('#inbox [data-task=\"" + at.Task + "\"]').innerText"
	three.await(row + ".includes('Arun Tutor')")
	for _, b := range []*tab{one, three} {
		eval[bool](b, "window.same = true")
	}
	const others = "document.querySelector('.desk-others').innerText"
	two.desk("/units/1/desk?status=ready_for_feedback&at=" + at.Task)
	two.await(others + ".includes('Arun Tutor')")
	one.await(others + ".includes('Ana Convenor')")
	three.await(row + ".includes('Arun Tutor') && " + row + ".includes('Ana Convenor')")
	two.press("a[rel=next]")
	two.moved(at)
	one.await(others + " === ''")
	passed := "document.querySelector('#desk-queue [data-task=\"" + two.place().Task + "\"]').innerText" +
		".includes('Ana Convenor is here')"
	one.await(passed)
	three.await("!" + row + ".includes('Ana Convenor')")
	two.visit("/units/1/desk?status=ready_for_feedback&at=" + at.Task)
	one.await(others + ".includes('Ana Convenor') && !" + passed)
	two.visit("/home") // by whichever way somebody leaves
	one.await(others + " === ''")
	one.visit("/home")
	three.await("!" + row + ".includes('Arun Tutor')")
	if !eval[bool](three, "window.same") {
		t.Error("the inbox was loaded anew")
	}
}
