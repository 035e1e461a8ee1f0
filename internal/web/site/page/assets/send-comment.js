// send sends the comment of a form without leaving the page, and gives the sentence that tells why it was not
// taken; empty where it was.
export async function send(form, words) {
  const answer = await fetch(form.getAttribute('action'), { method: 'POST', body: new FormData(form),
    headers: { Accept: 'application/json' } }).catch(() => null);
  if (!answer) return words.failed;
  if (answer.ok) return '';
  if (answer.status === 401) return words['sign-in'];
  if (answer.status === 413) return words.large;
  const body = await answer.json().catch(() => null);
  // An answer that was lost, and the same words again: they have arrived.
  return answer.status === 409 && !form.querySelector('input[type=file]')?.value ? '' : body?.error ?? words.failed;
}
