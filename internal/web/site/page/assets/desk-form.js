// The form for a verdict: what is typed is kept as a draft, a grade that is needed is
// asked for, and what it holds becomes an entry to be sent.
import { draftOf, keepDraft } from './drafts.js';
import { announce, now, say, task } from './desk-page.js';
import * as parts from './desk-parts.js';
import { newKey } from './outbox.js';

const kept = ['comment', 'grade', 'quality'];

// form is that for a verdict; null where the task is one's own, or none is in view.
export const form = () => document.querySelector('form#desk-verdict');

const field = (name) => form()?.elements[name];

// levels are those of a rubric that are picked, or that the server drew so.
const picked = () => [...form()?.elements ?? []].filter((f) => f.type === 'radio');
const levels = (is = 'checked') => JSON.stringify(picked().filter((f) => f[is]).map((f) => Number(f.value)));
const unpicked = () => levels() === levels('defaultChecked');

export function read() {
  const draft = Object.fromEntries(kept.map((name) => [name, field(name)?.value ?? '']));
  return { ...draft, levels: unpicked() ? '' : levels(), status: form()?.dataset.chosen ?? '', points: parts.text() };
}

// aside are the other fields of words, such as that for a note.
const aside = () => [...now().querySelectorAll('textarea[id]')].filter((f) => f.form !== form());

// store keeps what the page holds of the task, unless it is what the server drew.
export function store() {
  const draft = Object.fromEntries(aside().filter((f) => f.value !== drawn(f)).map((f) => [`#${f.id}`, f.value]));
  const same = kept.every((name) => !field(name) || field(name).value === drawn(field(name))) && unpicked();
  if (!same || form()?.dataset.chosen) Object.assign(draft, read());
  if (parts.text()) draft.points = parts.text();
  keepDraft(task(), draft);
}

function drawn(input) {
  if (!input.options) return input.defaultValue;
  return [...input.options].find((o) => o.defaultSelected)?.value ?? input.options[0].value;
}

// sent takes what was sent out of the draft of a task, in case the page ended before.
export function sent(id, { comment = '', points: at = '' }) {
  const draft = draftOf(id);
  const { comment: words = '', points: places = '' } = draft ?? {};
  if ((words || places) && words === comment && places === at) {
    keepDraft(id, { ...draft, comment: '', grade: '', quality: '', levels: '', status: '', points: '' });
  }
}

// fill puts a draft into the task in view.
export function fill(draft = draftOf(task())) {
  parts.set(draft?.points);
  if (!draft) return;
  for (const f of aside()) f.value = draft[`#${f.id}`] ?? f.value;
  if (!form()) return;
  const ids = draft.levels && JSON.parse(draft.levels);
  const there = ids && ids.every((id) => picked().some((f) => Number(f.value) === id));
  for (const name of kept) {
    if (name === 'quality' && draft.summed && !there) continue; // the sum of levels that are gone
    if (field(name) && draft[name]) field(name).value = draft[name];
  }
  if (ids) for (const f of picked()) f.checked = ids.includes(Number(f.value));
  if (draft.status) choose(draft.status);
}

// clear leaves the form as the server drew it.
export function clear() {
  form()?.reset();
  choose('');
  parts.set();
}

// choose notes a verdict that waits for a grade, on its button too.
export function choose(status) {
  if (status) form().dataset.chosen = status;
  else delete form()?.dataset.chosen;
  for (const b of form()?.querySelectorAll('button[name=status]') ?? []) {
    if (b.value === status) b.setAttribute('aria-pressed', 'true');
    else b.removeAttribute('aria-pressed');
  }
}

export const button = (status) => form()?.querySelector(`button[name=status][value="${CSS.escape(status)}"]`);

// missing is the first field that a verdict needs and that is empty.
function missing(status) {
  if (!('marks' in (button(status)?.dataset ?? {}))) return undefined;
  return [...form().querySelectorAll('.desk-marks :is(input, select)')].find((f) => f.value === '');
}

// ask opens the row for grade and points where a verdict needs it, and tells whether it did.
export function ask(status) {
  const empty = missing(status);
  if (!empty) return false;
  choose(status);
  store();
  const fold = empty.closest('details');
  if (fold) fold.open = true;
  empty.focus();
  announce(say('needs', button(status).dataset.name));
  return true;
}

// about is what every entry tells of the task in view.
const about = () => ({ key: newKey(), at: Date.now(), task: task(), title: now().dataset.title });

// entry is what the form holds, ready to be sent with a verdict.
export function entry(status) {
  const { comment, grade, quality, points: at } = read();
  const fields = { status, comment, version: field('version').value, seen: field('seen').value };
  if (grade) fields.grade = grade;
  if (quality) fields.quality = quality;
  if (quality && quality === field('quality').dataset.sum) fields.summed = quality; // nobody's own
  if (field('rubric') && levels('defaultChecked') + levels() !== '[][]') {
    Object.assign(fields, { rubric: field('rubric').value, levels: levels() });
  }
  if (at) fields.points = at;
  return { ...about(), action: form().getAttribute('action'), fields, name: button(status).dataset.name };
}

// words is the comment alone, ready to be sent.
export function words() {
  const { comment, points: at } = read();
  const action = form().querySelector('button[formaction]').getAttribute('formaction');
  const fields = { comment, seen: field('seen').value };
  if (at) fields.points = at;
  return { ...about(), action, fields, name: say('comment') };
}
