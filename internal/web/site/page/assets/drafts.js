// What is typed on the marking desk, and verdicts that the server has not said yes to.
// Both are kept in this browser by user, so that a closed lid loses nothing; signing out
// removes them, and the pages of anybody else do (site.js).
export const user = document.querySelector('form.out')?.dataset.user ?? '';
const mine = `draft ${user} desk `;
const held = new Map(); // what this browser would not keep; it lives as long as the page

function put(name, value) {
  try {
    localStorage.setItem(mine + name, JSON.stringify(value));
    held.delete(name);
  } catch { // it is full, or may not be used
    held.set(name, value);
  }
}

function get(name) {
  if (held.has(name)) return held.get(name);
  try {
    return JSON.parse(localStorage.getItem(mine + name));
  } catch {
    return null;
  }
}

function remove(name) {
  held.delete(name);
  try {
    localStorage.removeItem(mine + name);
  } catch { /* nothing was kept */ }
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
export const dropDraft = (task) => remove(`task ${task}`);

export function keepDraft(task, draft) {
  if (empty(draft)) dropDraft(task);
  else put(`task ${task}`, draft);
}

// What was sent, by its key, until it is answered.
export const keepSent = (entry) => put(`sent ${entry.key}`, entry);
export const dropSent = (entry) => remove(`sent ${entry.key}`);
export const sentAs = (entry) => get(`sent ${entry.key}`); // null: it was answered, or its user signed out
export const allSent = () => names().filter((n) => n.startsWith('sent ')).map(get).filter(Boolean)
  .sort((a, b) => a.at - b.at);

// The page must not be closed unasked while it alone holds something.
addEventListener('beforeunload', (e) => { if (held.size > 0) e.preventDefault(); });
