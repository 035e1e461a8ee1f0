// Students move from group to group: they are dragged, or go to the group before or after by Alt and an arrow
// while the focus is on them. Both send the form that the choice of a group sends, so that the way back is offered.
const board = document.querySelector('.board');
const form = document.getElementById('move');

function move(mate, to) {
  if (!mate || !to || to.dataset.group === mate.dataset.group) return;
  form.action = mate.querySelector('a[data-asks]').href;
  form.elements.group_id.value = to.dataset.group;
  form.elements.seen.value = mate.dataset.group;
  form.requestSubmit();
}

// places are where students may be put, in their order: out of all groups, and into each that is not locked.
const places = () => [...board.querySelectorAll('section[data-group]:not([data-locked])')];

board?.addEventListener('keydown', (e) => {
  const step = { ArrowUp: -1, ArrowDown: 1 }[e.key];
  const mate = e.target.closest('.mate[data-moves]');
  if (!mate || !step || !e.altKey || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  const all = places();
  move(mate, all[all.indexOf(mate.closest('section')) + step]);
});

const drop = document.createElement('p');
drop.className = 'drop';
drop.textContent = board?.dataset.drop;
let lifted = null;

function over(place) {
  for (const other of board.querySelectorAll('.over')) other.classList.remove('over');
  drop.remove();
  place?.classList.add('over');
  place?.append(drop);
}

// target is the place that an event is over, where the student who is dragged may go.
function target(e) {
  const place = e.target.closest?.('section[data-group]:not([data-locked])');
  return lifted && place && place.dataset.group !== lifted.dataset.group ? place : null;
}

if (board) {
  for (const mate of board.querySelectorAll('.mate[data-moves]')) mate.draggable = true;
  board.addEventListener('dragstart', (e) => {
    lifted = e.target.closest('.mate');
    if (!lifted) return;
    lifted.classList.add('lifted');
    e.dataTransfer.effectAllowed = 'move';
    e.dataTransfer.setData('text/plain', lifted.querySelector('bdi').textContent);
  });
  board.addEventListener('dragover', (e) => {
    const place = target(e);
    if (place) e.preventDefault();
    if (!place || !place.contains(drop)) over(place);
  });
  board.addEventListener('drop', (e) => {
    const place = target(e);
    if (!place) return;
    e.preventDefault();
    move(lifted, place);
  });
  board.addEventListener('dragend', () => {
    lifted?.classList.remove('lifted');
    lifted = null;
    over(null);
  });
}

// Who was moved just now is in sight, and goes on by the next key.
const moved = new URLSearchParams(location.search);
if (moved.get('done') === 'moved') {
  board?.querySelector(`.mate[data-project="${CSS.escape(moved.get('about'))}"] a`)?.focus();
}
