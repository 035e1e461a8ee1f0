package browser

import (
	"fmt"
	"net/url"
	"testing"
)

// An administrator makes a teaching period with a break, rolls the units of another over into it, adds a
// campus, finds a closed unit and opens it again; the unit that they teach and left stands open in the
// sidebar, and leads back to where they were.
func TestAnAdministratorSetsTheServiceUp(t *testing.T) {
	needed(t)
	s := serve(t)
	s.call(t, "aadmin", "PUT", "/api/units/1", url.Values{"unit[active]": {"false"}}, nil)
	b := open(t, s, wide)
	b.signIn("aadmin")
	fill := func(pairs ...string) {
		t.Helper()
		for i := 0; i < len(pairs); i += 2 {
			eval[bool](b, "(document.getElementById("+quote(pairs[i])+").value = "+quote(pairs[i+1])+", true)")
		}
		eval[bool](b, "(document.getElementById("+quote(pairs[0])+").form.requestSubmit(), true)")
	}
	b.visit("/admin/periods/new")
	fill("period", "Later", "year", "2090", "start_date", "2090-03-06", "end_date", "2090-06-30", "active_until", "2090-07-10")
	b.await("location.search.includes('done=added') && document.querySelector('#breaks')")
	eval[bool](b, "([...document.querySelectorAll('a')].find((a) => a.href.endsWith('/breaks/new')).click(), true)")
	b.await("document.getElementById('number_of_weeks')")
	fill("start_date", "2090-04-10", "number_of_weeks", "1")
	b.await("document.querySelector('.list .title') && document.body.textContent.includes('1 week')")

	b.visit("/admin/periods")
	eval[bool](b, "(document.querySelector('.admin-table a.btn').click(), true)")
	b.await("document.getElementById('new_teaching_period_id')")
	eval[bool](b, `(() => {
		const list = document.getElementById('new_teaching_period_id');
		list.value = [...list.options].find((o) => o.text === 'Later 2090').value;
		document.getElementById('rollover_inactive').checked = true;
		list.form.requestSubmit();
		return true;
	})()`)
	b.await("document.querySelectorAll('input[name=units]').length > 0 && document.querySelector('.apply-bar')")
	eval[bool](b, "(document.querySelector('.apply-bar .primary').click(), true)")
	b.await("location.pathname === '/admin/units' && document.querySelectorAll('.admin-table tbody tr').length > 0")

	b.visit("/admin/campuses/new")
	fill("name", "Harbour", "abbreviation", "HB")
	b.await("document.body.textContent.includes('Harbour is added.')")

	b.visit("/admin/units?show=closed")
	b.await("document.querySelector('#unit-1 form')")
	eval[bool](b, "(document.querySelector('#unit-1 form button').click(), true)")
	b.await("location.pathname === '/units/1/settings'")
	var people []struct {
		ID       int64
		Username string
	}
	s.call(t, "aadmin", "GET", "/api/users", nil, &people)
	for _, p := range people {
		if p.Username == "aadmin" {
			s.call(t, "aadmin", "POST", "/api/unit_roles", url.Values{"unit_id": {"1"}, "user_id": {fmt.Sprint(p.ID)},
				"role": {"Convenor"}}, nil)
		}
	}
	b.visit("/units/1/students?sort=-name")
	eval[bool](b, "(document.querySelector('.side a[href^=\"/admin/units\"]').click(), true)")
	b.await("location.pathname === '/admin/units'")
	const back = `.side a[href="/units/1/students?sort=-name"]`
	b.await("document.querySelector('" + back + "')") // a script puts the place there
	eval[bool](b, "(document.querySelector('"+back+"').click(), true)")
	b.await("location.pathname + location.search === '/units/1/students?sort=-name'")
}
