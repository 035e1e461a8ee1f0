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
  go.hidden = n === 0;
  go.querySelector('span').textContent = count.textContent;
}

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
