// Marking with a rubric: digits pick the level of one criterion after the other, the sum of them fills the points
// of quality, and points that are typed by hand stay. Without this the levels are buttons to choose from.
import { announce, desk, element, now, say, task } from './desk-page.js';
import { editing } from './editing.js';

const panel = () => now().querySelector('#desk-rubric');
const criteria = () => [...panel()?.querySelectorAll('.rub') ?? []];
const levels = (c) => [...c.querySelectorAll('.rub-levels > input')];
const picked = (c) => levels(c).find((l) => l.checked);
const points = () => now().querySelector('#desk-quality');
const words = (text, ...values) => text.replace(/%s/g, () => values.shift());
const worth = (level) => Number(level?.dataset.points ?? 0);
const best = (c) => Math.max(...levels(c).map(worth));

// said is a level with its criterion.
const said = (c, level) => `${c.querySelector('legend bdi').textContent}: ${level.labels[0].querySelector('bdi').textContent}`;

let at = 0; // the criterion that the digits are for
let auto = ''; // the points as this filled them, or as they were drawn

// style makes the browser read how a rubric looks.
function style({ dataset: { style: href } }) {
  if (document.head.querySelector(`link[href="${href}"]`)) return;
  document.head.append(element('link', { rel: 'stylesheet', href }));
}

// mark shows which criterion the digits are for, and the digits on its levels.
function mark(to, look = false) {
  const all = criteria();
  at = Math.max(0, Math.min(to, all.length - 1));
  for (const digit of panel()?.querySelectorAll('.rub-levels kbd') ?? []) digit.remove();
  for (const c of all) c.toggleAttribute('data-now', c === all[at]);
  if (!all[at]) return;
  if ('keys' in desk.dataset) {
    levels(all[at]).forEach((l, i) => l.labels[0].append(element('kbd', { textContent: String(i + 1) })));
  }
  if (!look) return;
  (picked(all[at]) ?? levels(all[at])[0]).focus({ preventScroll: true });
  all[at].scrollIntoView({ block: 'nearest' });
}

// sum is what the picked levels add up to, of how much; nothing where levels have no points.
function sum() {
  const all = criteria();
  const on = all.filter(picked);
  if (!panel().querySelector('[data-points]')) return null;
  const add = (list, of) => list.reduce((n, c) => n + of(c), 0);
  return { whole: on.length === all.length, points: add(on, (c) => worth(picked(c))), of: add(on, best) };
}

// saved brings the saved comments for levels that are picked to the front of their list, where each keeps its digit,
// and lets a new one be for such a level.
function saved() {
  const on = criteria().filter(picked).map((c) => [c, picked(c)]);
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
    textContent: said(c, level) })));
  keep.value = ids.includes(was) ? was : '0';
  box.hidden = on.length === 0;
}

// show writes the sum below the criteria and on the tab, and tells where the points were set by hand.
function show() {
  const box = panel().querySelector('.rub-sum');
  const all = criteria();
  const on = all.filter(picked).length;
  const tab = now().querySelector('a[data-panel=desk-rubric]');
  tab.querySelector('.badge')?.remove();
  if (on) {
    const text = words(box.dataset.count, on, all.length);
    tab.append(' ', element('span', { className: `badge ${on < all.length ? 'orange' : 'green'}`, textContent: text }));
  }
  saved();
  const total = sum();
  const field = points();
  const hand = Boolean(total && field && field.value !== '' && field.value !== auto && field.value !== String(total.points));
  const sign = now().querySelector('#desk-by-hand');
  if (sign) sign.hidden = !hand;
  if (!total) return;
  const text = words(total.whole ? box.dataset.all : box.dataset.part, total.points, total.of);
  box.replaceChildren(element('strong', { className: 'big-num', textContent: on ? text : '' }));
  if (!hand) return;
  const use = element('button', { type: 'button', className: 'btn sm', textContent: box.dataset.use, hidden: !total.whole });
  use.addEventListener('click', () => fill(true));
  box.append(' ', element('span', { textContent: words(box.dataset.hand, field.value) }), ' ', use);
}

// fill puts the sum into the points of quality, unless somebody set these by hand.
function fill(always = false) {
  const [total, field] = [sum(), points()];
  if (total && field && (always || field.value === '' || field.value === auto)) {
    auto = total.whole ? String(total.points) : '';
    field.value = auto;
    field.dispatchEvent(new Event('change', { bubbles: true }));
  }
  show();
}

// pick picks a level, or none, as a press on it would.
function pick(level, c) {
  for (const l of levels(c)) l.checked = l === level;
  c.dispatchEvent(new Event('change', { bubbles: true }));
  if (!level) return;
  const offered = [...c.querySelectorAll('.rub-saved')].find((g) => g.checkVisibility());
  announce(said(c, level) + (offered ? `. ${say('for-level', offered.children.length)}` : ''));
}

const open = () => panel() && !panel().hidden && criteria().length > 0;

function pressed(e) {
  if (e.defaultPrevented || e.ctrlKey || e.altKey || e.metaKey || !open() || editing(e.target) ||
    document.querySelector('dialog[open]')) return;
  const inside = panel().contains(e.target);
  if (inside && ['ArrowLeft', 'ArrowRight'].includes(e.key)) {
    e.stopPropagation(); // they choose a level
    return;
  }
  const c = criteria()[at];
  if (c.disabled) return;
  if (e.key === 'ArrowDown') mark(at + 1, true);
  else if (e.key === 'ArrowUp') mark(at - 1, true);
  else if (/^[1-9]$/.test(e.key) && !e.repeat && 'keys' in desk.dataset) {
    const level = levels(c)[e.key - 1];
    if (!level) return;
    pick(level, c);
    mark(at + 1, true);
  } else if (['0', 'Backspace'].includes(e.key) && 'keys' in desk.dataset) pick(null, c);
  else return;
  e.preventDefault();
  e.stopPropagation();
}

// begun is when a task came into view, or was drawn anew.
let shown = '';
function begun() {
  const field = points();
  if (panel()) style(panel());
  if (!panel() || criteria().length === 0) return;
  if (shown !== task()) at = 0;
  shown = task();
  const total = sum();
  const whole = total?.whole && field && field.value === String(total.points);
  const byHand = field && field.value === field.defaultValue && !now().querySelector('#desk-by-hand')?.hidden;
  auto = whole ? field.value : byHand ? '' : field?.defaultValue ?? '';
  mark(at);
  show();
}

export function rubric() {
  document.addEventListener('keydown', pressed, true);
  desk.addEventListener('shown', begun);
  desk.addEventListener('change', (e) => {
    const c = e.target.closest('.rub');
    if (c) fill();
    else if (e.target === points() && panel()) show();
  });
  desk.addEventListener('input', (e) => { if (e.target === points() && panel()) show(); });
  desk.addEventListener('click', (e) => {
    const tab = e.target.closest('a[data-panel=desk-rubric]');
    if (tab && open()) mark(at, e.detail === 0);
  }, true);
  // A level that is picked is taken back by a second press.
  let was;
  desk.addEventListener('pointerdown', (e) => {
    const c = e.target.closest('.rub');
    was = c && picked(c);
  });
  desk.addEventListener('click', (e) => {
    if (!e.target.matches('.rub-levels > input') || !e.isTrusted) return;
    const c = e.target.closest('.rub');
    mark(criteria().indexOf(c));
    if (was === e.target) pick(null, c);
    was = undefined;
  });
  begun();
}
