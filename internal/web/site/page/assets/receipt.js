// A receipt is printed by a button where there is a script, else by the browser's menu.
for (const button of document.querySelectorAll('button[data-print]')) {
  button.hidden = false;
  button.addEventListener('click', () => window.print());
}
