// The address of the feed is copied by a button where the browser can do that.
const button = document.querySelector('button[data-copy]');
if (button && navigator.clipboard) {
  const field = document.getElementById(button.dataset.copy);
  const said = document.querySelector('[data-copied]');
  button.hidden = false;
  button.addEventListener('click', async () => {
    field.select();
    await navigator.clipboard.writeText(field.value);
    said.textContent = said.dataset.copied;
  });
}
