// The marking desk: from task to task without waiting. Moving on is at once, while the
// verdict is on its way; what is not saved is told of until somebody saw to it.
import { draftOf, restored } from './drafts.js';
import { address, announce, beside, current, desk, element, home, notice, now, row, rows, say, state, task, waiting }
  from './desk-page.js';
import { fit } from './desk-columns.js';
import { ask, clear, entry, fill, form, read as typedIn, sent, store, words } from './desk-form.js';
import { Outbox } from './outbox.js';
import { adopt, Prefetch } from './prefetch.js';
import { Undo } from './desk-undo.js';
import { reading } from './desk-reading.js';
import { follow, tell } from './desk-moved.js';
import * as keys from './keys.js';
import * as parts from './desk-parts.js';

await restored(); // before anything reads it

const part = (id) => `${home}/tasks/${id}${filter(id)}`; // the address of a task alone
const ahead = new Prefetch(part, look, (ids) => { desk.dataset.ahead = ids.join(' '); });
const outbox = new Outbox();
let turn = 0; // counts the moves, so that a late answer of an earlier one is not shown
let last = ''; // the verdict given last

function filter(id = '') {
  const to = new URLSearchParams(location.search);
  for (const name of ['at', 'undo', 'tab']) to.delete(name);
  parts.within(to, id);
  return to.size ? `?${to}` : '';
}

const view = () => new URLSearchParams(location.search).get('view'); // of the work

// look tells how documents are shown now, so that those ahead are drawn the same way.
function look() {
  const view = now().querySelector('document-view');
  return { opened: view?.opened, width: view?.fitted || look.width, zoom: view?.zoom ?? 1 };
}

// prepare fetches the two tasks that come next, and keeps the one that was before.
function prepare(behind) {
  look.width = look().width;
  ahead.want(waiting(task(), 2), [behind ?? beside(task(), -1)]);
}

// go shows another task.
async function go(id, { push = true, focus = true } = {}) {
  if (!id || id === task()) return;
  const mine = ++turn;
  let article = ahead.take(id);
  if (article instanceof Promise) {
    now().setAttribute('aria-busy', 'true');
    try {
      article = await article;
    } catch (e) {
      if (mine === turn) stuck(id, e);
      return;
    }
    if (mine !== turn) return;
  }
  show(article, push ? address(id) : '', focus);
}

const untried = 5000; // ms until a task that could not be read is tried again

// stuck is when a task cannot be read: it is tried again as soon as there is hope. What
// the server refuses it tells by itself: it leads whoever is signed out to the sign-in.
function stuck(id, { status }) {
  if (status < 500) {
    location.assign(address(id));
    return;
  }
  now().removeAttribute('aria-busy');
  const once = new AbortController();
  const mine = turn;
  const again = () => {
    once.abort();
    clearTimeout(timer);
    if (turn === mine) go(id);
  };
  const button = element('button', { type: 'button', className: 'btn', textContent: say('now') });
  button.addEventListener('click', again);
  notice(say('unread'), button);
  const timer = setTimeout(again, untried);
  addEventListener('online', again, { signal: once.signal });
  outbox.addEventListener('saved', again, { signal: once.signal });
}

// show puts a task in place of the one in view.
function show(article, href, focus = true) {
  const old = now();
  const behind = old.dataset.task;
  if (behind) ahead.keep(behind, old);
  fit(article);
  old.removeAttribute('aria-busy');
  old.replaceWith(article);
  if (href) history.pushState(null, '', href);
  seen();
  prepare(behind);
  extend();
  if (!focus) return;
  attend(article.querySelector('h1'), document.activeElement);
  announce(article.dataset.title ? say('shown', article.dataset.title, left()) : '');
}

// attend gives the focus to a heading with the next picture, as to give it takes the styles of all that came, unless
// somebody gave it to something else by then.
function attend(heading, before) {
  requestAnimationFrame(() => {
    if (![document.body, before].includes(document.activeElement)) return;
    heading.focus({ preventScroll: innerWidth > 900 });
  });
}

// seen is all that belongs to the task that came into view.
function seen() {
  if (now().dataset.title) {
    document.title = document.title.replace(/^.*?((?: · [^–]*)? – [^–]*)$/, `${now().dataset.title}$1`);
  }
  const view = now().querySelector('document-view');
  if (view) view.kept = true;
  const held = outbox.of(task()).findLast((e) => e.refused);
  fill(draftOf(task()) ?? (held && { ...held.fields }));
  current(task());
  arrange();
  desk.dispatchEvent(new CustomEvent('shown', { detail: task() }));
}

// carry makes a task that was drawn anew look as it was left: its columns and folds.
function carry(from, to) {
  fit(to);
  for (const d of from.querySelectorAll('details[id]')) {
    const other = to.querySelector(`#${CSS.escape(d.id)}`);
    if (other) other.open = d.open;
  }
}

// arrange makes the links to the tasks around this one follow the queue as it is here.
function arrange() {
  for (const [rel, id] of [['prev', beside(task(), -1)], ['next', beside(task(), 1)]]) {
    const link = now().querySelector(`a[rel=${rel}]`);
    if (link && id) link.href = address(id);
    link?.toggleAttribute('hidden', !id);
  }
}

// judge sends what the form holds with a verdict and moves on.
function judge(status) {
  if (ask(status)) return;
  const e = entry(status);
  last = status;
  send(e);
  onward(e.task);
}

// send hands what was typed over to the outbox, which keeps it now.
function send(e) {
  for (const old of outbox.of(e.task)) if (old.refused) outbox.drop(old); // this is what came of it
  outbox.add(e);
  clear();
  store();
}

// onward moves to the next task that waits, or tells that none does.
async function onward(from) {
  const [next] = waiting(from);
  if (next) {
    await go(next);
    return;
  }
  announce(say('all-given'));
  await outbox.settled(from);
  if (outbox.entries.length === 0 && task() === from) await renew();
}

// extend adds the rows that follow when the last of those here come near.
let extended = '';
async function extend() {
  const end = rows().at(-1)?.dataset.task;
  if (!end || end === extended || rows().length - rows().findIndex((r) => r.dataset.task === task()) > 5) return;
  extended = end;
  const page = await read(address(end));
  const known = new Set(rows().map((r) => r.dataset.task));
  const more = [...page?.querySelectorAll('#desk-queue li[data-task]') ?? []].filter((r) => !known.has(r.dataset.task));
  for (const r of more) {
    r.querySelector('a').removeAttribute('aria-current');
    document.querySelector('#desk-queue ol').append(document.adoptNode(r));
  }
  if (more.length === 0) return;
  arrange();
  prepare();
}

// read fetches a page of the desk; null where it cannot be had.
async function read(from) {
  const answer = await fetch(from, { headers: { Accept: 'text/html' }, redirect: 'manual' }).catch(() => null);
  return answer?.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : null;
}

// visit shows a task as it stands now.
async function visit(id) {
  await refresh(id);
  await go(id);
}

// renew reads the queue anew, and shows the first that waits where the task in view does not.
async function renew() {
  const page = await read(home + filter());
  if (!page) return;
  const queue = page.getElementById('desk-queue');
  const article = page.getElementById('desk-task');
  document.getElementById('desk-queue').replaceWith(document.adoptNode(queue));
  fit(queue);
  if (row(task())) {
    current(task());
    arrange();
    return;
  }
  document.adoptNode(article);
  customElements.upgrade(article);
  show(article, home + filter());
}

// refresh draws a task anew, without taking away what is typed or the document.
async function refresh(id) {
  if (id !== task()) {
    const other = await ahead.renew(id) ?? (row(id) && await ahead.read(id).catch(() => null));
    if (id !== task()) {
      if (other) shows(other);
      return;
    }
  }
  const fresh = await ahead.read(id).catch(() => null);
  if (!fresh || id !== task()) return;
  const old = now();
  const focus = old.contains(document.activeElement) ? document.activeElement : null;
  adopt(old, fresh); // it takes the focus away
  parts.carry(old, fresh);
  parts.lay(fresh);
  keepForm(old, fresh, focus);
  const scrolled = [...old.querySelectorAll('section')].map((s) => s.scrollTop);
  const reply = old.querySelector('#desk-reply');
  if (reply?.value || (reply && reply === focus)) fresh.querySelector('#desk-feedback > .talk').after(reply.form);
  carry(old, fresh);
  old.replaceWith(fresh);
  [...fresh.querySelectorAll('section')].forEach((s, i) => { s.scrollTop = scrolled[i] ?? 0; });
  if (focus?.isConnected) focus.focus({ preventScroll: true });
  else if (focus?.id) document.getElementById(focus.id)?.focus({ preventScroll: true });
  else parts.back(focus);
  seen();
  shows(fresh);
  if (old.dataset.status !== fresh.dataset.status) tell(fresh);
}

// shows has the row of a task and the numbers tell what a drawing of it does, unless verdicts of ours
// are on their way.
function shows(article) {
  if (outbox.entries.every((e) => e.refused)) counted(article);
  if (outbox.of(article.dataset.task).length === 0) follow(article);
}

// keepForm leaves the form alone where somebody is at it. It goes on with the version it
// was drawn with where somebody else judged the work meanwhile: of two verdicts both are
// to be seen.
function keepForm(old, fresh, focus) {
  const [mine, theirs] = [old, fresh].map((a) => a.querySelector('#desk-verdict'));
  if (!mine || !theirs || !(mine.contains(focus) || Object.values(typedIn()).some(Boolean))) return;
  const same = old.dataset.status === fresh.dataset.status;
  mine.elements.seen.value = theirs.elements.seen.value; // what is said stands beside it as it is now
  if (same) mine.elements.version.value = theirs.elements.version.value;
  theirs.replaceWith(mine);
}

// submitted takes the forms of the desk over from the browser.
function submitted(e) {
  if (e.target !== form()) {
    if (now().contains(e.target) && !e.target.querySelector('[type=file]')) act(e);
    return;
  }
  e.preventDefault();
  const chosen = form().dataset.chosen;
  const status = e.submitter?.name === 'status' ? e.submitter.value : '';
  if (status) judge(status);
  else if (e.submitter?.hasAttribute('formaction')) speak();
  else if (chosen) judge(chosen);
}

// act does what another form of the task asks for, without leaving.
async function act(e) {
  e.preventDefault();
  const { target, submitter } = e;
  if (target.dataset.busy) return;
  target.dataset.busy = 'yes';
  const body = new URLSearchParams(new FormData(target, submitter));
  const answer = await fetch(target.getAttribute('action'), { method: 'POST', body, redirect: 'manual',
    headers: { Accept: 'application/json' } }).catch(() => null);
  delete target.dataset.busy;
  if (answer?.ok) {
    target.reset();
    store();
    await refresh(task());
  } else if (!answer) notice(say('not-done'));
  else refused(target, submitter, answer);
}

// refused tells beside a form why it was not taken. What is typed stays; where the task has
// become another meanwhile, it is drawn as it is now. Whoever is signed out the server
// leads on from a page of its own.
async function refused(target, submitter, answer) {
  const why = answer.status === 401 ? '' : (await answer.json().catch(() => null))?.error;
  if (!why) {
    const { name, value } = submitter ?? {};
    if (name) target.append(element('input', { type: 'hidden', name, value }));
    target.submit();
    return;
  }
  const [id, action] = [task(), target.getAttribute('action')];
  if ([404, 409].includes(answer.status)) await refresh(id);
  const talk = now().querySelector('.desk-talk');
  if (id !== task() || !talk || !(talk.contains(target) || !target.isConnected)) {
    notice(why);
    return;
  }
  for (const old of talk.querySelectorAll('.desk-why')) old.remove();
  const form = [...talk.querySelectorAll('form')].find((f) => f.getAttribute('action') === action);
  const message = element('p', { className: 'wrong desk-why', role: 'alert', textContent: why });
  (form ?? talk).prepend(message);
  message.scrollIntoView({ block: 'nearest' });
}

// speak sends the comment and stays.
function speak() {
  if (typedIn().comment.trim() === '' && !typedIn().points) return;
  send(words());
  announce(say('comment-sent'));
}

// typed is about keys inside the form: to send, and to go from the grade on.
function typed(e) {
  if (e.key !== 'Enter' || e.isComposing || !e.target.closest?.('#desk-verdict')) return;
  if (e.target.name === 'comment') {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    if (e.repeat) return;
    if (!e.shiftKey) speak();
    else if (last) judge(last);
    else notice(say('no-last'));
  } else if (e.target.closest('.desk-marks')) {
    e.preventDefault();
    if (!e.repeat && form().dataset.chosen) judge(form().dataset.chosen);
  }
}

// clicked opens tasks in place. The second click of two means the task that the first was
// on, not the one that came under it meanwhile.
let first = '';
function clicked(e) {
  if (e.detail < 2) first = task();
  if (first !== task() && e.target.closest('#desk-verdict button')) {
    e.preventDefault();
    return;
  }
  acts[e.target.closest('[data-act]')?.dataset.act]?.();
  const link = e.target.closest('a[href]');
  if (!link || e.button || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
  const to = new URL(link.href);
  const same = to.origin === location.origin && to.pathname === home && to.searchParams.get('view') === view() &&
    !['reply', 'file', 'line', 'from'].some((name) => to.searchParams.has(name));
  const id = same ? to.searchParams.get('at') : '';
  if (!id) return;
  e.preventDefault();
  go(id);
}

const acts = { waiting: () => go(waiting(task())[0]), keys: showKeys, point: parts.start };

function showKeys() {
  const dialog = document.getElementById('desk-keys');
  keys.list(desk, dialog.querySelectorAll('tbody[data-of]'));
  dialog.showModal();
}

const signs = { sending: 'sending', lost: 'waits', refused: 'refused' };

// changed shows on the rows of the queue what became of their verdicts.
function changed({ detail: e }) {
  const open = outbox.of(e.task).at(-1);
  if (!open) return;
  const name = open.refused ? 'refused' : open.lost ? 'lost' : 'sending';
  if (open.fields.status) state(e.task, name, say(signs[name], open.name));
}

function saved({ detail: { entry: e } }) {
  if (e.fields.status) {
    state(e.task, 'saved', say('saved', e.name));
    progress(1, e.task);
  }
  sent(e.task, e.fields);
  refresh(e.task).then(() => prepare());
}

// progress counts what was given, or taken back: the task is one less of its kind, or one more.
const box = document.getElementById('desk-progress');
function progress(by, id) {
  const kind = { to_mark: 'mark', to_answer: 'answer' }[row(id)?.dataset.kind];
  box.dataset.done = Number(box.dataset.done) + by;
  if (kind) box.dataset[kind] = Math.max(0, Number(box.dataset[kind]) - by);
  count();
}

// counted takes the numbers over that came with a task drawn now.
function counted({ dataset: { toMark, toAnswer } }) {
  Object.assign(box.dataset, { mark: toMark, answer: toAnswer });
  count();
}

const left = () => say('left', box.dataset.mark, box.dataset.answer);

function count() {
  const { done, mark, answer } = box.dataset;
  const all = Number(done) + Number(mark) + Number(answer);
  Object.assign(box.querySelector('progress'), { max: all, value: Number(done) });
  for (const [part, text] of [['strong', say('marked', done, all)], ['.desk-left', left()]]) {
    const place = box.querySelector(part);
    if (place.textContent !== text) place.textContent = text;
  }
}

// heard is when something happened to a task, by whomever: what is prepared of it is old, and so is its
// row where its status changed.
const stale = new Set();
const together = 150; // ms
function heard({ detail: event }) {
  const id = event.missed ? task() : event.kind === 'presence' ? '' : String(event.task_id ?? '');
  const concerns = id === task() || ahead.held.has(id) || (event.kind === 'status' && row(id));
  if (!id || !concerns || outbox.of(id).length) return;
  if (stale.size === 0) setTimeout(freshen, together);
  stale.add(id);
}

async function freshen() {
  const all = [...stale].sort((a, b) => (b === task()) - (a === task())); // what is looked at comes first
  stale.clear();
  for (const id of all) await refresh(id);
  prepare();
}

// later reads what nobody needs in the first moment. A saved comment that is pressed before is written then.
function later() {
  const early = (e) => {
    const button = e.target.closest('[data-snippet]');
    if (!button) return;
    e.preventDefault();
    ready.then(() => button.click());
  };
  desk.addEventListener('click', early);
  const ready = new Promise((done) => { (window.requestIdleCallback ?? setTimeout)(done); })
    .then(() => Promise.all([import('./desk-refused.js'), import('./desk-snippets.js'), import('./desk-presence.js'),
      import('./desk-rubric.js')]))
    .then(([{ Refusals }, { suggest }, { presence }, { rubric }]) => {
      desk.removeEventListener('click', early);
      new Refusals(outbox, visit);
      suggest(desk);
      presence();
      rubric();
    })
    .catch(() => {
      desk.removeEventListener('click', early);
      addEventListener('online', later, { once: true });
    });
}

desk.addEventListener('submit', submitted);
desk.addEventListener('part', () => { // what is prepared shows another part; what is opened comes first
  for (const id of [...ahead.held.keys()]) ahead.drop(id);
  ahead.tell();
  requestAnimationFrame(() => setTimeout(prepare));
});
desk.addEventListener('keydown', typed);
desk.addEventListener('click', clicked);
desk.addEventListener('input', store);
desk.addEventListener('change', store);
outbox.addEventListener('change', changed);
outbox.addEventListener('saved', saved);
document.addEventListener('live', heard);
addEventListener('popstate', () => go(new URLSearchParams(location.search).get('at') ?? rows()[0]?.dataset.task,
  { push: false }));
keys.listen(desk);
reading();
later();
new Undo(outbox, (id) => {
  progress(-1, id);
  return visit(id);
});
fit(desk);
history.replaceState(null, '', task() ? address(task()) : location.href);
for (const e of outbox.entries) changed({ detail: e });
seen();
outbox.resume();
desk.dataset.ahead = '';
prepare();
