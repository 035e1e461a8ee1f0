package browser

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// Times are told on the clock of the browser, whatever the account says; what is due names the clock
// of its unit where that shows another time. Writing them anew moves nothing on the page worth
// mentioning, and where the browser's clock is the one the server wrote for, nothing is written.
func TestTimesFollowTheBrowser(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), wide)
	b.signIn("student_2")
	task := b.firstTask("6.1P")
	const (
		due   = `document.querySelector('main .due time').textContent`
		note  = `document.getElementById('clock').textContent`
		shift = `new Promise((done) => { let sum = 0; new PerformanceObserver((list) => {
			for (const e of list.getEntries()) sum += e.value; }).observe({ type: 'layout-shift', buffered: true });
			requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(sum)))); })`
	)
	for _, c := range []struct {
		zone, place string
		both        bool
	}{
		{"Australia/Melbourne", "Times are in Melbourne time.", true},
		{"Australia/Adelaide", "Times are in Adelaide time.", true}, // half hours
		{"Etc/GMT+12", "Times are in GMT+12 time.", false},          // the unit's: anywhere on Earth
	} {
		set(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: c.zone})
		for _, page := range []string{task, "/home"} {
			b.visit(page)
			b.await("document.readyState === 'complete'")
			b.await(due + `.includes('23:59')`)
			if both := eval[bool](b, due+`.includes('AoE)') &&
				document.querySelector('main .due time abbr').title === 'anywhere on Earth'`); both != c.both {
				t.Errorf("%s in %s: %s", page, c.zone, eval[string](b, due))
			}
			if got := eval[float64](b, shift); got > 0.02 {
				t.Errorf("%s in %s moves by %v", page, c.zone, got)
			}
			b.await(note + ` === ` + quote(c.place))
		}
	}
	// The words of the browser are those of the table.
	const same = `Promise.all(['2026-01-05','2026-02-10','2026-03-18','2026-04-23','2026-05-29','2026-06-06','2026-07-12',
		'2026-08-03','2026-09-08','2026-10-14','2026-11-19','2026-12-25'].map((d) => {
			const p = Object.fromEntries(new Intl.DateTimeFormat(document.documentElement.lang, { timeZone: 'UTC',
				weekday: 'short', month: 'short' }).formatToParts(new Date(d)).map((x) => [x.type, x.value]));
			return p.weekday + ' ' + p.month; })).then((all) => all.join())`
	if got := eval[string](b, same); got != "Mon Jan,Tue Feb,Wed Mar,Thu Apr,Fri May,Sat Jun,Sun Jul,Mon Aug,Tue Sep,"+
		"Wed Oct,Thu Nov,Fri Dec" {
		t.Error(got)
	}
}

// What is folded away is told on the clock of the browser when it is unfolded, and what stands on the fold at once.
func TestTimesThatAreFoldedFollow(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), wide)
	b.signIn("student_2")
	b.visit("/home")
	b.await("document.readyState === 'complete'")
	eval[bool](b, `(() => {
		const fold = document.createElement('details');
		const time = (parent) => parent.appendChild(Object.assign(document.createElement('time'),
			{dateTime: '2020-02-03T04:05:00Z', textContent: 'as it came'})).dataset.as = 'near';
		time(fold.appendChild(document.createElement('summary')));
		time(fold.appendChild(document.createElement('p')));
		fold.id = 'fold';
		document.querySelector('main').append(fold);
		return true;
	})()`)
	b.await("document.querySelector('#fold summary time').textContent.includes('years ago')")
	if got := eval[string](b, "document.querySelector('#fold p time').textContent"); got != "as it came" {
		t.Errorf("what nobody sees says %q", got)
	}
	eval[bool](b, "document.getElementById('fold').open = true")
	b.await("document.querySelector('#fold p time').textContent.includes('years ago')")
}
