// The conversation: what is typed is kept here, by user and task, until the server said
// yes; a comment is sent without leaving the page; and what was seen is told.
import { send } from './send-comment.js';

const form = document.getElementById('say');
const words = JSON.parse(form.dataset.words);
const text = document.getElementById('comment');
const flaw = document.getElementById('say-flaw');
const draft = `draft ${form.dataset.user} ${form.getAttribute('action')}`;
const look = 1000; // ms: as long as it takes to see what is new

function store() {
  if (text.value.trim() === '') localStorage.removeItem(draft);
  else localStorage.setItem(draft, text.value);
}

// renew puts the conversation as it is now in place of the one that is shown.
async function renew() {
  const answer = await fetch(location.pathname, { headers: { Accept: 'text/html' }, redirect: 'manual' });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('talk-list');
  const old = document.getElementById('talk-list');
  if (fresh && old && fresh.innerHTML !== old.innerHTML) old.replaceWith(document.adoptNode(fresh));
}

async function submit(e) {
  e.preventDefault();
  const button = form.querySelector('button:not([type=button])');
  if (button.disabled) return;
  button.disabled = true;
  flaw.textContent = '';
  const sentence = await send(form, words);
  button.disabled = false;
  flaw.textContent = sentence;
  if (sentence !== '') {
    text.focus();
    return;
  }
  text.defaultValue = '';
  form.reset();
  form.querySelector('.answering')?.remove();
  history.replaceState(null, '', location.pathname);
  store();
  await renew().catch(() => {});
}

// seen tells the server that new comments were looked at, once they were; also those
// that came while the page was open.
const watch = new IntersectionObserver((entries) => {
  if (entries.some((e) => e.isIntersecting)) setTimeout(tell, look);
});

async function tell() {
  if (document.hidden) return;
  const told = await fetch(form.dataset.read, { method: 'POST', headers: { Accept: 'application/json' } })
    .catch(() => null); // the next look tells it
  if (!told?.ok) return;
  watch.disconnect();
  document.getElementById('mark-read')?.remove();
}

function seen() {
  const fresh = document.querySelector('#talk-list .new');
  if (fresh) watch.observe(fresh);
}

text.value ||= localStorage.getItem(draft) ?? '';
text.addEventListener('input', store);
form.addEventListener('submit', submit);
document.addEventListener('renewed', seen);
document.addEventListener('visibilitychange', seen);
seen();
