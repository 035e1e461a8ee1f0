// Keeps the page up to date while it is looked at. An element with an id and
// data-live="..." is fetched anew when something happens that one of its words names:
//   task:7 project:3 definition:5 unit:2   an event about this record
//   comment status document queue ...      an event of this kind
//   any                                    every event
//   presence                               who looks at a task; only words with it hear of that
//   project:3+definition:5                 an event that both parts name
// It is taken from the page itself, or from data-from="/address". Where you type
// nothing is replaced: a form that was changed or holds the focus stays as it is.
// Other scripts hear every event as "live" on document, its data in detail.

import { kinds } from './live-kinds.js'; // made by the service from all that it may tell

const together = 250; // ms: what happens within is fetched once
const pause = 1500; // ms between two times, where much happens
const waits = [2, 5, 15, 30, 60, 300]; // s, after the service refused us

let source, last, wait, refused = 0;
const stale = new Set();

function open() {
  clearTimeout(wait);
  if (source || document.hidden) return;
  source = new EventSource('/live' + (last ? '?last_event_id=' + last : ''));
  source.addEventListener('ready', (e) => { refused = 0; last = e.lastEventId; });
  source.addEventListener('missed', (e) => { last = e.lastEventId; heard({ kind: 'any', missed: true }); });
  for (const kind of kinds) {
    source.addEventListener(kind, (e) => { last = e.lastEventId; heard({ kind, ...JSON.parse(e.data) }); });
  }
  source.onerror = () => {
    if (!source || source.readyState !== EventSource.CLOSED) return; // else the browser tries again by itself
    source = undefined;
    wait = setTimeout(open, 1000 * waits[Math.min(refused++, waits.length - 1)]);
  };
}

// A page that nobody looks at holds no connection: browsers have few to one host.
function close() {
  clearTimeout(wait);
  source?.close();
  source = undefined;
}

function words(event) {
  return new Set(['any', event.kind, 'task:' + event.task_id, 'project:' + event.project_id,
    'unit:' + event.unit_id, 'definition:' + event.body?.task_definition_id]);
}

function heard(event) {
  document.dispatchEvent(new CustomEvent('live', { detail: event }));
  const told = words(event);
  for (const e of document.querySelectorAll('[data-live][id]')) {
    const named = e.dataset.live.split(/\s+/).some((w) => names(w.split('+'), told, event.kind));
    if (named || event.missed) stale.add(e.id);
  }
  if (stale.size) renewSoon();
}

function names(parts, told, kind) {
  return parts.every((p) => told.has(p)) && (kind !== 'presence' || parts.includes('presence'));
}

let timer, busy = false;

function renewSoon() {
  if (!busy && !timer) timer = setTimeout(renew, together);
}

// renew fetches each address once and puts the new parts in place of the old.
async function renew() {
  timer = undefined;
  busy = true;
  const parts = [...stale].map((id) => document.getElementById(id)).filter(Boolean);
  stale.clear();
  const from = Map.groupBy(parts, (e) => e.dataset.from ?? location.pathname + location.search);
  try {
    await Promise.all([...from].map(([address, olds]) => renewFrom(address, olds)));
  } catch { /* the next event, or a reload, brings it */ }
  setTimeout(() => {
    busy = false;
    if (stale.size) renewSoon();
  }, pause);
}

async function renewFrom(address, olds) {
  const answer = await fetch(address, { headers: { Accept: 'text/html' }, redirect: 'manual' });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const old of olds) {
    const fresh = page.getElementById(old.id);
    const read = old.querySelector(':popover-open'); // it would close under the eyes of who reads it
    if (fresh && !read && old.isConnected && fresh.outerHTML !== old.outerHTML) replace(old, fresh);
  }
}

function replace(old, fresh) {
  const focus = old.contains(document.activeElement) ? document.activeElement : undefined;
  const form = focus?.form ?? focus?.closest('form');
  keepForms(old, fresh, form);
  const details = [...old.querySelectorAll('details')].map((d) => d.open);
  fresh.querySelectorAll('details').forEach((d, i) => { d.open = details[i] ?? d.open; });
  const scrolls = [...old.querySelectorAll('[id]')].filter((e) => e.scrollTop || e.scrollLeft)
    .map((e) => [e.id, e.scrollTop, e.scrollLeft]);
  const marked = focus && 'selectionStart' in focus ? [focus.selectionStart, focus.selectionEnd] : undefined;
  old.replaceWith(document.adoptNode(fresh));
  for (const [id, top, left] of scrolls) document.getElementById(id)?.scrollTo({ top, left, behavior: 'instant' });
  if (focus) refocus(focus, marked);
  window.htmx?.process(fresh);
  fresh.dispatchEvent(new CustomEvent('renewed', { bubbles: true }));
}

// keepForms puts the forms somebody is at in place of their new drawings.
function keepForms(old, fresh, focused) {
  for (const form of old.querySelectorAll('form')) {
    if (form !== focused && !changed(form)) continue;
    const action = form.getAttribute('action');
    [...fresh.querySelectorAll('form')].find((f) => f.id === form.id && f.getAttribute('action') === action)?.replaceWith(form);
  }
}

function changed(form) {
  return [...form.elements].some((e) => {
    if (e.type === 'file') return e.files.length > 0;
    if (e.type === 'checkbox' || e.type === 'radio') return e.checked !== e.defaultChecked;
    if (e.options) return [...e.options].some((o) => o.selected !== o.defaultSelected) && e.selectedIndex > 0;
    return e.type !== 'hidden' && 'defaultValue' in e && e.value !== e.defaultValue;
  });
}

function refocus(old, marked) {
  const now = old.isConnected ? old : old.id && document.getElementById(old.id);
  if (!now) return;
  now.focus({ preventScroll: true });
  if (marked && marked[0] !== null) now.setSelectionRange?.(...marked);
}

document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
addEventListener('pagehide', close);
addEventListener('pageshow', open);
open();
