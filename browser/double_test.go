package browser

import "testing"

// Who clicks twice on what sends a form sends it once; whoever comes back to the form
// can send it again.
func TestSecondClickSendsNothing(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), wide)
	b.signIn("student_2")
	b.firstTask("6.1P")
	b.follow("a[href$='?tab=extend']")
	b.fill("form[action$='/extension'] textarea", "I was ill, and clicked twice")
	got := eval[[]int](b, `(() => {
		let sent = 0;
		addEventListener('submit', (e) => { // it comes after those of the page, and keeps all here
			if (!e.defaultPrevented) sent += 1;
			e.preventDefault();
		});
		const send = () => { document.querySelector("form[action$='/extension'] button").click(); return sent; };
		const clicks = [send(), send(), send()];
		dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}));
		return [...clicks, send(), send()];
	})()`)
	for i, want := range []int{1, 1, 1, 2, 2} {
		if got[i] != want {
			t.Fatalf("after each click so many were sent: %v", got)
		}
	}
}
