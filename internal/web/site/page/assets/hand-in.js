// Handing in with drop, paste, checks before sending, progress and a repeat after a
// lost network. Without it the form works as it is; with it the same form is sent with
// the same key, which makes every repeat the same submission.
import { drop, find, keep } from './hand-in-store.js';
import { check } from './hand-in-check.js';
import { sort } from './hand-in-sort.js';

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
const fileOf = (zone) => inputOf(zone).files[0];
const flawed = (zone) => inputOf(zone).getAttribute('aria-invalid') === 'true';
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
    const flaw = await check(file, zone.dataset.kind, Number(form.dataset.most), 'zip' in zone.dataset);
    return flaw ? say(...flaw) : '';
  } catch {
    return say('gone', file.name); // it was changed or moved since it was chosen
  }
}

// take puts a dropped or pasted file where the browser would put a chosen one, in place of what
// is there: an older version is not sent by mistake, not even when the new one is refused.
function take(zone, file) {
  const data = new DataTransfer();
  data.items.add(file);
  inputOf(zone).files = data.files;
  return look(zone);
}

// look checks what a row holds, and shows it.
async function look(zone) {
  const file = fileOf(zone);
  const held = zone.querySelector('.held');
  held.hidden = !file;
  held.querySelector('.size').textContent = file ? size(file.size) : '';
  held.querySelector('button').setAttribute('aria-label', file ? say('remove-what', file.name) : '');
  const flaw = file ? await flawOf(zone, file) : '';
  if (fileOf(zone) === file) complain(zone, flaw); // nothing else was put there meanwhile
}

const units = [['megabyte', 1 << 20], ['kilobyte', 1024], ['byte', 0]];

function size(bytes) {
  const [unit, per] = units.find(([, least]) => bytes >= least);
  const form = { style: 'unit', unit, maximumFractionDigits: 1 };
  return new Intl.NumberFormat(document.documentElement.lang, form).format(bytes / (per || 1));
}

function remove(zone) {
  inputOf(zone).value = '';
  look(zone);
  inputOf(zone).focus();
}

// holder is where a row shows what it holds, with the way to take it out.
function holder(zone) {
  const line = document.createElement('div');
  line.className = 'held';
  line.hidden = true;
  const span = document.createElement('span');
  span.className = 'size';
  const button = offer('remove', () => remove(zone));
  button.className = 'btn sm quiet';
  line.append(span, button);
  return line;
}

function prepare(zone) {
  const hint = document.createElement('p');
  hint.className = 'hint';
  hint.textContent = say('drop');
  inputOf(zone).after(holder(zone), hint);
  inputOf(zone).addEventListener('change', () => look(zone));
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

// share gives one file to the row it was meant for, if it fits there; any other goes to a row
// of its kind, and what was there before goes. What fits nowhere is refused at a row that still
// needs a file.
async function share(files, meant) {
  const list = [];
  for (const file of files) {
    list.push({ name: file.name, fits: await Promise.all(zones.map(async (z) => await flawOf(z, file) === '')) });
  }
  const here = files.length === 1 ? zones.indexOf(meant) : -1;
  const to = list[0].fits[here] ? [here] : sort(list, zones.map((zone) => ({
    name: zone.dataset.name, holds: fileOf(zone) && !flawed(zone) ? fileOf(zone).name : '' })));
  await Promise.all(files.map((file, i) => to[i] >= 0 && take(zones[to[i]], file)));
  const left = files.filter((_, i) => to[i] < 0);
  const many = left.filter((file) => list[files.indexOf(file)].fits.includes(true));
  for (const file of left.filter((f) => !many.includes(f))) {
    const zone = zones[here] ?? zones.find((z) => !fileOf(z));
    if (zone) await take(zone, file);
    else many.push(file);
  }
  if (many.length > 0) refuse(say('too-many', many.map((file) => file.name).join(', ')));
  else if (!current) show('');
}

// refuse says in red what is wrong with all of it.
function refuse(sentence) {
  show(sentence);
  box.classList.add('bad');
}

// What is pasted into a field of words belongs there.
function paste(e) {
  const files = [...(e.clipboardData?.files ?? [])];
  if (current || files.length === 0 || e.target.closest('textarea')) return;
  e.preventDefault();
  share(files, document.activeElement?.closest('.drop'));
}

// What is dropped beside the rows is sorted to them.
function dropped(e) {
  if (current || e.defaultPrevented || !e.dataTransfer?.files.length) return;
  e.preventDefault();
  share([...e.dataTransfer.files], null);
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
    const file = fileOf(zone);
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
  box.classList.remove('bad');
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
    zone.querySelector('.held button').disabled = on;
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
    refused(body, r.status);
  }
}

// refused shows what the service says: at the rows where it is about their files.
function refused(body, status) {
  refuse(body.error ?? body.message ?? String(status));
  let first = null;
  for (const [field, flaw] of Object.entries(body.files ?? {})) {
    const zone = zoneOf(field);
    if (!zone) continue;
    complain(zone, flaw);
    first ??= inputOf(zone);
  }
  (first ?? box).focus();
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
form.addEventListener('drop', dropped);
document.addEventListener('paste', paste);
addEventListener('online', () => { if (current && !request) send(); });
document.addEventListener('visibilitychange', () => { if (!document.hidden && current && !request && timer) send(); });
addEventListener('beforeunload', (e) => { if (request) e.preventDefault(); });
document.addEventListener('dragover', miss);
document.addEventListener('drop', miss);
resume();
