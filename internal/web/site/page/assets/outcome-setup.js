// The grid of tasks and outcomes: arrows move from cell to cell, and a digit says how strongly the task serves the
// outcome, in place. Outcomes are put into another order by a drag, or by Alt and an arrow.
const grid = document.querySelector('.align-grid');
const list = document.querySelector('.outcomes');
const fields = document.getElementById('cell');

if (grid?.tBodies[0].rows.length) {
  grid.setAttribute('role', 'grid');
  const rows = [...grid.tBodies[0].rows].map((row) => [...row.querySelectorAll('td > a')]);
  const all = rows.flat();
  const enter = (cell) => {
    for (const other of all) other.tabIndex = -1;
    cell.tabIndex = 0;
  };
  enter(all.find((cell) => cell === document.activeElement) ?? grid.querySelector('[aria-current]') ?? all[0]);
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
  grid.addEventListener('click', (e) => { // the fields of a cell show what was set just now
    const cell = e.target.closest('td > a');
    if (!sent.has(cell) || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    sent.get(cell).then(() => location.assign(cell.href));
  });
}

for (const hint of document.querySelectorAll('.keys-hint')) hint.hidden = false;

const sent = new Map(); // what is on its way of a cell: the next waits for it, and says what that left
let told = 0;

// rate says how strongly the task of a cell serves its outcome.
function rate(cell, rating) {
  const next = (sent.get(cell) ?? Promise.resolve()).then(() => send(cell, rating));
  sent.set(cell, next);
  next.then(() => { if (sent.get(cell) === next) sent.delete(cell); });
}

// send puts a strength at a cell. What a colleague changed meanwhile is told with both values, and shown.
async function send(cell, rating) {
  const wrong = document.getElementById('grid-wrong');
  const was = cell.dataset.r;
  if (was === rating) return;
  show(cell, rating);
  wrong.hidden = true;
  const answer = await fetch(cell.href, { method: 'POST', keepalive: true, headers: { Accept: 'application/json' },
    body: new URLSearchParams({ 'alignment[rating]': rating, 'alignment[description]': '', seen: seen(was) }) })
    .catch(() => null);
  if (answer?.ok) {
    document.getElementById('grid-said').textContent = cell.textContent;
    count();
    return;
  }
  const page = answer && new DOMParser().parseFromString(await answer.text(), 'text/html');
  const why = page?.querySelector('.strengths .error') ?? page?.querySelector('main [role="alert"]');
  show(cell, page?.getElementById(cell.id)?.dataset.r ?? was);
  wrong.textContent = why?.textContent.trim() || grid.dataset.failed;
  wrong.hidden = false;
}

// count shows how many tasks serve each outcome by now. Of several answers the last asked for counts.
async function count() {
  const turn = ++told;
  const answer = await fetch(grid.dataset.list).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  if (turn !== told) return;
  for (const id of ['coverage', 'missed']) document.getElementById(id).replaceWith(page.getElementById(id));
}

// seen is what the form of a cell sends of what it held; what is said of it is the same before and after, and stays.
const seen = (rating) => btoa(JSON.stringify({ Rating: rating, Description: '' })).replaceAll('+', '-')
  .replaceAll('/', '_').replaceAll('=', '');

function show(cell, rating) {
  cell.dataset.r = rating;
  cell.querySelector('.unseen').textContent = JSON.parse(grid.dataset.words)[rating];
}

// A digit chooses a strength where one cell is edited, too.
document.addEventListener('keydown', (e) => {
  if (!fields || !/^[0-5]$/.test(e.key) || e.altKey || e.ctrlKey || e.metaKey || e.defaultPrevented) return;
  if (e.target.closest('textarea, input:not([type="radio"]), select, .align-grid')) return;
  e.preventDefault();
  const choice = document.getElementById(`rating-${e.key}`);
  choice.checked = true;
  choice.focus();
});

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
    e.dataTransfer.setData('text/plain', lifted.querySelector('bdi').textContent);
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
