// A file, or one's voice, beside what is said at the desk: chosen or recorded in place, heard
// before it is sent, and sent with the words of the comment, or before the status.
import { announce, desk, now, say, task } from './desk-page.js';

const box = () => document.getElementById('desk-attach');
const file = () => box()?.elements.attachment;
const comment = () => document.getElementById('desk-comment');
const recorders = new WeakMap();

// record begins a recording at once, where the browser can.
async function record(field) {
  const { Recorder } = await import('./recorder.js');
  if (!Recorder.possible) {
    field.click();
    return;
  }
  if (!recorders.has(field)) recorders.set(field, new Recorder(field));
  await recorders.get(field).record();
}

// open begins with one, as somebody pressed.
export function open(kind) {
  box().classList.add('open');
  box().classList.toggle('voice', kind === 'voice');
  if (kind === 'voice') record(file());
  else file().click();
}

function close() {
  box().reset();
  box().classList.remove('open');
}

// send sends the file with some words, and tells whether it arrived.
async function send(words) {
  const form = box();
  const body = new FormData();
  body.set('attachment', file().files[0]);
  body.set('comment', words);
  form.setAttribute('aria-busy', 'true');
  const answer = await fetch(form.getAttribute('action'), { method: 'POST', body, redirect: 'manual',
    headers: { Accept: 'application/json' } }).catch(() => null);
  form.removeAttribute('aria-busy');
  if (answer?.ok) {
    form.reset();
    form.classList.remove('open');
    document.dispatchEvent(new CustomEvent('live', { detail: { kind: 'comment', task_id: task() } }));
    return true;
  }
  tell(form, answer ? (await answer.json().catch(() => null))?.error ?? say('not-sent') : say('not-done'));
  return false;
}

// tell says beside the form why the file was not sent.
function tell(form, why) {
  form.querySelector('.desk-why')?.remove();
  const line = document.createElement('p');
  form.prepend(Object.assign(line, { className: 'wrong desk-why', role: 'alert', textContent: why }));
}

// alone sends the file with what the comment says.
async function alone() {
  const words = comment().value;
  const id = task();
  if (!await send(words) || id !== task()) return;
  comment().value = '';
  comment().dispatchEvent(new Event('input', { bubbles: true }));
  announce(say('comment-sent'));
}

// first sends the file, and then does what was to be done, if it can still be.
async function first(target, then) {
  if (await send('') && now().contains(target)) then();
}

// What waits here goes first, whichever way the comment or the status is sent.
desk.addEventListener('submit', (e) => {
  const mine = e.target === box();
  if (!mine && (e.target.id !== 'desk-verdict' || !file()?.files.length)) return;
  e.preventDefault();
  e.stopPropagation();
  if (box().hasAttribute('aria-busy')) return;
  const { target, submitter } = e;
  if (mine || submitter?.hasAttribute('formaction')) alone();
  else first(target, () => target.requestSubmit(submitter));
}, true);

// So it does where Enter sends: in the comment with Ctrl, and with Shift the status once more, and in
// the grade the status that waits for it.
desk.addEventListener('keydown', (e) => {
  const { target } = e;
  const sends = target === comment() ? e.ctrlKey || e.metaKey : target.closest('.desk-marks');
  if (e.key !== 'Enter' || e.isComposing || !sends || !file()?.files.length) return;
  e.preventDefault();
  e.stopPropagation();
  if (e.repeat || box().hasAttribute('aria-busy')) return;
  if (target === comment() && !e.shiftKey) alone();
  else first(target, () => target.dispatchEvent(new KeyboardEvent('keydown', e)));
}, true);

// A task that was drawn anew keeps what is chosen or being recorded; with another the recording ends.
let held = { task: task(), box: box() };
desk.addEventListener('shown', () => {
  const { box: old, task: id } = held;
  if (id === task() && old !== box() && old?.classList.contains('open')) box()?.replaceWith(old);
  else if (id !== task()) recorders.get(old?.elements.attachment)?.end();
  held = { task: task(), box: box() };
});
desk.addEventListener('reset', (e) => { if (e.target === box()) box().classList.remove('open'); });
desk.addEventListener('cancel', (e) => { if (e.target === file() && !file().files.length) close(); }, true);
