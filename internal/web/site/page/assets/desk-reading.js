// Reading by keys: those that scroll a page scroll the work on the desk, as long as nothing has the
// focus that needs them itself: a field, a button, a link, or a part that scrolls on its own.
import { now } from './desk-page.js';

const needs = 'input, textarea, select, button, a[href], summary, audio, video, [contenteditable], [tabindex="0"]';
const line = 60; // px

const pane = () => [...now().querySelectorAll('.viewer-pane, .desk-text, .desk-source .src')].find((p) => p.checkVisibility());

const steps = {
  ' ': (p, back) => (back ? -0.9 : 0.9) * p.clientHeight,
  PageDown: (p) => 0.9 * p.clientHeight,
  PageUp: (p) => -0.9 * p.clientHeight,
  ArrowDown: () => line,
  ArrowUp: () => -line,
  Home: (p) => -p.scrollHeight,
  End: (p) => p.scrollHeight,
};

function pressed(e) {
  if (e.defaultPrevented || e.ctrlKey || e.altKey || e.metaKey || document.querySelector('dialog[open]')) return;
  const work = pane();
  const step = work && steps[e.key];
  const held = e.target.closest?.(needs);
  if (!step || (held && held !== work)) return;
  const before = work.scrollTop;
  work.scrollBy({ top: step(work, e.shiftKey), behavior: 'instant' });
  if (work.scrollTop !== before) e.preventDefault(); // else the page goes on
}

export function reading() {
  document.addEventListener('keydown', pressed);
}
