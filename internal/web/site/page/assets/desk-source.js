// The parts of a work beside each other: its document and its files, one in view. Each is read when it is
// opened, and the file after it ahead; what was open stays as it was left. Without this they are links.
import { fit } from './desk-columns.js';
import { desk, home, notice, now, say, task } from './desk-page.js';
import { want, within } from './desk-parts.js';

const parts = new WeakMap(); // of a work, by name: { bar, nodes }

export const work = (article = now()) => article.querySelector('.desk-work');
const bar = (section) => section.querySelector('.desk-bar');
const shown = (section) => [...section.children].filter((c) => !c.hidden && !c.matches('.desk-bar, .desk-strip'));
const partsOf = (section) => parts.get(section) ?? parts.set(section, new Map()).get(section);
const nameOf = (url) => (url.searchParams.has('file') ? `file-${url.searchParams.get('file')}` : 'document');

// note makes the address of the page say what is open.
function note() {
  const to = new URL(location.href);
  within(to.searchParams, task());
  history.replaceState(history.state, '', to);
}

async function read(url) {
  const to = new URLSearchParams(url.search);
  to.delete('at');
  const from = `${home}/tasks/${url.searchParams.get('at')}${to.size ? `?${to}` : ''}`;
  const answer = await fetch(from, { headers: { Accept: 'text/html' }, redirect: 'manual' });
  if (!answer.ok) throw new Error(answer.status);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const section = document.adoptNode(work(page.getElementById('desk-task')));
  customElements.upgrade(section);
  return { bar: bar(section), nodes: shown(section), ...section.dataset };
}

// show puts a part into the place of the one in view.
function show(section, name, part) {
  const all = partsOf(section);
  const nodes = all.get(name)?.nodes ?? part.nodes; // a document that is open is not opened again
  all.set(section.dataset.pane, { bar: bar(section), nodes: shown(section), name: section.dataset.name });
  for (const node of shown(section)) node.hidden = true;
  bar(section).replaceWith(part.bar);
  for (const node of nodes) {
    node.hidden = false;
    if (node.parentNode !== section) section.append(node);
  }
  section.dataset.pane = name;
  if (part.name) section.dataset.name = part.name;
  else delete section.dataset.name;
  want(part.name ?? '');
  const view = section.querySelector('document-view:not([hidden])');
  if (view) view.kept = true;
  note();
  desk.dispatchEvent(new CustomEvent('part', { detail: name }));
  current(section);
  ahead(section);
}

// laid brings the tab of what is in view into view, where there are more than fit. It is told of tabs once they are
// laid out and not painted yet: to ask for it sooner would have everything be laid out for that.
const laid = new ResizeObserver((all, observer) => {
  for (const { target: tabs } of all) {
    observer.unobserve(tabs);
    const tab = tabs.querySelector(':scope > [aria-current]');
    if (tab) tabs.scrollLeft = tab.offsetLeft - tabs.offsetLeft - 40;
  }
});
const current = (section) => laid.observe(section.querySelector('.desk-tabs'));

// ahead reads the file that comes next.
function ahead(section) {
  const link = section.querySelector('a[data-step="1"]');
  const url = link && new URL(link.href);
  if (!url || partsOf(section).get(nameOf(url))?.bar) return;
  read(url).then((part) => {
    const all = partsOf(section);
    if (!all.has(nameOf(url))) all.set(nameOf(url), part);
  }).catch(() => {}); // it is read when it is opened
}

let turn = 0;

// open shows the part of the work in view that an address names.
export async function open(href) {
  const url = new URL(href, location.href);
  const [section, name, mine] = [work(), nameOf(url), ++turn];
  if (section.dataset.pane === name) return;
  let part = partsOf(section).get(name);
  if (!part?.bar) {
    part = await read(url).catch(() => null);
    if (!part && mine === turn) notice(say('not-read'));
  }
  if (part && mine === turn && section === work()) show(section, name, part);
}

// carry keeps a document that is open beside a work that is drawn anew; its files are read again.
export function carry(from, to) {
  const [old, fresh] = [work(from), work(to)];
  if (!old || !fresh) return;
  const scroll = old.dataset.pane === fresh.dataset.pane && old.querySelector('.desk-source:not([hidden]) .src');
  if (scroll) {
    const source = fresh.querySelector('.src');
    const [top, left] = [scroll.scrollTop, scroll.scrollLeft];
    const wrap = old.querySelector('.desk-source:not([hidden]) .src-wrap').checked;
    if (source) {
      fresh.querySelector('.src-wrap').checked = wrap;
      queueMicrotask(() => source.scrollTo({ top, left, behavior: 'instant' }));
    }
  }
  const view = [...old.querySelectorAll('document-view')].find((v) => v.hidden);
  if (!view) return;
  if (old.dataset.at !== fresh.dataset.at || fresh.querySelector('document-view')) {
    view.close?.();
    return;
  }
  partsOf(fresh).set('document', { nodes: [view] });
  fresh.append(view);
}

desk.addEventListener('click', (e) => {
  const link = e.target.closest('a[data-file], a[data-tab], a[data-step], a[data-note]');
  if (!link || e.button || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey || link.closest('.ln')) return;
  e.preventDefault();
  e.stopPropagation(); // desk.js takes links for those to another task
  visit(link);
}, true);

// visit opens what a link leads to: a part of the work, and there a comment or a page.
export async function visit(link) {
  const { note: id, page } = link.dataset;
  for (const li of now().querySelectorAll('#desk-pointed li')) li.classList.toggle('at', li.contains(link));
  const folded = link.closest('#desk-pointed details');
  if (folded) folded.open = true;
  if (page) {
    const tab = now().querySelector('[data-tab=document]');
    if (tab) await open(tab.href);
    now().querySelector('document-view')?.go?.(Number(page));
    return;
  }
  await open(link.href);
  const there = id && document.getElementById(`note-${id}`);
  there?.scrollIntoView({ block: 'center' });
}

// The comments in the work, one after the other.
desk.addEventListener('click', (e) => {
  const steps = Number(e.target.closest('[data-comment]')?.dataset.comment);
  const links = [...now().querySelectorAll('#desk-pointed li > a')];
  if (!steps || links.length === 0) return;
  const at = links.findIndex((l) => l.parentElement.matches('.at'));
  const next = links[(at < 0 && steps < 0 ? links.length - 1 : at + steps + links.length) % links.length];
  next.click();
});

// begin is all that belongs to a work that came into view.
export function begin() {
  const section = work();
  if (!section) return;
  fit(section);
  current(section);
  note();
  ahead(section);
}

desk.addEventListener('shown', begin);
