// Going through what changed: from one change or comment to the next. The key that says that a comment is done is
// that of the one gone to.
import { editing } from './editing.js';
import { listen } from './keys.js';

const stops = (of) => [...of.querySelectorAll('[data-change], .chg-note')];
const KEY = 'aria-keyshortcuts';

function take(note) {
  const button = note.querySelector('button[name="done"]');
  const old = note.closest('.chg').querySelector(`button[name="done"][${KEY}]`);
  if (!old || !button || button === old || button.value !== 'true') return;
  button.setAttribute(KEY, old.getAttribute(KEY));
  old.removeAttribute(KEY);
  const cap = old.querySelector('kbd');
  if (cap) button.append(' ', cap);
}

let last = null; // where it went

function next(of) {
  const all = stops(of);
  last ??= of.querySelector(':target'); // a form led back to it
  const to = all[(all.indexOf(last) + 1) % all.length];
  last = to;
  to?.focus({ preventScroll: true });
  to?.scrollIntoView({ block: 'center' });
  if (to?.matches('.chg-note')) take(to);
}

function begin() {
  for (const button of document.querySelectorAll('[data-next-change]')) button.hidden = false;
}

document.addEventListener('click', (e) => {
  const button = e.target.closest('[data-next-change]');
  if (button && !editing(e.target)) next(button.closest('.chg'));
});
begin();
// Where there are more tabs than fit, that of the file that is shown is brought into view.
for (const tabs of document.querySelectorAll('.chg-files')) {
  const tab = tabs.querySelector(':scope > [aria-current]');
  if (tab) tabs.scrollLeft = tab.offsetLeft - tabs.offsetLeft - 40;
}
for (const of of document.querySelectorAll('.chg')) listen(of);
