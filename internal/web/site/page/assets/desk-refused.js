// What was not saved stays on the page until somebody saw to it: what waits for the
// network, what the server refused and why, and of two verdicts both.
import { draftOf, keepDraft } from './drafts.js';
import { address, element, say, state, task } from './desk-page.js';
import { button, fill } from './desk-form.js';
import { newKey } from './outbox.js';

const box = document.getElementById('desk-refused');

function offer(key, act) {
  const b = element('button', { type: 'button', className: 'btn', textContent: say(key) });
  b.addEventListener('click', act);
  return b;
}

const verdict = (name, comment) => (comment ? say('verdict-with', name, comment) : name);

// other is the verdict of somebody else that stands in the place of a refused one.
const other = ({ refused }) => (refused?.stands?.status ? refused.stands : null);

// reason says why an entry is here.
function reason(e) {
  if (!e.refused) return say(e.lost === 'sign-in' ? 'why-sign-in' : 'why-lost', e.title, e.name);
  const stands = other(e);
  if (!stands) return say('why-refused', e.title, e.name, e.refused.error);
  const by = stands.first_name ? `${stands.first_name} ${stands.last_name}` : say('somebody');
  return say('why-both', e.title, verdict(e.name, e.fields.comment), by,
    verdict(button(stands.status)?.dataset.name ?? stands.status, stands.comment));
}

// Refusals draws the bar anew whenever something about an entry changes.
export class Refusals {
  constructor(outbox, go) {
    this.outbox = outbox;
    this.go = go;
    outbox.addEventListener('change', () => this.draw());
    this.draw();
  }

  draw() {
    const open = this.outbox.entries.filter((e) => e.refused || e.lost);
    const signature = open.map((e) => e.key + reason(e)).join();
    if (signature === this.signature) return; // what did not change is not read aloud again
    this.signature = signature;
    box.replaceChildren(...open.map((e) => this.item(e)));
  }

  item(e) {
    const there = element('a', { href: address(e.task), textContent: say('take-me') });
    there.addEventListener('click', (click) => {
      click.preventDefault();
      click.stopPropagation();
      this.go(e.task);
    });
    const choices = element('span', { className: 'row' }, there);
    if (e.lost === 'sign-in' && !e.refused) choices.append(this.signIn());
    else if (!e.refused) choices.append(offer('now', () => this.outbox.resume()));
    else if (other(e)) choices.append(offer('mine', () => this.insist(e)));
    if (e.refused) choices.append(offer(other(e) ? 'theirs' : 'leave', () => this.leave(e)));
    return element('p', { className: 'wrong' }, `${reason(e)} `, choices);
  }

  signIn() {
    const next = new URLSearchParams({ next: location.pathname + location.search });
    return element('a', { href: `/sign-in?${next}`, textContent: say('sign-in') });
  }

  // insist gives a verdict once more, in the knowledge of the other.
  insist(e) {
    this.outbox.drop(e);
    this.outbox.add({ ...e, key: newKey(), at: Date.now(), refused: undefined, lost: undefined, tries: 0,
      fields: { ...e.fields, version: String(e.refused.stands.version) } });
  }

  // leave gives a verdict up. Its words stay as a draft.
  leave(e) {
    if (!draftOf(e.task)) {
      const { comment = '', grade = '', quality = '', summed = '', levels = '', points = '' } = e.fields;
      keepDraft(e.task, { comment, grade, quality, summed, levels, status: '', points });
      if (e.task === task()) fill();
    }
    this.outbox.drop(e);
    if (this.outbox.of(e.task).length === 0) state(e.task, ...other(e) ? ['saved', say('by-other')] : ['']);
  }
}
