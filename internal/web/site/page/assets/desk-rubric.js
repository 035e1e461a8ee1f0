// Marking with a rubric at the desk: its levels are picked beside the work.
import { announce, desk, element, now, say, task } from './desk-page.js';
import { named, picking } from './levels.js';

const panel = () => now().querySelector('#desk-rubric');

// style makes the browser read how a rubric looks.
function style({ dataset: { style: href } }) {
  if (document.head.querySelector(`link[href="${href}"]`)) return;
  document.head.append(element('link', { rel: 'stylesheet', href }));
}

// saved brings the saved comments for levels that are picked to the front of their list, where each keeps its digit,
// and lets a new one be for such a level.
function saved(on) {
  const ids = on.map(([, level]) => level.value);
  const rank = (b) => (ids.includes(b.dataset.level) ? 0 : 1);
  const list = now().querySelector('.desk-saved .desk-snippets');
  if (list?.querySelector('[data-level]')) {
    list.append(...[...list.children].sort((a, b) => rank(a) - rank(b) || a.dataset.n - b.dataset.n));
    for (const b of list.querySelectorAll('[data-extra]')) b.hidden = rank(b) > 0;
  }
  const box = now().querySelector('.desk-saved [data-picked]');
  if (!box) return;
  const keep = box.querySelector('select');
  const was = keep.value;
  keep.replaceChildren(keep.options[0], ...on.map(([c, level]) => element('option', { value: level.value,
    textContent: named(c, level) })));
  keep.value = ids.includes(was) ? was : '0';
  box.hidden = on.length === 0;
}

// counted writes on the tab how many levels are picked.
function counted(on, all, text) {
  const tab = now().querySelector('a[data-panel=desk-rubric]');
  tab.querySelector('.badge')?.remove();
  if (on.length) {
    tab.append(' ', element('span', { className: `badge ${on.length < all ? 'orange' : 'green'}`, textContent: text }));
  }
  saved(on);
}

// said tells which level a key picked, and that saved comments for it are offered.
function said(c, level) {
  const offered = [...c.querySelectorAll('.rub-saved')].find((g) => g.checkVisibility());
  announce(named(c, level) + (offered ? `. ${say('for-level', offered.children.length)}` : ''));
}

const rub = picking({
  panel, counted, said,
  points: () => now().querySelector('#desk-quality'),
  sign: () => now().querySelector('#desk-by-hand'),
  keyed: () => 'keys' in desk.dataset,
  hears: () => !panel().hidden,
});

// begun is when a task came into view, or was drawn anew.
let shown = '';
function begun() {
  if (panel()) style(panel());
  if (!rub.some()) return;
  rub.begin(shown !== task());
  shown = task();
}

export function rubric() {
  desk.addEventListener('shown', begun);
  desk.addEventListener('click', (e) => {
    const tab = e.target.closest('a[data-panel=desk-rubric]');
    if (tab && rub.some() && !panel().hidden) rub.look(e);
  }, true);
  rub.listens(desk);
  begun();
}
