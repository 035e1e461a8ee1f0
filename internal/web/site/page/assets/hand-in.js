// Handing in with drop, paste, checks before sending, progress and a repeat after a
// lost network. Without it the form works as it is; with it the same form is sent with
// the same key, which makes every repeat the same submission.
import { drop, find, keep } from './hand-in-store.js';
import { check } from './hand-in-check.js';

const form = document.getElementById('hand-in');
const words = JSON.parse(form.dataset.words);
const box = form.querySelector('.sending');
const status = box.querySelector('[role=status]');
const choices = box.querySelector('.row');
const button = form.querySelector('button');
const zones = [...form.querySelectorAll('.drop')];
const key = form.querySelector('input[name=key]');
const action = form.getAttribute('action');
const id = `${form.dataset.user} ${action}`;

// The server knows a key for a day; after most of it nothing is repeated unasked.
const keyLife = 23 * 3600 * 1000;
const longest = 60;

let current = null; // the entry that is being sent, or waits
let request = null;
let timer = 0;
let tries = 0;
let print = ''; // of what the present key was last used for

const rules = new Intl.PluralRules(document.documentElement.lang);

function say(key, ...values) {
  const text = words[key][rules.select(values[0])] ?? words[key].other ?? words[key]; // of a number, or one for all
  return text.replace(/%[s%]/g, (m) => (m === '%%' ? '%' : values.shift()));
}

const inputOf = (zone) => zone.querySelector('input[type=file]');
const zoneOf = (field) => zones.find((zone) => inputOf(zone).name === field);
const hex = (b) => b.toString(16).padStart(2, '0');
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map(hex).join('');

// complain shows a sentence under a file, or takes it away.
function complain(zone, sentence) {
  zone.querySelector('.flaw').textContent = sentence;
  inputOf(zone).setAttribute('aria-invalid', String(sentence !== ''));
}

async function flawOf(zone, file) {
  try {
    const flaw = await check(file, zone.dataset.kind, Number(form.dataset.most));
    return flaw ? say(...flaw) : '';
  } catch {
    return say('gone', file.name); // it was changed or moved since it was chosen
  }
}

// take puts a dropped or pasted file where the browser would put a chosen one.
async function take(zone, file) {
  const data = new DataTransfer();
  data.items.add(file);
  inputOf(zone).files = data.files;
  complain(zone, await flawOf(zone, file));
}

function prepare(zone) {
  const hint = document.createElement('p');
  hint.className = 'hint';
  hint.textContent = say('drop');
  inputOf(zone).after(hint);
  inputOf(zone).addEventListener('change', async () => {
    const file = inputOf(zone).files[0];
    complain(zone, file ? await flawOf(zone, file) : '');
  });
  zone.addEventListener('dragover', (e) => {
    if (current || !e.dataTransfer.types.includes('Files')) return;
    e.preventDefault();
    zone.classList.add('over');
  });
  zone.addEventListener('dragleave', () => zone.classList.remove('over'));
  zone.addEventListener('drop', (e) => {
    zone.classList.remove('over');
    if (current || e.dataTransfer.files.length === 0) return;
    e.preventDefault();
    share([...e.dataTransfer.files], zone);
  });
}

// share gives a file to the zone it was meant for; of several, each goes to the first
// empty zone whose kind it is.
async function share(files, meant) {
  for (const file of files) {
    const fits = [];
    for (const zone of zones) {
      if (inputOf(zone).files.length === 0 && await flawOf(zone, file) === '') fits.push(zone);
    }
    const zone = meant && files.length === 1 ? meant : fits[0];
    if (zone) await take(zone, file);
    else show(say('none-fits', file.name));
  }
}

// What is pasted into a field of words belongs there.
function paste(e) {
  const files = [...(e.clipboardData?.files ?? [])];
  if (current || files.length === 0 || e.target.closest('textarea')) return;
  e.preventDefault();
  share(files, document.activeElement?.closest('.drop'));
}

// A file that misses its zone must not take the page away.
function miss(e) {
  if (e.dataTransfer?.types.includes('Files') && !e.target.closest('input[type=file]')) e.preventDefault();
}

// entry is all that the form would send. Every file that is wrong is told of at once.
async function entry() {
  let wrong = null;
  const files = [];
  for (const zone of zones) {
    const file = inputOf(zone).files[0];
    const flaw = file ? await flawOf(zone, file) : say('missing');
    complain(zone, flaw);
    if (flaw) wrong ??= inputOf(zone);
    else files.push({ field: inputOf(zone).name, file });
  }
  if (wrong) {
    wrong.focus();
    return null;
  }
  const fields = [...new FormData(form)].filter(([name, value]) => typeof value === 'string' && name !== 'key');
  chooseKey(JSON.stringify([fields, files.map(({ field, file }) => [field, file.name, file.size, file.lastModified])]));
  return { id, user: form.dataset.user, page: location.pathname, action, key: key.value, fields, files,
    began: Date.now() };
}

// chooseKey keeps the key as long as the same is sent: what was cancelled may have
// arrived. Anything else is another submission.
function chooseKey(next) {
  if (print !== '' && print !== next) key.value = newKey();
  print = next;
}

// show tells the state and offers what can be done about it.
function show(sentence, ...offers) {
  box.hidden = sentence === '';
  if (status.textContent !== sentence) status.textContent = sentence;
  choices.replaceChildren(...offers);
}

function offer(key, act) {
  const b = document.createElement('button');
  b.type = 'button';
  b.className = 'btn';
  b.textContent = say(key);
  b.addEventListener('click', act);
  return b;
}

function lock(on) {
  button.disabled = on;
  form.toggleAttribute('data-busy', on);
  form.setAttribute('aria-busy', String(on));
  for (const zone of zones) {
    inputOf(zone).disabled = on;
    const bar = zone.querySelector('progress');
    bar.hidden = !on;
    bar.value = 0;
  }
}

// part shows how much of each file is sent: they go one after the other.
function part(loaded, total) {
  let offset = total - current.files.reduce((sum, f) => sum + f.file.size, 0);
  for (const { field, file } of current.files) {
    const bar = zoneOf(field)?.querySelector('progress');
    if (bar) bar.value = Math.max(0, Math.min(100, (100 * (loaded - offset)) / Math.max(file.size, 1)));
    offset += file.size;
  }
  const tenths = Math.floor((10 * loaded) / total); // more often nobody wants to hear it
  show(loaded < total ? say('sending', 10 * tenths) : say('working'), offer('cancel', cancel));
}

function send() {
  clearTimeout(timer);
  if (request) return;
  const data = new FormData();
  for (const [name, value] of current.fields) data.append(name, value);
  data.append('key', current.key);
  for (const { field, file } of current.files) data.append(field, file, file.name);
  const r = new XMLHttpRequest();
  request = r;
  r.open('POST', current.action);
  r.setRequestHeader('Accept', 'application/json');
  r.upload.onprogress = (e) => { if (request === r && e.lengthComputable) part(e.loaded, e.total); };
  r.onload = () => { if (request === r) answered(r); };
  r.onerror = () => { if (request === r) again(0); };
  show(say('sending', 0), offer('cancel', cancel));
  r.send(data);
}

const passing = new Set([408, 425, 429, 500, 502, 503, 504]);

// answered decides by the answer: done, to be repeated, or to be mended by a person.
async function answered(r) {
  request = null;
  let body = null;
  try {
    body = JSON.parse(r.responseText);
  } catch {
    // something between us and the service answered
  }
  if (r.status === 200 && body?.to) {
    await finish();
    location.assign(body.to);
  } else if (r.status === 401) {
    const link = document.createElement('a');
    link.className = 'btn primary';
    link.href = `/sign-in?${new URLSearchParams({ next: location.pathname })}`;
    link.textContent = say('sign-in-link');
    show(say('sign-in'), link, offer('cancel', cancel));
  } else if (passing.has(r.status) || !body) {
    again(Number(r.getResponseHeader('Retry-After')) || 0, r.status === 429 && body?.error);
  } else {
    await finish();
    show(body.error ?? body.message ?? String(r.status));
    box.focus();
  }
}

// again waits and sends once more: longer each time, at once when the network is back.
function again(atLeast, why) {
  request = null;
  tries += 1;
  if (!current) return;
  const wait = Math.max(atLeast, Math.min(longest, 2 ** tries) * (0.75 + Math.random() / 2));
  timer = setTimeout(send, wait * 1000);
  const lost = navigator.onLine === false || tries > 1;
  show(why || (lost ? say('lost') : say('waiting', Math.ceil(wait))), offer('now', send), offer('cancel', cancel));
}

// finish ends an entry, sent or not.
async function finish() {
  clearTimeout(timer);
  current = null;
  tries = 0;
  lock(false);
  await drop(id).catch(() => {});
}

async function cancel() {
  const r = request;
  request = null;
  r?.abort();
  await finish();
  show('');
}

function begin(e) {
  current = e;
  lock(true);
  send();
}

async function submit(e) {
  e.preventDefault();
  if (current || !form.reportValidity()) return;
  const made = await entry();
  if (!made) return;
  // What is kept is a copy, which no longer changes with the files on the disk. Where
  // nothing may be kept, it is sent all the same.
  begin(await keep(made).then(() => find(id)).catch(() => made) ?? made);
}

// resume goes on with what an earlier page could not finish.
async function resume() {
  const e = await find(id).catch(() => null);
  if (!e || current) return;
  for (const { field, file } of e.files) {
    const zone = zoneOf(field);
    if (zone) await take(zone, file);
  }
  if (Date.now() - e.began < keyLife) {
    begin(e);
    return;
  }
  show(say('old'), offer('again', () => begin({ ...e, key: newKey(), began: Date.now() })), offer('cancel', cancel));
}

form.noValidate = true;
for (const zone of zones) {
  inputOf(zone).required = false; // told in words by this script
  prepare(zone);
}
form.addEventListener('submit', submit);
document.addEventListener('paste', paste);
addEventListener('online', () => { if (current && !request) send(); });
document.addEventListener('visibilitychange', () => { if (!document.hidden && current && !request && timer) send(); });
addEventListener('beforeunload', (e) => { if (request) e.preventDefault(); });
document.addEventListener('dragover', miss);
document.addEventListener('drop', miss);
resume();
