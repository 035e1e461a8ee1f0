package site

import (
	"net/http"

	"lectern/internal/web/httpserver"
	"lectern/internal/web/site/page"
)

// failure is what a page says of a request that failed.
type failure struct {
	Text, ID string
	Family   string // of the colour of its picture
	Icon     page.Icon
	Again    string // where the same can be asked for once more; empty where that is of no use
}

// failureOf gives the page of a request that failed its picture, and the way to try again where
// it is the service that failed and nothing was sent.
func failureOf(r *http.Request, p httpserver.Problem) failure {
	f := failure{Text: p.Text, ID: httpserver.RequestID(r.Context()), Family: "orange", Icon: page.Icon("circle-alert")}
	switch {
	case p.Status == http.StatusNotFound:
		f.Family, f.Icon = "grey", page.Icon("file-question-mark")
	case p.Status == http.StatusForbidden:
		f.Family, f.Icon = "violet", page.Icon("lock")
	case p.Status == http.StatusTooManyRequests:
		f.Icon = page.Icon("timer")
	case p.Status >= http.StatusInternalServerError:
		f.Family, f.Icon = "red", page.Icon("server-crash")
	}
	if r.Method == http.MethodGet && (p.Status >= http.StatusInternalServerError ||
		p.Status == http.StatusTooManyRequests) {
		f.Again = r.URL.RequestURI()
	}
	return f
}
