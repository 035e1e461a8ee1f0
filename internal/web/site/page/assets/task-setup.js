// Tasks of a unit move from week to week: a row is dragged to another week, or moves by Alt and an arrow
// while the focus is in it. Both send the form that the menu of the row has, so that the way back is offered.
const table = document.querySelector('.task-table');

// weekOf is the week that a row, or what else stands in a body of the table, is in; that of a break lies
// between two.
const weekOf = (el) => Number(el.closest('tbody').dataset.week);

function move(row, weeks) {
  const button = row.querySelector('form[action$="/move"] button');
  if (!button || !weeks) return;
  button.value = weeks;
  button.form.requestSubmit(button);
}

table?.addEventListener('keydown', (e) => {
  const weeks = { ArrowUp: -1, ArrowDown: 1 }[e.key];
  const row = e.target.closest('tr[id]');
  if (!row || !weeks || !e.altKey || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  move(row, weeks);
});

let dragged = null;

function over(body) {
  for (const other of table.querySelectorAll('tbody.drop-here')) other.classList.remove('drop-here');
  body?.classList.add('drop-here');
}

// empty hides the weeks without a task, or shows them.
function empty(hidden) {
  for (const body of table.tBodies) if (!body.querySelector('tr[id]')) body.hidden = hidden;
}

if (table?.dataset.weeks === 'true') {
  for (const row of table.querySelectorAll('tr[id]')) row.draggable = row.querySelector('form') !== null;
  table.addEventListener('dragstart', (e) => {
    dragged = e.target.closest('tr[id]');
    e.dataTransfer.effectAllowed = 'move';
    e.dataTransfer.setData('text/plain', dragged.querySelector('.t-code').textContent);
    // Weeks without a task show where one can be let go. Not at once: what moves under a drag ends it.
    requestAnimationFrame(() => empty(false));
  });
  table.addEventListener('dragover', (e) => {
    const body = e.target.closest('tbody');
    if (!dragged || !body || body === dragged.closest('tbody') || !Number.isInteger(weekOf(body))) return;
    e.preventDefault();
    over(body);
  });
  table.addEventListener('drop', (e) => {
    const body = e.target.closest('tbody');
    if (!dragged || !body) return;
    e.preventDefault();
    const weeks = weekOf(body) - weekOf(dragged);
    move(dragged, weeks > 0 ? Math.ceil(weeks) : Math.floor(weeks));
  });
  table.addEventListener('dragend', () => {
    dragged = null;
    over(null);
    empty(true);
  });
}

// The row that is edited, or that moved, is in sight beside the editor.
document.querySelector('.task-table tr.here')?.scrollIntoView({ block: 'center' });
