package admin

import (
	"html/template"
	"strconv"

	"lectern/internal/ground/links"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/web/site/page"
)

// roleColours are the families of the badges of roles; a student's has none.
var roleColours = map[policy.Role]string{policy.Admin: "violet", policy.Convenor: "blue", policy.Tutor: "teal"}

// accountState is how an account stands, without a ground: a row has the badge of the role beside it.
func (s *room) accountState(state ident.AccountState) template.HTML {
	icon, colour := page.Icon("circle-slash"), "grey"
	switch state {
	case ident.AccountActive:
		icon, colour = page.Icon("circle-check-big"), "green"
	case ident.AccountInvited:
		icon, colour = page.Icon("mail"), "blue"
	case ident.AccountLocked:
		icon, colour = page.Icon("lock"), "orange"
	}
	var r page.Rows
	r.Put(`<span class="pill bare %s">`, colour)
	r.Add(s.Icon(icon))
	r.Put(`%s</span>`, s.Word("people.state-"+string(state)))
	return r.HTML()
}

// peopleLines draws people as the rows of people-table.
func (s *room) peopleLines(list []ident.Person) template.HTML {
	var r page.Rows
	roles, states := map[policy.Role]template.HTML{}, map[ident.AccountState]template.HTML{}
	for _, one := range peopleRoles {
		roles[one] = s.Badge("", roleColours[one], s.Word("people.role-"+one.String()))
	}
	for _, one := range peopleStates {
		states[one] = s.accountState(one)
	}
	email, role, account := s.Word("enrol.email"), s.Word("people.role"), s.Word("people.account")
	units, signedIn, never := s.Word("people.units"), s.Word("people.signed-in"), s.Word("people.never")
	for i := range list {
		p := &list[i]
		name := p.FirstName + " " + p.LastName
		r.Put(`<tr><th scope="row"><span class="who">`)
		r.Add(page.Avatar(name))
		r.Put(` <span><a href="%s"><bdi>%s</bdi></a> <small><bdi>%s</bdi></small></span></span></th>`,
			links.To(links.Person, p.ID), name, p.Username)
		r.Put(`<td class="soft" data-label="%s"><bdi>%s</bdi></td><td data-label="%s">`, email, p.Email, role)
		r.Add(roles[p.RoleID])
		r.Put(`</td><td data-label="%s"><span>`, account)
		if r.Add(states[p.State]); p.ErasureAt != nil {
			r.Put(` <small>%s <time datetime="%s" data-as="both"></time></small>`, s.Word("people.erased-on"),
				p.ErasureAt.String())
		}
		r.Put(`</span></td><td class="n" data-label="%s"><span>%s</span></td><td data-label="%s">`, units,
			strconv.FormatInt(p.Units, 10), signedIn)
		if p.SignedInAt != nil {
			r.Put(`<time datetime="%s" data-as="both"></time>`, p.SignedInAt.String())
		} else {
			r.Put(`<span class="muted">%s</span>`, never)
		}
		r.Put("</td></tr>\n")
	}
	return r.HTML()
}
