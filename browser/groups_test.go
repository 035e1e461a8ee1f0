package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// A member of a group who presses Leave by mistake is asked first, says no, and is still in it.
func TestLeavingAGroupByMistake(t *testing.T) {
	needed(t)
	s := quiet(t)
	for _, on := range []screen{wide, phone, phone.withoutScript()} {
		t.Run(on.name, func(t *testing.T) {
			b := open(t, s, on)
			b.signIn("student_1")
			b.visit(b.inAGroup())
			const leave = "main a[href$='/leave']"
			if on.noScript {
				b.follow(leave)
				b.awaitText("Leave your group?")
				b.follow("#ask a.btn")
			} else {
				for _, no := range []func(){func() { b.key(kb.Escape) }, func() { b.press("dialog[open] footer a") }} {
					b.press(leave)
					b.await("document.querySelector('dialog[open]')?.textContent.includes('Leave your group?')")
					no()
					b.await("!document.querySelector('dialog.dialog')")
				}
				if !eval[bool](b, "document.activeElement.matches(\""+leave+"\")") {
					t.Error("the focus is not where it was")
				}
			}
			b.await("location.pathname.endsWith('/groups')")
			if _, page := b.get(eval[string](b, "location.pathname")); !strings.Contains(page, "Leave group") {
				t.Error("they are out of the group")
			}
		})
	}
}

// inAGroup is the page of the first unit in which whoever is signed in has a group.
func (b *tab) inAGroup() string {
	b.Helper()
	for _, path := range eval[[]string](b, `[...new Set([...document.querySelectorAll('a[href^="/projects/"]')]
		.map((a) => a.pathname.split('/').slice(0, 3).join('/')))]`) {
		if _, page := b.get(path + "/groups"); strings.Contains(page, "/leave\"") {
			return path + "/groups"
		}
	}
	b.Fatal("they are in no group")
	return ""
}

// Whoever submits for a group sees what the shares add up to while they type, and what is wrong.
func TestSharesAreAddedUpWhileTheyAreTyped(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), phone)
	b.signIn("student_1")
	b.visit(b.forAGroup())
	const total = "document.getElementById('shares-total')"
	b.await(total + ".textContent === '100 %' && !" + total + ".classList.contains('late')")
	first := eval[string](b, "document.querySelector('input[data-share]').value")
	b.fill("input[data-share]", "0")
	b.await(total + ".textContent.startsWith(`${100 - " + first + "} %`) && " + total + ".classList.contains('late')")
	if words := b.text("#shares-total"); !strings.Contains(words, "100") {
		t.Errorf("it says %q, and not what is wanted", words)
	}
	b.fill("input[data-share]", first)
	b.await(total + ".textContent === '100 %' && !" + total + ".classList.contains('late')")
}

// forAGroup is the page of a task that whoever is signed in submits for a group.
func (b *tab) forAGroup() string {
	b.Helper()
	project := strings.TrimSuffix(b.inAGroup(), "/groups")
	b.visit(project)
	for _, task := range eval[[]string](b, `[...new Set([...document.querySelectorAll('main a[href*="/tasks/"]')]
		.map((a) => a.pathname))]`) {
		if _, page := b.get(task); strings.Contains(page, "data-share") {
			return task
		}
	}
	b.Fatal("no task is submitted for a group")
	return ""
}
