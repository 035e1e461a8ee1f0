// What all scripts of the marking desk know of its page: the task in view, the queue
// beside it, and how to tell people something.
export const desk = document.getElementById('desk');
const words = JSON.parse(desk.dataset.words);
const live = document.getElementById('desk-said');
const bar = document.getElementById('desk-notice');

// home is the path of the desk. The page may be the answer to a form, whose path is another.
export const home = `/units/${desk.dataset.unit}/desk`;

export const say = (key, ...values) => words[key].replace(/%s/g, () => values.shift());

// announce tells those who hear the page.
export function announce(text) {
  live.textContent = text;
  bar.hidden = true; // it was about what was done before
}

// notice tells everybody what they have to know, such as why what they did has no effect yet, until
// they do something else. There may be something to press with it.
export function notice(text, ...controls) {
  if (bar.hidden || !bar.textContent.startsWith(text)) announce(text); // else it is known
  bar.replaceChildren(text, ...controls.flatMap((c) => [' ', c]));
  bar.hidden = false;
}

export function element(name, props = {}, ...children) {
  const e = Object.assign(document.createElement(name), props);
  e.append(...children);
  return e;
}

// now is the task in view, and its number; empty where none is.
export const now = () => document.getElementById('desk-task');
export const task = () => now().dataset.task ?? '';

export const rows = () => [...document.querySelectorAll('#desk-queue li[data-task]')];
export const row = (id) => rows().find((r) => r.dataset.task === id);
export const address = (id) => row(id)?.querySelector('a').getAttribute('href').replace(/&named=[^&]*/, '') ?? at(id);

// at is the address of a task that is not in the queue, with the same filter.
function at(id) {
  const to = new URL(location.href);
  to.searchParams.set('at', id);
  for (const name of ['undo', 'tab', 'file', 'named', 'line', 'from']) to.searchParams.delete(name);
  return to.pathname + to.search;
}

// beside is the task so many rows further; undefined where there is none.
export function beside(id, steps) {
  const all = rows();
  const i = all.findIndex((r) => r.dataset.task === id);
  return (i < 0 ? all[0] : all[i + steps])?.dataset.task;
}

const waits = (r) => !r.dataset.state || r.dataset.state === 'refused';

// waiting are the next tasks that wait for a verdict, those before this one last.
export function waiting(id, most = 1) {
  const all = rows();
  const i = all.findIndex((r) => r.dataset.task === id);
  return [...all.slice(i + 1), ...all.slice(0, Math.max(i, 0))].filter(waits).slice(0, most).map((r) => r.dataset.task);
}

// state notes on the row of a task what became of its verdict: sending, lost, saved or
// refused; none: it waits again.
export function state(id, name, text = '') {
  const r = row(id);
  if (!r) return;
  if (name) r.dataset.state = name;
  else delete r.dataset.state;
  let mark = r.querySelector('.desk-mark');
  if (!mark) r.querySelector('a').append(mark = element('span', { className: 'desk-mark' }));
  mark.textContent = text;
}

const top = (e) => e.getBoundingClientRect().top;

// laid brings the row of the task in view into view, once all is laid out and not painted yet. Where the
// queue does not scroll by itself, as on a phone, the page stays at the work.
const laid = new ResizeObserver((all, observer) => {
  for (const { target: box } of all) {
    observer.unobserve(box);
    const r = box.querySelector('li > [aria-current]');
    if (!r || getComputedStyle(box).overflowY !== 'auto') continue;
    box.scrollTop += top(r) - top(box) - box.clientHeight / 3; // what comes next is seen too
  }
});

// current marks the row of the task in view.
export function current(id) {
  for (const r of rows()) {
    const link = r.querySelector('a');
    if (r.dataset.task === id) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  const box = document.getElementById('desk-queue');
  if (box) laid.observe(box);
}
