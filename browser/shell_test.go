package browser

import (
	"fmt"
	"strings"
	"testing"
)

// pressSignOut opens the menu that signs somebody out, and presses the button in it: behind the
// avatar on a wide screen, in the drawer of a phone.
func (b *tab) pressSignOut() {
	b.Helper()
	open, button := ".me", "#account form button"
	if b.on.touch {
		open, button = "#more", "#side [form=sign-out]"
	}
	b.press(open)
	b.press(button)
}

// signOut signs out, and waits for the page that follows.
func (b *tab) signOut() {
	b.Helper()
	eval[bool](b, "window.leaving = true")
	b.pressSignOut()
	b.await("!window.leaving && document.readyState === 'complete'")
}

// box is where something is on the screen: left, top, width and height, in whole pixels; zeros where it is not.
func (b *tab) box(selector string) [4]int {
	b.Helper()
	at := eval[[]int](b, fmt.Sprintf(`(() => {
		const r = document.querySelector(%q)?.getBoundingClientRect();
		return r ? [r.x, r.y, r.width, r.height].map(Math.round) : [0, 0, 0, 0];
	})()`, selector))
	return [4]int(at)
}

// The sidebar, the bar on top and the bar at the bottom have their places and sizes on every
// screen, and the content begins high up.
func TestThePlacesOfTheShell(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), wide)
	b.signIn("atutor")
	at := func(on screen, path string, want map[string][4]int) {
		t.Helper()
		b.turn(on)
		b.visit(path)
		b.await("document.readyState === 'complete'")
		for selector, box := range want {
			if got := b.box(selector); got != box {
				t.Errorf("%s on %s: %s is at %v, want %v", path, on.name, selector, got, box)
			}
		}
		if y := b.box("h1")[1]; y == 0 || y > 200 {
			t.Errorf("%s on %s: the title begins at %d", path, on.name, y)
		}
	}
	var none [4]int
	large := screen{name: "1440", width: 1440, height: 900}
	at(large, "/home", map[string][4]int{"#side": {0, 0, 248, 900}, ".top": {248, 0, 1192, 52}, ".tabbar": none,
		".menu-button": none})
	at(large, "/units/1/desk?who=all", map[string][4]int{"#side": {0, 0, 56, 900}, ".top": {56, 0, 1384, 52}})
	middle := screen{name: "1024", width: 1024, height: 768}
	at(middle, "/home", map[string][4]int{"#side": none, ".top": {0, 0, 1024, 52}, ".tabbar": none})
	small := screen{name: "390", width: 390, height: 844, touch: true}
	for _, path := range []string{"/home", "/units/1/desk?who=all"} {
		at(small, path, map[string][4]int{"#side": none, ".top": {0, 0, 390, 52}, ".tabbar": {0, 792, 390, 52}})
	}
	b.turn(wide)
}

// The drawer, the notifications and the menu of the account open and lead on, with script and
// without, and close by the key for it.
func TestWhatTheShellOpens(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		b := open(t, quiet(t), on)
		b.signIn("student_1")
		if on.touch {
			b.press("#more")
			b.follow("#side a[href='/calendar']")
			b.await("location.pathname === '/calendar'")
			b.follow("#bell-short")
		} else {
			b.press("#bell > button")
			if n := eval[int](b, "document.querySelectorAll('#newest li a').length"); n != 10 {
				t.Errorf("%d notifications are in the panel", n)
			}
			b.follow("#newest .card-head a")
		}
		b.await("location.pathname === '/news'")
		if !on.touch {
			b.press(".me")
			b.await("document.querySelector('#account:popover-open')")
			if !on.noScript {
				b.asItIs("the menu of the account")
				b.visit("/news")
				b.press("#bell > button")
				b.asItIs("the notifications")
			}
			b.visit("/news")
			b.press(".me")
			b.follow("#account a[href='/profile']")
			b.await("location.pathname === '/profile'")
		}
	}, wide, phone, wide.withoutScript(), phone.withoutScript())
}

// What has the focus is never under a bar that stays: on a phone one is at the top and one at the bottom.
func TestTheFocusIsNeverUnderABar(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), phone)
	b.signIn("student_1")
	for _, path := range []string{"/home", "/profile", "/help"} {
		b.visit(path)
		hidden := eval[[]string](b, `(() => {
			const top = document.querySelector('.top').getBoundingClientRect().bottom;
			const end = document.querySelector('.tabbar').getBoundingClientRect().top;
			return [...document.querySelectorAll('main a[href], main button, main input')].filter((e) => {
				e.focus();
				const r = e.getBoundingClientRect();
				return document.activeElement === e && (r.bottom < top + 4 || r.top > end - 4);
			}).map((e) => e.outerHTML.slice(0, 100));
		})()`)
		if len(hidden) > 0 {
			t.Errorf("%s: under a bar: %q", path, hidden)
		}
	}
}

// What the bell counts for whoever has more than a hundred notifications stays on the bell: it
// touches nothing beside it, on any screen.
func TestTheBellOfManyNotifications(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), wide)
	b.signIn("atutor") // who has read nothing yet
	for _, on := range append([]screen{{name: "320", width: 320, height: 640, touch: true}}, sizes...) {
		b.turn(on)
		b.visit("/home")
		tally, beside := "#bell .tally", ".me"
		if on.touch {
			tally, beside = "#bell-short .tally", "#more"
		}
		if text := b.text(tally); !strings.HasPrefix(text, "99+") {
			t.Fatalf("%s: the bell counts %q", on.name, text)
		}
		at, next := b.box(tally), b.box(beside)
		if at[2] == 0 || next[2] == 0 || at[0]+at[2] > next[0]-2 {
			t.Errorf("%s: the count at %v touches %s at %v", on.name, at, beside, next)
		}
	}
}
