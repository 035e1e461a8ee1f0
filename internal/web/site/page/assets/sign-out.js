// Signing out removes what this browser keeps. Verdicts and comments of the marking desk
// that have not arrived yet are shown before, and can be sent first.
import { allSent } from './drafts.js';
import { Outbox } from './outbox.js';
import { ask, element } from './site.js';

const longest = 40000; // ms to wait for what is on its way

// deliver tries everything once, and ends when each has an answer or is lost.
async function deliver() {
  const outbox = new Outbox();
  const open = () => outbox.entries.some((e) => !e.refused && !e.lost);
  const late = new Promise((done) => { setTimeout(done, longest); });
  for (const e of outbox.entries) delete e.lost;
  outbox.resume();
  while (open()) {
    const changed = new Promise((done) => { outbox.addEventListener('change', done, { once: true }); });
    if (await Promise.race([changed.then(() => false), late.then(() => true)])) break;
  }
  outbox.close();
  return outbox.entries;
}

const row = (e) => element('li', `${e.title}: ${e.name}${e.refused?.error ? `. ${e.refused.error}` : ''}`);

// settle asks what is to become of what has not arrived, and tells whether its user signs
// out. words are what the dialog says.
export async function settle(words) {
  const list = element('ul');
  const text = element('p', words.unsent);
  text.setAttribute('role', 'status');
  list.replaceChildren(...allSent().map(row));
  const dialog = ask(words, ['stay', 'leave', 'send'], text, list);
  const [stay, leave, send] = dialog.querySelectorAll('button');
  const goes = await new Promise((done) => {
    send.addEventListener('click', async () => {
      for (const b of [send, leave]) b.disabled = true;
      text.textContent = words.sending;
      const left = await deliver();
      for (const b of [send, leave]) b.disabled = false;
      list.replaceChildren(...left.map(row));
      text.textContent = left.length ? words.failed : words.sent;
      if (left.length === 0) done(true);
    });
    leave.addEventListener('click', () => done(true));
    stay.addEventListener('click', () => done(false));
    dialog.addEventListener('close', () => done(false));
  });
  dialog.remove();
  return goes;
}
