// The grid of tasks and outcomes: arrows move from cell to cell, and a digit says how strongly the task serves the
// outcome, in place. Outcomes are put into another order by a drag, or by Alt and an arrow.
const grid = document.querySelector('.align-grid');
const list = document.querySelector('.outcomes');

if (grid) {
  grid.setAttribute('role', 'grid');
  document.querySelector('.keys-hint').hidden = false;
  const rows = [...grid.tBodies[0].rows].map((row) => [...row.querySelectorAll('td > a')]);
  const all = rows.flat();
  const enter = (cell) => {
    for (const other of all) other.tabIndex = -1;
    cell.tabIndex = 0;
  };
  enter(grid.querySelector('[aria-current]') ?? all[0]);
  grid.addEventListener('focusin', (e) => { if (all.includes(e.target)) enter(e.target); });
  grid.addEventListener('keydown', (e) => {
    const cell = e.target.closest('td > a');
    if (!cell || e.altKey || e.ctrlKey || e.metaKey) return;
    if (/^[0-5]$/.test(e.key)) {
      e.preventDefault();
      rate(cell, e.key);
      return;
    }
    const y = rows.findIndex((row) => row.includes(cell));
    const x = rows[y].indexOf(cell);
    const to = { ArrowLeft: rows[y][x - 1], ArrowRight: rows[y][x + 1], ArrowUp: rows[y - 1]?.[x],
      ArrowDown: rows[y + 1]?.[x], Home: rows[y][0], End: rows[y].at(-1) }[e.key];
    if (!to) return;
    e.preventDefault();
    to.focus();
  });
}

// rate says how strongly the task of a cell serves its outcome. What a colleague changed meanwhile is told.
async function rate(cell, rating) {
  const wrong = document.getElementById('grid-wrong');
  const was = cell.dataset.r;
  if (was === rating) return;
  show(cell, rating);
  wrong.hidden = true;
  try {
    const answer = await fetch(cell.href, { method: 'POST', headers: { Accept: 'application/json' },
      body: new URLSearchParams({ 'alignment[rating]': rating, 'alignment[description]': '', seen: seen(was) }) });
    if (!answer.ok) throw new Error(refusal(await answer.text()));
  } catch (e) {
    show(cell, was);
    wrong.textContent = e.message;
    wrong.hidden = false;
  }
}

// seen is what the form of a cell sends of what it held; what is said of it is the same before and after, and stays.
const seen = (rating) => btoa(JSON.stringify({ Rating: rating, Description: '' })).replaceAll('+', '-')
  .replaceAll('/', '_').replaceAll('=', '');

// refusal is what the page of the cell says is wrong.
function refusal(text) {
  const page = new DOMParser().parseFromString(text, 'text/html');
  return page.querySelector('.strengths .error, [role="alert"]')?.textContent.trim() ?? text;
}

function show(cell, rating) {
  cell.dataset.r = rating;
  cell.querySelector('.unseen').textContent = rating;
}

function move(item, to) {
  const button = item?.querySelector('form[action$="/move"] button');
  if (!button || !to || String(to) === item.dataset.number) return;
  button.value = to;
  button.form.requestSubmit(button);
}

list?.addEventListener('keydown', (e) => {
  const step = { ArrowUp: -1, ArrowDown: 1 }[e.key];
  const item = e.target.closest('li');
  if (!item || !step || !e.altKey || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  const to = Number(item.dataset.number) + step;
  if (to >= 1 && to <= list.children.length) move(item, to);
});

let lifted = null;
if (list) {
  for (const item of list.children) item.draggable = true;
  const over = (item) => { for (const one of list.children) one.classList.toggle('over', one === item); };
  list.addEventListener('dragstart', (e) => {
    lifted = e.target.closest('li');
    e.dataTransfer.effectAllowed = 'move';
  });
  list.addEventListener('dragover', (e) => {
    const item = e.target.closest('li');
    if (!lifted || !item || item === lifted) return;
    e.preventDefault();
    over(item);
  });
  list.addEventListener('drop', (e) => {
    const item = e.target.closest('li');
    if (!lifted || !item) return;
    e.preventDefault();
    move(lifted, item.dataset.number);
  });
  list.addEventListener('dragend', () => {
    lifted = null;
    over(null);
  });
}
