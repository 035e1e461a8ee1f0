// Replies to comments where these stand: what is typed is kept here, by user and comment, until the server
// said yes.
import { send } from './send-comment.js';

const { user } = document.querySelector('form.out').dataset;
const words = JSON.parse(document.querySelector('[data-replies]').dataset.replies);
const forms = [...document.querySelectorAll('.reply-here > form')];
const draftOf = (form) => `draft ${user} ${form.getAttribute('action')} ${form.elements.reply_to_id.value}`;

function store(form) {
  const { value } = form.elements.comment;
  if (value.trim() === '') localStorage.removeItem(draftOf(form));
  else localStorage.setItem(draftOf(form), value);
}

async function submit(e, form) {
  e.preventDefault();
  const button = form.querySelector('button');
  if (button.disabled) return;
  button.disabled = true;
  form.querySelector('.wrong')?.remove();
  const why = await send(form, words);
  button.disabled = false;
  if (why !== '') {
    form.elements.comment.after(Object.assign(document.createElement('p'), { className: 'wrong', role: 'alert',
      textContent: why }));
    form.elements.comment.focus();
    return;
  }
  form.reset();
  store(form);
  history.replaceState(null, '', form.elements.back.value);
  location.reload(); // what else happened is seen, too
}

for (const form of forms) {
  const kept = localStorage.getItem(draftOf(form));
  if (form.elements.comment.value) store(form); // typed before this was read
  else if (kept) {
    form.elements.comment.value = kept;
    form.closest('details').open = true;
  }
  form.addEventListener('input', () => store(form));
  form.addEventListener('submit', (e) => submit(e, form));
}
