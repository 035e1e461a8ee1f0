package page

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/links"
	"lectern/internal/people/policy"
	"lectern/internal/usecase"
)

// kept is where somebody who runs the service and teaches was on the other side of it: the address in a unit
// that they left for the administration, and the one in the administration that they left for a unit. The
// sidebar leads back to either, whatever was looked at meanwhile.
type kept struct{ unit, admin string }

// The cookies that hold them, for as long as the browser is open.
const (
	unitPlace  = "lectern_unit"
	adminPlace = "lectern_admin"
)

// mostPlace is how long an address may be that is kept.
const mostPlace = 1000

func (p *Page) inAdministration() bool { return within(p.path, links.Admin) }

// within tells whether a path is another or beneath it.
func within(path, top string) bool { return path == top || strings.HasPrefix(path, top+"/") }

// keepPlace reads where somebody was, and notes where they come from when they change sides: browsers tell
// that of links within the site, and nothing is noted where one does not.
func (p *Page) keepPlace(w http.ResponseWriter, r *http.Request) {
	if p.Me == nil || p.Me.Role != policy.Admin || r.Method != http.MethodGet || p.part != "" || p.View() != nil {
		return
	}
	p.kept = kept{place(r, unitPlace), place(r, adminPlace)}
	from := cameFrom(r)
	switch {
	case from == "":
	case p.inAdministration() && within(from, "/units"):
		p.kept.unit = from
		p.setPlace(w, unitPlace, from)
	case within(r.URL.Path, "/units") && within(strings.Split(from, "?")[0], links.Admin):
		p.kept.admin = from
		p.setPlace(w, adminPlace, from)
	}
}

// cameFrom is the address within the site that led here; empty: none did.
func cameFrom(r *http.Request) string {
	from, err := url.Parse(r.Referer())
	if err != nil || from.Host != r.Host || len(from.RequestURI()) > mostPlace {
		return ""
	}
	return from.RequestURI()
}

// place is the address that a cookie holds; one that leads out of the site is none.
func place(r *http.Request, cookie string) string {
	c, err := r.Cookie(cookie)
	if err != nil {
		return ""
	}
	text, err := url.QueryUnescape(c.Value)
	if err != nil || !strings.HasPrefix(text, "/units/") && !within(strings.Split(text, "?")[0], links.Admin) ||
		len(text) > mostPlace {
		return ""
	}
	return text
}

func (p *Page) setPlace(w http.ResponseWriter, cookie, at string) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // secure wherever the service is
		Name: cookie, Value: url.QueryEscape(at), Path: "/", HttpOnly: true,
		Secure: strings.HasPrefix(p.site.Usecases.PublicURL, "https://"), SameSite: http.SameSiteLaxMode})
}

// keptSections are the pages of the unit that somebody left for the administration: the one they were on
// leads to where they were. Any other unit stays folded.
func (p *Page) keptSections(u usecase.Place, sections []Section) []Section {
	path, _, _ := strings.Cut(p.kept.unit, "?")
	if u.ProjectID != 0 || !within(path, "/units/"+strconv.FormatInt(u.UnitID, 10)) {
		return nil
	}
	return leadBack(p.allowed(sections), p.kept.unit)
}

// keptAdministration lets the page of the administration that somebody left lead to where they were on it.
func (p *Page) keptAdministration(sections []Section) []Section {
	if p.inAdministration() {
		return sections
	}
	return leadBack(sections, p.kept.admin)
}

// leadBack lets the section that an address is in lead there.
func leadBack(sections []Section, to string) []Section {
	path, _, _ := strings.Cut(to, "?")
	best := -1
	for i, s := range sections {
		if within(path, s.Path) && (best < 0 || len(s.Path) > len(sections[best].Path)) {
			best = i
		}
	}
	if best < 0 {
		return sections
	}
	out := slices.Clone(sections)
	out[best].Path = to
	return out
}
