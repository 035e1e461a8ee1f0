// Final grades as in a spreadsheet: arrows and Enter move from cell to cell, Escape takes back what was typed, what is
// pasted fills the cells below, and rows that begin with a student are matched by the service. Nothing is saved here:
// the form leads to its plan. Another page keeps what was typed, and so does the place in the browser's history: who goes
// back from the plan, or from where the network was lost, finds it again.
const form = document.getElementById('grid');
const table = form?.querySelector('.grade-grid');
const cells = [...table?.tBodies[0].rows ?? []].map((row) => [row.querySelector('.mark input:not([type="hidden"])'),
  row.querySelector('.why textarea')]);

const words = JSON.parse(form?.dataset.words ?? '{}');
const rules = new Intl.PluralRules(document.documentElement.lang);

if (form && cells[0]?.[0]) {
  for (const hint of form.querySelectorAll('.keys-hint')) hint.hidden = false;
  const all = cells.flat();
  const bar = form.querySelector('.apply-bar');
  const held = JSON.parse(form.elements.held.value || '[]');
  const here = new Set([...table.querySelectorAll('[name$="[id]"]')].map((field) => Number(field.value)));
  const elsewhere = held.filter((one) => !here.has(one.p)).length;

  const changed = (row) => row.some((cell) => cell.value.trim() !== cell.dataset.was.trim());
  const count = () => {
    for (const cell of all) cell.parentElement.classList.toggle('is-new', cell.value.trim() !== cell.dataset.was.trim());
    const n = elsewhere + cells.filter(changed).length;
    document.getElementById('changes').textContent = say('changes', n);
    bar.hidden = n === 0; // nothing to save or to throw away
    return n;
  };
  const go = (to) => {
    if (!to) return false;
    to.focus();
    if (to.tagName === 'INPUT') to.select();
    return true;
  };
  const submit = (button) => {
    leaving = true;
    form.requestSubmit(button);
  };
  let leaving = false;

  // What was typed by student, each cell with what it held. Nobody else who signs in gets it.
  const user = document.querySelector('form.out')?.dataset.user;
  const idOf = (row) => row[0].closest('tr').id;
  const keep = () => history.replaceState({ ...history.state, user, typed: Object.fromEntries(cells.filter(changed)
    .map((row) => [idOf(row), row.map((cell) => [cell.value, cell.dataset.was])])) }, '');
  const typed = history.state?.user === user ? history.state?.typed ?? {} : {};
  for (const row of cells) {
    row.forEach((cell, x) => {
      const [value, was] = typed[idOf(row)]?.[x] ?? [];
      if (was === cell.dataset.was && cell.value.trim() === was.trim()) cell.value = value;
    });
  }

  form.addEventListener('input', count);
  form.addEventListener('change', keep);
  form.addEventListener('submit', () => {
    keep();
    leaving = true;
  });
  addEventListener('beforeunload', (e) => { if (!leaving && count() > 0) e.preventDefault(); });
  addEventListener('pageshow', () => { leaving = false; });

  table.addEventListener('keydown', (e) => {
    const y = cells.findIndex((row) => row.includes(e.target));
    if (y < 0 || e.altKey || e.isComposing) return;
    const x = cells[y].indexOf(e.target);
    const text = e.target;
    const start = text.selectionStart === 0 && (text.selectionEnd === 0 || text.selectionEnd === text.value.length);
    const end = text.selectionEnd === text.value.length;
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
      e.preventDefault();
      submit(document.getElementById('review'));
      return;
    }
    if (e.ctrlKey || e.metaKey) return;
    let to;
    switch (e.key) {
      case 'Enter':
        if (text.tagName === 'TEXTAREA' && e.shiftKey) return; // another line
        to = cells[y + (e.shiftKey ? -1 : 1)]?.[x];
        if (!to && !e.shiftKey) {
          to = (bar.hidden ? null : document.getElementById('next') ?? document.getElementById('review'))
            ?? form.querySelector('.pager button:last-child:enabled');
        }
        break;
      case 'ArrowDown':
        if (x === 1 && !end && text.value.includes('\n')) return;
        to = cells[y + 1]?.[x];
        break;
      case 'ArrowUp':
        if (x === 1 && !start && text.value.includes('\n')) return;
        to = cells[y - 1]?.[x];
        break;
      case 'ArrowRight':
        if (!end) return;
        to = cells[y][x + 1];
        break;
      case 'ArrowLeft':
        if (!start) return;
        to = cells[y][x - 1];
        break;
      case 'Escape':
        text.value = text.dataset.was;
        count();
        keep();
        return;
      default:
        return;
    }
    if (to || e.key === 'Enter') e.preventDefault();
    go(to);
  });

  // A block of cells fills what is below; rows of a student and a grade go to the plan, which matches them.
  table.addEventListener('paste', (e) => {
    const y = cells.findIndex((row) => row.includes(e.target));
    const text = e.clipboardData.getData('text/plain').replace(/\r\n?/g, '\n').replace(/\n+$/, '');
    if (y < 0 || !/[\n\t]/.test(text)) return;
    const x = cells[y].indexOf(e.target);
    const rows = text.split('\n').map((line) => line.split('\t'));
    if (x === 0 && rows[0].length > 1 && !isGrade(rows[0][0])) {
      e.preventDefault();
      review(text);
      return;
    }
    if (x === 1 && rows.length > 1 && rows[0].length === 1 && text.includes('"')) return; // one text of several lines
    e.preventDefault();
    let n = 0;
    rows.forEach((row, i) => row.forEach((value, j) => {
      const cell = cells[y + i]?.[x + j];
      if (!cell) return;
      cell.value = value.trim();
      n++;
    }));
    count();
    keep();
    const left = y + rows.length - cells.length; // a page has no more rows
    const said = document.getElementById('grid-said');
    said.textContent = say('pasted', n) + (left > 0 ? ` ${say('left', left)}` : '');
    said.className = left > 0 ? 'error pad' : 'unseen';
    go(cells[Math.min(y + rows.length, cells.length) - 1][x]);
  });

  // Other pages and parts of the grid keep what was typed on this one. Where nothing was, they have an address.
  for (const turn of [...form.elements].filter((button) => button.dataset.href)) {
    turn.addEventListener('click', (e) => {
      if (count() > 0) return;
      e.preventDefault();
      location.assign(turn.dataset.href);
    });
  }
  count();

  // review sends rows from a spreadsheet to their plan, with what was typed.
  function review(text) {
    for (const [name, value] of [['from', 'paste'], ['paste', text]]) {
      const field = document.createElement('textarea');
      field.name = name;
      field.value = value;
      field.hidden = true;
      form.append(field);
    }
    submit(document.getElementById('review'));
  }
}

function isGrade(text) {
  return /^\s*\d{1,3}\s*$/.test(text) && Number(text) <= 100;
}

// say puts a number into the form of a sentence that the language has for it.
function say(key, n) {
  return (words[key][rules.select(n)] ?? words[key].other).replace('%d', n);
}
