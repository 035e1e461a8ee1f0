// A link to a question shows it in a dialog over the page. Where that fails it leads to the page.
async function asked(link) {
  const answer = await fetch(link.href, { headers: { Accept: 'text/html' } });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const question = page.getElementById('ask');
  if (!answer.ok || !question) throw new Error('no question');
  const dialog = document.createElement('dialog');
  dialog.className = 'dialog';
  dialog.setAttribute('aria-labelledby', 'ask-title');
  const title = document.createElement('h2');
  title.id = 'ask-title';
  title.append(...question.querySelector('h1').childNodes);
  question.querySelector('h1').replaceWith(title);
  dialog.append(...question.children);
  document.body.append(dialog);
  dialog.addEventListener('close', () => {
    dialog.remove();
    link.focus();
  });
  dialog.querySelector('footer a').addEventListener('click', (e) => {
    e.preventDefault();
    dialog.close();
  });
  dialog.showModal();
}

addEventListener('click', (e) => {
  const link = e.target.closest('a[data-asks]');
  if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  asked(link).catch(() => location.assign(link.href));
});
