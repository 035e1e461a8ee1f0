package browser

import "testing"

// dropOn drags something to somewhere.
const dropOn = `((what, to) => {
	const init = { bubbles: true, cancelable: true, dataTransfer: new DataTransfer() };
	what.dispatchEvent(new DragEvent('dragstart', init));
	to.dispatchEvent(new DragEvent('dragover', init));
	to.dispatchEvent(new DragEvent('drop', init));
	return true;
})`

// A convenor makes a set and two groups, puts students in by the menu and by a drag, moves one by keys, locks a
// group, and takes a sheet with mistakes.
func TestAConvenorSetsUpGroups(t *testing.T) {
	needed(t)
	s := serve(t)
	b := open(t, s, wide)
	b.signIn("aconvenor")
	b.expect("status of 409") // a full group is refused
	b.visit("/units/1/settings/groups/new")
	eval[bool](b, `(document.getElementById('name').value = 'Pairs', document.getElementById('capacity').value = '2',
		document.getElementById('set').requestSubmit(), true)`)
	b.await("location.search.includes('done=saved') && document.querySelector('.actions a.primary')")
	for _, name := range []string{"One", "Two"} {
		eval[bool](b, "(document.querySelector('.actions a.primary').click(), true)")
		b.await("document.getElementById('group') && location.pathname.endsWith('/groups/new')")
		eval[bool](b, "(document.getElementById('name').value = "+quote(name)+
			", document.getElementById('group').requestSubmit(), true)")
		b.await("location.search.includes('done=saved') && [...document.querySelectorAll('.group h3')]" +
			".some((h) => h.textContent === " +
			quote(name) + ") && document.querySelector('.actions a.primary')")
	}
	group := func(name string) string {
		return "[...document.querySelectorAll('.group')].find((g) => g.querySelector('h3').textContent === " +
			quote(name) + ")"
	}
	const ready = " && document.querySelector('.mate[draggable]')" // the scripts of the page ran
	loose := "document.querySelector('.pool .mate')"
	members := func(name string) string { return group(name) + ".querySelectorAll('.mate').length" }
	b.await("true" + ready)
	eval[bool](b, "("+loose+".querySelector('a').click(), true)") // by the menu
	b.await("document.querySelector('dialog[open] #group_id')")
	eval[bool](b, `(document.querySelector('dialog #group_id').selectedIndex = 0,
		document.querySelector('dialog footer .primary').click(), true)`)
	b.await("location.search.includes('done=moved') && " + members("One") + " === 1" + ready)
	eval[bool](b, dropOn+"("+loose+", "+group("One")+")") // by a drag
	b.await(members("One") + " === 2" + ready)
	eval[bool](b, dropOn+"("+loose+", "+group("One")+")")
	b.await("document.querySelector('[role=alert]')?.textContent.includes('is full') && " + members("One") +
		" === 2" + ready)
	eval[bool](b, group("One")+`.querySelector('.mate a').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown',
		altKey: true, bubbles: true, cancelable: true }))`) // by keys
	b.await(members("Two") + " === 1 && document.activeElement.closest('.group') === " + group("Two"))
	eval[bool](b, "(document.querySelector('.toast button').click(), true)")
	b.await(members("One") + " === 2 && " + members("Two") + " === 0")
	eval[bool](b, "("+group("One")+".querySelector('button[name=locked]').click(), true)")
	b.await(group("One") + "?.dataset.locked === '' && !" + group("One") + ".querySelector('.mate a')")
	eval[bool](b, `(location.assign(location.pathname + '/import/members'), true)`)
	b.await("document.getElementById('file')")
	eval[bool](b, `(() => {
		const list = new DataTransfer();
		list.items.add(new File(['group_name;username\nOne;nobody\nThree;student_1\n'], 'members.csv'));
		const file = document.getElementById('file');
		file.files = list.files;
		file.form.requestSubmit();
		return true;
	})()`)
	b.await("document.querySelectorAll('tbody .badge.red').length === 2 && " +
		"document.body.textContent.includes('no user nobody')")
}
