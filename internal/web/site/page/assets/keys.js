// Single keys: every control of the desk names its own in aria-keyshortcuts, and this
// presses it. They work while no field has the focus, and not at all for whoever
// switched them off.
import { editing } from './editing.js';

const names = (control) => control.getAttribute('aria-keyshortcuts').split(/\s+/);

// keyOf is what a control would call the key that was pressed.
function keyOf(e) {
  const sign = e.getModifierState('AltGraph'); // some keyboards have [ and ] there
  if (!sign && (e.ctrlKey || e.altKey || e.metaKey) || e.isComposing) return '';
  if (!/^[a-z]$/i.test(e.key)) return e.key;
  return e.shiftKey ? '' : e.key.toLowerCase();
}

// controls are those that have a key now: what a small screen has no room for has none, what is folded
// away has.
function controls(desk) {
  const there = (c) => !c.closest('[hidden]') && (c.closest('details:not([open]), #desk-rare') || c.checkVisibility());
  return [...desk.querySelectorAll('[aria-keyshortcuts]')].filter(there);
}

function press(control) {
  if (!editing(control)) {
    control.click();
    return;
  }
  const fold = control.closest('details');
  if (fold) fold.open = true;
  control.focus();
}

// A key that is held down goes on through the queue, and does nothing else: it must not
// judge the work of the next student.
function pressed(desk, e) {
  if (e.defaultPrevented || document.querySelector('dialog[open]')) return;
  if (editing(e.target)) {
    if (e.key === 'Escape') {
      e.preventDefault();
      e.target.blur();
      document.getElementById('desk-name')?.focus({ preventScroll: true });
    }
    return;
  }
  const key = keyOf(e);
  const control = key && controls(desk).find((c) => !c.disabled && names(c).includes(key));
  if (!control) return;
  e.preventDefault();
  if (!e.repeat || control.matches('a[href]')) press(control);
}

// label is what a control says, without its key.
function label(control) {
  const copy = control.cloneNode(true);
  for (const kbd of copy.querySelectorAll('kbd')) kbd.remove();
  return control.dataset.says ?? control.getAttribute('aria-label') ?? control.labels?.[0]?.firstChild?.textContent
    ?? copy.textContent;
}

// signs stand on the keys whose names are long.
const signs = { ArrowLeft: '←', ArrowRight: '→' };

function row([key, text]) {
  const tr = document.createElement('tr');
  const head = document.createElement('th');
  head.scope = 'row';
  for (const name of key.split(' ')) {
    head.append(Object.assign(document.createElement('kbd'), { title: name, textContent: signs[name] ?? name }), ' ');
  }
  tr.append(head, Object.assign(document.createElement('td'), { textContent: text }));
  return tr;
}

// list fills the groups of the table of keys with those of the page as it is: each has the controls
// within what it names, the last all others.
export function list(desk, groups) {
  const left = new Set(controls(desk));
  for (const group of groups) {
    const mine = [...left].filter((c) => c.closest(group.dataset.of));
    for (const c of mine) left.delete(c);
    const rows = new Map(mine.map((c) => [names(c).join(' '), label(c).trim()]));
    for (const old of group.querySelectorAll('tr:has(td)')) old.remove();
    group.append(...[...rows].map(row));
    group.hidden = mine.length === 0;
  }
}

export function listen(desk) {
  if (!('keys' in desk.dataset)) return;
  document.addEventListener('keydown', (e) => pressed(desk, e));
}
