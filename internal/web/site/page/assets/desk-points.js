// Comments that point at the work, written while it is read: at lines of a file, or at a page of the document.
// Each is a draft of this browser until it is sent with the verdict. A line is chosen by its number, by the sign
// beside it, or by keys.
import { store } from './desk-form.js';
import { announce, desk, element, now, say } from './desk-page.js';
import { open as openPart, work } from './desk-source.js';

let points = []; // of the task in view: { comment, place }
let editing = null; // the one of them that is being written
let chosen = null; // { anchor, head }: lines of the file in view
const drawn = new WeakMap(); // by point: its element

const may = () => now().querySelector('[data-act=point]');
const source = (article = now()) => article.querySelector('.desk-source:not([hidden]) .src');
const line = (n, of = source()) => of?.querySelector(`[data-line="${n}"]`);
const numberOf = (e) => Number(e.dataset.line);
const last = (place) => place.end_line ?? place.line;

// text is what is written, as it is kept and sent; empty: nothing is.
export function text() {
  const said = points.filter((p) => p.comment.trim());
  return said.length ? JSON.stringify(said) : '';
}

// set takes over what was kept of a task.
export function set(kept = '') {
  if (kept === text()) {
    lay();
    return;
  }
  points = kept ? JSON.parse(kept) : [];
  editing = chosen = null;
  lay();
}

// field is that of the comment that is being written, which begins at the lines that are chosen.
export function field(begin) {
  if (!editing && begin && chosen) compose();
  return editing ? drawn.get(editing)?.querySelector('textarea') ?? null : null;
}

function lines({ line: from, end_line: to = from }) {
  return from === to ? say('line', from) : say('lines', from, to);
}

function where(place) {
  const here = place.page ? say('page', place.page) : lines(place);
  const { at } = work().dataset;
  if (place.submission_timestamp !== at) return here;
  const name = place.page ? '' : now().querySelector(`.desk-bar [data-file="${place.file}"] bdi`)?.textContent;
  return name ? say('in-file', name, here) : here;
}

const here = (place) => place.submission_timestamp === work().dataset.at &&
  work().dataset.pane === (place.page ? 'document' : `file-${place.file}`);

function button(key, act) {
  const b = element('button', { type: 'button', className: 'btn quiet sm', textContent: say(key) });
  b.addEventListener('click', act);
  return b;
}

// draw makes the element of a point anew.
function draw(p) {
  const head = element('div', { className: 'row tight' }, element('b', { textContent: say('not-sent-yet',
    p.place.page ? say('page', p.place.page) : lines(p.place)) }));
  const inner = element('div', {}, head);
  const tools = element('span', { className: 'push row tight' });
  head.append(tools);
  if (p === editing) {
    const words = element('textarea', { className: 'desk-point-words', rows: 2, maxLength: 4000, value: p.comment });
    words.setAttribute('aria-label', say('point-text'));
    words.placeholder = say('point-text');
    words.addEventListener('input', () => { p.comment = words.value; });
    words.addEventListener('keydown', (e) => written(e, p));
    inner.append(words);
    if (p.place.page) inner.append(element('p', { className: 'hint', textContent: p.place.quote ? `“${p.place.quote}”`
      : say('point-here') }));
    tools.append(button('done', () => close(p)));
  } else {
    inner.append(element('p', {}, element('bdi', { textContent: p.comment })));
    tools.append(button('edit', () => edit(p)));
  }
  tools.append(button('delete', () => drop(p)));
  const e = element('div', { className: 'src-note desk-draft' }, inner);
  drawn.get(p)?.replaceWith(e);
  drawn.set(p, e);
  return e;
}

// lay puts what is written into its place, and into the list of comments.
export function lay(article = now()) {
  const section = work(article);
  if (!section) return;
  const wanted = new Set(points.map((p) => drawn.get(p) ?? draw(p)));
  for (const old of article.querySelectorAll('.desk-draft')) if (!wanted.has(old)) old.remove();
  for (const p of points) {
    const e = drawn.get(p);
    const at = here(p.place) && !p.place.page ? line(last(p.place), source(article)) : null;
    if (at && e.previousElementSibling !== at) at.after(e);
    else if (here(p.place) && p.place.page) strip(section).append(e);
    else if (!at) e.remove();
  }
  const box = section.querySelector('.desk-strip');
  if (box) box.hidden = !box.firstChild || section.dataset.pane !== 'document';
  listed(article);
  pins(article);
}

// strip is where comments on the document stand.
function strip(section) {
  const old = section.querySelector('.desk-strip');
  if (old) return old;
  const box = element('div', { className: 'desk-strip' });
  section.querySelector('.desk-bar').after(box);
  return box;
}

// listed adds what is written to the list of comments.
function listed(article) {
  const box = article.querySelector('#desk-pointed');
  if (!box) return;
  const list = box.querySelector('ol');
  for (const old of list.querySelectorAll('.unsent')) old.remove();
  for (const p of points.filter((one) => one.comment.trim())) {
    const link = element('a', { href: '#desk-task', textContent: say('not-sent-yet', where(p.place)) });
    link.addEventListener('click', (e) => {
      e.preventDefault();
      e.stopPropagation();
      edit(p);
    });
    list.append(element('li', { className: 'unsent' }, link, element('bdi', { className: 'cut', textContent: p.comment })));
  }
  box.hidden = !list.firstElementChild;
}

// pins show the points of pages.
function pins(article) {
  for (const old of article.querySelectorAll('.desk-pin-at')) old.remove();
  for (const { place } of points.filter((p) => p.place.x !== undefined && here(p.place))) {
    const pin = element('span', { className: 'desk-pin-at' });
    pin.style.insetInlineStart = `${place.x * 100}%`;
    pin.style.insetBlockStart = `${place.y * 100}%`;
    article.querySelector(`.sheet[data-page="${place.page}"]`)?.append(pin);
  }
}

// edit opens a comment, where it points.
async function edit(p) {
  if (editing && editing !== p) close(editing, false);
  if (!here(p.place) && p.place.submission_timestamp === work().dataset.at) {
    const to = p.place.page ? '[data-tab=document]' : `.desk-bar [data-file="${p.place.file}"]`;
    const link = now().querySelector(to);
    if (link) await openPart(link.href);
  }
  editing = p;
  draw(p);
  lay();
  if (!drawn.get(p).isConnected) strip(work()).append(drawn.get(p)); // of another version: beside this one
  work().querySelector('.desk-strip')?.toggleAttribute('hidden', !work().querySelector('.desk-strip').firstChild);
  const words = field();
  words.focus({ preventScroll: true });
  words.setSelectionRange(words.value.length, words.value.length);
  drawn.get(p).scrollIntoView({ block: 'nearest' });
}

// close ends writing a comment: one without words is none.
function close(p, back = true) {
  if (editing === p) editing = null;
  if (p.comment.trim()) draw(p);
  else points = points.filter((one) => one !== p);
  lay();
  store();
  if (!back) return;
  const number = here(p.place) && !p.place.page && line(last(p.place))?.querySelector('a');
  if (number) number.focus({ preventScroll: true });
  else now().querySelector('h1').focus({ preventScroll: true });
}

function drop(p) {
  p.comment = '';
  announce(say('dropped'));
  close(p);
}

function written(e, p) {
  if (e.isComposing || !(e.key === 'Escape' || (e.key === 'Enter' && (e.ctrlKey || e.metaKey)))) return;
  e.preventDefault();
  e.stopPropagation();
  close(p);
}

// compose begins a comment at the lines that are chosen, or goes on with the one there.
function compose() {
  if (!may() || !chosen) return;
  const [from, to] = [chosen.anchor, chosen.head].sort((a, b) => a - b);
  begin({ file: Number(source().dataset.file), line: from, end_line: to });
}

function begin(place) {
  const whole = { submission_timestamp: work().dataset.at, ...place };
  const same = points.find((p) => JSON.stringify(p.place) === JSON.stringify(whole));
  if (!same) points.push({ comment: '', place: whole });
  edit(same ?? points.at(-1));
}

// choose marks lines, and puts the sign beside the last.
function choose(head, anchor = head, focus = true) {
  const at = line(head);
  if (!at) return;
  unmark();
  chosen = { anchor, head };
  for (let n = Math.min(anchor, head); n <= Math.max(anchor, head); n++) line(n)?.classList.add('at');
  sign(at);
  if (!focus) return;
  at.scrollIntoView({ block: 'nearest' });
  at.querySelector('a').focus({ preventScroll: true });
}

// back gives the keys to the line that had them before the work was drawn anew.
export function back(focus) {
  const at = focus?.closest('.ln');
  if (at) choose(numberOf(at), chosen?.anchor);
}

function unmark() {
  for (const old of now().querySelectorAll('.ln.at')) old.classList.remove('at');
  chosen = null;
}

// plus is the sign beside a line.
const plus = element('button', { type: 'button', className: 'desk-plus', textContent: '+', tabIndex: -1 });
plus.addEventListener('pointerdown', (e) => e.preventDefault()); // what is selected stays so
plus.addEventListener('click', (e) => {
  e.stopPropagation();
  const sheet = plus.closest('.sheet');
  if (sheet) {
    onPage();
    return;
  }
  const n = numberOf(plus.closest('.ln'));
  if (!chosen || n < Math.min(chosen.anchor, chosen.head) || n > Math.max(chosen.anchor, chosen.head)) choose(n, n, false);
  compose();
});

function sign(at) {
  if (!may() || plus.parentNode === at) return;
  plus.style.inset = '';
  plus.parentNode?.classList.remove('signed');
  at.classList.add('signed');
  plus.setAttribute('aria-label', say('add', at.dataset.line));
  at.querySelector('a').after(plus);
}

// visible is the first line that is seen whole.
function visible() {
  const box = source().getBoundingClientRect();
  const e = document.elementFromPoint(box.x + 90, box.y + 12)?.closest('.ln');
  return e ? numberOf(e) : numberOf(source().querySelector('.ln'));
}

// onPage begins a comment on the page that is looked at, with what is selected there.
function onPage() {
  const view = now().querySelector('document-view:not([hidden])');
  if (!view?.at) return;
  const selected = getSelection();
  const sheet = selected.anchorNode?.parentElement?.closest('.sheet');
  const quote = sheet && view.contains(sheet) ? selected.toString().replace(/\s+/g, ' ').trim().slice(0, 500) : '';
  begin(quote ? { page: Number(sheet.dataset.page), quote } : { page: view.at });
}

// start is what the key and the button of it do.
export function start() {
  if (!may()) return;
  if (!source()) onPage();
  else if (source().querySelector('.ln')) choose(chosen?.head ?? visible());
}

const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 };

desk.addEventListener('keydown', (e) => {
  const at = e.target.closest?.('.desk-source .ln');
  if (!at || !e.target.matches('a') || e.ctrlKey || e.altKey || e.metaKey) return;
  const n = numberOf(at);
  if (steps[e.key]) {
    const all = [...source().querySelectorAll('.ln')];
    const to = all[Math.max(0, Math.min(all.length - 1, all.indexOf(at) + steps[e.key]))];
    choose(numberOf(to), e.shiftKey ? chosen?.anchor ?? n : numberOf(to));
  } else if (e.key === 'Enter' && may()) {
    if (!chosen || chosen.head !== n) choose(n);
    compose();
  } else if (e.key === 'Escape') {
    unmark();
    plus.remove();
    now().querySelector('h1').focus({ preventScroll: true });
  } else return;
  e.preventDefault();
});

// A click on a number chooses its line, with Shift all from the one before, and so does to draw over several.
let from = 0;
desk.addEventListener('pointerdown', (e) => {
  const number = e.target.closest('.desk-source .ln > a');
  if (!number || e.button || e.pointerType !== 'mouse' || e.ctrlKey || e.metaKey) return;
  e.preventDefault();
  const n = numberOf(number.parentElement);
  from = e.shiftKey && chosen ? chosen.anchor : n;
  choose(n, from, false);
});
desk.addEventListener('pointermove', (e) => {
  const at = from && document.elementFromPoint(e.clientX, e.clientY)?.closest('.desk-source .ln');
  if (at && chosen?.head !== numberOf(at)) choose(numberOf(at), from, false);
});
addEventListener('pointerup', () => {
  const several = from && chosen && chosen.anchor !== chosen.head;
  from = 0;
  if (several) compose();
});
desk.addEventListener('click', (e) => {
  const number = e.target.closest('.desk-source .ln > a');
  if (!number || e.ctrlKey || e.metaKey || !may()) return;
  e.preventDefault();
  e.stopPropagation();
  const n = numberOf(number.parentElement);
  if (editing && chosen?.head === n) return; // the pointer has begun it
  if (!chosen || chosen.head !== n) choose(n, n, false);
  compose();
}, true);

for (const name of ['pointerover', 'focusin', 'click']) {
  desk.addEventListener(name, ({ target }) => {
    const at = target.closest?.('.desk-source .ln');
    if (at) sign(at);
  });
}

// On a page, what is selected has the sign at its end, and a click gives the comment that is being written its point.
desk.addEventListener('pointerup', (e) => setTimeout(() => {
  const sheet = e.target.closest?.('.sheet');
  const selected = getSelection();
  if (!sheet || !may() || selected.isCollapsed || !sheet.contains(selected.focusNode)) return;
  const [box, end] = [sheet.getBoundingClientRect(), selected.getRangeAt(0).getBoundingClientRect()];
  plus.setAttribute('aria-label', may().getAttribute('aria-label'));
  plus.style.inset = `${end.bottom - box.y + 4}px auto auto ${Math.min(end.right - box.x, box.width - 48)}px`;
  sheet.append(plus);
}));
desk.addEventListener('click', (e) => {
  const sheet = e.target.closest('.sheet');
  if (!sheet || !editing?.place.page || !getSelection().isCollapsed) return;
  const box = sheet.getBoundingClientRect();
  const share = (n) => Math.round(Math.max(0, Math.min(1, n)) * 1e4) / 1e4;
  editing.place = { submission_timestamp: editing.place.submission_timestamp, page: Number(sheet.dataset.page),
    x: share((e.clientX - box.x) / box.width), y: share((e.clientY - box.y) / box.height) };
  edit(editing);
  store();
});

desk.addEventListener('part', () => {
  chosen = null;
  lay();
});
