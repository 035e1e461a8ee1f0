package site_test

import (
	"net/http"
	"strings"
	"testing"
)

// cookies are those that an answer sets, as a request sends them back beside the session.
func (w *world) cookies(a *answer) string {
	all := "lectern=" + w.cookie
	for _, c := range a.Result().Cookies() {
		all += "; " + c.Name + "=" + c.Value
	}
	return all
}

// Whoever runs the service and teaches goes from a page of a unit to the administration and back to the same
// address by one link, and the other way round. Nobody else is given such a cookie, and none leads elsewhere.
func TestAPlaceIsKeptBesideTheAdministration(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.administered()
	w.exec(`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at)
		SELECT max(u.id), max(p.id), 3, $1, $1 FROM units u, users p WHERE p.username = 'ada'`, w.db.Now())
	ada := w.as("ada")
	inbox := w.path("/units/{id}/inbox") + "?page=2&text=a%26b"
	from := func(path string) []string { return []string{"Referer", "http://lectern.test" + path} }
	link := func(to string) string { return `href="` + strings.ReplaceAll(to, "&", "&amp;") + `"` }
	a := ada.do(adminUnits, nil, from(inbox)...)
	a.status(200).says(link(inbox))
	jar := ada.cookies(a)
	if !strings.Contains(jar, "lectern_unit=") {
		t.Fatalf("no place is kept: %s", jar)
	}
	for _, c := range a.Result().Cookies() {
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.MaxAge != 0 {
			t.Errorf("the cookie is %+v", c)
		}
	}
	a = ada.do(adminPeriods, nil, append(from(adminUnits), "Cookie", jar)...) // on another page of it
	a.status(200).says(link(inbox))
	if len(a.Result().Cookies()) > 0 {
		t.Error("nothing was left, and yet a place is kept")
	}
	a = ada.do(w.path("/units/{id}/inbox"), nil, from(adminUnits+"?text=sit&show=open")...)
	a.status(200).says(link(adminUnits + "?text=sit&show=open"))

	ada.do(adminUnits, nil).status(200).lacks("inbox?page=2")
	for _, bad := range []string{"https://evil.example/units/1", "//evil.example/units/1", "/home", "javascript:alert(1)"} {
		a := ada.do(adminUnits, nil, "Referer", bad)
		if len(a.Result().Cookies()) > 0 {
			t.Errorf("%s is kept", bad)
		}
		ada.do(adminUnits, nil, "Cookie", "lectern="+ada.cookie+"; lectern_unit="+bad).status(200).lacks("evil").
			lacks("javascript:alert")
	}
	if got := w.as("tom").do(w.path("/units/{id}/inbox"), nil, from(adminUnits)...).Result().Cookies(); len(got) > 0 {
		t.Errorf("a tutor is given %v", got)
	}
}

// The home page of whoever runs the service tells what of it needs somebody, and leads to its pages.
func TestTheHomePageOfAnAdministrator(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administered()
		ada.open("/home").sees("Administration").sees("Nothing of the service needs you.").follows("Open service health")
		w.job("mail", "dead", "refused", 0)
		ada.open("/home").sees("1 job failed for good").sees(`href="` + adminPeriods + `"`)
		w.as("tom").do("/home", nil).lacks("Open service health")
	})
}
