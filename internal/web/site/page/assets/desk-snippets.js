// Reusable comments: pressed, or by their digit, one is written into the comment; and
// those that begin as the line that is being typed are offered below it.
import { announce, element, now, say } from './desk-page.js';
import * as parts from './desk-parts.js';

const least = 2; // letters before anything is offered
const most = 6;
const field = () => parts.field() ?? document.getElementById('desk-comment');
const texts = () => [...new Set([...now().querySelectorAll('[data-snippet]')].map((b) => b.dataset.snippet))];

let list; // the suggestions that are shown
let at = -1; // the one that is chosen

// write puts a text behind what is there.
function write(text) {
  const f = field();
  f.value += (f.value === '' || f.value.endsWith('\n') ? '' : '\n') + text;
  f.dispatchEvent(new Event('input', { bubbles: true }));
}

// line is where the line of the cursor begins, if the cursor is at its end.
function line() {
  const f = field();
  const rest = f.value.slice(f.selectionEnd);
  if (f.selectionStart !== f.selectionEnd || (rest !== '' && !rest.startsWith('\n'))) return -1;
  return f.value.lastIndexOf('\n', f.selectionStart - 1) + 1;
}

function close() {
  list?.remove();
  list = undefined;
  at = -1;
  field()?.removeAttribute('aria-activedescendant');
  field()?.removeAttribute('aria-controls');
}

function accept(text) {
  const f = field();
  const from = line();
  close();
  f.setRangeText(text, from, f.selectionEnd, 'end');
  f.dispatchEvent(new Event('input', { bubbles: true }));
  f.focus();
}

function mark(i) {
  at = i;
  [...list.children].forEach((o, n) => o.setAttribute('aria-selected', String(n === i)));
  field().setAttribute('aria-activedescendant', `desk-offer-${i}`);
  list.children[i].scrollIntoView({ block: 'nearest' });
}

function option(text, i) {
  const o = element('li', { id: `desk-offer-${i}`, textContent: text });
  o.setAttribute('role', 'option');
  o.setAttribute('aria-selected', 'false');
  o.addEventListener('pointerdown', (e) => { // before the field loses the focus
    e.preventDefault();
    accept(text);
  });
  return o;
}

// offer shows what begins like the line.
function offer() {
  close();
  const from = line();
  const begun = from < 0 ? '' : field().value.slice(from, field().selectionEnd).toLowerCase();
  if (begun.trim().length < least) return;
  const fits = texts().filter((t) => t.toLowerCase().startsWith(begun) && t.length > begun.length).slice(0, most);
  if (fits.length === 0) return;
  list = element('ul', { id: 'desk-offers' }, ...fits.map(option));
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', say('offers'));
  field().setAttribute('aria-controls', 'desk-offers');
  field().setAttribute('aria-autocomplete', 'list');
  field().after(list);
  announce(say('offered', fits.length));
}

function key(e) {
  if (e.target !== field() || !list || e.isComposing) return;
  const n = list.children.length;
  if (e.key === 'ArrowDown') mark((at + 1) % n);
  else if (e.key === 'ArrowUp') mark((at <= 0 ? n : at) - 1);
  else if (e.key === 'Enter' && at >= 0 && !e.ctrlKey && !e.metaKey) accept(list.children[at].textContent);
  else if (e.key === 'Escape') close();
  else return;
  e.preventDefault();
  e.stopPropagation();
}

export function suggest(desk) {
  desk.addEventListener('click', (e) => {
    const b = e.target.closest('[data-snippet]');
    if (!b || !field()) return;
    e.preventDefault();
    parts.field(true); // at the lines that are chosen
    write(b.dataset.snippet);
    announce(say('written', b.dataset.snippet));
  });
  desk.addEventListener('input', (e) => { if (e.target === field() && e.isTrusted) offer(); });
  desk.addEventListener('keydown', key, true);
  desk.addEventListener('focusout', (e) => { if (e.target === field()) close(); });
  desk.addEventListener('shown', () => { list = undefined; at = -1; });
  if (document.activeElement === field()) offer(); // of what was typed before this was read
}
