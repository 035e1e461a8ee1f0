package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"

	"lectern/internal/web/live"
)

// The page of receipts writes JSON as the service signs it, and goes on checking when
// the network is gone.
func TestReceiptsAreCheckedOffline(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		data, err := os.ReadFile("../internal/ground/canonical/testdata/vectors.json")
		if err != nil {
			t.Fatal(err)
		}
		var vectors []struct {
			In  string
			Out *string
		}
		if err := json.Unmarshal(data, &vectors); err != nil {
			t.Fatal(err)
		}
		b := open(t, quiet(t), on)
		b.visit("/receipts/check")
		for _, v := range vectors {
			in, err := json.Marshal(v.In)
			if err != nil {
				t.Fatal(err)
			}
			got := eval[*string](b, `(() => { try { return receipts.canonical(`+string(in)+`) } catch { return null } })()`)
			if (got == nil) != (v.Out == nil) || got != nil && *got != *v.Out {
				t.Errorf("%s is not written as the service writes it", v.In)
			}
		}
	}, wide)
}

// A receipt of the demo is good when the network is gone, and bad when a letter of it
// was changed.
func TestReceiptsAreCheckedWithoutANetwork(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		s := quiet(t)
		b := open(t, s, on)
		b.signIn("student_1")
		receipt := eval[string](b, `(async () => {
			const links = (page) => [...page.querySelectorAll('a')].map((a) => a.getAttribute('href'));
			const get = async (path) => (await fetch(path)).text();
			const parse = (text) => new DOMParser().parseFromString(text, 'text/html');
			for (const project of new Set(links(document).filter((p) => /^.projects.\d+$/.test(p)))) {
				for (const task of new Set(links(parse(await get(project))).filter((p) => /.tasks.\d+$/.test(p)))) {
					const one = links(parse(await get(task))).find((p) => /versions.*receipt$/.test(p));
					if (one) return get(one + '.json');
				}
			}
			return '';
		})()`)
		if receipt == "" {
			t.Fatal("the demo has no receipt")
		}
		b = open(t, s, on) // of somebody who is not signed in
		b.visit("/receipts/check")
		set(b, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{{Offline: true}}})
		b.expect("ERR_INTERNET_DISCONNECTED")
		if !eval[bool](b, "fetch('/help').then(() => false, () => true)") {
			t.Fatal("the network is not gone")
		}
		check := func(text, want string) {
			t.Helper()
			eval[bool](b, `document.getElementById('receipt').value = `+quote(text)+`, true`)
			b.press("#receipt-form button")
			b.awaitText(want)
		}
		check(receipt, "The receipt is valid")
		check(strings.Replace(receipt, `"sequence":`, `"sequence":1`, 1), "this receipt was changed")
		check("{}", "This is not a receipt.")
	}, wide)
}

// unread is the number at the bell.
const unread = "parseInt(document.querySelector('#bell .tally')?.innerText ?? '0')"

// What a tutor says appears while its student looks, with the bell, and takes nothing
// away of what the student types.
func TestPagesAreLive(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		s := quiet(t)
		student, tutor := open(t, s, on), open(t, s, on)
		student.signIn("student_1")
		tutor.signIn("atutor")
		task := eval[string](student, `(document.querySelector('main a[href*="/tasks/"]').getAttribute('href'))`)
		student.visit("/news")
		if student.has("#main form") {
			student.press("#main form button")
			student.await("!document.querySelector('#bell .tally') && !document.querySelector('#main form')")
		}
		student.visit(task)
		student.await("window.performance.getEntriesByType('resource').some((e) => e.name.includes('/live'))")
		student.fill("#comment", "I am just writ")
		tutor.visit(task)
		tutor.fill("#comment", "Seen live on "+on.name)
		before := eval[int](student, unread) // documents of the demo that are made meanwhile count, too
		tutor.press("#say > p:last-of-type button")
		student.awaitText("Seen live on " + on.name)
		student.await(fmt.Sprintf("(%s) > %d", unread, before))
		if !eval[bool](student, `document.activeElement.id === 'comment' &&
			document.activeElement.value === 'I am just writ'`) {
			t.Error("what the student typed is gone")
		}
	}, wide)
}

// An open page listens to all that the service may tell it.
func TestPagesListenToAllThatIsTold(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		b := open(t, quiet(t), on)
		b.signIn("student_1")
		b.visit("/home")
		b.await("window.performance.getEntriesByType('resource').some((e) => e.name.includes('/live'))")
		heard := eval[[]string](b, `(() => {
			const heard = [];
			EventSource.prototype.addEventListener = function (kind, f) {
				heard.push(kind);
				EventTarget.prototype.addEventListener.call(this, kind, f);
			};
			dispatchEvent(new Event('pagehide')); // it leaves, and connects anew
			dispatchEvent(new Event('pageshow'));
			return heard;
		})()`)
		for _, kind := range append(live.Names(), "ready", "missed") {
			if !slices.Contains(heard, kind) {
				t.Errorf("the page does not listen to %q, only to %q", kind, heard)
			}
		}
	}, wide)
}
