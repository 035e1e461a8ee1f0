package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// What is typed outlives a reload and stays while others speak; a voice is recorded,
// heard and sent; and signing out leaves nothing behind on a shared computer.
func TestTalking(t *testing.T) {
	needed(t)
	s := serve(t)
	for i, on := range []screen{wide, phone} {
		t.Run(on.name, func(t *testing.T) {
			b := open(t, s, on)
			b.signIn([]string{"student_2", "student_6"}[i])
			task := b.firstTask("5.1P")
			b.fill("#comment", "half a sentence")
			b.visitLive(task)
			b.await("document.querySelector('#comment').value === 'half a sentence'")
			b.run(chromedp.Focus(chromedp.CSS("#comment")))
			b.feedback(s, task, "Said while you type, "+on.name+".")
			if typed := eval[string](b, "document.activeElement.value"); typed != "half a sentence" {
				t.Errorf("what was typed is %q after somebody else spoke", typed)
			}
			b.record("#say", "#say button:not([type=button])")
			b.await("document.querySelector('#talk-list audio')")
			b.await("document.querySelector('#comment').value === '' && localStorage.length === 0")
			b.fill("#comment", "never sent")
			b.await("localStorage.length === 1")
			b.signOut()
			b.await("location.pathname === '/sign-in'")
			if left := eval[int](b, "localStorage.length"); left != 0 {
				t.Errorf("%d drafts are left", left)
			}
		})
	}
}

// record speaks into the field of a form, hears it, and sends it.
func (b *tab) record(form, send string) {
	b.Helper()
	b.press(form + " .recorder button:not([hidden])")
	b.await("/0:0[1-9]/.test(document.querySelector(" + quote(form+" .recorder [role=status]") + ").innerText)")
	b.press(form + " .recorder button:not([hidden])")
	b.await("document.querySelector(" + quote(form+" .recorder audio:not([hidden])") + ")?.readyState > 0")
	b.press(send)
}

// A student hears the questions of a discussion and answers by voice.
func TestDiscussion(t *testing.T) {
	needed(t)
	b := open(t, serve(t), wide)
	b.signIn("student_1")
	b.firstTask("1.1P")
	b.follow("#talk-list a[href*='/discussions/']")
	b.follow("form[action$='/begin'] button")
	b.await("document.querySelector('main audio')")
	eval[bool](b, "document.querySelector('main li audio').load(), true")
	eval[bool](b, "document.querySelector('main li audio').preload = 'auto', true")
	b.await("document.querySelector('main li audio').readyState > 0")
	b.record("form[action$='/answer']", "form[action$='/answer'] button.primary")
	b.awaitText("Answered")
}

// A wrong file is told of before anything is sent, and the document of a submission can
// be read on the page, its words too.
func TestFilesBeforeAndAfter(t *testing.T) {
	needed(t)
	b := open(t, serve(t), wide)
	b.signIn("student_1")
	b.firstTask("6.1P")
	b.choose("#file0", b.file("program.exe", []byte("MZ\x00\x01\x02")))
	b.awaitText("program.exe is not a text file.")
	b.press("form[action$='/hand-in'] p > button")
	b.awaitText("Choose a file")
	b.choose("#file0", b.file("Program.cs", []byte("class Wombat { }\n")))
	b.choose("#file1", b.file("screen.png", aPicture()))
	b.await("[...document.querySelectorAll('.drop .flaw')].every((f) => f.textContent === '')")
	b.press("form[action$='/hand-in'] p > button")
	b.await(atReceipt)
	b.await("document.querySelector('document-view .text-layer span')")
	b.press("document-view [aria-label='Next page']")
	b.await("document.querySelector('document-view').innerText.includes('Wombat')")
	b.await("[...document.querySelectorAll('document-view canvas')].some((c) => c.width > 100)")
}

// Files that are dropped or pasted go where they fit: one where it was dropped, of
// several each to the field of its kind; a wrong one is told of, and one that misses
// takes nothing away.
func TestDropAndPaste(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), wide)
	b.signIn("student_2")
	b.firstTask("6.1P")
	const make = `((kind, target, ...files) => {
		const data = new DataTransfer();
		for (const [name, type, text] of files) data.items.add(new File([text], name, { type }));
		const init = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
		const e = kind === 'paste' ? new ClipboardEvent(kind, init) : new DragEvent(kind, init);
		return !document.querySelector(target).dispatchEvent(e);
	})`
	const code, picture = `['Program.cs', 'text/plain', 'class Program { }\n']`, `['screen.png', 'image/png',
		Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13])]`
	chosen := func(field, name string) {
		t.Helper()
		b.await("document.querySelector('" + field + "').files[0]?.name === " + quote(name))
	}
	empty := func() {
		eval[bool](b, `document.querySelectorAll('.drop input').forEach((i) => { i.value = '' }), true`)
	}
	if !eval[bool](b, make+"('drop', '.drop:has(#file0)', "+code+")") {
		t.Error("the browser would open the file that was dropped")
	}
	chosen("#file0", "Program.cs")
	empty()
	eval[bool](b, make+"('drop', '.drop:has(#file0)', "+picture+", "+code+")")
	chosen("#file0", "Program.cs")
	chosen("#file1", "screen.png")
	empty()
	eval[bool](b, make+"('drop', '.drop:has(#file0)', ['program.exe', '', Uint8Array.from([77, 90, 0, 1, 2])])")
	b.awaitText("program.exe is not a text file.")
	empty()
	b.visit(eval[string](b, "location.pathname"))
	eval[bool](b, make+"('paste', 'body', "+picture+")")
	chosen("#file1", "screen.png")
	b.run(chromedp.Focus(chromedp.CSS("#comment")))
	eval[bool](b, make+"('paste', '#comment', "+code+")") // what is pasted among words stays there
	if eval[int](b, "document.querySelector('#file0').files.length") != 0 {
		t.Error("what was pasted into the conversation is handed in")
	}
	if !eval[bool](b, make+"('drop', 'h1', "+code+")") {
		t.Error("a file that misses its field takes the page away")
	}
}
