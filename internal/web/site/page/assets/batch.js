// Choosing many tasks of a list. What is chosen outlives a renewal of the rows, and
// leaves with a row that is gone.

const chosen = new Set();

const boxes = () => [...document.querySelectorAll('[data-task] input[name="tasks"]')];
const task = (box) => box.closest('[data-task]').dataset.task;

function tell() {
  const all = document.querySelector('#inbox-all');
  const list = boxes();
  const n = list.filter((b) => b.checked).length;
  if (all) {
    all.hidden = false;
    const box = all.querySelector('input');
    box.checked = n > 0 && n === list.length;
    box.indeterminate = n > 0 && n < list.length;
  }
  const count = document.querySelector('#inbox-chosen');
  if (!count) return;
  count.textContent = count.dataset.words.replace('%s', n);
  count.classList.remove('red');
  const go = document.querySelector('#inbox-go'); // the form is below a long list
  if (!go) return;
  go.hidden = n === 0;
  go.querySelector('span').textContent = count.textContent;
}

// Keys of the rows: a shift with a click or Space takes all since the last, arrows or j and k go from
// box to box, x chooses.
let last = null;
const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

document.addEventListener('click', (e) => {
  if (e.target.closest('#inbox-none')) {
    for (const b of boxes()) b.checked = false;
    chosen.clear();
    tell();
    boxes()[0]?.focus();
    return;
  }
  const set = e.target.closest('[data-set]')?.dataset.set; // a status of the bar: what the form below does
  if (set) {
    document.querySelector('#batch-verdict').value = set;
    document.querySelector('#inbox-batch').requestSubmit();
    return;
  }
  if (e.target.name !== 'tasks') return;
  const list = boxes();
  const [from, to] = [list.indexOf(last), list.indexOf(e.target)].sort((a, b) => a - b);
  if (e.shiftKey && from >= 0) for (const b of list.slice(from, to + 1)) b.checked = e.target.checked;
  last = e.target;
});

document.addEventListener('keydown', (e) => {
  const row = e.target.closest?.('[data-task]');
  if (!row || e.ctrlKey || e.metaKey || e.altKey) return;
  const list = boxes();
  const box = row.querySelector('input[name="tasks"]');
  if (e.key === 'x' && box) box.click();
  else if (steps[e.key]) list[list.indexOf(box) + steps[e.key]]?.focus();
  else return;
  e.preventDefault();
});

document.addEventListener('change', (e) => {
  if (e.target.closest('#inbox-all')) {
    for (const b of boxes()) b.checked = e.target.checked;
  } else if (e.target.name !== 'tasks') return;
  chosen.clear();
  for (const b of boxes()) if (b.checked) chosen.add(task(b));
  tell();
});

// Without a row there is nothing to plan: what is written stays, and the page says so.
document.addEventListener('submit', (e) => {
  if (e.target.id !== 'inbox-batch' || boxes().some((b) => b.checked)) return;
  e.preventDefault();
  const count = document.querySelector('#inbox-chosen');
  count.textContent = count.dataset.none;
  count.classList.add('red');
  boxes()[0]?.focus();
});

document.addEventListener('renewed', () => {
  for (const b of boxes()) b.checked = chosen.has(task(b));
  tell();
});

for (const b of boxes()) if (b.checked) chosen.add(task(b)); // the browser remembered them
tell();
