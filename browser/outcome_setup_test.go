package browser

import "testing"

// A convenor adds an outcome, puts it first by a key and back by a drag, sets strengths by arrows and digits in
// place, is told of a colleague who was faster, says why in the fields of a cell, and deletes an outcome.
func TestAConvenorSetsUpOutcomes(t *testing.T) {
	needed(t)
	s := serve(t)
	b := open(t, s, wide)
	b.signIn("aconvenor")
	b.expect("status of 409") // a colleague was faster
	b.visit("/units/1/settings/outcomes/new")
	eval[bool](b, `(document.getElementById('name').value = 'Argue',
		document.getElementById('description').value = 'Well.',
		document.getElementById('outcome').requestSubmit(), true)`)
	b.await("location.search.includes('saved=1') && document.querySelector('.outcomes li[draggable]')")
	const item = "[...document.querySelectorAll('.outcomes li')].find((li) => li.textContent.includes('Argue'))"
	eval[bool](b, item+`.querySelector('a').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp', altKey: true,
		bubbles: true, cancelable: true }))`)
	b.await(item + "?.dataset.number === '5' && document.activeElement.closest('li') === " + item)
	eval[bool](b, dropOn+"("+item+", document.querySelector('.outcomes li'))")
	b.await(item + "?.dataset.number === '1' && document.activeElement.closest('li') === " + item)
	const cell = "document.querySelector('.align-grid tbody tr:nth-child(2) td:nth-child(2) > a')"
	covered := "document.querySelector('#coverage td').textContent.trim()"
	press := func(key string) {
		eval[bool](b, `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: `+quote(key)+
			`, bubbles: true, cancelable: true }))`)
	}
	eval[bool](b, "(document.querySelector('.align-grid td > a').focus(), true)")
	press("ArrowDown")
	b.await("document.activeElement === " + cell)
	press("4")
	b.await(cell + ".dataset.r === '4' && " + covered + " === '1 task' && " +
		"document.getElementById('grid-said').textContent === 'Shows it well'")
	eval[bool](b, "("+cell+".dataset.r = '2', true)") // as if it was read before a colleague changed it
	press("5")
	b.await("document.getElementById('grid-wrong').textContent.includes('Shows it well') && " +
		cell + ".dataset.r === '4'")
	press("5")
	b.await(cell + ".dataset.r === '5' && document.getElementById('grid-wrong').hidden")
	eval[bool](b, "("+cell+".click(), true)")
	b.await("document.readyState === 'complete' && document.getElementById('rating-5')?.checked")
	press("3")
	b.await("document.getElementById('rating-3').checked")
	eval[bool](b, `(document.getElementById('description').value = 'It argues.',
		document.getElementById('cell').requestSubmit(), true)`)
	b.await("location.search.includes('saved=1') && document.activeElement === " + cell + " && " + cell +
		".dataset.r === '3'")
	eval[bool](b, "("+item+".querySelector('a[data-asks]').click(), true)")
	b.await("document.querySelector('dialog[open]')?.textContent.includes('removed from 1 task')")
	eval[bool](b, "(document.querySelector('dialog footer button:not([formmethod]):last-of-type').click(), true)")
	b.await("location.search.includes('deleted=1') && !(" + item + ")")
}
