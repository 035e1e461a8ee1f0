// What is typed on the marking desk, and verdicts that the server has not said yes to.
// Both are kept in this browser by user, so that a closed lid loses nothing, nor a browser that is
// killed; signing out removes them, and the pages of anybody else do (site.js).
import { all, write } from './drafts-store.js';

export const user = document.querySelector('form.out')?.dataset.user ?? '';
const mine = `draft ${user} desk `;
const held = new Map(); // texts that this browser would not keep; they live as long as the page

function put(name, value) {
  const text = JSON.stringify({ ...value, kept: Date.now() });
  try {
    localStorage.setItem(mine + name, text);
    held.delete(name);
  } catch { // it is full, or may not be used
    held.set(name, text);
  }
}

function textOf(name) {
  if (held.has(name)) return held.get(name);
  try {
    return localStorage.getItem(mine + name);
  } catch {
    return null;
  }
}

function get(name) {
  const value = JSON.parse(textOf(name));
  if (!value || value.gone) return null;
  delete value.kept;
  return value;
}

// bury leaves a mark in the place of what was removed until the disk has forgotten it, too: a page
// that is left before that would find it there and put it back.
function bury(name) {
  put(name, { gone: true });
}

function unmark(name) {
  if (get(name) !== null) return; // it is there again
  held.delete(name);
  try {
    localStorage.removeItem(mine + name);
  } catch { /* nothing was kept */ }
}

// What changed is written to the disk at every pause, and at the latest so long after it was typed.
const pause = 300; // ms
const latest = 1000; // ms
const changed = new Set(); // names
let timer;
let since = 0; // when the first of them changed
let written = Promise.resolve();

function later(name) {
  if (changed.size === 0) since = Date.now();
  changed.add(name);
  clearTimeout(timer);
  timer = setTimeout(flush, Math.max(0, Math.min(pause, since + latest - Date.now())));
}

function flush() {
  clearTimeout(timer);
  const names = [...changed];
  changed.clear();
  if (names.length === 0) return;
  let gone = []; // those that this removes: what it wrote may be removed before it is done
  written = written.then(() => {
    gone = names.filter((name) => get(name) === null); // as it is by then
    return write(names.map((name) => ({ key: mine + name, text: gone.includes(name) ? null : textOf(name) })));
  }).catch(() => {}) // localStorage has it
    .then(() => { gone.forEach(unmark); });
}

addEventListener('pagehide', flush);

// restored puts back what the browser was killed before it kept, and does not wait for a disk that does
// not answer.
export async function restored() {
  const late = new Promise((done) => { setTimeout(done, latest, []); });
  const entries = await Promise.race([all().catch(() => []), late]);
  for (const { key, text } of entries) {
    const name = key.startsWith(mine) ? key.slice(mine.length) : '';
    if (!name || (JSON.parse(textOf(name))?.kept ?? 0) >= JSON.parse(text).kept) continue;
    try {
      localStorage.setItem(key, text);
    } catch {
      held.set(name, text);
    }
  }
  for (const name of names().filter((n) => get(n) === null)) later(name); // marks of a page that was left
}

function names() {
  const kept = [];
  try {
    kept.push(...Object.keys(localStorage).filter((k) => k.startsWith(mine)).map((k) => k.slice(mine.length)));
  } catch { /* nothing was kept */ }
  return [...new Set([...kept, ...held.keys()])];
}

const empty = (draft) => Object.values(draft).every((value) => !value?.trim());

// The draft of a task is what its form holds: comment, grade, quality, and the status
// that was chosen but waits for one of them.
export const draftOf = (task) => get(`task ${task}`);
export function dropDraft(task) {
  if (draftOf(task) === null) return;
  bury(`task ${task}`);
  later(`task ${task}`);
  flush(); // what was sent is not to come back
}

export function keepDraft(task, draft) {
  if (empty(draft)) {
    dropDraft(task);
    return;
  }
  put(`task ${task}`, draft);
  later(`task ${task}`);
}

// What was sent, by its key, until it is answered.
export function keepSent(entry) {
  put(`sent ${entry.key}`, entry);
  later(`sent ${entry.key}`);
  flush();
}

export function dropSent(entry) {
  bury(`sent ${entry.key}`);
  later(`sent ${entry.key}`);
  flush();
}

export const sentAs = (entry) => get(`sent ${entry.key}`); // null: it was answered, or its user signed out
export const allSent = () => names().filter((n) => n.startsWith('sent ')).map(get).filter(Boolean)
  .sort((a, b) => a.at - b.at);

// The page must not be closed unasked while it alone holds something.
addEventListener('beforeunload', (e) => { if (held.size > 0) e.preventDefault(); });
