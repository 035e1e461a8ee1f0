package notify_test

import (
	"testing"

	"lectern/internal/connect/notify"
	"lectern/internal/teaching/status"
	"lectern/internal/web/site/page"
)

// Emails say and colour a status as pages do.
func TestEmailsShowStatusesAsPagesDo(t *testing.T) {
	for _, st := range status.All {
		got := notify.StatusOf(st)
		if got.Name != page.English.Status(st) || got.Family != page.LookOf(st).Family {
			t.Errorf("%s: %+v; pages say %q in %s", st, got, page.English.Status(st), page.LookOf(st).Family)
		}
	}
}
