package browser

import "testing"

// Somebody who is not signed in is led to the sign-in and back to where they wanted to
// go; a wrong password is told.
func TestSignIn(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		s := quiet(t)
		b := open(t, s, on)
		b.visit("/profile")
		b.await("location.pathname === '/sign-in'")
		b.expect("status of 401")
		b.fill("#username", "student_1")
		b.fill("#password", "wrong horse")
		b.follow("main form button")
		b.await("document.querySelector('[role=alert]')")
		b.fill("#password", "password")
		b.follow("main form button")
		b.await("location.pathname === '/profile'")
		b.signOut()
		b.await("location.pathname === '/sign-in'")
		b.visit("/home")
		b.await("location.pathname === '/sign-in'")
	}, wide, phone, wide.withoutScript(), phone.withoutScript())
}
