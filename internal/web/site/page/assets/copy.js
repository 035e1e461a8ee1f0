// What a field holds is copied by the button beside it, where the browser can do that.
for (const button of navigator.clipboard ? document.querySelectorAll('button[data-copy]') : []) {
  const field = document.getElementById(button.dataset.copy);
  const said = button.parentElement.querySelector('[data-copied]');
  button.hidden = false;
  button.addEventListener('click', async () => {
    field.select();
    await navigator.clipboard.writeText(field.value);
    said.textContent = said.dataset.copied;
  });
}
