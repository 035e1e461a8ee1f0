// Taking the last verdict back: an inverse move that the server records. The words of
// the verdict become a draft again, before it is asked for: they cannot get lost.
import { draftOf, dropDraft, keepDraft } from './drafts.js';
import { announce, notice, say, state } from './desk-page.js';

const bar = document.getElementById('desk-undo'); // a form

// pointOf is a comment that pointed at the work as a draft of it.
function pointOf({ text, submission_timestamp, file, line, end_line, page, quote, x, y }) {
  const place = Object.entries({ submission_timestamp, file, line, end_line, page, quote, x, y });
  return { comment: text, place: Object.fromEntries(place.filter(([, value]) => (value ?? null) !== null)) };
}

export class Undo {
  given = []; // verdicts of this page, the latest last: { entry, verdict }

  // after is called with the task whose verdict was taken back.
  constructor(outbox, after) {
    this.outbox = outbox;
    this.after = after;
    outbox.addEventListener('change', ({ detail: e }) => this.begun(e));
    outbox.addEventListener('saved', ({ detail: { entry, body } }) => this.saved(entry, body));
    outbox.addEventListener('refused', ({ detail: e }) => this.refused(e));
    bar.addEventListener('submit', (e) => {
      e.preventDefault();
      this.last();
    });
    if (!bar.hidden) this.drawn();
  }

  // drawn takes the verdict over that the server offers to undo.
  drawn() {
    const [, task] = bar.getAttribute('action').match(/\/tasks\/(\d+)\//);
    const title = bar.querySelector('.desk-given').textContent;
    this.given.push({ entry: { key: '', task, title, name: '', fields: {} }, verdict: bar.elements.verdict.value });
  }

  begun(e) {
    if (!e.fields.status || e.refused || !this.outbox.entries.includes(e)) return;
    if (this.given.some((g) => g.entry.key === e.key)) return;
    this.given.push({ entry: e });
    this.draw();
  }

  saved(entry, body) {
    const one = this.given.find((g) => g.entry.key === entry.key);
    if (!one) return;
    one.verdict = body.verdict_id;
    if (one.wanted) this.take(one);
  }

  // refused forgets a verdict that never was. Whoever wanted it undone has what they want.
  refused(entry) {
    const one = this.given.find((g) => g.entry.key === entry.key);
    this.given = this.given.filter((g) => g !== one);
    this.draw();
    if (one?.wanted) notice(say('not-saved'));
  }

  draw() {
    const one = this.given.at(-1);
    bar.hidden = !one;
    if (one) bar.querySelector('.desk-given').textContent = say('given', one.entry.title, one.entry.name);
  }

  // last takes the latest verdict back, once it is known to have arrived.
  last() {
    const one = this.given.at(-1);
    if (!one || one.taking) return;
    one.wanted = true;
    if (one.verdict) this.take(one);
    else notice(say('undo-later'));
  }

  async take(one) {
    const { task, fields: { comment = '', grade = '', quality = '', levels = '', points = '' } } = one.entry;
    one.taking = true;
    const before = draftOf(task);
    if (!before) keepDraft(task, { comment, grade, quality, levels, status: '', points });
    const answer = await this.ask(one);
    const body = await answer?.json().catch(() => null);
    one.taking = one.wanted = false;
    if (answer?.ok) {
      const { comment: said = comment, pointed = [], rubric } = body ?? {};
      const given = rubric ? JSON.stringify(rubric.levels) : levels;
      const at = pointed.length ? JSON.stringify(pointed.map(pointOf)) : points;
      if (!before) keepDraft(task, { comment: said, grade, quality, levels: given, status: '', points: at });
      else if (at && !before.points) keepDraft(task, { ...before, points: at });
      this.given = this.given.filter((g) => g !== one);
      state(task, '');
      announce(say('undone', one.entry.title));
      this.draw();
      this.after(task);
      return;
    }
    if (!before) dropDraft(task);
    if (answer && answer.status < 500) this.given = this.given.filter((g) => g !== one); // it never can be
    this.draw();
    bar.hidden = false;
    bar.querySelector('.desk-given').textContent = say('not-undone', one.entry.title, body?.error ?? say('no-network'));
  }

  ask(one) {
    const { task } = one.entry;
    return fetch(`${location.pathname}/tasks/${task}/undo`, { method: 'POST', keepalive: true, redirect: 'manual',
      headers: { Accept: 'application/json' }, body: new URLSearchParams({ verdict: one.verdict }) }).catch(() => null);
  }
}
