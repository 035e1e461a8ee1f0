// Picking levels of a rubric: digits pick the level of one criterion after the other, the sum of them fills the points
// of quality, and points that are typed by hand stay. Without this the levels are buttons to choose from.
import { editing } from './editing.js';

const levels = (c) => [...c.querySelectorAll('.rub-levels > input')];
const picked = (c) => levels(c).find((l) => l.checked);
const words = (text, ...values) => text.replace(/%s/g, () => values.shift());
const worth = (level) => Number(level?.dataset.points ?? 0);
const best = (c) => Math.max(...levels(c).map(worth));

// named is a level with its criterion.
export const named = (c, level) =>
  `${c.querySelector('legend bdi').textContent}: ${level.labels[0].querySelector('bdi').textContent}`;

function element(name, props) {
  return Object.assign(document.createElement(name), props);
}

// picking is that of a page, which tells where things are by now: panel, the field of the points and the sign that they
// were typed by hand; whether digits pick (keyed) and whether keys are for the rubric at all (hears). It is told the level
// that a key picked (said), which are picked, each with its criterion, of how many (counted), and what the points were
// filled with (filled).
export function picking(page) {
  const criteria = () => [...page.panel()?.querySelectorAll('.rub') ?? []];
  let at = 0; // the criterion that the digits are for
  let auto = ''; // the points as this filled them, or as they were drawn

  // mark shows which criterion the digits are for, and the digits on its levels.
  function mark(to, look = false) {
    const all = criteria();
    at = Math.max(0, Math.min(to, all.length - 1));
    for (const digit of page.panel()?.querySelectorAll('.rub-levels kbd') ?? []) digit.remove();
    for (const c of all) c.toggleAttribute('data-now', c === all[at]);
    if (!all[at]) return;
    if (page.keyed()) {
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
    if (!page.panel().querySelector('[data-points]')) return null;
    const add = (list, of) => list.reduce((n, c) => n + of(c), 0);
    return { whole: on.length === all.length, points: add(on, (c) => worth(picked(c))), of: add(on, best) };
  }

  // each writes beside a criterion what its level is worth.
  function each(box) {
    for (const c of criteria()) {
      const beside = c.querySelector('legend .hint');
      const level = picked(c);
      beside.dataset.none ??= beside.textContent;
      beside.textContent = level ? words(box.dataset.all, worth(level), best(c)) : beside.dataset.none;
    }
  }

  // show writes the sum below the criteria, and tells where the points were set by hand.
  function show() {
    const box = page.panel().querySelector('.rub-sum');
    const all = criteria();
    const on = all.filter(picked).length;
    page.counted?.(all.filter(picked).map((c) => [c, picked(c)]), all.length, words(box.dataset.count, on, all.length));
    const total = sum();
    const field = page.points();
    const hand = Boolean(total && field && field.value !== '' && field.value !== auto && field.value !== String(total.points));
    const sign = page.sign();
    if (sign) sign.hidden = !hand;
    if (!total) return;
    if (field) field.dataset.sum = total.whole ? total.points : ''; // for who sends the form
    each(box);
    const text = words(total.whole ? box.dataset.all : box.dataset.part, total.points, total.of);
    box.replaceChildren(element('strong', { className: 'big-num', textContent: on ? text : '' }));
    if (!hand) return;
    const use = element('button', { type: 'button', className: 'btn sm', textContent: box.dataset.use, hidden: !total.whole });
    use.addEventListener('click', () => { fill(true); field.focus(); });
    box.append(' ', element('span', { textContent: words(box.dataset.hand, field.value) }), ' ', use);
  }

  // fill puts the sum into the points of quality, unless somebody set these by hand.
  function fill(always = false) {
    const [total, field] = [sum(), page.points()];
    if (total && field && (always || field.value === '' || field.value === auto)) {
      auto = total.whole ? String(total.points) : '';
      field.value = auto;
      page.filled?.(auto);
      field.dispatchEvent(new Event('change', { bubbles: true }));
    }
    show();
  }

  // pick picks a level, or none, as a press on it would.
  function pick(level, c) {
    for (const l of levels(c)) l.checked = l === level;
    c.dispatchEvent(new Event('change', { bubbles: true }));
    if (level) page.said(c, level);
  }

  function pressed(e) {
    if (e.defaultPrevented || e.ctrlKey || e.altKey || e.metaKey || criteria().length === 0 || !page.hears(e) ||
      editing(e.target) || document.querySelector('dialog[open]')) return;
    if (page.panel().contains(e.target) && ['ArrowLeft', 'ArrowRight'].includes(e.key)) {
      e.stopPropagation(); // they choose a level
      return;
    }
    const c = criteria()[at];
    if (c.disabled) return;
    if (e.key === 'ArrowDown') mark(at + 1, true);
    else if (e.key === 'ArrowUp') mark(at - 1, true);
    else if (/^[1-9]$/.test(e.key) && !e.repeat && page.keyed()) {
      const level = levels(c)[e.key - 1];
      if (!level) return;
      pick(level, c);
      mark(at + 1, true);
    } else if (['0', 'Backspace'].includes(e.key) && page.keyed()) pick(null, c);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  // begin is when a rubric came into view, from its first criterion where it is another one, or was drawn anew.
  function begin(anew = true) {
    if (criteria().length === 0) return;
    if (anew) at = 0;
    const field = page.points();
    const total = sum();
    const whole = total?.whole && field && field.value === String(total.points);
    const byHand = field && field.value === field.defaultValue && !page.sign()?.hidden;
    auto = whole ? field.value : byHand ? '' : field?.defaultValue ?? '';
    mark(at);
    show();
  }

  // listens follows what is picked and typed inside an element.
  function listens(inside) {
    document.addEventListener('keydown', pressed, true);
    inside.addEventListener('change', (e) => {
      const c = e.target.closest('.rub');
      if (c) fill();
      else if (e.target === page.points() && page.panel()) show();
    });
    inside.addEventListener('input', (e) => { if (e.target === page.points() && page.panel()) show(); });
    // A level that is picked is taken back by a second press.
    let was;
    inside.addEventListener('pointerdown', (e) => {
      const c = e.target.closest('.rub');
      was = c && picked(c);
    });
    inside.addEventListener('click', (e) => {
      if (!e.target.matches('.rub-levels > input') || !e.isTrusted) return;
      const c = e.target.closest('.rub');
      mark(criteria().indexOf(c));
      if (was === e.target) pick(null, c);
      was = undefined;
    });
  }

  return { begin, listens, look: (e) => mark(at, e.detail === 0), some: () => criteria().length > 0 };
}
