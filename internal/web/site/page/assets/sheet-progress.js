// Shows that a sheet is sent and read until the answer comes: of a large one that takes a moment.
for (const form of document.querySelectorAll('form[data-sends]')) {
  const box = form.querySelector('.sending');
  form.addEventListener('submit', (e) => {
    if ('file' in (e.submitter?.dataset ?? {})) return; // a download leaves the page as it is
    box.hidden = false;
    form.setAttribute('aria-busy', 'true');
  });
  addEventListener('pageshow', () => {
    box.hidden = true;
    form.removeAttribute('aria-busy');
  });
}
