import { editing } from './editing.js';
import { all, drop, forget } from './hand-in-store.js';
import { forget as forgetDrafts, keepOnly } from './drafts-store.js';

// Old links put their path behind a #, which browsers keep from servers: it is
// read here and leads to the page of today.
const plain = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
const old = [
  [/^#\/password\?token=([\w-]+)$/, (m) => `/password?token=${m[1]}`],
  [/^#\/projects\/(\d+)\/(portfolio|groups|tutorials|outcomes)\b/, (m) => `/projects/${m[1]}/${m[2]}`],
  [/^#\/projects\/(\d+)\/dashboard\/([^/?]+)/,
    (m) => `/projects/${m[1]}/task?${new URLSearchParams({ abbreviation: plain(m[2]) })}`],
  [/^#\/projects\/(\d+)/, (m) => `/projects/${m[1]}`],
  [/^#\/units\/(\d+)\/students\b/, (m) => `/units/${m[1]}/students`],
  [/^#\/units\/(\d+)/, (m) => `/units/${m[1]}/inbox`],
  [/^#\/home\?notifications/, () => '/profile/letters'],
  [/^#\/(edit_)?profile\b/, () => '/profile'],
  [/^#\//, () => '/home'],
];

for (const [pattern, path] of old) {
  const match = location.hash.match(pattern);
  if (match) {
    location.replace(path(match));
    break;
  }
}

// What was one page of the account is several.
const parts = { address: 'email', letters: 'email', prefer: 'appearance', sessions: 'security', change: 'security' };
function toPart() {
  const part = location.pathname === '/profile' && parts[location.hash.slice(1)];
  if (part) location.replace(`/profile/${part}${location.hash}`);
}
toPart();
addEventListener('hashchange', toPart); // a link from the page itself

// Without a network a page of ours is shown instead of the browser's. Browsers keep none for a site
// that has no certificate.
const theme = document.documentElement.dataset.theme; // for that page, which knows nobody
if (theme) sessionStorage.setItem('theme', theme);
addEventListener('load', () => {
  navigator.serviceWorker?.register('/offline-worker.js').catch(() => {});
});

// A form that is on its way is not sent once more by a second click. Forms that a script
// sends see to that themselves. Where no answer takes the page away, it can be sent again.
const sent = new WeakMap(); // when forms were sent
const again = 10000; // ms

addEventListener('submit', (e) => {
  if (e.defaultPrevented || e.target.method !== 'post') return;
  if (Date.now() - (sent.get(e.target) ?? -again) < again) {
    e.preventDefault();
    return;
  }
  sent.set(e.target, Date.now());
  e.submitter?.setAttribute('aria-busy', 'true');
  setTimeout(() => e.submitter?.removeAttribute('aria-busy'), again);
});
addEventListener('pageshow', (e) => { // by the way back
  if (!e.persisted) return;
  for (const form of document.forms) sent.delete(form);
  for (const button of document.querySelectorAll('button[aria-busy]')) button.removeAttribute('aria-busy');
});

// The palette opens by Ctrl+K, by / and by what leads to the search. Its script is read when it is
// opened first. Without a network the palette says so, and tries again when it is back; where another
// version of the service has no such script, the page that searches opens instead.
const palette = document.getElementById('palette');
const find = document.querySelector('.find');
let finder; // the script, or null

// read asks for the script before it is imported: browsers try no import again that failed.
async function read() {
  const answer = await fetch(new URL('palette.js', import.meta.url)).catch(() => null);
  if (answer && !answer.ok) location.assign(find.href);
  return answer?.ok ? import('./palette.js') : null;
}

async function search() {
  const list = palette.querySelector('.found');
  list.setAttribute('aria-busy', 'true');
  const script = finder ?? await read().catch(() => null);
  finder ??= script; // unless it came meanwhile
  if (finder) {
    finder.opened();
    return;
  }
  list.removeAttribute('aria-busy');
  Object.assign(palette.querySelector('.palette-note'), { textContent: palette.dataset.offline, hidden: false });
}

function openPalette() {
  palette.querySelector('input').value = '';
  palette.showModal();
  search();
}

// opens tells whether a key opens the palette. A single key does not while somebody types, nor
// for whoever switched single keys off. Where the page has another use for it, it is taken before.
function opens(e) {
  if (e.isComposing || e.altKey) return false;
  if (e.ctrlKey || e.metaKey) return e.key.toLowerCase() === 'k' && !e.shiftKey;
  return e.key === '/' && !editing(e.target) && document.documentElement.dataset.shortcuts !== 'off';
}

if (palette) {
  addEventListener('keydown', (e) => {
    if (e.defaultPrevented || !opens(e)) return;
    const other = document.querySelector('dialog[open]');
    if (other && other !== palette) return;
    e.preventDefault();
    if (other) palette.close();
    else openPalette();
  });
  find.addEventListener('click', (e) => {
    if (e.ctrlKey || e.metaKey || e.shiftKey) return; // into another tab
    e.preventDefault();
    openPalette();
  });
  palette.addEventListener('click', (e) => { // beside it, or on the button
    if (e.target === palette || e.target.closest('[value=close]')) palette.close();
  });
  addEventListener('online', () => { if (palette.open) search(); });
}

// Work that waits to be handed in is removed when somebody signs out, and everything
// else that was kept here with it: this may be a shared computer. On other pages it is
// told of, so that a closed lid is not the end of it.
const out = document.querySelector('form.out');
const longest = 7 * 24 * 3600 * 1000; // ms that it is kept

function remind(entry) {
  const note = element('p', '', { className: 'wrong' });
  note.append(element('a', out.dataset.waiting, { href: entry.page }));
  document.getElementById('main').prepend(note);
}

// unsent is when verdicts or comments of the marking desk have not arrived yet.
const unsent = () => Object.keys(localStorage).some((k) => k.startsWith(`draft ${out.dataset.user} desk sent `));
const asking = () => import('./sign-out.js').catch(() => null); // read while there is a network

export function element(name, text = '', props = {}) {
  return Object.assign(document.createElement(name), { textContent: text }, props);
}

// ask opens the dialog component: words has its title and the names of its buttons, which are keys.
const looks = { leave: 'btn danger', send: 'btn primary' };
export function ask(words, keys, ...about) {
  const dialog = element('dialog', '', { className: 'dialog' });
  const [head, foot] = [element('header'), element('footer')];
  head.append(element('h2', words.title, { id: 'asked-name' }));
  foot.append(...keys.map((value) => element('button', words[value],
    { type: 'button', className: looks[value] ?? 'btn', value })));
  dialog.append(head, ...about, foot);
  dialog.setAttribute('aria-labelledby', 'asked-name');
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// agreed asks in a dialog whether somebody signs out although something would be lost.
function agreed(words, text) {
  const dialog = ask(words, ['stay', 'leave'], element('p', text));
  dialog.addEventListener('click', (e) => { if (e.target.value) dialog.close(e.target.value); });
  return new Promise((done) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      done(dialog.returnValue === 'leave');
    });
  });
}

async function signOut(e) {
  e.preventDefault();
  const words = JSON.parse(out.dataset.words);
  if (unsent()) {
    const script = await asking();
    if (!await (script ? script.settle(words) : agreed(words, words.unsent))) return;
  }
  const patience = new Promise((done) => { setTimeout(done, 1000, []); });
  const waiting = await Promise.race([all().catch(() => []), patience]);
  if (waiting.length > 0 && !await agreed(words, out.dataset.leave)) return;
  localStorage.clear();
  sessionStorage.clear();
  await Promise.race([Promise.all([forget(), forgetDrafts()]), patience]);
  out.submit();
}

if (out) {
  for (const key of Object.keys(localStorage)) { // what others typed on this computer
    if (key.startsWith('draft ') && !key.startsWith(`draft ${out.dataset.user} `)) localStorage.removeItem(key);
  }
  keepOnly(`draft ${out.dataset.user} `).catch(() => {});
  out.addEventListener('submit', signOut);
  if (unsent() || document.getElementById('desk')) asking();
  all().then((entries) => {
    for (const e of entries) {
      if (e.user !== out.dataset.user || Date.now() - e.began > longest) drop(e.id);
      else if (e.page !== location.pathname) remind(e);
    }
  }, () => {});
}
