// The files of a work, and comments that point into it. What is done with them takes more than all else of a page
// that is opened first, so it is read when a work has files, or somebody points at something.
import { desk, notice, now, say, task } from './desk-page.js';

let kept = ''; // what is written and not sent of the task in view, until the rest is read
let wanted = ''; // the name of the file that was opened: the next work is opened at its own
let source;
let points;
let reading;

const work = (article = now()) => article.querySelector('.desk-work');

export const text = () => points?.text() ?? kept;
export const field = (begin) => points?.field(begin) ?? null;
export const lay = (article) => points?.lay(article);
export const back = (focus) => points?.back(focus);
export const carry = (from, to) => source?.carry(from, to);
export const want = (name) => { wanted = name; };

// set takes over what was kept of a task.
export function set(now = '') {
  kept = now;
  if (points) points.set(now);
  else if (now) soon();
}

// within adds to an address which part of a work is to be drawn: of the task in view the one that is open, of
// others the file of that name.
export function within(to, id) {
  for (const name of ['file', 'named', 'line', 'from']) to.delete(name);
  const pane = id === task() ? work()?.dataset.pane ?? '' : '';
  if (pane.startsWith('file-')) to.set('file', pane.slice(5));
  else if (wanted && id !== task()) to.set('named', wanted);
}

// style makes the browser read how files look.
function style() {
  const href = desk.dataset.files;
  if (document.head.querySelector(`link[href="${href}"]`)) return undefined;
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href });
  const there = new Promise((done) => { link.onload = link.onerror = done; });
  document.head.append(link);
  return there;
}

// all reads the rest, once.
function all() {
  reading ??= Promise.all([import('./desk-source.js'), import('./desk-points.js'), import('./source.js'), style()])
    .then(([one, other]) => {
      [source, points] = [one, other];
      points.set(kept);
      source.begin();
    }).catch((e) => {
      reading = undefined; // it is tried again
      throw e;
    });
  return reading;
}

// start is what the key and the button of it do.
export async function start() {
  await all().catch(() => notice(say('not-read')));
  points?.start();
}

// soon reads the rest once there is nothing better to do. Without it, files are links.
const idle = window.requestIdleCallback ?? setTimeout;
const soon = () => idle(() => all().catch(() => {}));

const begin = () => {
  const section = work();
  if (section?.dataset.name) wanted = section.dataset.name;
  if (section?.querySelector('[data-file], .desk-source') || now().querySelector('#desk-pointed li')) soon();
};
desk.addEventListener('shown', begin);
begin();
desk.addEventListener('click', (e) => { // before the rest is read
  const link = !source && e.target.closest('a[data-file], a[data-tab], a[data-step], [data-comment]');
  if (!link || e.button || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
  e.preventDefault();
  e.stopPropagation();
  all().then(() => link.click(), () => notice(say('not-read')));
}, true);
document.addEventListener('selectionchange', () => {
  if (!points && getSelection().anchorNode?.parentElement?.closest('.sheet')) soon();
});
