package browser

import "testing"

// Old addresses, whose path stands behind a #, find their page, by way of the sign-in
// for whoever is not signed in.
func TestOldAddresses(t *testing.T) {
	needed(t)
	s := quiet(t)
	b := open(t, s, wide)
	b.visit("/#/projects/4/dashboard/1.1P?tutor=false")
	b.await("new URLSearchParams(location.search).get('next') === '/projects/4/task?abbreviation=1.1P'")
	b.fill("#username", "student_2")
	b.fill("#password", "password")
	b.follow("main form button")
	b.await("/^\\/projects\\/4\\/tasks\\/\\d+$/.test(location.pathname)")
	b.awaitText("1.1P")
	for old, page := range map[string]string{"/#/projects/4/portfolio": "/projects/4/portfolio", "/#/home": "/home",
		"/#/projects/4/groups?x=1": "/projects/4/groups", "/#/edit_profile": "/profile", "/#/no/such/page": "/home",
		"/profile#address": "/profile/email#address", "/profile#prefer": "/profile/appearance#prefer",
		"/profile#sessions": "/profile/security#sessions", "/profile#change": "/profile/security#change",
		"/profile#names":          "/profile#names",
		"/#/password?token=a-b_c": "/password?token=a-b_c", "/#/home?notifications": "/profile/email#letters",
		"/#/projects/4": "/projects/4", "/#/projects/4/dashboard/": "/projects/4",
		"/#/projects/4/dashboard/no%20such%ta&sk": "/projects/4"} {
		b.visit(old)
		b.await("location.pathname + location.search + location.hash === " + quote(page))
	}
	b.visit("/#/password?token=a-b_c")
	b.awaitText("This link has been used or has expired.") // its token reached the service
}
