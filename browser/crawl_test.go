package browser

import (
	"cmp"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"lectern/internal/web/site"
	"lectern/internal/web/site/page"
)

// people are those of the demo through whose eyes the pages are looked at; nobody is a
// visitor.
var people = []string{"", "student_1", "atutor", "aconvenor", "aadmin"}

// teaches tells who has to reach every page of those who teach.
var teaches = map[string]bool{"atutor": true, "aconvenor": true}

// taught tells whether a page is one of those who teach.
func taught(pattern string) bool { return strings.HasPrefix(pattern, "GET /units/") }

// convened tells whether a page is one of those who convene, which tutors do not have.
func convened(pattern string) bool {
	return taught(pattern) && strings.Contains(pattern, "}/settings") || pattern == "GET /units/new" ||
		pattern == "GET /units/{id}/announcements/new" ||
		strings.Contains(pattern, "}/moderation/") || // of the demo, whose sample is of what one tutor marked
		pattern == "GET /units/{id}/rollover"
}

// byAddress are pages that no page links to: emails and the browser lead there.
var byAddress = map[string][]string{
	"": {"/", "/sign-in?next=/help", "/password", "/password?token=x", "/confirm-address?token=x", "/forgot",
		"/unsubscribe?token=x"},
	"student_1": {"/nowhere"},
	"atutor":    {"/projects/3"}, // a student's
	"aconvenor": {"/units/1/settings/staff/find?text=tut"},
}

// found are the pages a person can reach, by the pattern of their path.
type found map[string][]sight

type sight struct {
	path string
	size int
}

// patterns finds the pattern that a path of the site belongs to.
func patterns() (*http.ServeMux, []string) {
	mux, pages := http.NewServeMux(), []string{}
	for _, i := range site.New(site.Config{}).Sorted() {
		if i.Method == http.MethodGet {
			mux.Handle("GET "+i.Path, http.NotFoundHandler())
			if i.Out == reflect.TypeFor[*page.Page]() {
				pages = append(pages, "GET "+i.Path)
			}
		}
	}
	return mux, pages
}

// mostAlike is how many pages of one pattern links are followed to.
const mostAlike = 8

// crawl follows every link to a page from where a person begins, at most so many, and
// keeps of each pattern the fullest and the emptiest. Every link leads somewhere.
func crawl(t *testing.T, at *service, who string) found {
	t.Helper()
	c := client(t, at, who)
	mux, pages := patterns()
	list := append([]string{"/home", "/help"}, byAddress[who]...)
	out, known, alike := found{}, map[string]string{}, map[string]int{}
	for n := 0; n < len(list) && n < 1_100; n++ {
		path := list[n]
		res, err := c.Get(at.url + path)
		if err != nil {
			t.Fatal(err)
		}
		doc, size := read(t, res)
		if doc == nil || res.StatusCode >= 400 && !slices.Contains(byAddress[who], path) {
			t.Errorf("%s is led from %s to %s, which answers %s", who, known[path], path, res.Status)
			continue
		}
		_, pattern := mux.Handler(res.Request)
		out[pattern] = append(out[pattern], sight{res.Request.URL.RequestURI(), size})
		for _, link := range links(res.Request.URL, doc) {
			_, kind := mux.Handler(httptest.NewRequest(http.MethodGet, link, nil))
			if known[link] == "" && alike[kind] < mostAlike && slices.Contains(pages, kind) {
				known[link] = path
				alike[kind]++
				list = append(list, link)
			}
		}
	}
	for pattern, all := range out {
		slices.SortFunc(all, func(a, b sight) int { return cmp.Or(b.size-a.size, strings.Compare(a.path, b.path)) })
		all = slices.CompactFunc(all, func(a, b sight) bool { return a.path == b.path })
		if len(all) > 2 {
			all = append(all[:1:1], all[len(all)-1])
		}
		out[pattern] = all
	}
	return out
}

// read gives a page and its size; nil for what is none.
func read(t *testing.T, res *http.Response) (*html.Node, int) {
	t.Helper()
	defer res.Body.Close()
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		return nil, 0
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return doc, len(text)
}

// links are the paths of the site that a page leads to.
func links(from *url.URL, doc *html.Node) []string {
	out := map[string]bool{}
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			if n.Data != "a" || a.Key != "href" {
				continue
			}
			u, err := from.Parse(a.Val)
			if err == nil && u.Host == from.Host && !strings.HasPrefix(u.Path, "/api") {
				out[u.RequestURI()] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// client is somebody's session outside the browser.
func client(t *testing.T, at *service, who string) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar, Transport: asBrowser{}}
	if who != "" {
		res, err := c.PostForm(at.url+"/sign-in", url.Values{"username": {who}, "password": {"password"}})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.Request.URL.Path != "/home" {
			t.Fatalf("%s cannot sign in: %s", who, res.Status)
		}
	}
	return c
}

// asBrowser asks for pages, not for JSON.
type asBrowser struct{}

func (asBrowser) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	return http.DefaultTransport.RoundTrip(r)
}
